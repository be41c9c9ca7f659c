"""The marker: what it may look like, and whose session it binds."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from ralph_engine import schema
from ralph_engine.core import marker as markers

SESSION, OTHER, RUN = "session-1", "session-2", "run-1"
REFERENCE = {"timestamp": "t", "pid": 1, "max_iterations": 9, "mode": "direct"}
OURS = {**REFERENCE, "runId": RUN, "sessionId": SESSION}
IN_RUN = {"RALPH_ACTIVE": "1", "RALPH_RUN_ID": RUN}


@pytest.fixture(scope="module")
def dead_pid() -> int:
    child = subprocess.Popen([sys.executable, "-I", "-S", "-c", ""])
    child.wait(timeout=60)
    return child.pid


BINDS: dict[str, tuple[dict[str, Any], str, dict[str, str], bool]] = {
    "ours": (OURS, SESSION, IN_RUN, True),
    "ours, no RALPH_ACTIVE": (OURS, SESSION, {"RALPH_RUN_ID": RUN}, True),
    "ours, in a sandbox": ({**OURS, "mode": "sandbox"}, SESSION, IN_RUN, True),
    "another run": (OURS, SESSION, {"RALPH_RUN_ID": "run-2"}, False),
    "part of the run's name": (OURS, SESSION, {"RALPH_RUN_ID": "run"}, False),
    "no run": (OURS, SESSION, {}, False),
    "another session": (OURS, OTHER, IN_RUN, False),
    "no session": (OURS, "", IN_RUN, False),
    "agent without ids": ({**OURS, "sessionId": ""}, SESSION, IN_RUN, False),
    "agent without ids, no session": ({**OURS, "sessionId": ""}, "", IN_RUN, False),
    "run without session": ({**REFERENCE, "runId": RUN}, SESSION, IN_RUN, False),
    "run without session, no session": ({**REFERENCE, "runId": RUN}, "", IN_RUN, False),
    "ours by pid only": (
        {**OURS, "pid": os.getppid()},
        SESSION,
        {"RALPH_ACTIVE": "1", "IS_SANDBOX": "1"},
        False,
    ),
    "sandbox, outside": ({**REFERENCE, "mode": "sandbox"}, SESSION, {}, False),
    "sandbox, inside": ({**REFERENCE, "mode": "sandbox"}, SESSION, {"IS_SANDBOX": "1"}, True),
    "sandbox, started by a loop": (
        {**REFERENCE, "mode": "sandbox"},
        SESSION,
        {"RALPH_ACTIVE": "1"},
        True,
    ),
    "sandbox, not quite": ({**REFERENCE, "mode": "sandbox"}, SESSION, {"IS_SANDBOX": "yes"}, False),
    "parent": ({**REFERENCE, "pid": os.getppid()}, SESSION, {}, True),
    "parent as a float": ({**REFERENCE, "pid": float(os.getppid())}, "", {}, True),
    "itself": ({**REFERENCE, "pid": os.getpid()}, SESSION, {}, False),
    "direct marker in a sandbox": ({**REFERENCE, "pid": 0}, SESSION, {"IS_SANDBOX": "1"}, False),
}


@pytest.mark.parametrize("case", BINDS)
def test_a_marker_binds_the_session_its_loop_started(case: str) -> None:
    marker, session, environment, binds = BINDS[case]
    assert markers.binds(marker, session, environment) is binds


def test_a_dead_process_binds_nobody(dead_pid: int) -> None:
    assert not markers.binds({**REFERENCE, "pid": dead_pid}, SESSION, IN_RUN)


FULL = {
    **OURS,
    "skipReview": False,
    "reviewCap": 3,
    "iterationMode": "review",
    "preIterationSnapshot": {
        "US-1": {
            "passes": False,
            "reviewStatus": "needs_review",
            "reviewCount": 0,
            "reviewFeedback": "",
            "dependsOn": ["US-0"],
            "frozen": {"criteria": ["0"], "verify": [], "whole": "0"},
        }
    },
    "iteration": 1,
    "story": "US-1",
    "goal": "tasks",
    "ralphDir": "ralph",
    "atCap": "hold",
    "contextWindow": 200000,
    "verifyCommands": ["0"],
    "digests": {"ralph/prd.md": "absent"},
    "baseline": {"x": "any"},
    "host": "h",
}


@pytest.mark.parametrize("marker", [REFERENCE, OURS, FULL, {**FULL, "later": [1]}])
def test_a_marker_is_read_as_it_was_written(marker: dict[str, Any]) -> None:
    assert markers.parse(json.dumps(marker).encode()) == marker
    assert schema.accepts("marker", marker)


@pytest.mark.parametrize("field", REFERENCE)
def test_a_marker_without_a_required_field_is_none(field: str) -> None:
    broken = {name: value for name, value in FULL.items() if name != field}
    assert markers.parse(json.dumps(broken).encode()) is None


VALUES: list[Any] = [None, True, 1, 0, 1.0, -1, 0.5, "", "x", [], ["x"], [""], [1], {}, {"x": 1}]


@pytest.mark.parametrize("field", FULL)
def test_parser_and_schema_agree_on_every_type_in_every_field(field: str) -> None:
    for value in VALUES:
        marker = {**FULL, field: value}
        accepted = markers.parse(json.dumps(marker).encode()) is not None
        # What a schema cannot say: the folder is below the project.
        expected = schema.accepts("marker", marker) and marker["ralphDir"] != ""
        assert accepted == expected, value


@pytest.mark.parametrize("field", FULL["preIterationSnapshot"]["US-1"])  # type: ignore[index]
def test_parser_and_schema_agree_on_every_type_in_a_snapshot(field: str) -> None:
    before = FULL["preIterationSnapshot"]["US-1"]  # type: ignore[index]
    for value in [*VALUES, {"criteria": [], "verify": [1]}, {"criteria": [], "verify": []}]:
        marker = {**FULL, "preIterationSnapshot": {"US-1": {**before, field: value}}}
        accepted = markers.parse(json.dumps(marker).encode()) is not None
        assert accepted == schema.accepts("marker", marker), value


@pytest.mark.parametrize("folder", ["", ".", "..", "../x", "/etc", "a/../..", "a/", "a\0"])
def test_a_folder_outside_the_project_makes_it_no_marker(folder: str) -> None:
    assert markers.parse(json.dumps({**OURS, "ralphDir": folder}).encode()) is None


@pytest.mark.parametrize("data", [b"", b"[]", b"null", b"{", b"\xff", b"NaN", b"[" * 100_000])
def test_what_is_no_json_object_is_no_marker(data: bytes) -> None:
    assert markers.parse(data) is None


def test_the_folder_is_ralph_unless_said_otherwise() -> None:
    assert markers.ralph_dir(REFERENCE) == "ralph"
    assert markers.ralph_dir({**REFERENCE, "ralphDir": "plan"}) == "plan"


def test_a_missing_marker_is_none(tmp_path: Path) -> None:
    assert markers.read(str(tmp_path)) is None
    (tmp_path / ".ralph-active").write_text(json.dumps(OURS))
    assert markers.read(str(tmp_path)) == OURS
