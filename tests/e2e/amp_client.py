"""The real Amp CLI, offline: the scripted model stands for its server, too."""

from __future__ import annotations

import os
from pathlib import Path

KEY = "AMP_API_KEY"


def amp_path() -> Path:
    path = Path(os.environ["RALPH_TEST_CLIENTS"], "node_modules", ".bin", "amp")
    assert path.is_file(), f"no client at {path}: run the tests by scripts/test.sh"
    return path


def environment(url: str) -> dict[str, str]:
    return {"AMP_URL": url, "AMP_SKIP_UPDATE_CHECK": "1", KEY: "a key that opens nothing"}
