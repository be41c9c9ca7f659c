"""guard.allow of the settings: commands that a person has allowed, by their first words."""

from __future__ import annotations

from . import files, paths, strict_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_SIZE_LIMIT = 65536


class Allowed:
    """Read on the first denial only: most calls never need it."""

    def __init__(self, root: str, digests: dict[str, str]) -> None:
        self._root, self._digests = root, digests
        self._entries: list[list[str]] | None = None

    def has(self, words: list[str]) -> bool:
        """Word by word: `git push --force origin x` is no leave for what follows behind a `;`."""
        if self._entries is None:
            self._entries = [entry.split() for entry in _entries(self._root, self._digests)]
        return any(words[: len(entry)] == entry for entry in self._entries if entry)

    def has_text(self, text: str) -> bool:
        """A whole line, e.g. a pipeline, exactly as it stands in the settings."""
        return any(text.strip() == entry.strip() for entry in _entries(self._root, self._digests))


def _entries(root: str, digests: dict[str, str]) -> list[str]:
    """Of the last file that has any; a file that changed since the iteration began has no say."""
    from . import fingerprint

    found: list[str] = []
    for path in paths.SETTINGS:
        known = {path: digests[path]} if path in digests else {}
        document = {} if fingerprint.changed(root, known) else _document(root, path)
        guard = document.get("guard")
        entries = guard.get("allow") if isinstance(guard, dict) else None
        if isinstance(entries, list):
            found = [entry for entry in entries if isinstance(entry, str)]
    return found


def _document(root: str, path: str) -> dict[str, Any]:
    try:
        value = strict_json.parse(files.read_bytes(root, path, _SIZE_LIMIT))
    except (files.FileFault, strict_json.NotJson):
        return {}
    return value if isinstance(value, dict) else {}
