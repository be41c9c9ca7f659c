"""Writes and removes .ralph-active, the loop's word to its hooks."""

from __future__ import annotations

import json
import os
import socket
import time
from typing import Any

from .core import files, paths
from .run_state import Run


def write(run: Run, fields: dict[str, Any], goal: str, session: str) -> None:
    marker = {
        "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "pid": os.getpid(),
        "max_iterations": run.max_iterations,
        "mode": run.confinement.mode,
        **fields,
        "runId": run.run_id,
        "sessionId": session,
        "iteration": run.iteration,
        "goal": goal,
        "ralphDir": run.ralph_dir,
        "baseline": run.baseline,
        "host": socket.gethostname(),
    }
    if run.context_window:
        marker["contextWindow"] = run.context_window
    data = json.dumps(marker).encode("ascii")
    files.restore_bytes(run.root, paths.MARKER, data)


def remove(run: Run) -> None:
    if files.kind(run.root, paths.MARKER) != "absent":
        files.remove(run.root, paths.MARKER)
