"""Judges a JSON object by a table of fields and words what is wrong with it."""

from __future__ import annotations

import json
from collections import namedtuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, NamedTuple

    class Fault(NamedTuple):
        place: str
        story: str
        problem: str
        fix: str

    class Field(NamedTuple):
        name: str
        fits: Callable[[Any], bool]
        wanted: str
        required: bool
else:
    # namedtuple, not typing.NamedTuple: hooks must not pay for importing typing.
    Fault = namedtuple("Fault", "place story problem fix")
    Field = namedtuple("Field", "name fits wanted required")

_ABSENT = object()


def sentence(fault: Fault) -> str:
    owner = f" ({name_shown(fault.story)})" if fault.story else ""
    return f"{fault.place}{owner} {fault.problem}; {fault.fix}"


def name_shown(name: str) -> str:
    """A name as it is, unless it would break the line or fill it."""
    return name if name.isprintable() and len(name) <= 60 else shown(name)


def names_shown(names: list[str], most: int = 5) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(name_shown(name) for name in names[:most]) + more


def shown(value: Any) -> str:
    if type(value) in (dict, list):
        return "an object" if type(value) is dict else f"a list of {len(value)}"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:57] + "..."


def faults(value: dict[str, Any], fields: tuple[Field, ...], place: str, story: str) -> list[Fault]:
    found = []
    for name, fits, wanted, required in fields:
        entry = value.get(name, _ABSENT)
        if entry is _ABSENT:
            if required:
                found.append(missing(f"{place}{name}", story, wanted))
        elif not fits(entry):
            found.append(wrong(f"{place}{name}", story, entry, wanted))
    return found


def missing(place: str, story: str, wanted: str) -> Fault:
    return Fault(place, story, "is missing", f"add it: {wanted}")


def wrong(place: str, story: str, value: Any, wanted: str) -> Fault:
    return Fault(place, story, f"is {shown(value)}", f"make it {wanted}")


def is_string(value: Any) -> bool:
    return type(value) is str


def is_text(value: Any) -> bool:
    return type(value) is str and value != ""


def is_boolean(value: Any) -> bool:
    return value is True or value is False


def is_number(value: Any) -> bool:
    return type(value) is int or type(value) is float


def is_count(value: Any) -> bool:
    # 1.0 is an integer to JSON Schema, so it is one here.
    if type(value) is float:
        return value >= 0 and value.is_integer()
    return type(value) is int and value >= 0


def is_strings(value: Any) -> bool:
    if type(value) is not list:
        return False
    for entry in value:
        if type(entry) is not str:
            return False
    return True


def is_texts(value: Any) -> bool:
    return is_strings(value) and "" not in value


def is_some_texts(value: Any) -> bool:
    return is_texts(value) and value != []
