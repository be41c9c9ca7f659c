"""Starts the engine with so many SECONDS, given first, for a notify command."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

if __name__ == "__main__":
    seconds, engine = float(sys.argv[1]), sys.argv[2]
    sys.path.insert(0, str(Path(engine).parents[1]))
    from ralph_engine import notify

    notify.SECONDS = seconds
    sys.argv = sys.argv[2:]
    runpy.run_path(engine, run_name="__main__")
