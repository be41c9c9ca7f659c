"""A tool call in a loop: judged where the loop stands, and told in one line."""

from __future__ import annotations

import os

from . import guard_crude, guard_verdict, protected_paths
from .guard_allow import Allowed
from .guard_crude import SHELLS
from .marker import ralph_dir
from .paths import DEFAULT_RALPH_DIR, SETTINGS
from .place import Place
from .shell.values import UNKNOWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from .guard_verdict import Finding
    from .marker import Marker

WRITERS = {
    "Write": "file_path",
    "Edit": "file_path",
    "MultiEdit": "file_path",
    "NotebookEdit": "notebook_path",
}
_SHOWN = 160


def reason_to_deny(
    root: str,
    session: str,
    marker: Marker | None,
    sent: dict[str, Any],
    environment: Mapping[str, str],
) -> str:
    """`marker` is None in a same-session loop."""
    place = _place(root, session, marker, environment)
    given = sent.get("tool_input")
    given = given if isinstance(given, dict) else {}
    tool = str(sent.get("tool_name"))
    cwd = _cwd(sent, root)
    if tool in SHELLS:
        return _of_shell(str(given.get("command") or ""), place, cwd, marker, sent)
    finding = None
    if tool in WRITERS:
        finding = guard_verdict.of_write(_path(given.get(WRITERS[tool]), cwd), place)
    elif tool == "Read":
        finding = guard_verdict.of_read(_path(given.get("file_path"), cwd), place)
    return _told(finding, place, tool) if finding else ""


def _of_shell(
    text: str, place: Place, cwd: str, marker: Marker | None, sent: dict[str, Any]
) -> str:
    from .shell import shfmt

    digests = (marker or {}).get("digests", {})
    allowed = Allowed(place.root, digests)
    program = shfmt.path(place.environment)
    finding, complete = guard_verdict.of_text(text, place, cwd, program, allowed)
    if finding:
        return _told(finding, place, str(sent.get("tool_name")))
    if complete:
        return ""
    return guard_crude.reason_to_deny(sent, marker is None, place.environment)


def _place(root: str, session: str, marker: Marker | None, environment: Mapping[str, str]) -> Place:
    folder = ralph_dir(marker) if marker else DEFAULT_RALPH_DIR
    protected = protected_paths.of_loop(root, folder, marker is None, environment)
    place = Place(root, environment, protected, session)
    if marker:
        place.sandboxed = marker["mode"] == "sandbox"
        place.reviewing = marker.get("iterationMode") == "review"
        place.baseline = list(marker.get("baseline", {}))
    return place


def _cwd(sent: dict[str, Any], root: str) -> str:
    cwd = sent.get("cwd")
    return cwd if isinstance(cwd, str) and os.path.isabs(cwd) else os.path.abspath(root)


def _path(name: Any, cwd: str) -> str:
    return os.path.join(cwd, name) if isinstance(name, str) else cwd


def _told(finding: Finding, place: Place, tool: str) -> str:
    from . import hook_log

    rule = finding.rule
    known = {"rule": rule.name, "tool": tool, "session": place.session}
    hook_log.record(place.root, "guard-denied", **known)
    words = (
        f"Ralph's guard denied {_shown(finding.shown)}: {rule.reason} (rule {rule.name})."
        f" Instead: {rule.instead}."
    )
    if rule.name == "protected-path":
        return words
    return f"{words} Only a person can allow it, with guard.allow in {SETTINGS[0]}."


def _shown(text: str) -> str:
    """One line without control characters."""
    plain = " ".join(text.replace(UNKNOWN, "?").split())
    plain = "".join(letter if letter.isprintable() else "?" for letter in plain)
    return f"`{plain}`" if len(plain) <= _SHOWN else f"`{plain[:_SHOWN]}...`"
