"""What happened when: the iterations, and what came between them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Callable

from . import hooks
from .blocks import Cell
from .events import Event
from .facts import Facts, Iteration
from .words import duration, moment, money, outcome, reason, short, work

_LONGEST = 160
Row = tuple[Cell, ...]


def rows(facts: Facts) -> list[Row]:
    iterations = iter(facts.iterations)
    return [row for event in facts.events for row in _rows(event, iterations)]


def _rows(event: Event, iterations: Iterator[Iteration]) -> list[Row]:
    if event.kind == "iteration":
        return [_iteration(next(iterations))]
    words = _WORDS.get(event.kind)
    if words is None:
        return []
    what, more = words(event)
    return [(moment(event.time), "", what, short(more, _LONGEST), "", "")]


def _iteration(one: Iteration) -> Row:
    return (
        moment(one.begun),
        str(one.number),
        work(one),
        outcome(one),
        duration(one.seconds),
        money(one.cost),
    )


def _plain(what: str, *names: str) -> Callable[[Event], tuple[str, str]]:
    return lambda event: (what, " ".join(filter(None, (event.text(name) for name in names))))


def _edited(event: Event) -> tuple[str, str]:
    return "edited by a person", "; ".join(str(change) for change in event.items("changes"))


def _resumed(event: Event) -> tuple[str, str]:
    return "went on", ""


def _waited(event: Event) -> tuple[str, str]:
    return "wait", f"{duration(event.number('seconds') or 0.0)}: {event.text('why')}"


def _end(event: Event) -> tuple[str, str]:
    status, why = event.text("status"), event.text("why")
    return "end", ": ".join(filter(None, (status, reason(status, why))))


def _hook(event: Event) -> tuple[str, str]:
    return "hook", hooks.sentence(event)


_WORDS: dict[str, Callable[[Event], tuple[str, str]]] = {
    "run": _plain("begun", "branch"),
    "taken-up": _plain("taken up again"),
    "resumed": _resumed,
    "paused": _plain("paused by a person"),
    "told": _plain("a person said", "text"),
    "person-edit": _edited,
    "trusted": _plain("trusted by a person", "story"),
    "hook": _hook,
    "tasks-rewritten": _plain("task list rewritten", "why"),
    "wait": _waited,
    "fallback": _plain("another agent stands in", "command", "why"),
    "blocker": _plain("blocker", "text"),
    "flaky": _plain("flaky check", "command"),
    "sign": _plain("Sign put up", "name"),
    "scm-failed": _plain("scm failed", "task", "why"),
    "end": _end,
}
