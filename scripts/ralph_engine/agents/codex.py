"""OpenAI's Codex CLI: how it is started, read and judged."""

from __future__ import annotations

from .codex_ending import ended
from .codex_stream import Parser
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

_ALL_ALLOWED = "--dangerously-bypass-approvals-and-sandbox"
_EXEC = ("exec", "e")

NAME = "codex"
INSTALL = "npm install -g @openai/codex"
REPORTS_COST = False
TESTED: tuple[str, str] | None = ("0.169.0", "0.169.0")
HELP: tuple[str, ...] = ("exec", "--help")
FLAGS: tuple[str, ...] = ("--json", _ALL_ALLOWED, "--skip-git-repo-check", "-c", "-m")
KEYS: tuple[str, ...] = ()

# With one of these a person chose what the agent may do.
_CHOICES = {"-s", "--sandbox", "--approve-for-me", _ALL_ALLOWED}
_OURS = ("--json", "--skip-git-repo-check")


def launch(request: Request) -> Launch:
    # The list of things to do is off by itself.
    argv = [*_start(request), "--json", "-c", "tools.update_plan.enabled=true", "-"]
    return Launch(argv, on_stdin(request.prompt), environment(request, active=True))


def plain_launch(request: Request) -> Launch:
    """Without --json its standard output is the answer and nothing else."""
    return Launch(
        [*_start(request), "-"], on_stdin(request.prompt), environment(request, active=False)
    )


def _start(request: Request) -> list[str]:
    """The person's flags come first; none may be there twice."""
    command, *flags = request.argv
    if flags[:1] and flags[0] in _EXEC:
        flags = flags[1:]
    flags = [word for word in flags if word not in _OURS]
    given = {word.split("=")[0] for word in flags}
    argv = [command, "exec", *flags, "--skip-git-repo-check"]
    # By itself it may read only; its own sandbox for the workspace keeps it from committing.
    argv += [] if given & _CHOICES else [_ALL_ALLOWED]
    return argv + one_model(request, given)
