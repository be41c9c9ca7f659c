"""Is a typed prompt any of our business? Asked for every one, so it loads next to nothing."""

from __future__ import annotations

from . import files, paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

STARTING = ("ralph-loop", "ulw-loop", "ralph-audit")
CONTROLS = ("cancel-ralph", "ralph-pause", "ralph-resume", "ralph-status")


def concerns(root: str, session: str, sent: dict[str, Any]) -> bool:
    if sent.get("hook_event_name") == "UserPromptExpansion":
        return name_of(sent.get("command_name")) != ""
    return has_state(root, session)


def name_of(command: object) -> str:
    """Our command's bare name; '' for every other one."""
    name = command.removeprefix("ralph:") if isinstance(command, str) else ""
    return name if name in (*STARTING, *CONTROLS) else ""


def has_state(root: str, session: str) -> bool:
    """Is there a file of a same-session loop, whatever it holds?"""
    if not paths.is_session_id(session):
        return False
    return files.kind(root, paths.session_state(session)) != "absent"
