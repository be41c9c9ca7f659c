"""What a hook imports is an explicit list: each further module costs every turn of every loop."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any, Callable

import pytest
from guarded import SHFMT
from hooks.starting import PYTHON, Place, a_list, a_loop, a_marker, reference_marker
from hooks.starting import SESSION as OWN

SECONDS = 60
_CORE = "ralph_engine.core"


def core(*names: str) -> set[str]:
    return {"ralph_engine", _CORE, *(f"{_CORE}.{name}" for name in names)}


LOOP = core("files", "hook_io", "loop_of_session", "marker", "paths", "review", "shape") | core(
    "prompt_gate", "strict_json", "tasks"
)
STOPPING = LOOP | core("stopping")
SESSION = LOOP | core("alerts")
MONITOR = core("alerts", "context_alert", "context_levels", "context_usage", "hook_io", "paths")
ENDING = core("audit", "audit_file", "background", "clock", "dot_folder", "hook_log", "loop_words")
SESSION_LOOP = ENDING | core(
    *("check_script", "validation_commands"),
    *("promise", "session_limits", "session_moves", "session_state", "session_stop"),
    *("session_turn", "transcript"),
)
STOP = LOOP | core(
    "stopping",
    "background",
    "clean_tree",
    "command",
    "dot_folder",
    "fingerprint",
    "fresh_stop",
    "gate",
    "hook_log",
    "snapshot",
    "split",
    "transitions",
)
SHELL = {f"{_CORE}.shell"} | {
    f"{_CORE}.shell.{name}"
    for name in (
        *("assigning", "builtins", "calls", "code", "escapes", "expand", "filters", "finding"),
        "follow",
        *(
            "git_runs",
            "globs",
            "interpreters",
            "making",
            "origins",
            "parameters",
            "parsing",
            "printed",
            "runners",
            "shells",
            "shfmt",
        ),
        *("state", "values", "walk", "words", "wrappers"),
    )
}
GUARD = core("guard", "guard_allow", "guard_call", "guard_crude", "guard_rules", "guard_verdict")
GUARD |= core("file_effects", "guard_rules.git_words", "guard_rules.protected")
PUBLISHING = core("guard_rules.publishing", "guard_rules.targets")
GUARD |= core("guard_rules.rule", "place", "protected_paths", "requests") | SHELL | LOOP
# What os and hashlib are made of; which of them json has loaded differs with the version.
SYSTEM = {"__future__", "os", "posixpath", "genericpath", "stat", "_stat", "errno", "time"}
HASHES = {"hashlib", "_hashlib", "_blake2", "_sha1", "_sha2", "_sha3", "_md5"}
CLOCK = {"datetime", "_datetime", "math"}
# subprocess, select, signal and what they bring; msvcrt is tried and not found.
PROCESSES = {
    "subprocess",
    "_posixsubprocess",
    "selectors",
    "select",
    "signal",
    "threading",
    "_weakrefset",
    "contextlib",
    "collections.abc",
    "warnings",
    "locale",
    "_locale",
    "fcntl",
    "grp",
    "pwd",
    "math",
    "msvcrt",
}


def no_loop(place: Place) -> None:
    pass


def without_git(place: Place) -> None:
    place.write(".ralph-active", a_marker())


def with_git(place: Place) -> None:
    without_git(place)
    place.repository()


def same_session(place: Place) -> None:
    place.write(f".ralph/sessions/{OWN}.json", a_loop())
    (place.tmp / "transcript.jsonl").touch()


def broken_list(place: Place) -> None:
    without_git(place)
    place.write("ralph/tasks.json", "{")


def reference(place: Place) -> None:
    place.write(".ralph-active", reference_marker(os.getpid()))


def full_context(place: Place) -> None:
    usage = {"input_tokens": 190_000}
    entry = {"type": "assistant", "message": {"usage": usage}}
    (place.tmp / "transcript.jsonl").write_text(json.dumps(entry) + "\n")


def full_context_in_a_loop(place: Place) -> None:
    full_context(place)
    without_git(place)


def with_parser(place: Place) -> None:
    without_git(place)
    place.parser = SHFMT


def runs(command: str) -> dict[str, Any]:
    return {"tool_name": "Bash", "tool_input": {"command": command}, "cwd": "/tmp"}


Case = tuple[str, Callable[[Place], None], set[str], set[str]]
SENT = {
    "guard of a simple command": runs("ls -la && echo done"),
    "guard of a loop": runs("for f in a; do echo $f; done"),
    "guard of a known program": runs("npm test"),
}
CASES: dict[str, Case] = {
    "inactive stop": ("stop", no_loop, STOPPING | SYSTEM, STOPPING),
    "stop without git": ("stop", without_git, STOP | SYSTEM | HASHES, STOP),
    "stop on a broken list": (
        "stop",
        broken_list,
        STOP | SYSTEM | HASHES | core("counted"),
        STOP | core("counted"),
    ),
    "stop with git": ("stop", with_git, STOP | SYSTEM | HASHES | PROCESSES, {"subprocess"}),
    "stop by a reference marker": (
        "stop",
        reference,
        STOP | SYSTEM | HASHES | core("ancestry"),
        core("ancestry"),
    ),
    "stop of a same-session loop": (
        "stop",
        same_session,
        STOPPING | SESSION_LOOP | SYSTEM | CLOCK,
        SESSION_LOOP,
    ),
    "a command that is not ours": (
        "prompt_command",
        no_loop,
        core("files", "hook_io", "paths", "prompt_gate") | SYSTEM,
        core("prompt_gate"),
    ),
    "context monitor": ("context_monitor", full_context, MONITOR | SYSTEM, MONITOR),
    "context monitor in a loop": (
        "context_monitor",
        full_context_in_a_loop,
        MONITOR | LOOP | SYSTEM,
        MONITOR | LOOP,
    ),
    "inactive guard": ("guard", no_loop, LOOP | core("guard") | SYSTEM, core("guard")),
    "guard of a simple command": ("guard", without_git, GUARD | SYSTEM, GUARD),
    "guard of a loop": (
        "guard",
        with_parser,
        GUARD | SYSTEM | {"select", "signal", "enum"},
        GUARD | {"select"},
    ),
    "guard of a known program": ("guard", without_git, GUARD | PUBLISHING | SYSTEM, PUBLISHING),
    "session outside a loop": ("session", no_loop, SESSION | SYSTEM, LOOP),
    "session in a loop": ("session", without_git, SESSION | SYSTEM, LOOP),
}


@pytest.mark.parametrize("case", CASES)
def test_a_hook_loads_only_what_is_listed(tmp_path: Path, case: str) -> None:
    hook, make, allowed, expected = CASES[case]
    place = Place(tmp_path)
    place.write("ralph/tasks.json", a_list())
    make(place)
    loaded, arguments = loaded_by(place, hook, SENT.get(case))
    assert arguments[:2] == ["-I", "-S"]
    assert expected <= loaded, "the hook did not get as far as this test believes"
    assert loaded - modules_of_json() - allowed == set()


def loaded_by(place: Place, hook: str, sent: dict[str, Any] | None) -> tuple[set[str], list[str]]:
    """Through hooks/run: the pinned interpreter adds one option to the command line it is given."""
    said = place.tmp / "arguments"
    interpreter = place.tmp / "interpreter"
    interpreter.write_text(
        f'#!/bin/sh\nprintf "%s\\n" "$@" >"{said}"\nexec "{PYTHON}" -X importtime "$@"\n'
    )
    interpreter.chmod(0o755)
    place.pin(str(interpreter), shfmt=place.parser)
    transcript = {"transcript_path": str(place.tmp / "transcript.jsonl")}
    answer = place.start(hook, {**transcript, **(sent or {})})
    assert answer.code == 0
    return modules(answer.stderr), said.read_text().split("\n")


def modules_of_json() -> set[str]:
    command: list[Any] = [PYTHON, "-X", "importtime", "-I", "-S", "-c", "import json"]
    done = subprocess.run(command, capture_output=True, timeout=SECONDS, check=True)
    return modules(done.stderr)


def modules(report: bytes) -> set[str]:
    lines = report.decode().splitlines()[1:]
    assert all(line.startswith("import time:") for line in lines), lines
    return {line.rpartition("|")[2].strip() for line in lines}
