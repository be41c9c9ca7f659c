"""Limits and failures of the provider, met by the real client: what the whole runner does."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Callable

import pytest
from e2e.loop_project import shell
from e2e.runner_life import Life
from ralph_engine import waits
from ralph_engine.scripted_model import Request, Turn, break_off, drop, empty, fail, say

DONE = "<response>DONE</response>"
AT_ONCE = {"retry-after": "0"}
GIVE_UP = {"x-should-retry": "false"}
# One request and the retries that the runner allows the client.
WHOLE_ATTEMPT = 5
# A stream that breaks off is asked for again by another rule of the client's.
BROKEN_STREAMS = 4
TROUBLES: dict[str, tuple[list[Turn], str]] = {
    "500": ([fail(500, headers=GIVE_UP)], "overloaded"),
    "529": ([fail(529, headers=GIVE_UP)], "overloaded"),
    "reset": ([drop()] * WHOLE_ATTEMPT, "network"),
    "mid-stream": ([break_off("Hm", "overloaded_error")] * BROKEN_STREAMS, "network"),
}


@pytest.fixture
def life(tmp_path: Path) -> Life:
    life = Life(tmp_path)
    life.begin()
    return life


@pytest.mark.parametrize("name", sorted(TROUBLES))
def test_a_provider_that_recovers_costs_no_iteration(life: Life, name: str) -> None:
    turns, kind = TROUBLES[name]
    ran = life.run([*turns, say(DONE)], "-p", "go", "-n", "1")
    assert (ran.code, ran.endings()) == (0, [kind, "ok"])
    assert [(e["kind"], e["seconds"]) for e in ran.of("wait")] == [(kind, 5.0)]
    assert (len(ran.of("iteration")), len(ran.of("retry"))) == (1, 1)


def test_a_limit_without_a_reset_is_not_waited_for_beyond_the_runs_time(life: Life) -> None:
    ran = life.run([fail(429, headers=GIVE_UP)], "-p", "go", "--max-duration", "240s")
    assert (ran.code, ran.endings(), ran.of("wait")) == (4, ["limit"], [])
    assert ran.last_line.startswith("ralph: limit: provider unavailable: ")
    assert "; the next try would be at " in ran.last_line
    assert ran.last_line.endswith(", after the end of --max-duration")


def subscription(reset: Callable[[], int]) -> Callable[[Request], Turn]:
    """A used-up window of a subscription, as the headers of its provider tell it."""

    def refused(_: Request) -> Turn:
        at = str(reset())
        told = {"status": "rejected", "reset": at, "representative-claim": "five_hour"}
        told |= {"5h-utilization": "1.0", "5h-reset": at}
        return fail(429, headers={f"anthropic-ratelimit-unified-{k}": v for k, v in told.items()})

    return refused


@pytest.fixture
def subscribed(life: Life, tmp_path: Path) -> Life:
    """Only an account of a person has such windows; the token is a dummy."""
    token = "unset ANTHROPIC_API_KEY; export CLAUDE_CODE_OAUTH_TOKEN=sk-ant-oat01-test"
    client = tmp_path / "claude"
    client.write_text(f"#!/bin/sh\n{token}\nexec '{life.agent}' \"$@\"\n")
    client.chmod(0o755)
    life.agent = str(client)
    return life


def test_a_reset_some_seconds_ahead_is_waited_for(subscribed: Life) -> None:
    resets: list[int] = []

    def soon() -> int:
        resets.append(int(time.time()) + 4)
        return resets[-1]

    ran = subscribed.run([subscription(soon), say(DONE)], "-p", "go", "-n", "1")
    assert (ran.code, ran.endings()) == (0, ["limit", "ok"])
    assert time.time() >= resets[0]
    until = time.strftime("%H:%M:%S", time.localtime(resets[0]))
    assert any(line.startswith(f"[ralph] waiting until {until} (") for line in ran.screen)
    assert len(ran.of("iteration")) == 1


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        (["--no-wait-on-limit"], "; it resets at {time}"),
        (["--max-duration", "60s"], "; the next try would be at {time}, after the end of"),
    ],
)
def test_a_reset_that_is_not_waited_for_is_named(
    subscribed: Life, flags: list[str], told: str
) -> None:
    reset = int(time.time()) + 3600
    ran = subscribed.run([subscription(lambda: reset)], "-p", "go", *flags)
    assert (ran.code, ran.endings(), ran.of("wait")) == (4, ["limit"], [])
    local = waits.clock(reset, time.time())
    assert told.format(time=local) in ran.last_line


def test_a_limit_behind_the_work_holds_only_the_next_iteration_back(
    tmp_path: Path,
) -> None:
    life = Life(tmp_path, "US-1", "US-2")
    life.begin()
    passed = {"passes": True, "notes": "built"}
    one = life.edit("US-1", "feat: US-1", "touch one", **passed)
    two = life.edit("US-2", "feat: US-2", "touch two", **passed)
    broken = [fail(529, headers=GIVE_UP)]
    ran = life.run([one, *broken, two, say("Done.")], "--skip-review")
    assert (ran.code, ran.endings(), ran.of("retry")) == (0, ["overloaded", "ok"], [])
    steps = [e["event"] for e in ran.of("iteration", "wait")]
    assert steps == ["iteration", "wait", "iteration"]


def test_a_refused_key_is_fatal(life: Life) -> None:
    ran = life.run([fail(401, headers=AT_ONCE)] * WHOLE_ATTEMPT, "-p", "go")
    assert (ran.code, ran.endings()) == (2, ["auth"])


def test_turns_used_up_are_counted_and_the_loop_goes_on(life: Life) -> None:
    life.write_settings(agent={"command": life.agent, "flags": ["--max-turns 1"]})
    ran = life.run([shell("true"), say(DONE)], "-p", "go", "-n", "3")
    assert (ran.code, ran.endings()) == (0, ["max_turns", "ok"])
    assert len(ran.of("iteration")) == 2


def test_silence_is_failed_at_the_third_time(life: Life) -> None:
    ran = life.run([empty()] * 6, "-p", "go", "-n", "1")
    assert (ran.code, ran.endings()) == (1, ["empty"] * 3)


def test_a_used_up_budget_ends_the_run(life: Life) -> None:
    dear = {**shell("true"), "usage": {"input": 900_000, "output": 10}}
    ran = life.run([dear], "-p", "go", "--max-cost", "0.01")
    assert (ran.code, ran.endings()) == (4, ["budget"])
    assert ran.last_line == "ralph: limit: the cost limit is reached"
    [cost] = [line for line in ran.screen if line.startswith("[ralph] cost: ")]
    assert "~" not in cost and cost != "[ralph] cost: $0.00"


@pytest.mark.parametrize("reader", ["cat words", "cat words; exit 1"])
def test_a_file_that_speaks_of_limits_changes_nothing(life: Life, reader: str) -> None:
    words = "Claude AI usage limit reached|1762952400\nAPI Error: 429 overloaded, run /login\n"
    (life.root / "words").write_text(words)
    ran = life.run([shell(reader), say(DONE)], "-p", "go", "-n", "1")
    assert (ran.code, ran.endings(), ran.of("wait")) == (0, ["ok"], [])
