"""A promise is believed only when the loop's own checks pass, in the real client."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from e2e.conversation import DONE, WORK, Conversation, Talker, told, until
from e2e.loop_project import shell
from ralph_engine.scripted_model import ScriptedModel, say

# Until the process whose number is in the file is gone; the tool call fails where it stays.
# One that nobody has waited for yet is gone, too.
GONE = (
    "for _ in $(seq 500); do case $(ps -o stat= -p $(cat {})) in ''|Z*) exit 0;; esac; "
    "sleep 0.05; done; ps -ef; exit 1"
)


@pytest.fixture
def talker(tmp_path: Path) -> Talker:
    return Talker(tmp_path)


def test_checks_that_fail_pass_or_hang(talker: Talker) -> None:
    check = "--verify 'echo seen; echo told >&2; test -e fixed' --verify 'test -s fixed'"
    decides = [WORK, say(DONE), shell("touch fixed"), say(DONE), shell("echo x > fixed"), say(DONE)]
    hang = "--verify 'echo $$ > pid; echo begun; exec sleep 300' --verify-timeout 2s"
    hangs = [WORK, say(DONE), shell(GONE.format("pid")), say("Too slow for me.")]
    loops = [f"/ralph-loop Fix it {check}", f"/ralph-loop Wait {hang} --max-iterations 1"]
    played = talker.play([*decides, *hangs], *loops)
    assert "and each of these passes: echo seen; echo told >&2; test -e fixed" in played.heard[0]
    first, second, late = played.blocks
    assert "`echo seen; echo told >&2; test -e fixed` failed: exit code 1." in first
    assert "Its output:\nseen\ntold\n" in first
    assert "`test -s fixed` failed: exit code 1." in second
    assert "failed: the checks did not end within 2 s." in late and "Its output:\nbegun\n" in late
    assert played.told[1].startswith("Ralph: PROMISE_ACCEPTED after 2 iterations")
    assert played.told[1].endswith("the promise was made, 3 tool calls, 2 checks passed")
    assert "MAX_ITERATIONS_REACHED after 1 iteration" in played.told[3]
    assert talker.ended()["toolCalls"] == 2 and no_tool_failed(played.run.events)


KILLS = "test -e killed || { echo $$ > pid; touch killed; kill -9 $PPID; exec sleep 300; }; true"


def test_a_hook_that_is_killed_in_its_checks_accepts_nothing_and_leaves_nothing(
    talker: Talker,
) -> None:
    script = [WORK, say(DONE), shell(GONE.format("pid")), say("Where was I?"), say(DONE)]
    with ScriptedModel(script) as model, Conversation(talker, model) as conversation:
        conversation.type(f"/ralph-loop Fix it --verify '{KILLS}'")
        conversation.results(1)
        state = talker.active()
        assert state is not None and state["status"] == "ACTIVE"
        since = state["verifyingSince"]
        assert since != ""
        conversation.type("go on")
        conversation.results(2)
        run = conversation.end()
    note = f"The checks begun at {since} were cut off with their hook."
    assert note in model.requests[4].new_text
    assert no_tool_failed(run.events)
    started, steers, end = told(run.events)
    assert steers == (
        "the Ralph loop goes on (iteration 0 of 25), your message steers it; "
        "/cancel-ralph ends it, /ralph-pause holds it"
    )
    assert "PROMISE_ACCEPTED after 1 iteration" in end and "1 check passed" in end
    assert talker.ended()["verifyingSince"] == ""


def test_checks_end_with_their_session(talker: Talker) -> None:
    """Hook and check have sessions of their own: killing the client alone ends neither."""
    waits = "echo $PPID > hook; echo $$ > part; mv part check; exec sleep 300"
    with ScriptedModel([WORK, say(DONE)]) as model, Conversation(talker, model) as conversation:
        conversation.type(f"/ralph-loop Fix it --verify '{waits}'")
        until(lambda: (talker.root / "check").exists())
        conversation.client.kill()
        conversation.client.wait()
        for name in ("hook", "check"):
            pid = (talker.root / name).read_text().strip()
            until(lambda pid=pid: not alive(pid))  # type: ignore[misc]
    state = talker.active()
    assert state is not None and (state["status"], state["iteration"]) == ("ACTIVE", 0)


def no_tool_failed(events: list[dict[str, object]]) -> bool:
    return '"is_error": true' not in json.dumps([e for e in events if e["type"] == "user"])


def alive(pid: str) -> bool:
    stat = Path("/proc", pid, "stat")
    return stat.exists() and stat.read_text().rpartition(")")[2].split()[0] != "Z"
