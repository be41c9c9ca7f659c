"""The attacks: one JSON file each, judged by a schema before any of them is tried."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Union

from .. import schema
from ..core import files, strict_json
from ..core.own_command import RALPH
from ..failure import Failure

FOLDER = Path(__file__).resolve().parent / "attacks"
CLAUDE = "claude"
_SIZE_LIMIT = 256 * 1024

Step = Mapping[str, Any]
Condition = Union[str, Mapping[str, str]]


class Attack(NamedTuple):
    """`session`: attacks of one name are tried by one agent; `alone`: its story is the last one."""

    name: str
    title: str
    tries: str
    mode: str
    steps: tuple[Step, ...]
    got_through_if: tuple[Condition, ...]
    stopped_by: tuple[str, ...]
    close: str
    session: str = ""
    needs: str = ""
    review_follows: bool = False
    alone: bool = False
    tampers_with: str = ""
    seconds: int = 0


def load(folder: Path) -> list[Attack]:
    """All of a folder, in the order of their names."""
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(".json"))
    except OSError as error:
        raise Failure(f"{folder} cannot be read: {error.strerror}") from error
    if not names:
        raise Failure(f"{folder} holds no attack (*.json)")
    return [_read(folder, name) for name in names]


def chosen(attacks: Sequence[Attack], names: Sequence[str]) -> list[Attack]:
    known = {attack.name for attack in attacks}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise Failure(f"there is no attack {unknown[0]!r}", f"{RALPH} rehearse --list")
    return [attack for attack in attacks if not names or attack.name in names]


def bouts(attacks: Sequence[Attack]) -> list[list[Attack]]:
    """Those that share a session together, the others each alone; in their order."""
    shared: dict[str, list[Attack]] = {}
    for attack in attacks:
        shared.setdefault(attack.session or f"alone {attack.name}", []).append(attack)
    return list(shared.values())


def _read(folder: Path, name: str) -> Attack:
    place = str(folder / name)
    try:
        document = strict_json.parse(files.read_bytes(str(folder), name, _SIZE_LIMIT))
    except files.FileFault as fault:
        raise Failure(f"{place} {fault.problem}", fault.fix) from fault
    except strict_json.NotJson as error:
        raise Failure(f"{place} {error}") from error
    faults = schema.attack_faults(document)
    if not faults and document["name"] != name[: -len(".json")]:
        faults = [f"name is {document['name']!r}; give it the name of its file"]
    if (
        not faults
        and "session" in document
        and any({"say", "end"} & {*s} for s in document["steps"])
    ):
        faults = ["session is shared: a step that says or ends something would end it for others"]
    if faults:
        raise Failure(f"{place}: {faults[0]}", "scripts/ralph_engine/schemas/attack.schema.json")
    lists = {key: tuple(value) for key, value in document.items() if isinstance(value, list)}
    return Attack(**{**document, **lists})
