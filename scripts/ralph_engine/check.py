"""`check`: every fault of the task list with its place and fix, and the iteration budget."""

from __future__ import annotations

import argparse
import json
import os
from collections import Counter
from typing import Any

from . import budget, run_options, schema, starter
from .core import files, paths, review, shape, strict_json, tasks
from .core.counted import counted
from .core.shape import Fault
from .harmless import harmless

_STATES = {
    review.TO_DO: "to do",
    review.WAITING: "waiting for review",
    review.REJECTED: "changes requested",
    review.APPROVED: "done",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-d", "--project-dir", default=".", metavar="PATH", help="project root")
    parser.add_argument(
        "--ralph-dir", default=paths.DEFAULT_RALPH_DIR, metavar="PATH", help="below the project"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout")


def main(options: argparse.Namespace) -> int:
    root = run_options.project_folder(options.project_dir)
    path = paths.tasks(run_options.ralph_folder(options.ralph_dir))
    limit = budget.limit_from(os.environ)
    document, found = judge(root, path)
    found += [_entry(path, "", message) for message in unwritten(document, path)]
    answer = {"file": path, "valid": not found, "faults": found, **_counts(document, limit)}
    print(json.dumps(answer, indent=2) if options.json else harmless(_words(answer)))
    return 2 if found else 0


def judge(root: str, path: str) -> tuple[tasks.Document | None, list[dict[str, str]]]:
    """Checks 1 and 2; no document where it fails the first."""
    document, faults = read(root, path)
    if document is None:
        return None, [_entry(f.place, f.story, shape.sentence(f)) for f in faults]
    places = {s["id"]: f"userStories[{i}]" for i, s in enumerate(document["userStories"])}
    broken = review.invariants(document, {})
    return document, [_entry(places[v.story], v.story, v.message) for v in broken]


def unwritten(document: tasks.Document | None, path: str) -> list[str]:
    """A valid list on which no run starts."""
    if document and starter.untouched_list(document):
        return [f"{path} is still the starter; write your stories with /ralph-plan"]
    return []


def states(document: tasks.Document) -> dict[str, int]:
    counted = Counter(_STATES[story["reviewStatus"]] for story in document["userStories"])
    return {word: counted[word] for word in _STATES.values()}


def tally(states: dict[str, int]) -> str:
    return ", ".join(f"{number} {word}" for word, number in states.items() if number)


def read(root: str, path: str) -> tuple[tasks.Document | None, list[Fault]]:
    """Check 1: the document, or None and all its faults."""
    try:
        document = strict_json.parse(files.read_bytes(root, path, tasks.SIZE_LIMIT))
    except files.FileFault as fault:
        return None, [Fault(path, "", fault.problem, fault.fix)]
    except strict_json.NotJson as error:
        return None, [tasks.unreadable(path, error)]
    found = schema.task_faults(document, path)
    return (None if found else document), found


def _entry(place: str, story: str, message: str) -> dict[str, str]:
    return {"place": place, "story": story, "message": message}


def _counts(document: tasks.Document | None, limit: int) -> dict[str, Any]:
    if document is None:
        return {}
    counts = {"total": len(document["userStories"]), **states(document)}
    return {"stories": counts, "budget": budget.of(document, limit)._asdict()}


def _words(answer: dict[str, Any]) -> str:
    if not answer["valid"]:
        return _complaint(answer["file"], [fault["message"] for fault in answer["faults"]])
    counts = dict(answer["stories"])
    total = counts.pop("total")
    head = f"{answer['file']}: no faults; {counted(total, 'story', 'stories')}"
    head += f": {tally(counts)}" if total else ""
    return f"{head}\nbudget: {budget.sentence(budget.Budget(**answer['budget']))}"


def _complaint(path: str, messages: list[str]) -> str:
    shown = [f"  {message}" for message in messages[: tasks.SHOWN_FAULTS]]
    more = len(messages) - len(shown)
    rest = [f"  ... and {more} more (--json lists all)"] if more else []
    number = counted(len(messages), "fault")
    return "\n".join([f"{path}: {number}", *shown, *rest])
