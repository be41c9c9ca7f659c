"""The real Gemini CLI, offline: a home of its own, and a scripted model at its base URL."""

from __future__ import annotations

import json
import os
from pathlib import Path

KEY = "GEMINI_API_KEY"
# A model by its name: otherwise another model is asked first which one to take.
_SETTINGS = {
    "security": {"auth": {"selectedType": "gemini-api-key"}},
    "general": {"maxAttempts": 1, "enableAutoUpdate": False},
    "privacy": {"usageStatisticsEnabled": False},
    "model": {"name": "gemini-2.5-pro"},
}


def gemini_path() -> Path:
    path = Path(os.environ["RALPH_TEST_CLIENTS"], "node_modules", ".bin", "gemini")
    assert path.is_file(), f"no client at {path}: run the tests by scripts/test.sh"
    return path


def environment(home: Path, url: str) -> dict[str, str]:
    folder = home / ".gemini"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "settings.json").write_text(json.dumps(_SETTINGS))
    return {"GOOGLE_GEMINI_BASE_URL": url, KEY: "a key that opens nothing"}
