"""What counts as a promise: only one that ends a line, in plain text."""

from __future__ import annotations

import pytest
from ralph_engine.core import audit, promise

P = "<promise>DONE</promise>"
MADE = [
    P,
    f"All tests pass. {P}",
    f"{P}\nGood bye.",
    f"done\r\n{P}\r\n",
    f"one\r{P}\rtwo",
    f"{P}   \t",
    f"{P}.",
    f"{P}!",
    f"(all done: {P})",
    f"**{P}**",
    f"\x1b{P}\x07\x00",
    f"\x1b[1;32m{P}\x1b[0m",
    f"\x1b[{P}\x1b[",
    f"\u200b{P}\u200b",
    "<prom\x00ise>DONE</promise>",
    f"I will print {P} only when it is done.\n\n{P}",
    f"```\n{P} inside\n```\n{P}",
    f"```sh\nmake\n```\n\nIt's done. {P}",
    f'He said "go". {P}',
    f"`make` passes. {P}",
    f'The 5" disk works. {P}',
    f"Don't worry. {P}",
    f"    {P}",
    f"- {P}",
    f"{P} {P}",
    f"~~~\ncode\n~~~\n{P}",
    f"````\n```\n````\n{P}",
    f'{P}\nHe said "go".',
    f'He said "go". {P}\n"Fine."',
    f"{P}\n”late",
    f"He said “go”. {P}\n“Fine.”",
    f"~~\n{P}\n~~",
    f"```make``` passes.\n{P}",
    f"{P}\x1b[0m.",
    "<prom\x7fise>DO\x85NE</promise\x9f>",
]
MENTIONED = [
    f"I will output {P} only when all is done",
    f"{P} is what I print at the end",
    f"{P}, once done",
    f"When done I print {P},\nand not before.",
    f"I end with {P}:\nlater",
    f"`{P}`",
    f"``{P}``",
    f'"{P}"',
    f"'{P}'",
    f"“{P}”",
    f"«{P}»",
    f"```\n{P}\n```",
    f"```xml\n{P}\n```",
    f"~~~\n{P}\n~~~",
    f"````\n```\n{P}\n````",
    f"```\nnever closed\n{P}",
    f"  ```\n{P}\n  ```",
    f"> {P}",
    f'I was told to print "the line\n{P}\nwhen done".',
    f"the code `one\n{P}\ntwo` is meant",
    f"{P}<br>",
    f"{P}x",
    f"{P}\x1b[0mx",
    f"{P}[0m",
    f"<!-- {P} -->",
    f"````\n{P}\n````",
    f"~~~ a~b\n{P}\n~~~",
    f"Print “this\n{P}\nwhen done”.",
    # A quotation that begins right before it, behind lines of odd and of even length.
    "a\n" * 40 + f'"go\n{P}\n"',
    "ab\n" * 40 + f'"go\n{P}\n"',
    "a\n" * 40 + f'bcd\nso "{P}\nwas meant"',
]
ABSENT = [
    "",
    "DONE",
    "I am done.",
    "<promise>done</promise>",
    "<promise> DONE </promise>",
    "<promise>DONE</promise",
    "<Promise>DONE</Promise>",
    "<promise>DONE\n</promise>",
    "<promise>DONE!</promise>",
    "&lt;promise&gt;DONE&lt;/promise&gt;",
    "<prom\xa0ise>DONE</promise>",
]


@pytest.mark.parametrize("text", MADE)
def test_a_promise_that_is_made(text: str) -> None:
    assert promise.judge(text, "DONE") == "made"


@pytest.mark.parametrize("text", MENTIONED)
def test_a_promise_that_is_only_mentioned(text: str) -> None:
    assert promise.judge(text, "DONE") == "mentioned"


@pytest.mark.parametrize("text", ABSENT)
def test_no_promise(text: str) -> None:
    assert promise.judge(text, "DONE") == "absent"


@pytest.mark.parametrize("token", ["ALL TESTS PASS", "a.b*c", "é👩\u200d💻", "</promise>", '"x"'])
def test_any_token_is_taken_literally(token: str) -> None:
    assert promise.judge(f"Done. <promise>{token}</promise>", token) == "made"
    assert promise.judge("<promise>DONE</promise>", token) == "absent"


def test_a_tokens_own_quotes_close_no_quotation() -> None:
    before = 'The 5" disk works.'.ljust(len('<promise>"x"</promise>'))
    assert promise.judge(f'{before}<promise>"x"</promise>', '"x"') == "made"


def test_lines_outside_of_quotations() -> None:
    assert promise.lines("a  \n\n> b\n```\nc\n```\nd") == ["a", "", "d"]


def test_a_long_message_takes_no_time_to_speak_of() -> None:
    assert promise.judge('`"“\n' * 20_000 + f"\n\n{P}", "DONE") == "made"
    assert promise.judge(f'{P} "x" ' * 5_000, "DONE") == "mentioned"


SIGNAL = "RALPH_AUDIT_COMPLETE_NO_FINDINGS"
LEFT = "RALPH_ITERATION_COMPLETE: 3 findings remain"


@pytest.mark.parametrize(
    ("text", "done", "left"),
    [
        (SIGNAL, True, None),
        (f"All well.\n  {SIGNAL}  \r\nBye.", True, None),
        (f"{SIGNAL}.", True, None),
        (f"I will print {SIGNAL}", False, None),
        (f"{SIGNAL} soon", False, None),
        (f"`{SIGNAL}`", False, None),
        (f"```\n{SIGNAL}\n```", False, None),
        (f"> {SIGNAL}", False, None),
        (SIGNAL.lower(), False, None),
        (LEFT, False, 3),
        (f"{LEFT}\n{SIGNAL}", False, 3),
        (f"{SIGNAL}\n\n{LEFT}", False, 3),
        (f"{LEFT}\nRALPH_ITERATION_COMPLETE: 2 findings remain.", False, 2),
        ("RALPH_ITERATION_COMPLETE: 0 findings remain", False, 0),
        ("RALPH_ITERATION_COMPLETE: many findings remain", False, None),
        ("RALPH_ITERATION_COMPLETE: -1 findings remain", False, None),
        (f"RALPH_ITERATION_COMPLETE: {'9' * 5000} findings remain", False, None),
        ("", False, None),
    ],
)
def test_an_audits_signals(text: str, done: bool, left: int | None) -> None:
    assert audit.is_done(text, SIGNAL) == done
    assert audit.findings(text) == left


def test_a_signal_may_end_like_a_sentence() -> None:
    assert audit.is_done("Well.\nALL CLEAN!", "ALL CLEAN!")
    assert audit.is_done("ALL CLEAN", "ALL CLEAN") and not audit.is_done("ALL CLEAN", "ALL CLEAN!")
    assert not audit.is_done("one\n\ntwo", "!")
