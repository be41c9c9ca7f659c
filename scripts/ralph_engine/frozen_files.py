"""The files that no agent may change during a run, and the runner's own copies of them."""

from __future__ import annotations

from base64 import b64decode, b64encode

from .core import files, fingerprint, paths

_LIMIT = 16 * 1024 * 1024


class FrozenFiles:
    def __init__(self, root: str, ralph_dir: str) -> None:
        self._root = root
        names = paths.frozen_files(ralph_dir)
        self.digests = {name: fingerprint.of(root, name) for name in names}
        self._copies = {name: _content(root, name) for name in names}

    def changed(self) -> list[str]:
        return fingerprint.changed(self._root, self.digests)

    def put_back(self, name: str) -> None:
        content = self._copies[name]
        if content is not None:
            files.restore_bytes(self._root, name, content)
        elif files.kind(self._root, name) != "absent":
            files.remove(self._root, name)

    def as_json(self) -> dict[str, list[str | None]]:
        return {name: [self.digests[name], _encoded(data)] for name, data in self._copies.items()}

    def take(self, saved: dict[str, list[str | None]]) -> None:
        for name, (digest, copy) in saved.items():
            self.digests[name] = str(digest)
            self._copies[name] = None if copy is None else b64decode(copy)


def _content(root: str, name: str) -> bytes | None:
    try:
        return files.read_bytes(root, name, _LIMIT)
    except files.FileFault:
        return None


def _encoded(data: bytes | None) -> str | None:
    return None if data is None else b64encode(data).decode("ascii")
