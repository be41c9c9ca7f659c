"""Same-session loops in the real client, headless: they go on and end when they should."""

from __future__ import annotations

import json
import shlex
import stat
from pathlib import Path

import pytest
from e2e.claude_client import run_claude
from e2e.conversation import DONE, WORK, Talker
from e2e.loop_project import shell
from ralph_engine.core.own_command import RALPH
from ralph_engine.scripted_model import ScriptedModel, Turn, say, think, turn

MISSING = (
    "You attempted to end the loop, but you did not output the completion promise "
    "<promise>DONE</promise>."
)


@pytest.fixture
def talker(tmp_path: Path) -> Talker:
    return Talker(tmp_path)


@pytest.mark.parametrize("version", ["newest", "older"])
def test_work_and_a_promise_end_it_but_i_am_done_does_not(talker: Talker, version: str) -> None:
    look = shell(f"cp -p .ralph/sessions/*.json '{talker.outside}/seen.json'")
    script = [say("I am done."), look, say(f"All tests pass. {DONE}")]
    played = talker.play(script, '/ralph-loop "Fix it"', version=version)
    contract, block, _ = played.heard
    assert f"print exactly {DONE} at the end of a line" in contract
    assert "Checked then: at least 1 tool call.\nOriginal task:\nFix it" in contract
    assert MISSING in block and "round 1 of 25" in block and "Original task:\nFix it" in block
    assert played.results == [f"All tests pass. {DONE}"]
    ended = talker.ended()
    assert (ended["status"], ended["iteration"], ended["toolCalls"]) == ("PROMISE_ACCEPTED", 1, 1)
    assert talker.decisions() == ["started", "blocked", "PROMISE_ACCEPTED"]
    seen = talker.outside / "seen.json"
    assert stat.S_IMODE(seen.stat().st_mode) == 0o600
    assert json.loads(seen.read_text())["status"] == "ACTIVE"
    if version == "newest":
        assert played.told[-1] == (
            "Ralph: PROMISE_ACCEPTED after 1 iteration, 0 min: the promise was made, 1 tool call, "
            "no checks configured"
        )


def test_ultrawork_stands_in_front_of_every_continuation(talker: Talker) -> None:
    script = [say("one"), say("two"), WORK, say(DONE)]
    played = talker.play(script, "/ralph:ulw-loop Fix it")
    assert [text.count("ULTRAWORK") > 0 for text in played.heard] == [True, True, True, False]
    assert played.blocks[0].startswith("Stop hook feedback:\nULTRAWORK: ")


def test_n_iterations_are_n_blocks_and_a_true_promise_on_the_last_turn_counts(
    talker: Talker,
) -> None:
    never = [say("Not yet.")] * 3
    late = [say("Not yet."), WORK, say("Still not."), say(DONE)]
    slow = [shell("sleep 1"), say("That took a while.")]
    loops = [f"/ralph-loop {name} --max-iterations=2" for name in ("never", "late")]
    played = talker.play([*never, *late, *slow], *loops, "/ralph-loop slow --max-duration 1s")
    assert [line.partition(",")[0] for line in played.told] == [
        "Ralph: ralph-loop started",
        "Ralph: MAX_ITERATIONS_REACHED after 2 iterations",
        "Ralph: ralph-loop started",
        "Ralph: PROMISE_ACCEPTED after 2 iterations",
        "Ralph: ralph-loop started",
        "Ralph: TIME_LIMIT after 0 iterations",
    ]
    assert len(played.blocks) == 4


@pytest.mark.parametrize("version", ["newest", "older"])
def test_the_first_words_of_a_session_are_no_work(talker: Talker, version: str) -> None:
    """When they end the turn, there is mostly no transcript yet that could show a tool call."""
    with ScriptedModel([say(DONE), WORK, say(DONE)]) as model:
        run = run_claude(
            model,
            talker.root,
            "/ralph-loop Fix it",
            session_id=talker.session,
            home=talker.home,
            version=version,
        )
    assert (run.exit_code, len(model.requests), model.answers_past_the_end) == (0, 3, 0)
    assert "A promise was found, but no tool call was made" in model.requests[1].new_text
    assert talker.decisions() == ["started", "blocked", "PROMISE_ACCEPTED"]


def test_a_promise_without_work(talker: Talker) -> None:
    reject = [say(DONE), WORK, say(DONE), WORK, say(DONE)]
    loops = ["/ralph-loop x --min-tool-calls 2"]
    loops += [f"/ralph-loop x --on-promise-no-work {policy}" for policy in ("warn", "accept")]
    played = talker.play([*reject, say(DONE), say(DONE)], *loops)
    first, second = played.blocks
    assert "A promise was found, but no tool call was made since the loop began" in first
    assert "A promise was found, but only 1 of 2 were made since the loop began" in second
    ends = [line for line in played.told if "PROMISE_ACCEPTED" in line]
    assert ["after 2 iterations" in line for line in ends] == [True, False, False]
    assert ["WARNING: fewer than 1" in line for line in ends] == [False, True, False]


SEEN: dict[str, Turn] = {
    "text before it on the line": say(f"All tests pass. {DONE}"),
    "several text blocks": turn(say(DONE), say("Good bye.")),
    "carriage returns": say(f"done\r\n{DONE}\r\n"),
    "control characters": say(f"\x07\x1b[32m{DONE}\x1b[0m\x00 \t"),
    "a thinking block last": turn(think("so"), say(DONE), think("is that all?")),
    "closing punctuation": say(f"(All done: **{DONE}**.)"),
    "a line of its own": say(f"I said that I print {DONE} at the end.\n\n{DONE}\n\nBye."),
}


@pytest.mark.parametrize("version", ["newest", "older"])
def test_a_promise_in_the_final_message_is_always_seen(talker: Talker, version: str) -> None:
    """Most of these turns end before the client has written the message to its transcript."""
    script = [part for final in SEEN.values() for part in (WORK, final)]
    loops = [f"/ralph-loop {number}" for number in range(len(SEEN))]
    played = talker.play(script, *loops, version=version)
    assert played.blocks == []
    assert talker.decisions() == ["started", "PROMISE_ACCEPTED"] * len(SEEN)


MENTIONED = {
    "words behind it": f"I will output {DONE} only when all is done.",
    "double quotes": f'The line to print is "{DONE}"',
    "single quotes": f"The line to print is '{DONE}'",
    "backticks": f"The end is `{DONE}`",
    "a fence": f"It ends so:\n```\n{DONE}\n```",
    "a quotation": f"> {DONE}",
}
ABSENT = {
    "another case": "<promise>done</promise>",
    "blanks inside": "<promise> DONE </promise>",
    "another promise": "<promise>FINISHED</promise>",
    "a bare word": "DONE",
    "nothing": "I am done, really.",
}


def test_what_is_no_promise_does_not_end_it(talker: Talker) -> None:
    texts = [*MENTIONED.values(), *ABSENT.values()]
    early = turn(say(DONE), WORK)  # of an earlier message, not of the last one
    script = [part for text in texts for part in (WORK, say(text))]
    script += [early, say("Something came up."), say(DONE)]
    talker.play(script, "/ralph-loop Fix it --max-iterations 30")
    *blocked, end = talker.ended()["decisions"]
    mentioned = ["promise only mentioned"] * len(MENTIONED)
    absent = ["no promise"] * (len(ABSENT) + 1)
    assert [decision["why"] for decision in blocked] == mentioned + absent
    assert end["decision"] == "PROMISE_ACCEPTED"


def test_another_promise_may_be_asked_for(talker: Talker) -> None:
    ours = "<promise>It's green</promise>"
    script = [WORK, say(DONE), say(ours)]
    played = talker.play(script, '/ralph-loop Fix it --completion-promise "It\'s green"')
    assert f"did not output the completion promise {ours}." in played.blocks[0]
    assert talker.ended()["promise"] == "It's green"


def test_turns_of_talk_end_before_the_client_gives_up_and_turns_of_work_all_run(
    talker: Talker,
) -> None:
    talk = [say("Thinking about it.")] * 5
    work = [part for number in range(30) for part in (WORK, say(f"Part {number} is done."))]
    loops = ["/ralph-loop talk", "/ralph-loop work --max-iterations 30"]
    played = talker.play([*talk, *work, WORK, say(DONE)], *loops)
    ends = [line for line in played.told if "started" not in line]
    assert ends[0] == (
        "Ralph: STALLED after 4 iterations, 0 min: 5 turns in a row without a tool call"
    )
    assert ends[1].startswith("Ralph: PROMISE_ACCEPTED after 30 iterations")
    assert talker.decisions().count("blocked") == 4 + 30
    assert talker.ended()["iteration"] == 30


HARD = (
    'don\'t "quote"; $(touch X1) `touch X2` !`touch X3` & touch X4 | tee X5 > X6\n'
    "<<EOF\ntouch X7\nEOF\n```sh\n!`touch X8`\n```\n```!\ntouch X9\n```\n"
    "$ARGUMENTS $1 ${HOME} \\n \\ %s {{x}} -- ---\ttab é 👩‍💻 <b>&amp;</b>"
)
LONG = 'it\'s "50 kB" $(touch X) `y`; 👩‍💻\n' * 1500 + "end"


def test_the_task_arrives_verbatim_and_nothing_in_it_runs(talker: Talker) -> None:
    tasks = {HARD: HARD, shlex.quote(HARD): HARD, LONG: LONG}
    assert len(LONG.encode()) > 50_000
    script = []
    for number in range(len(tasks)):
        look = shell(f"cp .ralph/sessions/*.json '{talker.outside}/{number}.json'")
        script += [say("Not yet."), look, say(DONE)]
    played = talker.play(script, *(f"/ralph-loop {typed}" for typed in tasks))
    states = [json.loads((talker.outside / f"{n}.json").read_text()) for n in range(len(tasks))]
    assert [state["task"] for state in states] == list(tasks.values())
    for text in played.heard[0], played.heard[1], played.heard[3], played.heard[4]:
        assert f"Original task:\n{HARD}" in text
    assert LONG in played.heard[6]
    assert f"all {len(LONG)} characters are in .ralph/sessions/" in played.blocks[2]
    assert [path.name for path in talker.root.iterdir()] == [".ralph"]


REFUSED = {
    "": "the task is missing",
    "''": "the task is missing",
    "--max-iterations 3": "the task is missing",
    "task --max-iterations": "--max-iterations needs a value",
    "task --verify --max-iterations 3": "--verify needs a value",
    "task --max-iteration 3": '"--max-iteration" is no option',
    **{f"task --max-iterations {n}": f'--max-iterations is "{n}"' for n in ("0", "08", "1e9")},
    **{f"task --min-tool-calls={n}": f'--min-tool-calls is "{n}"' for n in ("0", "08", "-1")},
    "task --max-iterations -1": '--max-iterations is "-1"',
    "task --on-promise-no-work maybe": '--on-promise-no-work is "maybe"',
    "task --completion-promise ''": "--completion-promise is empty",
    "task --verify=": "--verify is empty",
    "task --verify-timeout 51m": '--verify-timeout is "51m", give at most 50m',
    "task --verify-timeout 10": '--verify-timeout is "10"',
    "task --max-duration 0s": '--max-duration is "0s"',
}


def test_what_starts_no_loop_is_refused_with_usage_and_no_model_call(talker: Talker) -> None:
    typed = [f"/ralph-loop {arguments}" for arguments in REFUSED]
    played = talker.play([], *typed, "/ulw-loop", "/ralph-audit --max-iterations 0", "/ralph-audit")
    *loops, ulw, number, audit = played.told
    usage = '; usage: /ralph-loop "<task>" [--max-iterations N] '
    for line, said in zip(loops, REFUSED.values()):
        assert line.startswith(f"Ralph: {said}") and usage in line and "\n" not in line
    assert len(loops) == len(REFUSED)
    assert "the task is missing; usage: /ulw-loop" in ulw
    assert "usage: /ralph-audit [FILE] [--max-iterations N]" in number
    assert audit == f"Ralph: ralph/audit.md is missing; `{RALPH} init --audit` makes it"
    assert list(talker.root.iterdir()) == []
