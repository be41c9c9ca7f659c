"""Gemini and Amp in a loop, both real: they write, review and stand in."""

from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest
from e2e import amp_client, gemini_client
from e2e.amp_client import amp_path
from e2e.claude_client import client_path
from e2e.gemini_client import gemini_path
from e2e.runner_life import Life
from e2e.test_life import SUBMITTED, approved, rejected
from e2e.test_two_agents import judged, workers
from ralph_engine.agents import choose
from ralph_engine.scripted_model import ScriptedModel, Turn, call, fail, say

RESETS = "You have exhausted your capacity on this model. Your quota will reset after 2h0m0s."


class Trio(Life):
    """Each client asks the same scripted model by its own API; Claude is one of them."""

    def _environment(self, model: ScriptedModel) -> dict[str, str]:
        own = super()._environment(model)
        own.update(TMPDIR=str(self._folder), **amp_client.environment(model.url))
        return {**own, **gemini_client.environment(self.home, model.url)}


def trio(folder: Path, *names: str, **settings: Any) -> Trio:
    life = Trio(folder, *names)
    life.settings = settings
    life.begin()
    return life


def command_of(turn: Turn) -> str:
    [block] = turn["content"]
    return str(block["input"]["command"])


def by_gemini(turn: Turn) -> Turn:
    return call("run_shell_command", command=command_of(turn), description="work")


def by_amp(turn: Turn) -> Turn:
    return call("Bash", cmd=command_of(turn))


def test_gemini_writes_and_amp_reviews(tmp_path: Path) -> None:
    life = trio(tmp_path, "US-1")
    again = {**SUBMITTED, "reviewFeedback": ""}
    turns = [
        by_gemini(life.edit("US-1", "feat: US-1", "echo draft > a.txt", **SUBMITTED)),
        say("Done."),
        by_amp(life.edit("US-1", "review: US-1 sent back", **rejected(1, "A draft"))),
        say("Sent back."),
        by_gemini(life.edit("US-1", "fix: US-1", "echo fixed > a.txt", **again)),
        say("Fixed."),
        by_amp(life.edit("US-1", "review: US-1", **approved(2))),
        say("All done.\n<promise>COMPLETE</promise>"),
    ]
    life.agent = str(gemini_path())
    ran = life.run(turns, "--review-agent", str(amp_path()))
    assert ran.code == 0, ran.screen
    assert workers(ran) == ["gemini", "amp"] * 2
    assert ran.endings() == ["ok"] * 4
    assert judged(ran) == [
        *(("submitted", "US-1"), ("changes_requested", "US-1")),
        *(("submitted", "US-1"), ("approved", "US-1")),
    ]
    assert "[ralph] agent: 0.61.0" in ran.screen
    [version] = [line for line in ran.screen if line.startswith("[ralph] review agent: ")]
    assert version.startswith("[ralph] review agent: 0.0.1767830505-ga62310 (released ")
    assert [entry["cost"] for entry in ran.of("agent-ended")] == [None] * 4
    tools = [entry["name"] for entry in ran.of("agent") if entry["kind"] == "tool_start"]
    assert tools == ["run_shell_command", "Bash"] * 2


def test_amp_stands_in_until_geminis_limit_is_reset(tmp_path: Path) -> None:
    fallback = {"fallback": {"command": str(amp_path())}}
    life = trio(tmp_path, "US-1", agent=fallback)
    life.agent = str(gemini_path())
    turns = [
        fail(429, RESETS),
        by_amp(life.edit("US-1", "feat: US-1", "echo a > a.txt", **SUBMITTED)),
        say("Done."),
        life.edit("US-1", "review: US-1", **approved(1)),
        say("Approved."),
    ]
    ran = life.run(turns, "--review-agent", str(client_path()))
    assert ran.code == 0, ran.screen
    assert workers(ran) == ["gemini", "amp", "claude"]
    assert (ran.endings(), ran.of("wait")) == (["limit", "ok", "ok"], [])
    [event] = ran.of("fallback")
    assert event["command"] == str(amp_path())


@pytest.mark.parametrize(
    ("program", "by"), [(amp_path, by_amp), (gemini_path, by_gemini)], ids=["amp", "gemini"]
)
def test_it_writes_the_message_of_a_commit(tmp_path: Path, program: Any, by: Any) -> None:
    life = trio(tmp_path, scm={"command": "git", "tasks": ["commit"]})
    (life.root / "app.txt").write_text("one\n")
    life.git("add", "-A")
    life.git("commit", "-qm", "app")
    life.agent = str(program())
    work = by(call("any", command="echo two >> app.txt"))
    answer = say("<response>Add a second line</response>")
    ran = life.run([work, say("<response>DONE</response>"), answer], "-p", "- Work.")
    assert ran.code == 0, ran.screen
    assert life.git("log", "-1", "--format=%s") == "Add a second line"


def test_what_gemini_left_running_is_ended_with_it(tmp_path: Path) -> None:
    """Its commands live in sessions of their own, and it does not end at SIGINT."""
    life = trio(tmp_path, "US-1")
    life.agent = str(gemini_path())
    begun = shlex.quote(str(tmp_path / "begun"))
    stubborn = f"(setsid sh -c 'trap \"\" INT TERM; touch {begun}; sleep 300' &); sleep 300"
    turns = [by_gemini(call("any", command=stubborn))]
    ran = life.run(turns, "--iteration-timeout", "6s", "-n", "1", "--breaker", "0")
    assert (ran.code, ran.endings()) == (1, ["timeout"])
    assert (tmp_path / "begun").exists()
    assert (life.left_running, ran.of("left-running")) == ([], [])


@pytest.mark.parametrize("program", [amp_path, gemini_path], ids=["amp", "gemini"])
def test_the_pinned_client_knows_every_flag_that_we_pass(tmp_path: Path, program: Any) -> None:
    adapter = choose(str(program()))
    told = subprocess.run(
        [program(), *adapter.HELP],
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    words = set(told.stdout.replace(",", " ").split())
    assert [flag for flag in adapter.FLAGS if flag not in words] == []
