"""Changed files that few stories are about: the reviewer is told of them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from . import commit_files, reviewer_lines
from .commit_files import Difference
from .harmless import one_line
from .run_state import Run

# Whose it is, under which terms, and how git and editors treat it.
_FILE = re.compile(
    r"(?i:licen[cs]e|copying|copyright|notice|patents|authors|maintainers)"
    r"(?:[-.][A-Z0-9][A-Z0-9.-]*)?(?i:\.(?:md|txt|rst|adoc|html?))?"
    # .gitignore is not among them: what no commit should hold is to be written there.
    r"|\.mailmap|\.gitattributes|\.gitmodules|\.editorconfig"
    r"|(?:\.github/|\.gitlab/|docs/)?CODEOWNERS"
)
_FOLDER = re.compile(r"(?:\.vscode|\.idea|\.devcontainer|LICENSES)/")
_MOST_TOLD = 10
_ASKED = "One that the story does not ask for is a reason to request changes."


def remarks(run: Run, base: str, head: str) -> list[str]:
    found = of(commit_files.differences(run.root, base, head) or [])
    looked = f"The runner looked at the files that {base[:12]}..{head[:12]} changes."
    return reviewer_lines.of(f"{looked} Few stories are about these:", found, _MOST_TOLD, _ASKED)


def of(changes: Iterable[Difference]) -> list[str]:
    """At the top of the project, or of the repository around it."""
    return sorted(line for line in map(_told, changes) if line)


def _told(change: Difference) -> str:
    old, new = change.old_path, change.path
    if old != new and _is_beside(old):
        return f"{one_line(old)}: moved to {one_line(new)}"
    if not _is_beside(new):
        return ""
    if old != new or not change.old:
        return f"{one_line(new)}: new"
    return f"{one_line(new)}: {'changed' if change.new else 'no file any more'}"


def _is_beside(path: str) -> bool:
    inside = re.sub(r"^(?:\.\./)+", "", path)
    return bool(_FILE.fullmatch(inside) or _FOLDER.match(inside))
