"""The layers of the engine, read from its source: who may import and write what."""

from __future__ import annotations

import ast
import importlib.util
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted(
    path.relative_to(ROOT).as_posix()
    for folder in ("hooks", "scripts")
    for path in (ROOT / folder).rglob("*.py")
)
CORE = "scripts/ralph_engine/core/"

HOOK_IMPORTS = {"__future__", "os", "sys", "ralph_engine.core"}
# What core may import when it is loaded: milliseconds, or loaded by json anyway.
LIGHT = {
    "__future__",
    "collections",
    "copy",
    "errno",
    "hashlib",
    "json",
    "os",
    "stat",
    "sys",
    "time",
}
ONE_IMPORTER = {
    "jsonschema": "scripts/ralph_engine/schema.py",
    "rich": "scripts/ralph_engine/paint.py",
}
WRITERS = {
    "scripts/ralph_engine/core/files.py": "the one door to the disk",
    "scripts/ralph_engine/core/alerts.py": "keeps a session's own folder in the temp dir",
    "scripts/ralph_engine/bug_report.py": "a private log in the temp dir, when all else failed",
    "scripts/ralph_engine/__main__.py": "opens /dev/null in place of an output nobody reads",
    "scripts/ralph_engine/lock.py": "makes the file of the lock, outside every project",
    "scripts/ralph_engine/state_folder.py": "makes the runner's folder, outside every project",
    "scripts/ralph_engine/old_runs.py": "forgets whole folders of old runs",
    "scripts/ralph_engine/outputs.py": "opens /dev/null in place of a terminal that is gone",
    "scripts/ralph_engine/demo_agent.py": "plays the agent, in the demo's own folder",
    "scripts/ralph_engine/rehearsal/bad_agent.py": "plays the bad agent, in a scratch copy",
    "scripts/ralph_engine/rehearsal/scratch.py": "fills a rehearsal's own folder",
    "scripts/ralph_engine/throw_away.py": "makes and removes a trial's own folder",
    "scripts/ralph_engine/offline_claude.py": "makes the folders of a throw-away home",
    "scripts/ralph_engine/sandboxes/client.py": "keeps what a program says in files without a name",
    "scripts/ralph_engine/sandboxes/inside_bridge.py": "opens /dev/null in place of its streams",
    "scripts/ralph_engine/sandboxes/trial_inside.py": "tries inside what must not work there",
    "scripts/environment.py": "makes the environment, before there is an engine",
}

_CHANGING = {
    f"os.{name}"
    for name in (
        *("rename", "renames", "replace", "unlink", "remove", "rmdir", "removedirs", "mkdir"),
        *("makedirs", "link", "symlink", "truncate", "ftruncate", "mkfifo", "chmod", "utime"),
    )
}
_CHANGING_METHODS = {
    *("write_text", "write_bytes", "touch", "rename", "unlink", "rmdir", "mkdir", "chmod"),
    *("symlink_to", "hardlink_to"),
}
_CHANGING_MODULES = ("shutil", "tempfile")
_HARMLESS = {"shutil.which", "shutil.disk_usage", "shutil.get_terminal_size", "tempfile.gettempdir"}
_CHANGING_FLAGS = {"O_WRONLY", "O_RDWR", "O_CREAT", "O_APPEND", "O_TRUNC"}


class Import(NamedTuple):
    module: str
    at_load: bool


def imports(source: str, path: str) -> list[Import]:
    """Absolute names; what only a type checker sees does not count."""
    return list(_imports(ast.parse(source), _package(path), True))


def _package(path: str) -> list[str]:
    return path[len("scripts/") :].split("/")[:-1] if path.startswith("scripts/") else []


def _imports(node: ast.AST, package: list[str], at_load: bool) -> Iterator[Import]:
    if isinstance(node, ast.If) and _is_type_checking(node.test):
        for child in node.orelse:
            yield from _imports(child, package, at_load)
        return
    if isinstance(node, ast.Import):
        yield from (Import(alias.name, at_load) for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        yield from (Import(name, at_load) for name in _targets(node, package))
    inner = at_load and not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
    for child in ast.iter_child_nodes(node):
        yield from _imports(child, package, inner)


def _is_type_checking(test: ast.expr) -> bool:
    return "TYPE_CHECKING" in (getattr(test, "id", ""), getattr(test, "attr", ""))


def _targets(node: ast.ImportFrom, package: list[str]) -> list[str]:
    base = package[: len(package) - node.level + 1] if node.level else []
    if node.module:
        return [".".join([*base, node.module])]
    return [".".join([*base, alias.name]) for alias in node.names]


def hook_faults(source: str, path: str) -> list[str]:
    return [name for name, _ in imports(source, path) if name not in HOOK_IMPORTS]


def core_faults(source: str, path: str) -> list[str]:
    return [
        name
        for name, at_load in imports(source, path)
        if not name.startswith("ralph_engine.core")
        and not (top(name) in LIGHT if at_load else _is_stdlib(top(name)))
    ]


def top(name: str) -> str:
    return name.partition(".")[0]


def _is_stdlib(name: str) -> bool:
    spec = importlib.util.find_spec(name)
    origin = str(spec.origin) if spec else ""
    paths = sysconfig.get_paths()
    if origin.startswith((paths["purelib"], paths["platlib"])):
        return False
    return origin in ("built-in", "frozen") or origin.startswith(
        (paths["stdlib"], paths["platstdlib"])
    )


def importer_faults(source: str, path: str) -> list[str]:
    named = [top(name) for name, _ in imports(source, path)]
    return [name for name in named if ONE_IMPORTER.get(name, path) != path]


def writes(source: str, _: str) -> list[str]:
    return [call for node in ast.walk(ast.parse(source)) for call in _changes(node)]


def _changes(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Attribute) and node.attr in _CHANGING_FLAGS:
        return [node.attr]
    if not isinstance(node, ast.Call):
        return []
    name = ast.unparse(node.func)
    method = name.rpartition(".")[2]
    changing = name in _CHANGING or (method in _CHANGING_METHODS and name not in _HARMLESS)
    changing |= top(name) in _CHANGING_MODULES and name not in _HARMLESS
    changing |= method in ("open", "fdopen") and name != "os.open" and _writes_by_mode(node, name)
    return [name] if changing else []


def _writes_by_mode(call: ast.Call, name: str) -> bool:
    # Path.open has its mode first, the others second.
    positional = call.args[1:] if name in ("open", "io.open", "os.fdopen") else call.args
    modes = [*positional[:1], *(word.value for word in call.keywords if word.arg == "mode")]
    return any(
        not isinstance(mode, ast.Constant) or bool(set(str(mode.value)) & set("wax+"))
        for mode in modes
    )


def bare_excepts(source: str, _: str) -> list[str]:
    return [
        f"line {node.lineno}"
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.ExceptHandler)
        and (node.type is None or ast.unparse(node.type) == "BaseException")
    ]


def read(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def of(prefix: str) -> list[str]:
    found = [path for path in SOURCES if path.startswith(prefix)]
    assert found
    return found


@pytest.mark.parametrize("path", of("hooks/"))
def test_hooks_import_only_core(path: str) -> None:
    assert hook_faults(read(path), path) == []


@pytest.mark.parametrize("path", of(CORE))
def test_core_imports_only_core_and_what_is_light(path: str) -> None:
    assert core_faults(read(path), path) == []


@pytest.mark.parametrize("path", SOURCES)
def test_a_heavy_package_has_one_importer(path: str) -> None:
    assert importer_faults(read(path), path) == []


@pytest.mark.parametrize("path", SOURCES)
def test_only_the_listed_modules_change_the_disk(path: str) -> None:
    """Both ways: a module that no longer writes leaves the list."""
    assert bool(writes(read(path), path)) == (path in WRITERS), writes(read(path), path)


@pytest.mark.parametrize("path", SOURCES)
def test_no_except_catches_everything(path: str) -> None:
    assert bare_excepts(read(path), path) == []


IN_HOOKS = "hooks/x.py"
IN_CORE = f"{CORE}x.py"
IN_ENGINE = "scripts/ralph_engine/x.py"
TYPES_ONLY = "TYPE_CHECKING = False\nif TYPE_CHECKING:\n    from typing import Any\n"


@pytest.mark.parametrize(
    ("judge", "path", "source"),
    [
        (hook_faults, IN_HOOKS, "import json"),
        (hook_faults, IN_HOOKS, "from ralph_engine import schema"),
        (hook_faults, IN_HOOKS, "import ralph_engine.check"),
        (hook_faults, IN_HOOKS, "def f():\n    import subprocess"),
        (core_faults, IN_CORE, "import re"),
        (core_faults, IN_CORE, "from typing import Any"),
        (core_faults, IN_CORE, "import pathlib, os"),
        (core_faults, IN_CORE, "class A:\n    import dataclasses"),
        (core_faults, IN_CORE, "try:\n    import logging\nexcept ImportError:\n    pass"),
        (core_faults, IN_CORE, "if TYPE_CHECKING:\n    pass\nelse:\n    import typing"),
        (core_faults, IN_CORE, "from .. import schema"),
        (core_faults, IN_CORE, "from ..failure import Failure"),
        (core_faults, IN_CORE, "from ralph_engine import check"),
        (core_faults, IN_CORE, "def f():\n    import jsonschema"),
        (core_faults, IN_CORE, "def f():\n    from .. import schema"),
        (importer_faults, IN_ENGINE, "from jsonschema.exceptions import ValidationError"),
        (importer_faults, IN_ENGINE, "def f():\n    import jsonschema"),
        (writes, IN_ENGINE, "open(p, 'w')"),
        (writes, IN_ENGINE, "open(p, mode='ab')"),
        (writes, IN_ENGINE, "open(p, 'r+')"),
        (writes, IN_ENGINE, "open(p, mode)"),
        (writes, IN_ENGINE, "Path(p).open('x')"),
        (writes, IN_ENGINE, "os.fdopen(fd, 'w')"),
        (writes, IN_ENGINE, "Path(p).write_text('')"),
        (writes, IN_ENGINE, "a.b.write_bytes(b'')"),
        (writes, IN_ENGINE, "os.replace(a, b)"),
        (writes, IN_ENGINE, "os.rename(a, b)"),
        (writes, IN_ENGINE, "os.unlink(a)"),
        (writes, IN_ENGINE, "os.open(a, os.O_CREAT)"),
        (writes, IN_ENGINE, "shutil.rmtree(a)"),
        (writes, IN_ENGINE, "with tempfile.NamedTemporaryFile() as f:\n    pass"),
        (bare_excepts, IN_ENGINE, "try:\n    pass\nexcept:\n    pass"),
        (bare_excepts, IN_ENGINE, "try:\n    pass\nexcept BaseException:\n    pass"),
    ],
)
def test_a_bad_line_is_found(judge, path: str, source: str) -> None:  # type: ignore[no-untyped-def]
    assert judge(source, path) != []


@pytest.mark.parametrize(
    ("judge", "path", "source"),
    [
        (hook_faults, IN_HOOKS, "import os, sys\nfrom ralph_engine.core import tasks"),
        (core_faults, IN_CORE, TYPES_ONLY),
        (core_faults, IN_CORE, "from . import files\nfrom .shape import Fault\nimport json"),
        (core_faults, IN_CORE, "def f():\n    import subprocess, select"),
        (core_faults, IN_CORE, "from ralph_engine.core import files"),
        (importer_faults, ONE_IMPORTER["jsonschema"], "import jsonschema"),
        (writes, IN_ENGINE, "open(p)\nopen(p, 'rb')\nopen(p, encoding='utf-8')\nPath(p).open()"),
        (writes, IN_ENGINE, "os.open(p, os.O_RDONLY)\ntext.replace('w', 'a')\nshutil.which('a')"),
        (bare_excepts, IN_ENGINE, "try:\n    pass\nexcept Exception:\n    pass"),
    ],
)
def test_a_good_line_is_not(judge, path: str, source: str) -> None:  # type: ignore[no-untyped-def]
    assert judge(source, path) == []
