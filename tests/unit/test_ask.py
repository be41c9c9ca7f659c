"""Words to a person whose terminal may be gone."""

from __future__ import annotations

import os

import pytest
from ralph_engine import ask


def test_a_terminal_that_was_closed_is_no_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = os.openpty()
    os.close(ours)
    with os.fdopen(theirs, "w") as terminal:
        monkeypatch.setattr("sys.stderr", terminal)
        ask.say("Nothing was written.")
