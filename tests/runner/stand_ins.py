"""Stand-ins for `docker` and `sbx` on a PATH without the real ones, and a project beside them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from ralph_engine.sandboxes.machine import name_of
from runner.hostile_project import ENGINE, MARK, REPOSITORY, HostileProject, end_marked

PROGRAMS = REPOSITORY / "tests" / "fixtures" / "microvm"
SECONDS = 60


class Programs:
    """`sbx` or `docker`, whichever are asked for; `program` is the first of them."""

    def __init__(self, folder: Path, *programs: str) -> None:
        self.program = programs[0] if programs else ""
        self.home, self._bin = folder / "stand-in", folder / "bin"
        self.home.mkdir()
        self._bin.mkdir()
        (self.home / "faults").touch()
        self.shell_rc({})
        for name in programs:
            program = self._bin / name
            program.write_text(f'#!/bin/sh\nexec {sys.executable} -I {PROGRAMS}/{name}.py "$@"\n')
            program.chmod(0o755)
        self._hide_real_ones()
        self.env = {"PATH": str(self._bin), "STAND_IN": str(self.home)}

    def _hide_real_ones(self) -> None:
        """All that is on PATH, but for what would be a sandbox or is there as a stand-in."""
        for folder in os.environ["PATH"].split(os.pathsep):
            for program in Path(folder).glob("*"):
                if program.name in ("docker", "sbx") or (self._bin / program.name).exists():
                    continue
                (self._bin / program.name).symlink_to(program)

    @property
    def words(self) -> list[str]:
        """What its calls begin with."""
        return ["sbx"] if self.program == "sbx" else ["docker", "sandbox"]

    def shell_rc(self, variables: dict[str, str]) -> None:
        """What every program inside has in its environment."""
        (self.home / "rc").write_text(json.dumps(variables))

    def faults(self, *names: str) -> None:
        (self.home / "faults").write_text("\n".join(names))

    def without(self, program: str) -> None:
        (self._bin / program).unlink()

    def calls(self) -> list[list[str]]:
        """Each with its program first."""
        log = (self.home / "log").read_text() if (self.home / "log").exists() else ""
        return [call.split("\0")[:-1] for call in log.split("\x1d\n")[:-1]]

    def called(self, *words: str) -> list[list[str]]:
        return [call for call in self.calls() if call[: len(words)] == list(words)]

    def machines(self, program: str) -> list[str]:
        return sorted(path.parent.name for path in self.home.glob(f"{program}/*/status"))


class StandIns(Programs):
    """With a small project, on which the real runner works."""

    def __init__(self, folder: Path, *programs: str) -> None:
        super().__init__(folder, *programs)
        self.project = HostileProject(folder)
        self.shell_rc({MARK: self.project.mark})
        self.env["IS_SANDBOX"] = ""

    @property
    def name(self) -> str:
        return name_of(str(self.project.root))

    def settings(self, **sandbox: object) -> None:
        path = self.project.root / ".ralph" / "settings.json"
        path.write_text(json.dumps({"sandbox": sandbox}))

    def without_checks(self) -> None:
        """Each would take seconds where a copy has to settle."""
        document = self.project.document()
        stories = [{**story, "verify": []} for story in document["userStories"]]
        text = json.dumps({**document, "verifyCommands": [], "userStories": stories})
        (self.project.root / "ralph" / "tasks.json").write_text(text)
        self.project.git("commit", "-q", "-am", "No checks")

    def agent(self, program: str, *words: str) -> str:
        """In the project, where it is inside, too; out of git's sight."""
        shutil.copy(program, self.project.root / ".ralph" / Path(program).name)
        return " ".join(["python3", f".ralph/{Path(program).name}", *words])

    def verb(self, *words: str, root: Path | None = None) -> subprocess.CompletedProcess[str]:
        try:
            return subprocess.run(
                [sys.executable, "-I", "-X", "utf8", str(ENGINE), *words],
                cwd=root or self.project.root,
                env={**self.project.environment, **self.env},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=SECONDS,
            )
        finally:
            end_marked(f"{MARK}={self.project.mark}")
