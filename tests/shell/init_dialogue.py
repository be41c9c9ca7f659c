"""init at a terminal: a project to run it in, and a person who answers its questions."""

from __future__ import annotations

import os
import stat
import uuid
from collections.abc import Iterable
from pathlib import Path

from runner.hostile_project import MARK
from runner.pty_session import PtySession

GIT = "Run git init? (y/N): "
AGENT = "Agent command (e.g., claude, codex, amp, or other LLM CLI): "
FLAGS = "Agent flags (comma-separated, optional): "
MOST = "Maximum iterations [15 for task lists, 10 for prompts]: "
RESPONSE = "Completion response [DONE]: "
GUARDRAIL = "Add guardrail command (leave blank to finish): "
ACTION = "  Fail action (APPEND|PREPEND|REPLACE): "
HINT = "  Hint (optional, guidance for agent on failure): "
SCM = "Configure SCM? (y/N): "
SCM_COMMAND = "  SCM command (e.g., git): "
SCM_TASKS = "  SCM tasks (comma-separated, e.g., commit,push): "
OVERWRITE = "Overwrite? (y/N): "

Answers = Iterable["tuple[str, str]"]
SHORT: list[tuple[str, str]] = [
    *((AGENT, "claude"), (FLAGS, ""), (MOST, ""), (RESPONSE, "")),
    *((GUARDRAIL, ""), (SCM, "")),
]
LONG: list[tuple[str, str]] = [
    (AGENT, "claude"),
    (FLAGS, " --model ,opus,, --effort high "),
    (MOST, "7"),
    (RESPONSE, "ALL GREEN"),
    (GUARDRAIL, "make lint"),
    (ACTION, "append"),
    (HINT, "Fix lint errors only. Don't change behaviour."),
    (GUARDRAIL, "npm test -- --grep 'a b'"),
    (ACTION, "Replace"),
    (HINT, ""),
    (GUARDRAIL, ""),
    (SCM, "y"),
    (SCM_COMMAND, "git"),
    (SCM_TASKS, "commit, push"),
]


class Place:
    """A folder and the user's home beside it."""

    def __init__(self, folder: Path, name: str = "shop") -> None:
        self.root, self.mark = folder / name, str(uuid.uuid4())
        home = folder / "home"
        for path in (self.root, home):
            path.mkdir(parents=True)
        self.environment = {"PATH": os.environ["PATH"], "HOME": str(home), MARK: self.mark}

    def init(self, *options: str) -> Talk:
        return Talk(self, *options)


class Talk(PtySession):
    """A person at the terminal of init."""

    def __init__(self, place: Place, *options: str) -> None:
        super().__init__(place, *options, verb="init")  # type: ignore[arg-type]

    def answer(self, answers: Answers) -> None:
        for question, text in answers:
            self.expect_next(question)
            self.type(text.encode() + b"\n")


def everything(folder: Path) -> dict[str, tuple[int, bytes | None, int]]:
    """Each path with its kind, content and time of change."""
    seen = {}
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        content = path.read_bytes() if stat.S_ISREG(status.st_mode) else None
        seen[str(path.relative_to(folder))] = (status.st_mode, content, status.st_mtime_ns)
    return seen
