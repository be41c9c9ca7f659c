"""`verify`: what each story rests on, checked again without any model."""

from __future__ import annotations

import argparse
import os
import uuid

from . import (
    approvals,
    check,
    descendants,
    evidence,
    git,
    run_confinement,
    run_options,
    settings,
    state_folder,
)
from .checks import Check, Runner, distinct
from .core import clean_tree, paths, shape
from .core.counted import counted
from .core.own_command import RALPH
from .core.tasks import Document, Story
from .failure import Failure
from .harmless import harmless
from .ledger import Ledger

_STANDING = {
    approvals.APPROVED: "approved by the review of {reviewed}",
    approvals.TRUSTED: "trusted by a person at {reviewed}, not seen by the runner",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-d", "--project-dir", default=".", metavar="PATH", help="project root")
    parser.add_argument(
        "--ralph-dir", default=paths.DEFAULT_RALPH_DIR, metavar="PATH", help="below the project"
    )


def main(options: argparse.Namespace) -> int:
    root = run_options.project_folder(options.project_dir)
    folder = run_options.ralph_folder(options.ralph_dir)
    document = _document(root, folder)
    ledger = Ledger(state_folder.of_project(root, os.environ))
    head = git.head(root)
    behind = approvals.standing(
        ledger.entries, document, lambda old: git.is_ancestor(root, old, head)
    )
    unwritten = check.unwritten(document, paths.tasks(folder))
    open_points = [(False, words) for words in unwritten] or [
        _story_line(story, behind.get(story["id"]), _before(ledger, story, document))
        for story in document["userStories"]
    ]
    open_points += [_tree_line(root, folder), *_check_lines(root, folder, document)]
    for good, line in open_points:
        print(harmless(f"{'ok  ' if good else 'OPEN'} {line}"))
    return 0 if all(good for good, _ in open_points) else 1


def _document(root: str, folder: str) -> Document:
    document, faults = check.read(root, paths.tasks(folder))
    if document is None:
        raise Failure("; ".join(shape.sentence(fault) for fault in faults[:3]), f"{RALPH} check")
    return document


def _before(ledger: Ledger, story: Story, document: Document) -> str:
    known = evidence.before_work(ledger.entries, story, document["branchName"])
    if known is None:
        return ""
    if known["passed"]:
        return "; its verify passed before any work: proves nothing"
    return f"; its verify failed before the work, at {known['head'][:12]}"


def _story_line(story: Story, entry: approvals.Entry | None, before: str) -> tuple[bool, str]:
    name = f"{story['id']} {story['title']}"
    if not story["passes"]:
        return False, f"{name}: not done ({story['reviewStatus'] or 'to do'})"
    if entry is None:
        return False, f"{name}: passes, but no review in the ledger stands behind it"
    words = _STANDING[entry["event"]].format(reviewed=entry["reviewed"][:12])
    if approvals.is_at_cap(story):
        words = f"accepted at cap by the review of {entry['reviewed'][:12]}, not verified"
    count = story["reviewCount"]
    return True, f"{name}: {words} ({counted(count, 'review')}){before}"


def _tree_line(root: str, folder: str) -> tuple[bool, str]:
    tree = clean_tree.look(root, folder, {})
    left = tree.uncommitted if tree.known else [".git (git status fails)"]
    if not left:
        return True, f"the tree is committed at {git.head(root)[:12]}"
    return False, f"not committed: {', '.join(left[:10])}"


def _check_lines(root: str, folder: str, document: Document) -> list[tuple[bool, str]]:
    chosen = settings.read(root, os.environ, {})
    commands = [*document.get("verifyCommands", [])]
    commands += [c for story in document["userStories"] for c in story.get("verify", [])]
    wanted = [Check(g.command, g.fail_action, g.hint, g.timeout) for g in chosen.guardrails]
    wanted += [Check(command) for command in commands]
    if not wanted:
        return [(True, "no checks configured")]
    descendants.adopt_orphans()
    with run_confinement.of_verb(root, folder, chosen) as confinement:
        limit = chosen.output_truncate_chars
        runner = Runner(root, f"verify-{uuid.uuid4()}", limit, lambda: False, confinement)
        results = [runner.run(one, 0) for one in distinct(wanted)]
    return [(r.passed, f"{r.check.command}: exit code {r.code} (log: {r.log})") for r in results]
