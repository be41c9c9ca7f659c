"""`status`: is a loop running here, where is it, and how did the last one end?"""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

from . import journal, lock, run_options, state_folder
from .harmless import harmless


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-d", "--project-dir", default=".", metavar="PATH", help="project root")


def main(options: argparse.Namespace) -> int:
    root = run_options.project_folder(options.project_dir)
    owner = lock.owner(state_folder.lock_path(root, os.environ))
    folder = _last_run(state_folder.of_project(root, os.environ))
    print(harmless("\n".join(words(owner, journal.events(folder) if folder else []))))
    return 0


def words(owner: dict[str, Any] | None, events: list[dict[str, Any]]) -> list[str]:
    if owner and owner.get("run") not in {e.get("id") for e in events}:
        return [f"starting: pid {owner['pid']} on {owner['host']}, since {owner['since']}"]
    if not events:
        return ["no loop has run here"]
    run = next((e["id"] for e in events if e["event"] == "run"), "?")
    iterations = [e for e in events if e["event"] == "iteration"]
    end = next((e for e in reversed(events) if e["event"] == "end"), None)
    if owner:
        lines = [f"running: {run}, pid {owner['pid']} on {owner['host']}, since {owner['since']}"]
    elif end:
        lines = [f"{end['status']}: {run} ended {end['time']}: {end['why']}"]
    else:
        lines = [f"killed: {run} left no end; the next start judges its last iteration first"]
    if iterations:
        lines.append(_iteration(iterations[-1]))
    return [*lines, f"last event: {events[-1]['event']} at {events[-1]['time']}"]


def _iteration(event: dict[str, Any]) -> str:
    what = f": {event['mode']} {event['story']}" if event["mode"] else ""
    return f"iteration {event['number']}{what}"


def _last_run(folder: Path) -> Path | None:
    runs = sorted((folder / "runs").glob("*/journal.jsonl"), key=lambda path: path.stat().st_mtime)
    return runs[-1].parent if runs else None
