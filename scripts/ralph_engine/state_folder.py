"""Where the runner keeps what no agent should reach: outside the project, for its owner only."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from .core import requests
from .failure import Failure


def of_project(root: str, environment: Mapping[str, str]) -> Path:
    return base(environment) / requests.state_name(root)


def lock_path(root: str, environment: Mapping[str, str]) -> Path:
    """By device and inode: two paths to one folder are one loop."""
    status = os.stat(root)
    return base(environment) / "locks" / f"{status.st_dev:x}-{status.st_ino:x}.lock"


def base(environment: Mapping[str, str]) -> Path:
    folder = requests.state_base(environment)
    if not folder:
        raise Failure("HOME is not set", "set HOME or XDG_STATE_HOME to a folder of yours")
    return Path(folder)


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
