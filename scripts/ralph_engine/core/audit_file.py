"""The file that an audit follows, read again at each round."""

from __future__ import annotations

import os

from . import files, paths, validation_commands

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .session_state import State

_LIMIT = 1024 * 1024


def path_below(root: str, named: str) -> str:
    """Relative to the project; '' where it lies elsewhere."""
    if not named:
        return paths.audit(paths.DEFAULT_RALPH_DIR)
    where = os.path.normpath(os.path.join(root, named))
    relative = os.path.relpath(where, os.path.normpath(root))
    return relative if paths.stays_below(relative) else ""


def read(root: str, path: str) -> str:
    """Raises files.FileFault."""
    return files.read_bytes(root, path, _LIMIT).decode("utf-8", "replace")


def fault(text: str) -> str:
    """Why no audit starts with this file; '' where one may."""
    if not text.strip():
        return "is empty; say in it what to look for"
    if validation_commands.are_misread(text):
        forms = validation_commands.FORMS
        return f"names no command under its Validation Commands; {forms}, or remove the heading"
    return ""


def refreshed(root: str, state: State) -> State:
    """With the words of now; those of the start where the file cannot be read any more."""
    try:
        text = read(root, state["file"]) if state["file"] else ""
    except files.FileFault:
        return state
    return {**state, "task": text} if text.strip() else state


def checks(root: str, state: State) -> list[str]:
    """The loop's own, and for an audit those that its file names by now."""
    if not state["file"]:
        return list(state["verify"])
    later = validation_commands.of(refreshed(root, state)["task"])
    return validation_commands.united(state["verify"], later)
