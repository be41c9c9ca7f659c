"""The guard where what is on the disk decides."""

from __future__ import annotations

from pathlib import Path

import pytest
from guarded import ALLOWED, a_place, judged
from ralph_engine.core.place import Place


@pytest.fixture
def place(tmp_path: Path) -> Place:
    root = tmp_path / "home" / "project"
    (root / "src").mkdir(parents=True)
    (root / "src" / "app.py").write_text("")
    return a_place(root, environment={"HOME": str(tmp_path / "home"), "PATH": "/bin"})


@pytest.mark.parametrize(
    "command", ["git checkout src", "git checkout src/app.py", "git -C src checkout app.py"]
)
def test_a_checkout_of_what_is_there_is_no_branch(place: Place, command: str) -> None:
    assert judged(command, place) == ("git-discard-changes", True)
    assert judged(command, a_place()) == ALLOWED
    assert judged("git switch src", place) == ALLOWED
