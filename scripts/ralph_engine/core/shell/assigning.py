"""NAME=value, NAME+=value, NAME=(...), NAME[i]=value."""

from __future__ import annotations

from . import expand
from .values import capped
from .words import is_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .state import Shell
    from .values import Node


def assigned(shell: Shell, nodes: list[Node]) -> dict[str, str | list[str]]:
    found: dict[str, str | list[str]] = {}
    for node in nodes:
        name = (node.get("Name") or {}).get("Value", "")
        if not is_name(name):
            continue
        value = _value_of(shell, node)
        old = found.get(name, shell.variables.get(name, ""))
        if node.get("Index") is not None:
            value = _with_item(shell, old, node, value)
        elif node.get("Append"):
            value = _appended(old, value)
        found[name] = value
    return found


def _value_of(shell: Shell, node: Node) -> str | list[str]:
    if node.get("Array"):
        items = [item.get("Value") for item in node["Array"].get("Elems") or []]
        return [field for item in items if item for field in expand.fields(shell, item)]
    return expand.text(shell, node["Value"]) if node.get("Value") else ""


def _with_item(shell: Shell, old: str | list[str], node: Node, value: str | list[str]) -> list[str]:
    items = list(old) if isinstance(old, list) else [old] if old else []
    item = value if isinstance(value, str) else " ".join(value)
    index = expand.text(shell, node["Index"]) if "Parts" in node["Index"] else ""
    place = int(index) if index.isdigit() and len(index) < 4 else len(items)
    return [*items[:place], item, *items[place + 1 :]]


def _appended(old: str | list[str], value: str | list[str]) -> str | list[str]:
    if isinstance(old, list):
        return old + (value if isinstance(value, list) else [value])
    return capped(old + value) if isinstance(value, str) else [old, *value]
