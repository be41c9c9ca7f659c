"""`cancel`: asks the loop of this folder to end, and waits until it has."""

from __future__ import annotations

import argparse
import sys

from . import run_options, running_loop
from .core import requests
from .core.own_command import RALPH

add_arguments = run_options.add_project_argument
# Its agent gets INT, TERM and KILL in ten seconds; the rest is judging and cleaning up.
_SECONDS = 120.0


def main(options: argparse.Namespace) -> int:
    root = run_options.project_folder(options.project_dir)
    loop = running_loop.find(root)
    requests.make(str(loop.state), requests.CANCEL)
    print("asked the loop to end; its work is judged and saved first", file=sys.stderr)
    if not running_loop.wait_until(lambda: not running_loop.is_running(root), _SECONDS):
        print(f"it is still at it: {RALPH} status", file=sys.stderr)
        return 1
    requests.drop(str(loop.state), requests.CANCEL)
    print(f"cancelled; {RALPH} resume goes on")
    return 0
