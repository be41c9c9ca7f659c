"""Runs a loop's own checks, one after the other, all within one time limit."""

from __future__ import annotations

import os
import time
from collections import namedtuple

from . import check_script, command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple

    class Failure(NamedTuple):
        command: str
        why: str
        output: str
else:
    Failure = namedtuple("Failure", "command why output")

_SHOWN = 8000


def first_failure(root: str, commands: list[str], seconds: float) -> Failure | None:
    """None: all passed, seen by us."""
    deadline = time.monotonic() + seconds
    for text in commands:
        left = deadline - time.monotonic()
        if left <= 0:
            return Failure(text, _late(seconds), "")
        ran = run(root, text, left)
        if ran.code != 0:
            late = ran.code is None
            why = _late(seconds) if late else f"exit code {ran.code}"
            return Failure(text, why, _text(ran.output))
    return None


def run(root: str, text: str, seconds: float) -> command.Ran:
    # RALPH_ACTIVE=0: an agent that a check starts is in no loop of ours.
    environment = {**os.environ, "RALPH_ACTIVE": "0"}
    argv = ["/bin/sh", "-c", check_script.text(text)]
    return command.run_to_its_end(argv, root, environment, seconds)


def _late(seconds: float) -> str:
    return f"the checks did not end within {seconds:g} s"


def _text(output: bytes) -> str:
    """The end is where programs say what failed."""
    return output[-_SHOWN:].decode("utf-8", "replace").strip()
