"""JSON that means one thing only, or a sentence that says what to repair."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from ralph_engine.core import strict_json

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{}", {}),
        (" [1, 2.5, -3e2] ", [1, 2.5, -300.0]),
        ('{"a": {"a": null}, "b": [true, false]}', {"a": {"a": None}, "b": [True, False]}),
        ('"\N{SNOWMAN}\\u00e9"', "\N{SNOWMAN}é"),
        ('"\\ud800"', "\ud800"),
        ('{"A": 1, "a": 2}', {"A": 1, "a": 2}),
        ('{"": 1}', {"": 1}),
        ("1e308", 1e308),
        ("1e-999", 0.0),
        ('"NaN Infinity 1e999"', "NaN Infinity 1e999"),
        ('"\ufeff"', "\ufeff"),
        ("9" * 4300, int("9" * 4300)),
    ],
)
def test_strict_json_is_read(text: str, value: Any) -> None:
    assert strict_json.parse(text.encode()) == value


DEEP = 100_000
BAD: dict[bytes, tuple[str, str]] = {
    b"": ("is not valid JSON", "repair it"),
    b"{": ("is not valid JSON", "repair it"),
    b"{} x": ("is not valid JSON", "repair it"),
    b"{'a': 1}": ("is not valid JSON", "repair it"),
    b"[1,]": ("is not valid JSON", "repair it"),
    b"01": ("is not valid JSON", "repair it"),
    b"\x00": ("is not valid JSON", "repair it"),
    b'"a\nb"': ("is not valid JSON", "repair it"),
    b"// a\n{}": ("is not valid JSON", "repair it"),
    b"\xef\xbb\xbf{}": ("starts with a byte order mark", "save it as UTF-8 without BOM"),
    b"\xff\xfe{\x00}\x00": ("is not UTF-8 (byte 0)", "save it as UTF-8"),
    b'{"a": "\xc3"}': ("is not UTF-8 (byte 7)", "save it as UTF-8"),
    b'"\xed\xa0\x80"': ("is not UTF-8 (byte 1)", "save it as UTF-8"),
    b"NaN": ("contains NaN, which is not JSON", "write a finite number"),
    b"[Infinity]": ("contains Infinity, which is not JSON", "write a finite number"),
    b"[-Infinity]": ("contains -Infinity, which is not JSON", "write a finite number"),
    b"1e999": ("contains 1e999, which is too large", "write a finite number"),
    b"-1e999": ("contains -1e999, which is too large", "write a finite number"),
    b"1" * 400 + b".0": ("contains 1111", "write a finite number"),
    b'{"a": 1, "a": 1}': ('has the key "a" twice in one object', "keep one of them"),
    b'[{"b": {"a": 1, "b": 2, "a": 3}}]': ('has the key "a" twice', "keep one of them"),
    b'{"a": 1, "\\u0061": 1}': ('has the key "a" twice', "keep one of them"),
    b"[" * DEEP: ("is nested too deeply", "flatten it"),
    b"[" * DEEP + b"]" * DEEP: ("is nested too deeply", "flatten it"),
    b'{"a":' * DEEP + b"1" + b"}" * DEEP: ("is nested too deeply", "flatten it"),
}


@pytest.mark.parametrize("data", BAD, ids=lambda data: repr(data[:30]))
def test_what_is_not_says_why_and_what_to_do(data: bytes) -> None:
    problem, fix = BAD[data]
    with pytest.raises(strict_json.NotJson) as caught:
        strict_json.parse(data)
    said, _, advice = str(caught.value).rpartition("; ")
    assert said.startswith(problem) and advice == fix


def test_a_place_in_broken_json_is_named() -> None:
    with pytest.raises(strict_json.NotJson, match="line 3 column 1"):
        strict_json.parse(b'{\n"a": 1,\n}')


def test_no_more_digits_than_python_reads_is_no_traceback() -> None:
    limited = hasattr(sys, "get_int_max_str_digits")
    try:
        assert strict_json.parse(b"9" * 5000) > 0 and not limited
    except strict_json.NotJson as error:
        assert limited and str(error).endswith("; repair it")


def test_a_long_key_does_not_fill_the_screen() -> None:
    key = b"k" * 100_000
    with pytest.raises(strict_json.NotJson) as caught:
        strict_json.parse(b'{"%s": 1, "%s": 2}' % (key, key))
    assert len(str(caught.value)) < 1000 and str(caught.value).endswith("; keep one of them")


REPEATED_LATE = """
import sys
sys.path.insert(0, sys.argv[1])
from ralph_engine.core import strict_json
keys = [str(number) for number in range(200_000)]
text = ",".join(f'"{key}":0' for key in [*keys, keys[-1]])
try:
    strict_json.parse(("{%s}" % text).encode())
except strict_json.NotJson as error:
    print(error)
"""


def test_a_repeated_key_is_found_at_once_in_a_large_object() -> None:
    command = [sys.executable, "-I", "-S", "-c", REPEATED_LATE, str(SCRIPTS)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=10)
    assert done.stdout == 'has the key "199999" twice in one object; keep one of them\n'
