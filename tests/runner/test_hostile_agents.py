"""Agents that cheat, with no hook in play: none ends with 0, nothing illegal outlives them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from ralph_engine.core.own_command import RALPH
from runner.hostile_project import (
    FROZEN,
    Ended,
    HostileProject,
    Story,
    Witness,
    agent,
    by_name,
    story,
)

MODES = ("implement", "review", "review-fix")
APPROVED = "approved"
# Each with the mode of its stories, its arguments, and the rules that it breaks.
EDITS: list[tuple[str, str, tuple[str, ...], set[str]]] = [
    ("approves_at_once", "implement", (), {"illegal-in-implement"}),
    ("approves_in_review_fix", "review-fix", (), {"illegal-in-review-fix"}),
    ("approves_another_story", "review", (), {"another-story"}),
    ("raises_review_count", "implement", (), {"illegal-in-implement"}),
    ("raises_review_count", "review", (), {"illegal-verdict"}),
    ("raises_review_count", "review-fix", (), {"illegal-in-review-fix"}),
    ("deletes_the_hard_story", "implement", (), {"vanished"}),
    ("deletes_the_hard_story", "review", (), {"vanished"}),
    ("drops_checks", "implement", ("verify-commands",), {"verify-commands"}),
    ("drops_checks", "implement", ("verify",), {"frozen"}),
    ("drops_checks", "implement", ("criteria",), {"frozen"}),
    ("drops_checks", "implement", ("all-criteria",), {"unusable"}),
]
ENDINGS = {"empty": (), "hang": ("--iteration-timeout", "3s"), "die": (), "wait": ()}


def of_mode(folder: Path, mode: str) -> HostileProject:
    return HostileProject(folder, story("US-1", mode), story("US-2", mode, priority=2))


def assert_undone(project: HostileProject, ended: Ended, rules: set[str]) -> None:
    """The list, the frozen files and the world outside are as before; the rules are named."""
    assert_harmless(project, ended)
    assert by_name(project.document()) == by_name(json.loads(project.before))
    assert project.violations() == rules


def assert_harmless(project: HostileProject, ended: Ended) -> None:
    assert ended.code != 0
    assert "bug in ralph" not in ended.screen
    for name, text in FROZEN.items():
        path = project.root / name
        assert path.is_file() and not path.is_symlink() and path.read_text() == text
    assert not (project.root / ".ralph/settings.local.json").exists()
    assert not (project.root / ".ralph-active").exists()
    assert (project.outside / "of a person.txt").read_text() == "mine\n"
    assert_approvals_have_reviews(project)


def assert_approvals_have_reviews(project: HostileProject) -> None:
    journal = [e for e in project.journal() if e["event"] in ("iteration", "verdict")]
    pairs = zip(journal, journal[1:])
    reviewed = {
        verdict["story"]
        for before, verdict in pairs
        if verdict["event"] == "verdict" and before.get("mode") == "review"
    }
    done = {name for name, s in project.stories().items() if s["passes"]}
    assert done <= reviewed
    assert {e["story"] for e in project.ledger() if e["event"] == APPROVED} <= reviewed


def is_committed(project: HostileProject) -> bool:
    return bool(json.loads(project.git("show", "HEAD:./ralph/tasks.json")) == project.document())


def told(project: HostileProject, rules: set[str]) -> bool:
    """Does the second prompt say what was undone in the first iteration?"""
    texts = [e["text"] for e in project.journal() if e.get("rule") in rules]
    return bool(texts) and all(text in project.prompt(2) for text in texts[: len(rules)])


@pytest.mark.parametrize(("program", "mode", "arguments", "rules"), EDITS)
def test_an_illegal_edit_is_undone_kept_and_told(
    tmp_path: Path, program: str, mode: str, arguments: tuple[str, ...], rules: set[str]
) -> None:
    project = of_mode(tmp_path, mode)
    ended = project.run(agent(program, *arguments))
    assert ended.code == 1
    assert_undone(project, ended, rules)
    assert is_committed(project)
    assert told(project, rules)
    [version, _] = project.kept()
    assert version.name in ended.screen
    agents_list = json.loads(version.read_text())
    assert by_name(agents_list) != by_name(json.loads(project.before))


def test_a_split_into_a_trivial_story_leaves_the_hard_one(tmp_path: Path) -> None:
    project = HostileProject(tmp_path)
    ended = project.run(agent("splits_into_a_trivial_one"), iterations=1)
    assert ended.code == 1
    assert_harmless(project, ended)
    assert project.violations() == {"vanished", "new-not-to-do"}
    before = {s["id"]: s for s in json.loads(project.before)["userStories"]}
    after = project.stories()
    assert {name: after[name] for name in before} == before
    assert after["US-1a"]["reviewStatus"] is None
    assert is_committed(project) and len(project.kept()) == 1


def test_a_changed_frozen_file_is_told_to_the_next_iteration(tmp_path: Path) -> None:
    project = HostileProject(tmp_path)
    ended = project.run(agent("changes_a_frozen_file", "ralph/prd.md"))
    assert_undone(project, ended, {"frozen-file"})
    assert told(project, {"frozen-file"})


@pytest.mark.parametrize(
    ("name", "how"),
    [
        *[(name, how) for name in FROZEN for how in ("edit", "delete", "folder", "link")],
        *[(".ralph/settings.local.json", how) for how in ("edit", "folder", "link")],
    ],
)
def test_frozen_files_come_back(tmp_path: Path, name: str, how: str) -> None:
    project = HostileProject(tmp_path)
    ended = project.run(agent("changes_a_frozen_file", name, how), iterations=1)
    assert ended.code == 1
    assert_undone(project, ended, {"frozen-file"})
    if how in ("edit", "link"):
        assert name not in project.git("status", "--porcelain", "--", *FROZEN)
    if how != "delete":
        kept = project.kept(f"undone-1-*{Path(name).name}")
        assert len(kept) == 1 and kept[0].name in ended.screen
    aim = project.outside / f"aim{Path(name).suffix}"
    assert aim.exists() == (how == "link")


def test_settings_are_frozen_for_a_prompt_goal_too(tmp_path: Path) -> None:
    project = HostileProject(tmp_path)
    command = agent("changes_a_frozen_file", ".ralph/settings.json")
    ended = project.run(command, "-p", "Tidy up.")
    assert ended.code == 1
    assert_undone(project, ended, {"frozen-file"})
    assert told(project, {"frozen-file"})


def test_a_prompt_file_is_never_read_as_the_agent_left_it(tmp_path: Path) -> None:
    project = HostileProject(tmp_path)
    (project.root / "goal.md").write_text("Tidy up.\n")
    ended = project.run(agent("changes_a_frozen_file", "goal.md"), "-f", "goal.md")
    assert ended.code == 1
    assert project.prompt(2).startswith("Tidy up.")
    assert "was changed during the iteration: not used" in project.prompt(2)
    assert "that is enough" not in project.prompt(2)


def test_without_reviews_one_story_passes_at_a_time(tmp_path: Path) -> None:
    project = HostileProject(tmp_path)
    ended = project.run(agent("passes_everything"), "--skip-review")
    assert ended.code == 1
    assert_undone(project, ended, {"two-submissions"})


@pytest.mark.parametrize("how", ["forge", "delete", "link", "folder"])
def test_the_marker_is_only_a_hint(tmp_path: Path, how: str) -> None:
    project = HostileProject(tmp_path)
    ended = project.run(agent("tampers_with_the_marker", how), iterations=1)
    assert ended.code == 1
    assert_undone(project, ended, {"illegal-in-implement"})
    forged = project.outside / "marker.json"
    assert forged.exists() == (how == "link")
    assert how != "link" or "approved" in forged.read_text()


@pytest.mark.parametrize("how", ["forge", "delete"])
def test_a_changed_ledger_stops_the_run_with_the_runners_copy_beside_it(
    tmp_path: Path, how: str
) -> None:
    project = HostileProject(tmp_path)
    ended = project.run(agent("rewrites_the_ledger", how), iterations=5)
    assert ended.code == 2
    assert "was changed by someone else during the run" in ended.screen
    [copy] = project.state.glob("ralph/project-*/ledger.jsonl.kept-*")
    assert copy.name in ended.screen
    _, entry = [json.loads(line) for line in copy.read_text().splitlines()]
    assert (entry["event"], entry["story"]) == ("submitted", "US-1")


def test_a_rewritten_journal_hides_nothing(tmp_path: Path) -> None:
    project = HostileProject(tmp_path)
    ended = project.run(agent("rewrites_the_journal"))
    assert ended.code == 1
    assert_undone(project, ended, {"illegal-in-implement"})
    [copy] = project.root.glob(".ralph/runs/*/events.jsonl")
    events = [json.loads(line) for line in copy.read_text().splitlines()]
    assert [e["n"] for e in events] == list(range(1, len(events) + 1))
    assert [e["code"] for e in events if e["event"] == "end"] == [1]


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize(
    ("program", "mode", "arguments", "rules"),
    [
        *EDITS,
        ("deletes_the_hard_story", "review-fix", (), {"vanished"}),
        ("changes_a_frozen_file", "implement", (), {"frozen-file"}),
        ("ruins_the_list", "implement", (), {"unusable"}),
    ],
)
def test_no_ending_escapes_the_gate(
    tmp_path: Path,
    program: str,
    mode: str,
    arguments: tuple[str, ...],
    rules: set[str],
    ending: str,
) -> None:
    project = of_mode(tmp_path, mode)
    command = agent("then_ends", ending, program, *arguments)
    ended = project.run(command, *ENDINGS[ending], iterations=1)
    assert ended.code == (42 if ending == "wait" else 1)
    assert_undone(project, ended, rules)
    attempts = sum(e["event"] == "agent-ended" for e in project.journal())
    judged = sum(e["event"] == "violation" for e in project.journal())
    assert attempts == (3 if ending == "empty" else 1)
    assert judged >= attempts


@pytest.mark.parametrize(
    "how", ["commit", "amend", "merge", "evil-merge", "and-back", "order-file", "replace"]
)
def test_a_reviewer_who_changes_a_source_line_gives_no_verdict(tmp_path: Path, how: str) -> None:
    project = HostileProject(tmp_path, story("US-1", "review"))
    ended = project.run(agent("reviewer_changes_a_line", how), iterations=1)
    assert ended.code == 1
    expected = {"review-touched-code"} | ({"history-rewritten"} if how == "amend" else set())
    assert_undone(project, ended, expected)
    assert [e for e in project.ledger() if e["event"] == APPROVED] == []
    assert len(project.kept()) == 1


def test_a_reviewer_may_not_reach_beside_the_project_either(tmp_path: Path) -> None:
    project = HostileProject(tmp_path, story("US-1", "review"), inside="packages/project")
    (project.repository / "app.py").write_text("ANSWER = 42\n")
    project.git("add", "-A", str(project.repository))
    project.git("commit", "-q", "-m", "beside")
    ended = project.run(agent("reviewer_changes_a_line", "beside"), iterations=1)
    assert ended.code == 1
    assert_undone(project, ended, {"review-touched-code"})


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("how", ["reset", "amend", "graft"])
def test_lost_commits_are_kept_and_named(tmp_path: Path, mode: str, how: str) -> None:
    project = HostileProject(tmp_path, story("US-1", mode))
    ended = project.run(agent("rewrites_history", how), iterations=1)
    assert ended.code == 1
    assert_harmless(project, ended)
    also = {"review-touched-code"} if (mode, how) == ("review", "amend") else set()
    assert project.violations() == {"history-rewritten"} | also
    [lost] = project.git("for-each-ref", "--format=%(objectname)", "refs/ralph/*/lost-1").split()
    assert lost == project.start
    expected: Story = story("US-1", mode)
    if mode == "review" and not also:
        expected.update(reviewCount=1)
    assert project.stories() == {"US-1": expected}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("how", ["switch", "detach"])
def test_leaving_the_branch_stops_for_a_person(tmp_path: Path, mode: str, how: str) -> None:
    project = HostileProject(tmp_path, story("US-1", mode))
    ended = project.run(agent("rewrites_history", how))
    assert ended.code == 42
    assert f"hint: git switch main, then {RALPH} resume" in ended.screen
    project.git("switch", "-q", "main")
    assert project.document() == json.loads(project.before)
    assert project.git("rev-parse", "HEAD") == project.start
    assert project.verdicts() == []


def test_what_was_forged_before_the_branch_was_left_is_judged_on_return(tmp_path: Path) -> None:
    project = HostileProject(tmp_path)
    ended = project.run(agent("forges_and_leaves"), iterations=1)
    assert ended.code == 42
    still_away = project.run(agent("promises", "sentence"), iterations=1)
    assert still_away.code == 2
    assert "git switch main" in still_away.screen
    project.git("switch", "-q", "main")
    back = project.run(agent("promises", "sentence"), iterations=1)
    assert_undone(project, back, {"verify-commands"})


@pytest.mark.parametrize("where", ["sentence", "tool-output", "echo"])
def test_a_promise_proves_nothing(tmp_path: Path, where: str) -> None:
    project = HostileProject(tmp_path)
    ended = project.run(agent("promises", where))
    assert ended.code == 1
    assert_undone(project, ended, set())
    promises = [e["rule"] for e in project.journal() if e["event"] == "notice"]
    assert promises == ["false-promise"] * 2
    assert "Completion was promised, but the list is not finished." in project.prompt(2)


@pytest.mark.parametrize(
    "answer",
    [
        "DONE",
        "<response>NOT DONE</response>",
        "<response>DONE soon</response>",
        "<response>working</response> then <response>DONE</response>",
        "<response>DONE",
        "<reply>DONE</reply>",
        "echo",
    ],
)
def test_an_answer_that_is_not_quite_the_word_does_not_end_a_prompt_goal(
    tmp_path: Path, answer: str
) -> None:
    project = HostileProject(tmp_path)
    goal = ("-p", "Answer <response>...</response> when all is done; DONE is the word.")
    ended = project.run(agent("says_done", answer), *goal, iterations=1)
    assert ended.code == 1
    assert_undone(project, ended, set())


def test_the_word_alone_does_not_end_a_prompt_goal_whose_checks_fail(tmp_path: Path) -> None:
    project = HostileProject(tmp_path)
    checked = '{"guardrails": [{"command": "test -f result", "failAction": "APPEND"}]}\n'
    (project.root / ".ralph/settings.json").write_text(checked)
    project.git("commit", "-qam", "checks")
    said = agent("says_done", "<response>DONE</response>")
    ended = project.run(said, "-p", "Make the file result.")
    assert ended.code == 1
    assert 'Guardrail "test -f result" failed with exit code 1.' in project.prompt(2)


@pytest.mark.parametrize(
    "what", ["fsmonitor", "submodule", "hooks", "signature", "textconv", "alias"]
)
def test_the_runners_git_starts_no_planted_program(tmp_path: Path, what: str) -> None:
    project = of_mode(tmp_path, "review")
    ended = project.run(agent("plants_git_config", what), iterations=1)
    assert ended.code == 1
    assert not (project.outside / "trapped").exists()
    assert_harmless(project, ended)
    assert project.violations() == {"another-story"}
    assert project.stories()["US-2"] == story("US-2", "review", priority=2)


def test_a_planted_filter_does_not_end_the_run_well(tmp_path: Path) -> None:
    project = HostileProject(tmp_path)
    ended = project.run(agent("plants_git_config", "filter"), iterations=1)
    assert ended.code != 0
    assert_undone(project, ended, {"illegal-in-implement"})


def test_done_at_once_is_a_claim_like_any_other(tmp_path: Path) -> None:
    project = HostileProject(tmp_path)
    ended = project.run(agent("writes_done", "file"))
    assert ended.code == 1
    assert_undone(project, ended, set())
    assert not (project.root / "ralph/DONE").exists()
    assert "Completion was promised" in project.prompt(2)


def test_done_as_a_directory_is_an_error(tmp_path: Path) -> None:
    project = HostileProject(tmp_path)
    ended = project.run(agent("writes_done", "folder"))
    assert ended.code == 2
    assert_undone(project, ended, set())
    assert "ralph: ralph/DONE is a directory" in ended.screen


@pytest.mark.parametrize(
    "how",
    [
        "broken",
        "empty",
        "deep",
        "not-utf-8",
        "huge",
        "deleted",
        "fifo",
        "folder",
        "link",
        "hard-link",
    ],
)
def test_a_ruined_list_comes_back_whole(tmp_path: Path, how: str) -> None:
    project = HostileProject(tmp_path)
    ended = project.run(agent("ruins_the_list", how), iterations=1)
    assert ended.code == 1
    assert_undone(project, ended, {"unusable"})
    path = project.root / "ralph/tasks.json"
    assert path.read_text() == project.before and not path.is_symlink()
    assert path.stat().st_nlink == 1
    assert project.git("status", "--porcelain") == ""
    assert len(project.kept()) == (0 if how == "deleted" else 1)
    approved = json.loads((project.outside / "list.json").read_text())
    assert all(s["passes"] for s in approved["userStories"])


@pytest.mark.parametrize("name", ["ralph/guardrails.md", ".ralph/runs", ".ralph", "ralph"])
def test_nothing_is_written_through_a_link(tmp_path: Path, name: str) -> None:
    project = HostileProject(tmp_path)
    ended = project.run(agent("links_elsewhere", name), iterations=1)
    assert_undone(project, ended, project.violations())
    assert "illegal-in-implement" in project.violations() or name == "ralph"
    linked = project.outside / "elsewhere"
    assert_as_the_agent_left_it(project, linked, name)


def assert_as_the_agent_left_it(project: HostileProject, linked: Path, name: str) -> None:
    if name == "ralph/guardrails.md":
        assert linked.read_text() == "not of this project\n"
    elif name == "ralph":
        left = json.loads((linked / "tasks.json").read_text())
        assert all(s["passes"] for s in left["userStories"])
        assert sorted(p.name for p in linked.iterdir()) == sorted(
            Path(n).name for n in project.git("ls-files", "ralph").split()
        )
    else:
        [events] = linked.rglob("events.jsonl")
        written = {json.loads(line)["event"] for line in events.read_text().splitlines()}
        assert written <= {"run", "verify-before", "iteration", "agent-started", "agent"}
        assert list(linked.rglob("undone-*")) == []
        assert len(project.kept()) >= 1


@pytest.mark.parametrize(
    ("misdeed", "rule"),
    [
        (("approves_at_once",), "illegal-in-implement"),
        (("drops_checks", "verify-commands"), "verify-commands"),
        (("deletes_the_hard_story",), "vanished"),
        (("ruins_the_list", "broken"), "unusable"),
        (("ruins_the_list", "deleted"), "unusable"),
        (("changes_a_frozen_file", ".ralph/settings.json"), "frozen-file"),
        (("changes_a_frozen_file", "ralph/prompt.md"), "frozen-file"),
        (("rewrites_history", "reset"), "history-rewritten"),
    ],
)
def test_a_plain_start_judges_what_was_forged_after_the_runner_was_killed(
    tmp_path: Path, misdeed: tuple[str, ...], rule: str
) -> None:
    project = HostileProject(tmp_path)
    with Witness(project) as witness:
        killed = project.run(agent("kills_the_runner", *misdeed), witness=witness)
    assert killed.code == -9
    ended = project.run(agent("promises", "sentence"), iterations=2)
    assert ended.code == 1
    assert "was cut off: iteration 1 is judged first" in ended.screen
    assert_undone(project, ended, {rule})
    assert "Work on US-1 in mode implement" in project.prompt(2)


def test_a_killed_runs_agent_does_not_choose_the_next_runs_settings(tmp_path: Path) -> None:
    project = HostileProject(tmp_path)
    misdeed = ("changes_a_frozen_file", ".ralph/settings.json")
    with Witness(project) as witness:
        project.run(agent("kills_the_runner", *misdeed), witness=witness)
    assert "skipReview" in (project.root / ".ralph/settings.json").read_text()
    ended = project.run(agent("approves_at_once"), iterations=2)
    assert_undone(project, ended, {"frozen-file", "illegal-in-implement"})


@pytest.mark.parametrize("how", ["plain", "bare"])
def test_a_daemon_does_not_outlive_its_iteration(tmp_path: Path, how: str) -> None:
    project = HostileProject(tmp_path)
    with Witness(project) as witness:
        ended = project.run(agent("leaves_a_daemon", how), iterations=1, witness=witness)
    assert ended.code == 1
    assert_harmless(project, ended)
    assert project.document() == json.loads(project.before)


@pytest.mark.parametrize("how", ["index", "bare"])
def test_a_tree_that_git_cannot_judge_is_not_clean(tmp_path: Path, how: str) -> None:
    project = HostileProject(tmp_path, story("US-1"))
    ended = project.run(agent("hides_unfinished_work", how), iterations=3)
    assert ended.code != 0
    assert "bug in ralph" not in ended.screen
    assert project.stories()["US-1"]["passes"] is False


@pytest.mark.parametrize("what", ["half", "nul"])
def test_odd_characters_stop_nothing(tmp_path: Path, what: str) -> None:
    project = HostileProject(tmp_path)
    ended = project.run(agent("writes_odd_characters", what))
    assert ended.code == 1
    assert_harmless(project, ended)
    assert project.violations() == ({"illegal-in-implement"} if what == "half" else set())
    assert is_committed(project)
