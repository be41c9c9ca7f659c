"""pause, resume, cancel, tell and reset on a loop that runs, and resume after every ending."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from ralph_engine.core.own_command import RALPH
from runner.hostile_project import HostileProject, story
from runner.live_loop import HONEST, LiveLoop, events, verb


@pytest.fixture
def project(tmp_path: Path) -> HostileProject:
    return HostileProject(tmp_path, story("US-1"))


def edit(project: HostileProject, **changes: Any) -> None:
    """As a person would, while the loop stands: the first story, committed."""
    document = project.document()
    document["userStories"][0].update(changes)
    write(project, document)


def write(project: HostileProject, document: Any) -> None:
    (project.root / "ralph/tasks.json").write_text(json.dumps(document))
    project.git("commit", "-qam", "edit of a person")


def runs(project: HostileProject) -> list[str]:
    return [e["id"] for e in events(project) if "id" in e and e["event"] in ("run", "resumed")]


def numbers(project: HostileProject) -> list[int]:
    return [e["number"] for e in events(project) if e["event"] == "iteration"]


def test_cancel_ends_a_working_agent_and_resume_goes_on(project: HostileProject) -> None:
    with LiveLoop(project) as loop:
        loop.agents_come(1)
        cancelled = verb(project, "cancel")
        ended = loop.end()
    assert cancelled.code == 0
    assert cancelled.screen.endswith(f"cancelled; {RALPH} resume goes on\n")
    assert ended.code == 130
    assert f"interrupted: cancelled on request\nhint: {RALPH} resume goes on" in ended.screen
    again = verb(project, "resume", "--agent", HONEST)
    assert again.code == 0, again.screen
    assert len(set(runs(project))) == 1
    assert numbers(project) == [1, 2, 3]


def test_cancel_answers_at_once_while_the_loop_waits(project: HostileProject) -> None:
    with LiveLoop(project, "--delay", "1h", agent="echo hm") as loop:
        loop.has_event("agent-ended")
        assert verb(project, "cancel").code == 0
        assert loop.end().code == 130


@pytest.mark.parametrize("words", [["cancel"], ["pause"], ["resume"], ["tell", "approve it"]])
def test_the_loops_own_agent_is_refused(project: HostileProject, words: list[str]) -> None:
    with LiveLoop(project) as loop:
        loop.agents_come(1)
        refused = verb(project, *words, RALPH_RUN_ID=runs(project)[0])
        assert refused.code == 2
        assert "this is the loop's own agent calling" in refused.screen
        for _ in range(2):
            loop.let_go()
        assert loop.end().code == 0


@pytest.mark.parametrize("words", [["resume"], ["reset", "--yes"]])
def test_its_agent_cannot_take_up_or_reset_a_dead_run(
    project: HostileProject, words: list[str]
) -> None:
    assert project.run("sh -c 'echo hm'", iterations=1).code == 1
    refused = verb(project, *words, RALPH_RUN_ID=runs(project)[0])
    assert refused.code == 2
    assert "this is the loop's own agent calling" in refused.screen
    assert list(project.state.glob("ralph/project-*/checkpoint.json"))


def test_pause_waits_for_the_iteration_and_takes_a_persons_edits(project: HostileProject) -> None:
    with LiveLoop(project) as loop:
        loop.agents_come(1)
        loop.pause()
        assert not (project.root / ".ralph-active").exists()
        document = project.document()
        document["userStories"].append(story("US-2", priority=2))
        write(project, document)
        (project.root / "notes.txt").write_text("mine, not committed\n")
        assert verb(project, "resume").code == 0
        for _ in range(3):
            loop.let_go()
        ended = loop.end()
    assert ended.code == 0, ended.screen
    assert "edited while the loop stood: US-2 added" in ended.screen
    [edited] = [e for e in events(project) if e["event"] == "person-edit"]
    assert edited["changes"] == ["US-2 added"]
    assert project.violations() == set()
    assert project.stories()["US-2"]["passes"]


def test_an_approval_by_a_person_in_a_pause_is_counted_apart(project: HostileProject) -> None:
    with LiveLoop(project) as loop:
        loop.agents_come(1)
        loop.pause()
        edit(project, passes=True, reviewStatus="approved", reviewCount=1)
        assert verb(project, "resume").code == 0
        ended = loop.end()
    assert ended.code == 0, ended.screen
    assert "0 of 1 stories verified, 1 not seen by the runner (US-1)" in ended.screen


def test_resume_refuses_faults_and_the_loop_stays_paused(project: HostileProject) -> None:
    with LiveLoop(project) as loop:
        loop.agents_come(1)
        loop.pause()
        edit(project, priority="soon")
        refused = verb(project, "resume")
        assert refused.code == 2
        assert "US-1" in refused.screen and "priority" in refused.screen
        assert list(project.state.glob("ralph/project-*/requests/pause"))
        edit(project, priority=1)
        (project.root / ".ralph/settings.local.json").write_text('{"reviewCap": "many"}')
        refused = verb(project, "resume")
        assert refused.code == 2 and "reviewCap" in refused.screen
        (project.root / ".ralph/settings.local.json").unlink()
        assert verb(project, "resume").code == 0
        loop.let_go()
        assert loop.end().code == 0


def test_a_done_story_whose_criteria_a_person_changed_is_reviewed_again(
    tmp_path: Path,
) -> None:
    project = HostileProject(tmp_path, story("US-1"), story("US-2", priority=2))
    assert project.run(HONEST, iterations=2).code == 1
    assert project.stories()["US-1"]["passes"]
    edit(project, acceptanceCriteria=["US-1 works and shines"])
    ended = verb(project, "resume", "-n", "9")
    assert ended.code == 0, ended.screen
    assert "review again: US-1" in ended.screen
    verdicts = [e["event"] for e in project.verdicts() if e["story"] == "US-1"]
    assert verdicts == ["submitted", "approved", "approved"]


def test_what_a_person_tells_stands_in_the_next_prompt_once(project: HostileProject) -> None:
    text = 'it\'s "quoted" $(touch x) `y`\nsecond line 🙂'
    with LiveLoop(project) as loop:
        loop.agents_come(1)
        assert verb(project, "tell", text).code == 0
        for _ in range(2):
            loop.let_go()
        assert loop.end().code == 0
    assert f"A person tells you: {text}" in project.prompt(2)
    assert "A person tells you" not in project.prompt(1)
    assert not (project.root / "x").exists()


@pytest.mark.parametrize("words", [["cancel"], ["pause"], ["tell", "x"], ["resume"]])
def test_without_a_loop_there_is_nothing_to_ask(project: HostileProject, words: list[str]) -> None:
    ended = verb(project, *words)
    assert ended.code == 2
    assert "no loop runs in this folder" in ended.screen or "no run to resume" in ended.screen


def test_resume_of_a_loop_that_runs_says_so(project: HostileProject) -> None:
    with LiveLoop(project) as loop:
        loop.agents_come(1)
        ended = verb(project, "resume")
        assert ended.code == 2
        assert "the loop runs and is not paused" in ended.screen
        verb(project, "cancel")


def test_resume_after_exhaustion_needs_a_higher_n(project: HostileProject) -> None:
    assert project.run(HONEST, iterations=1).code == 1
    refused = verb(project, "resume")
    assert refused.code == 2
    assert f"1 iteration used up\nhint: {RALPH} resume with a higher -n" in refused.screen
    ended = verb(project, "resume", "-n", "2")
    assert ended.code == 0, ended.screen
    assert numbers(project) == [1, 2]
    assert len(set(runs(project))) == 1


def test_resume_after_the_breaker_needs_a_higher_one(project: HostileProject) -> None:
    assert project.run("sh -c 'echo hm'", "--breaker", "2", iterations=9).code == 3
    refused = verb(project, "resume", "--agent", HONEST)
    assert refused.code == 2
    assert "breaker: 2 iterations in a row" in refused.screen
    assert verb(project, "resume", "--agent", HONEST, "--breaker", "3").code == 0


def test_resume_after_the_time_limit_needs_a_longer_one(project: HostileProject) -> None:
    assert project.run("sleep 60", "--max-duration", "1s", iterations=9).code == 4
    refused = verb(project, "resume", "--agent", HONEST)
    assert refused.code == 2
    assert f"hint: {RALPH} resume with a longer --max-duration" in refused.screen
    assert verb(project, "resume", "--agent", HONEST, "--max-duration", "1h").code == 0


def test_resume_shows_what_the_loop_waited_for(project: HostileProject) -> None:
    ended = project.run("sh -c 'echo which database? > ralph/WAIT; echo hm'", iterations=9)
    assert ended.code == 42
    again = verb(project, "resume", "--agent", HONEST)
    assert again.code == 0, again.screen
    assert "ralph/WAIT said: which database?" in again.screen
    assert not (project.root / "ralph/WAIT").exists()


def test_what_a_person_repairs_after_an_error_stays_repaired(project: HostileProject) -> None:
    path = project.root / "ralph/prompt.md"
    good = path.read_text()
    path.write_text("<!-- mode: implement -->\nnever closed\n")
    project.git("commit", "-qam", "a broken template")
    ended = project.run(HONEST, iterations=9)
    assert ended.code == 2 and "ralph/prompt.md line 1" in ended.screen
    path.write_text(good)
    project.git("commit", "-qam", "repaired by a person")
    again = verb(project, "resume")
    assert again.code == 0, again.screen
    assert path.read_text() == good


def test_a_complete_run_is_not_resumed_and_a_plain_start_is_a_new_one(
    project: HostileProject,
) -> None:
    assert project.run(HONEST).code == 0
    refused = verb(project, "resume")
    assert refused.code == 2
    assert "is complete: nothing to resume" in refused.screen
    assert project.run(HONEST).code == 0
    assert len(set(runs(project))) == 2


def test_a_run_that_ended_by_itself_is_not_continued_by_a_plain_start(
    project: HostileProject,
) -> None:
    assert project.run(HONEST, iterations=1).code == 1
    assert project.run(HONEST, iterations=1).code == 0
    assert len(set(runs(project))) == 2
    assert numbers(project) == [1, 1]


def killed_at_work(project: HostileProject) -> None:
    with LiveLoop(project) as loop:
        loop.agents_come(1)
        loop.process.kill()
        assert loop.process.wait() == -9


def test_a_plain_start_continues_a_killed_run_and_says_so(project: HostileProject) -> None:
    killed_at_work(project)
    ended = project.run(HONEST, iterations=9)
    assert ended.code == 0, ended.screen
    [run] = set(runs(project))
    assert f"run {run} was cut off: it goes on here" in ended.screen
    assert numbers(project) == [1, 2, 3]


def test_a_killed_run_of_another_goal_is_judged_and_closed(project: HostileProject) -> None:
    killed_at_work(project)
    answer = "sh -c 'echo \"<response>DONE</response>\"'"
    assert project.run(answer, "-p", "go").code == 0
    ends = {e["status"]: e["why"] for e in events(project) if e["event"] == "end"}
    assert set(ends) == {"interrupted", "complete"}
    assert ends["interrupted"] == "cut off; judged by the start of another run"
    assert len(set(runs(project))) == 2


def test_edits_made_while_a_paused_loop_was_killed_are_a_persons(project: HostileProject) -> None:
    with LiveLoop(project) as loop:
        loop.agents_come(1)
        loop.pause()
        loop.process.kill()
        loop.process.wait()
    edit(project, notes="A better plan")
    ended = verb(project, "resume", "--agent", HONEST)
    assert ended.code == 0, ended.screen
    assert project.violations() == set()
    assert "US-1: notes changed" in ended.screen


def test_edits_after_a_kill_are_not(project: HostileProject) -> None:
    killed_at_work(project)
    edit(project, passes=True, reviewStatus="approved", reviewCount=1)
    ended = verb(project, "resume", "--agent", HONEST)
    assert ended.code == 0, ended.screen
    assert "illegal-in-implement" in project.violations()
    assert "1 of 1 stories verified" in ended.screen


def test_reset_refuses_a_running_loop_and_never_touches_the_ledger(
    project: HostileProject,
) -> None:
    with LiveLoop(project) as loop:
        loop.agents_come(1)
        refused = verb(project, "reset", "--yes")
        assert refused.code == 2
        assert f"a loop runs in this folder\nhint: {RALPH} cancel first" in refused.screen
        loop.let_go()
        loop.agents_come(2)
        loop.process.kill()
        loop.process.wait()
    [ledger] = project.state.glob("ralph/project-*/ledger.jsonl")
    before = ledger.read_bytes()
    unasked = verb(project, "reset")
    assert unasked.code == 2 and "--yes answers yes" in unasked.screen
    assert (project.root / ".ralph-active").exists()
    done = verb(project, "reset", "--yes")
    assert done.code == 0, done.screen
    assert ledger.read_bytes() == before
    assert not (project.root / ".ralph-active").exists()
    [kept] = project.root.glob(".ralph/reset-*/.ralph-active")
    assert json.loads(kept.read_text())["iteration"] == 2
    assert "no run to resume here" in verb(project, "resume").screen
    assert verb(project, "reset", "--yes").screen == "nothing to reset\n"
