"""A temporary folder for a trial, removed with all that is in it."""

from __future__ import annotations

import os
import shutil
import tempfile

from .failure import Failure


def make(purpose: str) -> str:
    try:
        return tempfile.mkdtemp(prefix=f"ralph-{purpose}-")
    except OSError as error:
        raise Failure(
            f"no temporary folder can be made ({error.strerror})",
            "set TMPDIR to a folder that you can write",
        ) from error


def remove(folder: str) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    if os.path.lexists(folder):
        raise Failure(f"the temporary folder {folder} could not be removed; remove it yourself")
