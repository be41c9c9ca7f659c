"""The parts of a configuration file that steer checks; the rest may change as it likes."""

from __future__ import annotations

import json
import re
from collections.abc import Set
from typing import Any

_HEAD = re.compile(r"\s*\[{1,2}([^][]+)\]{1,2}\s*(?:[#;].*)?$")
# Not the first line of a script: it names the program that runs the rest.
_COMMENT = re.compile(r"\s*(?:#(?!!)|//|;)")
_SECTIONS = {
    "pyproject.toml": re.compile(
        r"tool\.(?:pytest|coverage|tox|mypy|pyright|ruff|pylint|flake8|hatch\.envs|poe|nox"
        r"|taskipy|pdm\.scripts)\b"
    ),
    "setup.cfg": re.compile(r"tool:pytest|coverage|flake8|mypy|pylint|tox"),
    "Cargo.toml": re.compile(
        r"(?:test|lib|bin|profile\.test|lints|workspace\.lints)(?:\.|$)|workspace$"
    ),
}
# Of a crate: `autotests = false` and its like leave targets out.
_AUTO = re.compile(r"\s*(?:package\.)?(auto\w+)\s*=")
_PACKAGE_KEYS = ("jest", "vitest", "mocha", "ava", "nyc", "c8", "eslintConfig", "lint-staged")
# Of its scripts those that other programs than checks run are of no concern.
_CHECKS = re.compile(
    r"(?<!la)test|\bspecs?\b|lint|check|verify|types|jest|mocha|cypress|playwright|karma|prettier"
    r"|biome|coverage|--noEmit|\b(?:ava|tap|nyc|c8|ci)\b"
)
# New ones of these take nothing away, but for what npm runs by itself beside a check.
_MAY_BE_NEW = re.compile(
    r"scripts\.(?!(?:pre|post)\w*(?:test|lint|check|verify))|bin\.|workspace\.[\w-]*members\."
)
_LIST = re.compile(r"^\s*((?:default-)?members|exclude)\s*=\s*\[([^]]*)\]", re.MULTILINE)
_LONGEST = 20_000
_TEXT = re.compile(r"[\"']([^\"'\n]*)[\"']")


def parts(path: str, text: str, named: Set[str] = frozenset()) -> dict[str, str]:
    """By name; '' is a whole file. A check names a script of a package as a file in its file."""
    name = path.rpartition("/")[2]
    if name == "package.json":
        found = _package(text)
        return {n: found[n] for n in found if f"{path}/{n}" in named or _is_check(n, found[n])}
    if name == "Cargo.toml":
        return _crate(_sections(text, _SECTIONS[name]))
    if name in _SECTIONS:
        return _sections(text, _SECTIONS[name])
    return {"": significant(text)}


def significant(text: str) -> str:
    """Without blank lines and comments."""
    lines = (line.rstrip() for line in text.splitlines())
    return "\n".join(line for line in lines if line.strip() and not _COMMENT.match(line))


def changed(before: dict[str, str], after: dict[str, str]) -> list[str]:
    """The names of parts that are gone or different, and of new ones that matter at once."""
    old = [name for name, content in before.items() if after.get(name) != content]
    return old + [name for name in after if name not in before and not _MAY_BE_NEW.match(name)]


def _is_check(name: str, content: str) -> bool:
    return not name.startswith("scripts.") or bool(_CHECKS.search(name) or _CHECKS.search(content))


def _package(text: str) -> dict[str, str]:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return {"": significant(text)}
    if not isinstance(document, dict):
        return {}
    found = {key: _words(document[key]) for key in _PACKAGE_KEYS if key in document}
    scripts = document.get("scripts")
    named = scripts.items() if isinstance(scripts, dict) else ()
    return {**found, **{f"scripts.{name}": _words(script) for name, script in named}}


def _crate(found: dict[str, str]) -> dict[str, str]:
    """Its programs and the members of its workspace one by one."""
    for program in re.split(r"^\s*\[.*$", found.pop("bin", ""), flags=re.MULTILINE)[1:]:
        name = re.search(rf"^\s*name\s*=\s*{_TEXT.pattern}", program, re.MULTILINE)
        found[f"bin.{name[1] if name else ''}"] = program
    for key, value in _LIST.findall(found.pop("workspace", "")[:_LONGEST]):
        if key == "default-members":
            found[f"workspace.{key}"] = ""
        members = _TEXT.findall(re.sub("#.*", "", value))
        found.update((f"workspace.{key}.{member}", "") for member in members)
    return found


def _words(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def _sections(text: str, wanted: re.Pattern[str]) -> dict[str, str]:
    found: dict[str, list[str]] = {}
    section = ""
    for line in significant(text).splitlines():
        head = _HEAD.match(line)
        section = head[1].strip() if head else section
        auto = _AUTO.match(line) if section in ("", "package") else None
        if auto:
            found[f"package.{auto[1]}"] = [line.strip()]
        elif wanted.match(section):
            found.setdefault(section, []).append(line)
    return {name: "\n".join([*lines, ""]) for name, lines in found.items()}
