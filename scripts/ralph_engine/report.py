"""`report`: what a run came to, as Markdown and as one HTML file."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from . import journal, report_files, run_options, state_folder
from .core.own_command import RALPH
from .failure import Failure


def add_arguments(parser: argparse.ArgumentParser) -> None:
    run_options.add_project_argument(parser)
    parser.add_argument("--run", metavar="ID", help="a run of this folder (default: the last)")


def main(options: argparse.Namespace) -> int:
    root = run_options.project_folder(options.project_dir)
    folder = _folder(state_folder.of_project(root, os.environ), options.run)
    facts = report_files.facts_of(folder)
    if not facts.events:
        raise Failure(f"the journal of run {folder.name} holds no line that can be read")
    made = report_files.compose(facts)
    text = made.markdown
    if sys.stdout.isatty():
        text = text.partition("\n## Stories")[0]
    print(text.rstrip("\n"), flush=True)
    report_files.write(root, folder.name, made)
    for name in report_files.names(folder.name):
        print(f"written: {os.path.join(root, name)}", file=sys.stderr)
    return 0


def _folder(state: Path, wanted: str | None) -> Path:
    if wanted is None:
        found = journal.newest(state)
        if found is None:
            raise Failure("no loop has run here", f"{RALPH} run starts one")
        return found
    known = [folder.name for folder in journal.folders(state)]
    if wanted not in known:
        there = f"there are {', '.join(known[-5:])}" if known else "no loop has run here"
        raise Failure(f"no run {wanted} here", there)
    return state / "runs" / wanted
