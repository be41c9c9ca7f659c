"""Who has a say in a same-session loop of the real client: its session, its person, no other."""

from __future__ import annotations

import json
import subprocess
import uuid
from pathlib import Path
from typing import Any

import pytest
from e2e.claude_client import run_claude
from e2e.conversation import DONE, WORK, Conversation, Played, Talker, told, until
from e2e.loop_project import shell
from ralph_engine.scripted_model import Request, ScriptedModel, Turn, call, say, turn
from runner.hostile_project import HostileProject
from runner.live_loop import LiveLoop


@pytest.fixture
def talker(tmp_path: Path) -> Talker:
    return Talker(tmp_path)


def seen_in_transcript(text: str) -> Turn:
    """A tool call that lasts until the client has written down what was typed."""
    look = f"grep -q 'enqueue.*{text}' \"$HOME\"/.claude/projects/*/*.jsonl"
    return shell(f"for _ in $(seq 1500); do {look} && exit 0; sleep 0.02; done; exit 1")


@pytest.mark.parametrize("version", ["newest", "older"])
def test_a_cancel_that_waits_ends_the_loop_at_its_next_stop(talker: Talker, version: str) -> None:
    """A message and the end of a background task leave the queue meanwhile: not the cancel."""

    def meanwhile(_: Request) -> Turn:
        for prompt in ("use tabs", "/cancel-ralph"):
            conversation.type(prompt)
        background = call("Bash", command="true", description="b", run_in_background=True)
        return turn(background, seen_in_transcript("/cancel-ralph"))

    notified = seen_in_transcript("<task-notification>")
    script = [say("Not yet."), meanwhile, notified, WORK, say("Still at it.")]
    with (
        ScriptedModel(script) as model,
        Conversation(talker, model, version=version) as conversation,
    ):
        conversation.type("/ralph-loop Fix it")
        conversation.results(2)
        run = conversation.end()
    assert (len(model.requests), model.answers_past_the_end) == (5, 0)
    assert "use tabs" in "".join(request.new_text for request in model.requests[2:])
    assert talker.decisions() == ["started", "blocked", "CANCELLED"]
    assert talker.ended()["decisions"][-1]["why"] == "/cancel-ralph was queued"
    assert told(run.events)[-1] == (
        "Ralph: this session's loop has ended, as asked; nothing else was touched"
    )
    if version == "newest":
        steers = [line for line in told(run.events) if "steers it" in line]
        assert len(steers) == 1, "the end of a background task is no message of a person"


def test_pause_status_resume(talker: Talker) -> None:
    def meanwhile(_: Request) -> Turn:
        conversation.type("/ralph-pause")
        return seen_in_transcript("/ralph-pause")

    script = [meanwhile, say("Held?"), say("Hello."), say("Back."), say(DONE)]
    with ScriptedModel(script) as model, Conversation(talker, model) as conversation:
        conversation.type("/ralph-loop Fix it")
        conversation.results(2)
        typed = ["/ralph-status", "hello", "/ralph-resume", "/ralph-loop another", "continue"]
        for number, prompt in enumerate(typed, 3):
            conversation.type(prompt)
            conversation.results(number)
        run = conversation.end()
    _, held, again, status, paused, resumed, second, steers, end = told(run.events)
    assert held.startswith("Ralph: ralph-loop PAUSED, iteration 0 of 25, since ")
    assert held.endswith("/ralph-resume goes on, /cancel-ralph ends it")
    assert again.startswith("Ralph: ralph-loop PAUSED") and status == again
    assert paused == "the Ralph loop is paused: /ralph-resume goes on, /cancel-ralph ends it"
    assert resumed.startswith("Ralph: the loop goes on at iteration 0 of 25")
    assert "a loop runs in this session already" in second and "/cancel-ralph ends it" in second
    assert "your message steers it" in steers
    assert "PROMISE_ACCEPTED after 1 iteration" in end
    logged = ["started", "PAUSED", "allowed", "resumed", "blocked", "PROMISE_ACCEPTED"]
    assert talker.decisions() == logged


def test_cancel_without_a_loop_stops_the_runner_of_the_folder(tmp_path: Path) -> None:
    project = HostileProject(tmp_path)
    env = {"XDG_STATE_HOME": str(project.state)}

    def cancel(model: ScriptedModel) -> list[str]:
        return told(run_claude(model, project.root, "/cancel-ralph", env=env).events)

    with ScriptedModel([]) as model, LiveLoop(project) as loop:
        loop.agents_come(1)
        first = cancel(model)
        ended = loop.end()
        second = cancel(model)
    assert first == ["Ralph: no loop runs in this session; this folder's runner was asked to stop"]
    assert second == ["Ralph: no loop runs in this session, and no runner in this folder"]
    assert ended.code == 130 and "interrupted: cancelled on request" in ended.screen
    assert model.requests == []


def test_two_sessions_in_one_folder_and_one_that_is_resumed(talker: Talker) -> None:
    """While the first one works, one without a loop and one with its own come and go."""
    first, others = talker.session, []

    def meanwhile(_: Request) -> Turn:
        before = (talker.root / f".ralph/sessions/{first}.json").read_bytes()
        talker.session = str(uuid.uuid4())
        plain = [WORK, say("Nothing to do with it.")]
        own = [say("Not yet."), WORK, say(f"Mine. {DONE}")]
        typed = ["hello", "/ralph-status", "/cancel-ralph", "/ralph-loop Another task"]
        others.append(talker.play([*plain, *own], *typed))
        others.append(talker.ended())
        talker.session = first
        assert (talker.root / f".ralph/sessions/{first}.json").read_bytes() == before
        return WORK

    script = [say("Not yet."), meanwhile, WORK]
    with ScriptedModel(script) as model:
        run = run_claude(
            model,
            talker.root,
            "/ralph-loop Fix it",
            session_id=first,
            home=talker.home,
            args=["--max-turns", "3"],
        )
    assert run.result["subtype"] == "error_max_turns"
    other, ended = others
    assert isinstance(other, Played) and isinstance(ended, dict)
    assert other.results[0] == "Nothing to do with it."
    assert "Fix it" not in "".join(other.heard)
    assert other.told[:2] == [
        "Ralph: no loop runs in this session; /ralph-loop starts one",
        "Ralph: no loop runs in this session, and no runner in this folder",
    ]
    assert (ended["task"], ended["status"]) == ("Another task", "PROMISE_ACCEPTED")

    state = talker.active()
    assert state is not None and (state["task"], state["iteration"]) == ("Fix it", 1)
    script = [say("Where was I?"), say(f"There. {DONE}")]
    again = talker.play(script, "continue", args=["--resume", first])
    contract, block = again.heard
    assert "You are in a Ralph loop (ralph-loop)" in contract
    assert "Original task:\nFix it" in contract and "round 2 of 25" in block
    assert talker.ended()["status"] == "PROMISE_ACCEPTED"


def test_clear_ends_it_and_says_so(talker: Talker) -> None:
    """Typed while the loop waits for background work, and typed while a turn runs."""
    waits = call("Bash", command="sleep 300", description="b", run_in_background=True)

    def meanwhile(_: Request) -> Turn:
        conversation.type("/clear")
        return seen_in_transcript("/clear")

    script = [waits, say("Waiting."), meanwhile, say("Hm.")]
    said = "Ralph: CANCELLED after 0 iterations, 0 min: /clear"
    with ScriptedModel(script) as model, Conversation(talker, model) as conversation:
        conversation.type("/ralph-loop Fix it")
        conversation.results(1)
        conversation.type("/clear")
        conversation.results(2)
        assert talker.ended()["decisions"][-1]["why"] == "/clear"
        assert said in json.dumps(conversation.events)
        before = len(conversation.events)
        conversation.type("/ralph-loop Another")
        conversation.results(4)
        assert said in json.dumps(conversation.events[before:])
    assert model.answers_past_the_end == 0
    allowed = ["started", "allowed", "CANCELLED"]
    assert talker.decisions() == allowed * 2
    assert not list(talker.root.glob(".ralph/sessions/*.json"))


@pytest.mark.parametrize("version", ["newest", "older"])
def test_while_background_work_runs_nobody_is_nagged(talker: Talker, version: str) -> None:
    until_told = "until test -e go; do sleep 0.02; done"
    waits = call("Bash", command=until_told, description="b", run_in_background=True)
    script = [waits, say("I wait for it."), say("It has ended."), say(DONE)]
    with (
        ScriptedModel(script) as model,
        Conversation(talker, model, version=version) as conversation,
    ):
        conversation.type("/ralph-loop Fix it")
        assert conversation.results(1)[0]["result"] == "I wait for it."
        state = talker.active()
        assert state is not None and (state["iteration"], state["toolCalls"]) == (0, 1)
        (talker.root / "go").touch()
        conversation.results(2)
        run = conversation.end()
    assert "<task-notification>" in model.requests[2].new_text
    if version == "newest":
        waits_for = [line for line in told(run.events) if "waits for work that runs" in line]
        assert len(waits_for) == 1
    assert talker.decisions() == ["started", "allowed", "blocked", "PROMISE_ACCEPTED"]


def subagent(request: Request) -> bool:
    return "the subagent's part" in json.dumps(request.messages[0])


def turns_of(request: Request) -> int:
    return sum(message["role"] == "assistant" for message in request.messages)


@pytest.mark.parametrize("waited_for", [True, False])
@pytest.mark.parametrize("version", ["newest", "older"])
def test_a_subagents_calls_are_work_and_its_stops_are_none(
    talker: Talker, version: str, waited_for: bool
) -> None:
    agent = call(
        "Agent",
        description="d",
        prompt="Do the subagent's part.",
        subagent_type="general-purpose",
        run_in_background=not waited_for,
    )
    main = [agent, say("What did it do?"), say(DONE)]
    its = [shell("echo 1"), shell("echo 2"), say(f"<tool_uses>99</tool_uses> {DONE}")]

    def both(request: Request) -> Turn:
        if not subagent(request):
            return main[turns_of(request)]
        if turns_of(request) == 2 and not waited_for:
            # Until the turn that does not wait for it has come to its end.
            until(lambda: "allowed" in talker.decisions())
        return its[turns_of(request)]

    talker.play([both] * 6, "/ralph-loop Fix it --min-tool-calls 3", version=version)
    ended = talker.ended()
    assert (ended["status"], ended["toolCalls"]) == ("PROMISE_ACCEPTED", 3)
    # In the background it was not waited for with a block, but by letting the turn end.
    assert ended["iteration"] == int(waited_for)


DAMAGES: dict[str, tuple[str, str]] = {
    "broken": ("echo '{' > {}", "is not valid JSON"),
    "no file": ("rm {0} && mkdir {0}", "is a directory"),
    "newer": ('sed -i \'s/"version": 1/"version": 2/\' {}', "is of version 2"),
    "10 MB": ("head -c 10000000 /dev/zero | tr '\\0' x >> {}", "is larger than 8388608 bytes"),
    "a link": ("mv {0} elsewhere && ln -s $PWD/elsewhere {0}", "is reached through a link"),
    "a link to nowhere": ("ln -sf nowhere {}", "is reached through a link"),
}


def spoilt(talker: Talker, command: str) -> Any:
    """By somebody else than the agent, whom the guard would not let."""

    def answer(_: Request) -> Turn:
        subprocess.run(["sh", "-c", command], cwd=talker.root, check=True, timeout=60)
        return shell("true")

    return answer


def test_a_state_that_cannot_be_used_traps_nobody_and_is_kept(talker: Talker) -> None:
    path = f".ralph/sessions/{talker.session}.json"
    kept = f".ralph/sessions/unusable/{talker.session}.json"
    script: list[Any] = []
    for number, (damage, _) in enumerate(DAMAGES.values()):
        aside = f"test ! -e {kept} || mv {kept} {number}.kept"
        spoil = f"{aside}; {damage.replace('{0}', path).replace('{}', path)}"
        script += [spoilt(talker, spoil), say("Hm.")]
    played = talker.play(script, *(f"/ralph-loop {number}" for number in range(len(DAMAGES))))
    lines = [line for line in played.told if "started" not in line]
    for line, (_, problem) in zip(lines, DAMAGES.values()):
        assert line.startswith(f"Ralph: this session's loop has ended: {path} {problem}"), line
        assert line.endswith(f"the file is kept as {kept}, /ralph-loop starts a new loop")
    assert len(lines) == len(DAMAGES)
    assert played.blocks == [] and talker.active() is None


def test_a_session_that_keeps_no_transcript(talker: Talker) -> None:
    """Its tool calls cannot be counted: the second promise is accepted, with a warning."""
    script: list[Any] = [say(DONE), WORK, say(DONE)]
    played = talker.play(script, "/ralph-loop Fix it", args=["--no-session-persistence"])
    assert "no tool call was made" in played.blocks[0]
    assert played.told[-1].endswith(
        "WARNING: there is no transcript, so tool calls could not be counted"
    )
    until(lambda: not list(talker.home.glob(".claude/projects/*/*.jsonl")))
