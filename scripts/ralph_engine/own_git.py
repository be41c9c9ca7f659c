"""The runner's own copy of what steers the project's git, put back before the host's git runs.

A repository's configuration names programs. After each program in a sandbox `.git` must be the
same folder, with the same configuration, attributes and hooks.
"""

from __future__ import annotations

import json
import os
import stat
from base64 import b64decode, b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Callable, NamedTuple

from . import git
from .core import files
from .failure import Failure
from .sandboxes import git_folders

NAME = "own-git.json"
_LIMIT = 64 * 1024 * 1024
_MOST_FOLDERS = 50_000
_LARGEST = 16 * 1024 * 1024
_UNREADABLE = b"(unreadable)"
# What `git init` writes, and what says who commits: none of it runs a program.
_HARMLESS_CORE = ("repositoryformatversion", "filemode", "bare", "logallrefupdates", "ignorecase")
_HARMLESS = {f"core.{name}" for name in (*_HARMLESS_CORE, "symlinks", "precomposeunicode")}
_HARMLESS |= {"user.name", "user.email", "init.defaultbranch"}

# Where the agent's version goes, for people: a name and its content.
Keep = Callable[[str, bytes], str]
Contents = dict[str, tuple[int, bytes]]


class _Known(NamedTuple):
    """`entry` is '' without a repository; `folders` by device and inode, `contents` by path."""

    entry: str
    folders: dict[str, tuple[int, int]]
    steering: list[str]
    contents: Contents


class OwnGit:
    def __init__(self, root: str) -> None:
        self._root = root
        self._known = _look(root)

    def save(self, state: Path) -> None:
        """For a run that is killed: what its agent changed is still undone."""
        known = self._known._asdict()
        held = {p: [mode, _text(data)] for p, (mode, data) in self._known.contents.items()}
        text = json.dumps({**known, "contents": held}).encode("ascii")
        files.replace_bytes(str(state), NAME, text, 0o600)

    def take_saved(self, state: Path) -> None:
        """Where a sandboxed run was killed; else what there is now is a person's."""
        try:
            saved: dict[str, Any] = json.loads(files.read_bytes(str(state), NAME, _LIMIT))
        except (files.FileFault, ValueError):
            return
        folders = {path: (pair[0], pair[1]) for path, pair in saved["folders"].items()}
        held = {path: (mode, b64decode(data)) for path, (mode, data) in saved["contents"].items()}
        self._known = _Known(saved["entry"], folders, saved["steering"], held)

    def put_back(self, keep: Keep) -> list[str]:
        """Sentences about what was changed and is now as before."""
        if not self._known.entry:
            return self._judge_new()
        found = [self._put_folder_back(path) for path in self._known.folders]
        return [*filter(None, found), *self._put_contents_back(keep)]

    def _judge_new(self) -> list[str]:
        """A repository of the agent's own: taken over unless its configuration runs programs."""
        if not os.path.lexists(os.path.join(self._root, ".git")):
            return []
        odd = _odd_settings(self._root)
        if not odd:
            self._known = _look(self._root)
            return []
        aside = _aside(".git")
        files.move(self._root, ".git", aside)
        return [f".git was made with {odd[0]}, which can run programs here: moved to {aside}."]

    def _put_folder_back(self, path: str) -> str:
        wanted = self._known.folders[path]
        if _identity(path) == wanted:
            return ""
        moved, name = _find(self._root, wanted), os.path.basename(path)
        aside = _aside(name) if os.path.lexists(path) else ""
        if aside:
            files.move(os.path.dirname(path), name, aside)
        if not moved or not path.startswith(f"{self._root}/"):
            words = f"; what stood there is now {aside}" if aside else ""
            raise Failure(
                f"{path} is gone: the agent moved or removed it{words}",
                "put your repository back from a clone or a backup",
            )
        files.move(self._root, os.path.relpath(moved, self._root), self._shown(path))
        other = f", and that is now {aside}" if aside else ""
        return f"{self._shown(path)} was moved away: it is back{other}."

    def _put_contents_back(self, keep: Keep) -> Iterator[str]:
        before = self._known.contents
        now = _contents(self._known.steering)
        for path in sorted({*before, *now}):
            if before.get(path) == now.get(path):
                continue
            saved = keep(path, now[path][1]) if path in now else ""
            self._put_file_back(path, before.get(path))
            words = f"{self._shown(path)} may not change during a run: it can run programs here"
            yield words + (f"; the agent's version is in {saved}." if saved else ".")

    def _put_file_back(self, path: str, entry: tuple[int, bytes] | None) -> None:
        base = self._base(path)
        name = os.path.relpath(path, base)
        if entry is None:
            files.remove(base, name)
        elif stat.S_ISREG(entry[0]):
            files.restore_bytes(base, name, entry[1], stat.S_IMODE(entry[0]))
        else:
            raise Failure(f"{path} was changed by the agent", "put it back by hand")

    def _base(self, path: str) -> str:
        """The folder below which no link is followed."""
        around = [p for p in [*self._known.folders, self._root] if path.startswith(f"{p}/")]
        return max(around, key=len)

    def _shown(self, path: str) -> str:
        return os.path.relpath(path, self._root) if path.startswith(f"{self._root}/") else path


def _look(root: str) -> _Known:
    found = git_folders.find(root)
    if found is None:
        return _Known("", {}, [], {})
    folders = {path: _identity(path) for path in dict.fromkeys([found.common, found.own])}
    return _Known(found.entry, folders, found.steering, _contents(found.steering))


def _identity(path: str) -> tuple[int, int]:
    try:
        status = os.lstat(path)
    except OSError:
        return 0, 0
    return status.st_dev, status.st_ino


def _contents(steering: list[str]) -> Contents:
    found: Contents = {}
    for path in steering:
        inside = [path]
        if os.path.isdir(path) and not os.path.islink(path):
            inside = [os.path.join(f, n) for f, _, names in os.walk(path) for n in names]
        found.update({name: _content(name) for name in inside if os.path.lexists(name)})
    return found


def _content(path: str) -> tuple[int, bytes]:
    mode = os.lstat(path).st_mode
    if stat.S_ISLNK(mode):
        return mode, os.fsencode(os.readlink(path))
    if not stat.S_ISREG(mode):
        return mode, b""
    folder, name = os.path.split(path)
    held = bytearray()
    try:
        for block in files.blocks(folder, name):
            held += block
            if len(held) > _LARGEST:
                break
    except files.FileFault:
        return mode, _UNREADABLE
    return mode, bytes(held)


def _odd_settings(root: str) -> list[str]:
    """Read as a plain file: no part of it is obeyed."""
    own = os.path.join(root, ".git")
    if not os.path.isdir(own) or os.path.islink(own):
        return ["a link to another place"]
    led = [name for name in ("commondir", "config.worktree") if os.path.lexists(f"{own}/{name}")]
    listed = git.ask("/", "config", "--file", f"{own}/config", "--name-only", "--list", "-z")
    names = listed.output.decode("utf-8", "replace").split("\0")
    return led + [name for name in names if name and not _is_harmless(name)]


def _is_harmless(name: str) -> bool:
    section, _, rest = name.partition(".")
    remote = section == "remote" and rest.rpartition(".")[2] in ("url", "fetch")
    return name in _HARMLESS or section == "branch" or remote


def _find(root: str, wanted: tuple[int, int]) -> str:
    """A folder that was moved within the project."""
    for count, (folder, names, _) in enumerate(os.walk(root)):
        if count > _MOST_FOLDERS:
            break
        for name in names:
            path = os.path.join(folder, name)
            if _identity(path) == wanted:
                return path
    return ""


def _aside(name: str) -> str:
    return f"{name}.of-the-agent-{os.urandom(4).hex()}"


def _text(data: bytes) -> str:
    return b64encode(data).decode("ascii")
