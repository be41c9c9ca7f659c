"""New files that seem to belong in no commit: told to the reviewer and to people."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from . import commit_files, reviewer_lines
from .harmless import one_line
from .run_state import Run

RULE = "junk-committed"
_LARGE = 512 * 1024
_MOST_TOLD, _LONGEST = 10, 160
# What programs fetch or make for themselves.
_FOLDER = re.compile(
    r"node_modules|bower_components|__pycache__|site-packages|\.?venv|\.tox|\.nox|\.\w+_cache"
    r"|\.hypothesis|\.gradle|\.terraform|\.next|\.nuxt|\.nyc_output|htmlcov|DerivedData"
)
_FILE = re.compile(
    r"\.DS_Store|Thumbs\.db|\.coverage|core\.\d{3,}|.*~|.*\.(?:py[co]|class|o|sw[op]|tmp|orig|rej|log)",
    re.DOTALL,
)
# Large by nature, or what a test is given.
_LOCK = re.compile(r".*(?:-lock\.(?:json|yaml)|\.lock|\.sum)", re.DOTALL)
GIVEN = frozenset(("fixtures", "testdata", "test-data", "__fixtures__"))
_ASKED = (
    "One that the work does not need is a reason to request changes: out of git, into .gitignore."
)


def record(run: Run, old: str) -> None:
    """Once an iteration: what it committed."""
    found = _between(run, old, "HEAD") if old else []
    if found:
        more = f", and {len(found) - 1} more" if len(found) > 1 else ""
        text = f"Committed, and seems to belong in no commit: {found[0]}{more}."
        run.journal.write("notice", rule=RULE, story="", text=text)


def remarks(run: Run, base: str, head: str) -> list[str]:
    """For the reviewer, over all that he judges."""
    found = _between(run, base, head)
    seen = (
        f"The runner looked at the files that {base[:12]}..{head[:12]} adds."
        " These seem to belong in no commit:"
    )
    return reviewer_lines.of(seen, found, _MOST_TOLD, _ASKED)


def of(added: Iterable[tuple[str, int]]) -> list[str]:
    """By path and size; a folder of junk is one line."""
    folders: Counter[str] = Counter()
    single = []
    for path, size in added:
        *parents, name = path.split("/")
        folder = _made(parents)
        if not GIVEN.isdisjoint(parents):
            continue
        if folder:
            folders[folder] += 1
        elif _FILE.fullmatch(name):
            single.append(f"{_shown(path)}: what a program leaves behind")
        elif size >= _LARGE and not _LOCK.fullmatch(name):
            single.append(f"{_shown(path)}: {size} bytes")
    made = [f"{_shown(name)}: {n} files that a program makes" for name, n in folders.items()]
    return [*sorted(made), *sorted(single)]


def is_made(folder: str) -> bool:
    """By its name: its content is fetched or made by programs."""
    return _FOLDER.fullmatch(folder) is not None


def _made(parents: list[str]) -> str:
    """The outermost folder of junk, or ''."""
    for number, part in enumerate(parents, 1):
        if is_made(part):
            return "/".join(parents[:number]) + "/"
    return ""


def _between(run: Run, old: str, new: str) -> list[str]:
    found = [] if old == new else commit_files.differences(run.root, old, new) or []
    added = [(d.path, d.new) for d in found if d.new and not d.old]
    sizes = commit_files.sizes(run.root, [blob for _, blob in added])
    return of((path, sizes.get(blob, 0)) for path, blob in added)


def _shown(path: str) -> str:
    return one_line(path if len(path) <= _LONGEST else f"...{path[-_LONGEST:]}")
