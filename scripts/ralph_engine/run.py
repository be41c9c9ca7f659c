"""`run`: a fresh agent per iteration until the goal is verifiably complete."""

from __future__ import annotations

import argparse

from . import run_options, start

add_arguments = run_options.add_arguments


def main(given: argparse.Namespace) -> int:
    return start.run(run_options.options(given), run_options.overrides(given), resuming=False)
