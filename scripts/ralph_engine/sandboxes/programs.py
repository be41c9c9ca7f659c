"""Which folders a hidden home must still show, so that agent, Python and tools run inside."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator, Mapping

_LINKS = 20
_FIRST_LINE = 256
_LONGEST = 8192
# Where version managers keep what the programs on PATH need; none holds a secret.
_TOOLS = (
    *(".nvm", ".pyenv", ".rbenv", ".asdf", ".volta", ".bun", ".deno", ".rustup", ".sdkman"),
    *(".cargo/bin", ".local/share/mise", ".local/share/uv/python", "go"),
)
# Too much else lies there: below these only the program itself is shown.
_WIDE = ("", ".local", ".cargo")


def needed(agents: tuple[tuple[str, ...], ...], environment: Mapping[str, str]) -> list[str]:
    """Paths to show read-only, wherever they are; what does not exist is left out."""
    home = environment.get("HOME") or "/"
    found = [sys.prefix, sys.base_prefix]
    for program, *flags in agents:
        for word in (program, *(w for w in flags if os.path.isabs(w) and os.path.isfile(w))):
            found += _of_program(word, environment, home)
    found += _pinned(environment, home)
    for folder in (environment.get("PATH") or "").split(os.pathsep):
        if os.path.isabs(folder):
            found.append(_prefix(folder, home) or folder)
    found += [os.path.join(home, name) for name in _TOOLS]
    found += [os.path.realpath(path) for path in found]
    return [path for path in dict.fromkeys(found) if os.path.exists(path)]


def _pinned(environment: Mapping[str, str], home: str) -> list[str]:
    """The programs of the hooks, Python and shfmt, and the file that names them."""
    cache = environment.get("XDG_CACHE_HOME") or os.path.join(home, ".cache")
    name = os.path.join(cache, "ralph", "hooks.env")
    try:
        with open(name, encoding="utf-8", errors="replace") as opened:
            lines = opened.read(_LONGEST).splitlines()
    except OSError:
        return []
    found = (path for line in lines if line for path in _of_program(line, environment, home))
    return [name, *found]


def _of_program(word: str, environment: Mapping[str, str], home: str) -> Iterator[str]:
    """Each link on the way to it, its installation, and what its first line names."""
    path = shutil.which(word, path=environment.get("PATH")) or word
    for _ in range(_LINKS):
        yield path
        if not os.path.islink(path):
            break
        path = os.path.normpath(os.path.join(os.path.dirname(path), os.readlink(path)))
    real = os.path.realpath(path)
    yield real
    yield _package(real) or _prefix(os.path.dirname(real), home) or real
    for name in _interpreter(real):
        yield from _of_program(name, environment, home)


def _package(path: str) -> str:
    """A package of node lives on its neighbours: all of the outermost node_modules."""
    before, found, _ = path.partition("/node_modules/")
    return f"{before}/node_modules" if found else ""


def _prefix(folder: str, home: str) -> str:
    """X for X/bin where X is an installation of its own, such as a virtual environment."""
    above, name = os.path.split(folder)
    wide = {os.path.normpath(os.path.join(home, name)) for name in _WIDE}
    if name != "bin" or above in wide or above == "/":
        return ""
    return above if os.path.isdir(os.path.join(above, "lib")) else ""


def _interpreter(path: str) -> list[str]:
    """Of a script: `/usr/bin/env node` is node."""
    try:
        with open(path, "rb") as opened:
            line = opened.readline(_FIRST_LINE)
    except OSError:
        return []
    words = line[2:].decode("utf-8", "replace").split() if line.startswith(b"#!") else []
    if words and os.path.basename(words[0]) == "env":
        words = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
    return words[:1]
