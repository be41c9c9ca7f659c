"""What hints tell a person to type works as it stands there."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from ralph_engine import link
from ralph_engine.core import own_command

REPOSITORY = Path(__file__).resolve().parents[2]
LAUNCHER = str(REPOSITORY / "scripts" / "ralph.sh")
SOMEBODY_ELSES = b"#!/bin/sh\necho not ours\n"


def program(folder: Path, content: bytes, mode: int = 0o755) -> str:
    folder.mkdir()
    (folder / "ralph").write_bytes(content)
    (folder / "ralph").chmod(mode)
    return str(folder)


def test_where_it_is_linked_it_is_ralph(tmp_path: Path) -> None:
    linked = program(tmp_path / "bin", link.launcher(str(REPOSITORY)))
    assert own_command.typed({"PATH": f"/nowhere::{linked}"}) == "ralph"


def test_elsewhere_it_is_the_path_of_the_launcher(tmp_path: Path) -> None:
    linked = program(tmp_path / "bin", link.launcher(str(REPOSITORY)))
    other = program(tmp_path / "other", SOMEBODY_ELSES)
    dead = program(tmp_path / "dead", link.launcher(str(REPOSITORY)), 0o644)
    assert own_command.typed({}) == LAUNCHER
    assert own_command.typed({"PATH": f"{other}:{linked}"}) == LAUNCHER
    assert own_command.typed({"PATH": dead}) == LAUNCHER
    assert own_command.typed({"PATH": f"{dead}:{linked}"}) == "ralph"


def test_a_path_that_a_shell_would_take_apart_is_quoted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_command, "_LAUNCHER", "/it's mine/scripts/x/../ralph.sh")
    assert own_command.typed({}) == "'/it'\"'\"'s mine/scripts/ralph.sh'"


def test_a_shell_starts_what_a_hint_names(tmp_path: Path) -> None:
    environment = {**os.environ, "PATH": "/usr/bin:/bin"}
    options = {"cwd": tmp_path, "env": environment, "text": True, "capture_output": True}
    refused = subprocess.run([LAUNCHER, "report"], **options, timeout=120)
    [hint] = [line for line in refused.stderr.splitlines() if line.startswith("hint: ")]
    command = hint[len("hint: ") :].partition(" run starts one")[0]
    done = subprocess.run(f"{command} --version", shell=True, **options, timeout=120)
    assert done.returncode == 0, done.stderr
