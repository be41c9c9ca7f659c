"""`status`: is a loop running here, where is it, and how did the last one end?"""

from __future__ import annotations

import argparse
import os
from typing import Any

from . import (
    called_loops,
    hook_events,
    journal,
    lock,
    past_run,
    run_options,
    session_loops,
    state_folder,
)
from .core.own_command import RALPH
from .harmless import harmless
from .reports import proofs
from .reports.events import timed

# What a loop that lives is at, by the last step it wrote down.
_LIVING = {"paused": "paused", "wait": "waiting"}
_NEXT = {
    "running": f"{RALPH} watch follows it, {RALPH} cancel ends it",
    "waiting": f"it goes on by itself; {RALPH} cancel ends it",
    "paused": f"{RALPH} resume goes on, {RALPH} cancel ends it",
}
Event = dict[str, Any]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-d", "--project-dir", default=".", metavar="PATH", help="project root")


def main(options: argparse.Namespace) -> int:
    root = run_options.project_folder(options.project_dir)
    owner = lock.owner(state_folder.lock_path(root, os.environ))
    folder = journal.newest(state_folder.of_project(root, os.environ))
    can_resume = past_run.read(state_folder.of_project(root, os.environ)) is not None
    own = words(owner, journal.steps(folder).events if folder else [], can_resume)
    print(harmless("\n".join([*own, *session_loops.lines(root), *called_loops.lines(root)])))
    return 0


def words(owner: Event | None, events: list[Event], can_resume: bool) -> list[str]:
    """Which run, since when, how far, the last step, what comes next."""
    if owner and owner.get("run") not in {e.get("id") for e in events}:
        return [f"starting: pid {owner['pid']} on {owner['host']}, since {owner['since']}"]
    if not events:
        return ["no loop has run here"]
    run = next((e["id"] for e in events if e["event"] == "run"), "?")
    iterations = [e for e in events if e["event"] == "iteration"]
    end = past_run.last_end(events)
    if owner:
        word = _LIVING.get(events[-1]["event"], "running")
        lines = [f"{word}: {run}, pid {owner['pid']} on {owner['host']}, since {owner['since']}"]
        following = _NEXT[word]
    elif end:
        lines = [f"{end['status']}: {run} ended {end['time']}: {end['why']}"]
        following = (end.get("hint") if can_resume else "") or f"{RALPH} run starts a new one"
    else:
        lines = [f"killed: {run} left no end"]
        following = f"{RALPH} {'resume goes on with it' if can_resume else 'run starts a new one'}"
    lines += [_iteration(event) for event in iterations[-1:]]
    lines += [*_hooks(events), *_evidence(events)]
    lines.append(f"last step: {events[-1]['event']} at {events[-1]['time']}")
    return [*lines, f"next: {following}"]


def _hooks(events: list[Event]) -> list[str]:
    told = hook_events.counted_in([str(e.get("what")) for e in events if e["event"] == "hook"])
    return [f"hooks: {told}"] if told else []


def _evidence(events: list[Event]) -> list[str]:
    """What is known of the checks themselves."""
    told = timed(events)
    empty, changed = proofs.proves_nothing(told), proofs.findings(told)
    lines = [f"proves nothing: the verify of {', '.join(empty)}"] if empty else []
    if changed:
        lines.append(f"tests or checks changed: {len(changed)}, the last: {changed[-1].words}")
    return lines


def _iteration(event: Event) -> str:
    what = f": {event['mode']} {event['story']}" if event["mode"] else ""
    most = f" of {event['of']}" if "of" in event else ""
    return f"iteration {event['number']}{most}{what}"
