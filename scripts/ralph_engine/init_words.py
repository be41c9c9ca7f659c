"""What init tells a person to do next."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from pathlib import Path

from .core import files, paths, strict_json
from .core.own_command import LINKED, RALPH
from .core.tasks import SIZE_LIMIT
from .init_files import IGNORE

_LIST = paths.tasks(paths.DEFAULT_RALPH_DIR)


def checks(root: str, commands: Sequence[str]) -> list[str]:
    """The project's own check commands, and whether the list has them."""
    place = f"the verifyCommands of {_LIST}"
    if not commands:
        return [f"no test, lint or type command found: put the loop's checks into {place}"]
    listed = _verify_commands(root)
    lacking = [command for command in commands if command not in listed]
    if lacking:
        return [f"found {', '.join(lacking)}: not in {place}; add what the loop must pass"]
    return [f"found {', '.join(commands)}: in {place}; change them there"]


def next_steps(root: str) -> list[str]:
    here = root == os.path.realpath(os.getcwd())
    place = "" if here else f" -d {shlex.quote(root)}"
    git = "git" if here else f"git -C {shlex.quote(root)}"
    added = f"{paths.DEFAULT_RALPH_DIR} {paths.DOT_FOLDER} {IGNORE}"
    return [
        *_repository_words(root, git),
        "Next:",
        "  plan the feature   /ralph-plan in Claude Code, or edit ralph/prd.md, ralph/tasks.json",
        f"  check the plan     {RALPH} check{place}",
        f"  commit it          {git} add {added} && {git} commit -m 'Plan a Ralph loop' {added}",
        f"  start the loop     {RALPH} run{place}",
        *_audit(root),
        *_shorter(),
    ]


def _audit(root: str) -> list[str]:
    there = files.kind(root, paths.audit(paths.DEFAULT_RALPH_DIR)) == "file"
    words = "  or audit the code  /ralph-audit in Claude Code, with ralph/audit.md filled in"
    return [words] * there


def _shorter() -> list[str]:
    if RALPH == LINKED:
        return []
    return [f"  type less          {RALPH} link   (then: ralph check, ralph run)"]


def repository(root: str) -> str | None:
    """The top folder of the repository that the project is or is in."""
    for folder in (Path(root), *Path(root).parents):
        if os.path.lexists(folder / ".git"):
            return str(folder)
    return None


def _repository_words(root: str, git: str) -> list[str]:
    top = repository(root)
    if top is None:
        return [f"{root} is not a git repository, and a loop needs one: {git} init", ""]
    if top == root:
        return []
    words = f"{root} is a folder of the repository {top}: the loop's project is that folder alone."
    return [words, ""]


def _verify_commands(root: str) -> list[object]:
    """None where the list cannot be read: `check` tells why."""
    try:
        document = strict_json.parse(files.read_bytes(root, _LIST, SIZE_LIMIT))
    except (files.FileFault, strict_json.NotJson):
        return []
    found = document.get("verifyCommands") if isinstance(document, dict) else None
    return found if isinstance(found, list) else []
