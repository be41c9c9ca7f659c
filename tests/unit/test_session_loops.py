"""The lines about same-session loops that a person is shown."""

from __future__ import annotations

import json
from pathlib import Path

from hooks.starting import SESSION, a_loop
from ralph_engine import session_loops


def write(root: Path, name: str, state: object) -> None:
    folder = root / ".ralph" / "sessions"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.json").write_text(json.dumps(state))


def test_no_loop_no_line(tmp_path: Path) -> None:
    assert session_loops.lines(str(tmp_path)) == []


def test_a_loop_is_told_in_one_line(tmp_path: Path) -> None:
    decision = {"time": "T", "iteration": 2, "decision": "blocked", "why": "no\npromise"}
    write(tmp_path, SESSION, a_loop(iteration=2, decisions=[decision]))
    [line] = session_loops.lines(str(tmp_path))
    assert line.startswith(f"ralph-loop ACTIVE: session {SESSION}, since 2026-01-01T00:00:00Z, ")
    assert "iteration 2 of 25, last decision: blocked at T (no" in line
    assert line.endswith("next: it goes on by itself; /cancel-ralph in that session ends it")
    assert "\n" not in line


def test_a_held_loop_says_how_to_go_on(tmp_path: Path) -> None:
    write(tmp_path, SESSION, a_loop(status="PAUSED"))
    [line] = session_loops.lines(str(tmp_path))
    assert "last decision: none yet; next: /ralph-resume or /cancel-ralph" in line


def test_a_broken_file_is_named_and_left(tmp_path: Path) -> None:
    write(tmp_path, SESSION, {})
    write(tmp_path, "..x", {})
    [line] = session_loops.lines(str(tmp_path))
    assert line.startswith(f".ralph/sessions/{SESSION}.json cannot be used: it version is missing")
    assert (tmp_path / ".ralph" / "sessions" / f"{SESSION}.json").exists()
