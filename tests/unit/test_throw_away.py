"""A trial's folder goes with the next trial where its own was killed; no other folder does."""

from __future__ import annotations

import os
import subprocess
import sys
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


# Root may write everywhere, and tests often run as root; without this capability it may not.
AS_ANYONE = ["setpriv", "--bounding-set=-dac_override"] if os.geteuid() == 0 else []


def test_closed_folders_are_removed_and_nothing_behind_links_is_opened(tmp_path: Path) -> None:
    """As a build leaves them that fetched its modules with Go."""
    folder, mine = tmp_path / "trial", tmp_path / "mine"
    (folder / "cache" / "module").mkdir(parents=True)
    (folder / "cache" / "module" / "file").write_text("x")
    mine.mkdir(mode=0o555)
    (folder / "cache" / "link").symlink_to(mine)
    for closed in ("cache/module", "cache"):
        (folder / closed).chmod(0o555)
    engine = str(Path(throw_away.__file__).parents[1])
    code = "import sys; from ralph_engine import throw_away; throw_away.remove(sys.argv[1])"
    argv = [*AS_ANYONE, sys.executable, "-c", code, str(folder)]
    subprocess.run(argv, env={**os.environ, "PYTHONPATH": engine}, check=True, timeout=60)
    assert not folder.exists()
    assert mine.stat().st_mode & 0o777 == 0o555
