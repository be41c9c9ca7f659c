"""What is started for each agent."""

from __future__ import annotations

import json

import pytest
from ralph_engine import agents
from ralph_engine.agents import KNOWN, amp, claude, codex, command, gemini
from ralph_engine.agents.adapter import Adapter
from ralph_engine.agents.request import Request
from ralph_engine.failure import Failure

SESSION = "7c1f4a52-0000-4000-8000-000000000000"


def asked(**given: object) -> Request:
    usual: dict[str, object] = {
        "command": "claude",
        "prompt": "Do it.\n",
        "run_id": "run-1",
        "session_id": SESSION,
        "plugin_dir": "/plug in",
    }
    return Request(**{**usual, **given})  # type: ignore[arg-type]


def value(argv: list[str], option: str) -> str:
    assert argv.count(option) == 1
    return argv[argv.index(option) + 1]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("claude", "claude"),
        ("/opt/bin/claude", "claude"),
        ("claude.exe", "claude"),
        ("/opt/a folder/claude", "claude"),
        ("codex", "codex"),
        ("/opt/bin/codex", "codex"),
        ("amp", "amp"),
        ("/opt/bin/gemini", "gemini"),
        ("claude-wrapper", "command"),
        ("/claude/run", "command"),
        ("python3", "command"),
        ("", "command"),
    ],
)
def test_the_program_chooses_the_adapter(text: str, name: str) -> None:
    assert name == agents.choose(text).NAME


def test_only_claude_reports_its_cost() -> None:
    told = {name: agents.choose(name).REPORTS_COST for name in (*KNOWN, "any-other")}
    assert [name for name, is_told in told.items() if is_told] == ["claude"]


def test_claude_streams() -> None:
    launch = claude.launch(asked())
    argv = launch.argv
    assert argv[:3] == ["claude", "-p", "--dangerously-skip-permissions"]
    assert "--verbose" in argv
    assert value(argv, "--output-format") == "stream-json"
    assert value(argv, "--plugin-dir") == "/plug in"
    assert value(argv, "--session-id") == SESSION
    assert launch.stdin == b"Do it.\n"
    assert not {"--model", "--max-budget-usd"} & set(argv)


def test_claude_keeps_hooks_on_whatever_the_project_says() -> None:
    launch = claude.launch(asked())
    told = json.loads(value(launch.argv, "--settings"))
    assert told["disableAllHooks"] is False
    for where in (told["env"], launch.environment):
        assert int(where["CLAUDE_CODE_STOP_HOOK_BLOCK_CAP"]) > 8
        assert 1 <= int(where["CLAUDE_CODE_MAX_RETRIES"]) < 10


@pytest.mark.parametrize("adapter", [*map(agents.choose, KNOWN), command])
def test_environment(adapter: Adapter) -> None:
    usual = {
        "RALPH_ACTIVE": "1",
        "RALPH_RUN_ID": "run-1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_EDITOR": "true",
        "PAGER": "cat",
    }
    assert usual.items() <= adapter.launch(asked()).environment.items()
    plain = adapter.plain_launch(asked()).environment
    assert {**usual, "RALPH_ACTIVE": "0"}.items() <= plain.items()


def test_claude_gets_model_and_budget() -> None:
    argv = claude.launch(asked(model="opus", budget_usd=1.23456)).argv
    assert (value(argv, "--model"), value(argv, "--max-budget-usd")) == ("opus", "1.2346")
    least = claude.launch(asked(budget_usd=0.0)).argv
    assert value(least, "--max-budget-usd") == "0.0001"


def test_flags_stand_before_ours_word_for_word() -> None:
    flags = ("--append-system-prompt", "Don't be long.", "--output-format", "text")
    argv = claude.launch(asked(flags=flags)).argv
    assert argv[:3] == ["claude", "--append-system-prompt", "Don't be long."]
    assert argv.index("stream-json") > argv.index("text")


@pytest.mark.parametrize("flag", ["--settings", "--settings={}"])
def test_settings_of_ones_own_are_refused(flag: str) -> None:
    with pytest.raises(Failure) as failure:
        claude.launch(asked(flags=(flag,)))
    said = "the agent's flags hold --settings, which Ralph needs to keep its hooks on"
    assert (str(failure.value), failure.value.hint) == (
        said,
        "put those settings into .claude/settings.local.json",
    )


def test_claude_plainly() -> None:
    launch = claude.plain_launch(asked(model="haiku"))
    assert value(launch.argv, "--output-format") == "text"
    assert value(launch.argv, "--model") == "haiku"
    assert not {"--plugin-dir", "--session-id", "--verbose"} & set(launch.argv)
    assert launch.stdin == b"Do it.\n"


def test_a_long_prompt_and_half_a_character_go_by_stdin() -> None:
    assert len(claude.launch(asked(prompt="é" * 10**6)).stdin) == 2 * 10**6
    assert claude.launch(asked(prompt="a\ud800")).stdin == b"a?"


ALL_ALLOWED = "--dangerously-bypass-approvals-and-sandbox"


def test_codex_streams() -> None:
    launch = codex.launch(asked(command="codex", model="gpt-9"))
    assert launch.argv == [
        *("codex", "exec", "--skip-git-repo-check", ALL_ALLOWED, "-m", "gpt-9"),
        *("--json", "-c", "tools.update_plan.enabled=true", "-"),
    ]
    assert launch.stdin == b"Do it.\n"


def test_codex_plainly() -> None:
    launch = codex.plain_launch(asked(command="codex"))
    assert launch.argv == ["codex", "exec", "--skip-git-repo-check", ALL_ALLOWED, "-"]
    assert launch.stdin == b"Do it.\n"


@pytest.mark.parametrize("first", ["exec", "e"])
def test_a_subcommand_or_flag_that_is_ours_does_not_stand_there_twice(first: str) -> None:
    flags = (first, "--json", "--skip-git-repo-check", "-c", "a=b")
    argv = codex.launch(asked(command="codex", flags=flags)).argv
    assert argv[:5] == ["codex", "exec", "-c", "a=b", "--skip-git-repo-check"]
    assert [argv.count(flag) for flag in ("--json", "--skip-git-repo-check")] == [1, 1]


@pytest.mark.parametrize(
    "flags", [("-s", "read-only"), ("--sandbox=workspace-write",), ("--approve-for-me",)]
)
def test_what_codex_may_do_can_be_chosen(flags: tuple[str, ...]) -> None:
    assert ALL_ALLOWED not in codex.launch(asked(command="codex", flags=flags)).argv


@pytest.mark.parametrize("adapter", [codex, gemini])
@pytest.mark.parametrize("flag", ["-m", "--model", "--model=x"])
def test_two_models_are_refused(adapter: Adapter, flag: str) -> None:
    with pytest.raises(Failure) as failure:
        adapter.launch(asked(command=adapter.NAME, flags=(flag,), model="gpt-9"))
    assert str(failure.value) == (
        "the agent's flags name a model, and so do the settings or --model (gpt-9)"
    )


def test_amp_streams_with_the_prompt_last() -> None:
    launch = amp.launch(asked(command="amp", flags=("--mode", "rush", "--stream-json")))
    assert launch.argv == [
        *("amp", "--mode", "rush", "--stream-json", "--dangerously-allow-all", "-x", "Do it.\n"),
    ]
    assert launch.stdin == b""


def test_amp_plainly() -> None:
    launch = amp.plain_launch(asked(command="amp"))
    assert launch.argv == ["amp", "--dangerously-allow-all", "-x", "Do it.\n"]


@pytest.mark.parametrize(
    "prompt", ["x" * 100_001, "é" * 50_001, "- a list\n- of things", "a\0b", ""]
)
def test_what_is_no_argument_goes_to_amp_by_stdin(prompt: str) -> None:
    launch = amp.launch(asked(command="amp", prompt=prompt))
    assert launch.argv[-1] == "-x"
    assert launch.stdin == prompt.encode()


def test_the_longest_argument_of_amp() -> None:
    prompt = "x" * 100_000
    assert amp.launch(asked(command="amp", prompt=prompt)).argv[-2:] == ["-x", prompt]
    assert amp.launch(asked(command="amp", prompt="a\ud800")).argv[-1] == "a?"


@pytest.mark.parametrize("flag", ["-x", "--execute", "--execute=this"])
def test_a_prompt_of_ones_own_for_amp_is_refused(flag: str) -> None:
    with pytest.raises(Failure) as failure:
        amp.launch(asked(command="amp", flags=(flag,)))
    assert str(failure.value) == (
        "the agent's flags hold -x, which Ralph needs to hand over its prompt"
    )


def test_a_model_for_amp_is_refused() -> None:
    with pytest.raises(Failure) as failure:
        amp.launch(asked(command="amp", model="opus"))
    assert (str(failure.value), failure.value.hint) == (
        "amp takes no model, and the settings or --model name one (opus)",
        'take it out, or choose a mode by --agent "amp --mode NAME"',
    )


def test_gemini_streams() -> None:
    launch = gemini.launch(asked(command="gemini", model="gemini-9"))
    assert launch.argv == [
        *("gemini", "--skip-trust", "--yolo", "-m", "gemini-9"),
        *("--output-format", "stream-json"),
    ]
    assert launch.stdin == b"Do it.\n"


def test_gemini_plainly() -> None:
    launch = gemini.plain_launch(asked(command="gemini", flags=("--skip-trust", "-e", "none")))
    assert launch.argv == [
        *("gemini", "-e", "none", "--skip-trust", "--yolo", "--output-format", "text"),
    ]


@pytest.mark.parametrize("flag", ["--approval-mode=auto_edit", "--yolo", "-y"])
def test_what_gemini_may_do_can_be_chosen(flag: str) -> None:
    argv = gemini.launch(asked(command="gemini", flags=(flag,))).argv
    assert [word for word in argv if word in ("--yolo", "-y", flag)] == [flag]


@pytest.mark.parametrize("flag", ["-o", "--output-format", "--output-format=text"])
def test_a_format_of_ones_own_for_gemini_is_refused(flag: str) -> None:
    """Given twice it is a list of two, which the client does not take."""
    with pytest.raises(Failure) as failure:
        gemini.launch(asked(command="gemini", flags=(flag,)))
    assert str(failure.value) == "the agent's flags hold --output-format, which Ralph sets itself"
