"""Calls a verb as the agent of a loop does: in this process, or as one that goes on meanwhile."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from ralph_engine.__main__ import main

ENGINE = Path(__file__).resolve().parents[2] / "scripts" / "ralph_engine" / "__main__.py"
SECONDS = 60


class Said(NamedTuple):
    code: int
    out: str
    err: str


class Caller:
    """A project of its own; `root` is where the verbs are called."""

    def __init__(
        self, folder: Path, verb: str, path: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        self.root, self.verb, self.capsys = folder / "project", verb, capsys
        self.root.mkdir()
        self.state_folder = folder / "state"
        self.path = self.root / path

    def __call__(self, *words: str) -> Said:
        # Put back, as this process is not only the verb's.
        kept = signal.getsignal(signal.SIGTERM)
        try:
            code = main([self.verb, "-d", str(self.root), *words])
        finally:
            signal.signal(signal.SIGTERM, kept)
        return Said(code, *self.capsys.readouterr())

    def refused(self, *words: str) -> str:
        """What is said on stderr where nothing was done: exit code 2, no data."""
        before = self.path.read_bytes() if self.path.is_file() else None
        said = self(*words)
        assert (said.code, said.out) == (2, ""), said
        assert (self.path.read_bytes() if self.path.is_file() else None) == before
        return said.err

    def start(self, *words: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-I", "-X", "utf8", str(ENGINE), self.verb, *words],
            cwd=self.root,
            env={
                "PATH": os.environ["PATH"],
                "HOME": str(self.root.parent),
                "XDG_STATE_HOME": str(self.state_folder),
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def other(self, verb: str, *words: str) -> Said:
        """Another verb of the same project."""
        own, self.verb = self.verb, verb
        try:
            return self(*words)
        finally:
            self.verb = own

    @property
    def state(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.path.read_text())
        return found


def ended(process: subprocess.Popen[str]) -> Said:
    out, err = process.communicate(timeout=SECONDS)
    return Said(process.returncode, out, err)


def gone(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return True
    return state in "ZX"


# What can stand where a state should be: how it comes there, and what is said of it.
BROKEN: dict[str, tuple[Any, str]] = {
    "no JSON": (lambda path: path.write_text("{"), "is not valid JSON"),
    "empty": (lambda path: path.write_text(""), "is not valid JSON"),
    "not UTF-8": (lambda path: path.write_bytes(b'{"\xff": 1}'), "is not UTF-8"),
    "a list": (lambda path: path.write_text("[]"), "is a list of 0; make it an object"),
    "nested": (lambda path: path.write_text("[" * 100_000), "is nested too deeply"),
    "an object": (lambda path: path.write_text("{}"), ": version is missing; add it: 1"),
    "huge": (lambda path: os.truncate(_made(path), 64 * 1024 * 1024 + 1), "is larger than"),
    "a folder": (lambda path: path.mkdir(), "is a directory"),
    "a link": (lambda path: path.symlink_to("elsewhere"), "is reached through a link"),
    "a FIFO": (lambda path: os.mkfifo(path), "is not a regular file"),
}


def _made(path: Path) -> Path:
    path.touch()
    return path


def break_with(path: Path, damage: Any) -> None:
    path.parent.mkdir(exist_ok=True)
    damage(path)
