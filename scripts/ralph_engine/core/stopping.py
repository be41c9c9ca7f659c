"""Which loop answers a stop: the fresh-context one, this session's own, or none."""

from __future__ import annotations

from . import loop_of_session, prompt_gate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


def answer(
    root: str, session: str, sent: dict[str, Any], environment: Mapping[str, str]
) -> tuple[str, str]:
    """Why the stop is blocked, and one line for the person; each may be empty."""
    marker = loop_of_session.find(root, session, environment)
    if marker is None and not prompt_gate.has_state(root, session):
        return "", ""
    try:
        if marker is None:
            return _of_session(root, session, sent, environment)
        from . import fresh_stop

        return fresh_stop.reason_to_block(root, marker, session, sent) or "", ""
    except Exception as error:  # in a loop our own failure is told, but never in the way
        from . import hook_log

        if marker is None:
            return "", hook_log.told_failure(root, session, error)
        return hook_log.failure(root, session) or "", ""


def _of_session(
    root: str, session: str, sent: dict[str, Any], environment: Mapping[str, str]
) -> tuple[str, str]:
    from . import session_state, session_stop

    try:
        state = session_state.read(root, session)
    except session_state.Unusable as fault:
        return "", session_state.put_aside(root, session, str(fault))
    if state is None:
        return "", ""
    return session_stop.answer(root, state, sent, environment)
