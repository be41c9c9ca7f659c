"""The runner's own commits of the task list."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from ralph_engine import repair


@pytest.mark.parametrize(
    ("name", "told"), [("\ud800", r"\ud800"), ("a\0b", r"a\x00b"), ("\x1b[2J", r"\x1b[2J")]
)
def test_a_story_may_have_any_name(tmp_path: Path, name: str, told: str) -> None:
    """An id is any text; not every text is an argument of git."""
    (tmp_path / "ralph").mkdir()
    (tmp_path / "ralph/tasks.json").write_text("{}")
    for words in (["init", "-q"], ["add", "-A"]):
        subprocess.run(["git", *words], cwd=tmp_path, check=True)
    assert repair.write(str(tmp_path), "ralph", b"[]", f"ralph: reopen {name}") == ""
    log = subprocess.run(
        ["git", "log", "--format=%s"], cwd=tmp_path, check=True, capture_output=True, text=True
    )
    assert log.stdout == f"ralph: reopen {told}\n"
