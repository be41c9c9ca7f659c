"""Strict JSON: every text is read as what it says, or refused as not JSON."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from property import lists
from property.json_values import json_values, strings
from ralph_engine.core import strict_json

BOM = b"\xef\xbb\xbf"
NUMBERLESS = ["NaN", "Infinity", "-Infinity", "1e999", "-1e999"]


def parsed(data: bytes) -> Any:
    """What the bytes mean, or NotJson itself."""
    try:
        return strict_json.parse(data)
    except strict_json.NotJson:
        return strict_json.NotJson


@given(st.binary(max_size=60))
@example(b"")
@example(b"[" * 200_000)
@example(b'{"a":' * 200_000)
@example(b"1" * 5000)
@example(b"\xed\xa0\x80")
@example(b'"\\ud800"')
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    parsed(data)


@given(json_values, st.binary(min_size=1, max_size=3), st.data())
def test_damaged_json_is_read_or_refused(value: Any, junk: bytes, data: st.DataObject) -> None:
    text = json.dumps(value).encode()
    start, end = sorted(data.draw(st.tuples(*[st.integers(0, len(text))] * 2)))
    parsed(text[:start] + junk + text[end:])


@given(json_values, st.sampled_from([None, 0, 2, "\t"]))
def test_what_is_written_is_read(value: Any, indent: Any) -> None:
    text = json.dumps(value, indent=indent)
    # Compared as text too: True, 1 and 1.0 are equal to Python.
    assert strict_json.parse(text.encode()) == value
    assert json.dumps(strict_json.parse(text.encode())) == json.dumps(value)


@given(lists.documents())
def test_task_lists_survive(document: Any) -> None:
    assert strict_json.parse(json.dumps(document).encode()) == document


@given(json_values)
def test_a_byte_order_mark_is_refused(value: Any) -> None:
    assert parsed(BOM + json.dumps(value).encode()) is strict_json.NotJson


@given(strings, json_values, json_values)
def test_a_repeated_key_is_refused(key: str, first: Any, second: Any) -> None:
    pairs = ",".join(f"{json.dumps(key)}:{json.dumps(value)}" for value in (first, second))
    assert parsed(f"[{{{pairs}}}]".encode()) is strict_json.NotJson


@pytest.mark.parametrize("number", NUMBERLESS)
@given(json_values)
def test_numbers_without_a_value_are_refused(number: str, value: Any) -> None:
    text = f'{{"a": [{json.dumps(value)}, {number}]}}'
    assert parsed(text.encode()) is strict_json.NotJson


@given(st.text(st.characters(min_codepoint=128, exclude_categories=["Cs"]), min_size=1))
def test_only_utf_8_is_read(text: str) -> None:
    assert strict_json.parse(json.dumps(text, ensure_ascii=False).encode()) == text
    assert parsed(json.dumps(text, ensure_ascii=False).encode("utf-16")) is strict_json.NotJson
