"""The loop that a session belongs to, if any."""

from __future__ import annotations

from . import marker as markers
from . import prompt_gate
from .shape import name_shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from .marker import Marker


def find(root: str, session: str, environment: Mapping[str, str]) -> Marker | None:
    marker = markers.read(root)
    return marker if marker and markers.binds(marker, session, environment) else None


def words(root: str, session: str, environment: Mapping[str, str]) -> str:
    """What tells a new or resumed session where it is; '' outside a loop."""
    if environment.get("RALPH_ACTIVE") == "0":
        return ""
    marker = find(root, session, environment)
    if marker is not None:
        return orientation(marker)
    if not prompt_gate.has_state(root, session):
        return ""
    from . import session_events

    return session_events.orientation(root, session)


def orientation(marker: Marker) -> str:
    """One line that tells a new session where it is."""
    known = [
        f"iteration {marker.get('iteration', '?')} of {marker['max_iterations']}",
        f"mode {marker['iterationMode']}" if "iterationMode" in marker else "",
        f"story {name_shown(marker['story'])}" if marker.get("story") else "",
    ]
    return f"Ralph loop: {', '.join(part for part in known if part)}."
