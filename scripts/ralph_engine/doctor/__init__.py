"""`doctor`: what would keep a loop from working here, each with its fix."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable

from .. import run_options
from ..harmless import harmless
from . import examination
from .finding import OK, Finding


def add_arguments(parser: argparse.ArgumentParser) -> None:
    run_options.add_project_argument(parser)
    parser.add_argument("--json", action="store_true", help="one JSON list on stdout")


def main(options: argparse.Namespace) -> int:
    root = run_options.project_folder(options.project_dir)
    found = examination.of(root)
    done = list(found) if options.json else _told(found)
    troubles = sum(finding.grade != OK for finding in done)
    if options.json:
        print(json.dumps([finding._asdict() for finding in done], indent=2))
    else:
        print(f"{troubles or 'no'} thing{'' if troubles == 1 else 's'} to put right")
    return 1 if troubles else 0


def _told(found: Iterable[Finding]) -> list[Finding]:
    """Each as soon as it is known: some take seconds."""
    done = []
    for finding in found:
        done.append(finding)
        line = " ".join(f"{finding.grade:<5} {finding.topic}: {finding.text}".split("\n"))
        fix = f"\n      fix: {finding.fix}" if finding.fix else ""
        print(harmless(line + fix), flush=True)
    return done
