"""What the runner asks of an agent, and what it has to start for it."""

from __future__ import annotations

from typing import NamedTuple

from ..failure import Failure

# Linux takes 128 KiB for one argument, and the prompt may not be all of it.
LONGEST_ARGUMENT = 100_000


class Request(NamedTuple):
    """`command` is a program and `flags` are its arguments: words, nothing to be split."""

    command: str
    prompt: str
    run_id: str
    session_id: str
    plugin_dir: str
    flags: tuple[str, ...] = ()
    model: str | None = None
    budget_usd: float | None = None

    @property
    def argv(self) -> list[str]:
        return [self.command, *self.flags]


class Launch(NamedTuple):
    """`environment` is what to add to the runner's own."""

    argv: list[str]
    stdin: bytes
    environment: dict[str, str]


def environment(request: Request, active: bool) -> dict[str, str]:
    return {
        "RALPH_ACTIVE": "1" if active else "0",
        "RALPH_RUN_ID": request.run_id,
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_EDITOR": "true",
        "PAGER": "cat",
    }


def on_stdin(prompt: str) -> bytes:
    return prompt.encode("utf-8", "replace")


def one_model(request: Request, given: set[str]) -> list[str]:
    """`given`: the person's own flags; two models would be a clash."""
    if request.model and given & {"-m", "--model"}:
        raise Failure(
            f"the agent's flags name a model, and so do the settings or --model ({request.model})",
            "take one of them out",
        )
    return ["-m", request.model] if request.model else []
