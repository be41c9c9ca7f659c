"""init at a terminal: what it asks, what it writes, and that leaving it leaves nothing."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest
from ralph_engine import prompt_goal, settings, task_goal
from runner.pty_session import CTRL_C, CTRL_D
from shell.init_dialogue import (
    ACTION,
    AGENT,
    FLAGS,
    GIT,
    GUARDRAIL,
    HINT,
    LONG,
    MOST,
    OVERWRITE,
    RESPONSE,
    SCM,
    SCM_COMMAND,
    SCM_TASKS,
    SHORT,
    Place,
    everything,
)

FILE = ".ralph/settings.json"
SHARED = {"agent": {"command": "codex", "flags": ["--full-auto"]}, "breaker": 2}
LOCAL = {"agent": {"flags": ["--api-key", "hunter2"]}, "model": "opus"}


@pytest.fixture
def place(tmp_path: Path) -> Place:
    made = Place(tmp_path)
    subprocess.run(["git", "init", "-q", str(made.root)], check=True, timeout=60)
    return made


def written(place: Place) -> Any:
    return json.loads((place.root / FILE).read_text(encoding="utf-8"))


def put(place: Place, **files: Any) -> None:
    (place.root / ".ralph").mkdir(exist_ok=True)
    for name, content in files.items():
        text = content if isinstance(content, str) else json.dumps(content)
        (place.root / ".ralph" / f"{name.replace('_', '.')}.json").write_text(text)


def test_every_answer_is_in_the_settings(place: Place) -> None:
    with place.init() as talk:
        talk.answer(LONG)
        assert talk.wait() == 0
    assert f"Settings written to {FILE}\r\n" in talk.screen
    assert list(written(place).items()) == [
        ("maximumIterations", 7),
        ("completionResponse", "ALL GREEN"),
        ("outputTruncateChars", 5000),
        ("streamAgentOutput", True),
        ("agent", {"command": "claude", "flags": ["--model", "opus", "--effort high"]}),
        (
            "guardrails",
            [
                {
                    "command": "make lint",
                    "failAction": "APPEND",
                    "hint": "Fix lint errors only. Don't change behaviour.",
                },
                {"command": "npm test -- --grep 'a b'", "failAction": "REPLACE"},
            ],
        ),
        ("scm", {"command": "git", "tasks": ["commit", "push"]}),
    ]
    chosen = settings.read(str(place.root), {}, {})
    assert chosen.agent == settings.Agent("claude", ("--model", "opus", "--effort", "high"))
    assert [rail.fail_action for rail in chosen.guardrails] == ["APPEND", "REPLACE"]
    assert (place.root / "ralph" / "tasks.json").is_file()


def test_blank_answers_leave_keys_out_or_take_the_default(place: Place) -> None:
    with place.init() as talk:
        talk.answer(SHORT)
        assert talk.wait() == 0
    assert written(place) == {
        "completionResponse": "DONE",
        "outputTruncateChars": 5000,
        "streamAgentOutput": True,
        "agent": {"command": "claude", "flags": []},
        "guardrails": [],
    }


def test_the_defaults_it_shows_are_those_of_a_run() -> None:
    most = f"{task_goal.DEFAULT_ITERATIONS} for task lists, {prompt_goal.DEFAULT_ITERATIONS}"
    assert f"[{most} for prompts]" in MOST
    assert f"[{settings.DEFAULTS['completionResponse']}]" in RESPONSE


UNFIT = [
    (AGENT, "", "Give a text that is not blank."),
    (AGENT, "  ", "Give a text that is not blank."),
    (AGENT, "claude '", "Close the open quote or backslash."),
    # Up and left, for want of an editor.
    (AGENT, "claude\x1b[A\x1b[D", "Give it again, without control characters."),
    (AGENT, "claude", ""),
    (FLAGS, '--a, "b', "Close the open quote or backslash."),
    (FLAGS, "", ""),
    (MOST, "0", "Give a whole number from 1 to 999999."),
    (MOST, "-3", "Give a whole number from 1 to 999999."),
    (MOST, "many", "Give a whole number from 1 to 999999."),
    (MOST, "2.5", "Give a whole number from 1 to 999999."),
    (MOST, "3", ""),
    (RESPONSE, "", ""),
    (GUARDRAIL, "make", ""),
    (ACTION, "", "Give APPEND, PREPEND or REPLACE."),
    (ACTION, "ignore", "Give APPEND, PREPEND or REPLACE."),
    (ACTION, "pRePeNd", ""),
    (HINT, "", ""),
    (GUARDRAIL, "", ""),
    (SCM, "YES", ""),
    (SCM_COMMAND, "", "Give a text that is not blank."),
    (SCM_COMMAND, "git", ""),
    (SCM_TASKS, " , ", "Give one at least."),
    (SCM_TASKS, "commit", ""),
]


def test_an_answer_that_will_not_do_is_asked_for_again(place: Place) -> None:
    with place.init() as talk:
        for question, text, said in UNFIT:
            talk.answer([(question, text)])
            if said:
                talk.expect_next(f"\r\n  {said}\r\n")
        assert talk.wait() == 0
    found = written(place)
    assert found["maximumIterations"] == 3
    assert found["guardrails"] == [{"command": "make", "failAction": "PREPEND"}]
    assert found["scm"] == {"command": "git", "tasks": ["commit"]}


EVERY = [(GIT, "y"), *LONG]


@pytest.mark.parametrize("key", [CTRL_C, CTRL_D], ids=["Ctrl-C", "EOF"])
@pytest.mark.parametrize("at", range(len(EVERY)))
def test_leaving_at_any_question_leaves_nothing(tmp_path: Path, at: int, key: bytes) -> None:
    place = Place(tmp_path)
    (place.root / "package.json").write_text('{"scripts": {"test": "jest"}}')
    before = everything(tmp_path)
    with place.init() as talk:
        talk.answer(EVERY[:at])
        talk.expect_next(EVERY[at][0])
        talk.type(key)
        assert talk.wait() == 130
    assert talk.screen.endswith("\r\nNothing was written.\r\n")
    assert everything(tmp_path) == before


def test_a_closed_terminal_or_a_polite_end_leaves_nothing_either(place: Place) -> None:
    before = everything(place.root)
    with place.init() as talk:
        talk.expect_next(AGENT)
        talk.hang_up()
        assert talk.wait() in (130, -signal.SIGHUP)
    with place.init() as talk:
        talk.expect_next(AGENT)
        talk.send(signal.SIGTERM)
        assert talk.wait() == 130
    assert everything(place.root) == before


@pytest.mark.parametrize("answer", ["", "n", "N", "no", "maybe"])
def test_settings_that_are_there_stay_unless_a_person_says_yes(place: Place, answer: str) -> None:
    with place.init() as talk:
        talk.answer(LONG)
        assert talk.wait() == 0
    before = everything(place.root)
    with place.init() as talk:
        talk.answer([(OVERWRITE, answer)])
        assert talk.wait() == 0
    assert "Settings written" not in talk.screen
    assert everything(place.root) == before


def test_what_is_there_is_shown_merged_and_with_its_files(place: Place) -> None:
    put(place, settings=SHARED)
    with place.init("--settings") as talk:
        talk.expect_next(json.dumps(SHARED, indent=2).replace("\n", "\r\n"))
        talk.expect_next("\r\nLoaded from .ralph/settings.json\r\n")
        talk.answer([(OVERWRITE, "n")])
        assert talk.wait() == 0
    put(place, settings_local=LOCAL)
    # A key that was put into a settings file is not for the screen.
    flags = ["--api-key", "[redacted]"]
    both = {"agent": {"command": "codex", "flags": flags}, "breaker": 2, "model": "opus"}
    loaded = "Loaded from .ralph/settings.json (with local overlay from settings.local.json)"
    with place.init("--settings") as talk:
        talk.expect_next(json.dumps(both, indent=2).replace("\n", "\r\n"))
        talk.expect_next(f"\r\n{loaded}\r\n")
        talk.answer([(OVERWRITE, "n")])
        assert talk.wait() == 0
    assert talk.screen.endswith("\r\nkept .ralph/settings.json\r\n")
    assert (written(place), "hunter2" in talk.screen) == (SHARED, False)


def test_a_yes_replaces_the_shared_settings_and_not_the_local_ones(place: Place) -> None:
    put(place, settings=SHARED, settings_local=LOCAL)
    with place.init("--settings") as talk:
        talk.answer([(OVERWRITE, "y"), *SHORT])
        assert talk.wait() == 0
    assert written(place)["agent"] == {"command": "claude", "flags": []}
    assert "breaker" not in written(place)
    assert json.loads((place.root / ".ralph" / "settings.local.json").read_text()) == LOCAL


@pytest.mark.parametrize("key", [CTRL_C, CTRL_D], ids=["Ctrl-C", "EOF"])
@pytest.mark.parametrize("answered", [0, 1, 4])
def test_leaving_does_not_touch_the_settings_that_are_there(
    place: Place, answered: int, key: bytes
) -> None:
    put(place, settings=SHARED)
    before = everything(place.root)
    questions = [(OVERWRITE, "y"), *SHORT]
    with place.init() as talk:
        talk.answer(questions[:answered])
        talk.expect_next(questions[answered][0])
        talk.type(key)
        assert talk.wait() == 130
    assert everything(place.root) == before


def test_a_local_file_alone_is_named(place: Place) -> None:
    put(place, settings_local=LOCAL)
    with place.init("--settings") as talk:
        talk.expect_next(
            ".ralph/settings.local.json is there already and overrides the answers.\r\n"
        )
        talk.answer(SHORT)
        assert talk.wait() == 0
    assert written(place)["agent"]["command"] == "claude"


BROKEN = {
    "": "is not valid JSON",
    "[1]": "is a list of 1; make it an object",
    '{"model": "a", "model": "b"}': 'has the key "model" twice',
}


@pytest.mark.parametrize("text", BROKEN)
def test_settings_that_cannot_be_read_are_said_to_be_so_and_stay(place: Place, text: str) -> None:
    put(place, settings=text)
    with place.init("--settings") as talk:
        talk.expect_next(f".ralph/settings.json {BROKEN[text]}")
        talk.answer([(OVERWRITE, "")])
        assert talk.wait() == 0
    assert (place.root / FILE).read_text() == text


def test_settings_alone_make_nothing_else(place: Place) -> None:
    (place.root / "ralph").write_text("a program of that name, say")
    with place.init("--settings") as talk:
        talk.answer(SHORT)
        assert talk.wait() == 0
    assert talk.screen.endswith(f"Settings written to {FILE}\r\n")
    made = {path.relative_to(place.root).as_posix() for path in place.root.glob(".[!g]*/*")}
    assert made == {FILE, ".ralph/.gitignore"}
    assert not (place.root / ".gitignore").exists()


@pytest.mark.parametrize("name", [FILE, ".ralph"])
def test_what_stands_in_the_way_is_named_before_the_first_question(place: Place, name: str) -> None:
    path = place.root / name
    path.parent.mkdir(exist_ok=True)
    path.symlink_to("elsewhere")
    kind = "file" if name == FILE else "folder"
    with place.init("--settings") as talk:
        assert talk.wait() == 2
    assert talk.screen == (
        f"ralph: {path} is a symbolic link, and a {kind} is needed there\r\n"
        "hint: move it away, then run init again; nothing was changed\r\n"
    )


def test_no_input_asks_nothing(tmp_path: Path) -> None:
    place = Place(tmp_path)
    with place.init("--no-input") as talk:
        assert talk.wait() == 0
    assert "?" not in talk.screen
    assert (place.root / "ralph" / "tasks.json").is_file()
    assert not (place.root / FILE).exists()


def test_settings_and_no_input_exclude_each_other(place: Place) -> None:
    with place.init("--settings", "--no-input") as talk:
        assert talk.wait() == 2
    assert talk.screen == (
        "ralph: --settings asks and --no-input does not\r\nhint: give one of them\r\n"
    )


@pytest.mark.parametrize(("answer", "made"), [("y", True), ("", False)])
def test_git_init_is_offered_where_there_is_no_repository(
    tmp_path: Path, answer: str, made: bool
) -> None:
    place = Place(tmp_path, "it's 🙂 new")
    with place.init() as talk:
        talk.expect_next(f"{place.root} is not a git repository, and a loop needs one.\r\n")
        talk.answer([(GIT, answer), *SHORT])
        assert talk.wait() == 0
    assert (place.root / ".git" / "HEAD").is_file() == made
    assert ("made a git repository\r\nmade ralph/prd.md\r\n" in talk.screen) == made
    assert ("a loop needs one: git init" in talk.screen) != made


def test_without_git_no_file_is_made(tmp_path: Path) -> None:
    place, tools = Place(tmp_path), tmp_path / "tools"
    tools.mkdir()
    (tools / "sh").symlink_to("/bin/sh")
    place.environment["PATH"] = str(tools)
    with place.init() as talk:
        talk.answer([(GIT, "y"), *SHORT])
        assert talk.wait() == 2
    assert talk.screen.endswith(
        f"\r\nralph: git init failed in {place.root}: git is not installed\r\n"
        "hint: no file was made; repair it, then run init again\r\n"
    )
    assert everything(place.root) == {}
