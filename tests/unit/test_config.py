"""The `config` verb."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import pytest
from ralph_engine import config, schema, settings
from ralph_engine.failure import Failure

Capture = pytest.CaptureFixture[str]


def run(capsys: Capture, root: Path, *words: str) -> str:
    parser = argparse.ArgumentParser()
    config.add_arguments(parser)
    assert config.main(parser.parse_args(["-d", str(root), *words])) == 0
    return capsys.readouterr().out


def write(root: Path, document: Any, name: str = "settings.json") -> None:
    (root / ".ralph").mkdir(exist_ok=True)
    (root / ".ralph" / name).write_text(json.dumps(document))


@pytest.fixture(autouse=True)
def quiet_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MAX_ITERATIONS", "COMPLETION_SIGNAL", "CIRCUIT_BREAKER_THRESHOLD"):
        monkeypatch.delenv(f"RALPH_{name}", raising=False)


def test_the_defaults(tmp_path: Path, capsys: Capture) -> None:
    assert run(capsys, tmp_path).splitlines() == [
        "maximumIterations = 15, for a prompt 10 (default)",
        'completionResponse = "DONE" (default)',
        "outputTruncateChars = 5000 (default)",
        "streamAgentOutput = true (default)",
        "includeIterationCountInPrompt = false (default)",
        'agent.command = "claude" (default)',
        "agent.flags = [] (default)",
        "agent.fallback.command = none (default)",
        "agent.fallback.flags = [] (default)",
        "reviewAgent.command = the agent itself (default)",
        "reviewAgent.flags = [] (default)",
        "model = the agent's own (default)",
        "reviewModel = that of the agent (default)",
        "guardrails = [] (default)",
        "scm.command = none (default)",
        "scm.tasks = none (default)",
        "skipReview = false (default)",
        "reviewCap = 5 (default)",
        'atCap = "approve" (default)',
        "redFirst = false (default)",
        "strictTests = false (default)",
        "maxCostUsd = no limit (default)",
        "maxDuration = no limit (default)",
        'iterationTimeout = "60m" (default)',
        'idleTimeout = "15m" (default)',
        'delay = "1s" (default)',
        "waitOnLimit = true (default)",
        "breaker = 3, for a prompt 5 (default)",
        "display.emoji = true (default)",
        "display.color = true (default)",
        "display.timestamps = false (default)",
        "display.maxOutputLines = 5 (default)",
        "display.maxOutputChars = 500 (default)",
        "notify = none (default)",
        "guard.allow = [] (default)",
        'sandbox.backend = "auto" (default)',
        'sandbox.network = "open" (default)',
        "sandbox.allowHosts = [] (default)",
        "session.maxIterations = 25 (default)",
        'session.completionPromise = "DONE" (default)',
        'session.auditSignal = "RALPH_AUDIT_COMPLETE_NO_FINDINGS" (default)',
        "session.minToolCalls = 1 (default)",
        'session.onPromiseNoWork = "reject" (default)',
        'session.verifyTimeout = "10m" (default)',
        "session.maxDuration = no limit (default)",
        "session.breaker = 3 (default)",
        "router.maxIterations = 25 (default)",
        'router.auditSignal = "RALPH_AUDIT_COMPLETE_NO_FINDINGS" (default)',
        "router.breaker = 3 (default)",
        "tdd.breaker = 3 (default)",
    ]


def test_each_value_names_its_origin(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {"delay": "2s", "reviewCap": 3})
    write(tmp_path, {"reviewCap": 4}, "settings.local.json")
    monkeypatch.setenv("RALPH_MAX_ITERATIONS", "9")
    monkeypatch.setenv("RALPH_COMPLETION_SIGNAL", "CLEAN")
    monkeypatch.setenv("RALPH_CIRCUIT_BREAKER_THRESHOLD", "4")
    lines = run(capsys, tmp_path, "--breaker", "0").splitlines()
    assert [line for line in lines if not line.endswith("(default)")] == [
        "maximumIterations = 9 (environment)",
        "reviewCap = 4 (.ralph/settings.local.json)",
        'delay = "2s" (.ralph/settings.json)',
        "breaker = 0 (--breaker)",
        "session.maxIterations = 9 (environment)",
        'session.auditSignal = "CLEAN" (environment)',
        "session.breaker = 4 (environment)",
        "router.maxIterations = 9 (environment)",
        'router.auditSignal = "CLEAN" (environment)',
        "router.breaker = 4 (environment)",
        "tdd.breaker = 4 (environment)",
    ]


SECRET: dict[str, Any] = {
    "agent": {"command": "API_TOKEN=hush claude", "flags": ["--api-key", "hush", "--token hush"]},
    "guardrails": [{"command": "DB_PASSWORD=hush make", "failAction": "APPEND"}],
    "scm": {"command": "git", "tasks": ["push https://me:hush@host"]},
}


@pytest.mark.parametrize("words", [(), ("--json",)])
def test_secrets_are_hidden(tmp_path: Path, capsys: Capture, words: tuple[str, ...]) -> None:
    write(tmp_path, SECRET)
    text = run(capsys, tmp_path, *words)
    assert "hush" not in text
    assert text.count("[redacted]") == 5
    assert "DB_PASSWORD" in text and "--api-key" in text


def test_json_is_one_object_with_every_key(tmp_path: Path, capsys: Capture) -> None:
    write(tmp_path, {"agent": {"flags": ["-x"]}})
    found = json.loads(run(capsys, tmp_path, "--json", "-n", "3"))
    assert list(found)[: len(settings.DEFAULTS)] == list(settings.DEFAULTS)
    assert schema.accepts("config", found)
    assert not schema.accepts("config", {**found, "breaker": 3})
    assert found["session.maxDuration"] == {"value": None, "origin": "default"}
    assert found["agent.flags"] == {"value": ["-x"], "origin": ".ralph/settings.json"}
    assert found["maximumIterations"] == {"value": 3, "origin": "-n"}
    assert found["breaker"] == {"value": None, "origin": "default"}


def test_a_value_cannot_command_the_terminal(tmp_path: Path, capsys: Capture) -> None:
    write(tmp_path, {"completionResponse": "a\nb = 1\x9b2J"})
    text = run(capsys, tmp_path)
    assert 'completionResponse = "a\\nb = 1\\x9b2J" (.ralph/settings.json)\n' in text


def test_faults_are_a_failure(tmp_path: Path, capsys: Capture) -> None:
    write(tmp_path, {"reviewCap": 0})
    with pytest.raises(Failure):
        run(capsys, tmp_path)


def test_what_no_session_could_take_is_a_failure(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RALPH_MAX_ITERATIONS", "08")
    with pytest.raises(Failure, match="RALPH_MAX_ITERATIONS is .* give a whole number from 1 to"):
        run(capsys, tmp_path)


def test_no_abbreviations() -> None:
    parser = argparse.ArgumentParser(exit_on_error=False)
    config.add_arguments(parser)
    assert parser.parse_known_args(["--js"])[1] == ["--js"]
