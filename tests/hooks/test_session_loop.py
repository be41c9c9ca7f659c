"""Same-session loops through their hooks: started, fed back, ended when they should be."""

from __future__ import annotations

import fcntl
import json
import os
import select
import stat
import time
from pathlib import Path
from typing import Any, Callable

import pytest
from hooks.session_loop import Session
from hooks.starting import SESSION, a_loop, a_marker
from ralph_engine import schema
from ralph_engine.core import clock
from ralph_engine.core.own_command import RALPH

OTHER = "5e551011-0000-4000-8000-000000000002"
DONE = "<promise>DONE</promise>"
RUNNING = [{"id": "1", "status": "running"}]


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session(tmp_path)


def started(session: Session, arguments: str, command: str = "ralph-loop") -> dict[str, Any]:
    answer = session.typed(command, arguments)
    assert "hookSpecificOutput" in answer, answer
    return answer


def test_a_loop_is_started_in_code(session: Session) -> None:
    answer = started(session, "\"it's $(x)\" --max-iterations 3 --verify 'make test'")
    said = answer["hookSpecificOutput"]
    assert said["hookEventName"] == "UserPromptExpansion"
    context = said["additionalContext"]
    assert DONE in context and "make test" in context and context.endswith("\nit's $(x)")
    assert "Only when the task is fully done, print exactly" in context
    assert "exact, no variants, no blanks inside. Not done: do not print it." in context
    assert session.state is not None
    assert session.state["task"] == "it's $(x)"
    path = session.root / ".ralph" / "sessions" / f"{SESSION}.json"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("arguments", "said"),
    [("x", "no checks"), ("x --verify a", "1 check"), ("x --verify a --verify b", "2 checks")],
)
def test_a_start_says_how_many_checks_there_are(
    session: Session, arguments: str, said: str
) -> None:
    assert started(session, arguments)["systemMessage"] == (
        f"Ralph: ralph-loop started, at most 25 iterations, {said}; "
        "/cancel-ralph ends it, /ralph-pause holds it"
    )


@pytest.mark.parametrize("name", ["ralph-loop", "ralph:ralph-loop", "ulw-loop", "ralph:ulw-loop"])
def test_both_names_of_a_command_start_it(session: Session, name: str) -> None:
    context = started(session, "x", name)["hookSpecificOutput"]["additionalContext"]
    assert ("ULTRAWORK" in context) == ("ulw" in name)
    assert ("ULTRAWORK" in session.stops("hello")["reason"]) == ("ulw" in name)


@pytest.mark.parametrize(
    "name", ["commit", "ralph:other", "ralph-loop-x", "", None, ["ralph-loop"]]
)
def test_commands_of_others_are_left_alone(session: Session, name: Any) -> None:
    assert session.typed(name, "x") == {}
    assert not (session.root / ".ralph").exists()


def test_what_starts_no_loop_is_refused_with_usage_and_leaves_nothing(session: Session) -> None:
    answer = session.typed("ralph-loop", "task --max-iterations 08")
    assert answer["decision"] == "block"
    assert "usage: /ralph-loop" in answer["reason"] and "\n" not in answer["reason"]
    assert not (session.root / ".ralph").exists()


def test_a_second_loop_is_refused(session: Session) -> None:
    started(session, "one")
    assert "/cancel-ralph ends it" in session.typed("ulw-loop", "two")["reason"]
    assert session.state is not None and session.state["task"] == "one"


def test_a_promise_after_work_ends_it(session: Session) -> None:
    started(session, "Fix it")
    reason = session.stops("I am done")["reason"]
    assert reason.startswith(
        f"You attempted to end the loop, but you did not output the completion promise {DONE}."
    )
    assert "round 1 of 25" in reason and reason.endswith("Original task:\nFix it")
    session.works()
    answer = session.stops(f"All tests pass. {DONE}")
    assert set(answer) == {"systemMessage"}
    assert answer["systemMessage"] == (
        "Ralph: PROMISE_ACCEPTED after 1 iteration, 0 min: the promise was made, 1 tool call, "
        "no checks configured"
    )
    assert session.ended["status"] == "PROMISE_ACCEPTED"
    assert session.stops("more") == {}


def test_a_promise_before_the_last_block_counts(session: Session) -> None:
    started(session, "x")
    session.works()
    assert "PROMISE_ACCEPTED" in session.stops(DONE, "bye")["systemMessage"]


def test_no_loop_of_a_session_overwrites_an_earlier_one(session: Session) -> None:
    for task in ("one", "two", "three"):
        started(session, task)
        session.typed("cancel-ralph")
    kept = session.root / ".ralph" / "sessions" / "ended"
    tasks = {path.name: json.loads(path.read_text())["task"] for path in kept.iterdir()}
    assert tasks == {
        f"{SESSION}.1.json": "one",
        f"{SESSION}.2.json": "two",
        f"{SESSION}.json": "three",
    }


def test_no_unusable_state_overwrites_an_earlier_one(session: Session) -> None:
    for content in ("first", "second"):
        write(session, content)
        session.stops("hello")
    kept = session.root / ".ralph" / "sessions" / "unusable"
    states = {path.name: path.read_text() for path in kept.iterdir()}
    assert states == {f"{SESSION}.1.json": "first", f"{SESSION}.json": "second"}


def test_a_mentioned_promise_is_answered_so(session: Session) -> None:
    started(session, "x")
    session.works()
    assert "did not make it" in session.stops(f"I print {DONE} when done")["reason"]


@pytest.mark.parametrize("policy", ["reject", "warn", "accept"])
def test_a_promise_without_work(session: Session, policy: str) -> None:
    session.works()  # before the loop: does not count
    started(session, f"x --on-promise-no-work {policy}")
    answer = session.stops(DONE)
    assert ("no tool call was made" in answer.get("reason", "")) == (policy == "reject")
    assert ("WARNING" in answer.get("systemMessage", "")) == (policy == "warn")


def test_a_transcript_that_is_not_there_yet_proves_no_work(session: Session) -> None:
    """So it is in a session whose first turn ends at once; later there will be none at all."""
    session.transcript.unlink()
    started(session, "x")
    gone = {"transcript_path": str(session.transcript) + "-gone"}
    assert "no tool call was made" in session.stops(DONE, **gone)["reason"]
    assert "could not be counted" in session.stops(DONE, **gone)["systemMessage"]


def test_enough_work_may_be_asked_for(session: Session) -> None:
    started(session, "x --min-tool-calls 3")
    session.works()
    assert "only 1 of 3" in session.stops(DONE)["reason"]
    session.works()
    session.add("user", toolUseResult={"totalToolUseCount": 1})
    assert "3 tool calls" in session.stops(DONE)["systemMessage"]


def test_n_iterations_are_n_blocks(session: Session) -> None:
    started(session, "x --max-iterations 2")
    for number in (1, 2):
        session.works()
        assert f"round {number} of 2" in session.stops("not yet")["reason"]
    session.works()
    assert "MAX_ITERATIONS_REACHED after 2" in session.stops("not yet")["systemMessage"]


def test_five_turns_of_talk_end_it(session: Session) -> None:
    started(session, "x")
    for _ in range(4):
        assert "reason" in session.stops("thinking")
    assert "STALLED after 4 iterations" in session.stops("thinking")["systemMessage"]


def test_work_in_between_resets_the_talk(session: Session) -> None:
    started(session, "x")
    for number in range(12):
        if number % 4 == 3:
            session.works()
        assert "reason" in session.stops("thinking"), number


def test_time_over(session: Session) -> None:
    started(session, "x --max-duration 1h")
    write(session, {**(session.state or {}), "startedAt": "2026-01-01T00:00:00Z"})
    session.works()
    assert "TIME_LIMIT" in session.stops("not yet")["systemMessage"]


def test_the_time_that_checks_take_counts(session: Session) -> None:
    begun = int(time.time()) - 3597
    over = f"while [ $(date +%s) -le {begun + 3600} ]; do sleep 0.1; done; false"
    started(session, f"x --max-duration 1h --verify '{over}'")
    write(session, {**(session.state or {}), "startedAt": clock.text(begun)})
    session.works()
    told = session.stops(DONE)["systemMessage"]
    assert told == "Ralph: TIME_LIMIT after 0 iterations, 60 min: 3600 seconds were allowed"


def test_checks_decide(session: Session) -> None:
    started(session, "x --verify 'echo seen; echo told >&2; test -e fixed'")
    session.works()
    reason = session.stops(DONE)["reason"]
    assert "exit code 1" in reason and "seen\ntold" in reason
    assert session.state is not None and session.state["verifyingSince"] == ""
    (session.root / "fixed").touch()
    assert "1 check passed" in session.stops(DONE)["systemMessage"]


def test_all_checks_share_one_time_limit(session: Session) -> None:
    started(session, "x --verify-timeout 1s --verify 'sleep 60' --verify true")
    session.works()
    assert "did not end within 1 s" in session.stops(DONE)["reason"]


def test_checks_that_leave_a_program_behind_are_not_waited_for(session: Session) -> None:
    os.mkfifo(session.root / "pulse")
    pulse = os.open(session.root / "pulse", os.O_RDONLY | os.O_NONBLOCK)
    started(session, "x --verify 'exec 3>pulse; echo started >&3; sleep 300 & echo there'")
    session.works()
    assert "PROMISE_ACCEPTED" in session.stops(DONE)["systemMessage"]
    assert os.read(pulse, 100) == b"started\n"
    assert select.select([pulse], [], [], 60)[0], "it still runs"
    assert os.read(pulse, 100) == b""
    os.close(pulse)


@pytest.mark.parametrize("said", [DONE, "not yet"])
def test_a_hook_killed_in_its_checks_is_seen_at_the_next_stop(session: Session, said: str) -> None:
    started(session, "x --verify false")
    write(session, {**(session.state or {}), "verifyingSince": "2026-01-01T00:00:00Z"})
    session.works()
    assert "begun at 2026-01-01T00:00:00Z were cut off" in session.stops(said)["reason"]
    assert "were cut off" not in session.stops(said)["reason"]


STATE = f".ralph/sessions/{SESSION}.json"
AWAY = (
    "the loop's state is gone, and with it the loop: `reset` took it, or a check removed .ralph, "
    "as `git clean -x` does without `-e .ralph`"
)
ELSEWHERE = "the loop was ended or held elsewhere while this stop was judged"
MEANWHILE = {
    "reset": "mv .ralph/sessions .ralph/reset",
    "cleaned": "git init -q; git clean -fdxq -e meanwhile",
    "ended": f"mkdir .ralph/sessions/ended; mv {STATE} .ralph/sessions/ended/",
    "held": f"sed -i.old s/ACTIVE/PAUSED/ {STATE}",
    "begun anew": f"sed -i.old '/startedAt/s/20/21/' {STATE}",
    "broken": f"echo broken >{STATE}",
}


@pytest.mark.parametrize("verdict", ["true", "false"])
@pytest.mark.parametrize("event", MEANWHILE)
def test_a_loop_that_others_end_while_its_checks_run_stays_so(
    session: Session, event: str, verdict: str
) -> None:
    (session.root / "meanwhile").write_text(f"{MEANWHILE[event]}; cp {STATE} seen; {verdict}")
    here = event not in ("reset", "cleaned", "ended")
    started(session, "x --verify 'sh meanwhile'")
    session.works()
    assert session.stops(DONE) == {
        "systemMessage": f"Ralph: {AWAY if event in ('reset', 'cleaned') else ELSEWHERE}: "
        "the stop is allowed, and what its checks said does not count"
    }
    state, seen = session.root / STATE, session.root / "seen"
    assert state.exists() == seen.exists() == here
    assert not here or state.read_bytes() == seen.read_bytes()
    assert (session.root / ".ralph" / "sessions" / "ended").exists() == (event == "ended")


def test_an_agent_that_a_check_starts_is_in_no_loop(session: Session) -> None:
    started(session, "x --verify 'test \"$RALPH_ACTIVE\" = 0'")
    session.works()
    assert "1 check passed" in session.stops(DONE)["systemMessage"]


def test_the_same_failure_five_times_with_no_change_ends_it(session: Session) -> None:
    started(session, "x --verify false")
    for _ in range(4):
        session.works()
        assert "reason" in session.stops(DONE)
    session.works()
    assert "same check failed 5 times" in session.stops(DONE)["systemMessage"]


def test_a_changed_file_gives_the_same_failure_another_chance(session: Session) -> None:
    started(session, "x --verify false")
    for number in range(6):
        session.works()
        (session.root / "code").write_text("x" * number)
        assert "reason" in session.stops(DONE)


def test_a_continuation_is_short_whatever_the_task(session: Session) -> None:
    started(session, "y" * 50_000 + " --verify 'yes no | head -c 100000; exit 1'")
    session.works()
    reason = session.stops(DONE)["reason"]
    assert len(reason) <= 8000 and "no\nno" in reason and "all 50000 characters are in" in reason
    assert session.state is not None and session.state["task"] == "y" * 50_000


def test_background_work_is_waited_for(session: Session) -> None:
    started(session, "x")
    waits = {
        "systemMessage": "Ralph: the loop waits for work that runs in the background, and goes on "
        "when that has ended; /tasks shows and ends such work, /cancel-ralph ends the loop"
    }
    assert session.stops("waiting", background_tasks=RUNNING) == waits
    assert session.stops("still waiting", background_tasks=RUNNING) == {}
    assert "(work runs in the background)" in session.typed("ralph-status")["reason"]
    assert session.state is not None and session.state["iteration"] == 0
    assert "reason" in session.stops("it has ended")
    assert session.stops("another server", background_tasks=RUNNING) == waits


def test_a_promise_is_judged_when_the_background_work_has_ended(session: Session) -> None:
    started(session, "x")
    session.works()
    assert "the loop waits" in session.stops(DONE, background_tasks=RUNNING)["systemMessage"]
    assert "PROMISE_ACCEPTED" in session.stops(DONE)["systemMessage"]


def test_background_work_outlives_no_time_limit(session: Session) -> None:
    started(session, "x --max-duration 1h")
    write(session, {**(session.state or {}), "startedAt": "2026-01-01T00:00:00Z"})
    assert "TIME_LIMIT" in session.stops("waiting", background_tasks=RUNNING)["systemMessage"]
    assert session.ended["status"] == "TIME_LIMIT"


def test_a_good_promise_counts_when_the_time_is_over_and_work_still_runs(session: Session) -> None:
    started(session, "x --max-duration 1h --verify 'test -e fixed'")
    write(session, {**(session.state or {}), "startedAt": "2026-01-01T00:00:00Z"})
    session.works()
    (session.root / "fixed").touch()
    assert "PROMISE_ACCEPTED" in session.stops(DONE, background_tasks=RUNNING)["systemMessage"]


def test_cancel_works_at_once_and_with_loops_switched_off(session: Session) -> None:
    started(session, "x")
    session.env = {"RALPH_ACTIVE": "0"}
    assert "CANCELLED" in session.typed("ralph:cancel-ralph")["reason"]
    assert session.ended["status"] == "CANCELLED"


@pytest.mark.parametrize("content", ["/cancel-ralph", "/ralph:cancel-ralph"])
def test_a_queued_cancel_ends_it_and_is_not_obeyed_twice(session: Session, content: str) -> None:
    with runner(session):
        started(session, "x")
        session.add("queue-operation", operation="enqueue", content=content)
        assert "CANCELLED" in session.stops("going on")["systemMessage"]
        assert "nothing else was touched" in session.typed("cancel-ralph")["reason"]
        assert not request(session).exists()


def test_a_cancel_after_the_loops_end_reaches_the_runner(session: Session) -> None:
    with runner(session):
        started(session, "x")
        session.works()
        session.add("queue-operation", operation="enqueue", content="/ralph-status")
        assert "PROMISE_ACCEPTED" in session.stops(DONE)["systemMessage"]
        assert "runner was asked to stop" in session.typed("cancel-ralph")["reason"]


@pytest.mark.parametrize("operation", ["dequeue", "popAll"])
def test_a_cancel_that_was_taken_back_ends_nothing(session: Session, operation: str) -> None:
    started(session, "x")
    session.add("queue-operation", operation="enqueue", content="/cancel-ralph")
    session.add("queue-operation", operation=operation)
    assert "reason" in session.stops("going on")


def test_a_cancel_of_before_the_loop_ends_nothing(session: Session) -> None:
    session.add("queue-operation", operation="enqueue", content="/cancel-ralph")
    started(session, "x")
    assert "reason" in session.stops("going on")


def test_pause_holds_and_resume_goes_on(session: Session) -> None:
    started(session, "x")
    assert "PAUSED" in session.typed("ralph-pause")["reason"]
    assert session.stops("whatever") == {}
    assert "paused" in session.writes("hello")["systemMessage"]
    assert "goes on at iteration 0 of 25" in session.typed("ralph-resume")["reason"]
    assert "reason" in session.stops("going on")


def test_a_loop_held_during_its_checks_says_nothing_of_them(session: Session) -> None:
    started(session, "x --verify false")
    write(session, {**(session.state or {}), "verifyingSince": "2026-01-01T00:00:00Z"})
    session.typed("ralph-pause")
    assert session.state is not None and session.state["verifyingSince"] == ""
    session.typed("ralph-resume")
    session.works()
    assert "cut off" not in session.stops(DONE)["reason"]


def test_status_tells_and_changes_nothing(session: Session) -> None:
    assert "no loop runs" in session.typed("ralph-status")["reason"]
    started(session, "x")
    before = session.state
    assert "iteration 0 of 25" in session.typed("ralph-status")["reason"]
    assert session.state == before


def test_a_message_steers(session: Session) -> None:
    assert session.writes("hello") == {}
    started(session, "x")
    assert session.writes("/compact") == {}
    assert session.writes("<task-notification>\n<task-id>b1</task-id>") == {}
    answer = session.writes("use tabs")
    assert set(answer) == {"systemMessage"}
    assert "your message steers it; /cancel-ralph ends it" in answer["systemMessage"]


class runner:
    """Holds the folder's lock, as a runner does."""

    def __init__(self, session: Session) -> None:
        self.session = session
        status = os.stat(session.root)
        state = session.place.tmp / "home" / ".local" / "state" / "ralph"
        self.path = state / "locks" / f"{status.st_dev:x}-{status.st_ino:x}.lock"

    def __enter__(self) -> Path:
        self.path.parent.mkdir(parents=True)
        request(self.session).parent.parent.mkdir()
        self.file = self.path.open("w")
        fcntl.flock(self.file, fcntl.LOCK_EX)
        return self.path

    def __exit__(self, *_: object) -> None:
        self.file.close()


def request(session: Session) -> Path:
    from ralph_engine.core import requests

    state = session.place.tmp / "home" / ".local" / "state" / "ralph"
    return state / requests.state_name(str(session.root)) / "requests" / "cancel"


def test_cancel_without_a_loop_asks_the_runner(session: Session) -> None:
    assert "no runner in this folder" in session.typed("cancel-ralph")["reason"]
    with runner(session):
        assert "runner was asked to stop" in session.typed("cancel-ralph")["reason"]
    assert request(session).exists()
    request(session).unlink()
    assert "no runner in this folder" in session.typed("cancel-ralph")["reason"]
    assert not request(session).exists()


def test_cancel_waits_for_no_writer_where_the_lock_should_be(session: Session) -> None:
    path = runner(session).path
    path.parent.mkdir(parents=True)
    os.mkfifo(path)
    assert "no runner in this folder" in session.typed("cancel-ralph")["reason"]


@pytest.mark.parametrize("mine", ["run-1", "run-2", None])
def test_the_runners_own_agent_cannot_cancel_it(session: Session, mine: str | None) -> None:
    session.env["RALPH_RUN_ID"] = mine
    with runner(session) as lock:
        lock.with_suffix(".owner").write_text(json.dumps({"pid": 1, "run": "run-1"}))
        said = session.typed("cancel-ralph")["reason"]
    refused = "Ralph: this is the loop's own agent calling: only a person may do that"
    assert (said == refused) == (mine == "run-1")
    assert request(session).exists() == (mine != "run-1")


@pytest.mark.parametrize("word", ["", "{", "[]", '{"run": 1}', '{"run": ""}', "[" * 100_000])
def test_a_runner_that_does_not_say_who_it_is_can_be_cancelled(session: Session, word: str) -> None:
    session.env["RALPH_RUN_ID"] = "run-1"
    with runner(session) as lock:
        lock.with_suffix(".owner").write_text(word)
        assert "runner was asked to stop" in session.typed("cancel-ralph")["reason"]


def test_another_session_is_never_touched(session: Session) -> None:
    started(session, "x")
    before = session.state
    other = {"session_id": OTHER}
    env: dict[str, str | None] = {**session.env, "CLAUDE_CODE_SESSION_ID": OTHER}
    assert session.place.start("stop", {**other, "last_assistant_message": DONE}, env=env).silent
    assert "no loop runs" in session.typed("cancel-ralph", session=OTHER)["reason"]
    assert session.state == before


def test_a_fresh_context_iteration_is_judged_by_its_own_rules(session: Session) -> None:
    started(session, "x")
    session.place.write(".ralph-active", a_marker(goal="prompt"))
    session.env = {}
    assert session.stops("hello") == {}


def write(session: Session, state: Any) -> None:
    session.place.write(f".ralph/sessions/{SESSION}.json", state)


def linked(session: Session) -> None:
    path = session.root / ".ralph" / "sessions" / f"{SESSION}.json"
    path.rename(session.place.tmp / "elsewhere.json")
    path.symlink_to(session.place.tmp / "elsewhere.json")


def replaced(session: Session, make: Callable[[Path], object]) -> None:
    path = session.root / ".ralph" / "sessions" / f"{SESSION}.json"
    path.unlink()
    make(path)


def without_permission(session: Session) -> None:
    (session.root / ".ralph" / "sessions" / f"{SESSION}.json").chmod(0)
    without_the_powers_of_root(session)


def without_the_powers_of_root(session: Session) -> None:
    """Root may read and write all, unless it gives that up."""
    if os.geteuid() == 0:
        session.wrap = 'exec setpriv --bounding-set=-dac_override,-dac_read_search "$@"'


def with_a_full_disk(session: Session) -> None:
    """What stands for one: no file may grow."""
    session.wrap = "trap '' XFSZ; ulimit -f 0; exec \"$@\""


FAULTS: dict[str, Callable[[Session], object]] = {
    "empty": lambda s: write(s, ""),
    "torn": lambda s: write(s, json.dumps(a_loop())[:200]),
    "no object": lambda s: write(s, "[]"),
    "a field gone": lambda s: write(s, {"version": 1}),
    "a field of another kind": lambda s: write(s, a_loop(iteration="1")),
    "another session's": lambda s: write(s, a_loop(session=OTHER)),
    "newer": lambda s: write(s, a_loop(version=2)),
    "no time": lambda s: write(s, a_loop(startedAt="2026-13-01T00:00:00Z")),
    "10 MB": lambda s: write(s, a_loop(task="x" * 10_000_000)),
    "not UTF-8": lambda s: write(s, b'{"version": 1, "task": "\xff"}'),
    "nested": lambda s: write(s, "[" * 100_000),
    "link": linked,
    "link to nowhere": lambda s: replaced(s, lambda path: path.symlink_to("nowhere")),
    "folder": lambda s: replaced(s, Path.mkdir),
    "FIFO": lambda s: replaced(s, os.mkfifo),
    "unreadable": without_permission,
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_state_that_cannot_be_used_traps_nobody(session: Session, fault: str) -> None:
    started(session, "x")
    FAULTS[fault](session)
    answer = session.stops("hello")
    session.wrap = ""
    assert set(answer) == {"systemMessage"}
    kept = f".ralph/sessions/unusable/{SESSION}.json"
    assert f"kept as {kept}" in answer["systemMessage"]
    assert os.path.lexists(session.root / kept) and session.state is None
    assert session.stops("hello") == {}
    started(session, "again")


def test_a_state_that_cannot_be_written_traps_nobody_and_is_said(session: Session) -> None:
    started(session, "x")
    with_a_full_disk(session)
    answer = session.stops("hello")
    assert set(answer) == {"systemMessage"}
    path = f".ralph/sessions/{SESSION}.json"
    assert answer["systemMessage"].startswith(
        f"Ralph: the loop could not judge this stop, so it was allowed: {path} cannot be used"
    )
    session.wrap = ""
    assert "round 1 of 25" in session.stops("hello")["reason"]


def read_only(session: Session, ended: Path) -> None:
    ended.mkdir(0o500)
    without_the_powers_of_root(session)


NO_ROOM: dict[str, tuple[Callable[[Session, Path], object], str]] = {
    "a file": (lambda _, ended: ended.touch(), "is reached through a link or a file"),
    "a link": (lambda _, ended: ended.symlink_to("."), "is reached through a link or a file"),
    "read-only": (read_only, "cannot be used (Permission denied)"),
    "a full disk": (
        lambda session, _: with_a_full_disk(session),
        "cannot be used (File too large)",
    ),
}


@pytest.mark.parametrize("way", ["typed", "queued"])
@pytest.mark.parametrize("fault", NO_ROOM)
def test_a_cancel_works_where_no_copy_can_be_kept(session: Session, fault: str, way: str) -> None:
    started(session, "x")
    make, problem = NO_ROOM[fault]
    make(session, session.root / ".ralph" / "sessions" / "ended")
    if way == "queued":
        session.add("queue-operation", operation="enqueue", content="/cancel-ralph")
        said, why = session.stops("going on")["systemMessage"], "/cancel-ralph was queued"
    else:
        said, why = session.typed("cancel-ralph")["reason"], "/cancel-ralph"
    assert said == (
        f"Ralph: CANCELLED after 0 iterations, 0 min: {why}; its state is kept in "
        f".ralph/sessions, as .ralph/sessions/ended/{SESSION}.json {problem}"
    )
    assert session.state is None and session.stops("hello") == {}
    if way == "queued":
        with runner(session):
            assert "nothing else was touched" in session.typed("cancel-ralph")["reason"]
            assert not request(session).exists()
            assert "runner was asked to stop" in session.typed("cancel-ralph")["reason"]


def test_what_was_kept_elsewhere_is_not_the_last_loop_for_ever(session: Session) -> None:
    started(session, "one")
    folder = session.root / ".ralph" / "sessions"
    (folder / "ended").touch()
    session.add("queue-operation", operation="enqueue", content="/cancel-ralph")
    session.stops("going on")
    assert "the last one: CANCELLED" in session.typed("ralph-status")["reason"]
    (folder / "ended").unlink()
    started(session, "two --max-duration 1h")
    write(session, {**(session.state or {}), "startedAt": "2026-01-01T00:00:00Z"})
    session.stops("going on")
    assert "the last one: TIME_LIMIT" in session.typed("ralph-status")["reason"]
    [first] = folder.glob("*.json")
    assert json.loads(first.read_text())["task"] == "one"


def test_signs_are_pointed_out_where_there_are_any(session: Session) -> None:
    words = "Read ralph/guardrails.md first: Signs, left by earlier failures."
    assert words not in started(session, "x")["hookSpecificOutput"]["additionalContext"]
    assert words not in session.stops("hello")["reason"]
    session.place.write("ralph/guardrails.md", "# Guardrails\n")
    assert words in session.stops("hello")["reason"]
    assert words in session.place.start("session", {"source": "compact"}, env=session.env).context


def test_every_decision_is_logged(session: Session) -> None:
    started(session, "x")
    session.stops("hello")
    session.stops("waiting", background_tasks=[{"status": "running"}])
    session.typed("ralph-pause")
    session.stops("hello")
    session.typed("ralph-resume")
    session.works()
    session.stops(DONE)
    log = (session.root / ".ralph" / "hook-events.jsonl").read_text().splitlines()
    events = [json.loads(line) for line in log]
    assert all(schema.accepts("hook-event", event) for event in events)
    assert not schema.accepts("hook-event", {**events[0], "decision": "guessed"})
    assert [event["decision"] for event in events] == [
        *("started", "blocked", "allowed", "PAUSED", "allowed", "resumed"),
        "PROMISE_ACCEPTED",
    ]


def test_a_cleared_session_says_so_at_the_next_start(session: Session) -> None:
    started(session, "x")
    place = session.place
    end = {"hook_event_name": "SessionEnd", "reason": "clear"}
    assert place.start("session", end, env=session.env).silent
    assert session.ended["status"] == "CANCELLED"
    new = {"session_id": OTHER, "source": "clear"}
    told = json.loads(place.start("session", new, env=session.env).stdout)
    assert told == {"systemMessage": "Ralph: CANCELLED after 0 iterations, 0 min: /clear"}
    assert place.start("session", new, env=session.env).silent


@pytest.mark.parametrize("source", ["resume", "compact", "startup"])
def test_a_resumed_session_is_told_its_contract(session: Session, source: str) -> None:
    started(session, "Fix it")
    answer = session.place.start("session", {"source": source}, env=session.env)
    assert answer.context.endswith("Original task:\nFix it")
    assert ", at most 25 more rounds: " in answer.context
    write(session, {**(session.state or {}), "iteration": 24})
    answer = session.place.start("session", {"source": source}, env=session.env)
    assert ", at most 1 more round: " in answer.context


def test_without_a_transcript_the_end_says_so(session: Session) -> None:
    started(session, "x --max-iterations 10")
    gone = {"transcript_path": str(session.transcript) + "-gone"}
    for _ in range(7):
        assert "reason" in session.stops("thinking", **gone)
    assert "could not be counted" in session.stops(DONE, **gone)["systemMessage"]


def test_without_a_transcript_a_loop_ends_before_the_client_ends_it_silently(
    session: Session,
) -> None:
    started(session, "x")
    gone = {"transcript_path": str(session.transcript) + "-gone"}
    for _ in range(7):
        assert "reason" in session.stops("thinking", **gone)
    assert session.stops("thinking", **gone)["systemMessage"] == (
        "Ralph: STALLED after 7 iterations, 0 min: 8 turns in a row without a changed file, "
        "and tool calls cannot be seen without a transcript"
    )
    assert session.ended["status"] == "STALLED"


def test_without_a_transcript_a_changed_file_shows_work(session: Session) -> None:
    started(session, "x")
    gone = {"transcript_path": str(session.transcript) + "-gone"}
    for number in range(15):
        if number == 7:
            (session.root / "code").write_text("x")
        assert "reason" in session.stops("thinking", **gone), number
    assert "STALLED after 15" in session.stops("thinking", **gone)["systemMessage"]


def test_a_transcript_that_was_late_shows_the_work_of_all_turns(session: Session) -> None:
    started(session, "x")
    gone = {"transcript_path": str(session.transcript) + "-gone"}
    session.works()
    for _ in range(6):
        assert "reason" in session.stops("thinking", **gone)
    assert "reason" in session.stops("thinking")
    assert session.state is not None and session.state["turnsWithoutTools"] == 0


NONE_LEFT = "RALPH_AUDIT_COMPLETE_NO_FINDINGS"
AUDIT = "# Mission\nFind bugs\n## Validation Commands\n```\n{}\n```\n"


def audit(session: Session, command: str, arguments: str = "") -> dict[str, Any]:
    session.place.write("ralph/audit.md", AUDIT.format(command))
    return started(session, arguments, "ralph-audit")


def left(count: int) -> str:
    return f"RALPH_ITERATION_COMPLETE: {count} findings remain"


def test_an_audit_ends_when_nothing_is_left_and_its_commands_pass(session: Session) -> None:
    audit(session, "test -e fixed", "--verify true")
    session.works()
    assert "Find bugs" in session.stops(left(2))["reason"]
    assert "`test -e fixed` failed" in session.stops(NONE_LEFT)["reason"]
    (session.root / "fixed").touch()
    answer = session.stops(NONE_LEFT)["systemMessage"]
    assert "AUDIT_COMPLETE" in answer and "2 checks passed" in answer


def test_commands_removed_from_the_audit_still_run_and_added_ones_too(session: Session) -> None:
    audit(session, "test -e first")
    session.works()
    session.place.write("ralph/audit.md", "New words\n" + AUDIT.format("test -e second"))
    reason = session.stops(NONE_LEFT)["reason"]
    assert "`test -e first` failed" in reason and "New words" in reason
    (session.root / "first").touch()
    assert "`test -e second` failed" in session.stops(NONE_LEFT)["reason"]
    (session.root / "ralph" / "audit.md").unlink()
    assert "AUDIT_COMPLETE" in session.stops(NONE_LEFT)["systemMessage"]


def test_a_block_of_the_audit_is_one_check_that_stays(session: Session) -> None:
    block = "if true; then\n  test -e first &&\n    test -e second\nfi"
    context = audit(session, block)["hookSpecificOutput"]["additionalContext"]
    assert "each of these passes: if true; then ...\n" in context
    session.works()
    session.place.write("ralph/audit.md", "New words\n")
    (session.root / "first").touch()
    assert "the check `if true; then ...` failed: exit code 1" in session.stops(NONE_LEFT)["reason"]
    (session.root / "second").touch()
    assert "1 check passed" in session.stops(NONE_LEFT)["systemMessage"]


def test_an_audit_whose_commands_cannot_be_read_is_refused(session: Session) -> None:
    session.place.write("ralph/audit.md", "Look.\n## 4. Validation commands\nRun pytest.\n")
    assert session.typed("ralph-audit")["reason"] == (
        "Ralph: ralph/audit.md names no command under its Validation Commands; write each as a "
        "list entry (- `make test`, 1. `make test` or - [ ] `make test`) or in a code block (```), "
        "or remove the heading"
    )
    assert session.state is None


def test_an_audit_without_checks_says_so(session: Session) -> None:
    audit(session, "# none")
    session.works()
    assert "no checks configured" in session.stops(NONE_LEFT)["systemMessage"]


def test_the_same_number_three_times_is_enough(session: Session) -> None:
    audit(session, "true")
    for count in (5, 5):
        session.works()
        assert "5 findings remain: go on" in session.stops(left(count))["reason"]
    session.works()
    assert "STALLED after 2 iterations" in session.stops(left(5))["systemMessage"]


def test_a_threshold_of_one_needs_two_turns_all_the_same(session: Session) -> None:
    session.env["RALPH_CIRCUIT_BREAKER_THRESHOLD"] = "1"
    audit(session, "true")
    session.works()
    assert "reason" in session.stops(left(5))
    session.works()
    assert "did not change for 2 turns" in session.stops("no word")["systemMessage"]


def test_both_signals_are_not_done(session: Session) -> None:
    audit(session, "true")
    session.works()
    assert "that is not done" in session.stops(f"{left(1)}\n{NONE_LEFT}")["reason"]


@pytest.mark.parametrize("threshold", [None, "2"])
def test_unchanged_findings_end_an_audit(session: Session, threshold: str | None) -> None:
    session.env["RALPH_CIRCUIT_BREAKER_THRESHOLD"] = threshold
    audit(session, "true")
    for text in [left(5), left(4), *["no word"][: int(threshold or 3) - 2]]:
        session.works()
        assert "reason" in session.stops(text)
    session.works()
    answer = session.stops(left(4))["systemMessage"]
    assert f"STALLED after {2 + (threshold is None)} iterations" in answer


def test_another_signal_may_be_set(session: Session) -> None:
    session.env["RALPH_COMPLETION_SIGNAL"] = "ALL_CLEAN"
    audit(session, "true")
    session.works()
    assert "reason" in session.stops(NONE_LEFT)
    assert "AUDIT_COMPLETE" in session.stops("ALL_CLEAN")["systemMessage"]


@pytest.mark.parametrize("named", ["", "missing.md", "../outside.md", "/etc/hostname"])
def test_an_audit_needs_its_file(session: Session, named: str) -> None:
    answer = session.typed("ralph-audit", named)
    assert answer["decision"] == "block"
    assert (f"`{RALPH} init --audit` makes it" in answer["reason"]) == (named == "")
    assert session.state is None
