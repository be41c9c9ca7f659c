"""Makes the files of a loop: looks at everything first, and overwrites nothing."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from .core import dot_folder, files, paths
from .failure import Failure

IGNORE = ".gitignore"
_IGNORE_LIMIT = 16 * 1024 * 1024
_KINDS = {"file": "a file", "folder": "a folder", "link": "a symbolic link"}


def look(root: str, made: Iterable[str]) -> None:
    """A Failure where something stands in the way of `make` or `ignore`."""
    wanted = [*made, paths.DOT_IGNORE]
    expect_files(root, [*wanted, IGNORE])
    missing = [path for path in wanted if files.kind(root, path) == "absent"]
    expect_writable(root, missing + [IGNORE] * bool(ignore_addition(_ignored(root))))


def make(root: str, made: Mapping[str, str]) -> list[str]:
    """One line for each file."""
    wanted = [*made, paths.DOT_IGNORE]
    kept = [path for path in wanted if files.kind(root, path) == "file"]
    for path, text in made.items():
        if path not in kept:
            files.replace_bytes(root, path, text.encode("utf-8"))
    dot_folder.ensure(root)
    return [f"{'kept' if path in kept else 'made'} {path}" for path in wanted]


def ignore(root: str) -> str:
    """The marker goes to .gitignore, once."""
    there = files.kind(root, IGNORE) == "file"
    addition = ignore_addition(_ignored(root))
    if not addition:
        return f"kept {IGNORE}"
    files.append(root, IGNORE, addition)
    return f"added {paths.MARKER} to {IGNORE}" if there else f"made {IGNORE}"


def ignore_addition(old: bytes) -> bytes:
    """What .gitignore lacks; nothing where the marker stands in it already."""
    marker = paths.MARKER.encode()
    lines = [line.strip(b" \t/") for line in old.removeprefix(b"\xef\xbb\xbf").splitlines()]
    if marker in lines:
        return b""
    end = b"\r\n" if b"\r\n" in old else b"\n"
    return (b"" if old.endswith(b"\n") or not old else end) + marker + end


def expect_files(root: str, wanted: list[str]) -> None:
    folders = dict.fromkeys(os.path.dirname(path) for path in wanted if "/" in path)
    for path, kind in [*((f, "folder") for f in folders), *((p, "file") for p in wanted)]:
        found = files.kind(root, path)
        if found not in ("absent", kind):
            words = _KINDS.get(found, "neither a file nor a folder")
            raise Failure(
                f"{os.path.join(root, path)} is {words}, and {_KINDS[kind]} is needed there",
                "move it away, then run init again; nothing was changed",
            )


def expect_writable(root: str, missing: list[str]) -> None:
    for folder in dict.fromkeys(_nearest(root, path) for path in missing):
        if not os.access(folder, os.W_OK | os.X_OK):
            raise Failure(
                f"{folder} cannot be written by this user",
                "change its permissions, then run init again; nothing was changed",
            )


def _ignored(root: str) -> bytes:
    try:
        return files.read_bytes(root, IGNORE, _IGNORE_LIMIT)
    except files.Missing:
        return b""


def _nearest(root: str, path: str) -> str:
    """The folder that exists and will get the file, or the file's folder."""
    folder = os.path.join(root, os.path.dirname(path))
    return folder.rstrip("/") if os.path.isdir(folder) else root
