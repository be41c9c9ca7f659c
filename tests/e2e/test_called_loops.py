"""/ralph-router and /ralph-tdd in the real client: a program decides, and no Stop hook is armed."""

from __future__ import annotations

import json
import re
import uuid
from pathlib import Path
from typing import Any

import launchers_cache
import pytest
from e2e.claude_client import REPOSITORY
from e2e.conversation import Talker
from e2e.loop_project import shell
from e2e.planning import UNATTENDED
from ralph_engine import schema
from ralph_engine.core.own_command import RALPH as TYPED
from ralph_engine.scripted_model import Request, Turn, call, say

RALPH = f'"{REPOSITORY}/scripts/ralph.sh"'
NONE_LEFT = "RALPH_AUDIT_COMPLETE_NO_FINDINGS"
AUDIT = "# Mission\nFind bugs\n\n## Validation Commands\n- `test -e fixed`\n"

# Nobody is there to say yes: what the skill does not allow by itself needs its own permission.
UNATTENDED_BUT_WORKING = [*UNATTENDED, "--allowedTools", "Agent,Bash(touch:*),Bash(true)"]


@pytest.fixture
def talker(tmp_path: Path) -> Talker:
    talker = Talker(tmp_path)
    (talker.root / "ralph").mkdir()
    (talker.root / "ralph" / "audit.md").write_text(AUDIT)
    return talker


def environment(talker: Talker) -> dict[str, str]:
    return {"XDG_CACHE_HOME": launchers_cache.PATH, "XDG_STATE_HOME": str(talker.outside / "state")}


def ralph(*words: str) -> Turn:
    return call("Bash", command=" ".join([RALPH, *words]), description="ask")


def answered(request: Request) -> dict[str, Any]:
    """What `router next` has just said to the session; the client may add lines of its own."""
    answer: dict[str, Any] = json.loads(request.new_text.splitlines()[0])
    assert schema.accepts("router-answer", answer)
    return answer


def hand_out(request: Request) -> Turn:
    """As the skill says: the prompt verbatim, to one fresh subagent."""
    prompt = answered(request)["prompt"]
    words = {"description": "round", "prompt": prompt, "subagent_type": "general-purpose"}
    return call("Agent", run_in_background=False, **words)


class Orchestra:
    """Plays the session and its subagents, who are known by the prompt that they were given."""

    def __init__(self, main: list[Any], rounds: list[list[Turn]]) -> None:
        self.main, self.rounds = iter(main), rounds
        self.prompts: dict[int, str] = {}
        self.answers: list[dict[str, Any]] = []

    def __call__(self, request: Request) -> Turn:
        first = json.dumps(request.messages[0])
        number = re.search(r"You are round (\d+) of at most 25 of an audit", first)
        if number:
            self.prompts[int(number[1])] = first
            done = sum(message["role"] == "assistant" for message in request.messages)
            return self.rounds[int(number[1]) - 1][done]
        turn = next(self.main)
        if request.new_text.startswith('{"action"'):
            self.answers.append(answered(request))
        return turn(request) if callable(turn) else turn


def test_a_session_hands_out_rounds_as_the_program_says_until_it_is_done(talker: Talker) -> None:
    rounds = [
        [say("One is left.\nRALPH_ITERATION_COMPLETE: 1 findings remain")],
        [shell("true"), say(f"Clean.\n{NONE_LEFT}")],
        [shell("touch fixed"), say(f"Repaired.\n{NONE_LEFT}")],
    ]
    main = [
        *(ralph("router next --begin"), hand_out, ralph("router report --findings 1")),
        *(ralph("router next"), hand_out, ralph("router report --clean")),
        *(ralph("router next"), hand_out, ralph("router report --clean")),
        *(ralph("router next"), say("It is done.")),
    ]
    played = Orchestra(main, rounds)
    turns = len(main) + sum(len(part) for part in rounds)
    # RALPH_ACTIVE=1: even then no Stop hook has anything to act on.
    env = {**environment(talker), "RALPH_ACTIVE": "1"}
    seen = talker.play([played] * turns, "/ralph-router", args=UNATTENDED_BUT_WORKING, env=env)
    assert f"Run `{RALPH} router next --begin`, written exactly so" in seen.heard[0]
    assert seen.blocks == [] and seen.results == ["It is done."]
    first, second, third, last = played.answers
    assert [answer["action"] for answer in played.answers] == ["spawn", "spawn", "spawn", "done"]
    assert "The round before: 1 findings remain" in second["prompt"]
    assert third["reason"] == "the check `test -e fixed` failed: exit code 1"
    assert "Repair that first." in played.prompts[3]
    assert last["reason"] == "AUDIT_COMPLETE: no findings are left, 1 check passed"
    assert any("not clean: The round before found nothing more" in text for text in seen.heard)
    state = json.loads((talker.root / ".ralph" / "router-state.json").read_text())
    assert state["iteration"] == 3 and schema.accepts("router-state", state)
    assert not (talker.root / ".ralph" / "sessions").exists()


def test_a_scenario_is_driven_from_red_to_green_inside_a_loop_of_the_session(
    talker: Talker,
) -> None:
    """The guard lets the verbs run, and nothing that they are told to run that it denies."""
    test = "-- test -e greeting"
    script = [
        ralph('tdd add sc-1 "makes a greeting"'),
        shell("echo '{}' > .ralph/tdd-state.json"),
        ralph("tdd red sc-1 -- 'touch forged > .ralph/x'"),
        ralph("tdd red sc-1 -- true"),
        ralph("tdd green sc-1", test),
        ralph("tdd red sc-1", test),
        ralph("tdd next"),
        shell("touch greeting"),
        ralph("tdd green sc-1", test),
        ralph("tdd next"),
        say("<promise>DONE</promise>"),
    ]
    typed = "/ralph-loop Greet --min-tool-calls 8"
    seen = talker.play(script, typed, env=environment(talker))
    for heard in seen.heard[2:4]:
        assert "Ralph's guard denied `.ralph" in heard
    assert "sc-1 is not red: the command passes" in seen.heard[4]
    assert "sc-1 is pending: only one that is red gets green" in seen.heard[5]
    assert "recorded: sc-1 is red (exit code 1)" in seen.heard[6]
    assert f"`{TYPED} tdd green sc-1 -- '{test[3:]}'`" in seen.heard[7]
    assert "recorded: sc-1 is green (exit code 0)" in seen.heard[9]
    assert seen.heard[10].splitlines()[0] == NONE_LEFT
    state = json.loads((talker.root / ".ralph" / "tdd-state.json").read_text())
    assert [entry["phase"] for entry in state["evidenceLog"]] == ["red", "green"]
    assert talker.ended()["status"] == "PROMISE_ACCEPTED"


def test_the_tdd_skill_resumes_what_is_there(talker: Talker) -> None:
    begun = [ralph("tdd status"), ralph('tdd add a "is there"'), say("Which behaviour?")]
    seen = talker.play(begun, "/ralph-tdd a greeter", args=UNATTENDED, env=environment(talker))
    assert f'For each: `{RALPH} tdd add ID "description"`' in seen.heard[0]
    assert "ARGUMENTS: a greeter" in seen.heard[0]
    assert seen.heard[1].startswith("ralph-tdd: 0 of 0 scenarios completed")
    later = [ralph("tdd status"), ralph("tdd next"), say("Resumed.")]
    talker.session = str(uuid.uuid4())
    seen = talker.play(later, "/ralph-tdd", args=UNATTENDED, env=environment(talker))
    assert seen.heard[2].startswith("scenario: a\ndescription: is there\nstatus: pending\n")
