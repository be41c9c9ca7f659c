"""Reads the final event of a Claude stream."""

from __future__ import annotations

from typing import Any

from . import loose
from .events import Result

_OF_MODELS = ("inputTokens", "outputTokens", "cacheReadInputTokens", "cacheCreationInputTokens")
_OF_MAIN_LOOP = (
    "input_tokens",
    "output_tokens",
    "cache_read_input_tokens",
    "cache_creation_input_tokens",
)


def read(event: dict[str, Any], model: str, before: Result | None) -> Result:
    """`before`: work in the background gives several final events. Cost and tokens are of
    the whole session in each of them, turns and duration are not.
    """
    models = loose.fields(event.get("modelUsage"))
    tokens = _tokens(event, models)
    milliseconds = loose.number(event.get("duration_ms"))
    seconds = None if milliseconds is None else milliseconds / 1000
    return Result(
        text=loose.text(event.get("result")),
        error=_error(event),
        cost_usd=loose.number(event.get("total_cost_usd")),
        input_tokens=tokens[0],
        output_tokens=tokens[1],
        cache_read_tokens=tokens[2],
        cache_write_tokens=tokens[3],
        turns=_sum(before and before.turns, loose.count(event.get("num_turns"))),
        duration=_sum(before and before.duration, seconds),
        context_window=_window(models, model),
    )


def _error(event: dict[str, Any]) -> str | None:
    """By is_error alone: the subtype of an API error is 'success'."""
    if not event.get("is_error"):
        return None
    errors = event.get("errors")
    told = [loose.text(error) for error in errors] if type(errors) is list else []
    subtype = loose.text(event.get("subtype"))
    return loose.text(event.get("result")) or "; ".join(filter(None, told)) or subtype or "unknown"


def _tokens(event: dict[str, Any], models: dict[str, Any]) -> list[int | None]:
    """Subagents are in the models' figures only."""
    if not models:
        usage = loose.fields(event.get("usage"))
        return [loose.count(usage.get(name)) for name in _OF_MAIN_LOOP]
    used = [loose.fields(model) for model in models.values()]
    return [sum(loose.count(model.get(name)) or 0 for model in used) for name in _OF_MODELS]


def _window(models: dict[str, Any], model: str) -> int | None:
    """That of the session's model; a helper's model may have another one."""
    only = next(iter(models.values())) if len(models) == 1 else None
    return loose.count(loose.fields(models.get(model, only)).get("contextWindow"))


def _sum(before: float | None, now: Any) -> Any:
    return now if before is None else before if now is None else before + now
