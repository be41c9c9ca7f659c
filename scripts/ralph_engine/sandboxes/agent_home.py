"""The agents' own sign-ins, the one thing of a person's home that they need."""

from __future__ import annotations

import os

from .backend import Place

# Only what holds a token. The rest of these folders names programs (hooks, MCP servers, plugins)
# which the person's next session would run: it is not there inside.
_TOKENS = {
    "claude": (("CLAUDE_CONFIG_DIR", ".claude"), (".credentials.json",)),
    "codex": (("CODEX_HOME", ".codex"), ("auth.json",)),
    "gemini": (("", ".gemini"), ("oauth_creds.json", "google_accounts.json")),
    "qwen": (("", ".qwen"), ("oauth_creds.json",)),
    "opencode": (("", ".local/share/opencode"), ("auth.json",)),
    "copilot": (("COPILOT_HOME", ".copilot"), ("config.json",)),
    "amp": (("", ".local/share/amp"), ("secrets.json",)),
}


def mounts(place: Place) -> list[str]:
    return [word for name in place.agent_names for word in _of(name, place)]


def _of(agent: str, place: Place) -> list[str]:
    """Writable, because a token that is renewed replaces the old one for good."""
    if agent not in _TOKENS:
        return []
    (variable, usual), names = _TOKENS[agent]
    home = place.environment.get("HOME") or "/"
    folder = place.environment.get(variable) or os.path.join(home, usual)
    words = ["--tmpfs", folder] if os.path.isabs(folder) and os.path.isdir(folder) else []
    for name in names:
        path = os.path.join(folder, name)
        words += ["--bind", path, path] if words and os.path.isfile(path) else []
    return words
