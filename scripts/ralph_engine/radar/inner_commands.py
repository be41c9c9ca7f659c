"""The commands behind a command: of a package's script, of make's goals, of a shell script."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterable
from typing import NamedTuple

_LONGEST = 20_000
_TARGETS = re.compile(r"([^\s#:=][^#:=]*)::?(?!=)([^=;#]*)(?:;(.*))?")
_INCLUDE = re.compile(r" *[-s]?include[ \t]+([^#]+)")
_SHELL = re.compile(r"#!.*\b(?:ba|da|z|k)?sh\b")
_VARIABLE = re.compile(r"\$[({](\w+)[)}]")


class _Rule(NamedTuple):
    needs: list[str]
    recipe: list[str]


def of_package(text: str, script: str) -> list[str]:
    """With what npm runs before and after it."""
    try:
        scripts = json.loads(text)["scripts"]
        found = [scripts.get(f"{beside}{script}") for beside in ("pre", "", "post")]
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
        return []
    return [command for command in found if isinstance(command, str)]


def included(text: str) -> list[str]:
    """The files that a makefile reads besides."""
    heads = filter(None, map(_INCLUDE.match, _continued(text)))
    return [name for head in heads for name in head[1].split()]


def of_make(texts: Iterable[str], goals: list[str]) -> list[str]:
    """The recipes of the goals, else of the first target, and of what they need."""
    rules = _rules([line for text in texts for line in _continued(text)])
    waiting = goals or [target for target in rules if not target.startswith(".")][:1]
    waiting, found = list(waiting), []
    while waiting:
        for rule in rules.pop(waiting.pop(), ()):
            waiting += rule.needs
            found += rule.recipe
            # Taken: a rule of many targets that need each other would be so, many times over.
            rule.needs.clear()
            rule.recipe.clear()
    return [_VARIABLE.sub(r"$\1", line).replace("$$", "$") for line in found]


def _rules(lines: list[str]) -> dict[str, list[_Rule]]:
    found: dict[str, list[_Rule]] = {}
    rule = _Rule([], [])
    for line in lines:
        head = _TARGETS.match(line)
        if line.startswith("\t"):
            rule.recipe.append(line.lstrip("\t @-+"))
        elif head:
            rule = _Rule(head[2].split(), [head[3] or ""])
            for target in head[1].split():
                found.setdefault(target, []).append(rule)
    return found


def of_script(name: str, text: str) -> list[str]:
    """Line by line: an apostrophe in a comment would open a quote over many."""
    lines = _continued(text) if _is_shell(name, text.partition("\n")[0]) else []
    return [line for line in lines if not line.lstrip().startswith("#")]


def _is_shell(name: str, first: str) -> bool:
    if first.startswith("#!"):
        return bool(_SHELL.match(first))
    return posixpath.splitext(name)[1] in ("", ".sh", ".bash")


def _continued(text: str) -> list[str]:
    return text[:_LONGEST].replace("\\\n", " ").splitlines()
