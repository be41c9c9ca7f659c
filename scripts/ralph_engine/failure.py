"""Errors that a person can act on: what, where, why, and the next step."""

from __future__ import annotations


class Failure(Exception):
    """Expected, told in one line with an optional hint; the exit code is 2."""

    def __init__(self, what: str, hint: str = "") -> None:
        super().__init__(what)
        self.hint = hint
