"""The report of a run in the project's own folder, for people: Markdown and HTML."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from . import journal
from .core import files, paths
from .reports import markdown, page, web
from .reports.facts import Facts, gather
from .run_state import Run

# It tells of the whole run: for ever longer ones memory and time would grow with it.
MOST_KEPT_UP = 400


class Written(NamedTuple):
    markdown: str
    html: str


def facts_of(folder: Path) -> Facts:
    """`folder` is that of the run among the runner's own."""
    found = journal.steps(folder)
    return gather(folder.name, found.events, found.torn)


def compose(facts: Facts) -> Written:
    made = page.compose(facts)
    return Written(markdown.render(made), web.render(made))


def names(run_id: str) -> Written:
    folder = f"{paths.DOT_FOLDER}/runs/{run_id}"
    return Written(f"{folder}/report.md", f"{folder}/report.html")


def write(root: str, run_id: str, made: Written) -> None:
    for name, text in zip(names(run_id), made):
        files.replace_bytes(root, name, text.encode("utf-8"))


def keep(run: Run) -> bool:
    """After each of the first iterations and at the end; False where it could not be written."""
    try:
        write(run.root, run.run_id, compose(facts_of(run.state / "runs" / run.run_id)))
    except Exception as error:
        # A report is for people: whatever is wrong with it, the run goes on.
        run.say(f"the report could not be written: {error}")
        return False
    return True
