"""Which paths are uncommitted, beyond those that were so before the run."""

from __future__ import annotations

import os

from . import command, fingerprint, paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple

    class Tree(NamedTuple):
        known: bool
        uncommitted: list[str]
        left_alone: list[str]
else:
    from collections import namedtuple

    Tree = namedtuple("Tree", "known uncommitted left_alone")

_SECONDS = 60.0
# The repository's own configuration is the agent's to write: it may name programs to run.
CAREFUL = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "--no-pager")
# Set in sandbox runs, on the host: a submodule's own configuration is the agent's as well.
leave_submodules = False
# Replacements and grafts would let an agent show us a history that is not there.
REAL = {"GIT_NO_REPLACE_OBJECTS": "1", "GIT_GRAFT_FILE": os.devnull}
# Each of these would make git look at another repository than the project's.
ELSEWHERE = (
    *("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_NAMESPACE", "GIT_PREFIX"),
    *("GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES"),
)


def look(root: str, ralph_dir: str, baseline: dict[str, str]) -> Tree:
    """known is False where there is no git, no repository or no work tree."""
    prefix = _prefix(os.path.realpath(root))
    if prefix is None:
        return Tree(False, [], [])
    ran = git(root, "status", "--porcelain", "-z", "--untracked-files=all", "--no-renames")
    if ran.code != 0:
        return Tree(False, [], [])
    own = {paths.MARKER, *paths.signals(ralph_dir)}
    changed = [path for path in _paths(ran, prefix) if path not in own and not _dot(path)]
    same = {path for path in changed if _as_before(root, path, baseline)}
    return Tree(True, [path for path in changed if path not in same], sorted(same))


def _as_before(root: str, path: str, baseline: dict[str, str]) -> bool:
    word = baseline.get(path)
    return word is not None and (word == fingerprint.ANY or word == fingerprint.of(root, path))


def _dot(path: str) -> bool:
    return path.startswith(paths.DOT_FOLDER + "/")


def _paths(ran: command.Ran, prefix: str) -> list[str]:
    """Relative to the project, also where that is a folder of a larger repository."""
    entries = ran.output.split(b"\0")
    # The last piece is empty, or half a path where the output was cut.
    names = [entry[3:].decode("utf-8", "surrogateescape") for entry in entries[:-1]]
    up = "../" * prefix.count("/")
    return [n[len(prefix) :] if n.startswith(prefix) else up + n for n in names]


def _prefix(root: str) -> str | None:
    """The project's place in its repository; None without one, and git is not even started."""
    top = root
    while not _is_repository(os.path.join(top, ".git")):
        if top == os.path.dirname(top):
            return None
        top = os.path.dirname(top)
    return "" if top == root else os.path.relpath(root, top) + "/"


def _is_repository(path: str) -> bool:
    """A file leads to a linked worktree; an empty folder of that name means nothing to git."""
    return os.path.isfile(path) or os.path.lexists(os.path.join(path, "HEAD"))


def git(root: str, *arguments: str) -> command.Ran:
    kept = {name: value for name, value in os.environ.items() if name not in ELSEWHERE}
    quiet = {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
    environment = {**kept, **quiet, **REAL}
    return command.run(["git", *careful(arguments)], root, environment, _SECONDS)


def careful(arguments: tuple[str, ...]) -> list[str]:
    """`status` and `diff` run git in every submodule unless they are told not to."""
    within = leave_submodules and arguments[0] in ("status", "diff")
    ignored = ["--ignore-submodules=dirty"] if within else []
    return [*CAREFUL, *arguments[:1], *ignored, *arguments[1:]]
