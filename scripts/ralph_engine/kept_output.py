"""The first and the last of a stream on the disk, in constant memory."""

from __future__ import annotations

from .core import files

_EACH = 8 * 1024 * 1024


class KeptOutput:
    def __init__(self, root: str, path: str) -> None:
        self._root, self._path = root, path
        self._written = 0
        self._tail = bytearray()
        self._dropped = 0

    def take(self, data: bytes) -> None:
        head = data[: max(0, _EACH - self._written)]
        if head:
            self._append(head)
            self._written += len(head)
        self._tail += data[len(head) :]
        surplus = len(self._tail) - _EACH
        if surplus > _EACH:
            # In large steps: moving eight megabytes for every line would cost more than the work.
            del self._tail[:surplus]
            self._dropped += surplus

    def close(self) -> None:
        surplus = max(0, len(self._tail) - _EACH)
        dropped = self._dropped + surplus
        if dropped:
            self._append(b"\n[... %d bytes left out ...]\n" % dropped)
        if self._tail:
            self._append(bytes(self._tail[surplus:]))

    def _append(self, data: bytes) -> None:
        try:
            files.append(self._root, self._path, data, 0o600)
        except files.FileFault:
            # A copy for people; the runner's truth lies elsewhere.
            pass
