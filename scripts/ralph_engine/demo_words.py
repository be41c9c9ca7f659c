"""What the demo says: for each event of the journal, and at the end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Callable, NamedTuple

from .core.tasks import Document

Event = dict[str, Any]
OPENING = (
    "Ralph runs an agent again and again, and believes nothing it says.",
    "The agent here is a script; the runner, its checks and git are real.",
)
_OF_CLAUDE = (
    OPENING[0],
    "The agent is your Claude Code {}, with this plugin and its hooks; its model is a script.",
    "It has a home of its own: your key, settings and files are not used, nor is the network.",
)
VERIFY = "verify: all of it once more, without any model"
REPORT = "Each run has a report, as Markdown and as one HTML file (verb: report)"
TITLE, CLAIM, FACT = "title", "claim", "fact"
GOOD, BAD, NEUTRAL = "good", "bad", "neutral"

_VERDICTS = {
    "approved": (GOOD, "approved by a review: in the ledger"),
    "changes_requested": (NEUTRAL, "sent back by a review: in the ledger"),
}
_CAUGHT = {
    "illegal-in-implement": "UNDONE: approving its own work",
    "frozen": "UNDONE: weakening its check",
    "false-promise": "IGNORED: a promise is no evidence",
}


def opening_of_claude(version: str) -> tuple[str, ...]:
    return tuple(line.format(version) for line in _OF_CLAUDE)


class Line(NamedTuple):
    kind: str
    text: str
    tone: str = NEUTRAL


class Figures(NamedTuple):
    iterations: int
    claims: int
    checks: int
    reviews: int
    sent_back: int
    undone: int
    promises: int
    done: int
    believed: int


class Words:
    """Knows the stories by the list that the demo began with."""

    def __init__(self, document: Document) -> None:
        stories = document["userStories"]
        self._titles = {story["id"]: story["title"] for story in stories}
        self._checked = {check: s["id"] for s in stories for check in s["verify"]}
        self._makers: Mapping[str, Callable[[Event], Line | None]] = {
            "iteration": self._iteration,
            "agent": _claim,
            "submitted": lambda event: Line(FACT, "handed in: now a review must agree"),
            "verdict": _verdict,
            "violation": _caught,
            "notice": _caught,
            "tasks-rewritten": lambda event: Line(FACT, "the task list is put back, committed"),
            "check": self._check,
            "end": lambda event: Line(FACT, event["why"], BAD if event["code"] else GOOD),
        }

    def line(self, event: Event) -> Line | None:
        make = self._makers.get(event["event"])
        return make(event) if make else None

    def _iteration(self, event: Event) -> Line:
        title = self._titles.get(event["story"], "")
        return Line(TITLE, f"{event['number']}  {event['mode']} {event['story']}: {title}")

    def _check(self, event: Event) -> Line:
        story = self._checked.get(event["command"], "the project")
        tone = BAD if event["code"] else GOOD
        return Line(FACT, f"ran the check of {story}: exit {event['code']}", tone)


def _claim(event: Event) -> Line | None:
    return Line(CLAIM, event["text"]) if event["kind"] == "text" else None


def _caught(event: Event) -> Line:
    return Line(FACT, _CAUGHT.get(event["rule"]) or event["text"], BAD)


def _verdict(event: Event) -> Line:
    tone, text = _VERDICTS[event["verdict"]]
    return Line(FACT, text, tone)


def figures(events: list[Event], after: Document) -> Figures:
    """`after` is the list at the end: done in it, but never approved by a review, is believed."""
    verdicts = [event for event in events if event["event"] == "verdict"]
    approved = {event["story"] for event in verdicts if event["verdict"] == "approved"}
    done = {story["id"] for story in after["userStories"] if story["passes"]}
    return Figures(
        iterations=_count(events, "iteration"),
        claims=sum(event.get("kind") == "text" for event in events),
        checks=_count(events, "check"),
        reviews=len(verdicts),
        sent_back=sum(event["verdict"] == "changes_requested" for event in verdicts),
        undone=_count(events, "violation"),
        promises=sum(event.get("rule") == "false-promise" for event in events),
        done=len(done),
        believed=len(done - approved),
    )


def closing(seen: Figures) -> list[str]:
    return [
        f"Claims by the agent: {seen.claims}, believed: {seen.believed}."
        f" Edits undone: {seen.undone}. False promises: {seen.promises}.",
        f"Stories done: {seen.done} in {seen.iterations} iterations, on {seen.reviews} reviews"
        f" ({seen.sent_back} sent back) and {seen.checks} checks.",
    ]


def _count(events: list[Event], name: str) -> int:
    return sum(event["event"] == name for event in events)
