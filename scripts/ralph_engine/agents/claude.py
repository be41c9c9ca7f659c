"""Claude Code: how it is started, read and judged."""

from __future__ import annotations

import json
from typing import Any

from ..failure import Failure
from .claude_ending import ended
from .claude_stream import Parser
from .request import Launch, Request, environment, on_stdin

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

NAME = "claude"
INSTALL = "npm install -g @anthropic-ai/claude-code"
REPORTS_COST = True
TESTED: tuple[str, str] | None = ("2.1.197", "2.1.326")
HELP: tuple[str, ...] = ("--help",)
FLAGS: tuple[str, ...] = (
    *("-p", "--dangerously-skip-permissions", "--output-format", "--verbose", "--plugin-dir"),
    *("--session-id", "--settings", "--model", "--max-budget-usd"),
)
KEYS: tuple[str, ...] = ()

# The client overrides a Stop hook that blocks more often in a row than its cap (8 by itself),
# without a word. Ours gives up by itself after 6.
_LIMITS = {"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": "16", "CLAUDE_CODE_MAX_RETRIES": "4"}


def launch(request: Request) -> Launch:
    argv = [
        *_start(request),
        *("--output-format", "stream-json", "--verbose"),
        *("--plugin-dir", request.plugin_dir),
        *("--session-id", request.session_id),
        *("--settings", json.dumps(_settings(request))),
    ]
    added = {**environment(request, active=True), **_LIMITS}
    return Launch(argv, on_stdin(request.prompt), added)


def _settings(request: Request) -> dict[str, Any]:
    """On the command line they beat the project's and the user's, also about the environment."""
    bound = {"RALPH_ACTIVE": "1", "RALPH_RUN_ID": request.run_id}
    return {"disableAllHooks": False, "env": {**_LIMITS, **bound}}


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
