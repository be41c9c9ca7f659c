"""A loop whose agent is confined: the real runner, bwrap and client, for root and for others."""

from __future__ import annotations

import base64
import os
import shutil
from pathlib import Path
from typing import Any

from another_user import ROOT, runs_as
from e2e.claude_client import client_path
from e2e.loop_project import shell
from e2e.runner_life import Life
from ralph_engine.scripted_model import Turn


class ConfinedLife(Life):
    """The project lies below the home, and the client too."""

    def __init__(self, folder: Path, *names: str, user: str = ROOT, **options: Any) -> None:
        home = folder / "home"
        super().__init__(home / "work", *names, **options)
        self.home, self.state = home, home / ".local" / "state"
        self.changes = {"IS_SANDBOX": None, "XDG_STATE_HOME": None}
        self._user = user
        self.agent = str(_linked(client_path(), home / ".local" / "share" / "claude"))
        (self._folder / "scratch").mkdir()

    def begin(self) -> str:
        start = super().begin()
        self.around = runs_as(self._user, self.home)
        return start

    def git(self, *arguments: str) -> str:
        return super().git("-c", "safe.directory=*", *arguments)

    def _version(self, stories: list[dict[str, Any]], message: str, before: str) -> Turn:
        """In the command itself: nothing outside the project is there to be copied."""
        self.stories = stories
        text = base64.b64encode(self._list().encode()).decode()
        command = f"{before} && echo {text} | base64 -d > ralph/tasks.json"
        commit = f" && git add -A && git commit -qm '{message}'"
        return shell(command + (commit if message else ""))


def _linked(program: Path, folder: Path) -> Path:
    """Behind a link, as the client's own installer puts it."""
    folder.mkdir(parents=True)
    real, link = folder / "2.1.0", folder.parents[1] / "bin" / "claude"
    try:
        os.link(program, real)
    except OSError:
        shutil.copy(program, real)
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(real)
    return link
