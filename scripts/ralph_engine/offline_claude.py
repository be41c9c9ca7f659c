"""The installed Claude Code in a home of its own: no credentials, no settings, a model of ours."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping

from .agents import claude
from .core import command, files
from .failure import Failure

PROGRAM = "claude"
INSTALL = claude.INSTALL
# All else stays with the user: keys, proxies, and what other tools were told.
_KEPT = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TERM", "TZ", "SHELL", "USER", "LOGNAME")
_SILENT = (
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
    "DISABLE_TELEMETRY",
    "DISABLE_AUTOUPDATER",
    "DISABLE_ERROR_REPORTING",
)
_FOLDERS = {
    "HOME": "home",
    "TMPDIR": "tmp",
    "CLAUDE_CODE_TMPDIR": "tmp",
    "XDG_CACHE_HOME": "cache",
    "XDG_CONFIG_HOME": "config",
    "XDG_DATA_HOME": "data",
    "XDG_STATE_HOME": "state",
}
_PINNED = "ralph/hooks.env"
_PINNED_LIMIT = 65536
_SECONDS = 30.0


def find() -> str:
    """The path of the program, or a Failure."""
    found = shutil.which(PROGRAM)
    if found is None:
        raise Failure("Claude Code is not installed: there is no claude on PATH", INSTALL)
    return os.path.abspath(found)


def environment(folder: str, users: Mapping[str, str]) -> dict[str, str]:
    """For the client and for all that it starts; everything that they write goes below `folder`."""
    _make_folders(folder, users)
    return {
        **{name: users[name] for name in _KEPT if name in users},
        **{name: os.path.join(folder, place) for name, place in _FOLDERS.items()},
        **dict.fromkeys(_SILENT, "1"),
        "IS_SANDBOX": "1",  # the client refuses to work for root without it
    }


def model(url: str) -> dict[str, str]:
    """What leads the client to the model at `url`; the key opens nothing."""
    return {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "sk-ant-scripted"}


def version(program: str, folder: str, environment: Mapping[str, str]) -> str:
    """'2.1.326', or a Failure where it does not even say that."""
    asked = command.run([program, "--version"], folder, dict(environment), _SECONDS)
    words = asked.output.decode("utf-8", "replace").split()
    if asked.code != 0 or not words:
        how = "within 30 s" if asked.code is None else f"(exit code {asked.code})"
        raise Failure(f"{program} --version does not work {how} in a home of its own", INSTALL)
    return words[0]


def _make_folders(folder: str, users: Mapping[str, str]) -> None:
    """The interpreter that was pinned for the user's hooks is theirs here too."""
    for place in _FOLDERS.values():
        os.makedirs(os.path.join(folder, place), mode=0o700, exist_ok=True)
    home = users.get("HOME") or "/nonexistent"
    cache = users.get("XDG_CACHE_HOME") or os.path.join(home, ".cache")
    try:
        pinned = files.read_bytes(cache, _PINNED, _PINNED_LIMIT)
    except files.FileFault:
        return
    files.replace_bytes(folder, f"{_FOLDERS['XDG_CACHE_HOME']}/{_PINNED}", pinned)
