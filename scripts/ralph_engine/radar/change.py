"""A file before and after, and what was found in the difference."""

from __future__ import annotations

from typing import NamedTuple

DELETED_TEST, NEW_SKIP, FEWER = "deleted test", "new skip", "fewer assertions"
NOT_COMPARED = "not compared"
EXPECTED, SCRIPT, CONFIGURATION, CI = "expected output", "check script", "configuration", "CI"


class Change(NamedTuple):
    """A text is None where the file is not there; `path` is its new name, if it has one."""

    old_path: str
    path: str
    before: str | None
    after: str | None


class Finding(NamedTuple):
    file: str
    kind: str
    what: str
