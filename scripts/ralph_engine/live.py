"""Where a run stands, read off the events of its journal: pure, the clock is an argument."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Callable, NamedTuple

from .agents import endings
from .core import clock
from .core.counted import counted
from .event_lines import EDITING, UNREADABLE, Entry
from .harmless import one_line
from .line_view import shortened, span
from .waits import clock as wall_clock

STARTING, WORKING, JUDGING, WAITING, PAUSED, ENDED = (
    *("starting", "the agent works", "judging"),
    *("waiting", "paused", "ended"),
)
MOST_RECENT = 5
_LONGEST_END = 80
_UNDONE = ", work undone"
_NUMBERS = (int, float, bool)
_FIGURES = ("of", "done", "total", "cost", "estimated", "budget")


class Status(NamedTuple):
    """Times by the wall clock; `began` is the present iteration's, `since` the present phase's."""

    run: str = ""
    start: float = 0.0
    phase: str = STARTING
    since: float = 0.0
    began: float = 0.0
    number: int = 0
    mode: str = ""
    story: str = ""
    title: str = ""
    of: int = 0
    done: int | None = None
    total: int | None = None
    cost: float | None = None
    estimated: bool = False
    budget: float | None = None
    last_output: float | None = None
    flooded: bool = False
    wait_end: float = 0.0
    why: str = ""
    latest: str = ""
    recent: tuple[str, ...] = ()
    end: Entry | None = None


def after(status: Status, event: Entry) -> Status:
    """What cannot be read changes nothing."""
    try:
        now = clock.seconds(event["time"])
        change = _CHANGES.get(event["event"])
        return change(status, event, now) if change and now is not None else status
    except UNREADABLE:
        return status


def _run(status: Status, event: Entry, now: float) -> Status:
    begun = Status(run=str(event["id"]), start=now, since=now)
    return _with_figures(begun, event)


def _resumed(status: Status, event: Entry, now: float) -> Status:
    """After a pause, or the whole run after an end."""
    status = _with_figures(status, event)._replace(phase=STARTING, since=now)
    if "id" not in event:
        return status
    number = status.number or int(event["number"])
    return status._replace(run=str(event["id"]), start=now, end=None, number=number)


def _iteration(status: Status, event: Entry, now: float) -> Status:
    status = _with_figures(_filed(status, now), event)
    status = status._replace(phase=STARTING, since=now, began=now)
    mode, story, title = (one_line(str(event.get(n, ""))) for n in ("mode", "story", "title"))
    return status._replace(number=int(event["number"]), mode=mode, story=story, title=title)


def _filed(status: Status, now: float) -> Status:
    """The iteration that is over becomes one of the recent ones."""
    if not status.began:
        return status
    line = f"iteration {status.number}: {task(status)}: {status.latest}"
    recent = (*status.recent, f"{line} ({_since(status.began, now)})")[-MOST_RECENT:]
    return status._replace(recent=recent, began=0.0)


def _started(status: Status, event: Entry, now: float) -> Status:
    return status._replace(phase=WORKING, since=now, last_output=None, flooded=False)


def _output(status: Status, event: Entry, now: float) -> Status:
    return status._replace(last_output=now)


def _ended(status: Status, event: Entry, now: float) -> Status:
    kind, detail = str(event["kind"]), shortened(str(event["detail"]), _LONGEST_END)
    words = kind if kind == endings.OK else f"{kind}, {detail}"
    status = status._replace(phase=JUDGING, since=now, latest=one_line(words))
    cost = None if status.cost is None else status.cost + float(event["charged"])
    return status._replace(cost=cost, estimated=status.estimated or bool(event["estimated"]))


def _outcome(status: Status, event: Entry, now: float) -> Status:
    word = "handed in" if event["event"] == "submitted" else str(event["verdict"])
    told = one_line(f"{event['story']} {word.replace('_', ' ')}")
    return _with_figures(status, event)._replace(latest=f"{status.latest}, {told}")


def _violation(status: Status, event: Entry, now: float) -> Status:
    told = status.latest.endswith(_UNDONE) or not status.latest
    return status if told else status._replace(latest=status.latest + _UNDONE)


def _wait(status: Status, event: Entry, now: float) -> Status:
    end, why = now + float(event["seconds"]), shortened(str(event["why"]), _LONGEST_END)
    return status._replace(phase=WAITING, since=now, wait_end=end, why=one_line(why))


def _paused(status: Status, event: Entry, now: float) -> Status:
    return status._replace(phase=PAUSED, since=now)


def _end(status: Status, event: Entry, now: float) -> Status:
    status = _with_figures(_filed(status, now), event)
    return status._replace(phase=ENDED, since=now, end=event)


def _with_figures(status: Status, event: Entry) -> Status:
    known = {name: event[name] for name in _FIGURES if name in event}
    return status._replace(**{n: v for n, v in known.items() if v is None or type(v) in _NUMBERS})


_CHANGES: Mapping[str, Callable[[Status, Entry, float], Status]] = {
    "run": _run,
    "resumed": _resumed,
    "iteration": _iteration,
    "agent-started": _started,
    "agent": _output,
    "agent-flood": lambda status, event, now: status._replace(flooded=True),
    "agent-ended": _ended,
    "submitted": _outcome,
    "verdict": _outcome,
    "violation": _violation,
    "tasks-rewritten": lambda status, event, now: _with_figures(status, event),
    "wait": _wait,
    "retry": lambda status, event, now: status._replace(phase=STARTING, since=now),
    "paused": _paused,
    "end": _end,
}


def task(status: Status) -> str:
    return f"{status.mode} {status.story}".strip() or "the prompt"


def words(status: Status, now: float) -> tuple[str, list[str]]:
    """The headline, and what stands below it, each to be kept in one piece."""
    try:
        return _headline(status, now), _fields(status, now)
    except (*UNREADABLE, OSError):
        return f"{task(status)}: its journal holds figures that cannot be shown", []


def _headline(status: Status, now: float) -> str:
    if status.phase == WAITING:
        left = _since(now, status.wait_end)
        return f"waiting, {left} left, until {wall_clock(status.wait_end, now)}: {status.why}"
    if status.phase == PAUSED:
        return f"paused for {_since(status.since, now)}: {EDITING}"
    return f"{task(status)}: {status.title}" if status.title else task(status)


def _fields(status: Status, now: float) -> list[str]:
    told: list[str | None] = [
        _at_work(status, now),
        _output_age(status, now),
        f"iteration {status.number} of {status.of}" if status.number else None,
        _stories(status),
        _cost(status),
        f"elapsed {_since(status.start, now)}",
        f"last end: {status.latest}" if status.latest else None,
    ]
    return [field for field in told if field]


def _at_work(status: Status, now: float) -> str:
    if status.phase in (WAITING, PAUSED):
        return f"at {task(status)}"
    return f"{status.phase} {_since(status.since, now)}"


def _output_age(status: Status, now: float) -> str | None:
    if status.phase != WORKING:
        return None
    if status.flooded:
        return "more output than is recorded"
    if status.last_output is None:
        return "no output yet"
    return f"last output {_since(status.last_output, now)} ago"


def _stories(status: Status) -> str | None:
    return None if status.total is None else f"{status.done} of {status.total} stories done"


def _cost(status: Status) -> str | None:
    if status.cost is None:
        return None
    limit = "" if status.budget is None else f" of ${status.budget:.2f}"
    return f"cost {'~' if status.estimated else ''}${status.cost:.2f}{limit}"


def _since(start: float, now: float) -> str:
    """A clock that was set back counts nothing."""
    return span(max(0.0, now - start))


def brief(status: Status, now: float) -> list[str]:
    """What happened so far, for one who comes later."""
    lines = [one_line(f"run {status.run}, since {wall_clock(status.start, now)}")]
    left_out = status.number - len(status.recent) - (status.began > 0)
    if left_out > 0:
        lines.append(f"{counted(left_out, 'iteration')} before")
    now_at = [f"now: {words(status, now)[0]}"] if status.began else []
    return [*lines, *status.recent, *now_at]
