"""What hooks leave behind for the runner and for people: events, block counts, errors."""

from __future__ import annotations

import json

from . import dot_folder, files, paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def record(root: str, event: str, **details: Any) -> None:
    """One line, one write; a log that cannot be written stops no one."""
    line = json.dumps({"time": _now(), "event": event, **details}) + "\n"
    try:
        dot_folder.ensure(root)
        files.append(root, paths.HOOK_EVENTS, line.encode("ascii"))
    except files.FileFault:
        pass


def count_block(root: str, session: str, limit: int) -> bool:
    """One byte for each block of a session; False once there were `limit` of them."""
    if not paths.is_session_id(session):
        return False
    try:
        dot_folder.ensure(root)
        return files.append(root, paths.block_count(session), b".") <= limit
    except files.FileFault:
        return False


def failure(root: str, session: str) -> str | None:
    """Logs the exception in flight; words for the model the first time only."""
    if not keep_exception(root, session) or not count_block(root, f"{session}-error", 1):
        return None
    return (
        f"Ralph's own Stop hook failed; the details are in {paths.HOOK_ERRORS}. "
        "Check that your work is committed, mention this in progress.txt, then stop again."
    )


def told_failure(root: str, session: str, error: Exception) -> str:
    """Logs the exception in flight; one line for the person."""
    noted = keep_exception(root, session)
    where = f" (details: {paths.HOOK_ERRORS})" if noted else ""
    what = str(error) if isinstance(error, files.FileFault) else type(error).__name__
    return (
        f"Ralph: the loop could not judge this stop, so it was allowed: {what}{where}; "
        "your next message goes on with the loop, /cancel-ralph ends it"
    )


def keep_exception(root: str, session: str) -> bool:
    """The exception in flight, in full, for a person; False where it cannot be written."""
    import traceback

    try:
        dot_folder.ensure(root)
        entry = f"{_now()} {session}\n{traceback.format_exc()}\n"
        files.append(root, paths.HOOK_ERRORS, entry.encode("utf-8", "replace"))
    except files.FileFault:
        return False
    return True


def _now() -> str:
    import time

    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
