"""shfmt as a process: its tree, and what becomes of one that is stuck, talkative or not there."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from guarded import SHFMT
from ralph_engine.core.shell import shfmt
from ralph_engine.core.shell.follow import follow
from ralph_engine.core.shell.values import TooMuch


def program(tmp_path: Path, text: str) -> str:
    path = tmp_path / "shfmt"
    path.write_text(f"#!/bin/sh\necho $$ >'{tmp_path}/pid'\n{text}\n")
    path.chmod(0o755)
    return str(path)


def is_gone(tmp_path: Path) -> bool:
    """Waited for: not even a zombie of it is left."""
    pid = (tmp_path / "pid").read_text().strip()
    return subprocess.run(["ps", "-p", pid], capture_output=True, timeout=60).returncode != 0


def test_a_text_becomes_a_tree() -> None:
    [statement] = shfmt.parse(SHFMT, "a | b") or []
    assert statement["Cmd"]["Type"] == "BinaryCmd"
    assert statement["Cmd"]["Op"] == "|"
    assert shfmt.parse(SHFMT, "") == []


@pytest.mark.parametrize(
    "text",
    [
        "a # é\\\nb",
        "if a; then b #\\\nc; fi",
        "#\\\na\n# x \\\n#y\\\nb",
        "{ a; # \\\nb; }",
        "a #\\\n#\\\nb",
    ],
)
def test_a_comment_ends_with_its_line_as_it_does_for_a_shell(text: str) -> None:
    """shfmt itself goes on behind a backslash, and would hide a command so."""
    assert shfmt.parse(SHFMT, text) is not None
    said = json.dumps(shfmt.parse(SHFMT, text))
    assert said.count('"CallExpr"') == len(set(text) & set("abc"))


@pytest.mark.parametrize("text", ["(", "if", "a ;; b", 'echo "'])
def test_what_is_no_shell_has_none(text: str) -> None:
    assert shfmt.parse(SHFMT, text) is None


def test_text_larger_than_a_pipe_goes_through() -> None:
    [statement] = shfmt.parse(SHFMT, f"echo '{'é' * 300_000}'") or []
    assert len(statement["Cmd"]["Args"][1]["Parts"][0]["Value"]) == 300_000


@pytest.mark.parametrize("text", ["exec sleep 100", "cat >/dev/null; exec sleep 100"])
def test_one_that_is_stuck_is_ended(tmp_path: Path, text: str) -> None:
    with pytest.raises(shfmt.Stuck):
        shfmt.parse(program(tmp_path, text), "a" * 200_000)
    assert is_gone(tmp_path)


def test_one_that_is_stuck_is_asked_once(tmp_path: Path) -> None:
    asked = tmp_path / "asked"
    slow = program(tmp_path, f"echo >>'{asked}'; exec sleep 100")
    found, complete = follow("(a; (b; (c; 'd'))) ) $(e) (f)", "/x", "/x", {}, slow)
    assert asked.read_text() == "\n" and not complete
    assert ["b"] in [command.words for command in found.commands]


def test_one_that_says_too_much_is_ended(tmp_path: Path) -> None:
    with pytest.raises(TooMuch):
        shfmt.parse(program(tmp_path, "exec cat /dev/zero"), "a")
    assert is_gone(tmp_path)


@pytest.mark.parametrize(
    "text", ["exit 1", "echo '{{'", "echo 7", "kill -9 $$", "echo '{}'; exit 2"]
)
def test_one_that_fails_says_nothing(tmp_path: Path, text: str) -> None:
    assert shfmt.parse(program(tmp_path, text), "a" * 200_000) is None
    assert is_gone(tmp_path)


def test_no_open_file_is_left_behind(tmp_path: Path) -> None:
    before = os.listdir("/dev/fd")
    shfmt.parse(SHFMT, "a")
    shfmt.parse(program(tmp_path, "exit 1"), "a")
    shfmt.parse("/nonexistent", "a")
    assert os.listdir("/dev/fd") == before


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (f"/usr/bin/python3\n{SHFMT}\n", SHFMT),
        (f"/usr/bin/python3\n{SHFMT}", SHFMT),
        ("/usr/bin/python3\n", ""),
        ("/usr/bin/python3\n\n", ""),
        ("/usr/bin/python3\n/nonexistent/shfmt\n", ""),
        ("/usr/bin/python3\nshfmt\n", ""),
        ("", ""),
        (None, ""),
    ],
)
def test_it_is_where_the_launchers_wrote_it_down(
    tmp_path: Path, content: str | None, found: str
) -> None:
    for cache in ("cache", "home/.cache"):
        (tmp_path / cache / "ralph").mkdir(parents=True)
        if content is not None:
            (tmp_path / cache / "ralph" / "hooks.env").write_text(content)
    assert shfmt.path({"XDG_CACHE_HOME": str(tmp_path / "cache")}) == found
    assert shfmt.path({"HOME": str(tmp_path / "home")}) == found
    assert shfmt.path({}) == ""
