"""`tell`: a word to the agent, put into the next prompt of the loop."""

from __future__ import annotations

import argparse

from . import run_options, running_loop
from .core import requests
from .core.own_command import RALPH
from .failure import Failure


def add_arguments(parser: argparse.ArgumentParser) -> None:
    run_options.add_project_argument(parser)
    parser.add_argument("text", metavar="TEXT", help="what the next iteration is told")


def main(options: argparse.Namespace) -> int:
    text = options.text.strip()
    if not text:
        raise Failure("the text is blank", f'{RALPH} tell "use the staging database"')
    if len(text.encode("utf-8", "replace")) > requests.TELL_LIMIT:
        raise Failure(
            f"the text is longer than {requests.TELL_LIMIT} bytes",
            "put it into a file of the project and tell its name",
        )
    loop = running_loop.find(run_options.project_folder(options.project_dir))
    requests.tell(str(loop.state), text)
    print("the next iteration is told")
    return 0
