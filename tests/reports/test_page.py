"""The report's words: the verdict, what needs a person, how to go on."""

from __future__ import annotations

import pytest
from ralph_engine.core.own_command import RALPH
from ralph_engine.reports import charts, facts, needs, page
from ralph_engine.reports.blocks import (
    Chart,
    Commands,
    Page,
    Points,
    Section,
    Table,
    Words,
    text_of,
)
from reports.told_run import HEAD, RUN, ToldRun, listed, long_run, night


def composed(told: ToldRun) -> Page:
    return page.compose(facts.gather(RUN, told.events, 0))


def section(told: ToldRun, title: str) -> Section:
    [found] = [one for one in composed(told).sections if one.title == title]
    return found


def table(told: ToldRun, title: str) -> list[list[str]]:
    [found] = [block for block in section(told, title).blocks if isinstance(block, Table)]
    return [[text_of(cell) for cell in row] for row in found.rows]


def commands(told: ToldRun, title: str) -> list[tuple[str, str]]:
    blocks = [block for block in section(told, title).blocks if isinstance(block, Commands)]
    return [(item.what, item.line) for block in blocks for item in block.items]


def needed(told: ToldRun, torn: int = 0) -> list[str]:
    return needs.a_person(facts.gather(RUN, told.events, torn))


def test_what_needs_a_person_after_a_bad_night() -> None:
    assert needed(night(), torn=1) == [
        "The loop waits for you: ralph/WAIT says: which mail server may I use?",
        "US-005 was accepted at the cap, after 5 reviews: not verified,"
        " its reviewFeedback says what remains",
        "Approved on a person's word, seen by no review here: US-001",
        f"1 edit undone: illegal-in-implement; the agent's versions are .ralph/runs/{RUN}/undone-*",
        "The verify passed before any work, so it proves nothing: US-004",
        "Tests or checks changed in iteration 9: tests/test_orders.py: deleted test,"
        ' "test_empty" is gone',
        "A blocker, in the agent's words: No mail server answers on this machine",
        "Red when it last ran: make test (exit code 1, log: .ralph/guardrail_1_x.log)",
        "A flaky check, which failed once and then passed: make e2e",
        "1 wait, 20m0s in all: usage limit",
        "1 line of the journal cannot be read and is left out here",
    ]


def test_nothing_needs_a_person_after_a_good_one() -> None:
    assert needed(long_run(10)) == []


def test_what_else_may_need_one() -> None:
    told = ToldRun(listed("US-1")).tell("scm-failed", task="push", why="no route")
    told.tell("left-running", pids=[41, 42]).check("make test", None)
    told.tell("tasks-rewritten", why="undo: x", uncommitted="left uncommitted: a merge")
    assert needed(told, torn=2) == [
        "Red when it last ran: make test (no exit code, log: .ralph/guardrail_1_x.log)",
        "The scm task push failed: no route",
        "A repair of the task list was left uncommitted: a merge",
        "Processes that could not be ended: 41, 42",
        "2 lines of the journal cannot be read and are left out here",
    ]


def test_many_of_a_kind_are_counted_not_listed() -> None:
    stories = [listed(f"US-{n}", status="approved", atCap=True, reviews=5) for n in range(30)]
    told = ToldRun(*stories)
    assert needed(told)[20:] == ["... and 10 more of this kind"]
    for number in range(3):
        told.tell("blocker", text=f"again {number % 2}")
    assert needed(told)[21:] == [
        "A blocker, in the agent's words: again 0 (2 times)",
        "A blocker, in the agent's words: again 1",
    ]


@pytest.mark.parametrize(
    ("end", "verdict", "tone", "why"),
    [
        (("complete", 0, "complete: 2 of 2"), "complete", "good", "2 of 2"),
        (("error", 2, "no agent"), "error", "bad", "no agent"),
        (("stalled", 3, "breaker: 3 times"), "stalled", "warn", "breaker: 3 times"),
        (("interrupted", 130, "interrupted"), "interrupted", "warn", ""),
    ],
)
def test_the_verdict(end: tuple[str, int, str], verdict: str, tone: str, why: str) -> None:
    found = composed(ToldRun(listed("US-1")).end(*end))
    assert (found.verdict, found.tone, found.why) == (verdict, tone, why)


def test_a_journal_without_an_end_says_what_it_cannot_know() -> None:
    told = ToldRun(listed("US-1")).begin("implement", "US-1")
    found = composed(told)
    words = f"No end is recorded: the loop still runs, or was killed. {RALPH} status tells."
    assert (found.verdict, found.tone, found.why) == ("unfinished", "plain", words)
    assert commands(told, "How to go on") == [
        ("does it still run?", f"{RALPH} status"),
        ("go on with it, if it does not", f"{RALPH} resume"),
    ]


def test_the_figures_at_the_top() -> None:
    figures = {figure.label: figure.value for figure in composed(night()).figures}
    assert figures == {
        "stories done": "6 of 8",
        "iterations": "26",
        "time": "1h46m1s",
        "cost": "~$15.90",
        "begun (UTC)": "2026-03-02 22:15:00",
        "run": RUN,
        "branch": "ralph/shop",
    }


def test_the_stories() -> None:
    rows = table(night(), "Stories")
    assert rows[0][2:] == ["trusted, not seen", "1 of 5", "0", "-", "-", "-"]
    assert rows[2][2:] == ["done", "3 of 5", "6", "17m32s", "$3.45", "008c008c008c"]
    assert rows[4][2:] == ["accepted at cap", "5 of 5", "10", "29m40s", "$5.75", "014c014c014c"]
    assert rows[6][2:] == ["to do", "0 of 5", "2", "36m3s", "~$2.10", "-"]


def test_what_hooks_decided_is_counted_and_told_when_it_happened() -> None:
    told = ToldRun(listed("US-1")).begin("implement", "US-1")
    denied = {"what": "guard-denied", "tool": "Bash"}
    told.tell("hook", **denied, rule="sudo").tell("hook", **denied, rule="x" * 500)
    told.tell("hook", **denied, rule="sudo").tell("hook", what="gate-blocked", group="uncommitted")
    told.tell("hook", what="gate-exhausted", group="uncommitted")
    [points, *_] = section(told, "Claims against evidence").blocks
    assert isinstance(points, Points)
    assert points.items[-1] == (
        "Hooks, by their own log: 3 calls denied, 1 stop refused, 1 stop let go;"
        f" rules: sudo (2 times), {'x' * 57}..."
    )
    rows = [row[2:4] for row in table(told, "Timeline") if row[2] == "hook"]
    assert rows[0] == ["hook", "the guard denied Bash (rule sudo)"]
    assert rows[3:] == [
        ["hook", "refused the agent's stop (uncommitted)"],
        ["hook", "the agent ignored every refusal of its stop (uncommitted)"],
    ]


def test_the_timeline_has_what_came_between() -> None:
    rows = table(night(), "Timeline")
    assert rows[0] == ["2026-03-02 22:15:00", "", "begun", "ralph/shop", "", ""]
    first = ["2026-03-02 22:15:01", "1", "implement US-002", "handed in", "3m22s", "$0.80"]
    assert rows[2] == first
    assert [row[2:4] for row in rows[-8:]] == [
        ["implement US-007", "1 edit undone"],
        ["task list rewritten", "undo: illegal-in-implement"],
        ["blocker", "No mail server answers on this machine"],
        ["a person said", "Use the sandbox mail server"],
        ["implement US-007", "limit, timeout"],
        ["wait", "20m0s: usage limit"],
        ["flaky check", "make e2e"],
        ["end", "stopped: ralph/WAIT says: which mail server may I use?"],
    ]


def test_claims_stand_beside_evidence() -> None:
    rows = table(night(), "Claims against evidence")
    assert rows[0] == ["1", "Did US-002.", "handed in; 1 of 1 checks passed"]
    assert rows[-2] == [
        "25",
        "I approve it myself. All done! [promises completion]",
        "1 edit undone; 0 of 1 checks passed; red: make test; Only reviews approve;"
        " The list is not finished.",
    ]
    assert rows[-1] == ["26", "(nothing)", "limit, timeout"]


def rows(told: ToldRun) -> list[list[list[str]]]:
    blocks = section(told, "Can the checks fail?").blocks
    tables = [block for block in blocks if isinstance(block, Table)]
    return [[[text_of(cell) for cell in row] for row in one.rows] for one in tables]


def test_own_checks_stand_with_what_they_said_before_and_after_the_work() -> None:
    told = ToldRun(listed("US-1"), listed("US-2"), listed("US-3"))
    told.ran_before("US-1", passed=False).ran_before("US-2", passed=True)
    told.tell("verify-after", story="US-1", passed=True)
    told.tell("verify-after", story="US-3", passed=False)
    assert rows(told) == [
        [
            ["US-1", "failed, as it should", "passed"],
            ["US-2", "passed: proves nothing", "-"],
            ["US-3", "not run", "failed"],
        ]
    ]


def test_a_verify_that_a_person_repaired_proves_something() -> None:
    told = ToldRun(listed("US-1")).ran_before("US-1", passed=True)
    told.ran_before("US-1", passed=False)
    assert needed(told) == []


def test_weakened_tests_stand_once_with_the_reason_of_the_reviewer() -> None:
    """Two attempts of an iteration, or a run that was killed, may tell the same."""
    found = ("tests/a.py", "new skip", "1 more than before: pytest.skip")
    told = ToldRun(listed("US-1")).weakened(1, found)
    told.weakened(2, found, ("ci.yml", "CI", "changed"))
    told.tell("verdict", story="US-1", verdict="approved", tests="flaky on this machine")
    told.tell("verdict", story="US-2", verdict="approved", tests="")
    assert rows(told) == [
        [
            ["1", "tests/a.py", "new skip", "1 more than before: pytest.skip"],
            ["2", "ci.yml", "CI", "changed"],
            ["", "US-1", "the reviewer's reason", "flaky on this machine"],
        ]
    ]


def test_a_run_without_checks_of_stories_has_no_such_section() -> None:
    titles = [one.title for one in composed(ToldRun(listed("US-1"))).sections]
    assert "Can the checks fail?" not in titles


def test_how_to_undo_names_commits_and_pins() -> None:
    start, pins = HEAD[:12], f"refs/ralph/{RUN}"
    revert = "git revert --no-commit {} && git commit -m 'Take back work of a Ralph loop'"
    assert commands(night(), "How to undo") == [
        ("see all that changed", f"git diff {start} HEAD"),
        ("take all of it back, in a new commit", revert.format(f"{start}..HEAD")),
        ("take back iteration 26 alone", revert.format(f"{pins}/25..{pins}/26")),
    ]
    lost = night().tell("violation", rule="history-rewritten", story="", text="")
    last = ("commits that an agent dropped", f"git for-each-ref {pins}")
    assert commands(lost, "How to undo")[-1] == last


def test_a_head_that_is_no_commit_becomes_no_command() -> None:
    told = ToldRun(listed("US-1"))
    told.events[0]["head"] = "; echo no"
    assert commands(told, "How to undo") == []


def test_a_run_without_a_commit_offers_none_to_take_back() -> None:
    told = ToldRun(listed("US-1")).begin("implement", "US-1").work(5, None)
    told.tell("iteration-ended", number=1, head=HEAD, stories=[], whole=False)
    [words] = section(told, "How to undo").blocks
    assert words == Words("The run made no commit: there is none to take back.")
    told.tell("scm", argv=["git", "commit"], code=0)
    assert len(commands(told, "How to undo")) == 2


def test_a_prompt_that_only_claims_its_end() -> None:
    told = ToldRun(goal="prompt").begin("", "").work(5, None).end_iteration()
    told.end(why="done, claimed by the agent; no checks configured")
    claim = "The completion is the agent's claim: no check is configured, so look at the work"
    assert needed(told) == [claim]
    assert commands(told, "How to go on") == [
        ("see all that changed, and judge it", f"git diff {HEAD[:12]}")
    ]
    checked = ToldRun(goal="prompt").begin("", "").work(5, None).check("make test").end()
    assert needed(checked) == []


def drawn(told: ToldRun) -> dict[str, Chart]:
    found = charts.of(facts.gather(RUN, told.events, 0))
    return {chart.title: chart for chart in found}


def heights(chart: Chart) -> list[float]:
    return [sum(part.value for part in bar.parts) for bar in chart.bars]


def test_the_plots_of_a_night() -> None:
    found = drawn(night())
    titles = ["Stories left", "Time per iteration", "Cost per iteration", "Reviews per story"]
    assert list(found) == titles
    left = heights(found["Stories left"])
    assert (left[0], left[2], left[-1], len(left)) == (7, 6, 2, 27)
    time = found["Time per iteration"]
    assert time.upwards == "minutes"
    assert [part.kind for part in time.bars[-1].parts] == ["implement", "wait"]
    assert time.bars[-1].parts[1].value == 20
    assert heights(found["Cost per iteration"])[:2] == [0.8, 0.35]
    reviews = found["Reviews per story"]
    assert heights(reviews) == [2, 3, 1, 1, 0, 1]
    assert [part.kind for part in reviews.bars[5].parts] == ["cap"]


def test_a_story_held_at_its_cap_stands_out_too() -> None:
    told = ToldRun(listed("US-1", status="changes_requested", reviews=2, cap=2), listed("US-2"))
    reviews = drawn(told)["Reviews per story"]
    assert [[part.kind for part in bar.parts] for bar in reviews.bars] == [["review"], [], ["cap"]]
    assert reviews.kinds == {"cap": "at the cap"}


def test_many_iterations_become_averages() -> None:
    time = drawn(long_run(500))["Time per iteration"]
    assert len(time.bars) == 100
    assert time.note == "Each bar is the average of 5. "
    # 62 s, 32 s, 102 s, 62 s and 142 s, in minutes.
    assert heights(time)[0] == pytest.approx(400 / 5 / 60)
    assert time.bars[0].words == "1 to 5, on average"


def test_a_plot_without_anything_in_it_is_left_out() -> None:
    told = ToldRun(goal="prompt").begin("", "").work(90, None).end_iteration()
    assert list(drawn(told)) == ["Time per iteration"]
    assert list(drawn(ToldRun(listed("US-1")))) == []
