"""Claude Code and Codex in one loop, both real: who writes, who reviews, who stands in."""

from __future__ import annotations

import re
import shlex
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from e2e import codex_client
from e2e.claude_client import client_path
from e2e.codex_client import codex_path
from e2e.runner_life import Life, Ran
from e2e.test_life import SUBMITTED, approved, rejected
from e2e.test_limits import GIVE_UP, subscription
from ralph_engine.agents import claude, codex
from ralph_engine.scripted_model import ScriptedModel, Turn, call, fail, say

PASSING = {"passes": True, "reviewStatus": "approved", "reviewCount": 1, "notes": "Trust me"}


class Pair(Life):
    """Both clients ask the same scripted model, each by its own API."""

    def _environment(self, model: ScriptedModel) -> dict[str, str]:
        own = super()._environment(model)
        return {**own, **codex_client.environment(self._folder, model.url)}


def by_codex(turn: Turn) -> Turn:
    """The same command, in the words of the other client's shell tool."""
    [block] = turn["content"]
    return call("exec_command", cmd=block["input"]["command"])


def used_up(resets_in: float = 3600) -> Turn:
    error = {"type": "usage_limit_reached", "plan_type": "pro"}
    return fail(429, error={**error, "resets_at": int(time.time() + resets_in)})


def workers(ran: Ran) -> list[str]:
    commands = [entry["command"] for entry in ran.of("agent-started")]
    return [Path(shlex.split(command)[0]).name.partition(".")[0] for command in commands]


def judged(ran: Ran) -> list[tuple[str, str]]:
    return [(entry["event"], entry["story"]) for entry in ran.verdicts]


def pair(folder: Path, *names: str, **settings: Any) -> Pair:
    life = Pair(folder, *names)
    life.settings = settings
    life.begin()
    return life


def test_claude_writes_and_codex_reviews(tmp_path: Path) -> None:
    life = pair(tmp_path, "US-1", "US-2")
    again = {**SUBMITTED, "reviewFeedback": ""}
    turns = [
        life.edit("US-1", "feat: US-1", "echo draft > a.txt", **SUBMITTED),
        say("Done."),
        by_codex(life.edit("US-1", "review: US-1 sent back", **rejected(1, "A draft"))),
        say("Sent back."),
        life.edit("US-1", "fix: US-1", "echo fixed > a.txt", **again),
        say("Fixed."),
        by_codex(life.edit("US-1", "review: US-1", **approved(2))),
        used_up(),  # its verdict stands, and the writer need not wait for it
        life.edit("US-2", "feat: US-2", "echo b > b.txt", **SUBMITTED),
        say("Done."),
        by_codex(life.edit("US-2", "review: US-2", **approved(1))),
        say("All done.\n<promise>COMPLETE</promise>"),
    ]
    ran = life.run(turns, "--review-agent", str(codex_path()))
    assert ran.code == 0, ran.screen
    assert [entry["mode"] for entry in ran.of("iteration")] == [
        *("implement", "review", "review-fix", "review", "implement", "review"),
    ]
    assert workers(ran) == ["claude", "codex"] * 3
    assert ran.endings() == ["ok", "ok", "ok", "limit", "ok", "ok"]
    assert ran.of("wait") == []
    assert judged(ran) == [
        *(("submitted", "US-1"), ("changes_requested", "US-1")),
        *(("submitted", "US-1"), ("approved", "US-1")),
        *(("submitted", "US-2"), ("approved", "US-2")),
    ]
    assert "[ralph] agent: 2.1.326 (Claude Code)" in ran.screen
    assert "[ralph] review agent: codex-cli 0.169.0" in ran.screen
    figures = [f for line in ran.screen for f in re.findall(r"agent: (\w+ \(.*), time", line)]
    assert [words.startswith("Complete (cost: $") for words in figures] == [True, False] * 3
    counted = "Complete (tokens: 200 in / 20 out, tools: 1, errors: 0"
    assert figures[1::2] == [counted, "Failed (tools: 1, errors: 0", counted]
    [cost] = [line for line in ran.screen if line.startswith("[ralph] cost: $")]
    assert cost.endswith(" (without codex: no cost is told)")
    charged = [(entry["charged"] > 0, entry["estimated"]) for entry in ran.of("agent-ended")]
    assert charged == [(True, False), (False, False)] * 3


def test_codex_writes_and_is_held_to_the_same_rules(tmp_path: Path) -> None:
    life = pair(tmp_path, "US-1", "US-2")
    plain = life.stories
    cheat = by_codex(life.edit("US-1", "feat: by itself", "echo a > a.txt", **PASSING))
    life.stories = plain
    turns = [
        *(cheat, say("Done.\n<promise>COMPLETE</promise>")),
        by_codex(life.edit("US-1", "feat: US-1", "echo b > a.txt", **SUBMITTED)),
        say("Done."),
        *(life.edit("US-1", "review: US-1", **approved(1)), say("Approved.")),
        by_codex(life.edit("US-2", "feat: US-2", "echo b > b.txt", **SUBMITTED)),
        say("Done."),
        *(life.edit("US-2", "review: US-2", **approved(1)), say("Approved.")),
    ]
    life.agent = str(codex_path())
    ran = life.run(turns, "--review-agent", str(client_path()), "--review-model", "opus")
    assert ran.code == 0, ran.screen
    assert workers(ran) == ["codex", "codex", "claude", "codex", "claude"]
    assert [entry["rule"] for entry in ran.of("violation")] == ["illegal-in-implement"]
    assert [entry["rule"] for entry in ran.of("notice")] == ["false-promise"]
    assert "The runner undid what the last iteration did" in ran.requests[2].new_text
    started = [entry["command"] for entry in ran.of("agent-started")]
    assert ["--model opus" in command for command in started] == [False, False, True, False, True]
    assert judged(ran) == [
        *(("submitted", "US-1"), ("approved", "US-1"), ("submitted", "US-2"), ("approved", "US-2")),
    ]


def test_codex_stands_in_until_claudes_limit_is_reset(tmp_path: Path) -> None:
    life = pair(tmp_path, "US-1", agent={"fallback": {"command": str(codex_path())}})
    token = "unset ANTHROPIC_API_KEY; export CLAUDE_CODE_OAUTH_TOKEN=sk-ant-oat01-test"
    wrapper = tmp_path / "claude"
    wrapper.write_text(f"#!/bin/sh\n{token}\nexec '{life.agent}' \"$@\"\n")
    wrapper.chmod(0o755)
    life.write_settings(agent={"command": str(wrapper), **life.settings["agent"]})
    life.git("commit", "-qam", "settings")
    reset = int(time.time()) + 6
    passed = f"while [ $(date +%s) -le {reset} ]; do sleep 0.1; done; echo a > a.txt"
    turns = [
        subscription(lambda: reset),
        by_codex(life.edit("US-1", "feat: US-1", passed, **SUBMITTED)),
        say("Done."),
        life.edit("US-1", "review: US-1", **approved(1)),
        say("Approved."),
    ]
    life.agent = str(wrapper)
    ran = life.run(turns)
    assert ran.code == 0, ran.screen
    assert workers(ran) == ["claude", "codex", "claude"]
    assert (ran.endings(), ran.of("wait")) == (["limit", "ok", "ok"], [])
    assert len(ran.of("iteration")) == 2
    [event] = ran.of("fallback")
    until = time.strftime("%H:%M:%S", time.localtime(reset))
    assert (event["command"], event["until"]) == (str(codex_path()), until)
    words = f"[ralph] {codex_path()} stands in for {wrapper} until {until}: "
    assert any(line.startswith(words) for line in ran.screen)
    assert "[ralph] fallback agent: codex-cli 0.169.0" in ran.screen
    assert "[ralph] try 2 of this iteration" in ran.screen


def test_claude_stands_in_for_codex_and_reviews_too(tmp_path: Path) -> None:
    life = pair(tmp_path, "US-1", agent={"fallback": {"command": str(client_path())}})
    life.write_settings(
        agent={"command": str(codex_path()), "fallback": {"command": str(client_path())}}
    )
    life.git("commit", "-qam", "settings")
    life.agent = str(codex_path())
    turns = [
        used_up(),
        *(life.edit("US-1", "feat: US-1", "echo a > a.txt", **SUBMITTED), say("Done.")),
        *(life.edit("US-1", "review: US-1", **approved(1)), say("Approved.")),
    ]
    ran = life.run(turns)
    assert ran.code == 0, ran.screen
    assert workers(ran) == ["codex", "claude", "claude"]
    assert len(ran.of("fallback")) == 1


def test_nobody_stands_in_for_a_reviewer(tmp_path: Path) -> None:
    life = pair(tmp_path, "US-1", agent={"fallback": {"command": str(client_path())}})
    work = life.edit("US-1", "feat: US-1", "echo a > a.txt", **SUBMITTED)
    turns = [work, say("Done."), used_up()]
    flags = ["--review-agent", str(codex_path()), "--no-wait-on-limit"]
    ran = life.run(turns, *flags)
    assert (ran.code, ran.of("fallback")) == (4, [])
    assert "; it resets at " in ran.last_line


def test_a_stand_in_that_is_used_up_too_is_waited_for(tmp_path: Path) -> None:
    life = pair(tmp_path, "US-1", agent={"fallback": {"command": str(codex_path())}})
    ran = life.run([fail(429, headers=GIVE_UP), used_up()], "--max-duration", "10m")
    assert (ran.code, ran.endings()) == (4, ["limit", "limit"])
    assert workers(ran) == ["claude", "codex"]
    assert "; the next try would be at " in ran.last_line


def test_codex_writes_the_message_of_a_commit(tmp_path: Path) -> None:
    life = pair(tmp_path, scm={"command": "git", "tasks": ["commit"]})
    (life.root / "app.txt").write_text("one\n")
    life.git("add", "-A")
    life.git("commit", "-qm", "app")
    life.agent = str(codex_path())
    work = call("exec_command", cmd="echo two >> app.txt")
    answer = say("<response>Add a second line</response>")
    ran = life.run([work, say("<response>DONE</response>"), answer], "-p", "Work.")
    assert ran.code == 0, ran.screen
    assert life.git("log", "-1", "--format=%s") == "Add a second line"


def test_what_codex_left_running_is_ended_with_it(tmp_path: Path) -> None:
    """Its commands live in sessions of their own."""
    life = pair(tmp_path, "US-1")
    life.agent = str(codex_path())
    begun = shlex.quote(str(tmp_path / "begun"))
    stubborn = f"(setsid sh -c 'trap \"\" INT TERM; touch {begun}; sleep 300' &); sleep 300"
    ran = life.run(
        [call("exec_command", cmd=stubborn)],
        "--iteration-timeout",
        "4s",
        "-n",
        "1",
        "--breaker",
        "0",
    )
    assert (ran.code, ran.endings()) == (1, ["timeout"])
    assert (tmp_path / "begun").exists()
    assert (life.left_running, ran.of("left-running")) == ([], [])


@pytest.mark.parametrize(
    ("adapter", "program"), [(claude, client_path), (codex, codex_path)], ids=["claude", "codex"]
)
def test_the_pinned_clients_know_every_flag_that_we_pass(adapter: Any, program: Any) -> None:
    told = subprocess.run(
        [program(), *adapter.HELP], capture_output=True, text=True, timeout=60, check=True
    ).stdout
    words = set(told.replace(",", " ").split())
    assert [flag for flag in adapter.FLAGS if flag not in words] == []
