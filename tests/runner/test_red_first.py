"""A story's own checks run before its work: one that passes then proves nothing."""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest
from ralph_engine.core.own_command import RALPH
from runner.hostile_project import HostileProject, story
from runner.live_loop import HONEST, LiveLoop, verb

RED, GREEN = "test -f US-1.txt", "test -f app.py"
BEFORE, AFTER = "verify-before", "verify-after"
SEEN = "The runner saw the `verify` of US-1 pass before any work on it, at "
REFUSED = "ralph: error: the verify of US-1 passes before any work on it, so it proves nothing"
FIX = f"hint: give it a verify command that fails until the work is done, then {RALPH} resume"


def ran(project: HostileProject) -> list[tuple[str, str, bool]]:
    entries = [e for e in project.ledger() if e["event"] in (BEFORE, AFTER)]
    return [(entry["event"], entry["story"], entry["passed"]) for entry in entries]


def events(project: HostileProject, name: str) -> list[dict[str, Any]]:
    return [event for event in project.journal() if event["event"] == name]


def of_newest_run(project: HostileProject) -> list[tuple[str, bool, bool]]:
    """Each with whether the run says that an earlier one saw it."""
    told = project.journal()
    begun = max(number for number, event in enumerate(told) if event["event"] == "run")
    found = [e for e in told[begun:] if e["event"] in (BEFORE, AFTER)]
    return [(e["event"], e["passed"], "run" in e) for e in found]


def with_verify(tmp_path: Path, *commands: str) -> HostileProject:
    return HostileProject(tmp_path, story("US-1", verify=list(commands)))


def program(project: HostileProject, text: str) -> str:
    path = project.outside / "program.sh"
    path.write_text(text)
    return f"sh '{path}'"


def test_red_before_the_work_and_green_after_its_approval(tmp_path: Path) -> None:
    project = with_verify(tmp_path, GREEN, RED, "echo never reached before the work")
    ended = project.run(HONEST, iterations=3)
    assert ended.code == 0, ended.screen
    assert [e["event"] for e in project.ledger()] == [BEFORE, "submitted", "approved", AFTER]
    before, _, approved, after = project.ledger()
    assert (before["passed"], before["head"]) == (False, project.start)
    assert before["checks"] == [[GREEN, 0], [RED, 1]]
    assert (after["passed"], after["head"]) == (True, approved["head"])
    assert [code for _, code in after["checks"]] == [0, 0, 0]
    assert "the verify of US-1 fails before the work on it, as it should" in ended.screen
    assert of_newest_run(project) == [(BEFORE, False, False), (AFTER, True, False)]
    assert SEEN not in project.prompt(1) + project.prompt(2)
    # It is no check of an iteration: nothing of it is told to the agent as a failure.
    assert "failed with exit code" not in project.prompt(1)


def test_a_verify_that_passes_already_is_told_to_agent_reviewer_and_person(tmp_path: Path) -> None:
    project = with_verify(tmp_path, GREEN)
    ended = project.run(HONEST, iterations=3)
    assert ended.code == 0, ended.screen
    assert ran(project) == [(BEFORE, "US-1", True), (AFTER, "US-1", True)]
    seen = f"{SEEN}{project.start[:12]}: it proves nothing. "
    add = "Add an entry to its `verify` that fails without the work, and leave the others."
    rest = "Rest no verdict on it: see with your own eyes that each criterion is met."
    assert project.prompt(1).endswith(seen + add)
    assert project.prompt(2).endswith(seen + rest)
    assert "the verify of US-1 passes before any work on it: it proves nothing" in ended.screen
    assert [e["passed"] for e in events(project, BEFORE)] == [True]


def test_a_story_without_checks_of_its_own_has_nothing_to_run(tmp_path: Path) -> None:
    project = with_verify(tmp_path)
    assert project.run(HONEST, "--red-first", iterations=3).code == 0
    assert ran(project) == []


@pytest.mark.parametrize("how", ["flag", "setting"])
def test_red_first_stops_before_the_story_is_handed_out(tmp_path: Path, how: str) -> None:
    project = with_verify(tmp_path, GREEN)
    flags = ["--red-first"] if how == "flag" else []
    if how == "setting":
        (project.root / ".ralph" / "settings.json").write_text('{"redFirst": true}')
        project.git("commit", "-qam", "settings")
    ended = project.run(HONEST, *flags, iterations=3)
    assert ended.code == 2
    assert ended.screen.splitlines()[-2:] == [REFUSED, FIX]
    assert events(project, "iteration") == events(project, "agent-started") == []
    # Asked again, it looks again: a person may have repaired a test instead of the list.
    again = verb(project, "resume")
    assert (again.code, again.screen.splitlines()[-2]) == (2, REFUSED)
    assert ran(project) == [(BEFORE, "US-1", True)] * 2
    document = project.document()
    document["userStories"][0]["verify"] = [RED]
    (project.root / "ralph" / "tasks.json").write_text(json.dumps(document))
    project.git("commit", "-qam", "a check that can fail")
    ended = verb(project, "resume")
    assert ended.code == 0, ended.screen
    assert ran(project)[2:] == [(BEFORE, "US-1", False), (AFTER, "US-1", True)]


TAKES_THE_OTHER = """
to_do='"reviewStatus": null' handed_in='"reviewStatus": "needs_review"'
sed -i "s/\\(US-2.*\\)$to_do/\\1$handed_in/" ralph/tasks.json
git commit -qam 'feat: [US-2]'; echo took the other one
"""


def test_with_red_first_the_pick_binds(tmp_path: Path) -> None:
    project = HostileProject(tmp_path, story("US-1", verify=[RED]), story("US-2", verify=["false"]))
    agent = program(project, TAKES_THE_OTHER)
    project.run(agent, "--red-first", iterations=1)
    assert project.violations() == {"not-picked"}
    assert project.stories()["US-2"]["reviewStatus"] is None
    assert project.verdicts() == []
    assert project.prompt(1).endswith(
        "This run is red first: work on US-1 and no other story, or on a part that you split off"
        " it and that keeps a check of it that the runner saw fail; another one that you hand in"
        " does not count."
    )
    project.run(agent, "--red-first", iterations=2)
    part = "a part of it that keeps a check that failed"
    words = f"This run is red first: only US-1 or {part} could be handed in, not US-2."
    assert words in project.prompt(2)
    project.run(agent, iterations=1)
    assert project.stories()["US-2"]["reviewStatus"] == "needs_review"


OF = "'splitFrom': 'US-1'"
SPLITS = """import json, pathlib, subprocess
path = pathlib.Path('ralph/tasks.json')
document = json.loads(path.read_text())
[story] = document['userStories']
part = {**story, 'id': 'US-1a', 'splitFrom': 'US-1', 'reviewStatus': 'needs_review'}
document['userStories'] = [part]
path.write_text(json.dumps(document))
subprocess.run(['git', 'commit', '-qam', 'feat: [US-1a]'], check=True)
print('split it')
"""


def test_a_part_of_the_picked_story_is_the_picked_story(tmp_path: Path) -> None:
    project = with_verify(tmp_path, RED)
    path = project.outside / "splits.py"
    path.write_text(SPLITS)
    project.run(f"{sys.executable} '{path}'", "--red-first", iterations=1)
    assert project.violations() == set()
    assert [(e["event"], e["story"]) for e in project.verdicts()] == [("submitted", "US-1a")]


def test_a_part_may_keep_any_check_that_failed(tmp_path: Path) -> None:
    project = with_verify(tmp_path, RED, "test -f other.txt")
    path = project.outside / "splits.py"
    part = "{**part, 'verify': ['test -f other.txt']}"
    path.write_text(SPLITS.replace("[part]", f"[{part}, {{**story, 'id': 'US-1b', {OF}}}]"))
    project.run(f"{sys.executable} '{path}'", "--red-first", iterations=1)
    assert project.violations() == set()
    assert [(e["event"], e["story"]) for e in project.verdicts()] == [("submitted", "US-1a")]


PARTS_WITH_THE_RED_CHECK_ELSEWHERE = SPLITS.replace(
    "[part]", f"[{{**part, 'verify': ['true']}}, {{**story, 'id': 'US-1b', {OF}}}]"
)


def test_a_part_without_the_check_that_failed_is_not_handed_in_unseen(tmp_path: Path) -> None:
    project = with_verify(tmp_path, GREEN, RED)
    path = project.outside / "splits.py"
    path.write_text(PARTS_WITH_THE_RED_CHECK_ELSEWHERE)
    splits = f"{sys.executable} '{path}'"
    ended = project.run(splits, "--red-first", iterations=2)
    assert project.violations() == {"not-picked"}
    assert project.verdicts() == []
    assert [*project.stories()] == ["US-1a", "US-1b"]
    # Now it is picked, and its own check is seen to prove nothing.
    assert (ended.code, ended.screen.splitlines()[-2]) == (2, REFUSED.replace("US-1", "US-1a"))


def test_work_that_is_half_done_is_not_asked_again(tmp_path: Path) -> None:
    """Neither by the next iteration nor by another run: red was seen once."""
    project = with_verify(tmp_path, RED)
    half = program(project, "echo half > US-1.txt; git add US-1.txt; git commit -qm half; echo ok")
    project.run(half, iterations=2)
    project.run(half, iterations=1)
    assert ran(project) == [(BEFORE, "US-1", False)]


def test_the_report_of_a_later_run_knows_what_an_earlier_one_saw(tmp_path: Path) -> None:
    project = with_verify(tmp_path, RED)
    project.run(program(project, "echo half > half.txt; git add .; git commit -qm half"))
    assert of_newest_run(project) == [(BEFORE, False, False)]
    ended = project.run(HONEST, iterations=3)
    assert ended.code == 0, ended.screen
    assert of_newest_run(project) == [(BEFORE, False, True), (AFTER, True, False)]
    assert "| US-1 | failed, as it should | passed |" in project.kept("report.md")[-1].read_text()
    assert "fails before the work" not in ended.screen


def test_a_story_that_is_approved_twice_is_told_of_once(tmp_path: Path) -> None:
    project = with_verify(tmp_path, "grep -q DONE US-1.txt")
    project.run(program(project, "echo half > half.txt; git add .; git commit -qm half"))
    ended = project.run(HONEST, iterations=6)
    assert ended.code == 0, ended.screen
    assert of_newest_run(project) == [
        (BEFORE, False, True),
        (AFTER, False, False),
        (AFTER, True, False),
    ]


def test_entries_that_the_agent_adds_do_not_make_it_another_story(tmp_path: Path) -> None:
    project = with_verify(tmp_path, RED)
    adds = program(
        project,
        'sed -i \'s/"verify": \\[/&"true", /\' ralph/tasks.json; echo half > US-1.txt\n'
        "git add -A; git commit -qm half; echo added one",
    )
    project.run(adds, iterations=2)
    assert project.stories()["US-1"]["verify"][:2] == ["true", "true"]
    assert ran(project) == [(BEFORE, "US-1", False)]


def test_other_criteria_do_not_make_half_done_work_no_work(tmp_path: Path) -> None:
    project = with_verify(tmp_path, RED)
    half = program(project, "echo half > US-1.txt; git add US-1.txt; git commit -qm half; echo ok")
    project.run(half, iterations=1)
    document = project.document()
    document["userStories"][0]["acceptanceCriteria"] = ["US-1 works, and says so"]
    (project.root / "ralph" / "tasks.json").write_text(json.dumps(document))
    project.git("commit", "-qam", "clearer words")
    project.run(half, "--red-first", iterations=1)
    assert ran(project) == [(BEFORE, "US-1", False)]
    assert SEEN not in project.prompt(1)


def test_what_only_the_run_before_the_work_creates_is_nobodys_work(tmp_path: Path) -> None:
    project = with_verify(tmp_path, f"echo x >> made.xml; {RED}")
    ended = project.run(HONEST, iterations=3)
    assert ended.code == 0, ended.screen
    assert ended.screen.count("a check made made.xml: add it to .gitignore") == 1


def test_without_reviews_both_runs_are_in_the_ledger_too(tmp_path: Path) -> None:
    project = with_verify(tmp_path, RED)
    assert project.run(HONEST, "--skip-review", iterations=3).code == 0
    assert ran(project) == [(BEFORE, "US-1", False), (AFTER, "US-1", True)]


def test_red_after_its_approval_is_recorded_before_the_story_is_reopened(tmp_path: Path) -> None:
    project = with_verify(tmp_path, "grep -q DONE US-1.txt")
    ended = project.run(HONEST, iterations=6)
    assert ended.code == 0, ended.screen
    reopened = ["submitted", "approved", AFTER, "reopened"]
    assert [e["event"] for e in project.ledger()] == [
        *(BEFORE, *reopened),
        *("submitted", "approved", AFTER),
    ]
    assert [passed for _, _, passed in ran(project)] == [False, False, True]


@pytest.mark.parametrize("word", [signal.SIGKILL, signal.SIGINT], ids=["killed", "asked to stop"])
def test_ended_while_the_checks_run_before_the_work(tmp_path: Path, word: signal.Signals) -> None:
    """Nothing is known then: whoever goes on runs them again, and comes to the same end."""
    count = 'n=$(($(cat "$OUTSIDE/n" 2>/dev/null) + 1)); echo $n > "$OUTSIDE/n"'
    hangs = f'{count}; [ $n != 1 ] || {{ echo now > "$OUTSIDE/checking"; sleep 600; }}; {RED}'
    project = with_verify(tmp_path, hangs)
    os.mkfifo(project.outside / "checking")
    with LiveLoop(project, agent=f"exec {HONEST}") as loop:
        (project.outside / "checking").read_text()
        loop.process.send_signal(word)
        assert loop.process.wait(60) in (-9, 130)
        assert project.ledger() == []
        ended = verb(project, "resume")
    assert ended.code == 0, ended.screen
    assert [e["event"] for e in project.ledger()] == [BEFORE, "submitted", "approved", AFTER]
    assert ran(project) == [(BEFORE, "US-1", False), (AFTER, "US-1", True)]
