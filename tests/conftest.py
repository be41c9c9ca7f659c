"""How many tests run at a time, and which."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import covered
import pytest

# A `ralph` that `link` made would change what hints say, and not everywhere alike.
_FOLDERS = os.environ["PATH"].split(os.pathsep)
os.environ["PATH"] = os.pathsep.join(f for f in _FOLDERS if not Path(f, "ralph").exists())
# Begun in the background of a shell, it would be ignored by every program that a test starts.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    words = "leave out the suites that covered.py runs"
    parser.addoption("--unmeasured", action="store_true", help=words)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    chosen = config.getoption("--unmeasured") and collection_path in covered.measured()
    return True if chosen else None


# Mutants are tested without xdist.
@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """One more than there are cores: most tests wait for processes that they started."""
    return (os.cpu_count() or 1) + 1
