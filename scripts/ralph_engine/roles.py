"""Which agent works in an iteration: the writer, the reviewer, or a stand-in: pure."""

from __future__ import annotations

import os
from typing import NamedTuple

from .agents import choose
from .core import review
from .settings import Agent, Settings

WRITER, REVIEWER, STAND_IN = "agent", "review agent", "fallback agent"


class Chosen(NamedTuple):
    role: str
    agent: Agent
    model: str | None


def of(settings: Settings, mode: str, stands_in: bool) -> Chosen:
    """`stands_in`: the agent has met a limit that has not been reset yet."""
    reviewing = mode == review.REVIEW
    if reviewing and settings.review_agent:
        return Chosen(REVIEWER, settings.review_agent, settings.review_model or _shared(settings))
    if stands_in and settings.fallback:
        return Chosen(STAND_IN, settings.fallback, None)
    model = settings.review_model if reviewing and settings.review_model else settings.model
    return Chosen(WRITER, settings.agent, model)


def everyone(settings: Settings) -> list[Chosen]:
    """All that a run may start, with the role of each."""
    found = [of(settings, review.IMPLEMENT, False)]
    if settings.review_agent and not settings.skip_review:
        found.append(of(settings, review.REVIEW, False))
    return found + ([of(settings, review.IMPLEMENT, True)] if settings.fallback else [])


def cost_is_told(settings: Settings) -> bool:
    return any(choose(who.agent.command).REPORTS_COST for who in everyone(settings))


def silent_about_cost(settings: Settings, stood_in: bool) -> list[str]:
    """The programs whose share of the bill nobody knows; `stood_in`: the stand-in had to work."""
    workers = [who for who in everyone(settings) if stood_in or who.role != STAND_IN]
    programs = {who.agent.command for who in workers}
    return sorted(os.path.basename(p) for p in programs if not choose(p).REPORTS_COST)


def _shared(settings: Settings) -> str | None:
    """Another program would not know the model's name."""
    assert settings.review_agent is not None
    programs = {os.path.basename(a.command) for a in (settings.agent, settings.review_agent)}
    return settings.model if len(programs) == 1 else None
