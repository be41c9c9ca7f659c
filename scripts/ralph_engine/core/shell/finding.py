"""find: which paths it would come upon, and what it would do with them."""

from __future__ import annotations

from collections import namedtuple

from .values import UNKNOWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple

    class Found(NamedTuple):
        paths: list[str]
        runs: list[list[str]]
        deletes: bool
        files: list[str]
else:
    Found = namedtuple("Found", "paths runs deletes files")

_RUNS = ("-exec", "-execdir", "-ok", "-okdir")
_NAMES = ("-name", "-iname", "-path", "-ipath", "-wholename")
# A whole tree may pass these.
_CHOOSES_LITTLE = frozenset(
    "-type -maxdepth -mindepth -mount -xdev -depth -print -print0 -delete -prune -o -or -a -and"
    " -daystart -follow -ls -quit".split()
)
_FILES = ("-fprint", "-fprint0", "-fls", "-fprintf")


def read(words: list[str]) -> Found:
    """`words` without the name of the program itself."""
    starts, rest = _starts(words)
    runs: list[list[str]] = []
    files: list[str] = []
    tests: list[str] = []
    at = 0
    while at < len(rest):
        if rest[at] in _RUNS:
            end = _end_of_run(rest, at + 1)
            runs.append(rest[at + 1 : end])
            at = end
        elif rest[at] in _FILES:
            files += rest[at + 1 : at + 2]
            at += 1
        elif rest[at] in ("-not", "!"):
            at += 2
        else:
            tests.append(rest[at])
        at += 1
    below = _below(tests)
    found = [f"{start.rstrip('/')}{below}" or "/" for start in starts]
    return Found(found, runs, "-delete" in tests, files)


def paths(words: list[str]) -> list[str]:
    return read(words).paths


def _starts(words: list[str]) -> tuple[list[str], list[str]]:
    at = 0
    while at < len(words) and words[at] in ("-H", "-L", "-P"):
        at += 1
    end = at
    while end < len(words) and not words[end].startswith("-") and words[end] not in ("(", "!"):
        end += 1
    return words[at:end] or ["."], words[end:]


def _end_of_run(rest: list[str], at: int) -> int:
    while at < len(rest) and rest[at] != ";" and not (rest[at] == "+" and rest[at - 1] == "{}"):
        at += 1
    return at


def _below(tests: list[str]) -> str:
    """What stands behind the start: nothing, where the start itself may be among them."""
    for name in _NAMES:
        if name in tests[:-1]:
            pattern = tests[tests.index(name) + 1]
            return f"/{UNKNOWN}/{pattern.rsplit('/', 1)[-1]}"
    if any(word.startswith("-") and word not in _CHOOSES_LITTLE for word in tests):
        return f"/{UNKNOWN}"
    return "/*" if "-mindepth" in tests else ""
