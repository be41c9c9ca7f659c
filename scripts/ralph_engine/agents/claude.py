"""Claude Code: how it is started, read and judged."""

from __future__ import annotations

import json

from ..failure import Failure
from .claude_ending import ended
from .claude_stream import Parser
from .request import Launch, Request, environment, on_stdin

__all__ = ["NAME", "REPORTS_COST", "Parser", "ended", "launch", "plain_launch"]

NAME = "claude"
REPORTS_COST = True

# The client overrides a Stop hook that blocks more often in a row than its cap (8 by itself),
# without a word. Ours gives up by itself after 6.
_LIMITS = {"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": "16", "CLAUDE_CODE_MAX_RETRIES": "4"}
# On the command line it beats what project and user settings say, also about the environment.
_SETTINGS = {"disableAllHooks": False, "env": _LIMITS}


def launch(request: Request) -> Launch:
    argv = [
        *_start(request),
        *("--output-format", "stream-json", "--verbose"),
        *("--plugin-dir", request.plugin_dir),
        *("--session-id", request.session_id),
        *("--settings", json.dumps(_SETTINGS)),
    ]
    added = {**environment(request, active=True), **_LIMITS}
    return Launch(argv, on_stdin(request.prompt), added)


def plain_launch(request: Request) -> Launch:
    argv = [*_start(request), "--output-format", "text"]
    added = {**environment(request, active=False), **_LIMITS}
    return Launch(argv, on_stdin(request.prompt), added)


def _start(request: Request) -> list[str]:
    """The person's flags come first: of two equal options the client takes the last."""
    argv = request.argv
    if any(word.split("=")[0] == "--settings" for word in argv):
        raise Failure(
            "the agent's flags hold --settings, which Ralph needs to keep its hooks on",
            "put those settings into .claude/settings.local.json",
        )
    argv += ["-p", "--dangerously-skip-permissions"]
    argv += ["--model", request.model] if request.model else []
    budget = request.budget_usd
    return argv + (["--max-budget-usd", f"{max(budget, 0.0001):.4f}"] if budget is not None else [])
