"""The context monitor in the real client: what reaches the model, and after which call."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from e2e.claude_client import ClientRun, converse
from e2e.loop_project import LoopProject, iterate, shell, story
from e2e.runner_life import Life
from ralph_engine.scripted_model import Request, ScriptedModel, Turn, call, say, turn

HEADING = "hook additional context: Context "
VERSIONS = ["newest", "older"]


def filled(percent: int, *parts: Turn, window: int = 200_000) -> Turn:
    """A turn whose request filled so much of the window."""
    used = percent * window // 100
    usage = {"input": 1000, "cache_read": used - 3000, "cache_creation": 2000, "output": 50_000}
    return turn(*(parts or [shell(f"echo {percent}")]), usage=usage)


def heard(request: Request) -> list[str]:
    """The alerts that came since the model's last turn: event, severity, level."""
    lines = [line for line in request.new_text.splitlines() if HEADING in line]
    return [line.replace(HEADING, "").partition(" of the")[0] for line in lines]


def alerts(model: ScriptedModel) -> list[list[str]]:
    return [heard(request) for request in model.requests]


@pytest.fixture
def project(tmp_path: Path) -> LoopProject:
    (tmp_path / "temporary").mkdir()
    return LoopProject(tmp_path, story("US-1"))


def outside(project: LoopProject) -> dict[str, str]:
    return {"TMPDIR": str(project.root.parent / "temporary")}


def inside(project: LoopProject) -> dict[str, str]:
    return project.environment(**outside(project))


@pytest.mark.parametrize("version", VERSIONS)
def test_outside_a_loop_each_alert_reaches_the_model_once_in_order(
    project: LoopProject, version: str
) -> None:
    """A command that fails is another event of the client's."""
    turns = [
        filled(40),
        filled(52),
        filled(55),
        filled(63, shell("exit 3")),
        filled(71),
        filled(83, call("Read", file_path=str(project.root / "ralph" / "tasks.json"))),
        filled(91, shell("exit 4")),
        filled(97),
        say("Bye."),
    ]
    _, model = iterate(project, turns, env=outside(project), version=version)
    assert alerts(model) == [
        [],
        [],
        ["PostToolUse:Bash NOTICE: 52 %"],
        [],
        ["PostToolUseFailure:Bash NOTICE: 63 %"],
        ["PostToolUse:Bash WARNING: 71 %"],
        ["PostToolUse:Read WARNING: 83 %"],
        ["PostToolUseFailure:Bash CRITICAL: 91 %"],
        [],
    ]
    told = [request.new_text for request in model.requests if heard(request)]
    assert not [text for text in told if "progress.txt" in text or "stories" in text]
    assert "(2) write implementation details, insights and handoff notes where a new" in told[-1]


@pytest.mark.parametrize("version", VERSIONS)
def test_in_a_loop_a_jump_is_one_alert_with_the_loops_words(
    project: LoopProject, version: str
) -> None:
    """The window is the marker's."""
    project.mark("implement", contextWindow=400_000)
    levels = (20, 40, 85, 88, 93)
    turns = [*(filled(level, window=400_000) for level in levels), say("Bye.")]
    _, model = iterate(project, turns, env=inside(project), version=version)
    assert alerts(model) == [
        *([], [], []),
        ["PostToolUse:Bash WARNING: 85 %"],
        [],
        ["PostToolUse:Bash CRITICAL: 93 %"],
    ]
    assert "create new stories in ralph/tasks.json for the next" in model.requests[3].new_text
    assert "handoff notes to ralph/progress.txt, (3) commit" in model.requests[5].new_text


def test_calls_side_by_side_alert_once(project: LoopProject) -> None:
    together = filled(55, *(shell(f"echo {number}") for number in range(6)))
    _, model = iterate(project, [together, say("Bye.")], env=outside(project))
    assert alerts(model) == [[], ["PostToolUse:Bash NOTICE: 55 %"]]


@pytest.mark.parametrize("version", VERSIONS)
def test_a_subagent_hears_nothing_and_counts_nothing(project: LoopProject, version: str) -> None:
    """Its calls come with the parent's transcript, which is at 55 % meanwhile."""
    hand_over = call(
        "Agent",
        description="look",
        prompt="Look around",
        subagent_type="general-purpose",
        run_in_background=False,
    )
    turns = [
        filled(55, hand_over),
        filled(95, shell("echo in the subagent")),
        say("Looked around."),
        filled(56),
        say("Bye."),
    ]
    _, model = iterate(project, turns, env=outside(project), version=version)
    assert "Look around" in model.requests[1].last_user_text
    assert alerts(model) == [[], [], [], ["PostToolUse:Agent NOTICE: 55 %"], []]


def test_sessions_are_apart(project: LoopProject) -> None:
    for _ in range(2):
        project.begin_session()
        _, model = iterate(project, [filled(55), say("Bye.")], env=outside(project))
        assert alerts(model) == [[], ["PostToolUse:Bash NOTICE: 55 %"]]
    assert len(list((project.root.parent / "temporary").glob("claude-context-alerts-*"))) == 2


@pytest.mark.parametrize("version", VERSIONS)
def test_a_compaction_arms_again(project: LoopProject, version: str) -> None:
    turns = [
        *(filled(85), filled(86), filled(86, say("So far."))),
        say("<summary>Numbers were echoed.</summary>"),
        *(filled(15), filled(55), filled(86), say("Bye.")),
    ]
    prompts = ["Go on.", "/compact", "Go on again."]
    with ScriptedModel(turns) as model:
        run = converse(model, project.root, prompts, env=outside(project), version=version)
    assert (run.exit_code, model.answers_past_the_end, len(model.requests)) == (0, 0, len(turns))
    assert compactions(run) == 1
    told = [level for request in alerts(model)[:4] for level in request]
    assert set(told) == {"PostToolUse:Bash WARNING: 85 %"}
    assert alerts(model)[5:] == [
        [],
        ["PostToolUse:Bash NOTICE: 55 %"],
        ["PostToolUse:Bash WARNING: 86 %"],
    ]


def compactions(run: ClientRun) -> int:
    return len([e for e in run.of_type("system") if e["subtype"] == "compact_boundary"])


def test_the_runner_tells_its_hooks_the_window_that_the_client_reported(tmp_path: Path) -> None:
    """Unknown before the first answer, so 160,000 tokens count as 80 % there, then as 16 %."""
    life = Life(tmp_path, "US-1")
    life.begin()
    seen = tmp_path / "seen"
    seen.mkdir()
    looks = [filled(80, shell(f"cp .ralph-active {seen}/{number}")) for number in (0, 1)]
    ran = life.run([looks[0], say("One."), looks[1], say("Two.")], "-n", "2")
    first, second = [marker(seen / name) for name in ("0", "1")]
    assert "contextWindow" not in first
    [reported, _] = [e["context_window"] for e in ran.of("agent") if e["kind"] == "result"]
    assert second["contextWindow"] == reported > 320_000
    assert [heard(request) for request in ran.requests] == [
        *([], ["PostToolUse:Bash WARNING: 80 %"]),
        *([], []),
    ]


def marker(path: Path) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(path.read_text())
    return value
