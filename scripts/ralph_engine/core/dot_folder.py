"""The project's .ralph folder, which git ignores but for the shared settings."""

from __future__ import annotations

from . import files, paths

_IGNORE = b"*\n!.gitignore\n!settings.json\n"


def ensure(root: str) -> None:
    if files.kind(root, paths.DOT_IGNORE) == "absent":
        files.replace_bytes(root, paths.DOT_IGNORE, _IGNORE)
