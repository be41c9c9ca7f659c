"""`audit`: /ralph-audit in one headless session, told apart from all others by its id."""

from __future__ import annotations

import argparse
import json
import os
import shlex
import shutil
import subprocess
import time
import uuid

from . import run_options
from .core import audit_file, files, loop_words, session_state
from .core.loop_command import AUDIT, OPTIONS, Refused, parse
from .failure import Failure
from .harmless import harmless
from .plugin_folder import PLUGIN

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
    code = subprocess.call(
        command(options.agent, session, f"/ralph:{AUDIT} {typed}"),
        cwd=root,
        env={**os.environ, "RALPH_ACTIVE": "1"},
        stdin=subprocess.DEVNULL,
    )
    return _told(root, session, code)


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
    path = audit_file.path_below(root, chosen["task"])
    if not path:
        raise Failure(f"{chosen['task']} is not below the project {root}", "move the file there")
    try:
        audit_file.read(root, path)
    except files.FileFault as fault:
        raise Failure(f"{path} {fault.problem}", "`ralph.sh init --audit` makes one") from fault


def _told(root: str, session: str, code: int) -> int:
    state = session_state.ended(root, session)
    if state is None:
        raise Failure(
            f"the client ended with exit code {code} before the audit did",
            "its output above says why",
        )
    why = state["decisions"][-1]["why"]
    print(harmless(loop_words.ending(state, time.time(), why)))
    return _EXITS[state["status"]]
