"""status and reset, seen from outside, where same-session loops run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hooks.session_loop import Session
from hooks.starting import SESSION

ENGINE = Path(__file__).resolve().parents[2] / "scripts" / "ralph_engine" / "__main__.py"
OTHER = "5e551011-0000-4000-8000-000000000002"


@pytest.fixture
def session(tmp_path: Path) -> Session:
    session = Session(tmp_path)
    session.typed("ralph-loop", "Fix it")
    session.stops("not yet")
    return session


def verb(session: Session, *words: str, **added: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-I", str(ENGINE), *words],
        cwd=session.root,
        env={"PATH": os.environ["PATH"], "HOME": str(session.place.tmp / "home"), **added},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_status_tells_every_kind_of_loop(session: Session) -> None:
    session.place.write("ralph/audit.md", "Look.")
    session.typed("ralph-audit", "", session=OTHER)
    session.typed("ralph-pause", session=OTHER)
    done = verb(session, "status")
    runner, *loops = done.stdout.splitlines()
    assert (done.returncode, done.stderr, runner) == (0, "", "no loop has run here")
    assert len(loops) == 2
    assert loops[0].startswith(f"ralph-loop ACTIVE: session {SESSION}, since ")
    assert "iteration 1 of 25, last decision: blocked at " in loops[0]
    assert loops[1].startswith(f"ralph-audit PAUSED: session {OTHER}, since ")
    assert loops[1].endswith("next: /ralph-resume or /cancel-ralph in that session")


def test_reset_asks_tells_what_runs_and_keeps_a_backup(session: Session) -> None:
    before = session.state
    asked = verb(session, "reset")
    assert asked.returncode == 2 and "hint: --yes answers yes" in asked.stderr
    assert asked.stderr.startswith(f"ends with this: ralph-loop ACTIVE: session {SESSION}, since ")
    assert session.state == before
    assert verb(session, "reset", "--yes").returncode == 0
    [kept] = session.root.glob(f".ralph/reset-*/sessions/{SESSION}.json")
    assert json.loads(kept.read_text()) == before
    assert session.stops("The loop is gone.") == {}
    assert verb(session, "status").stdout == "no loop has run here\n"


def test_no_agent_resets_its_own_loop(session: Session) -> None:
    before = session.state
    refused = verb(session, "reset", "--yes", CLAUDE_CODE_SESSION_ID=SESSION)
    assert refused.returncode == 2
    assert "this session's own loop is calling: only a person may do that" in refused.stderr
    assert session.state == before
    assert verb(session, "reset", "--yes", CLAUDE_CODE_SESSION_ID=OTHER).returncode == 0
