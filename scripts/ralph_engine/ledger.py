"""The record of verdicts: append-only lines, each carrying the hash of the one before.

It outlives runs. Unconfined it is evidence against mistakes, not against an agent that
attacks its owner's home.
"""

from __future__ import annotations

import hashlib
import json
import time
from pathlib import Path
from typing import Any

from .core import files
from .failure import Failure

NAME = "ledger.jsonl"
_LIMIT = 256 * 1024 * 1024
_START = "0" * 64

Entry = dict[str, Any]


class Ledger:
    def __init__(self, folder: Path) -> None:
        self._folder = str(folder)
        data = _read(self._folder)
        self._known, self.torn = _whole_lines(data)
        self.entries, self._hash = _chain(self._known, folder / NAME)

    def mend(self) -> str:
        """Moves a last line that was cut off aside; the name it has there, or ''."""
        if not self.torn:
            return ""
        aside = f"{NAME}.torn-{int(time.time())}"
        files.replace_bytes(self._folder, aside, self.torn, 0o600)
        files.replace_bytes(self._folder, NAME, self._known, 0o600)
        self.torn = b""
        return aside

    def append(self, event: str, **details: Any) -> None:
        self._compare()
        entry = {"before": self._hash, "time": _now(), "event": event, **details}
        line = json.dumps(entry).encode("ascii") + b"\n"
        files.append(self._folder, NAME, line, 0o600, durable=True)
        self._known += line
        self._hash = hashlib.sha256(line).hexdigest()
        self.entries.append(entry)

    def _compare(self) -> None:
        if _is_now(self._folder, self._known):
            return
        copy = f"{NAME}.kept-{int(time.time())}"
        files.replace_bytes(self._folder, copy, self._known, 0o600)
        raise Failure(
            f"{self._folder}/{NAME} was changed by someone else during the run",
            f"the runner's own copy is beside it, {copy}: compare them and put the right one back",
        )


def _is_now(folder: str, known: bytes) -> bool:
    try:
        return _read(folder) == known
    except files.FileFault:
        return False


def _whole_lines(data: bytes) -> tuple[bytes, bytes]:
    end = data.rfind(b"\n") + 1
    return data[:end], data[end:]


def _read(folder: str) -> bytes:
    try:
        return files.read_bytes(folder, NAME, _LIMIT)
    except files.Missing:
        return b""


def _chain(data: bytes, path: Path) -> tuple[list[Entry], str]:
    entries, last = [], _START
    for number, line in enumerate(data.splitlines(keepends=True), 1):
        entry = _entry(line)
        if entry is None or entry.get("before") != last:
            raise Failure(
                f"{path}, line {number}, does not follow from the line before it",
                "someone changed the ledger: restore it, or move it away to start a new one",
            )
        entries.append(entry)
        last = hashlib.sha256(line).hexdigest()
    return entries, last


def _entry(line: bytes) -> Entry | None:
    try:
        value = json.loads(line)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
