"""Text that cannot command a terminal."""

from __future__ import annotations

import pytest
from ralph_engine.harmless import harmless


@pytest.mark.parametrize("text", ["", "plain", "two\nlines\n", "Ümläut \N{SNOWMAN} 日本", " a  b "])
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert harmless(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred", r"\x1b[31mred"),
        ("\x1b]0;title\x07", r"\x1b]0;title\x07"),
        ("\x9b31m", r"\x9b31m"),
        ("a\rb", r"a\rb"),
        ("a\tb", r"a\tb"),
        ("a\bb", r"a\x08b"),
        ("\x00\x7f", r"\x00\x7f"),
        ("\u202eabc", r"\u202eabc"),
        ("\u2028", r"\u2028"),
        ("\ud800", r"\ud800"),
        ("\U000e0001", r"\U000e0001"),
    ],
)
def test_commands_to_a_terminal_become_visible(text: str, shown: str) -> None:
    assert ascii(harmless(text)) == ascii(shown)


@pytest.mark.parametrize(
    ("text", "shown"), [("12\u202f345", "12 345"), ("a\xa0b", "a b"), ("a\u3000b", "a  b")]
)
def test_blanks_of_every_width_are_blanks(text: str, shown: str) -> None:
    assert harmless(text) == shown


def test_every_character_can_be_printed_afterwards() -> None:
    every = "".join(map(chr, range(0x20000)))
    shown = harmless(every)
    shown.encode("utf-8")
    assert [ascii(c) for c in shown if c != "\n" and not c.isprintable()] == []


def test_what_was_made_visible_stays_as_it_is() -> None:
    once = harmless("\x1b\u202e\ud800\n")
    assert ascii(harmless(once)) == ascii(once)
