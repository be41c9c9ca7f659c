"""The names that both kinds of goal have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from .agent_turn import Turn
from .checks import Check, Result
from .outcome import Outcome
from .prompt import Iteration
from .run_state import Run
from .settings import Settings
from .stops import Stop


class Plan(Protocol):
    @property
    def mode(self) -> str: ...
    @property
    def story(self) -> str: ...
    @property
    def head(self) -> str: ...
    @property
    def marker(self) -> dict[str, Any]: ...


class Goal(Protocol):
    Plan: Callable[..., Any]
    KIND: str
    DEFAULT_ITERATIONS: int
    DEFAULT_BREAKER: int

    def plan(self, run: Run) -> Any: ...
    def about(self, run: Run, plan: Any) -> Iteration: ...
    def before_work(self, run: Run, plan: Any) -> Stop | None: ...
    def remarks(self, run: Run, plan: Any) -> list[str]: ...
    def text(self, run: Run, about: Iteration) -> str: ...
    def judge(self, run: Run, plan: Any, turn: Turn) -> Outcome: ...
    def checks(self, run: Run, plan: Any, reached: Outcome) -> list[Check]: ...
    def claims(self, run: Run, answer: str) -> bool: ...
    def settle(
        self, run: Run, plan: Any, claimed: bool, results: list[Result], reached: Outcome
    ) -> Stop | None: ...
    def done_signal(self, run: Run) -> Stop | None: ...
    def progressed(self, run: Run, plan: Any, reached: Outcome) -> bool: ...
    def submits(self, plan: Any, reached: Outcome) -> bool | None: ...


def take_settings(run: Run, chosen: Settings, goal: Goal) -> None:
    """At the start and after a pause; what the breaker counted stays counted."""
    run.settings = chosen
    run.show_as(chosen)
    run.max_iterations = chosen.maximum_iterations or goal.DEFAULT_ITERATIONS
    limit = goal.DEFAULT_BREAKER if chosen.breaker is None else chosen.breaker
    run.breaker = run.breaker.limited_to(limit)
