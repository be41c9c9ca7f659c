"""The files that two commits have differently, and what stands in them.

By plumbing, which a repository's own settings and attributes do not reach.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from . import git

_DIFFERENCE = ("-r", "-z", "--raw", "--no-abbrev", "-M", "-l1000", "--no-relative")
_ORDINARY = "100"


class Difference(NamedTuple):
    """The name of a blob is '' where there is no ordinary file."""

    old_path: str
    path: str
    old: str
    new: str


def differences(root: str, old: str, new: str) -> list[Difference] | None:
    """A renamed file once; None where git cannot tell."""
    answer = git.ask(root, "diff-tree", *_DIFFERENCE, old, new)
    if answer.code != 0:
        return None
    found = list(_read(answer.output.decode("utf-8", "surrogateescape")))
    if not found:
        return []
    names = git.from_project(root, [n for d in found for n in (d.old_path, d.path)])
    return [
        d._replace(old_path=old_path, path=path)
        for d, old_path, path in zip(found, names[::2], names[1::2])
    ]


def _read(output: str) -> Iterator[Difference]:
    pieces = iter(output.split("\0"))
    for about in filter(None, pieces):
        old_mode, new_mode, old, new, status = about[1:].split(" ")
        old_path = next(pieces)
        path = next(pieces) if status[0] in "RC" else old_path
        yield Difference(old_path, path, _blob(old_mode, old), _blob(new_mode, new))


def _blob(mode: str, name: str) -> str:
    return name if mode.startswith(_ORDINARY) else ""


def contents(
    root: str, blobs: Iterable[str], largest: int, largest_of_all: int
) -> dict[str, bytes]:
    """Without those that are too large; the sizes are asked first."""
    known = sizes(root, blobs)
    wanted: dict[str, int] = {}
    for name, size in known.items():
        if size <= largest and sum(wanted.values()) + size <= largest_of_all:
            wanted[name] = size
    output = _batch(root, "--batch", wanted)
    found, place = {}, 0
    for name, size in wanted.items():
        # A line about it, its bytes, the end of their line.
        start = output.find(b"\n", place) + 1
        found[name] = output[start : start + size]
        place = start + size + 1
    return found


def content(root: str, commit: str, path: str, largest: int) -> bytes | None:
    """None where there is no such file, nothing of one that is too large."""
    name = f"{commit}:./{path}"
    size = git.ask(root, "cat-file", "-s", name)
    if size.code == 0 and int(size.text) > largest:
        return b""
    answer = git.ask(root, "cat-file", "blob", name)
    return answer.output if answer.code == 0 else None


def sizes(root: str, blobs: Iterable[str]) -> dict[str, int]:
    lines = _batch(root, "--batch-check", blobs).decode("ascii", "replace").splitlines()
    told = (line.split(" ") for line in lines)
    return {t[0]: int(t[2]) for t in told if t[1:2] == ["blob"]}


def _batch(root: str, how: str, blobs: Iterable[str]) -> bytes:
    lines = "".join(f"{blob}\n" for blob in dict.fromkeys(blobs) if blob)
    return git.tell(root, lines.encode("ascii"), "cat-file", how).output if lines else b""
