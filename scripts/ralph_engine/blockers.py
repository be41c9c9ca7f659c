"""Lines of progress.txt by which an agent says what stands in its way."""

from __future__ import annotations

import re

from .core import files
from .run_state import Run

MARK = "Blocker:"
_LIMIT = 16 * 1024 * 1024
_LONGEST = 300
_LINE = re.compile(rf"^[ \t>*_#-]*{MARK}[ \t*_]*(\S.*)$", re.MULTILINE | re.IGNORECASE)


def named(text: str) -> list[str]:
    return [found.strip()[:_LONGEST] for found in _LINE.findall(text)]


def known(run: Run) -> list[str]:
    try:
        data = files.read_bytes(run.root, f"{run.ralph_dir}/progress.txt", _LIMIT)
    except files.FileFault:
        return []
    return named(data.decode("utf-8", "replace"))


def record(run: Run) -> None:
    """Those that this iteration added, for the report."""
    now = known(run)
    for text in dict.fromkeys(now):
        if text not in run.blockers:
            run.journal.write("blocker", text=text)
            run.say(f"the agent names a blocker: {text}")
    run.blockers = now
