"""ralph-audit.bat, as far as it can be seen without Windows, and a clone that was made there."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
BAT = REPOSITORY / "scripts" / "ralph-audit.bat"
TEXT = BAT.read_bytes().decode("ascii")
LINES = TEXT.split("\r\n")
SHELL_FILES = ["scripts/ralph.sh", "scripts/ralph-audit.sh", "scripts/python.sh", "hooks/run"]


def starting_with(*beginnings: str) -> list[str]:
    return [line for line in LINES if line.startswith(beginnings)]


def test_cmd_can_read_it() -> None:
    """Without CRLF it loses its labels."""
    assert "\n" not in TEXT.replace("\r\n", "") and LINES[0] == "@echo off"
    gone_to = set(re.findall(r"goto (\w+)", TEXT))
    assert gone_to == {line[1:] for line in starting_with(":")} == {"gitbash", "missing"}
    assert TEXT.count('"') % 2 == 0
    # A variable that is set in a block is not seen there: no line needs one.
    assert "(\r\n" not in TEXT


def test_both_shells_are_started_on_the_script_beside_it_with_all_that_was_typed() -> None:
    wsl, git_bash = starting_with('wsl.exe -e bash "', '"%GITBASH%" ')
    assert wsl == 'wsl.exe -e bash "%SCRIPT%" %*'
    assert '`wsl.exe -e wslpath -u "%HERE%ralph-audit.sh"`' in TEXT
    assert git_bash == '"%GITBASH%" "%HERE:\\=/%ralph-audit.sh" %*'
    assert LINES.count('set "HERE=%~dp0"') == 1
    for started in (wsl, git_bash):
        assert LINES[LINES.index(started) + 1] == "exit /b %errorlevel%"
    assert BAT.with_suffix(".sh").is_file()


def test_a_shell_is_taken_only_where_it_works() -> None:
    """wsl.exe is there without a Linux, and the bash on PATH is WSL's."""
    tried = LINES.index('wsl.exe -e bash -c "exit 0" >nul 2>nul || goto gitbash')
    assert tried < LINES.index('wsl.exe -e bash "%SCRIPT%" %*')
    places = re.findall(r'set "GITBASH=(.+?)"', TEXT)
    assert places == [
        "%%~dpG..\\bin\\bash.exe",
        "%ProgramFiles%\\Git\\bin\\bash.exe",
        "%LocalAppData%\\Programs\\Git\\bin\\bash.exe",
    ]
    assert all(TEXT.count(f'exist "{place}"') == 1 for place in places)


def test_without_any_it_says_what_to_install() -> None:
    assert LINES[LINES.index(":missing") + 1 :] == [
        "echo ralph: neither WSL nor Git Bash was found 1>&2",
        "echo hint: run wsl --install, then install git, python3 and Claude Code inside it 1>&2",
        "exit /b 2",
        "",
    ]


def test_what_changes_a_loop_reaches_wsl() -> None:
    [handed] = starting_with('set "WSLENV=')
    for name in ("MAX_ITERATIONS", "COMPLETION_SIGNAL", "CIRCUIT_BREAKER_THRESHOLD"):
        assert f"RALPH_{name}:" in handed


@pytest.mark.parametrize("convert", ["true", "input", "false"])
def test_a_clone_has_the_line_ends_that_its_readers_need(tmp_path: Path, convert: str) -> None:
    """core.autocrlf is `true` where Git for Windows was installed as proposed."""
    copied = [".gitattributes", "scripts/ralph-audit.bat", *SHELL_FILES]
    for name in copied:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(REPOSITORY / name, tmp_path / name)
    git(tmp_path, "init", "-q")
    git(tmp_path, "config", "core.autocrlf", convert)
    git(tmp_path, "add", "-A")
    for name in copied[1:]:
        (tmp_path / name).unlink()
    git(tmp_path, "checkout", "--", ".")
    assert (tmp_path / "scripts" / "ralph-audit.bat").read_bytes() == BAT.read_bytes()
    for name in SHELL_FILES:
        assert b"\r" not in (tmp_path / name).read_bytes(), name


def git(folder: Path, *arguments: str) -> None:
    command = ["git", *arguments]
    subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=60)
