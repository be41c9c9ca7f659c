"""The Markdown of a report, read by a Markdown parser: no text becomes markup."""

from __future__ import annotations

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token
from ralph_engine import report_files
from ralph_engine.core.own_command import RALPH
from ralph_engine.reports import facts
from reports.told_run import RUN, ToldRun, long_run, night, titled

HOSTILE = {
    "html": "<script>alert(1)</script><img src=x onerror=y>",
    "entities": "&lt;b&gt; &amp; &#x41;",
    "emphasis": "**bold** _soft_ *x* ~~gone~~ snake_case",
    "code": "`rm` ``x`` ```sh",
    "links": "[here](http://x.invalid) ![pic](http://x.invalid/p.png) <http://x.invalid>",
    "table": "a | b | c \\| d \\",
    "backslashes": "a\\*b \\_c\\\\ \\[d\\] \\",
    "lines": "one\n\n# two\r\n- three\x0b```\n| a |",
    "ansi": "\x1b[31mred\x1b[0m \x1b]0;title\x07 \x9b2J",
    "bidi": "\u202eevil\u2066",
    "half a pair": "\ud800",
    "long": "x" * 10_000,
    "empty": "",
}
BLOCKS = {
    *("heading", "paragraph", "bullet_list", "list_item", "table", "thead", "tbody", "tr"),
    *("th", "td", "fence", "inline"),
}


def written(told: ToldRun) -> str:
    return report_files.compose(facts.gather(RUN, told.events, 0)).markdown


def parsed(text: str) -> list[Token]:
    return MarkdownIt("commonmark").enable("table").enable("strikethrough").parse(text)


def inside(tokens: list[Token]) -> list[Token]:
    return [child for token in tokens for child in token.children or []]


def kinds(tokens: list[Token]) -> set[str]:
    return {token.type.rsplit("_", 1)[0] for token in tokens if token.type != "inline"}


@pytest.mark.parametrize("name", HOSTILE)
def test_no_text_becomes_markup(name: str) -> None:
    text = written(titled(HOSTILE[name]))
    tokens = parsed(text)
    assert kinds(tokens) <= BLOCKS
    found = {token.type for token in inside(tokens)}
    assert found <= {"text", "strong_open", "strong_close", "text_special"}, found
    # One is the verdict; nothing else is bold.
    assert [token.type for token in inside(tokens)].count("strong_open") == 1
    headings = [token.tag for token in tokens if token.type == "heading_open"]
    assert headings == ["h1", *["h2"] * 8]


@pytest.mark.parametrize(
    "name", ["html", "entities", "emphasis", "code", "links", "table", "backslashes"]
)
def test_a_reader_sees_the_very_text_also_in_a_cell(name: str) -> None:
    """A cell that ends too early would hide the rest of it."""
    tokens = parsed(written(titled(HOSTILE[name])))
    cells = [after for cell, after in zip(tokens, tokens[1:]) if cell.type == "td_open"]
    shown = ["".join(child.content for child in cell.children or []) for cell in cells]
    assert HOSTILE[name] in shown


@pytest.mark.parametrize("name", HOSTILE)
def test_no_character_commands_a_terminal(name: str) -> None:
    text = written(titled(HOSTILE[name]))
    assert all(c == "\n" or c.isprintable() for c in text)
    text.encode("utf-8")


def test_a_long_text_is_cut_where_it_says_so() -> None:
    lines = written(titled("x" * 10_000)).splitlines()
    row, _ = [line for line in lines if line.startswith("| xxx")]
    assert row.split(" | ")[1] == "x" * 117 + "..."
    assert max(map(len, lines)) < 1_000


def test_the_reviews_are_drawn_in_characters() -> None:
    lines = written(night()).splitlines()
    at = lines.index("```text")
    assert lines[at + 1 : at + 7] == [
        "  0 | ## 2",
        "  1 | ### 3",
        "  2 | # 1",
        "  3 | # 1",
        "  4 |  0",
        "  5 | # 1 (at the cap)",
    ]
    most = written(long_run(500)).splitlines()
    assert f"  1 | {'#' * 30} 250" in most


def test_commands_stand_alone_to_be_copied() -> None:
    fences = [token for token in parsed(written(night())) if token.type == "fence"]
    assert [fence.info for fence in fences] == ["text", "sh", "sh"]
    assert fences[1].content == (
        f"# answer it, then ralph.sh resume (it removes the file)\n{RALPH} resume\n"
    )
