"""No two paths differ only in case: on many disks they would be one."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest
from ralph_engine.core import paths

ROOT = Path(__file__).resolve().parents[2]


def clashes(names: Iterable[str]) -> list[set[str]]:
    """Also of folders: a/x and A/y clash."""
    seen: dict[str, set[str]] = {}
    for name in names:
        steps = name.split("/")
        for length in range(1, len(steps) + 1):
            path = "/".join(steps[:length])
            seen.setdefault(path.casefold(), set()).add(path)
    return [same for same in seen.values() if len(same) > 1]


def shipped() -> list[str]:
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, timeout=60, check=True)
    return done.stdout.decode().split("\0")[:-1]


def generated() -> list[str]:
    """Every path that core knows, in a ralph folder of its own and in the default one."""
    records = [paths.HOOK_EVENTS, paths.HOOK_ERRORS, paths.CLEARED, paths.ARCHIVE]
    sessions = [
        paths.block_count,
        paths.session_state,
        paths.ended_session,
        paths.unusable_session,
    ]
    folder = paths.DEFAULT_RALPH_DIR
    return [
        paths.MARKER,
        paths.DOT_FOLDER,
        paths.DOT_IGNORE,
        *records,
        paths.ROUTER_STATE,
        paths.TDD_STATE,
        *paths.SETTINGS,
        *(make("5e551011-0000") for make in sessions),
        paths.tasks(folder),
        paths.audit(folder),
        *paths.signals(folder),
        *paths.frozen_files(folder),
        *paths.reviewer_files(folder),
    ]


def test_shipped_paths_differ_in_more_than_case() -> None:
    assert "hooks/run" in shipped()
    assert clashes(shipped()) == []


def test_generated_paths_differ_in_more_than_case() -> None:
    assert clashes(generated()) == []


def test_every_path_constant_is_among_them() -> None:
    constants = {
        value
        for name, value in vars(paths).items()
        if name.isupper() and isinstance(value, str) and name != "DEFAULT_RALPH_DIR"
    }
    assert constants <= set(generated())


@pytest.mark.parametrize(
    "names", [["a/b", "a/B"], ["A/x", "a/y"], ["README", "readme"], ["straße", "STRASSE"]]
)
def test_a_clash_is_found(names: list[str]) -> None:
    assert clashes(names) != []
    assert clashes(names[:1]) == []
