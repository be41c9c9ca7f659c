"""Lines out of any chunks of bytes."""

from __future__ import annotations

import tracemalloc

import pytest
from ralph_engine.agents.lines import CAP, Line, Splitter


def split(*chunks: bytes, cap: int = 10) -> list[Line]:
    splitter = Splitter(cap)
    return [line for chunk in chunks for line in splitter.feed(chunk)] + splitter.close()


def whole(*lines: bytes) -> list[Line]:
    return [Line(line, False) for line in lines]


@pytest.mark.parametrize(
    ("chunks", "lines"),
    [
        ([b""], []),
        ([b"a\nb\n"], [b"a", b"b"]),
        ([b"a\nb"], [b"a", b"b"]),
        ([b"a", b"\n", b"b"], [b"a", b"b"]),
        ([b"\n\n"], [b"", b""]),
        ([b"a\r\nb\r\n"], [b"a", b"b"]),
        ([b"a\r", b"\nb"], [b"a", b"b"]),
        ([b"a\rb\n"], [b"a\rb"]),
        ([b"a\0b\n\0"], [b"a\0b", b"\0"]),
        ([b"\xc3", b"\xa9\n\xff"], [b"\xc3\xa9", b"\xff"]),
        ([b"\xe2\x80\xa8\x0b\x85\n"], [b"\xe2\x80\xa8\x0b\x85"]),
    ],
)
def test_lines(chunks: list[bytes], lines: list[bytes]) -> None:
    assert split(*chunks) == whole(*lines)


def test_a_line_at_the_cap_is_whole_and_one_byte_more_is_cut() -> None:
    assert split(b"0123456789\nx") == whole(b"0123456789", b"x")
    assert split(b"0123456789\r\nx") == whole(b"0123456789", b"x")
    assert split(b"0123456789+\nx") == [Line(b"0123456789", True), Line(b"x", False)]
    assert split(b"0123456789\r+\n") == [Line(b"0123456789", True)]
    assert split(b"0123456789", b"+", b"+") == [Line(b"0123456789", True)]


def test_64_mib_without_a_newline_take_constant_memory() -> None:
    splitter, chunk = Splitter(), b"x" * 65536
    tracemalloc.start()
    for _ in range(1024):
        assert splitter.feed(chunk) == []
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    (line,) = splitter.feed(b"\n")
    assert (len(line.data), line.cut) == (CAP, True)
    assert peak < 3 * CAP
    assert splitter.feed(b"next\n") == whole(b"next")
    assert splitter.close() == []
