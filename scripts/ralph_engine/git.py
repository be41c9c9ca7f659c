"""The host's git, called so that a repository written by an agent runs nothing here."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from .core.clean_tree import ELSEWHERE, REAL, careful

_SECONDS = 120.0
_IDENTITY = {
    "GIT_AUTHOR_NAME": "Ralph Loop",
    "GIT_AUTHOR_EMAIL": "ralph@localhost",
    "GIT_COMMITTER_NAME": "Ralph Loop",
    "GIT_COMMITTER_EMAIL": "ralph@localhost",
}
_UNSIGNED = ("-c", "commit.gpgsign=false")
_UNFINISHED = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply")


class Answer(NamedTuple):
    code: int
    output: bytes
    error: str

    @property
    def text(self) -> str:
        return self.output.decode("utf-8", "surrogateescape").strip()

    @property
    def lines(self) -> list[str]:
        return self.text.splitlines()


def ask(root: str, *arguments: str, **environment: str) -> Answer:
    """Code 127 without git, 126 where it cannot run, 124 after two minutes; never raises."""
    return _ask(root, arguments, environment, b"")


def tell(root: str, text: bytes, *arguments: str) -> Answer:
    """The same, with a text that it reads."""
    return _ask(root, arguments, {}, text)


def _ask(root: str, arguments: tuple[str, ...], environment: dict[str, str], told: bytes) -> Answer:
    kept = {name: value for name, value in os.environ.items() if name not in ELSEWHERE}
    quiet = {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C", **REAL}
    try:
        ran = subprocess.run(
            ["git", *careful(arguments)],
            cwd=root,
            env={**kept, **quiet, **environment},
            input=told,
            capture_output=True,
            timeout=_SECONDS,
            start_new_session=True,
        )
    except FileNotFoundError:
        return Answer(127, b"", "git is not installed")
    except OSError as error:
        return Answer(126, b"", f"git {arguments[0]} could not be run: {error.strerror}")
    except subprocess.TimeoutExpired:
        return Answer(124, b"", f"git {arguments[0]} took more than {_SECONDS:g} s")
    return Answer(ran.returncode, ran.stdout, ran.stderr.decode("utf-8", "replace").strip())


def head(root: str) -> str:
    """The commit, or '' on a branch without one."""
    answer = ask(root, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    return answer.text if answer.code == 0 else ""


def branch(root: str) -> str:
    """The branch, or '' on a detached HEAD."""
    answer = ask(root, "symbolic-ref", "--quiet", "--short", "HEAD")
    return answer.text if answer.code == 0 else ""


def has_branch(root: str, name: str) -> bool:
    return ask(root, "show-ref", "--verify", "--quiet", f"refs/heads/{name}").code == 0


def make_branch(root: str, name: str) -> Answer:
    return ask(root, "checkout", "-q", "-b", name)


def is_ancestor(root: str, old: str, new: str) -> bool:
    return ask(root, "merge-base", "--is-ancestor", old, new).code == 0


def changed_between(root: str, old: str, new: str) -> list[str] | None:
    """Every path that any commit of the range touches, also where a later one takes it back.

    Relative to the project, `../` where it is a folder of a larger repository; None where git
    cannot tell. Each option outdoes a setting by which a repository hides changes or runs programs.
    """
    if old == new:
        return []
    answer = ask(
        root,
        "log",
        "--format=",
        "--name-only",
        "-z",
        "--diff-merges=separate",
        "--no-renames",
        "--no-ext-diff",
        "--no-show-signature",
        "--no-relative",
        "--ignore-submodules=none",
        f"{old}..{new}",
    )
    if answer.code != 0:
        return None
    names = answer.output.decode("utf-8", "surrogateescape").split("\0")
    return sorted(from_project(root, {name.strip("\n") for name in names} - {""}))


def from_project(root: str, names: Iterable[str]) -> list[str]:
    """In their order."""
    prefix = ask(root, "rev-parse", "--show-prefix").output.decode("utf-8", "surrogateescape")
    prefix = prefix.rstrip("\n")
    up = "../" * prefix.count("/")
    return [n[len(prefix) :] if n.startswith(prefix) else up + n for n in names]


def hidden(root: str) -> set[str]:
    """Paths that git was told not to look at (assume-unchanged, skip-worktree)."""
    entries = ask(root, "ls-files", "-v", "-z").output.decode("utf-8", "surrogateescape")
    return {e[2:] for e in entries.split("\0") if e and (e[0].islower() or e[0] == "S")}


def pin(root: str, name: str, commit: str) -> None:
    """Keeps a commit reachable, whatever happens to the branch."""
    ask(root, "update-ref", f"refs/ralph/{name}", commit)


def is_ignored(root: str, path: str) -> bool:
    return ask(root, "check-ignore", "--quiet", "--no-index", "--", path).code == 0


def is_tracked(root: str, path: str) -> bool:
    return ask(root, "ls-files", "--error-unmatch", "--", path).code == 0


def unfinished(root: str) -> str:
    """The name of a merge, rebase or the like that is under way, or ''."""
    folder = ask(root, "rev-parse", "--absolute-git-dir").text
    found = [name for name in _UNFINISHED if folder and (Path(folder) / name).exists()]
    return found[0] if found else ""


def holds(root: str, commit: str, path: str) -> bool:
    return bool(ask(root, "ls-tree", "--name-only", commit, "--", path).text)


def untracked(root: str, paths: list[str]) -> list[str]:
    known = ask(root, "ls-files", "-z", "--", *paths).output.decode("utf-8", "surrogateescape")
    return [path for path in paths if path not in known.split("\0")]


def intend_to_add(root: str, paths: list[str]) -> Answer:
    """So that `commit --only` knows them; nothing of them is staged."""
    return ask(root, "add", "--intent-to-add", "--", *paths, GIT_OPTIONAL_LOCKS="1")


def forget_intent(root: str, paths: list[str]) -> None:
    ask(root, "update-index", "--force-remove", "--", *paths, GIT_OPTIONAL_LOCKS="1")


def commit_only(root: str, paths: list[str], message: str) -> Answer:
    """These paths alone, as the loop itself; the index otherwise stays as it is."""
    chosen = (*_UNSIGNED, "commit", "--no-verify", *_only(paths, message))
    return ask(root, *chosen, GIT_OPTIONAL_LOCKS="1", **_IDENTITY)


def hooked_commit(paths: list[str], message: str) -> tuple[list[str], dict[str, str]]:
    """The same with the repository's own hooks, for whoever runs it: they may take their time."""
    quiet = ("-c", "core.fsmonitor=false", "-c", "gc.auto=0", "-c", "maintenance.auto=false")
    kept = {name: value for name, value in os.environ.items() if name not in ELSEWHERE}
    environment = {**kept, "GIT_TERMINAL_PROMPT": "0", "GIT_EDITOR": "true", **_IDENTITY}
    return ["git", *quiet, *_UNSIGNED, "commit", *_only(paths, message)], environment


def _only(paths: list[str], message: str) -> list[str]:
    return ["--quiet", "--only", "-m", message, "--", *paths]
