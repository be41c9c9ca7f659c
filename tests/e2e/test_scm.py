"""After green checks: a commit with the agent's own message, then the other tasks."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import pytest
from e2e.claude_client import client_path
from e2e.loop_project import shell
from e2e.runner_life import Life, prompt_in
from ralph_engine.scripted_model import Turn, empty, say

DONE = say("<response>DONE</response>")
WORK = shell("echo two >> app.txt")
MESSAGE = say("<response>Add a second line</response>")


def project(folder: Path, *tasks: str, **settings: Any) -> Life:
    life = Life(folder)
    life.settings = {"scm": {"command": "git", "tasks": list(tasks)}, **settings}
    (life.root / "app.txt").write_text("one\n")
    life.begin()
    return life


def subjects(life: Life) -> list[str]:
    return list(life.commits())


def tags(life: Life) -> list[str]:
    return life.git("tag").split()


def witnessed(life: Life, folder: Path) -> Path:
    """The same client behind a program that notes how each of its processes is started."""
    notes, program = folder / "starts", folder / "claude"
    note = 'printf "%s %s\\n" "$RALPH_ACTIVE" "$(printf "%s" "$*" | tr "\\n" " ")"'
    real = shlex.quote(str(client_path()))
    program.write_text(f'#!/bin/sh\n{note} >> {shlex.quote(str(notes))}\nexec {real} "$@"\n')
    program.chmod(0o755)
    life.agent = str(program)
    return notes


def test_the_agent_is_asked_plainly_and_its_message_is_used(tmp_path: Path) -> None:
    life = project(tmp_path, "commit", "tag after")
    notes = witnessed(life, tmp_path)
    ran = life.run([WORK, DONE, MESSAGE], "-p", "Work.")
    assert ran.code == 0
    assert subjects(life) == ["start", "Add a second line"]
    assert life.git("show", "--name-only", "--format=", "HEAD") == "app.txt"
    assert life.git("rev-parse", "after") == life.head()
    assert [(e["argv"], e["code"]) for e in ran.of("scm")] == [
        (["git", "commit", "-am", "Add a second line"], 0),
        (["git", "tag", "after"], 0),
    ]
    version, work, ask = notes.read_text().splitlines()
    assert version.endswith(" --version")
    assert work.startswith("1 ") and " --plugin-dir " in work
    assert ask.startswith("0 ") and "plugin" not in ask and "--session-id" not in ask


def test_what_the_model_is_asked_names_the_changes_and_no_loop(tmp_path: Path) -> None:
    life = project(tmp_path, "commit")
    ran = life.run([WORK, DONE, MESSAGE], "-p", "Work.")
    work, ask = ran.openings()
    assert "Ralph loop: iteration 1 of 10." in work.new_text
    assert "Ralph loop" not in ask.new_text
    text = prompt_in(ask)
    assert text.startswith("Write a short imperative commit message")
    assert "app.txt | 1 +" in text and "Work." not in text


@pytest.mark.parametrize(
    "answer", ["\n\nMend the app\n\nand more", "`<RESPONSE>\nMend the app\n</response>`"]
)
def test_the_message_is_the_tag_or_the_first_line(tmp_path: Path, answer: str) -> None:
    life = project(tmp_path, "commit")
    life.run([WORK, DONE, say(answer)], "-p", "Work.")
    assert subjects(life) == ["start", "Mend the app"]


@pytest.mark.parametrize("work", ["true", "touch new.txt"])
def test_a_clean_tree_skips_the_commit_and_not_the_rest(tmp_path: Path, work: str) -> None:
    life = project(tmp_path, "commit", "tag after")
    ran = life.run([shell(work), DONE], "-p", "Work.")
    assert (ran.code, subjects(life), tags(life)) == (0, ["start"], ["after"])
    assert [e["argv"][1] for e in ran.of("scm")] == ["tag"]
    named = "[ralph] scm: not committed, because not tracked: new.txt"
    assert (named in ran.screen) == (work != "true")


def test_untracked_files_are_named_and_left_alone(tmp_path: Path) -> None:
    life = project(tmp_path, "commit")
    work = shell("echo two >> app.txt && mkdir docs && touch docs/b new.txt")
    ran = life.run([work, DONE, MESSAGE], "-p", "Work.")
    assert "[ralph] scm: not committed, because not tracked: docs/b, new.txt" in ran.screen
    assert subjects(life) == ["start", "Add a second line"]
    assert life.git("status", "--porcelain") == "?? docs/\n?? new.txt"


def test_a_failing_task_is_recorded_and_ends_the_rest(tmp_path: Path) -> None:
    life = project(tmp_path, "tag before", "push nowhere main", "tag after")
    ran = life.run([DONE], "-p", "Work.")
    assert (ran.code, tags(life)) == (0, ["before"])
    [failed] = ran.of("scm-failed")
    assert failed["task"] == "push nowhere main"
    assert "'nowhere' does not appear to be a git repository" in failed["why"]
    assert any(line.startswith("[ralph] scm: push nowhere main failed: ") for line in ran.screen)


def test_a_commit_that_a_hook_refuses_leaves_the_work_where_it_is(tmp_path: Path) -> None:
    life = project(tmp_path, "commit", "tag after")
    hook = life.root / ".git" / "hooks" / "pre-commit"
    hook.write_text("#!/bin/sh\necho 'no tests, no commit'\nexit 1\n")
    hook.chmod(0o755)
    ran = life.run([WORK, DONE, MESSAGE], "-p", "Work.")
    assert (subjects(life), tags(life)) == (["start"], [])
    assert [(e["task"], e["why"]) for e in ran.of("scm-failed")] == [
        ("commit", "no tests, no commit")
    ]
    assert (life.root / "app.txt").read_text() == "one\ntwo\n"


@pytest.mark.parametrize("answer", [[empty(), empty()], [say("<response> </response>")]])
def test_without_a_message_there_is_no_commit(tmp_path: Path, answer: list[Turn]) -> None:
    life = project(tmp_path, "commit", "tag after")
    ran = life.run([WORK, DONE, *answer], "-p", "Work.")
    assert (subjects(life), tags(life), ran.of("scm")) == (["start"], [], [])
    [failed] = ran.of("scm-failed")
    assert (failed["task"], failed["why"]) == ("commit", "the agent gave no commit message")


def test_red_checks_keep_everything_uncommitted(tmp_path: Path) -> None:
    red = [{"command": "false", "failAction": "APPEND"}]
    life = project(tmp_path, "commit", "tag after", guardrails=red)
    ran = life.run([WORK, DONE], "-p", "Work.", "-n", "1")
    assert (ran.code, subjects(life), tags(life)) == (1, ["start"], [])
    assert ran.of("scm", "scm-failed") == []


def test_a_persons_change_is_never_swept_into_a_commit(tmp_path: Path) -> None:
    life = project(tmp_path, "commit")
    (life.root / "app.txt").write_text("mine\n")
    ran = life.run([], "-p", "Work.")
    assert ran.code == 2
    words = "ralph: uncommitted changes in app.txt and scm exclude each other; commit"
    assert ran.last_line == words
    assert subjects(life) == ["start"]
