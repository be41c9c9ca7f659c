"""The states of loops whose agents call a verb arm no hook, whatever the environment says."""

from __future__ import annotations

from pathlib import Path

import pytest
from hooks.starting import Place


@pytest.mark.parametrize("active", [None, "1"])
@pytest.mark.parametrize("state", ["router-state", "tdd-state"])
def test_no_stop_is_blocked_and_no_call_is_guarded(
    tmp_path: Path, state: str, active: str | None
) -> None:
    place = Place(tmp_path)
    place.write(f".ralph/{state}.json", {"iteration": 1, "answer": {"action": "spawn"}})
    before = place.inside()
    env = {"RALPH_ACTIVE": active, "RALPH_RUN_ID": None}
    assert place.start("stop", {"last_assistant_message": "Bye."}, env=env).silent
    call = {"tool_name": "Bash", "tool_input": {"command": "rm -rf /"}}
    assert place.start("guard", call, env=env).silent
    assert place.inside() == before
