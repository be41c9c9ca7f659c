"""Any program that takes a prompt and prints an answer."""

from __future__ import annotations

from ..failure import Failure
from .plain import Parser, ended
from .request import LONGEST_ARGUMENT, Launch, Request, environment, on_stdin

__all__ = [
    "FLAGS",
    "HELP",
    "INSTALL",
    "KEYS",
    "NAME",
    "REPORTS_COST",
    "TESTED",
    "Parser",
    "ended",
    "launch",
    "plain_launch",
]

NAME = "command"
INSTALL = "install it, or name another one in the settings"
REPORTS_COST = False
TESTED: tuple[str, str] | None = None
HELP: tuple[str, ...] = ()
FLAGS: tuple[str, ...] = ()
KEYS: tuple[str, ...] = ()

PLACE = "{prompt}"


def launch(request: Request) -> Launch:
    return _launch(request, active=True)


def plain_launch(request: Request) -> Launch:
    return _launch(request, active=False)


def _launch(request: Request, active: bool) -> Launch:
    argv = request.argv
    added = environment(request, active)
    if not any(PLACE in word for word in argv):
        return Launch(argv, on_stdin(request.prompt), added)
    prompt = _as_argument(request.prompt)
    return Launch([word.replace(PLACE, prompt) for word in argv], b"", added)


def _as_argument(prompt: str) -> str:
    size = len(on_stdin(prompt))
    if size > LONGEST_ARGUMENT:
        raise Failure(
            f"the prompt is {size} bytes long, too long for the argument {PLACE}"
            f" (at most {LONGEST_ARGUMENT})",
            f"take {PLACE} out of the agent command: the prompt then comes on stdin",
        )
    if "\0" in prompt:
        raise Failure(
            f"the prompt holds a NUL character, which the argument {PLACE} cannot carry",
            "take it out of the prompt",
        )
    return on_stdin(prompt).decode("utf-8")
