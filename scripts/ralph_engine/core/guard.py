"""Does a tool call concern the guard, and who answers if the guard itself fails?"""

from __future__ import annotations

from . import loop_of_session, prompt_gate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


def reason_to_deny(
    root: str, session: str, sent: dict[str, Any], environment: Mapping[str, str]
) -> str:
    """'' outside a loop of this session, and for all that may run."""
    marker = loop_of_session.find(root, session, environment)
    if marker is None and not _is_looping(root, session):
        return ""
    try:
        from . import guard_call

        return guard_call.reason_to_deny(root, session, marker, sent, environment)
    except Exception:  # a guard that fails neither lets everything through nor stops the work
        from . import guard_crude, hook_log

        hook_log.keep_exception(root, session)
        return guard_crude.reason_to_deny(sent, marker is None, environment)


def _is_looping(root: str, session: str) -> bool:
    if not prompt_gate.has_state(root, session):
        return False
    from . import session_state

    try:
        state = session_state.read(root, session)
    except session_state.Unusable:
        return False
    return state is not None and state["status"] == session_state.ACTIVE
