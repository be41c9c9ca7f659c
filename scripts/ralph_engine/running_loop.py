"""The loop that runs in a folder, as the verbs see it: who it is, what it is asked, where it is."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from . import journal, lock, state_folder
from .core import files
from .core.own_command import RALPH
from .failure import Failure

_SLICE = 0.1
_ITS_OWN_AGENT = "this is the loop's own agent calling: only a person may do that"


class Loop(NamedTuple):
    root: str
    state: Path
    run_id: str


def find(root: str) -> Loop:
    """The loop that runs here now, or a Failure; its own agent is refused."""
    owner = _owner(root)
    if owner is None:
        raise Failure("no loop runs in this folder", f"{RALPH} status tells how the last one ended")
    state = state_folder.of_project(root, os.environ)
    refuse_its_agent(str(owner.get("run", "")))
    return Loop(root, state, str(owner.get("run", "")))


def is_running(root: str) -> bool:
    return _owner(root) is not None


def refuse_its_agent(run_id: str) -> None:
    if run_id and os.environ.get("RALPH_RUN_ID") == run_id:
        raise Failure(_ITS_OWN_AGENT)


def last_step(loop: Loop) -> dict[str, Any]:
    try:
        return journal.last_step(loop.state / "runs" / loop.run_id) if loop.run_id else {}
    except files.Missing:
        return {}


def stands(loop: Loop) -> bool:
    """Paused by a person, whose edits count from then on."""
    return last_step(loop).get("event") == "paused"


def wait_until(done: Callable[[], bool], seconds: float | None = None) -> bool:
    end = None if seconds is None else time.monotonic() + seconds
    while not done():
        if end is not None and time.monotonic() > end:
            return False
        time.sleep(_SLICE)
    return True


def _owner(root: str) -> dict[str, Any] | None:
    return lock.owner(state_folder.lock_path(root, os.environ))
