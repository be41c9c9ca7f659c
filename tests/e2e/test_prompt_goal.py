"""The goal 'prompt' on the real client: what the model is told, and when the loop believes it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from e2e.loop_project import shell
from e2e.runner_life import Life, Ran
from ralph_engine.scripted_model import say

Guardrail = dict[str, str]

DONE = "<response>DONE</response>"
CLAIMED = "Completion was claimed, but checks fail."
PROMPT = "Build it.\n\nThen stop."
GUARDRAILS: dict[str, Guardrail] = {
    "APPEND": {
        "command": "echo broken; echo badly >&2; exit 3",
        "failAction": "APPEND",
        "hint": "Mend $it, {{STORY}}.",
    },
    "PREPEND": {"command": "printf ugly; exit 4", "failAction": "PREPEND"},
    "REPLACE": {"command": "exit 5", "failAction": "REPLACE", "hint": "Only this now."},
}
SENT = {
    "prompt": PROMPT,
    "APPEND": (
        'Guardrail "echo broken; echo badly >&2; exit 3" failed with exit code 3.\n'
        "Hint: Mend $it, {{STORY}}.\n"
        "Output file: .ralph/guardrail_1_echo_broken_echo_badly_2_exit_3.log\n"
        "Output (truncated):\n"
        "broken\n"
        "badly"
    ),
    "PREPEND": (
        'Guardrail "printf ugly; exit 4" failed with exit code 4.\n'
        "Output file: .ralph/guardrail_1_printf_ugly_exit_4.log\n"
        "Output (truncated):\n"
        "ugly"
    ),
    "REPLACE": (
        'Guardrail "exit 5" failed with exit code 5.\n'
        "Hint: Only this now.\n"
        "Output file: .ralph/guardrail_1_exit_5.log\n"
        "Output (truncated):"
    ),
}


def project(folder: Path, *guardrails: Guardrail, **settings: Any) -> Life:
    life = Life(folder)
    life.settings = {"guardrails": list(guardrails), **settings}
    life.begin()
    return life


def twice(life: Life) -> Ran:
    """Two iterations of an agent that does nothing, on checks that never agree."""
    ran = life.run([say("Hm."), say(DONE)], "-p", PROMPT, "-n", "2")
    assert (ran.code, ran.last_line) == (1, "ralph: exhausted: 2 iterations used up")
    return ran


@pytest.mark.parametrize(
    ("failing", "sent"),
    [
        ("APPEND", "prompt APPEND"),
        ("PREPEND", "PREPEND prompt"),
        ("REPLACE", "REPLACE"),
        ("APPEND PREPEND", "PREPEND prompt APPEND"),
        ("APPEND REPLACE", "REPLACE"),
        ("PREPEND REPLACE", "REPLACE"),
        ("APPEND REPLACE PREPEND", "REPLACE"),
    ],
)
def test_failed_guardrails_shape_the_next_prompt(tmp_path: Path, failing: str, sent: str) -> None:
    guardrails = [GUARDRAILS[action] for action in failing.split()]
    ran = twice(project(tmp_path, *guardrails))
    assert ran.prompts() == [PROMPT, "\n\n".join(SENT[part] for part in sent.split())]
    codes = [int(guardrail["command"][-1]) for guardrail in guardrails]
    assert [entry["code"] for entry in ran.of("check")] == codes * 2
    for action, guardrail, code in zip(failing.split(), guardrails, codes):
        line = f"[ralph] check {guardrail['command']}: failed ({code}), {action}"
        assert ran.screen.count(line) == 2


def test_failures_of_one_action_keep_the_order_of_the_settings(tmp_path: Path) -> None:
    def guardrail(action: str, name: str) -> Guardrail:
        return {"command": f"exit 1 # {name}", "failAction": action}

    def sent(name: str) -> str:
        told = f'Guardrail "exit 1 # {name}" failed with exit code 1.'
        return f"{told}\nOutput file: .ralph/guardrail_1_exit_1_{name}.log\nOutput (truncated):"

    life = project(
        tmp_path,
        guardrail("APPEND", "y"),
        guardrail("PREPEND", "d"),
        guardrail("APPEND", "x"),
        guardrail("PREPEND", "c"),
    )
    order = [sent("d"), sent("c"), PROMPT, sent("y"), sent("x")]
    assert twice(life).prompts()[1] == "\n\n".join(order)


def test_two_that_replace_stand_side_by_side_behind_the_count(tmp_path: Path) -> None:
    other = {"command": "printf why; exit 6", "failAction": "REPLACE"}
    life = project(
        tmp_path,
        other,
        GUARDRAILS["PREPEND"],
        GUARDRAILS["REPLACE"],
        includeIterationCountInPrompt=True,
    )
    first, second = twice(life).prompts()
    assert first == f"Iteration 1 of 2, 1 remaining.\n\n{PROMPT}"
    told = (
        'Guardrail "printf why; exit 6" failed with exit code 6.\n'
        "Output file: .ralph/guardrail_1_printf_why_exit_6.log\n"
        "Output (truncated):\nwhy"
    )
    count = "Iteration 2 of 2, 0 remaining."
    assert second == "\n\n".join([count, told, SENT["REPLACE"]])


def test_output_is_cut_and_marked_only_where_it_is_too_long(tmp_path: Path) -> None:
    long = "printf 0123456789; exit 1 # " + "the same beginning of fifty characters " * 2
    hint = "a hint is never cut, however long it is"
    life = project(
        tmp_path,
        {"command": "./mvnw clean install -T 2C", "failAction": "APPEND", "hint": hint},
        {"command": long + "1", "failAction": "APPEND", "hint": hint},
        {"command": long + "2", "failAction": "APPEND"},
        {"command": "echo begun; sleep 60", "failAction": "APPEND", "timeout": "1s"},
        outputTruncateChars=10,
    )
    (life.root / "mvnw").write_text("#!/bin/sh\nprintf 'äöü3456789€'\nexit 1\n")
    (life.root / "mvnw").chmod(0o755)
    slug = "printf_0123456789_exit_1_the_same_beginning_of_fif"
    logs = [
        ".ralph/guardrail_1_mvnw_clean_install_T_2C.log",
        f".ralph/guardrail_1_{slug}.log",
        f".ralph/guardrail_1_{slug}_2.log",
        ".ralph/guardrail_1_echo_begun_sleep_60.log",
    ]
    endings = ["äöü3456789... [truncated]", "0123456789", "0123456789", "begun"]
    how = ["failed with exit code 1."] * 3 + ["timed out after 1s."]
    hints = [f"Hint: {hint}\n"] * 2 + [""] * 2
    expected = [
        f'Guardrail "{guardrail["command"]}" {how[i]}\n{hints[i]}'
        f"Output file: {logs[i]}\nOutput (truncated):\n{endings[i]}"
        for i, guardrail in enumerate(life.settings["guardrails"])
    ]
    assert twice(life).prompts()[1] == "\n\n".join([PROMPT, *expected])
    whole = [(life.root / log).read_text() for log in logs]
    assert whole == ["äöü3456789€", "0123456789", "0123456789", "begun\n"]


def test_done_is_a_tag_and_every_guardrail_agreeing(tmp_path: Path) -> None:
    life = project(
        tmp_path,
        {"command": "test -f ready", "failAction": "APPEND"},
        {"command": "true", "failAction": "REPLACE"},
    )
    turns = [
        say(DONE),
        shell("touch ready"),
        say(f"<response>not yet</response>, so no {DONE}"),
        say("DONE"),
        say("Well.\n<Response>done</RESPONSE>"),
    ]
    ran = life.run(turns, "-p", PROMPT)
    assert (ran.code, ran.last_line) == (0, "ralph: complete: 2 of 2 checks pass")
    assert [entry["code"] for entry in ran.of("check")] == [1, 0, *[0, 0] * 3]
    assert [(e["rule"], e["text"]) for e in ran.of("notice")] == [("false-promise", CLAIMED)]
    told = (
        'Guardrail "test -f ready" failed with exit code 1.\n'
        "Output file: .ralph/guardrail_1_test_f_ready.log\nOutput (truncated):"
    )
    assert ran.prompts() == [PROMPT, f"{PROMPT}\n\n{told}", PROMPT, PROMPT]


def test_another_word_ends_it_and_no_repository_is_needed(tmp_path: Path) -> None:
    life = Life(tmp_path)
    fertig = say("<response>Fertig</response>")
    ran = life.run([say(DONE), fertig], "-p", PROMPT, "-c", "FERTIG")
    words = "ralph: done, claimed by the agent; no checks configured"
    assert (ran.code, ran.last_line) == (0, words)
    assert len(ran.of("iteration")) == 2
    assert not (life.root / ".git").exists()


class TestPromptFile:
    @pytest.fixture
    def life(self, tmp_path: Path) -> Life:
        life = project(tmp_path)
        (life.root / "goal.txt").write_text("As written by a person.\n")
        return life

    def remark(self, life: Life) -> str:
        path = life.root.resolve() / "goal.txt"
        return f"The runner noticed: {path} was changed during the iteration: not used."

    @pytest.mark.parametrize("change", ["echo easy > goal.txt", "rm goal.txt", ": > goal.txt"])
    def test_what_the_agent_makes_of_it_is_reported_and_not_used(
        self, life: Life, change: str
    ) -> None:
        ran = life.run([shell(change), say("Hm."), say("Hm."), say(DONE)], "-f", "goal.txt")
        person = "As written by a person."
        assert ran.prompts() == [person, f"{person}\n\n{self.remark(life)}", person]
        assert [entry["rule"] for entry in ran.of("notice")] == ["prompt-changed"]
        assert ran.code == 0

    def test_a_second_change_is_reported_again(self, life: Life) -> None:
        once, again = (shell(f"echo {word} > goal.txt") for word in ("easy", "easier"))
        ran = life.run([once, say("Hm."), again, say(DONE)], "-f", "goal.txt")
        assert [entry["rule"] for entry in ran.of("notice")] == ["prompt-changed"] * 2

    def test_it_is_read_again_each_iteration(self, life: Life, tmp_path: Path) -> None:
        (tmp_path / "new").write_text("Written between two iterations.\n")
        swap = {"command": "cp ../new goal.txt", "failAction": "APPEND"}
        life.write_settings(guardrails=[swap])
        ran = life.run([say("Hm."), say(DONE)], "-f", "goal.txt")
        assert ran.prompts() == ["As written by a person.", "Written between two iterations."]
        assert ran.of("notice") == []
