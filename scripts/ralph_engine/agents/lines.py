"""Cuts a stream of bytes into lines, in constant memory."""

from __future__ import annotations

from typing import NamedTuple

CAP = 4 * 1024 * 1024


class Line(NamedTuple):
    """Without its end; `cut`: bytes beyond the cap were dropped."""

    data: bytes
    cut: bool


class Splitter:
    def __init__(self, cap: int = CAP) -> None:
        self._cap = cap
        self._kept = bytearray()

    def feed(self, chunk: bytes) -> list[Line]:
        first, *rest = chunk.split(b"\n")
        self._keep(first)
        if not rest:
            return []
        done = [self._take(), *(self._line(piece) for piece in rest[:-1])]
        self._keep(rest[-1])
        return done

    def close(self) -> list[Line]:
        """The last line, where the stream did not end with a line's end."""
        return [self._take()] if self._kept else []

    def _keep(self, piece: bytes) -> None:
        # Two bytes beyond the cap tell a carriage return at the end from more of the line.
        self._kept += piece[: self._cap + 2 - len(self._kept)]

    def _take(self) -> Line:
        line = self._line(bytes(self._kept))
        self._kept.clear()
        return line

    def _line(self, data: bytes) -> Line:
        if data.endswith(b"\r"):
            data = data[:-1]
        return Line(data[: self._cap], True) if len(data) > self._cap else Line(data, False)
