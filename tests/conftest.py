"""How many tests run at a time."""

from __future__ import annotations

import os

import pytest


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """One more than there are cores: most tests wait for processes that they started."""
    return (os.cpu_count() or 1) + 1
