"""The real runner as a process whose agents do what a test tells them, one after the other."""

from __future__ import annotations

import json
import os
import select
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from runner.hostile_project import DEADLINE, ENGINE, MARK, HostileProject, end_marked

Json = dict[str, Any]
# Says that it is there, then runs what it is sent, line by line.
AGENT = 'echo here > "$OUTSIDE/up"; exec sh "$OUTSIDE/down"'
GUARDRAIL = "test ! -e broken"
SETTINGS = {"guardrails": [{"command": GUARDRAIL, "failAction": "APPEND"}]}
# The checks of these lists are odd words: none of them may happen to be a program.
PROGRAMS = ("git", "sh", "cp", "rm", "mkdir", "touch")


class DrivenLoop:
    def __init__(self, folder: Path, document: Json, *options: str) -> None:
        self.project = HostileProject(folder)
        self._write(document)
        self._screen = folder / "screen"
        self._up, self._down = (self._fifo(name) for name in ("up", "down"))
        self._programs(folder / "bin")
        words = ["--agent", f"sh -c '{AGENT}'", "--delay", "0s", "--breaker", "0", "-n", "99"]
        self._start("run", *words, *options)

    def agent_comes(self) -> bool:
        """False where the runner ended instead."""
        wakes = select.poll()
        wakes.register(self._up, select.POLLIN)
        wakes.register(self._ended, select.POLLIN)
        ready = [fd for fd, _ in wakes.poll(DEADLINE * 1000)]
        assert ready, f"neither an agent nor an end: {self.screen()}"
        if self._up in ready:
            os.read(self._up, 64)
            return True
        self.runner.wait()
        return False

    def agent_does(self, deeds: str, ending: str) -> None:
        os.write(self._down, f"{deeds}\n{ending}\n".encode())

    def kill_after(self, deeds: str) -> None:
        """SIGKILL to the runner while its agent, which has done these, still lives."""
        self.agent_does(deeds, 'echo done > "$OUTSIDE/up"')
        assert self.agent_comes(), self.screen()
        self.runner.kill()
        self.runner.wait()

    def resume(self) -> None:
        os.close(self._ended)
        self._start("resume")

    def document(self) -> Json:
        return self.project.document()

    def marker(self) -> Json:
        return json.loads((self.project.root / ".ralph-active").read_bytes())

    def events(self) -> list[Json]:
        return self.project.journal()

    def screen(self) -> str:
        return self._screen.read_text(errors="replace")

    def end(self) -> None:
        if self.runner.poll() is None:
            self.runner.kill()
            self.runner.wait()
        for fd in (self._ended, self._up, self._down):
            os.close(fd)
        end_marked(f"{MARK}={self.project.mark}")

    def _start(self, *words: str) -> None:
        with self._screen.open("ab") as screen:
            self.runner = subprocess.Popen(
                [sys.executable, "-I", "-X", "utf8", str(ENGINE), *words],
                cwd=self.project.root,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=screen,
                stderr=screen,
                start_new_session=True,
            )
        self._ended = os.pidfd_open(self.runner.pid)

    def _write(self, document: Json) -> None:
        (self.project.root / "ralph/tasks.json").write_text(json.dumps(document))
        (self.project.root / ".ralph/settings.json").write_text(json.dumps(SETTINGS))
        self.project.git("commit", "-q", "-a", "-m", "plan")

    def _fifo(self, name: str) -> int:
        """Open for both, so that nobody waits for another end, and nobody reads an end of file."""
        os.mkfifo(self.project.outside / name)
        return os.open(self.project.outside / name, os.O_RDWR)

    def _programs(self, folder: Path) -> None:
        folder.mkdir()
        for name in PROGRAMS:
            found = shutil.which(name)
            assert found
            (folder / name).symlink_to(found)
        self._environment = {**self.project.environment, "PATH": str(folder)}
