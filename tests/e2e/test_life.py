"""Whole lives of a loop: the real runner, the real client, a scripted model."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from e2e.claude_client import REPOSITORY
from e2e.loop_project import story
from e2e.runner_life import Life, Ran, session_in
from ralph_engine.core.own_command import RALPH
from ralph_engine.scripted_model import Turn, empty, fail, say

SUBMITTED = {"reviewStatus": "needs_review", "reviewFeedback": "", "notes": "built"}
PASSED = {"passes": True, "notes": "built"}
AT_ONCE = {"retry-after": "0"}
GIVE_UP = {"x-should-retry": "false"}
# One request and the retries that the runner allows the client.
WHOLE_ATTEMPT = 5


def approved(count: int, **more: Any) -> dict[str, Any]:
    return {"passes": True, "reviewStatus": "approved", "reviewCount": count, **more}


def rejected(count: int, why: str) -> dict[str, Any]:
    return {"reviewStatus": "changes_requested", "reviewCount": count, "reviewFeedback": why}


def failure(command: str, code: int, log: str) -> str:
    told = f'Guardrail "{command}" failed with exit code {code}.'
    return f"{told}\nOutput file: {log}\nOutput (truncated):"


class ThreeStories:
    """US-1 is rejected once, US-2 is split, US-3 is accepted at a cap of 2."""

    TIDY, FIXED, WRITES = "test ! -e broken", "grep -q fixed a.txt", "test -f w.txt"
    WAY = (
        ("implement", "US-1", "submitted", [(TIDY, 0), (FIXED, 1)]),
        ("review", "US-1", "changes_requested", [(TIDY, 0), (FIXED, 1)]),
        ("review-fix", "US-1", "submitted", [(TIDY, 0), (FIXED, 0)]),
        ("review", "US-1", "approved", [(TIDY, 0), (FIXED, 0)]),
        ("implement", "US-2", "submitted", [(TIDY, 0)]),
        ("review", "US-2a", "approved", [(TIDY, 0)]),
        ("implement", "US-2b", "submitted", [(TIDY, 0), (WRITES, 0)]),
        ("review", "US-2b", "approved", [(TIDY, 0), (WRITES, 0)]),
        ("implement", "US-3", "submitted", [(TIDY, 0)]),
        ("review", "US-3", "changes_requested", [(TIDY, 0)]),
        ("review-fix", "US-3", "submitted", [(TIDY, 0)]),
        ("review", "US-3", "approved", [(TIDY, 0)]),
    )
    # Of the stories that have checks of their own.
    FIRST_OF_CHECKED, LAST_OF_CHECKED = (1, 7), (4, 8)
    AT_THE_END = [(TIDY, 0), (FIXED, 0), (WRITES, 0)]
    # HEAD after each iteration, by the subject of its last commit.
    LAST = [
        "feat: US-1",
        "review: US-1 sent back",
        "fix: US-1",
        "review: US-1 approved",
        "feat: US-2a",
        "review: US-2a approved",
        "feat: US-2b",
        "review: US-2b approved",
        "feat: US-3",
        "review: US-3 sent back",
        "fix: US-3",
        "review: US-3 at its cap",
    ]
    SUBJECTS = ["start", "feat: US-1, by itself", *LAST[:11], "review: US-3 sent back again"]
    SUBJECTS += LAST[11:]

    def __init__(self, folder: Path) -> None:
        template = (REPOSITORY / "templates" / "prompt.md").read_text()
        self.life = life = Life(folder, "US-1", "US-2", "US-3", prompt=template)
        life.verify = [self.TIDY]
        life.stories[0]["verify"] = [self.FIXED]
        life.stories[1]["acceptanceCriteria"] = ["It reads", "It writes"]
        life.stories[2]["dependsOn"] = ["US-2"]
        life.begin()
        self.ran = life.run(self._turns(), "--review-cap", "2")
        self.commits = life.commits()

    def _turns(self) -> list[Turn]:
        scenes = [*self._first(), *self._second(), *self._third()]
        return [turn for scene in scenes for turn in (scene, say("Done."))][:-1] + [
            say("All done.\n<promise>COMPLETE</promise>")
        ]

    def _first(self) -> list[Turn]:
        life = self.life
        back: dict[str, Any] = {"passes": False, "reviewCount": 0}
        alone = approved(1, notes="built")
        return [
            life.edit("US-1", "feat: US-1, by itself", "echo draft > a.txt", **alone),
            life.edit("US-1", "feat: US-1", **SUBMITTED, **back),
            life.edit("US-1", "review: US-1 sent back", **rejected(1, "It is a draft")),
            life.edit("US-1", "fix: US-1", "echo fixed > a.txt", **SUBMITTED),
            life.edit("US-1", "review: US-1 approved", **approved(2)),
        ]

    def _second(self) -> list[Turn]:
        life = self.life
        reads = story("US-2a", priority=2, splitFrom="US-2", acceptanceCriteria=["It reads"])
        writes = story("US-2b", priority=2, splitFrom="US-2", acceptanceCriteria=["It writes"])
        parts = [{**reads, **SUBMITTED}, {**writes, "verify": [self.WRITES]}]
        life.stories[2]["dependsOn"] = ["US-2a", "US-2b"]
        return [
            life.split("US-2", parts, "feat: US-2a", "echo reads > r.txt"),
            life.edit("US-2a", "review: US-2a approved", **approved(1)),
            life.edit("US-2b", "feat: US-2b", "echo writes > w.txt", **SUBMITTED),
            life.edit("US-2b", "review: US-2b approved", **approved(1)),
        ]

    def _third(self) -> list[Turn]:
        life = self.life
        rest = "[AUTO-APPROVED AT CAP] The names are poor"
        return [
            life.edit("US-3", "feat: US-3", "echo code > c.txt", **SUBMITTED),
            life.edit("US-3", "review: US-3 sent back", **rejected(1, "Poor names")),
            life.edit("US-3", "fix: US-3", "echo more >> c.txt", **SUBMITTED),
            life.edit("US-3", "review: US-3 sent back again", **rejected(2, "Still poor")),
            life.edit("US-3", "review: US-3 at its cap", **approved(2, reviewFeedback=rest)),
        ]

    def head_after(self, iteration: int) -> str:
        return self.commits[self.LAST[iteration - 1] if iteration else "start"]

    def ranges(self) -> dict[int, tuple[str, str]]:
        """By iteration: from the newest approved commit, or the start, to HEAD before it."""
        since = {2: 0, 4: 0, 6: 3, 8: 5, 10: 7, 12: 7}
        return {n: (self.head_after(old), self.head_after(n - 1)) for n, old in since.items()}


def test_a_full_life_of_three_stories(tmp_path: Path) -> None:
    """One run takes half a minute of client starts: everything is asked of the same one."""
    three = ThreeStories(tmp_path)
    _it_ends_complete_and_says_what_was_accepted_at_the_cap(three)
    _the_journal_tells_every_step(three)
    _check_logs_carry_iteration_and_slug(three)
    _the_ledger_holds_every_submission_and_verdict(three)
    _own_checks_were_red_before_the_work_and_green_after_the_approval(three)
    _verdicts_rest_on_the_commit_before_them_and_their_range(three)
    _each_ledger_line_carries_the_hash_of_the_one_before(three)
    _the_commits_are_the_agents_and_no_others(three)
    _every_iterations_head_is_pinned(three)
    _each_iteration_is_a_new_session_told_where_it_is(three)
    _each_prompt_holds_iteration_mode_story_and_range(three)
    _a_red_check_is_evidence_for_the_reviewer_and_work_for_the_fixer(three)
    _the_stop_hook_held_two_attempts_until_they_were_repaired(three)
    _the_report_tells_what_the_journal_tells(three)


def _it_ends_complete_and_says_what_was_accepted_at_the_cap(three: ThreeStories) -> None:
    words = "complete: 3 of 4 stories verified, 1 accepted at cap (US-3)"
    assert (three.ran.code, three.ran.last_line) == (0, f"ralph: {words}")
    assert three.life.listed() == three.life.stories
    counts = {s["id"]: s["reviewCount"] for s in three.life.stories}
    assert counts == {"US-1": 2, "US-2a": 1, "US-2b": 1, "US-3": 2}
    assert all(s["passes"] and s["reviewStatus"] == "approved" for s in three.life.stories)
    assert not (three.life.root / ".ralph-active").exists()


# What came of the agent and its hooks while it worked.
HEARD = ("agent", "hook")


def _the_journal_tells_every_step(three: ThreeStories) -> None:
    told = [_step(entry) for entry in three.ran.journal if entry["event"] not in HEARD]
    expected: list[tuple[Any, ...]] = [("run", "tasks")]
    for number, (mode, name, reached, checks) in enumerate(three.WAY, 1):
        kind = "submitted" if reached == "submitted" else "verdict"
        achieved = "US-2a" if name == "US-2" else name
        expected += [("verify-before",)] if number in three.FIRST_OF_CHECKED else []
        expected += [("iteration", number, mode, name), ("agent-started",)]
        expected += [("agent-ended", "ok"), (kind, achieved, reached)]
        expected += [("split",)] if name == "US-2" else []
        expected += [("check", *check) for check in checks]
        expected += [("verify-after",)] if number in three.LAST_OF_CHECKED else []
        if number == len(three.WAY):
            expected += [("claimed",), *(("check", *check) for check in three.AT_THE_END)]
        expected.append(("iteration-ended", number, three.head_after(number)))
    assert told == [*expected, ("end", 0, "complete")]
    assert [entry["n"] for entry in three.ran.journal] == [*range(1, len(three.ran.journal) + 1)]


def _check_logs_carry_iteration_and_slug(three: ThreeStories) -> None:
    logs = [entry["log"] for entry in three.ran.of("check")]
    assert logs[:2] == [
        ".ralph/guardrail_1_test_e_broken.log",
        ".ralph/guardrail_1_grep_q_fixed_a_txt.log",
    ]
    assert logs[-4:] == [
        ".ralph/guardrail_12_test_e_broken.log",
        ".ralph/guardrail_12_test_e_broken_2.log",
        ".ralph/guardrail_12_grep_q_fixed_a_txt.log",
        ".ralph/guardrail_12_test_f_w_txt.log",
    ]
    assert all((three.life.root / log).is_file() for log in logs)


def _the_ledger_holds_every_submission_and_verdict(three: ThreeStories) -> None:
    ledger = three.ran.verdicts
    names = [name if name != "US-2" else "US-2a" for _, name, _, _ in three.WAY]
    assert [(e["event"], e["story"], e["iteration"]) for e in ledger] == [
        (reached, name, number)
        for number, (name, (_, _, reached, _)) in enumerate(zip(names, three.WAY), 1)
    ]
    assert {(e["branch"], e["run"]) for e in ledger} == {("main", three.ran.journal[0]["id"])}
    assert [e["head"] for e in ledger] == [three.head_after(n) for n in range(1, 13)]


def _own_checks_were_red_before_the_work_and_green_after_the_approval(three: ThreeStories) -> None:
    ran = [e for e in three.ran.ledger if e["event"].startswith("verify-")]
    start = three.commits["start"]
    assert [(e["event"], e["story"], e["iteration"], e["passed"], e["head"]) for e in ran] == [
        ("verify-before", "US-1", 1, False, start),
        ("verify-after", "US-1", 4, True, three.head_after(4)),
        ("verify-before", "US-2b", 7, False, three.head_after(6)),
        ("verify-after", "US-2b", 8, True, three.head_after(8)),
    ]


def _verdicts_rest_on_the_commit_before_them_and_their_range(three: ThreeStories) -> None:
    verdicts = [e for e in three.ran.verdicts if e["event"] != "submitted"]
    assert {e["iteration"]: (e["range"][0], e["range"][1]) for e in verdicts} == three.ranges()
    assert all(e["reviewed"] == e["range"][1] for e in verdicts)


def _each_ledger_line_carries_the_hash_of_the_one_before(three: ThreeStories) -> None:
    [path] = three.life.state.glob("ralph/*/ledger.jsonl")
    lines = path.read_bytes().splitlines(keepends=True)
    hashes = ["0" * 64, *(hashlib.sha256(line).hexdigest() for line in lines)]
    assert [json.loads(line)["before"] for line in lines] == hashes[:-1]


def _the_commits_are_the_agents_and_no_others(three: ThreeStories) -> None:
    assert list(three.commits) == three.SUBJECTS
    assert three.life.git("log", "--format=%an").split("\n") == ["A Tester"] * 15
    assert three.life.git("status", "--porcelain") == ""


def _every_iterations_head_is_pinned(three: ThreeStories) -> None:
    run = three.ran.journal[0]["id"]
    found = three.life.git("for-each-ref", "--format=%(refname) %(objectname)", "refs/ralph")
    pinned = dict(line.split(" ") for line in found.splitlines())
    expected = {f"refs/ralph/{run}/{n}": three.head_after(n) for n in range(1, 13)}
    assert pinned == expected


def _each_iteration_is_a_new_session_told_where_it_is(three: ThreeStories) -> None:
    openings = three.ran.openings()
    sessions = [session_in(request) for request in openings]
    assert len(set(sessions)) == 12
    assert sessions == [entry["session"] for entry in three.ran.of("agent-started")]
    for number, (request, (mode, name, _, _)) in enumerate(zip(openings, three.WAY), 1):
        line = f"Ralph loop: iteration {number} of 15, mode {mode}, story {name}."
        assert line in request.new_text
        assert all(message["role"] != "assistant" for message in request.messages)


def _each_prompt_holds_iteration_mode_story_and_range(three: ThreeStories) -> None:
    ranges = three.ranges()
    for number, (text, (mode, name, _, _)) in enumerate(zip(three.ran.prompts(), three.WAY), 1):
        assert text.startswith(
            f"# Ralph loop, iteration {number} of 15\n\nMode: {mode}. Story: {name}.\n"
        )
        area = "..".join(commit[:12] for commit in ranges[number]) if number in ranges else ""
        assert [line for line in text.splitlines() if "Commits to look at" in line] == (
            [f"Commits to look at: {area}"] if area else []
        )
        assert ("reviewCount` is 2 or more" in text) == (mode == "review")


def _a_red_check_is_evidence_for_the_reviewer_and_work_for_the_fixer(three: ThreeStories) -> None:
    red = [failure(three.FIXED, 1, f".ralph/guardrail_{n}_grep_q_fixed_a_txt.log") for n in (1, 2)]
    to_review, to_fix, *others = three.ran.prompts()[1:]
    evidence = (
        "The runner saw these checks fail. They are evidence for your verdict;"
        " do not fix them here."
    )
    assert to_review.endswith(f"\n\n{evidence}\n\n{red[0]}")
    assert to_fix.endswith(f"before you.\n\n{red[1]}")
    assert evidence not in to_fix
    assert not any("Guardrail" in text for text in others)


def _the_stop_hook_held_two_attempts_until_they_were_repaired(three: ThreeStories) -> None:
    events = [(e["event"], e["iteration"]) for e in three.life.hook_events()]
    passed = [("gate-passed", n) for n in range(1, 13)]
    held = [("gate-blocked", 1), ("gate-blocked", 12)]
    assert events == [held[0], *passed[:11], held[1], passed[11]]
    assert {e["run"] for e in three.life.hook_events()} == {three.ran.journal[0]["id"]}
    told = [r.new_text for r in three.ran.requests if "Stop hook feedback" in r.new_text]
    assert len(told) == 2
    assert 'reviewStatus null -> "approved"' in told[0]
    assert "has been reviewed 2 times, the cap is 2: approve it" in told[1]


def _the_report_tells_what_the_journal_tells(three: ThreeStories) -> None:
    [path] = three.life.root.glob(".ralph/runs/*/report.md")
    lines = path.read_text().splitlines()
    cost = sum(entry["cost"] for entry in three.ran.of("agent-ended"))
    assert cost > 0
    for line in (
        "**complete**: 3 of 4 stories verified, 1 accepted at cap (US-3)",
        "- stories done: 4 of 4",
        "- iterations: 12",
        f"- cost: ${cost:.2f}",
        "- US-3 was accepted at the cap, after 2 reviews: not verified,"
        " its reviewFeedback says what remains",
        "- Promises of completion: 1, false: 0",
        "- Verdicts of reviews: 6, sent back: 2",
    ):
        assert line in lines
    rows = [line.strip("| ").split(" | ") for line in lines if line.startswith("| US-")]
    assert rows[4:] == [
        ["US-1", "failed, as it should", "passed"],
        ["US-2b", "failed, as it should", "passed"],
    ]
    assert [[*row[:1], *row[2:5], row[-1]] for row in rows[:4]] == [
        ["US-1", "done", "2 of 2", "4", three.head_after(3)[:12]],
        ["US-2a", "done", "1 of 2", "2", three.head_after(5)[:12]],
        ["US-2b", "done", "1 of 2", "2", three.head_after(7)[:12]],
        ["US-3", "accepted at cap", "2 of 2", "4", three.head_after(11)[:12]],
    ]


def _step(entry: dict[str, Any]) -> tuple[Any, ...]:
    """An event without what differs from run to run."""
    fields = {
        "run": ("goal",),
        "iteration": ("number", "mode", "story"),
        "agent-ended": ("kind",),
        "submitted": ("story", "verdict"),
        "verdict": ("story", "verdict"),
        "check": ("command", "code"),
        "iteration-ended": ("number", "head"),
        "end": ("code", "status"),
    }
    name = entry["event"]
    return (name, *(entry[field] for field in fields.get(name, ())))


def test_without_reviews_each_iteration_passes_one_story(tmp_path: Path) -> None:
    template = (REPOSITORY / "templates" / "prompt.md").read_text()
    life = Life(tmp_path, "US-1", "US-2", prompt=template)
    life.verify = ["test -f one"]
    life.begin()
    first = life.edit("US-1", "feat: US-1", "touch one", **PASSED)
    second = life.edit("US-2", "feat: US-2", "touch two", **PASSED)
    ran = life.run([first, say("Done."), second, say("Done.")], "--skip-review")
    words = "ralph: complete: 2 stories pass the checks, unreviewed (--skip-review)"
    assert (ran.code, ran.last_line) == (0, words)
    assert _iterations(ran) == [("implement", "US-1"), ("implement", "US-2")]
    assert life.listed() == life.stories
    assert ran.verdicts == []
    for text in ran.prompts():
        assert "This run has no review iterations" in text and "needs_review" not in text


def test_at_a_cap_of_one_no_review_can_reject_and_the_start_says_so(tmp_path: Path) -> None:
    life = Life(tmp_path, "US-1")
    life.begin()
    turns = [
        life.edit("US-1", "feat: US-1", "touch one", **SUBMITTED),
        life.edit("US-1", "review: no", **rejected(1, "No tests")),
        life.edit(
            "US-1", "review: so be it", **approved(1, reviewFeedback="[AUTO-APPROVED AT CAP] x")
        ),
    ]
    ran = life.run([t for turn in turns for t in (turn, say("Done."))], "--review-cap", "1")
    assert "[ralph] agent: 2.1.326 (Claude Code)" in ran.screen
    assert "[ralph] first: implement US-1" in ran.screen
    told = ran.screen.index("[ralph] --review-cap 1: no review can reject")
    assert told < ran.screen.index("[ralph] iteration 1 of 15: implement US-1")
    words = "complete: 0 of 1 stories verified, 1 accepted at cap (US-1), no checks configured"
    assert (ran.code, ran.last_line) == (0, f"ralph: {words}")
    assert [e["event"] for e in ran.verdicts] == ["submitted", "approved"]
    assert [e["event"] for e in life.hook_events()].count("gate-blocked") == 1


def test_a_loop_that_holds_at_the_cap_waits_for_a_person(tmp_path: Path) -> None:
    life = Life(tmp_path, "US-1")
    life.begin()
    submit = life.edit("US-1", "feat: US-1", "touch one", **SUBMITTED)
    reject = life.edit("US-1", "review: no", **rejected(1, "No tests"))
    turns = [submit, say("Done."), reject, say("Sent back.")]
    ran = life.run(turns, "--review-cap", "1", "--at-cap", "hold")
    assert ran.code == 42
    assert ran.last_line == "ralph: stopped: US-1 was sent back by review 1, its cap"
    assert not any("no review can reject" in line for line in ran.screen)
    assert life.listed() == life.stories
    assert [e["event"] for e in ran.verdicts] == ["submitted", "changes_requested"]
    assert [e["event"] for e in life.hook_events()] == ["gate-passed", "gate-passed"]
    holds = "This run holds at the cap: request changes where they are needed, at any count."
    assert ran.prompts() == ["Work on US-1.", f"Work on US-1.\n\n{holds}"]


def test_a_false_promise_is_answered_and_a_forgotten_one_costs_nothing(tmp_path: Path) -> None:
    life = Life(tmp_path, "US-1")
    life.begin()
    submit = life.edit("US-1", "feat: US-1", "touch one", **SUBMITTED)
    approve = life.edit("US-1", "review: yes", **approved(1))
    promise = say("<promise>COMPLETE</promise>")
    ran = life.run([submit, promise, approve, say("Approved.")])
    remark = "The runner noticed: Completion was promised, but the list is not finished."
    assert ran.prompts() == ["Work on US-1.", f"Work on US-1.\n\n{remark}"]
    assert [entry["rule"] for entry in ran.of("notice")] == ["false-promise"]
    words = "complete: 1 of 1 stories verified, no checks configured"
    assert (ran.code, ran.last_line) == (0, f"ralph: {words}")


class TestRetries:
    @pytest.fixture
    def life(self, tmp_path: Path) -> Life:
        life = Life(tmp_path, "US-1")
        life.begin()
        return life

    def run(self, life: Life, before: list[Turn], *flags: str) -> Ran:
        work = life.edit("US-1", "feat: US-1", "touch one", **PASSED)
        ran = life.run([*before, work, say("Done.")], "--skip-review", *flags)
        assert ran.code == 0, ran.screen
        sessions = [entry["session"] for entry in ran.of("agent-started")]
        assert sessions == [session_in(request) for request in ran.openings()]
        return ran

    def test_an_empty_reply_is_tried_again_in_a_new_session(self, life: Life) -> None:
        ran = self.run(life, [empty()] * 2)
        assert ran.endings() == ["empty", "ok"]
        assert [(e["number"], e["why"]) for e in ran.of("retry")] == [(1, "nothing was said")]
        assert len(ran.of("iteration")) == 1
        assert ran.prompts() == ["Work on US-1."] * 2

    def test_three_empty_replies_are_a_failed_iteration(self, life: Life) -> None:
        ran = self.run(life, [empty()] * 6)
        assert ran.endings() == ["empty", "empty", "empty", "ok"]
        assert [e["number"] for e in ran.of("retry")] == [1, 2]
        assert len(ran.of("iteration")) == 2

    def test_one_overload_is_the_clients_own_affair(self, life: Life) -> None:
        ran = self.run(life, [fail(529, headers=AT_ONCE)])
        assert ran.endings() == ["ok"]
        assert ran.of("retry") == []
        assert [e["status"] for e in ran.of("agent") if e["kind"] == "retry"] == [529]

    def test_a_lasting_overload_is_backed_off_from_once_the_client_gave_up(
        self, life: Life
    ) -> None:
        ran = self.run(life, [fail(529, headers=AT_ONCE)] * WHOLE_ATTEMPT)
        assert ran.endings() == ["overloaded", "ok"]
        sessions = [session_in(request) for request in ran.requests]
        assert sessions.count(sessions[0]) == WHOLE_ATTEMPT
        assert len(ran.of("retry")) == len(ran.of("iteration")) == 1
        assert any(line.startswith("[ralph] waiting until ") for line in ran.screen)

    def test_an_attempt_that_did_its_work_is_not_repeated(self, life: Life) -> None:
        work = life.edit("US-1", "feat: US-1", "touch one", **PASSED)
        ran = life.run([work, fail(529, headers=GIVE_UP)], "--skip-review")
        assert (ran.code, ran.endings(), ran.of("retry")) == (0, ["overloaded"], [])

    def test_a_refused_key_ends_the_run(self, life: Life) -> None:
        ran = life.run([fail(401, headers=GIVE_UP)])
        assert (ran.code, ran.endings()) == (2, ["auth"])
        assert ran.last_line.startswith("ralph: error: the agent cannot work: ")
        assert ran.screen[-1] == f"hint: put that right, then {RALPH} resume"

    def test_a_limit_ends_a_run_that_shall_not_wait(self, life: Life) -> None:
        ran = life.run([fail(429, headers=GIVE_UP)], "--no-wait-on-limit")
        assert (ran.code, ran.endings()) == (4, ["limit"])
        assert ran.last_line.startswith("ralph: limit: provider unavailable: ")


def _iterations(ran: Ran) -> list[tuple[str, str]]:
    return [(entry["mode"], entry["story"]) for entry in ran.of("iteration")]
