"""The key without which an agent would wait for a person who signs in."""

from __future__ import annotations

import os
from collections.abc import Mapping

from .agents import choose


def fault(program: str, environment: Mapping[str, str]) -> str:
    """'' where one is there, or where the agent says by itself that it has none."""
    keys = choose(program).KEYS
    if not keys or any(_is_there(key, environment) for key in keys):
        return ""
    variables = " or ".join(key for key in keys if not key.startswith("~"))
    return f"{program} has no key and would wait for a person; set {variables}, or sign in by hand"


def _is_there(key: str, environment: Mapping[str, str]) -> bool:
    """A variable, or a file in the home."""
    if not key.startswith("~"):
        return bool(environment.get(key, "").strip())
    return os.path.isfile(environment.get("HOME", "") + key[1:])
