"""`reset`: takes what a loop left behind out of the way, into a backup; never the ledger."""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

from . import (
    ask,
    called_loops,
    checkpoint,
    lock,
    past_run,
    recover,
    run_options,
    running_loop,
    session_loops,
    state_folder,
)
from .core import files, paths
from .core.own_command import RALPH
from .failure import Failure
from .harmless import harmless

_IN_PROJECT = (
    *(paths.MARKER, ".ralph/sessions", ".ralph/blocks", paths.HOOK_EVENTS),
    *(paths.ROUTER_STATE, paths.TDD_STATE),
)
_IN_STATE = (checkpoint.NAME, "requests")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    run_options.add_project_argument(parser)
    parser.add_argument("--yes", action="store_true", help="do not ask")


def main(options: argparse.Namespace) -> int:
    root = run_options.project_folder(options.project_dir)
    state = state_folder.of_project(root, os.environ)
    past = past_run.read(state)
    if past:
        running_loop.refuse_its_agent(past.run_id)
    session_loops.refuse_its_agent(root, os.environ)
    if running_loop.is_running(root):
        raise Failure("a loop runs in this folder", f"{RALPH} cancel first")
    with lock.held(state_folder.lock_path(root, os.environ)):
        return _reset(root, state, options.yes)


def _reset(root: str, state: Path, agreed: bool) -> int:
    found = _found(Path(root), _IN_PROJECT) + _found(state, _IN_STATE)
    if not found:
        print("nothing to reset")
        return 0
    for line in [*session_loops.lines(root), *called_loops.lines(root)]:
        print(f"ends with this: {line}", file=sys.stderr)
    question = f"Move {', '.join(str(path) for path in found)} to a backup?"
    if not (agreed or ask.yes(question)):
        raise Failure(f"not reset: {', '.join(str(path) for path in found)}", "--yes answers yes")
    recover.end_newest_orphans(state)
    print(harmless(f"moved to {_back_up(root, state)}; the ledger stays"))
    return 0


def _found(folder: Path, names: tuple[str, ...]) -> list[Path]:
    return [folder / name for name in names if os.path.lexists(folder / name)]


def _back_up(root: str, state: Path) -> Path:
    """Each half stays on its own disk: a move must not become a copy."""
    stamp = f"reset-{time.strftime('%Y%m%d-%H%M%S')}-{os.urandom(2).hex()}"
    for folder, names, target in (
        (root, _IN_PROJECT, f"{paths.DOT_FOLDER}/{stamp}"),
        (str(state), _IN_STATE, stamp),
    ):
        for name in names:
            if files.kind(folder, name) != "absent":
                files.move(folder, name, f"{target}/{name.rpartition('/')[2]}")
                print(harmless(f"{name} -> {target}"), file=sys.stderr)
    return Path(root) / paths.DOT_FOLDER / stamp
