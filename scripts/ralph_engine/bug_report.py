"""Our own mistakes: a short line for the screen, the details in a file to send us."""

from __future__ import annotations

import os
import platform
import tempfile
import traceback


def write(error: Exception, arguments: list[str]) -> str:
    lines = traceback.format_exception(type(error), error, error.__traceback__)
    text = f"ralph {' '.join(arguments)}\n{platform.platform()}\n{platform.python_version()}\n"
    try:
        fd, path = tempfile.mkstemp(prefix="ralph-bug-", suffix=".log")
        with os.fdopen(fd, "w", encoding="utf-8", errors="backslashreplace") as log:
            log.write(text + "".join(lines))
    except OSError:
        return f"this is a bug in ralph: {error!r}"
    return f"this is a bug in ralph: {error!r}\nhint: report it with {path}"
