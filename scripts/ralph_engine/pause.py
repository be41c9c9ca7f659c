"""`pause`: lets the loop stand after its iteration, and says when editing is safe."""

from __future__ import annotations

import argparse
import sys

from . import run_options, running_loop
from .core import requests
from .core.own_command import RALPH

add_arguments = run_options.add_project_argument


def main(options: argparse.Namespace) -> int:
    loop = running_loop.find(run_options.project_folder(options.project_dir))
    requests.make(str(loop.state), requests.PAUSE)
    print("asked the loop to pause; it finishes its iteration first", file=sys.stderr)
    try:
        running_loop.wait_until(
            lambda: running_loop.stands(loop) or not running_loop.is_running(loop.root)
        )
    except KeyboardInterrupt:
        print("no longer waiting; the loop still pauses after its iteration", file=sys.stderr)
        return 130
    if not running_loop.stands(loop):
        print(f"the loop ended before it paused: {RALPH} status", file=sys.stderr)
        return 1
    print(f"paused: nothing runs, editing is safe; {RALPH} resume goes on")
    return 0
