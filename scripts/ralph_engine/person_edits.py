"""What a person changed while the loop stood: taken as the new truth, shown and recorded."""

from __future__ import annotations

from . import approvals, check, git
from .core import clean_tree, files, fingerprint, review, tasks
from .core.own_command import RALPH
from .core.tasks import Document, Story
from .failure import Failure
from .frozen_files import FrozenFiles
from .run_state import Run


def take(run: Run, tree: dict[str, str]) -> None:
    """`tree` is what was uncommitted when the loop came to stand."""
    run.frozen = FrozenFiles(run.root, run.ralph_dir)
    run.baseline.update(_changed_since(run, tree))
    if run.document:
        _take_list(run)


def uncommitted(run: Run) -> dict[str, str]:
    names = clean_tree.look(run.root, run.ralph_dir, {}).uncommitted
    return {name: fingerprint.of(run.root, name) for name in names}


def readable(root: str, path: str) -> Document:
    """The list, or a Failure that names its faults."""
    document, faults = check.judge(root, path)
    if document is None or faults:
        words = "; ".join(fault["message"] for fault in faults[:3])
        raise Failure(words, f"correct it, then {RALPH} resume again")
    return document


def difference(before: Document, after: Document) -> list[str]:
    old = {story["id"]: story for story in before["userStories"]}
    new = {story["id"]: story for story in after["userStories"]}
    lines = [f"{name} added" for name in new if name not in old]
    lines += [f"{name} removed" for name in old if name not in new]
    for name in (name for name in new if name in old and new[name] != old[name]):
        lines.append(f"{name}: {', '.join(_fields(old[name], new[name]))} changed")
    rest = [{k: v for k, v in d.items() if k != "userStories"} for d in (before, after)]
    return lines + [f"{key} changed" for key in _fields(*rest)]


def _fields(old: Story, new: Story) -> list[str]:
    return [key for key in {**old, **new} if old.get(key) != new.get(key)]


def _changed_since(run: Run, tree: dict[str, str]) -> dict[str, str]:
    return {name: word for name, word in uncommitted(run).items() if tree.get(name) != word}


def _take_list(run: Run) -> None:
    data = files.read_bytes(run.root, run.tasks_path, tasks.SIZE_LIMIT)
    before, after = run.document, readable(run.root, run.tasks_path)
    if before == after:
        return
    lines = difference(before, after)
    run.journal.write("person-edit", changes=lines)
    run.take_list(after, data)
    _stand_behind(run, before)


def _stand_behind(run: Run, before: Document) -> None:
    """A person's approval is trusted; one whose criteria a person changed is reviewed again."""
    old = {story["id"]: story for story in before["userStories"]}
    again = []
    for story in run.document["userStories"]:
        if story["reviewStatus"] != review.APPROVED:
            continue
        if old.get(story["id"], {}).get("reviewStatus") != review.APPROVED:
            approvals.trust(run.ledger, story, run.branch, git.head(run.root), run.run_id)
            run.journal.write("trusted", story=story["id"])
        elif not approvals.same_frozen(old[story["id"]], story):
            again.append(story["id"])
    if again:
        run.rewrite(approvals.sent_back(run.document, again), f"review again: {', '.join(again)}")
