"""The same-session loops of a project, told in lines."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path

from .core import clock, paths, session_state
from .core.session_state import State
from .failure import Failure
from .harmless import harmless

_MOST = 20


def lines(root: str) -> list[str]:
    """Which, since when, iteration, last decision, session, what next; newest last."""
    loops = [_line(root, session) for session in sessions(root)]
    more = [f"... and {len(loops) - _MOST} more in .ralph/sessions"] if len(loops) > _MOST else []
    return [harmless(" ".join(line.split())) for line in loops[-_MOST:]] + more


def sessions(root: str) -> list[str]:
    folder = Path(root) / ".ralph" / "sessions"
    try:
        names = [name[: -len(".json")] for name in os.listdir(folder) if name.endswith(".json")]
    except OSError:
        return []
    known = [name for name in names if paths.is_session_id(name)]
    return sorted(known, key=lambda name: (_changed(folder / f"{name}.json"), name))


def refuse_its_agent(root: str, environment: Mapping[str, str]) -> None:
    """What runs inside a session knows its id: no agent takes its own loop away."""
    if environment.get("CLAUDE_CODE_SESSION_ID") in sessions(root):
        raise Failure(
            "this session's own loop is calling: only a person may do that",
            "/cancel-ralph ends it, or call from another terminal",
        )


def _line(root: str, session: str) -> str:
    try:
        state = session_state.read(root, session)
    except session_state.Unusable as fault:
        path = paths.session_state(session)
        return f"{path} cannot be used: it {fault}; remove it, or stop once in that session"
    return _words(state) if state else f"session {session}: just ended"


def _words(state: State) -> str:
    last = state["decisions"][-1] if state["decisions"] else None
    decision = f"{last['decision']} at {last['time']} ({last['why']})" if last else "none yet"
    return (
        f"{state['kind']} {state['status']}: session {state['session']}, since "
        f"{state['startedAt']}, iteration {state['iteration']} of {state['maxIterations']}, "
        f"last decision: {decision}{_checking(state)}; next: {_next(state)}"
    )


def _checking(state: State) -> str:
    since = clock.seconds(state["verifyingSince"]) if state["verifyingSince"] else None
    if since is None:
        return ""
    return f", checks running since {state['verifyingSince']} ({int(time.time() - since)} s)"


def _next(state: State) -> str:
    if state["status"] == session_state.PAUSED:
        return "/ralph-resume or /cancel-ralph in that session"
    return "it goes on by itself; /cancel-ralph in that session ends it"


def _changed(path: Path) -> int:
    try:
        return path.lstat().st_mtime_ns
    except OSError:
        return 0
