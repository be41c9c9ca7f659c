"""The options of `run`: what is accepted, and the one line that answers everything else."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, NoReturn

import pytest
from ralph_engine import run_options, settings
from ralph_engine.failure import Failure


class Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise Failure(message, "usage")


def parse(*words: str) -> argparse.Namespace:
    parser = Parser(prog="ralph.sh run", description="run the loop")
    run_options.add_arguments(parser)
    return parser.parse_args(words)


def refusal(*words: str) -> str:
    with pytest.raises(Failure) as caught:
        run_options.options(parse(*words))
    text = str(caught.value)
    assert "\n" not in text
    return text


def test_nothing_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    namespace = parse()
    assert run_options.overrides(namespace) == {}
    assert run_options.options(namespace) == run_options.RunOptions(
        project_dir=str(tmp_path.resolve()),
        ralph_dir="ralph",
        prompt=None,
        prompt_file=None,
        trust_approved=False,
        review_skipped=False,
        allow_plan_edits=False,
        allow_dirty=False,
        dry_run=False,
        json=False,
        verbose=False,
    )


VALUES: list[tuple[str, str, str, Any]] = [
    ("-n", "5", "maximumIterations", 5),
    ("--max-iterations", "5", "maximumIterations", 5),
    ("--maximum-iterations", "5", "maximumIterations", 5),
    ("-m", "opus", "model", "opus"),
    ("--model", "gpt-5", "model", "gpt-5"),
    ("--agent", "my-agent --fast", "agent.command", "my-agent --fast"),
    ("--review-agent", "codex -c a=b", "reviewAgent.command", "codex -c a=b"),
    ("--review-model", "opus", "reviewModel", "opus"),
    ("--review-cap", "1", "reviewCap", 1),
    ("--at-cap", "hold", "atCap", "hold"),
    ("-c", "FINISHED", "completionResponse", "FINISHED"),
    ("--completion-response", "FINISHED", "completionResponse", "FINISHED"),
    ("--max-cost", "5", "maxCostUsd", 5),
    ("--max-cost", "2.50", "maxCostUsd", 2.5),
    ("--max-duration", "8h", "maxDuration", "8h"),
    ("--iteration-timeout", "90s", "iterationTimeout", "90s"),
    ("--idle-timeout", "15m", "idleTimeout", "15m"),
    ("--delay", "0s", "delay", "0s"),
    ("--breaker", "0", "breaker", 0),
    ("--sandbox", "bwrap", "sandbox.backend", "bwrap"),
]


@pytest.mark.parametrize(("flag", "text", "key", "value"), VALUES)
def test_a_setting_with_a_value(flag: str, text: str, key: str, value: Any) -> None:
    wanted = {key: (value, flag)}
    assert run_options.overrides(parse(flag, text)) == wanted
    assert run_options.overrides(parse(f"{flag}={text}")) == wanted


@pytest.mark.parametrize(
    ("flag", "key", "value"),
    [
        ("--skip-review", "skipReview", True),
        ("--red-first", "redFirst", True),
        ("--strict-tests", "strictTests", True),
        ("--stream-agent-output", "streamAgentOutput", True),
        ("--no-stream-agent-output", "streamAgentOutput", False),
        ("--no-wait-on-limit", "waitOnLimit", False),
        ("--no-sandbox", "sandbox.backend", "none"),
    ],
)
def test_a_setting_without_a_value(flag: str, key: str, value: bool | str) -> None:
    assert run_options.overrides(parse(flag)) == {key: (value, flag)}
    assert flag in refusal(f"{flag}=yes")


def test_a_sandbox_without_a_name_is_any(tmp_path: Path) -> None:
    given = run_options.overrides(parse("--sandbox", "-n", "3"))
    assert given["sandbox.backend"] == ("any", "--sandbox")
    assert settings.read(str(tmp_path), {}, given).sandbox.backend == "any"


def test_every_override_is_a_setting_and_survives_the_merge(tmp_path: Path) -> None:
    words = [word for flag, text, *_ in VALUES for word in (flag, text)]
    given = run_options.overrides(parse(*words, "--skip-review", "--no-wait-on-limit"))
    assert set(given) <= set(settings.DEFAULTS)
    found = settings.read(str(tmp_path), {"RALPH_MAX_ITERATIONS": "9"}, given)
    assert (found.maximum_iterations, found.max_cost_usd, found.delay) == (5, 2.5, 0.0)
    assert found.agent == settings.Agent("my-agent", ("--fast",))
    assert (found.skip_review, found.wait_on_limit) == (True, False)


def test_the_last_one_wins() -> None:
    assert run_options.overrides(parse("-n", "5", "--max-iterations", "6")) == {
        "maximumIterations": (6, "--max-iterations")
    }


def test_one_command_line_leaves_nothing_to_the_next() -> None:
    parser = Parser()
    run_options.add_arguments(parser)
    parser.parse_args(["-n", "5"])
    assert run_options.overrides(parser.parse_args([])) == {}


@pytest.mark.parametrize(
    "flag",
    [
        "--trust-approved",
        "--review-skipped",
        "--allow-plan-edits",
        "--allow-dirty",
        "--dry-run",
        "--json",
        "--verbose",
    ],
)
def test_a_switch_sets_itself_only(flag: str) -> None:
    found = run_options.options(parse(flag))
    true = [name for name, value in vars(found).items() if value is True]
    assert true == [flag[2:].replace("-", "_")]


def test_the_short_form_of_verbose() -> None:
    assert run_options.options(parse("-V")).verbose is True


POSITIVE = "give a whole number from 1 to 999999"
DURATION = "give a duration such as 90s, 15m or 8h, above zero"
BACKENDS = "give auto, any, none, sbx, docker or bwrap"
MONEY = "give an amount in USD above 0, at most 1000000"
BAD = [
    *(("-n", text, POSITIVE) for text in ("0", "x", "-1", "", "1.5", "1_0", "1000000", "٣")),
    ("--max-iterations", "0", POSITIVE),
    ("--maximum-iterations", "0", POSITIVE),
    *(("--review-cap", text, POSITIVE) for text in ("0", "x")),
    *(("--breaker", text, "give a whole number from 0 to 999999") for text in ("-1", "x")),
    *(("--at-cap", text, "give approve or hold") for text in ("", "stop", "HOLD")),
    *(("--max-cost", text, MONEY) for text in ("0", "-1", "x", "inf", "nan", "1e3", "$5")),
    *(("--max-duration", text, DURATION) for text in ("0s", "8", "8d", "1h30m", "")),
    ("--iteration-timeout", "0m", DURATION),
    ("--idle-timeout", "15", DURATION),
    ("--delay", "x", "give a duration such as 90s, 15m or 8h; 0s for none"),
    *(("--sandbox", text, BACKENDS) for text in ("", "lxc", "BWRAP")),
    *((flag, " ", "give a text that is not blank") for flag in ("-m", "-c", "--agent")),
]


@pytest.mark.parametrize(("flag", "text", "wanted"), BAD)
def test_a_bad_value_gets_one_line(flag: str, text: str, wanted: str) -> None:
    assert refusal(flag, text) == f'{flag} is "{text}"; {wanted}'
    assert refusal(f"{flag}={text}") == f'{flag} is "{text}"; {wanted}'


@pytest.mark.parametrize("flag", ["-m", "--model"])
@pytest.mark.parametrize("text", ["10", "0", "+3"])
def test_a_number_is_no_model(flag: str, text: str) -> None:
    wanted = f'{flag} is "{text}", but takes the name of a model; did you mean -n?'
    assert refusal(flag, text) == wanted


def test_an_agent_with_an_open_quote() -> None:
    wanted = '--agent is "run [redacted] \'it"; close its open quote or backslash'
    assert refusal("--agent", "run sk-abcdef123456 'it") == wanted


def test_a_prompt() -> None:
    assert run_options.options(parse("-p", " do it\n")).prompt == " do it\n"
    assert run_options.options(parse("--prompt=--do it")).prompt == "--do it"


@pytest.mark.parametrize("text", ["", " \n\t"])
def test_a_blank_prompt(text: str) -> None:
    assert refusal("-p", text) == "-p is blank; give the text of the prompt"


def test_a_prompt_file_is_kept_with_its_whole_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "goal.md").write_text("do it")
    monkeypatch.chdir(tmp_path)
    assert run_options.options(parse("-f", "goal.md")).prompt_file == str(tmp_path / "goal.md")


@pytest.mark.parametrize("name", ["nowhere.md", "", "folder", "empty.md", "long" * 2000])
def test_a_prompt_file_that_cannot_be_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "empty.md").touch()
    text = refusal("-f", name)
    assert text.startswith('-f is "') and len(text) < 200
    assert text.endswith("; give a file that exists and is not empty")


def test_only_one_prompt(tmp_path: Path) -> None:
    file = tmp_path / "goal.md"
    file.write_text("do it")
    for first, second in (("-p", "-f"), ("-f", "-p"), ("-p", "-p"), ("-f", "-f")):
        wanted = f"{second} is a second prompt; give one -p or one -f"
        assert refusal(first, str(file), second, str(file)) == wanted


@pytest.mark.parametrize("name", ["nowhere", "", "file", "long" * 2000])
def test_a_project_that_is_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    assert refusal("-d", name).endswith("; give a folder that exists")


def test_the_project_is_resolved(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    found = run_options.options(parse("--project-dir", str(tmp_path / "link")))
    assert found.project_dir == str((tmp_path / "real").resolve())


@pytest.mark.parametrize("text", ["..", "../x", "/abs", ".", "", "a/../.."])
def test_a_ralph_folder_outside_the_project(text: str) -> None:
    wanted = f'--ralph-dir is "{text}"; give a relative path below the project'
    assert refusal("--ralph-dir", text) == wanted


@pytest.mark.parametrize(("text", "wanted"), [("./a/b/", "a/b"), ("a/../c", "c")])
def test_the_ralph_folder_is_normal(text: str, wanted: str) -> None:
    assert run_options.options(parse("--ralph-dir", text)).ralph_dir == wanted


@pytest.mark.parametrize("words", [["--max-iter", "5"], ["--verb"], ["--dry"], ["--mod=x"]])
def test_no_abbreviations(words: list[str]) -> None:
    assert refusal(*words) == f"unrecognized arguments: {' '.join(words)}"


@pytest.mark.parametrize("flag", ["-n", "--max-cost", "-p", "-f", "-d", "--ralph-dir"])
def test_a_value_that_is_not_there(flag: str) -> None:
    assert "expected one argument" in refusal(flag)


EVERYDAY = {
    "--prompt",
    "--prompt-file",
    "--max-iterations",
    "--model",
    "--agent",
    "--max-cost",
    "--max-duration",
    "--skip-review",
    "--project-dir",
    "--dry-run",
}


def help_text(flag: str, capsys: pytest.CaptureFixture[str]) -> tuple[set[str], str]:
    with pytest.raises(SystemExit) as ended:
        parse(flag)
    text = capsys.readouterr().out
    assert ended.value.code == 0
    words = text.replace(",", " ").replace("[", " ").replace("]", " ").split()
    return {word for word in words if word.startswith("--")}, text


@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_help_shows_the_everyday_options(flag: str, capsys: pytest.CaptureFixture[str]) -> None:
    shown, text = help_text(flag, capsys)
    assert len(EVERYDAY) == 10
    assert shown == EVERYDAY | {"--help", "--help-all", "--maximum-iterations"}
    assert "worktree" in text and "run the loop" in text


def test_help_all_shows_every_option(capsys: pytest.CaptureFixture[str]) -> None:
    shown, text = help_text("--help-all", capsys)
    assert {flag for flag, *_ in VALUES if flag.startswith("--")} < shown
    assert {f"--{name.replace('_', '-')}" for name in vars(run_options.options(parse()))} < shown
    assert {"--no-stream-agent-output", "--no-wait-on-limit"} < shown
    assert {"--red-first", "--strict-tests"} < shown
    assert text.startswith("usage: ralph.sh run ") and "run the loop" in text
