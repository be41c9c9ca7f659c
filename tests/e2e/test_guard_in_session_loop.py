"""The guard of a same-session loop in the real client: the plan is the person's to change."""

from __future__ import annotations

from pathlib import Path

from e2e.loop_project import LoopProject, iterate, shell, story
from ralph_engine.scripted_model import call, say

WHY = "it changes a file that steers or judges this loop (rule protected-path)"


def test_a_same_session_loop_is_guarded_and_its_plan_is_free(tmp_path: Path) -> None:
    project = LoopProject(tmp_path, story("US-1"))
    plan = project.root / "ralph" / "prd.md"
    turns = [
        shell("echo '{}' > .ralph/forged && touch done-anyway"),
        call("Write", file_path=str(plan), content="mine"),
        say("<promise>DONE</promise>"),
    ]
    _, model = iterate(project, turns, env={}, prompt='/ralph-loop "Forge it"')
    assert WHY in model.requests[1].new_text
    assert not (project.root / "done-anyway").exists()
    assert not (project.root / ".ralph" / "forged").exists()
    assert plan.read_text() == "mine"
