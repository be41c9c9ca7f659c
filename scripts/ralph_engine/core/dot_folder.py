"""The project's .ralph folder, which git ignores but for what is shared with every clone."""

from __future__ import annotations

from . import files, paths

# The schema too: the task list, which is committed, names it.
_IGNORE = b"*\n!.gitignore\n!settings.json\n!tasks.schema.json\n"


def ensure(root: str) -> None:
    if files.kind(root, paths.DOT_IGNORE) == "absent":
        files.replace_bytes(root, paths.DOT_IGNORE, _IGNORE)
