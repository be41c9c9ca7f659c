"""A user that is not root: the tests' own where they run as one, else one that every Linux has."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT, ORDINARY = "root", "ordinary"
_USER = "daemon"


@contextmanager
def open_folder() -> Iterator[Path]:
    """Not below pytest's own folder, which is closed to other users."""
    made = Path(tempfile.mkdtemp(prefix="ralph-open-"))
    made.chmod(0o755)
    try:
        yield made
    finally:
        shutil.rmtree(made)


def runs_as(user: str, *owned: Path) -> list[str]:
    """What to put before a command line; these folders become the user's."""
    if user == ROOT or os.geteuid() != 0:
        return []
    subprocess.run(["chown", "-R", _USER, *owned], check=True)
    return [*_with_roots_programs(), "setpriv", f"--reuid={_USER}", f"--regid={_USER}"] + [
        "--clear-groups"
    ]


def _with_roots_programs() -> list[str]:
    """Root's home is closed to others: in this mount space the tests' Python is not."""
    home = os.path.expanduser("~root")
    words = ["bwrap", "--dev-bind", "/", "/", "--tmpfs", home, "--chmod", "0755", home]
    for path in sorted({sys.prefix, sys.base_prefix}):
        if path.startswith(f"{home}/"):
            words += ["--ro-bind", path, path]
            inner = [str(p) for p in Path(path).parents if str(p).startswith(f"{home}/")]
            words += [word for folder in inner for word in ("--chmod", "0755", folder)]
    return [*words, "--"]
