"""What an agent does, as lines for a terminal or a log."""

from __future__ import annotations

from typing import NamedTuple

from .agents.events import (
    COMPLETED,
    IN_PROGRESS,
    Event,
    Result,
    Retry,
    Text,
    Todo,
    TodoItem,
    ToolEnd,
    ToolStart,
)
from .columns import untabbed
from .core.counted import counted
from .harmless import one_line

PLAIN, GOOD, BAD, QUIET, TITLE = "plain", "good", "bad", "quiet", "title"
LONGEST_SUMMARY = 100
MOST_OPEN = 1_000
MOST_ITEMS = 10
_BOXES = {COMPLETED: ("[x]", QUIET), IN_PROGRESS: ("[>]", TITLE)}
_OPEN_BOX = ("[ ]", PLAIN)


class Line(NamedTuple):
    """One line without its end; what an agent says must not look like the runner's word."""

    text: str
    tone: str = PLAIN
    by_agent: bool = False


class Output(NamedTuple):
    """How much is shown of what a tool printed."""

    lines: int = 0
    chars: int = 0


NO_OUTPUT = Output()


class View:
    """One agent process: its tools without a result yet, its list of things to do, its figures."""

    def __init__(self, output: Output = NO_OUTPUT) -> None:
        self._output = output
        self._open: dict[str, str] = {}
        self._above = ""
        self._tools = self._errors = 0
        self._todo: frozenset[TodoItem] = frozenset()
        self._began = 0.0
        self._result: Result | None = None

    def lines(self, event: Event) -> list[Line]:
        self._began = self._began or event.at
        deeper = "" if event.parent is None else "  "
        shown = [
            Line(deeper + one_line(line.text), line.tone, by_agent=True)
            for line in self._plain(event)
        ]
        if shown:
            self._above = event.id if isinstance(event, ToolStart) else ""
        return shown

    def last(self) -> list[Line]:
        """When its process is over: work in the background gives several final events."""
        if self._result is None:
            return []
        result, self._result = self._timed(self._result), None
        tone = GOOD if result.error is None else BAD
        return [Line(complete(result, self._tools, self._errors), tone, by_agent=True)]

    def _timed(self, result: Result) -> Result:
        """By our clock, where the agent does not tell how long it took."""
        if result.duration is not None or not self._began:
            return result
        return result._replace(duration=max(0.0, result.at - self._began))

    def _plain(self, event: Event) -> list[Line]:
        if isinstance(event, ToolStart):
            return [Line(self._begin(event), TITLE)]
        if isinstance(event, ToolEnd):
            return [Line(self._end(event), GOOD if event.ok else BAD), *self._printed(event)]
        if isinstance(event, Result):
            self._result = event
        if isinstance(event, Todo):
            before, self._todo = self._todo, frozenset(event.items)
            return todo(event.items, before)
        return [Line(text) for text in _without_memory(event)]

    def _printed(self, end: ToolEnd) -> list[Line]:
        """Its first lines; those of an error begin in the line above."""
        limit = self._output
        output = end.output if end.ok else end.output.lstrip()
        cut = "..." if len(output) > limit.chars else ""
        rows = _rows((output[: limit.chars] + cut).rstrip("\n"))[: limit.lines]
        rows = rows if end.ok else rows[1:]
        return [Line(f"     {row}", QUIET) for row in rows] if any(rows) else []

    def _begin(self, start: ToolStart) -> str:
        self._tools += 1
        if len(self._open) == MOST_OPEN:
            del self._open[next(iter(self._open))]
        self._open[start.id] = title(start)
        return title(start)

    def _end(self, end: ToolEnd) -> str:
        """Named where its start is not the line above: results come out of order."""
        self._errors += not end.ok
        name = self._open.pop(end.id, "")
        told = f"{name}: " if name and self._above != end.id else ""
        return f"  {told}{outcome(end)}"


def _rows(text: str) -> list[str]:
    return [untabbed(row.rstrip("\r")) for row in text.split("\n")]


def _without_memory(event: Event) -> list[str]:
    if isinstance(event, Text):
        return _rows(event.text.strip("\n")) if event.text.strip() else []
    return [_retry(event)] if isinstance(event, Retry) else []


def title(start: ToolStart) -> str:
    return f"{start.name}({shortened(start.summary)})"


def shortened(text: str, longest: int = LONGEST_SUMMARY) -> str:
    line = text.split("\n", 1)[0]
    return line if len(line) <= longest else line[: longest - 3] + "..."


def outcome(end: ToolEnd) -> str:
    size = f"({counted(end.lines, 'line')}, {counted(end.chars, 'char')})"
    size = size if end.chars else "(no output)"
    words = shortened(end.output.strip())
    return size if end.ok else f"error: {words} {size}" if words else f"error {size}"


def todo(items: tuple[TodoItem, ...], before: frozenset[TodoItem]) -> list[Line]:
    """How much of it is done, what is new in it, and what is at work."""
    done = sum(item.status == COMPLETED for item in items)
    share = f" ({100 * done // len(items)}%)" if items else ""
    told = [item for item in items if item.status == IN_PROGRESS or item not in before]
    first = sorted(range(len(told)), key=lambda place: told[place].status != IN_PROGRESS)
    rows = [_todo_item(told[place]) for place in sorted(first[:MOST_ITEMS])]
    more = len(told) - len(rows)
    rows += [Line(f"  ... {more} more", QUIET)] if more else []
    return [Line(f"Progress: {done}/{len(items)}{share}"), *rows]


def _todo_item(item: TodoItem) -> Line:
    box, tone = _BOXES.get(item.status, _OPEN_BOX)
    return Line(f"  {box} {shortened(item.text)}", tone)


def _retry(event: Retry) -> str:
    when = "" if event.delay is None else f" in {event.delay:.1f}s"
    status = "" if event.status is None or str(event.status) in event.error else event.status
    return f"Retry {event.attempt}{when} ({f'{status} {event.error}'.strip()})"


def complete(result: Result, tools: int, errors: int) -> str:
    """Figures that the agent does not tell are left out, never shown as 0."""
    parts = [
        None if result.cost_usd is None else f"cost: ${result.cost_usd:.2f}",
        _tokens(result),
        f"tools: {tools}",
        f"errors: {errors}",
        None if result.duration is None else f"time: {span(result.duration)}",
    ]
    word = "Complete" if result.error is None else "Failed"
    return f"{word} ({', '.join(part for part in parts if part)})"


def _tokens(result: Result) -> str | None:
    """The client's input tokens are those beside the cache; a person means all of them."""
    if result.input_tokens is None or result.output_tokens is None:
        return None
    cached = result.cache_read_tokens or 0
    total = result.input_tokens + cached + (result.cache_write_tokens or 0)
    share = f" ({amount(cached)} cached)" if cached else ""
    return f"tokens: {amount(total)} in{share} / {amount(result.output_tokens)} out"


def amount(number: int) -> str:
    """999, 1.2K, 45K, 850K, 1.2M"""
    if number < 1_000:
        return f"{number}"
    if number < 999_500:
        return f"{number / 1_000:.{int(number < 9_950)}f}K"
    return f"{number / 1_000_000:.1f}M"


def span(seconds: float) -> str:
    """7s, 6m7s, 1h6m7s"""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return (f"{hours}h" if hours else "") + (f"{minutes}m" if hours or minutes else "") + f"{rest}s"
