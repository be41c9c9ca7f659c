"""What the host wrote in some folders since a synced copy of them was last in step."""

from __future__ import annotations

import gzip
import io
import os
import stat
import tarfile
import time
from collections.abc import Iterator
from typing import NamedTuple

_PAUSES = (2.0, *[1.0] * 8)
_Seen = dict[str, tuple[int, int, int]]


class Changes(NamedTuple):
    """Paths: files to write there, and names to remove."""

    written: list[str]
    gone: list[str]


class Synced:
    def __init__(self, folders: list[str]) -> None:
        self._folders = folders
        self._seen: _Seen | None = None

    def in_step(self) -> None:
        """From now on, what differs is the host's own doing."""
        self._seen = dict(_look(self._folders))

    def settle(self) -> None:
        """What was written inside comes out a moment later: until nothing comes any more."""
        self.in_step()
        for seconds in _PAUSES:
            before = self._seen
            time.sleep(seconds)
            self.in_step()
            if self._seen == before:
                return

    def changes(self) -> Changes:
        """None before it was ever in step: a copy that is just made has it all."""
        if self._seen is None:
            return Changes([], [])
        now = dict(_look(self._folders))
        written = [path for path, facts in now.items() if self._seen.get(path) != facts]
        return Changes(written, [path for path in self._seen if path not in now])


def packed(paths: list[str]) -> bytes:
    """As a packed tar file for /; a path that is gone meanwhile is left out."""
    made = io.BytesIO()
    with tarfile.TarFile(fileobj=made, mode="w") as archive:
        for path in paths:
            try:
                archive.add(path, recursive=False)
            except OSError:
                continue
    return gzip.compress(made.getvalue())


def _look(folders: list[str]) -> Iterator[tuple[str, tuple[int, int, int]]]:
    for top in folders:
        for folder, inner, names in os.walk(top):
            for name in (*names, *inner):
                path = os.path.join(folder, name)
                try:
                    facts = os.lstat(path)
                except OSError:
                    continue
                if not stat.S_ISDIR(facts.st_mode):
                    yield path, (facts.st_mtime_ns, facts.st_size, facts.st_ino)
