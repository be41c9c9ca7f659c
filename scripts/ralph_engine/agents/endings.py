"""How an agent's process came to its end, and what the loop does about each way."""

from __future__ import annotations

import signal
from typing import NamedTuple

OK = "ok"
EMPTY = "empty"
LIMIT = "limit"
OVERLOADED = "overloaded"
NETWORK = "network"
AUTH = "auth"
NOT_FOUND = "not_found"
MAX_TURNS = "max_turns"
BUDGET = "budget"
WAIT = "wait"
TIMEOUT = "timeout"
SIGNAL = "signal"
FAILED = "failed"

BACKED_OFF = frozenset({OVERLOADED, NETWORK})
RETRIED = BACKED_OFF | {EMPTY, LIMIT}
FATAL = frozenset({AUTH, NOT_FOUND})
COUNTED = frozenset({TIMEOUT, SIGNAL, MAX_TURNS, FAILED})
KINDS = RETRIED | FATAL | COUNTED | {OK, BUDGET, WAIT}

WAIT_CODE = 42

_BY_STATUS = {
    401: AUTH,
    402: AUTH,
    403: AUTH,
    404: NOT_FOUND,
    408: NETWORK,
    429: LIMIT,
}

_NOT_RUN = {126: "not executable", 127: "not found"}
_CAUSES = {TIMEOUT: "its time was over", SIGNAL: "the runner ended it"}


class Ended(NamedTuple):
    """`retry_after` is a point in time (seconds of the epoch), where the provider named one."""

    kind: str
    detail: str
    retry_after: float | None = None


def by_status(status: int) -> str:
    """What the provider's HTTP status stands for."""
    return _BY_STATUS.get(status, OVERLOADED if status >= 500 else FAILED)


def by_exit(exit_code: int | None, cause: str | None) -> Ended:
    """For an agent that told nothing itself. Code None: it could not be started."""
    if cause is not None:
        return Ended(cause, _CAUSES[cause])
    if exit_code is None:
        return Ended(NOT_FOUND, "could not be started")
    if exit_code == WAIT_CODE:
        return Ended(WAIT, "asks for a person (exit code 42)")
    if exit_code in _NOT_RUN:
        return Ended(NOT_FOUND, f"{_NOT_RUN[exit_code]} (exit code {exit_code})")
    number = _signal_number(exit_code)
    if number:
        return Ended(SIGNAL, f"ended by {_signal_name(number)}")
    return Ended(OK if exit_code == 0 else FAILED, f"exit code {exit_code}")


def without_final_event(exit_code: int | None, cause: str | None, last_words: str) -> Ended:
    """The stream broke off; `last_words` is what stood there instead of an event."""
    end = by_exit(exit_code, cause)
    if end.kind not in (OK, FAILED):
        return end
    words = f": {last_words}" if last_words else ""
    return Ended(FAILED, f"the stream ended without a final event ({end.detail}){words}")


def without_error(answer: str, exit_code: int | None, cause: str | None) -> Ended:
    """By its final event all is well; a person asked for by the exit code comes first."""
    end = by_exit(exit_code, cause)
    if end.kind == WAIT:
        return end
    if answer.strip():
        return Ended(OK, "")
    return Ended(EMPTY, "nothing was said") if end.kind == OK else end


def with_error(
    kind: str, detail: str, exit_code: int | None, cause: str | None, reset: float | None
) -> Ended:
    """By its final event it failed, in a way that its words tell."""
    if kind == LIMIT:
        return Ended(kind, detail, reset)
    end = by_exit(exit_code, cause)
    if kind == FAILED and end.kind not in (OK, FAILED):
        # Ended from outside, a client calls it an error of its own.
        return end
    return Ended(kind, detail)


def _signal_number(exit_code: int) -> int:
    """Programs that die by a signal, and those that caught it and say so as a shell would."""
    if exit_code < 0:
        return -exit_code
    return exit_code - 128 if 128 < exit_code <= 128 + 31 else 0


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
