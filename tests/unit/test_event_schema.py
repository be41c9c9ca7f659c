"""The published schema of events knows what the runner writes, and no more."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest
from ralph_engine import approvals, schema

ENGINE = Path(schema.__file__).parent
EVENT = {"n": 1, "time": "2026-01-31T10:00:00Z", "steady": 1.5}
WRITTEN = {
    "check": {"command": "make", "action": "APPEND", "code": None, "log": "x.log"},
    "hook": {"what": "guard-denied", "rule": "sudo", "tool": "Bash"},
    "end": {"code": 0, "status": "complete", "why": "complete"},
}


def written() -> set[str]:
    """The names in all calls of a journal's `write` and `note`."""
    # These two are written by a name of their own.
    found = {approvals.BEFORE, approvals.AFTER}
    for path in ENGINE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                of = ast.unparse(node.func.value)
                if of.endswith("journal") and node.func.attr in ("write", "note"):
                    found |= {
                        n.value for n in ast.walk(node.args[0]) if isinstance(n, ast.Constant)
                    }
    return found


def test_it_names_every_event_that_is_written() -> None:
    known = schema.validator("event").schema
    assert set(known["properties"]["event"]["enum"]) == written()
    assert set(known["$defs"]) == {"story", *written()}


@pytest.mark.parametrize("name", WRITTEN)
def test_what_lacks_or_spoils_a_value_is_refused(name: str) -> None:
    whole: dict[str, Any] = {**EVENT, "event": name, **WRITTEN[name]}
    assert schema.accepts("event", whole)
    known = schema.validator("event").schema
    for key in {*known["required"], *known["$defs"][name]["required"]}:
        assert not schema.accepts("event", {k: v for k, v in whole.items() if k != key}), key
        assert not schema.accepts("event", {**whole, key: []}), key
