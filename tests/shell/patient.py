"""A healthy project and home, and what doctor says of them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from runner.hostile_project import ENGINE, REPOSITORY, HostileProject

TOOLS = ("git", "sh", "bwrap", "true")
BASE = os.path.realpath(getattr(sys, "_base_executable", "") or sys.executable)
SECONDS = 120


class Line(NamedTuple):
    grade: str
    text: str
    fix: str


class Patient:
    """With an agent of its own and no CLI on PATH: no client is started."""

    def __init__(self, folder: Path) -> None:
        self.project, self.tools = HostileProject(folder), folder / "tools"
        self.root, self.home, self.state = self.project.root, self.project.home, self.project.state
        self.tools.mkdir()
        for name in TOOLS:
            (self.tools / name).symlink_to(str(shutil.which(name)))
        self.settings(agent={"command": "sh"})
        self.pinned = self.home / ".cache" / "ralph" / "hooks.env"
        self.pinned.parent.mkdir(parents=True)
        shfmt = self.program("shfmt-stand-in", "exit 0")
        self.pinned.write_text(f"{BASE}\n{shfmt}\n")

    def settings(self, **settings: object) -> None:
        (self.root / ".ralph" / "settings.local.json").write_text(json.dumps(settings))

    def program(self, name: str, text: str) -> Path:
        """A stand-in, found before the real one."""
        path = self.tools / name
        path.unlink(missing_ok=True)
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
        return path

    def plugin(self, name: str = "plugin") -> Path:
        """A copy of this plugin, to be broken."""
        copy = self.project.outside / name
        for folder in ("scripts", "templates", ".claude-plugin", "hooks", "skills"):
            shutil.copytree(REPOSITORY / folder, copy / folder)
        return copy

    def run(
        self,
        *options: str,
        inside: Sequence[str] = (),
        plugin: Path = REPOSITORY,
        **env: str | None,
    ) -> subprocess.CompletedProcess[str]:
        engine = plugin / ENGINE.relative_to(REPOSITORY)
        added = {**self.project.environment, "PATH": str(self.tools), **env}
        return subprocess.run(
            [*inside, sys.executable, "-I", "-X", "utf8", str(engine), "doctor", *options],
            cwd=self.root,
            env={name: value for name, value in added.items() if value is not None},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )

    def examined(
        self, *, inside: Sequence[str] = (), plugin: Path = REPOSITORY, **env: str | None
    ) -> list[Line]:
        done = self.run(inside=inside, plugin=plugin, **env)
        assert done.stderr == "", done
        *told, last = done.stdout.splitlines()
        found = lines(told)
        troubles = sum(line.grade != "ok" for line in found)
        assert done.returncode == (1 if troubles else 0), done
        assert last == f"{troubles or 'no'} thing{'' if troubles == 1 else 's'} to put right"
        return found

    def troubles(
        self, *, inside: Sequence[str] = (), plugin: Path = REPOSITORY, **env: str | None
    ) -> list[Line]:
        found = self.examined(inside=inside, plugin=plugin, **env)
        return [line for line in found if line.grade != "ok"]


def lines(told: list[str]) -> list[Line]:
    found: list[Line] = []
    for line in told:
        if line.startswith("      fix: "):
            found[-1] = found[-1]._replace(fix=line[len("      fix: ") :])
        else:
            grade, text = line[:5].strip(), line[6:]
            assert grade in ("ok", "warn", "bad"), line
            found.append(Line(grade, text, ""))
    assert all(bool(line.fix) == (line.grade != "ok") for line in found), found
    return found
