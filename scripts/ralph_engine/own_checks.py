"""The test, lint and type commands that a project's own files name."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from .core import files

TEST, LINT, TYPES = "test", "lint", "types"
KINDS = (TEST, LINT, TYPES)
_LIMIT = 1024 * 1024
# A script or target of any of these names serves; the first one there is taken.
_NAMES = {
    TEST: ("test", "tests"),
    LINT: ("lint",),
    TYPES: ("typecheck", "type-check", "check-types", "check:types", "types", "tsc", "mypy"),
}
_MAKEFILES = ("GNUmakefile", "makefile", "Makefile")  # the order in which make looks
_RULE = re.compile(r"^([^\s#:=][^#:=\n]*?)[ \t]*::?(?![:=])", re.MULTILINE)
# A check must end by itself and leave the tree as it is.
_UNFIT = re.compile(r"no test specified|--watch(?:All)?(?!=false)\b|--fix\b|--write\b")
_PACKAGERS = {
    "pnpm": ("pnpm-lock.yaml",),
    "yarn": ("yarn.lock",),
    "bun": ("bun.lock", "bun.lockb"),
    "npm": ("package-lock.json",),
}
_PYTHON_RUNNERS = {"uv run ": "uv.lock", "poetry run ": "poetry.lock", "pdm run ": "pdm.lock"}
_PYTHON_TOOLS = {
    "pytest": (TEST, "pytest"),
    "ruff": (LINT, "ruff check ."),
    "flake8": (LINT, "flake8"),
    "mypy": (TYPES, "mypy ."),
    "pyright": (TYPES, "pyright"),
}
# Its section says what to look at: a path on the command line would override that.
_MYPY_KNOWS = re.compile(
    r"^\[tool\.mypy\](?:(?!^\[).)*?^(?:files|packages|modules)\s*=", re.MULTILINE | re.DOTALL
)


class Found(NamedTuple):
    kind: str
    command: str


def of(root: str) -> list[str]:
    """A Makefile is the front door: what it offers is not looked for behind it."""
    made = list(_of_make(root))
    offered = {found.kind for found in made}
    others = (*_of_package(root), *_of_pyproject(root), *_of_cargo(root), *_of_go(root))
    rest = [found for found in others if found.kind not in offered]
    return [command for wanted in KINDS for kind, command in (*made, *rest) if kind == wanted]


def _of_make(root: str) -> Iterator[Found]:
    file = next((name for name in _MAKEFILES if os.path.lexists(os.path.join(root, name))), "")
    text = _text(root, file) if file else ""
    targets = {target for rule in _RULE.findall(text) for target in rule.split()}
    names = {**_NAMES, TEST: (*_NAMES[TEST], "check")}
    for kind in KINDS:
        for name in [name for name in names[kind] if name in targets][:1]:
            yield Found(kind, f"make {name}")


def _of_package(root: str) -> Iterator[Found]:
    package = _object(_text(root, "package.json"))
    packager, scripts = _packager(root, package), package.get("scripts")
    every = scripts.items() if isinstance(scripts, dict) else ()
    fit = [name for name, text in every if _fits(text)]
    for kind in KINDS:
        for name in [name for name in _NAMES[kind] if name in fit][:1]:
            # `bun test` is bun's own runner, not the script of that name.
            short = name == "test" and packager != "bun"
            yield Found(kind, f"{packager} {'' if short else 'run '}{name}")


def _fits(script: object) -> bool:
    return isinstance(script, str) and bool(script.strip()) and not _UNFIT.search(script)


def _packager(root: str, package: dict[str, Any]) -> str:
    named = str(package.get("packageManager", "")).partition("@")[0]
    if named in _PACKAGERS:
        return named
    locked = (name for name, locks in _PACKAGERS.items() if _any_there(root, locks))
    return next(locked, "npm")


def _of_pyproject(root: str) -> Iterator[Found]:
    text = _text(root, "pyproject.toml")
    runner = next((run for run, lock in _PYTHON_RUNNERS.items() if _any_there(root, (lock,))), "")
    kinds: set[str] = set()
    for tool, (kind, command) in _PYTHON_TOOLS.items():
        if kind not in kinds and _names_tool(text, tool):
            kinds.add(kind)
            known = tool == "mypy" and _MYPY_KNOWS.search(text)
            yield Found(kind, runner + (tool if known else command))


def _names_tool(text: str, tool: str) -> bool:
    """Its section, or a dependency on it. Python 3.9 has no TOML reader, and this needs none."""
    section = rf"^\s*\[tool\.{tool}[.\]]"
    dependency = rf"""["']{tool}(?:\[[^\]"']*\])?\s*[<>=~!;"']|^\s*{tool}\s*="""
    return bool(re.search(f"{section}|{dependency}", text, re.MULTILINE))


def _of_cargo(root: str) -> Iterator[Found]:
    if _any_there(root, ("Cargo.toml",)):
        yield Found(TEST, "cargo test")
        yield Found(LINT, "cargo clippy -- -D warnings")


def _of_go(root: str) -> Iterator[Found]:
    if _any_there(root, ("go.mod",)):
        yield Found(TEST, "go test ./...")
        yield Found(LINT, "go vet ./...")


def _any_there(root: str, names: tuple[str, ...]) -> bool:
    return any(files.kind(root, name) == "file" for name in names)


def _text(root: str, name: str) -> str:
    """Nothing where it cannot be read: a proposal is worth no complaint."""
    try:
        return files.read_bytes(root, name, _LIMIT).decode("utf-8", "replace")
    except files.FileFault:
        return ""


def _object(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
