"""`resume`: goes on with a paused loop, or with the last run, whatever ended it."""

from __future__ import annotations

import argparse
import os
import sys

from . import past_run, person_edits, run_options, running_loop, settings, start, state_folder
from .core import paths, requests
from .core.own_command import RALPH
from .failure import Failure
from .running_loop import Loop


def add_arguments(parser: argparse.ArgumentParser) -> None:
    run_options.add_arguments(parser, with_goal=False)


def main(given: argparse.Namespace) -> int:
    options, flags = run_options.options(given), run_options.overrides(given)
    root = options.project_dir
    if running_loop.is_running(root):
        return _lift_pause(running_loop.find(root), bool(flags) or options.any_switch)
    past = past_run.read(state_folder.of_project(root, os.environ))
    if past:
        running_loop.refuse_its_agent(past.run_id)
    return start.run(options, flags, resuming=True)


def _lift_pause(loop: Loop, has_options: bool) -> int:
    if not requests.stands(str(loop.state), requests.PAUSE):
        raise Failure("the loop runs and is not paused", f"{RALPH} status")
    if has_options:
        raise Failure(
            "the loop is paused: options count only at a start",
            f"put them into .ralph/settings.json, then {RALPH} resume",
        )
    _refuse_faults(loop)
    requests.drop(str(loop.state), requests.PAUSE)
    print("the loop goes on", file=sys.stderr)
    return 0


def _refuse_faults(loop: Loop) -> None:
    """While a person can still put it right."""
    settings.read(loop.root, os.environ, {})
    past = past_run.read(loop.state)
    if past and past.known["list"]:
        person_edits.readable(loop.root, paths.tasks(past.known["ralph_dir"]))
