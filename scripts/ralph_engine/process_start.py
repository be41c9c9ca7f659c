"""When a process began: with it, a number that was given away again is not mistaken."""

from __future__ import annotations

import os
from pathlib import Path

from .core import command


def of(pid: int) -> str:
    """In the system's own words; '' where there is no such process."""
    try:
        # The name in brackets may itself hold brackets and blanks.
        return Path(f"/proc/{pid}/stat").read_text("latin-1").rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return _by_ps(pid)


def _by_ps(pid: int) -> str:
    environment = {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C", "TZ": "UTC"}
    ran = command.run(["ps", "-o", "lstart=", "-p", str(pid)], "/", environment, 5.0)
    return ran.output.decode("ascii", "replace").strip()
