"""Versions and flags of agent CLIs, asked of stand-ins that answer as they do."""

from __future__ import annotations

from pathlib import Path

import pytest
from ralph_engine import agent_version, preflight, settings
from ralph_engine.agents import KNOWN, amp, choose, codex
from ralph_engine.confined import Confinement
from ralph_engine.settings import Entry

HELP = " ".join((*codex.FLAGS, "--help"))


def stand_in(folder: Path, version: str, told: str = HELP, name: str = "codex") -> str:
    """Notes how it was asked."""
    program = folder / name
    program.write_text(
        f'#!/bin/sh\necho "$*" >> {folder}/asked\n'
        f"case $* in\n--version) echo '{version}' ;;\n*) echo '{told}' ;;\nesac\n"
    )
    program.chmod(0o755)
    return str(program)


def faults(program: str) -> list[str]:
    chosen = settings.settled(settings.merged([], {"agent.command": Entry(program, "test")}))
    return preflight._agent_faults(chosen, Confinement())


@pytest.mark.parametrize(
    ("number", "words"),
    [
        ("2.1.196", "older than the oldest that Ralph was tested with (2.1.197)"),
        ("2.1.197", ""),
        ("2.1.200", ""),
        ("2.1.326", ""),
        ("2.1.327", "newer than the newest that Ralph was tested with (2.1.326)"),
        ("2.10.1", "newer than the newest that Ralph was tested with (2.1.326)"),
        ("1.9.999", "older than the oldest that Ralph was tested with (2.1.197)"),
    ],
)
def test_which_versions_are_known(number: str, words: str) -> None:
    assert agent_version.judged(number, ("2.1.197", "2.1.326")) == words


def test_a_tested_version_is_asked_for_nothing_else(tmp_path: Path) -> None:
    program = stand_in(tmp_path, "codex-cli 0.169.0", "no flags at all --help")
    assert agent_version.ask(program).sentence == "codex-cli 0.169.0"
    assert faults(program) == []
    assert (tmp_path / "asked").read_text() == "--version\n"


def test_a_newer_version_is_told_and_works_while_it_knows_our_flags(tmp_path: Path) -> None:
    program = stand_in(tmp_path, "codex-cli 0.170.0")
    assert agent_version.ask(program).sentence == (
        "codex-cli 0.170.0: newer than the newest that Ralph was tested with (0.169.0)"
    )
    assert faults(program) == []
    assert (tmp_path / "asked").read_text() == "--version\nexec --help\n"


def test_a_version_without_our_flags_is_refused(tmp_path: Path) -> None:
    program = stand_in(tmp_path, "codex-cli 0.2.0", "-c, -m --jsonl --skip-git-repo-check --help")
    assert faults(program) == [
        "codex-cli 0.2.0 does not know --json, --dangerously-bypass-approvals-and-sandbox;"
        " install a version from 0.169.0 to 0.169.0"
    ]


@pytest.mark.parametrize("told", ["", "Usage: none of it"])
def test_a_help_that_names_no_flags_is_not_judged(tmp_path: Path, told: str) -> None:
    assert faults(stand_in(tmp_path, "codex-cli 9.0.0", told)) == []


@pytest.mark.parametrize("answer", ["", "hello", "version 9"])
def test_a_version_that_is_not_told(tmp_path: Path, answer: str) -> None:
    program = stand_in(tmp_path, answer)
    assert agent_version.ask(program).sentence == f"{program}: its --version tells no version"
    assert faults(program) == []
    assert (tmp_path / "asked").read_text() == "--version\nexec --help\n"


def test_a_version_that_is_not_told_must_know_our_flags(tmp_path: Path) -> None:
    program = stand_in(tmp_path, "hello", "-c, -m --json --skip-git-repo-check --help")
    assert faults(program) == [
        f"{program} does not know --dangerously-bypass-approvals-and-sandbox;"
        " install a version from 0.169.0 to 0.169.0"
    ]


def test_flags_that_cannot_be_are_told_before_the_first_token(tmp_path: Path) -> None:
    """Also those of a reviewer, who comes to work much later."""
    program = stand_in(tmp_path, "codex-cli 0.169.0")
    own = {"reviewAgent.command": f"{program} -m gpt-1", "reviewModel": "gpt-2"}
    entries = {name: Entry(value, "test") for name, value in own.items()}
    chosen = settings.settled(
        settings.merged([], {"agent.command": Entry(program, "test"), **entries})
    )
    assert preflight._agent_faults(chosen, Confinement()) == [
        f"review agent {program}: the agent's flags name a model, and so do the settings or"
        " --model (gpt-2); take one of them out"
    ]


def test_a_program_that_we_do_not_know_is_not_asked(tmp_path: Path) -> None:
    program = stand_in(tmp_path, "1.2.3", name="my-agent")
    assert agent_version.ask(program).sentence == program
    assert not (tmp_path / "asked").exists()


@pytest.mark.parametrize("name", KNOWN)
def test_every_flag_that_we_pass_is_looked_for(name: str) -> None:
    from unit.test_launch import asked

    adapter, model = choose(name), None if name == "amp" else "m"
    request = asked(command=name, model=model, budget_usd=1.0)
    # Amp's help does not name it, though it takes it.
    unnamed = {"--dangerously-allow-all"} if name == "amp" else set()
    for launch in (adapter.launch(request), adapter.plain_launch(request)):
        passed = {word for word in launch.argv if word.startswith("-") and word != "-"}
        assert passed - unnamed <= set(adapter.FLAGS)


@pytest.mark.parametrize("name", KNOWN)
def test_a_newer_version_of_every_agent_is_told(tmp_path: Path, name: str) -> None:
    tested = choose(name).TESTED
    assert tested is not None
    first, second, third = tested[1].split(".")
    newer = f"{first}.{second}.{int(third) + 1}"
    told = " ".join((*choose(name).FLAGS, "--help"))
    program = stand_in(tmp_path, f"{newer}-g12345 (released today)", told, name)
    assert agent_version.ask(program).sentence == (
        f"{newer}-g12345 (released today):"
        f" newer than the newest that Ralph was tested with ({tested[1]})"
    )


def test_amp_without_a_key_is_refused_before_it_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = stand_in(tmp_path, f"{amp.TESTED[0]}-g1" if amp.TESTED else "", name="amp")
    monkeypatch.delenv("AMP_API_KEY", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    said = f"{program} has no key and would wait for a person; set AMP_API_KEY, or sign in by hand"
    assert faults(program) == [said]
    monkeypatch.setenv("AMP_API_KEY", " ")
    assert faults(program) == [said]
    monkeypatch.setenv("AMP_API_KEY", "sgamp_test")
    assert faults(program) == []
    monkeypatch.delenv("AMP_API_KEY")
    secrets = tmp_path / ".local/share/amp/secrets.json"
    secrets.parent.mkdir(parents=True)
    secrets.write_text("{}")
    assert faults(program) == []
