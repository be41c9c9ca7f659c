"""`audit`: /ralph-audit in one headless session, told apart from all others by its id."""

from __future__ import annotations

import argparse
import codecs
import json
import os
import shlex
import shutil
import sys
import time
import uuid

from . import descendants, interrupts, processes, run_options
from .core import audit_file, files, loop_words, session_moves, session_state
from .core.loop_command import AUDIT, OPTIONS, Refused, parse
from .core.own_command import RALPH
from .failure import Failure
from .harmless import harmless
from .plugin_folder import PLUGIN

_MARK = "RALPH_AUDIT"
_EXITS = {
    session_state.AUDIT_COMPLETE: 0,
    session_state.MAX_ITERATIONS_REACHED: 1,
    session_state.STALLED: 3,
    session_state.TIME_LIMIT: 4,
    session_state.CANCELLED: 130,
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-d", "--project-dir", default=".", metavar="PATH", help="project root")
    parser.add_argument("--agent", default="claude", metavar="CMD", help="the client to start")
    parser.add_argument("file", nargs="?", metavar="FILE", help="default: ralph/audit.md")
    for option in OPTIONS:
        parser.add_argument(option, action="append", metavar="VALUE", help="as of /ralph-audit")


def main(options: argparse.Namespace) -> int:
    root = run_options.project_folder(options.project_dir)
    typed = shlex.join(_words(options))
    _expect_audit(root, typed)
    session = str(uuid.uuid4())
    argv = command(options.agent, session, f"/ralph:{AUDIT} {typed}")
    environment = {**os.environ, "RALPH_ACTIVE": "1", _MARK: session}
    job = processes.Job(argv, root, environment, b"", float("inf"))
    interrupts.install()
    descendants.adopt_orphans()
    with interrupts.job("the audit's client"):
        done = processes.run(job, _Shown().take, interrupts.asked, f"{_MARK}={session}")
    return _told(root, session, done)


class _Shown:
    """What the client prints, as it comes; the agent's words command no terminal."""

    def __init__(self) -> None:
        decoder = codecs.getincrementaldecoder("utf-8")
        self._ends = {
            "stdout": (sys.stdout, decoder("replace")),
            "stderr": (sys.stderr, decoder("replace")),
        }

    def take(self, name: str, data: bytes) -> None:
        stream, decoder = self._ends[name]
        try:
            print(harmless(decoder.decode(data)), end="", file=stream, flush=True)
        except OSError:
            # Whoever read it has left: that is no reason to end the audit.
            pass


def _words(options: argparse.Namespace) -> list[str]:
    """As a person would type them behind /ralph-audit."""
    words = [options.file] if options.file else []
    for option in OPTIONS:
        for value in getattr(options, option[2:].replace("-", "_")) or []:
            words += [option, value]
    return words


def command(agent: str, session: str, prompt: str) -> list[str]:
    start = shlex.split(agent)
    if not start or shutil.which(start[0]) is None:
        raise Failure(f"{agent or 'the agent'} is not on PATH", "install it, or name it by --agent")
    settings = {"disableAllHooks": False, "env": {"RALPH_ACTIVE": "1"}}
    return [
        *start,
        *("-p", "--dangerously-skip-permissions"),
        *("--plugin-dir", str(PLUGIN)),
        *("--session-id", session),
        *("--settings", json.dumps(settings)),
        prompt,
    ]


def _expect_audit(root: str, typed: str) -> None:
    """What the hook would refuse is refused before a client is started."""
    try:
        chosen = parse(AUDIT, typed, os.environ)
    except Refused as refusal:
        raise Failure(str(refusal)) from refusal
    read(root, chosen["task"])


def read(root: str, named: str) -> tuple[str, str]:
    """The file that an audit can follow, relative to the project, and its text."""
    path = audit_file.path_below(root, named)
    if not path:
        raise Failure(f"{named} is not below the project {root}", "move the file there")
    try:
        text = audit_file.read(root, path)
    except files.FileFault as missing:
        hint = f"`{RALPH} init --audit` makes one"
        raise Failure(f"{path} {missing.problem}", hint) from missing
    problem, _, fix = audit_file.fault(text).partition("; ")
    if problem:
        raise Failure(f"{path} {problem}", fix)
    return path, text


def _told(root: str, session: str, done: processes.Ended) -> int:
    state = session_state.ended(root, session)
    if state is not None:
        return _how(state)
    left = session_state.read(root, session) if interrupts.asked() else None
    if left is not None:
        return _interrupted(root, left)
    problem = done.problem or f"exit code {done.code}"
    raise Failure(
        f"the client ended before the audit did: {problem}",
        f"its output above says why; claude --resume {session} goes on",
    )


def _how(state: session_state.State) -> int:
    if state["status"] not in _EXITS:
        hint = "its output above says how; free some disk space"
        raise Failure("the audit has ended, but how could not be written", hint)
    print(harmless(loop_words.ending(state, time.time(), state["decisions"][-1]["why"])))
    return _EXITS[state["status"]]


def _interrupted(root: str, state: session_state.State) -> int:
    """Its session is gone and nobody else acts on the state."""
    status = session_state.CANCELLED
    print(harmless(session_moves.end(root, state, status, "interrupted", time.time())))
    return _EXITS[status]
