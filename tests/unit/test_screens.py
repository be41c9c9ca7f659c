"""Recorded sessions of the real clients, row by row as a person sees them.

tests/fixtures/screens holds the rows; `python3 tests/unit/test_screens.py` writes them anew, to be
read line by line before they are kept. An escape character stands there as ␛.
"""

from __future__ import annotations

import re
import sys
import time
import unicodedata
from pathlib import Path
from typing import NamedTuple

import pytest

TESTS = Path(__file__).resolve().parents[1]
if __name__ == "__main__":
    sys.path.insert(0, str(TESTS.parent / "scripts"))

from ralph_engine.agents import choose  # noqa: E402
from ralph_engine.agents.events import as_json  # noqa: E402
from ralph_engine.display import Display  # noqa: E402
from ralph_engine.event_lines import EventLines  # noqa: E402
from ralph_engine.line_view import Line, Output  # noqa: E402
from ralph_engine.paint import Look, Painter  # noqa: E402

CASSETTES, SCREENS = TESTS / "cassettes", TESTS / "fixtures" / "screens"
NOON = time.mktime((2026, 3, 4, 12, 0, 0, 0, 0, -1))
PLAIN = Look(colour=False, fine=True, emoji=True, timestamps=False)
LOOKS = {
    "40": (40, PLAIN),
    "80": (80, PLAIN),
    "200": (200, PLAIN),
    "80-colour": (80, PLAIN._replace(colour=True)),
    "80-words": (80, PLAIN._replace(emoji=False)),
    "80-timed": (80, PLAIN._replace(timestamps=True)),
    "40-ascii": (40, Look(colour=False, fine=False, emoji=True, timestamps=True)),
}
WIDE = ("claude/2.1.326/wide", "codex/0.169.0/wide")
OTHERS = (
    *("claude/2.1.197/files", "claude/2.1.197/subagent", "claude/2.1.326/background"),
    *("codex/0.169.0/work", "codex/0.169.0/http503", "amp/0.0.1767830505/work"),
    *("amp/0.0.1767830505/steps", "gemini/0.61.0/work", "gemini/0.61.0/limit"),
)
ALL = [(name, look) for name in WIDE for look in LOOKS] + [(name, "80") for name in OTHERS]


def lines(name: str) -> list[tuple[Line, float]]:
    """With the settings that a person finds; a line of the stream takes a second."""
    adapter, display = choose(name.partition("/")[0]), Display()
    parser = adapter.Parser()
    shown = EventLines(Output(display.max_output_lines, display.max_output_chars))
    found: list[tuple[Line, float]] = []
    at = NOON
    for at, data in enumerate((CASSETTES / f"{name}.jsonl").read_bytes().splitlines(), int(NOON)):
        for event in parser.feed(data):
            entry = {"time": "", "event": "agent", **as_json(event._replace(at=float(at)))}
            found += [(line, at) for line in shown.of(entry)]
    end = adapter.ended(parser, 0, None)
    ended = {"time": "", "event": "agent-ended", "kind": end.kind, "detail": end.detail}
    return [*found, *((line, at) for line in shown.of(ended))]


def rows(name: str, look: str) -> list[str]:
    columns, chosen = LOOKS[look]
    painter = Painter(chosen, columns)
    painted = (row for line, at in lines(name) for row in painter.line(line, at))
    return [painter.text(row).replace("\x1b", "␛") for row in painted]


def golden(name: str, look: str) -> Path:
    return SCREENS / f"{name.replace('/', '-')}-{look}.txt"


@pytest.mark.parametrize(("name", "look"), ALL)
def test_what_a_person_sees(name: str, look: str) -> None:
    assert rows(name, look) == golden(name, look).read_text("utf-8").split("\n")[:-1]


def test_no_screen_is_kept_that_nobody_looks_at() -> None:
    assert sorted(SCREENS.iterdir()) == sorted(golden(*each) for each in ALL)


def columns_of(text: str) -> int:
    """Counted apart from the library that makes the rows."""
    wide = (2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)
    return sum(0 if unicodedata.combining(c) else n for c, n in zip(text, wide))


@pytest.mark.parametrize(("name", "look"), ALL)
def test_no_row_is_wider_than_the_terminal(name: str, look: str) -> None:
    kept = re.sub("␛\\[[0-9;]*m", "", golden(name, look).read_text("utf-8"))
    assert max(map(columns_of, kept.split("\n"))) <= LOOKS[look][0]


@pytest.mark.parametrize("name", WIDE)
def test_only_the_look_differs(name: str) -> None:
    """Without colours, marks and clocks each is the plain one."""

    def bare(look: str) -> str:
        text = golden(name, look).read_text("utf-8")
        text = re.sub(r"␛\[[0-9;]*m|^\[12:00:\d\d\] |^ {11}", "", text, flags=re.MULTILINE)
        text = text.replace("✅", "").replace("❌", "").replace("[OK]", "").replace("[ERR]", "")
        return "".join(re.sub("^[│|] ", "", text, flags=re.MULTILINE).split())

    assert {bare(look) == bare("200") for look in LOOKS} == {True}
    assert golden(name, "40-ascii").read_text("utf-8").count("[12:00:") > 10


class Counted(NamedTuple):
    """By the letters of a recording; tokens are those in, those of the cache, those out."""

    tools: int
    errors: int
    tokens: list[int]
    cost: list[str]


def by_claude(raw: list[str]) -> Counted | None:
    said = [line for line in raw if line.startswith('{"type":"assistant"')]
    heard = [line for line in raw if line.startswith('{"type":"user"')]
    finals = [line.partition('"modelUsage":')[2] for line in raw if '"modelUsage":' in line]
    if not finals:
        return None
    models = finals[-1].partition('"permission_denials"')[0]

    def total(name: str) -> int:
        return sum(map(int, re.findall(rf'"{name}":(\d+)', models)))

    read, written = total("cacheReadInputTokens"), total("cacheCreationInputTokens")
    costs = [float(usd) for usd in re.findall(r'"costUSD":([\d.e-]+)', models)]
    return Counted(
        sum(line.count('"type":"tool_use"') for line in said),
        sum('"is_error":true' in line for line in heard),
        [total("inputTokens") + read + written, read, total("outputTokens")],
        [f"{sum(costs):.2f}"],
    )


def by_codex(raw: list[str]) -> Counted | None:
    if not re.match(r'\{"type":"turn\.(?:completed|failed)"', raw[-1]):
        return None
    calls = [line for line in raw if re.search('"type":"(?:command_execution|file_change)"', line)]
    names = ("input_tokens", "cached_input_tokens", "output_tokens")
    return Counted(
        sum("item.started" in line for line in calls),
        sum('"status":"failed"' in line for line in calls),
        [sum(map(int, re.findall(rf'"{name}":(\d+)', raw[-1]))) for name in names],
        [],
    )


def by_amp(raw: list[str]) -> Counted | None:
    """Each message tells its tokens once; how a command ended stands in what it printed."""
    said = [line for line in raw if line.startswith('{"type":"assistant"')]
    heard = [line for line in raw if line.startswith('{"type":"user"')]
    if not raw[-1].startswith('{"type":"result"'):
        return None

    def total(name: str) -> int:
        return sum(int(n) for line in said for n in re.findall(rf'"{name}":(\d+)', line))

    read, written = total("cache_read_input_tokens"), total("cache_creation_input_tokens")
    return Counted(
        sum(line.count('"type":"tool_use"') for line in said),
        sum(bool(re.search(r'"is_error":true|exitCode\\":[1-9]', line)) for line in heard),
        [total("input_tokens") + read + written, read, total("output_tokens")],
        [],
    )


def by_gemini(raw: list[str]) -> Counted | None:
    if not raw[-1].startswith('{"type":"result"'):
        return None
    stats = raw[-1].partition('"models"')[0]
    names = ("input_tokens", "cached", "output_tokens")
    return Counted(
        sum(line.startswith('{"type":"tool_use"') for line in raw),
        sum(line.startswith('{"type":"tool_result"') and '"error"' in line for line in raw),
        [sum(map(int, re.findall(rf'"{name}":(\d+)', stats))) for name in names],
        [],
    )


def in_full(amount: str | None) -> float:
    if amount is None:
        return 0
    factors = {"K": 1e3, "M": 1e6}
    return float(amount.rstrip("KM")) * factors.get(amount[-1], 1)


COUNTERS = {"claude": by_claude, "codex": by_codex, "amp": by_amp, "gemini": by_gemini}
RECORDED = sorted(
    path.relative_to(CASSETTES).with_suffix("").as_posix()
    for agent in COUNTERS
    for path in (CASSETTES / agent).glob("[0-9]*/*.jsonl")
)


@pytest.mark.parametrize("name", RECORDED)
def test_the_figures_are_those_counted_in_the_raw_stream(name: str) -> None:
    raw = (CASSETTES / f"{name}.jsonl").read_text("utf-8").strip().split("\n")
    counted = COUNTERS[name.partition("/")[0]](raw)
    told = [line.text for line, _ in lines(name) if re.match(r"(Complete|Failed) \(", line.text)]
    if counted is None:
        assert told == []
        return
    [line] = told
    assert f"tools: {counted.tools}, errors: {counted.errors}" in line
    found = re.search(r"tokens: (\S+) in(?: \((\S+) cached\))? / (\S+) out", line)
    shown = [in_full(amount) for amount in found.groups()] if found else [0, 0, 0]
    assert shown == [pytest.approx(exact, rel=0.05) for exact in counted.tokens]
    assert re.findall(r"cost: \$(\S+),", line) == counted.cost


if __name__ == "__main__":
    for each in ALL:
        golden(*each).write_text("\n".join([*rows(*each), ""]), "utf-8")
