"""What a person types to start Ralph, from any folder."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

LINKED = "ralph"
MADE_BY_LINK = b"\n# Made by `ralph.sh link`"
_LAUNCHER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "ralph.sh")
_LIMIT = 65536


def typed(environment: Mapping[str, str]) -> str:
    """`ralph` where `link` put it on PATH, else the path of the launcher, quoted for a shell."""
    for folder in environment.get("PATH", "").split(os.pathsep):
        path = os.path.join(folder, LINKED)
        if folder and os.path.isfile(path) and os.access(path, os.X_OK):
            if _is_ours(path):
                return LINKED
            break
    import shlex

    return shlex.quote(os.path.normpath(_LAUNCHER))


def _is_ours(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            return MADE_BY_LINK in file.read(_LIMIT)
    except OSError:
        return False


RALPH = typed(os.environ)
