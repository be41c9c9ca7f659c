"""OpenAI's Codex CLI: how it is started, read and judged."""

from __future__ import annotations

from .codex_ending import ended
from .codex_stream import Parser
from .request import Launch, Request, environment, on_stdin

__all__ = ["NAME", "REPORTS_COST", "Parser", "ended", "launch", "plain_launch"]

NAME = "codex"
REPORTS_COST = False

_EXEC = ("exec", "e")
_ALL_ALLOWED = "--dangerously-bypass-approvals-and-sandbox"
# With one of these a person chose what the agent may do.
_CHOICES = ("-s", "--sandbox", "--approve-for-me", _ALL_ALLOWED)


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
    command, *flags = request.argv
    if flags[:1] and flags[0] in _EXEC:
        flags = flags[1:]
    argv = [command, "exec", *flags, "--skip-git-repo-check"]
    # By itself it may read only; its own sandbox for the workspace keeps it from committing.
    if not any(word.split("=")[0] in _CHOICES for word in flags):
        argv.append(_ALL_ALLOWED)
    return argv + (["-m", request.model] if request.model else [])
