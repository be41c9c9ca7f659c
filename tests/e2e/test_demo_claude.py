"""demo --claude: the installed client, this plugin and its hooks, in a home that is thrown away."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
from collections import Counter
from pathlib import Path

import pytest
from e2e.claude_client import REPOSITORY, client_path
from ralph_engine import demo_words
from shell.demo_place import SECONDS, Kept, Place

# The loopback of this namespace is up, and there is nothing else.
WITHOUT_NETWORK = ["bwrap", "--dev-bind", "/", "/", "--unshare-net", "--die-with-parent", "--"]
USERS_SETTINGS = {"disableAllHooks": True, "apiKeyHelper": "false", "env": {"DISABLE_BASH": "1"}}


def with_claude(place: Place, version: str = "newest") -> Place:
    """Installed for a user whose own settings and credentials would spoil everything."""
    programs = place.home / "programs"
    programs.mkdir()
    (programs / "claude").symlink_to(client_path(version))
    (place.home / ".claude").mkdir()
    (place.home / ".claude" / "settings.json").write_text(json.dumps(USERS_SETTINGS))
    place.env["PATH"] = f"{programs}:{place.env['PATH']}"
    place.env["ANTHROPIC_API_KEY"] = "the user's own"
    return place


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return with_claude(Place(tmp_path))


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Kept:
    place = with_claude(Place(tmp_path_factory.mktemp("kept")))
    return Kept(place, "--claude", inside=WITHOUT_NETWORK)


def test_the_loop_is_that_of_the_plain_demo(kept: Kept) -> None:
    assert kept.of("iteration", "mode", "story") == [
        ("implement", "US-001"),
        ("review", "US-001"),
        ("review-fix", "US-001"),
        ("review", "US-001"),
        ("implement", "US-002"),
        ("implement", "US-002"),
        ("review", "US-002"),
    ]
    assert kept.of("verdict", "story", "verdict") == [
        ("US-001", "changes_requested"),
        ("US-001", "approved"),
        ("US-002", "approved"),
    ]
    assert kept.of("violation", "rule") == [("illegal-in-implement",), ("frozen",)]
    assert kept.of("notice", "rule") == [("false-promise",)]
    assert kept.of("end", "code", "why") == [(0, "complete: 2 of 2 stories verified")]
    assert kept.git("status", "--porcelain") == ""


def test_it_was_the_real_client_with_our_plugin(kept: Kept) -> None:
    commands = [command for (command,) in kept.of("agent-started", "command")]
    assert len(commands) == 7
    assert {command.split()[0] for command in commands} == {f"{kept.place.home}/programs/claude"}
    assert all(f"--plugin-dir {REPOSITORY}" in command for command in commands)
    assert kept.of("agent-ended", "kind") == [("ok",)] * 7


def test_the_hooks_own_log_agrees_with_what_is_told(kept: Kept) -> None:
    lines = kept.one("greeter/.ralph/hook-events.jsonl").read_text().splitlines()
    hooks = [json.loads(line) for line in lines]
    blocked = Counter((e["iteration"], e["group"]) for e in hooks if e["event"] == "gate-blocked")
    assert blocked == {(1, "uncommitted"): 1, (5, "transitions"): 6}
    assert [e["iteration"] for e in hooks if e["event"] == "gate-exhausted"] == [5]
    journaled = Counter(what for (what,) in kept.of("hook", "what"))
    assert journaled == {"gate-blocked": 7, "gate-exhausted": 1}
    report = kept.one("greeter/.ralph/runs/*/report.md").read_text()
    assert "Hooks, by their own log: 7 stops refused, 1 stop let go\n" in report
    told = " ".join(kept.lines)
    assert told.count("HOOK refuses") == 7
    tools = sum(event.get("kind") == "tool_start" for event in kept.events)
    assert (
        f"Your Claude Code 2.1.326: 7 sessions, {tools} tool calls. The Stop hook refused 7 stops:"
        " 1 put right by the agent itself, 6 ignored by it and then undone by the runner."
    ) in told


def test_each_catch_stands_beside_the_words_it_answers(kept: Kept) -> None:
    rows = [line.split(" | ") for line in kept.lines if " | " in line]
    beside = {left.strip(): right for left, right in rows if left.strip()}
    assert beside["the agent says"] == "hook and runner see"
    assert beside["Done. Everything works!"] == "x HOOK refuses the stop: not committed:"
    assert beside["It is done."] == "x HOOK refuses again (2)"
    assert beside["Done is done."] == "x HOOK refuses again (6)"
    assert "I forgot the commit." not in beside
    texts = [row[1] for row in rows]
    exhausted = texts.index("x HOOK refuses again (6)")
    assert texts[exhausted + 1 : exhausted + 3] == [
        "x UNDONE: approving its own work",
        "x UNDONE: weakening its check",
    ]


def test_verify_and_the_figures_have_the_last_word(kept: Kept) -> None:
    start = kept.lines.index(demo_words.VERIFY)
    end = kept.lines.index("", start)
    # What is too long for a line goes on below it.
    told = [line[:8] for line in kept.lines[start + 1 : end] if line[:8].strip()]
    assert told == ["   ok   "] * 5
    claims = sum(event.get("kind") == "text" for event in kept.events)
    assert kept.lines[end + 1] == (
        f"Claims by the agent: {claims}, believed: 0. Edits undone: 2. False promises: 1."
    )


def test_home_settings_and_credentials_of_the_user_are_as_before(kept: Kept) -> None:
    assert kept.place.everything() == kept.before
    assert kept.place.processes() == []
    assert (kept.folder / "home" / ".claude").is_dir()


def test_an_older_client_asks_nobody_but_the_scripted_model(tmp_path: Path) -> None:
    place = with_claude(Place(tmp_path), "older")
    with socket.create_server(("127.0.0.1", 0)) as trap:
        trap.settimeout(0)
        url = f"http://127.0.0.1:{trap.getsockname()[1]}"
        names = ("ANTHROPIC_BASE_URL", "HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy")
        done = place.run("--claude", **dict.fromkeys(names, url))
        with pytest.raises(BlockingIOError):
            trap.accept()
    assert (done.returncode, done.stderr) == (0, ""), done
    assert "Your Claude Code 2.1.197: 7 sessions" in done.stdout
    assert place.left_over() == []


def test_a_client_that_runs_no_hooks_is_told_and_the_runner_caught_it_all(
    place: Place, tmp_path: Path
) -> None:
    plugin = tmp_path / "plugin"
    for name in ("scripts", "templates", ".claude-plugin", "hooks", "skills"):
        shutil.copytree(REPOSITORY / name, plugin / name)
    (plugin / "hooks" / "hooks.json").write_text('{"hooks": {}}')
    engine = plugin / "scripts" / "ralph_engine" / "__main__.py"
    done = place.run("--claude", engine=engine)
    assert done.returncode == 2
    assert done.stderr == (
        "ralph: Claude Code 2.1.326 ended each turn without asking this plugin's Stop hook;"
        " the runner caught it all, but hooks would save iterations\n"
        f"hint: {plugin}/scripts/ralph.sh doctor tells why\n"
    )
    assert "+ complete: 2 of 2 stories verified" in done.stdout
    assert "HOOK" not in done.stdout
    assert place.left_over() == []


def test_without_claude_the_fix_is_named(tmp_path: Path) -> None:
    place = Place(tmp_path)
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("git", "sh"):
        (tools / name).symlink_to(str(shutil.which(name)))
    done = place.run("--claude", PATH=str(tools))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "ralph: Claude Code is not installed: there is no claude on PATH\n"
        "hint: npm install -g @anthropic-ai/claude-code\n"
    )
    assert place.left_over() == []


def test_a_stand_in_for_a_claude_that_does_not_start(place: Place) -> None:
    claude = place.home / "programs" / "claude"
    claude.unlink()
    claude.write_text('#!/bin/sh\n[ "$HOME" = /home/user ] || exit 3\n')
    claude.chmod(0o755)
    done = place.run("--claude")
    assert done.returncode == 2
    assert done.stderr == (
        f"ralph: {claude} --version does not work (exit code 3) in a home of its own\n"
        "hint: npm install -g @anthropic-ai/claude-code\n"
    )
    assert place.left_over() == []


def test_a_signal_in_the_middle_of_a_session_leaves_nothing(place: Place) -> None:
    process = place.start("--claude")
    assert process.stdout
    seen = b""
    while b"HOOK refuses" not in seen:
        piece = os.read(process.stdout.fileno(), 4096)
        assert piece, seen
        seen += piece
    os.killpg(process.pid, signal.SIGINT)
    rest, _ = process.communicate(timeout=SECONDS)
    assert process.returncode == 130, rest
    assert b"Traceback" not in rest and b"Claims" not in rest
    assert place.left_over() == []
    assert place.processes() == []
