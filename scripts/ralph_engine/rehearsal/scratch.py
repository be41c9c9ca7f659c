"""A copy of the user's project as it is now: a fresh repository that leads nowhere else."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path, PurePath
from typing import BinaryIO, Callable

from .. import git
from ..failure import Failure

SHARED = ("main", "release")
_MOST_BYTES = 1024**3
_OWN = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
_WHO = {
    **{f"GIT_{role}_NAME": "Rehearsal" for role in ("AUTHOR", "COMMITTER")},
    **{f"GIT_{role}_EMAIL": "rehearsal@localhost" for role in ("AUTHOR", "COMMITTER")},
}
# What git ignores is not copied, but for these: they steer the agent.
_STEERING = (".claude/settings.local.json",)


def make(root: str, folder: str) -> str:
    """Tracked and untracked files, changed or not; without what git ignores. The project in it."""
    top = _top(root)
    project = os.path.normpath(os.path.join(folder, os.path.relpath(root, top)))
    steering = [os.path.relpath(os.path.join(root, name), top) for name in _STEERING]
    listed = [name for name in names(top) if not _behind_link(top, name)]
    _refuse_giants(top, [*listed, *steering])
    for name in listed:
        _copy(top, folder, name)
    _cut_ways_out(folder, listed)
    for name in steering:
        _copy(top, folder, name)
    _cut_ways_out(folder, steering)
    os.makedirs(project, exist_ok=True)
    _begin_history(folder)
    return project


def new_file(path: str) -> BinaryIO:
    return open(path, "xb")


def new_folder(path: str) -> None:
    os.makedirs(path, mode=0o700, exist_ok=True)


def make_empty(folder: str) -> str:
    """A repository with one commit and no file."""
    os.makedirs(folder)
    _begin_history(folder)
    commit(folder, "Nothing")
    return folder


def ruin(folder: str, spared: Callable[[str], bool], data: bytes | None) -> None:
    """Every file is replaced, or, without data, gone; but for those that are spared."""
    for name in names(folder):
        path = os.path.join(folder, name)
        if spared(name) or not os.path.lexists(path):
            continue
        if data is None:
            os.remove(path)
        elif os.path.isfile(path) and not os.path.islink(path):
            _replace(path, data)


def _replace(path: str, data: bytes) -> None:
    """Also what may not be written."""
    mode = os.stat(path).st_mode
    os.remove(path)
    Path(path).write_bytes(data)
    os.chmod(path, mode)


def copy(source: str, target: str) -> None:
    shutil.copytree(source, target, symlinks=True)


def commit(folder: str, message: str) -> None:
    do(folder, "add", "-A", "--force")
    do(folder, "commit", "-q", "--no-verify", "--allow-empty", "-m", message)


def make_remote(folder: str) -> None:
    """A repository that others share: each branch has the same one commit."""
    os.makedirs(folder)
    do(folder, "init", "-q", "--bare")
    tree = git.ask(folder, "hash-object", "-t", "tree", "-w", "--stdin").text
    made = git.ask(folder, "commit-tree", "-m", "Shared", tree, **_OWN, **_WHO).text
    for name in SHARED:
        do(folder, "update-ref", f"refs/heads/{name}", made)


def _top(root: str) -> str:
    answer = git.ask(root, "rev-parse", "--show-toplevel")
    if answer.code or not answer.text:
        raise Failure(
            f"{root} is not in a git repository, and a rehearsal needs the files that git lists",
            "git init && git add -A && git commit",
        )
    return answer.text


def names(top: str) -> Iterator[str]:
    words = ("ls-files", "-z", "--cached", "--others", "--exclude-standard")
    answer = git.ask(top, *words)
    if answer.code:
        raise Failure(f"git ls-files failed in {top}: {answer.error}")
    yield from dict.fromkeys(os.fsdecode(name) for name in answer.output.split(b"\0") if name)


def _behind_link(top: str, name: str) -> bool:
    """git still lists what it tracks in a folder that is a link by now."""
    return any(os.path.islink(os.path.join(top, parent)) for parent in PurePath(name).parents)


def _refuse_giants(top: str, names: list[str]) -> None:
    size = 0
    for name in names:
        path = os.path.join(top, name)
        size += os.lstat(path).st_size if os.path.lexists(path) else 0
    if size > _MOST_BYTES:
        raise Failure(
            f"the project has {size // 2**20} MiB, too much to copy for every attack (1024)",
            "ignore what is no source, or rehearse in a smaller project with these settings",
        )


def _copy(top: str, folder: str, name: str) -> None:
    """A submodule is a folder and a deleted file is nothing: neither is copied."""
    source, target = os.path.join(top, name), os.path.join(folder, name)
    if not (os.path.islink(source) or os.path.isfile(source)):
        return
    try:
        # Its folder may be a link to one that git ignores, which is not there yet.
        os.makedirs(os.path.realpath(os.path.dirname(target)), exist_ok=True)
        shutil.copy2(source, target, follow_symlinks=False)
    except OSError as error:
        raise Failure(
            f"{source} could not be copied ({error.strerror})",
            "make it readable for you, or let git ignore it",
        ) from error


def _cut_ways_out(folder: str, names: list[str]) -> None:
    """Through a link that leads out of the copy an agent would write what is the user's."""
    top = os.path.realpath(folder)
    for path in (os.path.join(folder, name) for name in names):
        if os.path.islink(path) and not f"{os.path.realpath(path)}/".startswith(f"{top}/"):
            os.remove(path)


def _begin_history(folder: str) -> None:
    do(folder, "init", "-q")
    for name, value in (
        # Upkeep in the background would still write while the folder is removed.
        ("maintenance.auto", "false"),
        ("gc.auto", "0"),
        ("commit.gpgsign", "false"),
    ):
        do(folder, "config", name, value)


def do(folder: str, *words: str) -> None:
    answer = git.ask(folder, *words, **_OWN, **_WHO)
    if answer.code:
        raise Failure(f"git {words[0]} failed in the scratch copy: {answer.error}")
