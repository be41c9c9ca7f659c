"""The files of a new loop, as the templates make them."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Sequence
from datetime import date
from pathlib import Path

from .core import paths
from .core.tasks import Document
from .plugin_folder import TEMPLATES
from .prompt import fill

_SCHEMA = Path(__file__).resolve().parent / "schemas" / "tasks.schema.json"
_FILES = ("prd.md", "tasks.json", "progress.txt", "prompt.md", "guardrails.md")
_AUDIT = "audit.md"
# Where the templates leave room for a project's own check commands.
_NO_COMMANDS = '"verifyCommands": []'
_NO_VALIDATION = "# make test\n# make lint\n"
# A branch is a file below .git/refs: 255 bytes, four for a character, and git adds '.lock'.
_LONGEST_BRANCH = 60


def contents(
    name: str, today: date, audit: bool = False, commands: Sequence[str] = ()
) -> dict[str, str]:
    """What each new file holds, by its path in the project."""
    folder = paths.DEFAULT_RALPH_DIR
    made = {f"{folder}/{file}": _filled(file, name, today) for file in _FILES}
    made[paths.tasks(folder)] = _with_commands(made[paths.tasks(folder)], commands)
    if audit:
        made[paths.audit(folder)] = _with_validation(_filled(_AUDIT, name, today), commands)
    # Only a path inside the project serves editors on every machine, without a network.
    made[f"{paths.DOT_FOLDER}/{_SCHEMA.name}"] = _SCHEMA.read_text(encoding="utf-8")
    return made


def branch(name: str) -> str:
    """What `git check-ref-format` accepts behind ralph/."""
    text = unicodedata.normalize("NFC", name)[:_LONGEST_BRANCH]
    steps = [_branch_step(step) for step in text.split("/")]
    return "/".join(step for step in steps if step) or "feature"


def untouched_list(document: Document) -> bool:
    """Nobody has written a story yet; the check commands may be there."""
    return bool(document["userStories"] == json.loads(_template("tasks.json"))["userStories"])


def untouched_prd(text: str) -> bool:
    """No line in it is anybody's own: each is one of the template's, or the title."""
    lines = {line.strip() for line in _template("prd.md").splitlines()}
    title = _template("prd.md").partition("{{")[0].strip()
    found = (line.strip() for line in text.removeprefix("\ufeff").splitlines())
    return all(line in lines or line.startswith(title) for line in found)


def _filled(file: str, name: str, today: date) -> str:
    values = {"DATE": today.isoformat(), "PROJECT_NAME": name, "BRANCH_NAME": branch(name)}
    if file.endswith(".json"):
        values = {key: _inside_json(value) for key, value in values.items()}
    return fill(_template(file), values)


def _with_commands(text: str, commands: Sequence[str]) -> str:
    listed = json.dumps(list(commands), ensure_ascii=False)
    return text.replace(_NO_COMMANDS, f'"verifyCommands": {listed}')


def _with_validation(text: str, commands: Sequence[str]) -> str:
    lines = "".join(f"{command}\n" for command in commands)
    return text.replace(_NO_VALIDATION, lines or _NO_VALIDATION)


def _template(file: str) -> str:
    return (TEMPLATES / file).read_text(encoding="utf-8")


def _branch_step(text: str) -> str:
    plain = re.sub(r"[^\w.]+|\.{2,}", "-", text).strip("-.")
    return re.sub(r"\.lock$", "-lock", plain)


def _inside_json(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]
