"""What the verbs and /cancel-ralph ask of a running loop: small files in its state folder."""

from __future__ import annotations

import os

from . import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

CANCEL, PAUSE = "requests/cancel", "requests/pause"
_TOLD = "requests/tell"
TELL_LIMIT = 65536


def state_name(root: str) -> str:
    """The state folder's name: readable, and the project's own."""
    from hashlib import sha256

    real = os.path.realpath(root)
    words = "".join(c if c.isascii() and c.isalnum() else " " for c in os.path.basename(real))
    slug = "-".join(words.split())[:40] or "project"
    return f"{slug}-{sha256(os.fsencode(real)).hexdigest()[:12]}"


def state_base(environment: Mapping[str, str]) -> str:
    """Where all state folders are; '' where neither HOME nor XDG_STATE_HOME says."""
    state = environment.get("XDG_STATE_HOME") or ""
    if not os.path.isabs(state):
        home = environment.get("HOME")
        state = os.path.join(home, ".local", "state") if home else ""
    return os.path.join(state, "ralph") if state else ""


def make(state: str, name: str, text: str = "") -> None:
    files.replace_bytes(state, name, text.encode("utf-8", "replace"), 0o600)


def stands(state: str, name: str) -> bool:
    return os.path.lexists(os.path.join(state, name))


def drop(state: str, name: str) -> None:
    if stands(state, name):
        files.remove(state, name)


def tell(state: str, text: str) -> None:
    """Read by the loop before its next prompt, in the order they were said."""
    import time

    make(state, f"{_TOLD}/{time.time_ns():020}", text)


def told(state: str) -> dict[str, str]:
    """All that was said and not heard yet, by the names to forget it under."""
    folder = os.path.join(state, _TOLD)
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    found = [f"{_TOLD}/{name}" for name in names if not name.startswith(".")]
    return {
        name: files.read_bytes(state, name, TELL_LIMIT).decode("utf-8", "replace") for name in found
    }


def forget_old(state: str) -> None:
    """At a start: what stands was meant for a loop that is gone."""
    for name in (CANCEL, PAUSE):
        drop(state, name)
