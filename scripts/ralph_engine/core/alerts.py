"""The session's private folder of context alerts already given."""

from __future__ import annotations

import os
import stat

from . import paths


def forget(session: str, temporary: str) -> None:
    """Removes the folder if it is ours; a link or another user's is left alone."""
    if not paths.is_session_id(session):
        return
    folder = os.path.join(temporary, f"claude-context-alerts-{session}")
    try:
        status = os.lstat(folder)
        if stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid():
            for name in os.listdir(folder):
                os.unlink(os.path.join(folder, name))
            os.rmdir(folder)
    except OSError:
        pass
