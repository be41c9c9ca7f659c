"""Google's Gemini CLI: how it is started, read and judged."""

from __future__ import annotations

from ..failure import Failure
from .gemini_ending import ended
from .gemini_stream import Parser
from .request import Launch, Request, environment, on_stdin, one_model

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

_FORMAT = ("-o", "--output-format")

NAME = "gemini"
INSTALL = "npm install -g @google/gemini-cli"
REPORTS_COST = False
TESTED: tuple[str, str] | None = ("0.61.0", "0.61.0")
HELP: tuple[str, ...] = ("--help",)
FLAGS: tuple[str, ...] = ("--yolo", "--skip-trust", "--output-format", "-m")
KEYS: tuple[str, ...] = ()

# With one of these a person chose what the agent may do.
_CHOICES = {"--approval-mode", "--yolo", "-y"}


def launch(request: Request) -> Launch:
    argv = [*_start(request), "--output-format", "stream-json"]
    return Launch(argv, on_stdin(request.prompt), environment(request, active=True))


def plain_launch(request: Request) -> Launch:
    argv = [*_start(request), "--output-format", "text"]
    return Launch(argv, on_stdin(request.prompt), environment(request, active=False))


def _start(request: Request) -> list[str]:
    """The person's flags come first; none may be there twice."""
    command, *flags = request.argv
    flags = [word for word in flags if word != "--skip-trust"]
    given = {word.split("=")[0] for word in flags}
    if given & set(_FORMAT):
        raise Failure(
            "the agent's flags hold --output-format, which Ralph sets itself",
            "take it out of agent.flags or --agent",
        )
    # In a folder that is not trusted it would ask before every tool.
    argv = [command, *flags, "--skip-trust", *([] if given & _CHOICES else ["--yolo"])]
    return argv + one_model(request, given)
