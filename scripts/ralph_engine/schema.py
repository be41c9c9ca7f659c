"""Judges documents by the published JSON Schemas; its errors speak core's words."""

from __future__ import annotations

import json
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .core import shape, tasks
from .core.shape import Fault

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import ValidationError

_FOLDER = Path(__file__).parent / "schemas"
_WANTED = {field.name: field.wanted for field in (*tasks.TOP_FIELDS, *tasks.STORY_FIELDS)}


@cache
def validator(name: str) -> Draft202012Validator:
    # Half of what a verb takes to start, and most of them judge nothing.
    from jsonschema import Draft202012Validator

    text = (_FOLDER / f"{name}.schema.json").read_text(encoding="utf-8")
    return Draft202012Validator(json.loads(text))


def accepts(name: str, document: Any) -> bool:
    return bool(validator(name).is_valid(document))


def task_faults(document: Any, path: str) -> list[Fault]:
    """All that is wrong with a task list: the schema's findings, then core's."""
    found = {_task_fault(error, document, path): None for error in _errors("tasks", document)}
    return tasks.in_order([*found, *tasks.meaning_faults(document)])


def settings_faults(document: Any, path: str) -> list[str]:
    """All that is wrong with a settings file, one line each."""
    return faults("settings", document, path)


def faults(name: str, document: Any, path: str) -> list[str]:
    errors = _errors(name, document)
    return list(dict.fromkeys(line for error in errors for line in _lines(error, path)))


def setting_wanted(key: str, value: Any) -> str:
    """What a setting wants instead of this value; nothing where it fits."""
    document = value
    for name in reversed(key.split(".")):
        document = {name: document}
    errors = _errors("settings", document)
    return _wanted(errors[0].schema) if errors else ""


def attack_faults(document: Any) -> list[str]:
    """All that is wrong with an attack of a rehearsal, one line each."""
    errors = _errors("attack", document)
    return [f"{_place(list(e.absolute_path), 'the attack')}: {e.message[:200]}" for e in errors]


def _errors(name: str, document: Any) -> list[ValidationError]:
    found = validator(name).iter_errors(document)
    # An enumeration's error has no children: only the deepest place is worth naming.
    return sorted(found, key=lambda error: [str(step).zfill(9) for step in error.absolute_path])


def _task_fault(error: ValidationError, document: Any, path: str) -> Fault:
    steps = list(error.absolute_path)
    story = ""
    if len(steps) >= 2 and steps[0] == "userStories":
        story = tasks.name_of(document["userStories"][steps[1]])
    if error.validator == "required":
        name = error.message.split("'")[1]
        return shape.missing(_place([*steps, name], path), story, _WANTED[name])
    field = next((step for step in reversed(steps) if isinstance(step, str)), "")
    if field == "userStories" and len(steps) == 2 or not steps:
        return shape.wrong(_place(steps, path), story, error.instance, "an object")
    # Core names a list as a whole, not its entry: the entry has the same cure.
    whole = steps[: len(steps) - steps[::-1].index(field)]
    value = document
    for step in whole:
        value = value[step]
    return shape.wrong(_place(whole, path), story, value, _WANTED[field])


def _place(steps: list[Any], path: str) -> str:
    text = ""
    for step in steps:
        text += f"[{step}]" if isinstance(step, int) else f".{step}"
    return text.lstrip(".") or path


def _lines(error: ValidationError, path: str) -> list[str]:
    rule: Any = error.schema
    value: Any = error.instance
    steps = list(error.absolute_path)
    if error.validator == "additionalProperties":
        known = [name for name in rule["properties"] if name != "$schema"]
        unknown = [name for name in value if name not in rule["properties"]]
        return [f"{path}: {_unknown(steps, name, known)}" for name in unknown]
    if error.validator == "required":
        absent = [name for name in rule["required"] if name not in value]
        wanted = {name: _wanted(rule["properties"][name]) for name in absent}
        return [
            f"{path}: {_place([*steps, name], '')} is missing; add it: {wanted[name]}"
            for name in absent
        ]
    if not steps:
        return [f"{path} is {shape.shown(value)}; make it an object"]
    return [f"{path}: {_place(steps, '')} is {shape.shown(value)}; make it {_wanted(rule)}"]


def _unknown(steps: list[Any], name: str, known: list[str]) -> str:
    # Escaped and cut: whoever wrote the file chose the name.
    place = _place([*steps, shape.shown(name)[1:-1]], "")
    near = get_close_matches(name[:60].lower(), known, 1)
    if near:
        return f"{place} is not a setting; did you mean {near[0]}?"
    return f"{place} is not a setting; known are {', '.join(known)}"


def _wanted(rule: Any) -> str:
    """A rule's title says what fits it."""
    if "$ref" in rule:
        whole: Any = validator("settings").schema
        rule = whole["$defs"][rule["$ref"].rpartition("/")[2]]
    return str(rule["title"])
