"""Each event of a journal as the lines that a person reads, whoever shows them."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any, Callable

from . import hook_events
from .agents import endings
from .agents.events import from_json
from .core import shape
from .harmless import harmless, one_line
from .line_view import BAD, GOOD, PLAIN, QUIET, TITLE, Line, Output, View, span
from .redact import redacted_words
from .stops import last_word

Entry = Mapping[str, Any]
# What a journal that somebody altered can make of a value.
UNREADABLE = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
EDITING = "nothing runs, editing is safe; `resume` goes on"
_MOST_FINDINGS = 5
_VERDICTS = {
    "approved": ("approved by its review", GOOD),
    "changes_requested": ("sent back by its review", PLAIN),
}


class EventLines:
    """Remembers the tools of the agent that is at work; `output`: how much of theirs is shown."""

    def __init__(self, output: Output, with_agent: bool = True) -> None:
        self._output, self._with_agent = output, with_agent
        self._agent = View(output)

    def of(self, event: Entry) -> list[Line]:
        try:
            return self._lines(event)
        except UNREADABLE:
            return [Line(one_line(f"an event that cannot be shown: {event['event']}"), BAD)]

    def _lines(self, event: Entry) -> list[Line]:
        name = event["event"]
        if name == "agent":
            shown = self._agent.lines(from_json(event))
            return shown if self._with_agent else []
        if name == "agent-started":
            self._agent = View(self._output)
        figures = self._agent.last() if name == "agent-ended" else []
        make = _MAKERS.get(name)
        told = [Line(one_line(text), tone) for text, tone in make(event)] if make else []
        return [*(figures if self._with_agent else []), *told]


def ending(end: Entry) -> str:
    """The last word of a run, as it says it itself."""
    why, status = harmless(str(end.get("why"))), harmless(str(end.get("status")))
    return last_word(end.get("code"), status, why)


Told = list[tuple[str, str]]


def _iteration(event: Entry) -> Told:
    what = f": {event['mode']} {event['story']}" if event["mode"] else ""
    return [(f"iteration {event['number']} of {event['of']}{what}", TITLE)]


def _agent_ended(event: Entry) -> Told:
    if event["kind"] == endings.OK:
        return []
    return [(f"agent {event['kind']}: {' '.join(str(event['detail']).split())}", BAD)]


def _left_running(event: Entry) -> Told:
    return [(f"these processes cannot be ended: {', '.join(map(str, event['pids']))}", BAD)]


def _check(event: Entry) -> Told:
    code = event["code"]
    word = "passed" if code == 0 else f"failed ({code}), {event['action']}"
    return [(f"check {event['command']}: {word}", GOOD if code == 0 else BAD)]


def _violation(event: Entry) -> Told:
    kept = event.get("kept")
    return [(f"undone: {event['text']}" + (f"; that version is in {kept}" if kept else ""), BAD)]


def _rewritten(event: Entry) -> Told:
    left = event["uncommitted"]
    return [(f"{event['path']}: {event['why']}" + (f" ({left})" if left else ""), PLAIN)]


def _edited(event: Entry) -> Told:
    words = "edited while the loop stood"
    return [(f"{words}: {shape.name_shown(change)}", PLAIN) for change in event["changes"]]


def _verdict(event: Entry) -> Told:
    words, tone = _VERDICTS[event["verdict"]]
    return [(f"{event['story']} is {words}", tone)]


def _before_work(event: Entry) -> Told:
    name = event["story"]
    if "run" in event:
        # The run that saw it has said so.
        return []
    if event["passed"]:
        return [(f"the verify of {name} passes before any work on it: it proves nothing", BAD)]
    return [(f"the verify of {name} fails before the work on it, as it should", GOOD)]


def _tests_changed(event: Entry) -> Told:
    found = [f"{f['file']}: {f['kind']}, {f['what']}" for f in event["findings"]]
    more = int(event["all"]) - len(found[:_MOST_FINDINGS])
    told = [(f"tests or checks changed: {text}", BAD) for text in found[:_MOST_FINDINGS]]
    return told + ([(f"... and {more} more", BAD)] if more > 0 else [])


def _wait(event: Entry) -> Told:
    seconds = span(event["seconds"])
    return [(f"waiting until {event['until']} ({seconds}): {event['why']}", PLAIN)]


def _fallback(event: Entry) -> Told:
    who = f"{event['command']} stands in for {event['of']} until {event['until']}"
    return [(f"{who}: {event['why']}", PLAIN)]


def _scm(event: Entry) -> Told:
    words = shlex.join(redacted_words(event["argv"]))
    return [(f"scm: {words}: done", GOOD)] if event["code"] == 0 else []


def _hook(event: Entry) -> Told:
    what = event["what"]
    if what == hook_events.DENIED:
        return [(f"hook: the guard denied {event['tool']} (rule {event['rule']})", BAD)]
    if what == hook_events.EXHAUSTED:
        words = f"hook: the agent may stop after too many refusals ({event['group']})"
        return [(f"{words}; the runner judges", BAD)]
    return [(f"hook: the agent may not stop yet ({event['group']})", PLAIN)]


_MAKERS: Mapping[str, Callable[[Entry], Told]] = {
    "iteration": _iteration,
    "agent-flood": lambda event: [(event["text"], QUIET)],
    "agent-ended": _agent_ended,
    "left-running": _left_running,
    "hook": _hook,
    "check": _check,
    "violation": _violation,
    "notice": lambda event: [(event["text"], BAD)],
    "tasks-rewritten": _rewritten,
    "person-edit": _edited,
    "submitted": lambda event: [(f"{event['story']} is handed in: now a review must agree", GOOD)],
    "verdict": _verdict,
    "verify-before": _before_work,
    "tests-changed": _tests_changed,
    "wait": _wait,
    "fallback": _fallback,
    "retry": lambda event: [(f"try {event['number'] + 1} of this iteration", PLAIN)],
    "told": lambda event: [(f"told the agent: {event['text']}", PLAIN)],
    "paused": lambda event: [(f"paused: {EDITING}", PLAIN)],
    # A run that was taken up has said so already.
    "resumed": lambda event: [] if "id" in event else [("resumed", PLAIN)],
    "scm": _scm,
    "scm-failed": lambda event: [(f"scm: {event['task']} failed: {event['why']}", BAD)],
    "flaky": lambda event: [(f"flaky: {event['command']} failed once and then passed", BAD)],
    "sign": lambda event: [(f"put up a Sign in {event['path']}: {event['name']}", PLAIN)],
}
