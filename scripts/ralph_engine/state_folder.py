"""Where the runner keeps what no agent should reach: outside the project, for its owner only."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping
from pathlib import Path

from .failure import Failure


def of_project(root: str, environment: Mapping[str, str]) -> Path:
    real = os.path.realpath(root)
    slug = re.sub(r"[^A-Za-z0-9]+", "-", os.path.basename(real)).strip("-")[:40] or "project"
    short = hashlib.sha256(os.fsencode(real)).hexdigest()[:12]
    return base(environment) / f"{slug}-{short}"


def lock_path(root: str, environment: Mapping[str, str]) -> Path:
    """By device and inode: two paths to one folder are one loop."""
    status = os.stat(root)
    return base(environment) / "locks" / f"{status.st_dev:x}-{status.st_ino:x}.lock"


def base(environment: Mapping[str, str]) -> Path:
    state = environment.get("XDG_STATE_HOME") or ""
    if not os.path.isabs(state):
        home = environment.get("HOME")
        if not home:
            raise Failure("HOME is not set", "set HOME or XDG_STATE_HOME to a folder of yours")
        state = os.path.join(home, ".local", "state")
    return Path(state) / "ralph"


def make(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        folder.chmod(0o700)
    except OSError as error:
        raise Failure(
            f"state folder {folder} cannot be made ({error.strerror})",
            "free the path, or set XDG_STATE_HOME to a folder of yours",
        ) from error
    return folder
