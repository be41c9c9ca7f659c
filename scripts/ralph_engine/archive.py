"""`archive`: puts plan, log and report of a loop away, commits them, and leaves fresh templates."""

from __future__ import annotations

import argparse
import os
import re
import sys
import unicodedata
from datetime import date
from pathlib import Path
from typing import NamedTuple

from . import (
    archive_commit,
    archive_move,
    archive_summary,
    check,
    checkpoint,
    git,
    interrupts,
    journal,
    lock,
    own_checks,
    past_run,
    report_files,
    run_options,
    running_loop,
    starter,
    state_folder,
)
from .archive_commit import Interrupted
from .archive_move import Place, Plan
from .core import files, paths, shape
from .core.own_command import RALPH
from .core.tasks import Document
from .failure import Failure
from .fresh_files import NAMES, is_fresh
from .harmless import harmless
from .reports.facts import Facts
from .stops import INTERRUPTED

_KNOWN = "archived-runs"
_KNOWN_LIMIT = 16 * 1024 * 1024
# A name has 255 bytes at most: four for a character, the date, and a number where it is taken.
_LONGEST_NAME = 55


class _Loop(NamedTuple):
    """What is to be archived; of its runs the newest is the last."""

    document: Document
    old: dict[str, bytes]
    runs: list[Facts]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    run_options.add_project_argument(parser)
    parser.add_argument(
        "--ralph-dir", default=paths.DEFAULT_RALPH_DIR, metavar="PATH", help="below the project"
    )
    parser.add_argument("--label", metavar="LABEL", help="names it instead of the branch")


def main(options: argparse.Namespace) -> int:
    interrupts.install()
    root = run_options.project_folder(options.project_dir)
    place = Place(root, run_options.ralph_folder(options.ralph_dir))
    if running_loop.is_running(root):
        raise Failure("a loop runs in this folder", f"let it end, or {RALPH} cancel, then archive")
    try:
        with lock.held(state_folder.lock_path(root, os.environ)):
            print(harmless(_archive(place, options.label)))
        print(harmless(_next(place.folder)), file=sys.stderr)
    except Interrupted:
        print("ralph: interrupted; everything is as it was", file=sys.stderr)
        return INTERRUPTED
    finally:
        interrupts.finish()
    return 0


def _next(folder: str) -> str:
    if folder != paths.DEFAULT_RALPH_DIR:
        return f"next: write the next plan into {folder}/"
    return f"next: {RALPH} init --name NEXT names the next feature, then /ralph-plan plans it"


def _archive(place: Place, label: str | None) -> str:
    root = place.root
    _refuse_repository(root)
    state = state_folder.of_project(root, os.environ)
    _refuse_open(past_run.read(state))
    _refuse_others_place(place)
    if archive_move.put_back(place):
        told = f"an archive was cut off here: its files are back in {place.folder}/"
        print(harmless(told), file=sys.stderr)
    loop = _read(place, state)
    today = date.today()
    target = _free(root, _name(label, loop.document, today))
    plan = Plan(loop.old, _new(root, today), _added(loop, today))
    commit = archive_commit.put_away(place, plan, target)
    _close(state, [run.run for run in loop.runs])
    done = archive_summary.stories_done(loop.document)
    return f"archived to {target} ({done} stories done), committed as {commit[:12]}"


def _refuse_repository(root: str) -> None:
    if git.ask(root, "rev-parse", "--is-inside-work-tree").text != "true":
        raise Failure(f"{root} is not in a git repository", "git init, then archive again")
    if not git.branch(root):
        raise Failure(
            "HEAD is detached: the commit of an archive would belong to no branch",
            "git switch to a branch, then archive again",
        )
    unfinished = git.unfinished(root)
    if unfinished:
        raise Failure(
            f"git is in the middle of something ({unfinished})", "finish it, then archive again"
        )


def _refuse_open(past: past_run.PastRun | None) -> None:
    """Whoever went on with that run later would take the fresh list for its agent's deed."""
    if past and past.known["list"] and (past.killed or past.unjudged):
        raise Failure(
            f"run {past.run_id} was cut off and its last iteration is not judged",
            f"{RALPH} resume goes on with it, {RALPH} reset gives it up; then archive again",
        )


def _refuse_others_place(place: Place) -> None:
    root = place.root
    if files.kind(root, paths.ARCHIVE) not in ("absent", "folder"):
        raise Failure(f"{paths.ARCHIVE} is no folder", "move it away, then archive again")
    wanted = [f"{paths.ARCHIVE}/x/{name}" for name in (*NAMES, *archive_move.ADDED)]
    wanted += map(place.own, NAMES)
    ignored = [p for p in git.untracked(root, wanted) if git.is_ignored(root, p)]
    if ignored:
        raise Failure(
            f"git ignores {ignored[0].replace('/x/', '/*/')}, so it cannot be archived",
            "take it out of .gitignore, then archive again",
        )


def _read(place: Place, state: Path) -> _Loop:
    root, folder = place
    old = {}
    for name in NAMES:
        try:
            old[name] = files.read_bytes(root, place.own(name), archive_move.LIMIT)
        except files.Missing:
            continue
    if not old:
        default = folder == paths.DEFAULT_RALPH_DIR
        hint = f"{RALPH} init makes one" if default else "--ralph-dir names the folder of a plan"
        raise Failure(f"nothing to archive: {folder}/ holds no plan", hint)
    if all(is_fresh(name, data) for name, data in old.items()):
        hint = _uncommitted_hint(place) or "/ralph-plan writes a plan"
        raise Failure(f"nothing to archive: {folder}/ holds only fresh templates", hint)
    document, faults = check.read(root, place.own("tasks.json"))
    if document is None:
        raise Failure(shape.sentence(faults[0]), "correct it, then archive again")
    return _Loop(document, old, _runs(state, document))


def _uncommitted_hint(place: Place) -> str:
    """Killed between the move and the commit: all of it is there."""
    left = git.ask(place.root, "status", "--porcelain", "--", paths.ARCHIVE).lines
    if not left:
        return ""
    own = " ".join(map(place.own, NAMES))
    return f"the last archive is not committed: git add {paths.ARCHIVE} {own}, then git commit"


def _runs(state: Path, document: Document) -> list[Facts]:
    """Those of this plan; what an earlier archive holds is not told again."""
    folders = sorted(path.parent for path in (state / "runs").glob(f"*/{journal.NAME}"))
    told = _archived(state)
    found = [report_files.facts_of(folder) for folder in folders if folder.name not in told]
    return [facts for facts in found if facts.branch == document["branchName"]]


def _archived(state: Path) -> set[str]:
    try:
        data = files.read_bytes(str(state), _KNOWN, _KNOWN_LIMIT)
    except files.FileFault:
        return set()
    return set(data.decode("utf-8", "replace").split())


def _name(label: str | None, document: Document, today: date) -> str:
    text = document["branchName"] if label is None else label
    plain = re.sub(r"[^\w.]+", "-", unicodedata.normalize("NFC", text))[:_LONGEST_NAME]
    plain = plain.strip("-.")
    if not plain:
        raise Failure(f"--label is {shape.shown(text)}", "give it a letter or a digit")
    return f"{today.isoformat()}-{plain}"


def _free(root: str, name: str) -> str:
    number, target = 1, f"{paths.ARCHIVE}/{name}"
    while files.kind(root, target) != "absent":
        number += 1
        target = f"{paths.ARCHIVE}/{name}-{number}"
    return target


def _new(root: str, today: date) -> dict[str, bytes]:
    """Named as `init` alone does: what comes next is another feature than what is put away."""
    name = harmless(os.path.basename(root)) or "project"
    made = starter.contents(
        name, today, commands=own_checks.of(root), own_branch=_free_branch(root, name)
    )
    return {name: made[f"{paths.DEFAULT_RALPH_DIR}/{name}"].encode("utf-8") for name in NAMES}


def _free_branch(root: str, name: str) -> str:
    """The name of an old branch would lead the next feature onto it."""
    number, wanted = 1, starter.branch(name)
    while git.has_branch(root, starter.BRANCHES + wanted):
        number += 1
        wanted = f"{starter.branch(name)}-{number}"
    return wanted


def _added(loop: _Loop, today: date) -> dict[str, bytes]:
    texts = [archive_summary.write(loop.document, loop.runs, today.isoformat())]
    texts += report_files.compose(loop.runs[-1]) if loop.runs else ()
    return {name: text.encode("utf-8") for name, text in zip(archive_move.ADDED, texts)}


def _close(state: Path, names: list[str]) -> None:
    """These runs are over: nothing takes them up again, no later archive tells of them."""
    for name in names:
        files.append(str(state), _KNOWN, f"{name}\n".encode(), 0o600)
    known = checkpoint.read(state)
    if known and known["run"] in names:
        files.move(str(state), checkpoint.NAME, f"archived/{known['run']}-{checkpoint.NAME}")
