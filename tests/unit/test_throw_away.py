"""A trial's folder goes with the next trial where its own was killed; no other folder does."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest
from ralph_engine import throw_away


def test_only_folders_whose_holders_are_gone_are_swept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    dead, alive, never_held = (throw_away.make("demo") for _ in range(3))
    another = throw_away.make("doctor")
    held = throw_away.hold(alive)
    for folder in (dead, another):
        os.close(throw_away.hold(folder))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    os.close(throw_away.hold(str(elsewhere)))
    (tmp_path / "ralph-demo-link").symlink_to(elsewhere)
    before = set(os.listdir(tmp_path))
    throw_away.sweep("demo")
    assert before - set(os.listdir(tmp_path)) == {os.path.basename(dead)}
    assert (elsewhere / "alive.lock").exists() and os.path.isdir(never_held)
    os.close(held)
    throw_away.sweep("demo")
    assert not os.path.exists(alive)
