"""Rows at the bottom of a terminal: here a file that shows every byte written to it."""

from __future__ import annotations

import os
import pty
import threading

import pytest
from ralph_engine import pinned, terminal
from ralph_engine.pinned import Row

UP = "\x1b[A\x1b[2K"
TWO = [Row("first", 5), Row("second", 6)]
SHOWN = "\x1b[?7lfirst\r\nsecond\r\n\x1b[?7h"
GONE = "\r\x1b[2K" + UP * 2


class Bytes:
    """What was written to stderr since it was last asked."""

    fd = 2

    def __init__(self, captured: pytest.CaptureFixture[bytes]) -> None:
        self._captured = captured

    def new(self) -> str:
        return self._captured.readouterr().err.decode()


@pytest.fixture
def written(capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch) -> Bytes:
    monkeypatch.setattr(pinned, "_known", pinned._Known())
    return Bytes(capfdbinary)


def test_rows_are_taken_away_before_others_come(written: Bytes) -> None:
    pinned.put(written.fd, "above\r\n", TWO)
    assert written.new() == "above\r\n" + SHOWN
    pinned.put(written.fd, "more\r\n", [Row("x", 1)])
    assert written.new() == f"{GONE}more\r\n\x1b[?7lx\r\n\x1b[?7h"
    pinned.take_away()
    assert written.new() == "\r\x1b[2K" + UP
    pinned.take_away()
    assert written.new() == ""


def test_nothing_pinned_leaves_the_terminal_as_it_is(written: Bytes) -> None:
    pinned.put(written.fd, "above\r\n", ())
    pinned.interject("[ralph] signal")
    assert written.new() == "above\r\n[ralph] signal\n"


def test_a_handler_speaks_where_the_rows_were_and_nothing_is_pinned_after_it(
    written: Bytes,
) -> None:
    pinned.put(written.fd, "", TWO)
    written.new()
    pinned.interject("[ralph] signal")
    assert written.new() == f"{GONE}[ralph] signal\n"
    pinned.put(written.fd, "above\r\n", TWO)
    assert written.new() == "above\r\n"


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_handler_that_comes_during_a_write_speaks_after_it(
    written: Bytes, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    pinned.put(written.fd, "", [Row("old", 3)])
    written.new()
    write, spoken = os.write, []

    def interrupted(fd: int, data: bytes) -> int:
        speak = not spoken and not spoken.append(moment)  # type: ignore[func-returns-value]
        if speak and moment == "before":
            pinned.interject("[ralph] signal")
        count = write(fd, data)
        if speak and moment == "after":
            pinned.interject("[ralph] signal")
        return count

    monkeypatch.setattr(os, "write", interrupted)
    pinned.put(written.fd, "above\r\n", TWO)
    assert written.new() == f"\r\x1b[2K{UP}above\r\n{SHOWN}{GONE}[ralph] signal\n"


def test_what_another_program_wrote_over_is_history(written: Bytes) -> None:
    pinned.put(written.fd, "", TWO)
    pinned.forget()
    written.new()
    pinned.put(written.fd, "", TWO)
    assert written.new() == SHOWN


def test_rows_that_a_narrower_terminal_wrapped_are_all_taken_away(
    written: Bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [Row("-" * 79, 79), Row("", 0), Row("x" * 40, 40), Row("x" * 41, 41)]
    pinned.put(written.fd, "", rows)
    written.new()
    monkeypatch.setattr(terminal, "size", lambda fd: os.terminal_size((40, 24)))
    pinned.take_away()
    assert written.new() == "\r\x1b[2K" + UP * (2 + 1 + 1 + 2)


def test_a_terminal_that_is_gone_is_an_error() -> None:
    master, slave = pty.openpty()
    os.close(master)
    try:
        with pytest.raises(OSError):
            pinned.put(slave, "above\r\n", ())
    finally:
        os.close(slave)


def test_a_terminal_that_takes_nothing_does_not_hold_us_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pinned, "_PATIENCE", 0.01)
    read, write = os.pipe()
    os.set_blocking(write, False)
    putting = threading.Thread(target=pinned.put, args=(write, "x" * 1_000_000, ()), daemon=True)
    putting.start()
    try:
        putting.join(30)
        assert not putting.is_alive()
        assert os.read(read, 10) == b"x" * 10
    finally:
        os.close(read)
        os.close(write)


def test_a_terminal_without_a_size_has_the_usual_one() -> None:
    master, slave = pty.openpty()
    try:
        assert terminal.size(slave) == (80, 24)
        assert terminal.size(-1) == (80, 24)
    finally:
        os.close(master)
        os.close(slave)
