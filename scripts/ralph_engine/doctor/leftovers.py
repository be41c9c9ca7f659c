"""What loops that are gone left behind: markers, states, locks, words."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from .. import called_loops, checkpoint, git, lock, past_run, session_loops, state_folder
from ..core import files, marker, paths, session_state
from ..core.own_command import RALPH
from ..failure import Failure
from ..ledger import NAME as LEDGER
from ..ledger import Ledger
from .finding import Finding, bad, ok, warn

# No git command of ours or of an agent holds its lock that long.
_STALE_SECONDS = 60.0
_GO_ON = f"`{RALPH} resume` goes on with it, `{RALPH} reset` moves it to a backup"


def examine(root: str, environment: Mapping[str, str]) -> Iterator[Finding]:
    owner = lock.owner(state_folder.lock_path(root, environment))
    if owner:
        yield ok("loop", f"one runs here: pid {owner['pid']}, since {owner['since']}")
    found = [] if owner else [*_of_runs(root, environment)]
    found += [*_of_sessions(root), *_of_called(root), *_of_locks(environment), *_of_git(root)]
    yield from found or [ok("leftovers", "none")]


def _of_runs(root: str, environment: Mapping[str, str]) -> Iterator[Finding]:
    state = state_folder.of_project(root, environment)
    if files.kind(root, paths.MARKER) != "absent":
        known = marker.read(root)
        run = f"run {known['runId'][:80]}" if known and "runId" in known else "an unknown run"
        words = f"{paths.MARKER} of {run} stands, and no loop runs here"
        yield warn("marker", words, f"the next start removes it, or: rm {paths.MARKER}")
    past = past_run.read(state)
    if past and past.killed:
        yield warn("run", f"{past.run_id} was killed", _GO_ON)
    elif past is None and files.kind(str(state), checkpoint.NAME) != "absent":
        words = f"{state / checkpoint.NAME} cannot be used: the last run cannot go on"
        yield warn("run", words, f"{RALPH} reset")
    for path in paths.signals(paths.DEFAULT_RALPH_DIR):
        if files.kind(root, path) != "absent":
            fix = f"`{RALPH} resume` answers it, or: rm {path}"
            yield warn("signal", f"{path} stands: a new run would not start", fix)
    yield from _of_ledger(state)


def _of_ledger(state: Path) -> Iterator[Finding]:
    try:
        ledger = Ledger(state)
    except Failure as failure:
        yield bad("ledger", str(failure), failure.hint)
        return
    if ledger.torn:
        words = f"the last line of {state / LEDGER} was cut off"
        yield warn("ledger", words, "the next start puts that line aside")


def _of_sessions(root: str) -> Iterator[Finding]:
    for session in session_loops.sessions(root):
        path = paths.session_state(session)
        try:
            session_state.read(root, session)
        except session_state.Unusable as fault:
            fix = f"stop once in that session, or: rm {path}"
            yield warn("session", f"{path} cannot be used: it {fault}", fix)


def _of_called(root: str) -> Iterator[Finding]:
    for failure in called_loops.faults(root):
        yield warn("loop state", str(failure), failure.hint)


def _of_locks(environment: Mapping[str, str]) -> Iterator[Finding]:
    """Their runners lost them with their lives: no start is kept from working."""
    folder = state_folder.base(environment) / "locks"
    for word in sorted(folder.glob("*.owner")):
        try:
            held = lock.owner(word.with_suffix(".lock")) is not None
        except Failure as failure:
            yield bad("lock", str(failure), failure.hint)
            continue
        if not held:
            yield warn("lock", f"{word} was left by a runner that was killed", f"rm {word}")


def _of_git(root: str) -> Iterator[Finding]:
    answer = git.ask(root, "rev-parse", "--path-format=absolute", "--git-path", "index.lock")
    try:
        age = time.time() - os.lstat(answer.text).st_mtime
    except OSError:
        return
    if age > _STALE_SECONDS:
        words = f"{answer.text} was left by a git that was killed: no commit can be made"
        yield bad("git lock", words, f"rm {answer.text}")
