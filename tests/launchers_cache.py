"""The cache of the launchers that tests start, made by scripts/test.sh: not the user's own."""

from __future__ import annotations

import os
from pathlib import Path

PATH = str(Path(os.environ["RALPH_TEST_CLIENTS"]).parent / "launched")
