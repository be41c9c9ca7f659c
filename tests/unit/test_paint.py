"""Rows of a terminal: marks, alignment and widths, also of wide characters."""

from __future__ import annotations

import time

import pytest
from ralph_engine.line_view import BAD, GOOD, PLAIN, QUIET, TITLE, Line
from ralph_engine.paint import Look, Painter, packed
from rich.cells import cell_len

FINE = Look(colour=False, fine=True, emoji=True, timestamps=False)
NOON = time.mktime((2026, 3, 4, 12, 0, 0, 0, 0, -1))
WIDTHS = [40, 80, 200]
WIDE = "日本語のとても長い題名 emoji 🚀🚀 and cafe\u0301 " * 6
FIELDS = [
    *("the agent works 3m12s", "last output 4s ago", "iteration 4 of 15"),
    *("2 of 5 stories done", "cost ~$1.20 of $5.00", "elapsed 41m12s", "last end: ok"),
]


def rows(line: Line, columns: int = 80, look: Look = FINE) -> list[str]:
    return [row.plain for row in Painter(look, columns).line(line, NOON)]


def status(columns: int, lines: int = 24, look: Look = FINE, title: str = "Dates") -> list[str]:
    painted = Painter(look, columns).status(f"implement US-3: {title}", FIELDS, lines)
    return [row.plain for row in painted]


@pytest.mark.parametrize(
    ("look", "good", "bad"),
    [
        (FINE, "✅ x", "❌ x"),
        (FINE._replace(emoji=False), "[OK] x", "[ERR] x"),
        (FINE._replace(fine=False), "[OK] x", "[ERR] x"),
    ],
    ids=["emoji", "no emoji", "no utf-8"],
)
def test_good_and_bad_are_marked_without_colour(look: Look, good: str, bad: str) -> None:
    assert rows(Line("x", GOOD), look=look) == [good]
    assert rows(Line("x", BAD), look=look) == [bad]
    for tone in (PLAIN, QUIET, TITLE):
        assert rows(Line("x", tone), look=look) == ["x"]


def test_a_mark_stands_behind_the_indent() -> None:
    assert rows(Line("  (45 lines, 1234 chars)", GOOD)) == ["  ✅ (45 lines, 1234 chars)"]


def test_what_an_agent_says_stands_behind_a_line_of_its_own() -> None:
    said = Line("✅ check make: passed " * 5, by_agent=True)
    assert all(row.startswith("│ ") for row in rows(said, 40))
    assert len(rows(said, 40)) > 2
    plain = FINE._replace(fine=False)
    assert all(row.startswith("| ") for row in rows(said, 40, plain))


def test_a_long_line_goes_on_below_its_text() -> None:
    line = Line("  undone: " + "word " * 12, BAD)
    assert rows(line, 40) == [
        "  ❌ undone: word word word word word",
        "     word word word word word word word",
    ]


def test_timestamps() -> None:
    look = FINE._replace(timestamps=True)
    assert rows(Line("x " * 20, GOOD), 40, look) == [
        "[12:00:00] ✅ x x x x x x x x x x x x x",
        "              x x x x x x x",
    ]


@pytest.mark.parametrize("columns", WIDTHS)
@pytest.mark.parametrize("text", [WIDE, "x" * 500, "日" * 300, "a b " * 99, "\u0301" * 300])
def test_no_row_is_wider_than_the_terminal_and_nothing_is_lost(columns: int, text: str) -> None:
    for line in (Line(text), Line(f"  {text}", GOOD, by_agent=True)):
        found = rows(line, columns)
        assert max(map(cell_len, found)) <= columns
        shown = "".join(found).replace("│", "").replace("✅", "")
        assert shown.replace(" ", "") == text.replace(" ", "")


@pytest.mark.parametrize("columns", [1, 9])
def test_a_sliver_of_a_terminal(columns: int) -> None:
    assert "".join(rows(Line("x" * 20), columns)) == "x" * 20
    assert status(columns) == []


def test_the_status_at_80_columns() -> None:
    assert status(80) == [
        "─" * 79,
        "implement US-3: Dates",
        "the agent works 3m12s · last output 4s ago · iteration 4 of 15",
        "2 of 5 stories done · cost ~$1.20 of $5.00 · elapsed 41m12s · last end: ok",
    ]


def test_the_status_at_40_columns() -> None:
    assert status(40) == [
        "─" * 39,
        "implement US-3: Dates",
        "the agent works 3m12s",
        "last output 4s ago · iteration 4 of 15",
        "2 of 5 stories done",
        "cost ~$1.20 of $5.00 · elapsed 41m12s",
        "last end: ok",
    ]


def test_the_status_at_200_columns() -> None:
    assert status(200) == ["─" * 199, "implement US-3: Dates", " · ".join(FIELDS)]


def test_the_status_without_more_than_ascii() -> None:
    found = status(80, look=FINE._replace(fine=False), title="Dates " * 30)
    assert all(row.isascii() for row in found)
    assert found[0] == "-" * 79 and " | " in found[2]


@pytest.mark.parametrize("columns", WIDTHS)
def test_a_wide_title_is_cut_at_a_character(columns: int) -> None:
    [_, headline, *_] = status(columns, title="題" * 200)
    assert headline.startswith("implement US-3: 題") and headline.endswith("題…")
    assert columns - 3 <= cell_len(headline) <= columns - 1


def test_at_most_half_of_the_terminal() -> None:
    assert len(status(40, lines=8)) == 4
    assert status(40, lines=7) == []


def test_colours_only_where_they_are_wanted() -> None:
    line = Line("x", BAD)
    for colour, codes in ((True, "\x1b[31mx\x1b[0m"), (False, "x")):
        painter = Painter(FINE._replace(colour=colour, emoji=False), 80)
        assert painter.text(painter.line(line, NOON)[0]) == f"[ERR] {codes}"


def test_markup_of_a_library_is_text() -> None:
    painter = Painter(FINE._replace(colour=True), 80)
    [row] = painter.line(Line("[red]x[/red] :rocket: [link=http://h]y[/link]"), NOON)
    assert painter.text(row) == "[red]x[/red] :rocket: [link=http://h]y[/link]"


def test_fields_are_packed_in_one_piece() -> None:
    assert packed(["aa", "bb", "cc"], " ", 5) == ["aa bb", "cc"]
    assert packed(["a" * 9, "b"], " ", 5) == ["a" * 9, "b"]
    assert packed([], " ", 5) == []
