"""The scripted model drives the real client."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from e2e.claude_client import ClientRun, run_claude
from ralph_engine.scripted_model import (
    Request,
    ScriptedModel,
    Turn,
    call,
    drop,
    empty,
    fail,
    say,
    think,
    turn,
)

ONE_RETRY = {"CLAUDE_CODE_MAX_RETRIES": "1"}

Drive = Callable[..., ClientRun]


@pytest.fixture
def drive(tmp_path: Path) -> Drive:
    def drive(model: ScriptedModel, **options: object) -> ClientRun:
        return run_claude(model, tmp_path, plugin=None, **options)  # type: ignore[arg-type]

    return drive


def retries(run: ClientRun) -> list[object]:
    return [e["error_status"] for e in run.of_type("system") if e["subtype"] == "api_retry"]


@pytest.mark.parametrize("version", ["newest", "older"])
def test_text_is_the_result(drive: Drive, version: str) -> None:
    with ScriptedModel([say("Hello there.")]) as model:
        run = drive(model, prompt="Say hello.", version=version)
    assert (run.exit_code, run.result["result"], run.stderr) == (0, "Hello there.", "")
    assert "Say hello." in model.requests[0].last_user_text
    assert (len(model.requests), model.answers_past_the_end) == (1, 0)


def test_tool_results_are_read_back(drive: Drive, tmp_path: Path) -> None:
    write = call("Write", file_path=str(tmp_path / "note"), content="from the script\n")
    both = turn(write, call("Bash", command="echo $((40 + 2))", description="count"))
    read = call("Bash", command="cat note", description="read")
    with ScriptedModel([both, read, say("done")]) as model:
        run = drive(model)
    assert run.result["result"] == "done"
    assert "42" in model.requests[1].new_text
    assert "42" not in model.requests[2].new_text
    assert model.requests[2].last_user_text.strip() == "from the script"


def test_a_callable_turn_sees_the_request(drive: Drive) -> None:
    def repeat(request: Request) -> Turn:
        return say("it said " + request.last_user_text)

    with ScriptedModel([call("Bash", command="echo marco", description="x"), repeat]) as model:
        run = drive(model)
    assert run.result["result"] == "it said marco"


def test_thinking_reaches_the_client(drive: Drive) -> None:
    with ScriptedModel([turn(think("let me see"), say("seen"))]) as model:
        run = drive(model)
    blocks = [block for e in run.of_type("assistant") for block in e["message"]["content"]]
    assert [block["type"] for block in blocks] == ["thinking", "text"]
    assert blocks[0]["thinking"] == "let me see"


def test_overload_is_retried_and_then_reported(drive: Drive) -> None:
    with ScriptedModel([fail(529, headers={"retry-after": "0"})] * 2) as model:
        run = drive(model, env=ONE_RETRY)
    assert (run.exit_code, run.result["is_error"]) == (1, True)
    assert run.result["api_error_status"] == 529
    assert retries(run) == [529]
    assert (len(model.requests), model.answers_past_the_end) == (2, 0)


def test_an_empty_reply_is_asked_for_again(drive: Drive) -> None:
    with ScriptedModel([empty(), empty()]) as model:
        run = drive(model)
    assert (run.exit_code, run.result["result"]) == (0, "")
    assert (len(model.requests), model.answers_past_the_end) == (2, 0)


def test_a_delayed_turn_takes_its_time(drive: Drive) -> None:
    with ScriptedModel([turn(say("late"), after=1.5)]) as model:
        run = drive(model)
    assert run.result["result"] == "late"
    assert run.result["duration_api_ms"] >= 1500


def test_usage_and_model_show_in_the_result(drive: Drive) -> None:
    usage = {"input": 11, "cache_read": 2200, "cache_creation": 330, "output": 44}
    with ScriptedModel([turn(say("counted"), usage=usage, model="claude-test-9")]) as model:
        run = drive(model)
    counted = run.result["usage"]
    assert counted["input_tokens"] == 11
    assert counted["cache_read_input_tokens"] == 2200
    assert counted["cache_creation_input_tokens"] == 330
    assert counted["output_tokens"] == 44
    assert run.of_type("assistant")[-1]["message"]["model"] == "claude-test-9"


def test_a_dropped_connection_is_retried(drive: Drive) -> None:
    with ScriptedModel([drop(), say("back again")]) as model:
        run = drive(model, env=ONE_RETRY)
    assert (run.exit_code, run.result["result"]) == (0, "back again")
    assert retries(run) == [None]


def test_what_the_agent_left_running_is_killed(drive: Drive, tmp_path: Path) -> None:
    leave = "setsid sleep 3600 < /dev/null > /dev/null 2>&1 & echo $! > pid"
    with ScriptedModel([call("Bash", command=leave, description="x"), say("left")]) as model:
        run = drive(model)
    assert run.result["result"] == "left"
    assert not alive((tmp_path / "pid").read_text().strip())


def test_a_client_that_does_not_end_is_killed(drive: Drive) -> None:
    with (
        ScriptedModel([turn(say("never"), after=3600)]) as model,
        pytest.raises(AssertionError, match="did not end within 3 s"),
    ):
        drive(model, deadline=3)


def alive(pid: str) -> bool:
    stat = Path("/proc", pid, "stat")
    return stat.exists() and stat.read_text().rpartition(")")[2].split()[0] != "Z"
