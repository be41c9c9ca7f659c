"""router: one answer until it is reported, and no end without the validation commands."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest
from e2e.conversation import until
from ralph_engine import called_state, schema
from ralph_engine.core.own_command import RALPH
from shell.called import BROKEN, Caller, break_with, ended, gone

AUDIT = "# Mission\nFind bugs.\n\n## Validation Commands\n{}\n"
STATE = ".ralph/router-state.json"
NOT_FIXED = "the check `test -e fixed` failed: exit code 1"


@pytest.fixture
def router(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Caller:
    caller = Caller(tmp_path, "router", STATE, capsys)
    monkeypatch.setenv("XDG_STATE_HOME", str(caller.state_folder))
    for name in ("MAX_ITERATIONS", "COMPLETION_SIGNAL", "CIRCUIT_BREAKER_THRESHOLD"):
        monkeypatch.delenv(f"RALPH_{name}", raising=False)
    (caller.root / "ralph").mkdir()
    audit(caller, "- `test -e fixed`")
    return caller


def audit(router: Caller, checks: str) -> None:
    (router.root / "ralph" / "audit.md").write_text(AUDIT.format(checks))


def answer(router: Caller, *words: str) -> dict[str, Any]:
    said = router("next", *words)
    assert (said.code, said.err) == (0, ""), said
    found: dict[str, Any] = json.loads(said.out)
    assert schema.accepts("router-answer", found) and schema.accepts("router-state", router.state)
    return found


def round_of(router: Caller, *result: str) -> dict[str, Any]:
    """Handed out and reported; what comes next."""
    answer(router)
    assert router("report", *result).code == 0
    return answer(router)


def test_the_first_answer_begins_a_run_and_is_repeated_until_a_report(router: Caller) -> None:
    (router.root / "ralph" / "guardrails.md").touch()
    first = answer(router)
    kept = router.path.read_bytes()
    assert (first["action"], first["iteration"]) == ("spawn", 1)
    assert first["reason"] == f"a new run: there was no {STATE}"
    assert first["prompt"].splitlines() == [
        "You are round 1 of at most 25 of an audit; no other round's context is yours. "
        "Read ralph/audit.md whole and do what it says.",
        "Read ralph/guardrails.md first: Signs, left by earlier failures. After a new kind of "
        "failure add one there: ### Sign: NAME, Trigger, Instruction, Added after.",
        "Only when no finding is left, print RALPH_AUDIT_COMPLETE_NO_FINDINGS alone on a line. "
        "Otherwise end with the line RALPH_ITERATION_COMPLETE: N findings remain, N being their "
        "number.",
    ]
    (router.root / "ralph" / "guardrails.md").unlink()
    assert answer(router) == first and router.path.read_bytes() == kept
    assert router.path.stat().st_mode & 0o777 == 0o600


def test_what_a_round_left_is_told_to_the_next(router: Caller) -> None:
    second = round_of(router, "--findings", "5")
    assert (second["action"], second["iteration"]) == ("spawn", 2)
    assert second["reason"] == "5 findings remain"
    assert "The round before: 5 findings remain: go on with them." in second["prompt"]
    assert router.state["lastFindingsCount"] == 5
    third = round_of(router, "--findings", "0")
    assert "No finding remains, you say: look once more" in third["prompt"]
    fourth = round_of(router, "--unknown")
    assert "did not say how many findings remain" in fourth["prompt"]


def test_clean_counts_only_if_the_commands_pass(router: Caller) -> None:
    audit(router, "- `echo 'seen \x1b[31m'; test -e fixed`")
    answer(router)
    said = router("report", "--clean")
    assert said.code == 1 and "\x1b" not in said.out + said.err
    assert said.err.startswith("not clean: The round before found nothing more, but the check ")
    second = answer(router)
    assert (second["action"], second["iteration"]) == ("spawn", 2)
    assert "failed: exit code 1. Repair that first.\nIts output:\nseen" in second["prompt"]
    (router.root / "fixed").touch()
    said = router("report", "--clean")
    assert (said.code, said.err) == (0, "") and said.out.startswith("ralph-router AUDIT_COMPLETE: ")
    done = {
        "action": "done",
        "iteration": 2,
        "prompt": "",
        "reason": "AUDIT_COMPLETE: no findings are left, 1 check passed",
    }
    assert answer(router) == done == answer(router)


def test_commands_removed_later_still_run_and_added_ones_run_too(router: Caller) -> None:
    answer(router)
    audit(router, "- `touch ran-too`")
    assert router("report", "--clean").code == 1
    assert NOT_FIXED in router.state["advice"]
    (router.root / "ralph" / "audit.md").unlink()
    assert f"ralph/audit.md is missing\nhint: `{RALPH} init --audit`" in router.refused("next")
    audit(router, "- `touch ran-too`")
    answer(router)
    (router.root / "fixed").touch()
    assert router("report", "--clean").code == 0
    assert (router.root / "ran-too").exists()
    assert answer(router)["reason"].endswith("2 checks passed")


def test_an_audit_without_commands_says_so(router: Caller) -> None:
    (router.root / "ralph" / "audit.md").write_text("Look around.")
    assert round_of(router, "--clean")["reason"].endswith(
        "no findings are left, no checks configured"
    )


@pytest.mark.parametrize(
    ("results", "stops"),
    [
        (["5", "5", "5"], "STALLED: the findings did not change for 3 turns (5 findings remain)"),
        (["5", "4", "5", "4", "5"], ""),
        (["5", "", "5"], "STALLED: the findings did not change for 3 turns (5 findings remain)"),
        (["", ""], ""),
        (["", "", ""], "STALLED: the findings did not change for 3 turns (no number was named)"),
        (
            ["5", "clean", "clean"],
            f"STALLED: the findings did not change for 3 turns ({NOT_FIXED})",
        ),
    ],
)
def test_the_breaker_stops_rounds_that_change_nothing(
    router: Caller, results: list[str], stops: str
) -> None:
    words = {"": ["--unknown"], "clean": ["--clean"]}
    for result in results:
        assert answer(router)["action"] == "spawn"
        router("report", *words.get(result, ["--findings", result]))
    last = answer(router)
    assert (last["action"], last["prompt"] == "") == (("stop", True) if stops else ("spawn", False))
    assert not stops or last["reason"] == stops


def test_the_breaker_follows_the_environment(
    router: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RALPH_CIRCUIT_BREAKER_THRESHOLD", "2")
    round_of(router, "--findings", "5")
    assert round_of(router, "--findings", "5")["action"] == "stop"


def test_so_many_rounds_and_no_more(router: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RALPH_MAX_ITERATIONS", "9")
    monkeypatch.setenv("RALPH_COMPLETION_SIGNAL", "CLEAN")
    assert "print CLEAN alone on a line" in answer(router, "--max-iterations", "2")["prompt"]
    assert round_of(router, "--findings", "5")["iteration"] == 2
    last = round_of(router, "--findings", "4")
    assert (last["action"], last["iteration"]) == ("stop", 2)
    assert last["reason"] == "MAX_ITERATIONS_REACHED: 2 were allowed (4 findings remain)"


def test_reports_that_nobody_waits_for(router: Caller) -> None:
    said = router.refused("report", "--findings", "1")
    assert said == (
        f"ralph: {STATE} is missing: there is nothing to report to\n"
        f"hint: `{RALPH} router next` begins a run\n"
    )
    answer(router)
    router("report", "--findings", "1")
    said = router.refused("report", "--findings", "1")
    assert said.startswith(f"ralph: iteration 1 was reported already\nhint: `{RALPH} router next`")
    (router.root / "fixed").touch()
    answer(router)
    router("report", "--clean")
    said = router.refused("report", "--clean")
    assert said.startswith("ralph: the run has ended: AUDIT_COMPLETE: no findings are left")


def test_a_new_run_keeps_the_one_that_has_ended(router: Caller) -> None:
    (router.root / "fixed").touch()
    for number in (1, 2):
        assert answer(router, "--begin")["iteration"] == 1
        assert answer(router, "--begin")["iteration"] == 1
        router("report", "--clean")
        ended_state = router.path.read_bytes()
        assert answer(router)["action"] == "done"
        said = router.refused("next", "other.md")
        assert "a run of ralph/audit.md with 25 iterations, which has ended" in said
        assert "other.md is missing" in router.refused("next", "--begin", "other.md")
        kept = f".ralph/router-ended/{number}.json"
        begun = answer(router, "--begin")
        assert (begun["action"], begun["iteration"]) == ("spawn", 1)
        assert begun["reason"] == f"a new run: the one before is kept as {kept}"
        assert (router.root / kept).read_bytes() == ended_state


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["next", "--max-iterations", "0"], '--max-iterations is "0", give a whole number from 1'),
        (["next", "other.md"], "other.md is missing"),
        (["next", "../x.md"], "../x.md is not below the project"),
        (["report"], "one of the arguments --findings --clean --unknown is required"),
        (["report", "--findings", "-1"], '--findings is "-1"; give a whole number of 0 or more'),
        (["report", "--findings", "1e9"], '--findings is "1e9"; give a whole number of 0 or more'),
        (["report", "--findings", "9" * 5000], '--findings is "9999'),
        (["report", "--findings", "1", "--clean"], "not allowed with argument"),
        (["reprot"], "invalid choice"),
        ([], "the following arguments are required: STEP"),
    ],
)
def test_words_that_mean_nothing(router: Caller, words: list[str], said: str) -> None:
    assert said in router.refused(*words)
    assert not (router.root / ".ralph").exists()


def test_what_a_run_was_begun_with_stays(router: Caller) -> None:
    answer(router, "--max-iterations", "3")
    (router.root / "other.md").write_text("Look.")
    for other in (["other.md"], ["--max-iterations", "4"]):
        said = router.refused("next", *other)
        assert "a run of ralph/audit.md with 3 iterations is under way" in said
    same = str(router.root / "ralph" / "audit.md")
    assert answer(router, same, "--max-iterations", "3", "--begin")["iteration"] == 1


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_state_is_said_and_left(router: Caller, name: str) -> None:
    damage, problem = BROKEN[name]
    break_with(router.path, damage)
    for words in (["next"], ["next", "--begin"], ["report", "--clean"]):
        said = router.refused(*words)
        assert said.startswith(f"ralph: {STATE}") and problem in said and "\nhint: " in said
    [_, line] = router.other("status").out.splitlines()
    assert line.startswith(STATE) and problem in line
    assert router.other("reset", "--yes").code == 0
    [kept] = router.root.glob(".ralph/reset-*")
    assert os.listdir(kept) == ["router-state.json"]
    assert answer(router)["iteration"] == 1


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"iteration": "3"}, 'iteration is "3"; make it an integer of 0 or more'),
        ({"maxIterations": 0}, "maxIterations is 0; make it an integer of 1 or more"),
        ({"lastFindingsCount": -1}, "lastFindingsCount is -1; make it an integer of 0 or more"),
        ({"verify": "make"}, 'verify is "make"; make it a list of shell commands'),
        ({"answer": {"action": "spawn"}}, "answer.iteration is missing; add it"),
        ({"version": 2}, "version is 2; make it 1"),
    ],
)
def test_a_state_of_wrong_types_is_said_and_left(
    router: Caller, change: dict[str, Any], said: str
) -> None:
    answer(router)
    router.path.write_text(json.dumps({**router.state, **change}))
    assert f"ralph: {STATE}: {said}" in router.refused("next")
    assert said in router.refused("report", "--findings", "1")


def test_status_and_reset_know_it(router: Caller) -> None:
    answer(router)
    [_, line] = router.other("status").out.splitlines()
    assert line.startswith("ralph-router ACTIVE: ralph/audit.md, since ")
    assert "iteration 1 of 25, last decision at " in line
    assert line.endswith(f"next: `{RALPH} router report` when its subagent has ended")
    said = router.other("reset", "--yes")
    assert said.err.startswith("ends with this: ralph-router ACTIVE: ")
    assert not router.path.exists() and len([*router.root.glob(".ralph/reset-*/*")]) == 1


def test_of_many_reports_at_once_one_counts(router: Caller) -> None:
    answer(router)
    started = [router.start("report", "--findings", str(number)) for number in range(6)]
    codes = [ended(process) for process in started]
    assert sorted(said.code for said in codes) == [0, 2, 2, 2, 2, 2]
    [counted] = [number for number, said in enumerate(codes) if said.code == 0]
    assert router.state["lastFindingsCount"] == counted
    refused = [said.err for said in codes if said.code == 2]
    assert all("reported already" in said or "another report came" in said for said in refused)


def test_a_report_waits_for_whoever_writes(router: Caller) -> None:
    audit(router, "- `touch checked`")
    answer(router)
    with called_state.held(str(router.root), STATE):
        process = router.start("report", "--clean")
        until((router.root / "checked").exists)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.5)
        assert router.state["answer"]["action"] == "spawn"
    assert ended(process).code == 0
    assert answer(router)["action"] == "done"


def held_by_a_check(router: Caller) -> tuple[Any, int]:
    """A --clean whose check has begun and waits; the pid of what it started."""
    wait = "until test -e go; do sleep 0.05; done"
    audit(router, f"- `sleep 1000 & echo $! > part; mv part begun; {wait}`")
    answer(router)
    process = router.start("report", "--clean")
    until((router.root / "begun").exists)
    return process, int((router.root / "begun").read_text())


def test_a_report_during_the_checks_of_another_counts(router: Caller) -> None:
    process, _ = held_by_a_check(router)
    second = round_of(router, "--findings", "7")
    (router.root / "go").touch()
    said = ended(process)
    assert (said.code, said.out) == (2, "")
    assert "another report came while the checks ran: this one does not count" in said.err
    assert answer(router) == second


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGKILL, -9)])
def test_a_report_that_is_ended_leaves_nothing_and_changes_nothing(
    router: Caller, number: int, code: int
) -> None:
    process, left = held_by_a_check(router)
    before = router.path.read_bytes()
    process.send_signal(number)
    assert ended(process).code == code
    until(lambda: gone(left))
    assert router.path.read_bytes() == before
    assert answer(router)["iteration"] == 1
