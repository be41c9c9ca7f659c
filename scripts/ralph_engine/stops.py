"""Why a loop ends: exit codes, status words and the sentence a person reads in the morning."""

from __future__ import annotations

from typing import NamedTuple

COMPLETE, EXHAUSTED, ERROR, STALLED, LIMIT, WAITING, INTERRUPTED = 0, 1, 2, 3, 4, 42, 130
STATUS = {
    COMPLETE: "complete",
    EXHAUSTED: "exhausted",
    ERROR: "error",
    STALLED: "stalled",
    LIMIT: "limit",
    WAITING: "stopped",
    INTERRUPTED: "interrupted",
}


class Stop(NamedTuple):
    code: int
    why: str
    hint: str = ""

    @property
    def status(self) -> str:
        return STATUS[self.code]

    @property
    def sentence(self) -> str:
        """What completed says so itself, with what it rests on."""
        return f"{self.status}: {self.why}" if self.code else self.why
