"""$NAME and ${NAME...}: what a parameter stands for, as far as the script tells."""

from __future__ import annotations

from . import globs
from .values import UNKNOWN, UNSET, capped, known, settled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Union

    from .state import Shell
    from .values import Node

    # Text, or several fields as of "$@".
    Value = Union[str, list[str]]
    Worded = Callable[[Shell, Node], str]

_NUMBERS = ("?", "$", "!", "-", "_", "RANDOM", "SECONDS", "LINENO", "UID", "EUID")


def value(shell: Shell, node: Node, word: Worded) -> Value:
    """`word` expands a nested word to one text."""
    name = node["Param"]["Value"]
    found = lookup(shell, name)
    if node.get("Excl"):
        target = settled(_text(found))
        found = lookup(shell, target) if known(target) else UNKNOWN
    index = node.get("Index")
    if index is not None:
        found = _indexed(found, word(shell, index))
    elif isinstance(found, list) and name not in "@*" and not shell.is_each(name):
        found = found[0] if found else ""
    if node.get("Length"):
        return str(len(found)) if known(_text(found)) else UNKNOWN
    return _changed(shell, node, found, word)


def lookup(shell: Shell, name: str) -> Value:
    if name in ("@", "*"):
        return list(shell.positional)
    if name == "#":
        return str(len(shell.positional))
    if name.isdigit():
        place = int(name) if len(name) < 6 else len(shell.positional) + 1
        given = [shell.zero, *shell.positional]
        return given[place] if place < len(given) else UNSET
    if name == "PPID":
        return "1"  # the client itself: no less foreign than the first process
    if name in _NUMBERS and name not in shell.variables:
        return UNKNOWN
    return shell.variable(name)


def _indexed(found: Value, index: str) -> Value:
    items = found if isinstance(found, list) else [found]
    if index in ("@", "*"):
        return items
    if index.lstrip("-").isdigit() and -len(items) <= int(index[:6]) < len(items):
        return items[int(index[:6])]
    return UNKNOWN


def _changed(shell: Shell, node: Node, found: Value, word: Worded) -> Value:
    if node.get("Slice"):
        return _sliced(shell, found, node["Slice"], word)
    if isinstance(found, list):
        return found
    if node.get("Repl"):
        return _replaced(shell, found, node["Repl"], word)
    if node.get("Exp"):
        return _operated(shell, node, found, word)
    return found


def _sliced(shell: Shell, found: Value, node: Node, word: Worded) -> Value:
    start = _number(shell, node.get("Offset"), word)
    length = _number(shell, node.get("Length"), word)
    if start is None or (node.get("Length") and length is None):
        return UNKNOWN
    end = None if length is None else (start + length if length >= 0 else length)
    if isinstance(found, list):
        return [shell.zero, *found][start:end] if start else found[start:end]
    return found[start:end] if known(found) else UNKNOWN


def _number(shell: Shell, node: Node | None, word: Worded) -> int | None:
    if not node or "Parts" not in node:
        return None
    text = word(shell, node).strip()
    return int(text) if text.lstrip("-").isdigit() and len(text) < 8 else None


def _replaced(shell: Shell, found: str, node: Node, word: Worded) -> str:
    old = word(shell, node["Orig"]) if node.get("Orig") else ""
    new = word(shell, node["With"]) if node.get("With") else ""
    if globs.is_glob(old) or not old or not known(old):
        return UNKNOWN
    return capped(found.replace(old, new, -1 if node.get("All") else 1))


def _operated(shell: Shell, node: Node, found: str, word: Worded) -> str:
    op = node["Exp"]["Op"]
    other = word(shell, node["Exp"]["Word"]) if node["Exp"].get("Word") else ""
    empty = settled(found) in ("", UNKNOWN) and found != UNKNOWN
    if op in ("-", ":-", "=", ":="):
        if empty and "=" in op:
            shell.variables[node["Param"]["Value"]] = other
        return other if empty else found
    if op in ("+", ":+"):
        return "" if empty else other
    if op in ("?", ":?"):
        return UNKNOWN if empty else found
    if op in ("^", "^^", ",", ",,"):
        return _cased(op, found)
    if op in ("#", "##", "%", "%%"):
        return _trimmed(op, found, other)
    return UNKNOWN


def _cased(op: str, text: str) -> str:
    changed = text.upper() if op[0] == "^" else text.lower()
    return changed if len(op) == 2 else changed[:1] + text[1:]


def _trimmed(op: str, text: str, pattern: str) -> str:
    """Without the start or end that fits, for the patterns that people write: x, *x, x*."""
    if not known(text):
        return UNKNOWN
    fixed = pattern.strip("*")
    if globs.is_glob(fixed) or not known(fixed):
        return UNKNOWN
    if op[0] == "#":
        if not pattern.startswith("*"):
            return text[len(fixed) :] if text.startswith(fixed) else text
        at = text.find(fixed) if len(op) == 1 else text.rfind(fixed)
        return text[at + len(fixed) :] if at >= 0 else text
    if not pattern.endswith("*"):
        return text[: len(text) - len(fixed)] if text.endswith(fixed) else text
    at = text.rfind(fixed) if len(op) == 1 else text.find(fixed)
    return text[:at] if at >= 0 else text


def _text(found: Value) -> str:
    return found if isinstance(found, str) else " ".join(found)
