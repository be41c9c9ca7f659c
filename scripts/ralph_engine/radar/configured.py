"""The parts of a configuration file that steer checks; the rest may change as it likes."""

from __future__ import annotations

import json
import re
from typing import Any

_HEAD = re.compile(r"\s*\[+\s*([^\]]+?)\s*\]+\s*(?:[#;].*)?$")
# Not the first line of a script: it names the program that runs the rest.
_COMMENT = re.compile(r"\s*(?:#(?!!)|//|;)")
_SECTIONS = {
    "pyproject.toml": re.compile(
        r"tool\.(?:pytest|coverage|tox|mypy|pyright|ruff|pylint|flake8|hatch\.envs|poe|nox"
        r"|taskipy|pdm\.scripts)\b"
    ),
    "setup.cfg": re.compile(r"tool:pytest|coverage|flake8|mypy|pylint|tox"),
    "Cargo.toml": re.compile(r"(?:test|lib|bin|profile\.test|lints|workspace\.lints)(?:\.|$)"),
}
# Of a crate: `autotests = false` and its like leave targets out.
_AUTO = re.compile(r"\s*(?:package\.)?(auto\w+)\s*=")
_PACKAGE_KEYS = ("jest", "vitest", "mocha", "ava", "nyc", "c8", "eslintConfig", "lint-staged")
# npm runs these by themselves, before and after the script of that name.
_BESIDE = re.compile(r"(?:pre|post)\w*(?:test|lint|check|verify)")


def parts(path: str, text: str) -> dict[str, str]:
    """By name; '' is a whole file."""
    name = path.rpartition("/")[2]
    if name == "package.json":
        return _package(text)
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
    return old + [name for name in after if name not in before and _matters(name)]


def _matters(name: str) -> bool:
    script = name.startswith("scripts.")
    return not script or bool(_BESIDE.match(name[len("scripts.") :]))


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


def _words(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def _sections(text: str, wanted: re.Pattern[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    section = ""
    for line in significant(text).splitlines():
        head = _HEAD.match(line)
        section = head[1] if head else section
        auto = _AUTO.match(line) if section in ("", "package") else None
        if auto:
            found[f"package.{auto[1]}"] = line.strip()
        elif wanted.match(section):
            found[section] = found.get(section, "") + line + "\n"
    return found
