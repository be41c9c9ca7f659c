"""The state of a same-session loop, one file per session."""

from __future__ import annotations

from . import files, paths


def end(root: str, session: str) -> None:
    """Moves the state away, so that no hook acts on it again."""
    if not paths.is_session_id(session):
        return
    try:
        files.move(root, paths.session_state(session), paths.ended_session(session))
    except files.FileFault:
        pass
