"""A short word for the state of a path, so that 'still the same' is a comparison."""

from __future__ import annotations

import os
from hashlib import sha256

from . import files

ABSENT = "absent"
ANY = "any"


def of(root: str, relative: str) -> str:
    """absent, link:..., sha256:... or the kind of thing it is."""
    kind = files.kind(root, relative)
    if kind == "link":
        return "link:" + _link_hex(root, relative)
    if kind != "file":
        return kind
    try:
        return "sha256:" + _file_hex(root, relative)
    except (files.FileFault, OSError):
        return "unreadable"


def changed(root: str, before: dict[str, str]) -> list[str]:
    """Those of the paths that are no longer as they were."""
    return [path for path, word in before.items() if word not in (ANY, of(root, path))]


def _file_hex(root: str, relative: str) -> str:
    total = sha256()
    for block in files.blocks(root, relative):
        total.update(block)
    return total.hexdigest()


def _link_hex(root: str, relative: str) -> str:
    return sha256(os.fsencode(os.readlink(os.path.join(root, relative)))).hexdigest()
