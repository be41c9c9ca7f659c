"""Old runs are forgotten; what is not a run of ours is left alone."""

from __future__ import annotations

import subprocess
from pathlib import Path

from ralph_engine import old_runs


def run_id(number: int) -> str:
    return f"20260101-{number:06}-abcdef"


def make(folder: Path, count: int) -> None:
    for number in range(count):
        (folder / run_id(number)).mkdir(parents=True)
        (folder / run_id(number) / "journal.jsonl").write_text("{}\n")


def test_the_newest_twenty_stay(tmp_path: Path) -> None:
    root, state = tmp_path / "project", tmp_path / "state"
    make(root / ".ralph" / "runs", 23)
    make(state / "runs", 25)
    (state / "runs" / "notes of mine").mkdir()
    old_runs.forget(str(root), state)
    left = {path.name for path in (state / "runs").iterdir()}
    assert left == {"notes of mine", *(run_id(n) for n in range(5, 25))}
    assert len(list((root / ".ralph" / "runs").iterdir())) == 20


def test_pinned_commits_go_with_their_run(tmp_path: Path) -> None:
    root, state = tmp_path / "project", tmp_path / "state"
    root.mkdir()
    identity = ["-c", "user.name=T", "-c", "user.email=t@localhost"]
    for arguments in (["init", "-q"], [*identity, "commit", "-q", "--allow-empty", "-m", "x"]):
        subprocess.run(["git", *arguments], cwd=root, check=True)
    for number in (0, 24):
        ref = f"refs/ralph/{run_id(number)}/1"
        subprocess.run(["git", "update-ref", ref, "HEAD"], cwd=root, check=True)
    make(state / "runs", 25)
    old_runs.forget(str(root), state)
    refs = subprocess.run(
        ["git", "for-each-ref", "--format=%(refname)", "refs/ralph"],
        cwd=root,
        check=True,
        capture_output=True,
        text=True,
    )
    assert refs.stdout.split() == [f"refs/ralph/{run_id(24)}/1"]


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    root, state, elsewhere = tmp_path / "project", tmp_path / "state", tmp_path / "elsewhere"
    make(elsewhere, 25)
    (root / ".ralph").mkdir(parents=True)
    (root / ".ralph" / "runs").symlink_to(elsewhere)
    old_runs.forget(str(root), state)
    assert len(list(elsewhere.iterdir())) == 25
