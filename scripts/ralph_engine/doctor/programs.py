"""What the runner and the hooks stand on: Python, the pinned interpreter, shfmt, git."""

from __future__ import annotations

import os
import platform
import re
import shutil
import sys
from collections.abc import Iterator, Mapping

from ..core import command, files
from ..core.own_command import RALPH
from .finding import Finding, bad, ok, warn

_SECONDS = 10.0
_PINNED = "ralph/hooks.env"
_LIMIT = 65536
_AGAIN = "remove {}: the next start of ralph.sh writes it anew"
# The first that knows `log --diff-merges=separate`.
_OLDEST_GIT = (2, 31)


def examine(environment: Mapping[str, str]) -> Iterator[Finding]:
    yield ok("python", f"{platform.python_version()} at {sys.executable}")
    cache = cache_folder(environment)
    interpreter, shfmt = _pinned(cache)
    yield _interpreter(os.path.join(cache, _PINNED), interpreter)
    yield _shfmt(os.path.join(cache, _PINNED), shfmt)
    yield _git()


def cache_folder(environment: Mapping[str, str]) -> str:
    """As hooks/run finds it."""
    home = environment.get("HOME") or "/nonexistent"
    return environment.get("XDG_CACHE_HOME") or os.path.join(home, ".cache")


def _pinned(cache: str) -> tuple[str, str]:
    """The two lines of the file; '' where one is missing."""
    try:
        data = files.read_bytes(cache, _PINNED, _LIMIT)
    except files.Missing:
        return "", ""
    lines = [*data.decode("utf-8", "surrogateescape").split("\n"), "", ""]
    return lines[0], lines[1]


def _interpreter(path: str, interpreter: str) -> Finding:
    topic = "hooks' python"
    if not interpreter:
        fix = f"start {RALPH} once: it writes that file"
        return warn(topic, f"{path} pins none, so hooks take the first that they find", fix)
    if not os.path.isfile(interpreter):
        return bad(topic, f"{interpreter}, pinned in {path}, is gone", _AGAIN.format(path))
    if not _works([interpreter, "-I", "-S", "-c", "import json"]):
        return bad(topic, f"{interpreter}, pinned in {path}, does not run", _AGAIN.format(path))
    return ok(topic, f"{interpreter} runs")


def _shfmt(path: str, shfmt: str) -> Finding:
    if shfmt and _works([shfmt, "--version"]):
        return ok("shfmt", f"{shfmt} runs")
    what = f"{shfmt}, pinned in {path}, does not run" if shfmt else f"{path} names none"
    words = f"{what}: the guard hook reads only simple commands"
    return warn("shfmt", words, f"install shfmt; {_AGAIN.format(path)}")


def _git() -> Finding:
    found = shutil.which("git")
    if found is None:
        return bad("git", "not on PATH", "install git")
    asked = command.run([found, "--version"], "/", dict(os.environ), _SECONDS)
    words = asked.output.decode("utf-8", "replace").strip()
    numbers = re.search(r"(\d+)\.(\d+)", words)
    if asked.code != 0 or numbers is None:
        return bad("git", f"{found} --version does not work", "install git anew")
    if (int(numbers[1]), int(numbers[2])) < _OLDEST_GIT:
        oldest = ".".join(map(str, _OLDEST_GIT))
        return bad("git", f"{words} is too old: {oldest} is needed", "install a newer git")
    return ok("git", f"{words} at {found}")


def _works(argv: list[str]) -> bool:
    return command.run(argv, "/", dict(os.environ), _SECONDS).code == 0
