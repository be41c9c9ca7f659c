"""What a journal tells: pure, so that the same journal always tells the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from . import events
from .events import Event
from .listed import Listed, after_each, left

PAUSED, WAITING, UNFINISHED = "paused", "waiting", "unfinished"
APPROVED = "approved"
_ALIVE = {"paused": PAUSED, "wait": WAITING}


class Check(NamedTuple):
    command: str
    code: int | None
    log: str


class Cost(NamedTuple):
    """`known`: the agent told a figure at least once; `estimated`: not always."""

    usd: float
    known: bool
    estimated: bool


class Iteration(NamedTuple):
    """`left` are the stories to be done after it; None where there is no list."""

    number: int
    mode: str
    story: str
    begun: str
    seconds: float
    waited: float
    cost: Cost
    endings: list[Event]
    answer: str
    claimed: bool
    submitted: str
    passed: str
    verdict: str
    split: bool
    undone: list[Event]
    notices: list[Event]
    checks: list[Check]
    head: str
    left: int | None

    @property
    def on(self) -> str:
        """The agent may have taken another story than the picked one."""
        return self.submitted or self.passed or self.story


class Story(NamedTuple):
    listed: Listed
    trusted: bool
    iterations: int
    seconds: float
    cost: Cost
    commit: str


class Ending(NamedTuple):
    status: str
    why: str
    hint: str


class Facts(NamedTuple):
    run: str
    goal: str
    project: str
    branch: str
    head: str
    begun: str
    last: str
    seconds: float
    waited: float
    cost: Cost
    ending: Ending
    left_at_start: int
    stories: list[Story]
    iterations: list[Iteration]
    events: list[Event]
    torn: int


def gather(run: str, found: Iterable[dict[str, Any]], torn: int) -> Facts:
    told = events.timed(found)
    lists = after_each(told)
    starts = events.of(told, "run", "resumed")
    begin = starts[0] if starts else Event("run", told[0].time if told else "", 0.0, False, {})
    iterations = [_iteration(told[a:b], left(lists[b - 1])) for a, b in _spans(told)]
    return Facts(
        run=run,
        goal=begin.text("goal"),
        project=begin.text("project"),
        branch=begin.text("branch"),
        head=begin.text("head"),
        begun=begin.time,
        last=told[-1].time if told else "",
        seconds=sum(event.gap for event in told),
        waited=sum(event.gap for event in told if event.waited),
        cost=_cost(told),
        ending=_ending(told),
        left_at_start=next((left(stories) or 0 for stories in lists if stories), 0),
        stories=_stories(told, lists, iterations),
        iterations=iterations,
        events=told,
        torn=torn,
    )


def last_checks(facts: Facts) -> list[Check]:
    """How each command ended the last time, in the order of their first run."""
    return list({c.command: c for c in _checks(facts.events)}.values())


def _spans(told: Sequence[Event]) -> Iterator[tuple[int, int]]:
    """Of each iteration, with what follows it."""
    starts = [place for place, event in enumerate(told) if event.kind == "iteration"]
    return zip(starts, [*starts[1:], len(told)])


def _iteration(span: Sequence[Event], left: int | None) -> Iteration:
    own = _own(span)
    return Iteration(
        number=own[0].count("number"),
        mode=own[0].text("mode"),
        story=own[0].text("story"),
        begun=own[0].time,
        # Its first gap is the pause before it.
        seconds=sum(event.gap for event in own[1:]),
        waited=sum(event.gap for event in own[1:] if event.waited),
        cost=_cost(own),
        endings=events.of(own, "agent-ended"),
        answer=_last(own, "agent-ended", "answer"),
        claimed=bool(events.of(own, "claimed")),
        submitted=_last(own, "submitted", "story"),
        passed=_last(own, "passed", "story"),
        verdict=_last(own, "verdict", "verdict"),
        split=bool(events.of(own, "split")),
        undone=events.of(own, "violation"),
        notices=events.of(own, "notice"),
        checks=_checks(own),
        head=_last(own, "iteration-ended", "head"),
        left=left,
    )


def _last(own: Sequence[Event], kind: str, name: str) -> str:
    event = events.last(own, kind)
    return event.text(name) if event else ""


def _own(span: Sequence[Event]) -> Sequence[Event]:
    for place, event in enumerate(span):
        if event.kind == "iteration-ended":
            return span[: place + 1]
    return span


def _checks(told: Sequence[Event]) -> list[Check]:
    found = []
    for event in events.of(told, "check"):
        code = event.number("code")
        exit_code = None if code is None else int(code)
        found.append(Check(event.text("command"), exit_code, event.text("log")))
    return found


def _cost(told: Sequence[Event]) -> Cost:
    ended = events.of(told, "agent-ended")
    usd = sum(event.number("charged") or 0.0 for event in ended)
    known = any(event.number("cost") is not None for event in ended)
    return Cost(usd, known, any(event.flag("estimated") for event in ended))


def _ending(told: Sequence[Event]) -> Ending:
    """A journal cannot tell a loop that runs from one that was killed."""
    end = events.last(told, "run", "resumed", "end")
    if end and end.kind == "end":
        return Ending(end.text("status"), end.text("why"), end.text("hint"))
    last = told[-1] if told else None
    return Ending(_ALIVE.get(last.kind if last else "", UNFINISHED), "", "")


def _stories(
    told: Sequence[Event], lists: list[dict[str, Listed]], iterations: list[Iteration]
) -> list[Story]:
    approved = {e.text("story"): e for e in events.of(told, "verdict") if _approves(e)}
    trusted = {e.text("story") for e in events.of(told, "trusted")} - set(approved)
    passed = _passed(told, lists)
    found = []
    for name, listed in (lists[-1] if lists else {}).items():
        own = [one for one in iterations if one.on == name]
        cost = Cost(
            sum(one.cost.usd for one in own),
            any(one.cost.known for one in own),
            any(one.cost.estimated for one in own),
        )
        commit = approved[name].text("reviewed") if name in approved else passed.get(name, "")
        seconds = sum(one.seconds for one in own)
        commit = commit if listed.passes else ""
        found.append(Story(listed, name in trusted, len(own), seconds, cost, commit))
    return found


def _approves(event: Event) -> bool:
    return event.text("verdict") == APPROVED


def _passed(told: Sequence[Event], lists: list[dict[str, Listed]]) -> dict[str, str]:
    """The commit at the end of the iteration that left a story done, for runs without reviews."""
    found: dict[str, str] = {}
    before: dict[str, Listed] = {}
    for event, now in zip(told, lists):
        if event.kind == "iteration-ended":
            new = [n for n, s in now.items() if s.passes and not (n in before and before[n].passes)]
            found.update(dict.fromkeys(new, event.text("head")))
        before = now
    return found
