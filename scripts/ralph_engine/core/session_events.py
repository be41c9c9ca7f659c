"""What the start and the end of a session mean for the loop in it."""

from __future__ import annotations

import time

from . import files, loop_words, paths, session_state

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .session_state import State


def cleared(root: str, session: str) -> None:
    """/clear ends the loop; a hook cannot speak here, so the next session's start says it."""
    try:
        state = session_state.read(root, session)
        told = _end(root, state) if state else ""
    except session_state.Unusable as fault:
        told = session_state.put_aside(root, session, str(fault))
    if not told:
        return
    files.replace_bytes(root, paths.CLEARED, told.encode("utf-8", "replace"), 0o600)


def _end(root: str, state: State) -> str:
    from . import session_moves

    return session_moves.end(root, state, session_state.CANCELLED, "/clear", time.time())


def note_of_cleared(root: str) -> str:
    """The line for the person that a cleared session left, once."""
    try:
        line = files.read_bytes(root, paths.CLEARED, 4096).decode("utf-8", "replace")
        files.remove(root, paths.CLEARED)
    except files.FileFault:
        return ""
    return line.partition("\n")[0]


def orientation(root: str, session: str) -> str:
    """The contract again: a resumed or compacted session may not remember it."""
    state = _state(root, session)
    if state is None or state["status"] != session_state.ACTIVE:
        return ""
    return loop_words.contract(root, state)


def _state(root: str, session: str) -> State | None:
    try:
        return session_state.read(root, session)
    except session_state.Unusable:
        return None
