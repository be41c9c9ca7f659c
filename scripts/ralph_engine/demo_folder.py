"""The demo's folder: a small project under git and a state of its own, apart from the user's."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from datetime import date
from pathlib import Path

from . import starter
from .core import files, paths
from .failure import Failure

PROJECT = "greeter"
LIST = Path(__file__).resolve().parent / "demo_project" / "tasks.json"
# GIT_DIR and its kin would lead the agent's commits into another repository.
_LEFT_OUT = ("CLAUDE", "RALPH", "GIT_")
_SECONDS = 20


def environment(folder: str, users: Mapping[str, str]) -> dict[str, str]:
    """The user's, without what would reach the user's own things."""
    kept = {name: value for name, value in users.items() if not name.startswith(_LEFT_OUT)}
    who = {f"GIT_{role}_NAME": "Demo agent" for role in ("AUTHOR", "COMMITTER")}
    mail = {f"GIT_{role}_EMAIL": "demo@localhost" for role in ("AUTHOR", "COMMITTER")}
    own = {
        "XDG_STATE_HOME": os.path.join(folder, "state"),
        "XDG_CONFIG_HOME": os.path.join(folder, "config"),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
    }
    return {**kept, **who, **mail, **own}


def make_project(folder: str, environment: Mapping[str, str]) -> None:
    """What `init` makes, with two stories, committed."""
    made = starter.contents(PROJECT, date.today())
    made[paths.tasks(paths.DEFAULT_RALPH_DIR)] = LIST.read_text(encoding="utf-8")
    made[".gitignore"] = paths.MARKER + "\n"
    for path, text in made.items():
        files.replace_bytes(folder, f"{PROJECT}/{path}", text.encode("utf-8"))
    for words in (
        ["init", "-q"],
        # Upkeep in the background would still write while the folder is removed.
        ["config", "maintenance.auto", "false"],
        ["config", "gc.auto", "0"],
        ["config", "commit.gpgsign", "false"],
        ["add", "-A"],
        ["commit", "-q", "-m", "Plan a Ralph loop"],
    ):
        _git(os.path.join(folder, PROJECT), environment, words)


def _git(project: str, environment: Mapping[str, str], words: list[str]) -> None:
    done = subprocess.run(
        ["git", *words],
        cwd=project,
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        timeout=_SECONDS,
        # Ctrl-C is for us: we end when git has ended.
        start_new_session=True,
    )
    if done.returncode:
        why = done.stderr.decode("utf-8", "replace").strip().replace("\n", "; ")
        raise Failure(f"git {words[0]} failed in the demo's folder: {why}")
