"""Sourcegraph's Amp: how it is started, read and judged."""

from __future__ import annotations

from ..failure import Failure
from .amp_ending import ended
from .amp_stream import Parser
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

_ALL_ALLOWED = "--dangerously-allow-all"

NAME = "amp"
INSTALL = "npm install -g @sourcegraph/amp"
REPORTS_COST = False
TESTED: tuple[str, str] | None = ("0.0.1767830505", "0.0.1767830505")
HELP: tuple[str, ...] = ("--help",)
# Newer versions take --dangerously-allow-all, too, but their help does not name it.
FLAGS: tuple[str, ...] = ("-x", "--stream-json")
# Without one of these it waits for a person who signs in.
KEYS: tuple[str, ...] = ("AMP_API_KEY", "~/.local/share/amp/secrets.json")

_EXECUTE = ("-x", "--execute")
_OURS = ("--stream-json", _ALL_ALLOWED)


def launch(request: Request) -> Launch:
    return _launch(request, ["--stream-json"], active=True)


def plain_launch(request: Request) -> Launch:
    """Without --stream-json its standard output is the answer and nothing else."""
    return _launch(request, [], active=False)


def _launch(request: Request, streaming: list[str], active: bool) -> Launch:
    argv = [*_start(request), *streaming, _ALL_ALLOWED, "-x"]
    added = environment(request, active)
    if _fits_an_argument(request.prompt):
        return Launch([*argv, on_stdin(request.prompt).decode("utf-8")], b"", added)
    return Launch(argv, on_stdin(request.prompt), added)


def _start(request: Request) -> list[str]:
    """The person's flags come first; none may be there twice."""
    command, *flags = request.argv
    if any(word.split("=")[0] in _EXECUTE for word in flags):
        raise Failure(
            "the agent's flags hold -x, which Ralph needs to hand over its prompt",
            "take it out of agent.flags or --agent",
        )
    if request.model:
        raise Failure(
            f"amp takes no model, and the settings or --model name one ({request.model})",
            'take it out, or choose a mode by --agent "amp --mode NAME"',
        )
    return [command, *(word for word in flags if word not in _OURS)]


def _fits_an_argument(prompt: str) -> bool:
    """What begins like a flag would be read as one."""
    short = 0 < len(on_stdin(prompt)) <= LONGEST_ARGUMENT
    return short and "\0" not in prompt and not prompt.startswith("-")
