"""Who works in which iteration, with which model."""

from __future__ import annotations

from typing import Any

import pytest
from ralph_engine import roles, settings
from ralph_engine.settings import Agent, Entry, Settings


def chosen(**given: Any) -> Settings:
    flags = {key.replace("_", "."): Entry(value, "test") for key, value in given.items()}
    return settings.settled(settings.merged([], flags))


def who(found: roles.Chosen) -> tuple[str, str, str | None]:
    return found.role, found.agent.command, found.model


BOTH = {"reviewAgent_command": "codex", "agent_fallback_command": "other"}
WRITER, REVIEWER, STAND_IN = "agent", "review agent", "fallback agent"


@pytest.mark.parametrize(
    ("given", "mode", "stands_in", "expected"),
    [
        ({}, "implement", False, (WRITER, "claude", None)),
        ({}, "", False, (WRITER, "claude", None)),
        ({"model": "m"}, "review", False, (WRITER, "claude", "m")),
        ({"model": "m", "reviewModel": "r"}, "review", False, (WRITER, "claude", "r")),
        ({"model": "m", "reviewModel": "r"}, "review-fix", False, (WRITER, "claude", "m")),
        (BOTH, "review", False, (REVIEWER, "codex", None)),
        ({**BOTH, "model": "m"}, "review", False, (REVIEWER, "codex", None)),
        ({**BOTH, "reviewModel": "r"}, "review", False, (REVIEWER, "codex", "r")),
        ({"reviewAgent_command": "/x/claude", "model": "m"}, "review", False,
         (REVIEWER, "/x/claude", "m")),
        (BOTH, "review-fix", False, (WRITER, "claude", None)),
        ({**BOTH, "model": "m"}, "implement", True, (STAND_IN, "other", None)),
        (BOTH, "review", True, (REVIEWER, "codex", None)),
        ({"agent_fallback_command": "other"}, "review", True, (STAND_IN, "other", None)),
        ({"model": "m"}, "implement", True, (WRITER, "claude", "m")),
    ],
)  # fmt: skip
def test_who_works(
    given: dict[str, Any], mode: str, stands_in: bool, expected: tuple[str, str, str | None]
) -> None:
    assert who(roles.of(chosen(**given), mode, stands_in)) == expected


def test_everyone() -> None:
    assert [who(found) for found in roles.everyone(chosen(**BOTH))] == [
        (WRITER, "claude", None),
        (REVIEWER, "codex", None),
        (STAND_IN, "other", None),
    ]
    alone = roles.everyone(chosen(reviewAgent_command="codex", skipReview=True))
    assert [found.agent for found in alone] == [Agent("claude", ())]


def test_whose_cost_nobody_knows() -> None:
    both = chosen(**BOTH)
    assert roles.silent_about_cost(both, stood_in=False) == ["codex"]
    assert roles.silent_about_cost(both, stood_in=True) == ["codex", "other"]
    assert roles.silent_about_cost(chosen(), stood_in=True) == []
    assert roles.silent_about_cost(chosen(agent_command="/x/y z"), stood_in=False) == ["y"]
