"""The real Codex CLI, offline: a home of its own whose provider is a scripted model."""

from __future__ import annotations

import os
from pathlib import Path

KEY = "SCRIPTED_KEY"
_CONFIG = """model_provider = "scripted"
model = "gpt-5.5"

[model_providers.scripted]
name = "scripted"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "{key}"
request_max_retries = 1
stream_max_retries = 1
"""


def codex_path() -> Path:
    path = Path(os.environ["RALPH_TEST_CLIENTS"], "node_modules", ".bin", "codex")
    assert path.is_file(), f"no client at {path}: run the tests by scripts/test.sh"
    return path


def environment(folder: Path, url: str) -> dict[str, str]:
    """Its home may not lie below the temporary folder: then it has no helpers."""
    home, temporary = folder / "codex-home", folder / "codex-tmp"
    for made in (home, temporary):
        made.mkdir(parents=True, exist_ok=True)
    (home / "config.toml").write_text(_CONFIG.format(url=url, key=KEY))
    return {"CODEX_HOME": str(home), "TMPDIR": str(temporary), KEY: "a key that opens nothing"}
