"""What a person should look at, the most pressing first."""

from __future__ import annotations

from ..core.counted import counted
from . import events, proofs
from .events import Event
from .facts import Facts, last_checks
from .words import duration, short, tally

_LONGEST = 240
_MOST = 20


def a_person(facts: Facts) -> list[str]:
    return [
        *_stopped(facts),
        *_claimed(facts),
        *_at_cap(facts),
        *_unseen(facts),
        *_undone(facts),
        *_proves_nothing(facts),
        *_tests_changed(facts),
        *_each(facts, "blocker", "A blocker, in the agent's words: {text}"),
        *_red(facts),
        *_each(facts, "flaky", "A flaky check, which failed once and then passed: {command}"),
        *_each(facts, "scm-failed", "The scm task {task} failed: {why}"),
        *_uncommitted(facts),
        *_left_running(facts),
        *_waits(facts),
        *_torn(facts),
    ]


def _stopped(facts: Facts) -> list[str]:
    if facts.ending.status != "stopped":
        return []
    return [f"The loop waits for you: {short(facts.ending.why, _LONGEST)}"]


def _claimed(facts: Facts) -> list[str]:
    if facts.ending.status != "complete" or facts.stories or last_checks(facts):
        return []
    return ["The completion is the agent's claim: no check is configured, so look at the work"]


def _at_cap(facts: Facts) -> list[str]:
    found = [story.listed for story in facts.stories if story.listed.at_cap]
    return [
        f"{short(s.name, 40)} was accepted at the cap, after {counted(s.reviews, 'review')}:"
        " not verified, its reviewFeedback says what remains"
        for s in found[:_MOST]
    ] + _more(len(found))


def _unseen(facts: Facts) -> list[str]:
    names = [short(story.listed.name, 40) for story in facts.stories if story.trusted]
    if not names:
        return []
    return [f"Approved on a person's word, seen by no review here: {_some(names)}"]


def _undone(facts: Facts) -> list[str]:
    found = events.of(facts.events, "violation")
    if not found:
        return []
    rules = ", ".join(tally(short(event.text("rule"), 60) for event in found))
    where = f".ralph/runs/{facts.run}/undone-*"
    return [f"{counted(len(found), 'edit')} undone: {rules}; the agent's versions are {where}"]


def _proves_nothing(facts: Facts) -> list[str]:
    names = [short(name, 40) for name in proofs.proves_nothing(facts.events)]
    if not names:
        return []
    return [f"The verify passed before any work, so it proves nothing: {_some(names)}"]


def _tests_changed(facts: Facts) -> list[str]:
    found = proofs.findings(facts.events)
    return [
        f"Tests or checks changed in iteration {finding.number}: {finding.words}"
        for finding in found[:_MOST]
    ] + _more(len(found))


def _red(facts: Facts) -> list[str]:
    red = [check for check in last_checks(facts) if check.code != 0]
    return [
        f"Red when it last ran: {short(check.command, 100)}"
        f" ({'no exit code' if check.code is None else f'exit code {check.code}'},"
        f" log: {short(check.log, 120)})"
        for check in red[:_MOST]
    ] + _more(len(red))


def _uncommitted(facts: Facts) -> list[str]:
    rewritten = events.of(facts.events, "tasks-rewritten")
    left = [event.text("uncommitted") for event in rewritten if event.text("uncommitted")]
    return [f"A repair of the task list was {short(left[-1], _LONGEST)}"] if left else []


def _left_running(facts: Facts) -> list[str]:
    found = events.of(facts.events, "left-running")
    pids = [str(pid) for event in found for pid in event.items("pids") if isinstance(pid, int)]
    return [f"Processes that could not be ended: {_some(pids)}"] if pids else []


def _waits(facts: Facts) -> list[str]:
    waits = events.of(facts.events, "wait")
    if not waits:
        return []
    causes = ", ".join(tally(short(event.text("why"), 100) for event in waits))
    return [f"{counted(len(waits), 'wait')}, {duration(facts.waited)} in all: {causes}"]


def _torn(facts: Facts) -> list[str]:
    if not facts.torn:
        return []
    verb = "is" if facts.torn == 1 else "are"
    return [f"{counted(facts.torn, 'line')} of the journal cannot be read and {verb} left out here"]


def _each(facts: Facts, kind: str, words: str) -> list[str]:
    told = tally(_filled(event, words) for event in events.of(facts.events, kind))
    return told[:_MOST] + _more(len(told))


def _filled(event: Event, words: str) -> str:
    names = ("text", "command", "task", "why")
    return words.format_map({name: short(event.text(name), _LONGEST) for name in names})


def _some(names: list[str]) -> str:
    shown = ", ".join(names[:_MOST])
    return shown if len(names) <= _MOST else f"{shown} and {len(names) - _MOST} more"


def _more(number: int) -> list[str]:
    return [f"... and {number - _MOST} more of this kind"] if number > _MOST else []
