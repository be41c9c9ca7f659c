"""tdd: a phase counts when its command was seen to end so, and what was recorded stays."""

from __future__ import annotations

import errno
import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest
from e2e.conversation import until
from ralph_engine import schema
from ralph_engine.core.own_command import RALPH
from shell.called import BROKEN, Caller, break_with, ended, gone

STATE = ".ralph/tdd-state.json"
ALL_DONE = "RALPH_AUDIT_COMPLETE_NO_FINDINGS\n"
TEST = ("sh", "-c", 'printf "one\\ttwo\\n"; test -e fixed')
HINT = f"hint: `{RALPH} tdd next` says what is next\n"


@pytest.fixture
def tdd(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Caller:
    caller = Caller(tmp_path, "tdd", STATE, capsys)
    monkeypatch.setenv("XDG_STATE_HOME", str(caller.state_folder))
    monkeypatch.delenv("RALPH_CIRCUIT_BREAKER_THRESHOLD", raising=False)
    return caller


def add(tdd: Caller, *names: str) -> None:
    for name in names:
        assert tdd("add", name, f"shows {name}") == (0, "", "")


def red(tdd: Caller, name: str, *command: str) -> None:
    assert tdd("red", name, "--", *(command or TEST)).code == 0


def pass_from_now_on(tdd: Caller) -> None:
    (tdd.root / "fixed").touch()


def test_a_scenario_from_pending_to_refactored(tdd: Caller) -> None:
    add(tdd, "sc-1", "sc-2")
    assert tdd("next").out.splitlines() == [
        "scenario: sc-1",
        "description: shows sc-1",
        "status: pending",
        "next: write a test of it that fails, and nothing else; then "
        f"`{RALPH} tdd red sc-1 -- CMD`",
    ]
    assert tdd("red", "sc-1", "--", *TEST) == (
        0,
        "one\ttwo\n\nrecorded: sc-1 is red (exit code 1)\n",
        "",
    )
    quoted = "'sh -c '\"'\"'printf \"one\\ttwo\\n\"; test -e fixed'\"'\"''"
    assert tdd("next").out.splitlines()[2:] == [
        "status: red",
        f"next: make it pass without touching the test; then `{RALPH} tdd green sc-1 -- {quoted}`",
        "red evidence, verbatim for the implementer's prompt:",
        "one\ttwo",
        "",
    ]
    pass_from_now_on(tdd)
    # As the line above says it: one word for the shell, and yet the same command.
    assert tdd("green", "sc-1", "--", "sh -c 'printf \"one\\ttwo\\n\"; test -e fixed'").code == 0
    assert tdd("refactored", "sc-1", "--", *TEST).code == 0
    assert tdd("next").out.startswith("scenario: sc-2\n")
    state = tdd.state
    assert schema.accepts("tdd-state", state)
    assert [s["status"] for s in state["scenarios"]] == ["refactored", "pending"]
    assert [entry["phase"] for entry in state["evidenceLog"]] == ["red", "green", "refactored"]
    [completed] = state["completedScenarios"]
    assert (completed["id"], completed["redEvidence"]) == ("sc-1", "one\ttwo\n")
    assert completed["passedAt"] == state["evidenceLog"][1]["timestamp"]
    assert tdd("status").out.splitlines()[1:] == [
        "refactored sc-1: shows sc-1",
        "pending    sc-2: shows sc-2",
    ]


def test_all_done_is_said_by_the_signal(tdd: Caller) -> None:
    add(tdd, "a")
    red(tdd, "a")
    pass_from_now_on(tdd)
    tdd("green", "a", "--", *TEST)
    assert tdd("next") == (0, ALL_DONE, "") == tdd("next")
    add(tdd, "b")
    assert tdd("next").out.startswith("scenario: b\n")


def test_only_what_was_seen_counts(tdd: Caller) -> None:
    add(tdd, "a")
    before = tdd.path.read_bytes()
    said = tdd("red", "a", "--", "echo passes")
    assert said == (
        1,
        "passes\n\n",
        "ralph: a is not red: the command passes\nhint: nothing was recorded\n",
    )
    assert tdd.path.read_bytes() == before
    red(tdd, "a")
    before = tdd.path.read_bytes()
    said = tdd("green", "a", "--", *TEST)
    assert (said.code, said.err.splitlines()[0]) == (
        1,
        "ralph: a is not green: the command fails (exit code 1)",
    )
    assert tdd.path.read_bytes() == before


def test_no_phase_out_of_order_and_no_other_command(tdd: Caller) -> None:
    """Refused before the command runs."""
    touch = ["--", "touch ran"]
    add(tdd, "a")
    only = "ralph: a is {}: only one that is {} gets {}\n" + HINT
    assert tdd.refused("green", "a", *touch) == only.format("pending", "red", "green")
    assert tdd.refused("refactored", "a", *touch) == only.format("pending", "green", "refactored")
    red(tdd, "a", "test", "-e", "fixed")
    assert tdd.refused("green", "a", *touch) == (
        f'ralph: a was shown red by another command: "test -e fixed"\n{HINT}'
    )
    pass_from_now_on(tdd)
    assert tdd("green", "a", "--", "test", "-e", "fixed").code == 0
    for phase, before in (("red", "pending or red"), ("green", "red")):
        assert tdd.refused(phase, "a", *touch) == only.format("green", before, phase)
    assert "by another command" in tdd.refused("refactored", "a", *touch)
    assert not (tdd.root / "ran").exists()


def test_a_better_test_may_be_shown_red_again(tdd: Caller) -> None:
    add(tdd, "a")
    red(tdd, "a", "exit 3")
    red(tdd, "a", "test -e fixed")
    pass_from_now_on(tdd)
    assert "by another command" in tdd.refused("green", "a", "--", "exit 3")
    assert tdd("green", "a", "--", "test -e fixed").code == 0


def test_the_breaker_trips_at_the_third_time_without_a_new_phase(
    tdd: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(tdd, "a")
    assert [tdd("next").code for _ in range(2)] == [0, 0]
    assert tdd("next") == (
        3,
        "",
        "ralph: STALLED: a was next 3 times and is still pending\n"
        "hint: find out what keeps it; its next phase re-arms the breaker\n",
    )
    red(tdd, "a")
    assert tdd("next").code == 0
    red(tdd, "a")
    assert [tdd("next").code for _ in range(2)] == [0, 3]
    monkeypatch.setenv("RALPH_CIRCUIT_BREAKER_THRESHOLD", "9")
    assert tdd("next").code == 0


def test_without_scenarios_there_is_nothing_to_do(tdd: Caller) -> None:
    none = f'ralph: there are no scenarios\nhint: `{RALPH} tdd add ID "description"` makes one\n'
    assert tdd.refused("next") == none == tdd.refused("red", "a", "--", "false")
    assert tdd("status").out.startswith("ralph-tdd: 0 of 0 scenarios completed; ")
    assert not (tdd.root / ".ralph").exists()


@pytest.mark.parametrize(
    "name",
    [
        "",
        " ",
        "a b",
        "a/b",
        "../a",
        ".",
        "..",
        ".a",
        "a\nb",
        "a\x1b[31m",
        "a\0",
        "é",
        "a'",
        "x" * 65,
    ]
    + ["x" * 10_000, "a\udcff"],
)
def test_hostile_ids(tdd: Caller, name: str) -> None:
    said = tdd.refused("add", name, "d")
    assert said.startswith('ralph: ID is "') and len(said) < 300
    assert "give up to 64 letters, digits, dots, dashes and underscores" in said
    assert said[:-1].isprintable()
    add(tdd, "a")
    assert f"is not a scenario\nhint: `{RALPH} tdd status`" in tdd.refused("red", name, "--", "x")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["add", "-rf", "d"], "the following arguments are required"),
        (["add", "a", "  "], 'the description is "  "; give what the test will show'),
        (["add", "a", "x" * 10_001], "give at most 10000 characters"),
        (["add", "there", "d"], "there is there already"),
        (["red", "there"], f"CMD is missing\nhint: {RALPH} tdd red ID -- CMD"),
        (["red", "there", "--", " "], "CMD is missing"),
        (["blue", "there"], "invalid choice"),
    ],
)
def test_words_that_mean_nothing(tdd: Caller, words: list[str], said: str) -> None:
    add(tdd, "there")
    assert said in tdd.refused(*words)


def test_what_a_command_prints_commands_no_terminal_and_is_bounded(tdd: Caller) -> None:
    add(tdd, "a")
    tdd("add", "b", "x\x1b]0;title\x07\ny")
    said = tdd("red", "a", "--", "printf '\\033[31m\\377\\r\\n'; exit 1")
    assert said.out.startswith("\\x1b[31m�\\r\n")
    [entry] = tdd.state["evidenceLog"]
    assert entry["output"] == "\x1b[31m�\r\n"
    flood = "i=0; while [ $i -lt 3000 ]; do echo 0123456789; i=$((i+1)); done; echo end; exit 1"
    assert tdd("red", "a", "--", flood).code == 0
    output = tdd.state["evidenceLog"][-1]["output"]
    assert output.startswith("[... 13004 characters left out ...]\n")
    assert output.endswith("0123456789\nend\n") and len(output) < 20_100
    assert "\\x1b]0;title\\x07 y" in tdd("status").out


def test_a_command_that_cannot_be_started_or_never_ends_is_neither(
    tdd: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ralph_engine import tdd as verb

    add(tdd, "a")
    before = tdd.path.read_bytes()
    monkeypatch.setattr(verb, "_SECONDS", 0.2)
    for command in ("sleep 1000", "x" * 300_000):
        said = tdd("red", "a", "--", command)
        assert said.code == 1 and "a is not red: the command did not end within 0.2 s" in said.err
    assert tdd.path.read_bytes() == before


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_state_is_said_and_left(tdd: Caller, name: str) -> None:
    damage, problem = BROKEN[name]
    break_with(tdd.path, damage)
    for words in (["next"], ["add", "a", "d"], ["red", "a", "--", "false"], ["status"]):
        said = tdd.refused(*words)
        assert said.startswith(f"ralph: {STATE}") and problem in said and "\nhint: " in said


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EACCES, errno.EIO])
def test_a_state_that_cannot_be_written_is_said_and_stays(
    tdd: Caller, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def fails(*_: Any, **__: Any) -> None:
        raise OSError(number, os.strerror(number))

    add(tdd, "a")
    before = tdd.path.read_bytes()
    monkeypatch.setattr(os, "rename", fails)
    for words in (["add", "b", "d"], ["next"], ["red", "a", "--", "false"]):
        said = tdd(*words)
        assert said == (
            2,
            "",
            f"ralph: {STATE} cannot be used ({os.strerror(number)})\n"
            "hint: check its permissions and the disk\n",
        )
    assert tdd.path.read_bytes() == before
    assert sorted(os.listdir(tdd.path.parent)) == [".gitignore", "tdd-state.json"]


def edited(state: dict[str, Any], path: list[Any], value: Any) -> dict[str, Any]:
    place: Any = state
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    return state


CHANGED = "evidenceLog[{}] or a scenario was changed after it was written"


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (
            ["scenarios", 1, "status"],
            "green",
            'scenarios[1].status is "green", but the log says pending',
        ),
        (["scenarios", 1, "status"], 3, "scenarios[1].status is 3; make it"),
        (["scenarios", 1, "id"], "a", "scenarios name an id twice"),
        (["scenarios", 0, "id"], "c", CHANGED.format(0)),
        (["scenarios", 1, "description"], "easier", CHANGED.format(0)),
        (["scenarios", slice(1, 2)], [], CHANGED.format(0)),
        (["completedScenarios"], [], "completedScenarios is not what the log says"),
        (["evidenceLog", 0, "output"], "other", CHANGED.format(0)),
        (["evidenceLog", 1, "timestamp"], "T", CHANGED.format(1)),
        (["evidenceLog", 0, "more"], 1, CHANGED.format(0)),
        (["evidenceLog"], [], 'scenarios[0].status is "green", but the log says pending'),
        (["askedFor"], "0", 'askedFor is "0"; make it an integer of 0 or more'),
    ],
)
def test_who_writes_into_the_state_is_found_out(
    tdd: Caller, path: list[Any], value: Any, said: str
) -> None:
    add(tdd, "a", "b")
    red(tdd, "a")
    pass_from_now_on(tdd)
    tdd("green", "a", "--", *TEST)
    tdd.path.write_text(json.dumps(edited(tdd.state, path, value)))
    assert f"ralph: {STATE}: {said}" in tdd.refused("next")
    assert said in tdd.other("status").out


def test_status_and_reset_know_it(tdd: Caller) -> None:
    add(tdd, "a", "b")
    tdd("next")
    red(tdd, "a")
    line = tdd.other("status").out.splitlines()[1]
    assert line.startswith("ralph-tdd: 0 of 2 scenarios completed, at a (red), last evidence at ")
    assert line.endswith(f"; next: `{RALPH} tdd next`")
    kept = tdd.path.read_bytes()
    assert tdd.other("reset", "--yes").code == 0
    [backup] = tdd.root.glob(".ralph/reset-*/tdd-state.json")
    assert backup.read_bytes() == kept and not tdd.path.exists()


def test_calls_at_once_lose_nothing(tdd: Caller) -> None:
    names = [f"sc-{number}" for number in range(6)]
    for process in [tdd.start("add", name, "d") for name in names]:
        assert ended(process).code == 0
    assert sorted(s["id"] for s in tdd.state["scenarios"]) == names
    started = [tdd.start("red", name, "--", f"echo {name}; exit 1") for name in names]
    assert {ended(process).code for process in started} == {0}
    log = {entry["scenarioId"]: entry["output"] for entry in tdd.state["evidenceLog"]}
    assert log == {name: f"{name}\n" for name in names}
    green = [tdd.start("green", "sc-0", "--", "echo sc-0; exit 1") for _ in range(2)]
    assert {ended(process).code for process in green} == {1}


def test_the_slower_of_two_does_not_count(tdd: Caller) -> None:
    add(tdd, "a")
    command = "until test -e go; do touch begun; sleep 0.05; done; test -e fixed"
    slow = tdd.start("red", "a", "--", command)
    until((tdd.root / "begun").exists)
    red(tdd, "a", "test -e fixed")
    pass_from_now_on(tdd)
    tdd("green", "a", "--", "test -e fixed")
    before = tdd.path.read_bytes()
    (tdd.root / "fixed").unlink()
    (tdd.root / "go").touch()
    said = ended(slow)
    assert said.code == 2 and "a is green: only one that is pending or red gets red" in said.err
    assert tdd.path.read_bytes() == before


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 130), (signal.SIGKILL, -9)]
)
def test_a_phase_that_is_ended_leaves_nothing_and_is_resumed(
    tdd: Caller, number: int, code: int
) -> None:
    add(tdd, "a")
    tdd("next")
    before = tdd.path.read_bytes()
    # A session of its own, as a test runner's daemon would have.
    command = "setsid sleep 1000 & echo $! > part; mv part begun; wait"
    process = tdd.start("red", "a", "--", command)
    until((tdd.root / "begun").exists)
    left = int((tdd.root / "begun").read_text())
    process.send_signal(number)
    assert ended(process).code == code
    until(lambda: gone(left))
    assert tdd.path.read_bytes() == before
    assert tdd("next").out.startswith("scenario: a\n")
