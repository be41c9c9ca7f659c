"""`status`: is a loop running here, where is it, and how did the last one end?"""

from __future__ import annotations

import argparse
import os
from typing import Any

from . import journal, lock, past_run, run_options, session_loops, state_folder
from .harmless import harmless

# What a loop that lives is at, by the last step it wrote down.
_LIVING = {"paused": "paused", "wait": "waiting"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-d", "--project-dir", default=".", metavar="PATH", help="project root")


def main(options: argparse.Namespace) -> int:
    root = run_options.project_folder(options.project_dir)
    owner = lock.owner(state_folder.lock_path(root, os.environ))
    folder = journal.newest(state_folder.of_project(root, os.environ))
    own = words(owner, journal.steps(folder).events if folder else [])
    print(harmless("\n".join([*own, *session_loops.lines(root)])))
    return 0


def words(owner: dict[str, Any] | None, events: list[dict[str, Any]]) -> list[str]:
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
    elif end:
        lines = [f"{end['status']}: {run} ended {end['time']}: {end['why']}"]
    else:
        lines = [f"killed: {run} left no end; ralph.sh resume goes on with it"]
    if iterations:
        lines.append(_iteration(iterations[-1]))
    return [*lines, f"last step: {events[-1]['event']} at {events[-1]['time']}"]


def _iteration(event: dict[str, Any]) -> str:
    what = f": {event['mode']} {event['story']}" if event["mode"] else ""
    return f"iteration {event['number']}{what}"
