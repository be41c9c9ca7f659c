"""The attempts of one iteration: each judged at once, repeated only where nothing was achieved."""

from __future__ import annotations

import uuid

from . import agent_turn, checkpoint, fallback, marker_file, waiting, waits
from .agent_turn import Turn
from .agents import endings
from .agents.endings import Ended
from .goal import Goal, Plan
from .outcome import Outcome
from .roles import Chosen
from .run_state import Run
from .waits import Wait


def until_done(run: Run, goal: Goal, plan: Plan, text: str) -> tuple[Turn, Outcome]:
    waited: list[Wait] = []
    tries = 0
    while True:
        tries += 1
        who = fallback.choose(run, plan.mode)
        turn, reached = _attempt(run, goal, plan, who, text)
        if not run.on_branch() or run.stop_asked():
            return turn, reached
        if reached.counts and turn.ended.kind in endings.RETRIED:
            return _done_for_now(run, who, turn), reached
        if fallback.takes_over(run, who, turn.ended):
            run.journal.write("retry", number=tries, why=turn.ended.detail)
            continue
        wait = _before_next(run, turn.ended, waited)
        if isinstance(wait, Ended):
            return turn._replace(ended=wait), reached
        waited.append(wait)
        _leave_open(run)
        if not waiting.sit_out(run, wait) or not run.on_branch():
            return _held_back(run, who, turn), reached
        run.journal.write("retry", number=tries, why=turn.ended.detail)


def _attempt(run: Run, goal: Goal, plan: Plan, who: Chosen, text: str) -> tuple[Turn, Outcome]:
    """The agent at work, and its work judged; what no model heard is told again."""
    told = len(run.remarks)
    checkpoint.save(run, plan)
    session = str(uuid.uuid4())
    marker_file.write(run, plan.marker, goal.KIND, session)
    turn = agent_turn.take(run, who, text, session)
    if turn.ended.kind not in endings.RETRIED:
        del run.remarks[:told]
    reached = goal.judge(run, plan, turn)
    if run.on_branch():
        checkpoint.save(run, plan, reached)
    return turn, reached


def _done_for_now(run: Run, who: Chosen, turn: Turn) -> Turn:
    """Its work was done: not repeated, but the provider's limit still stands."""
    return _held_back(run, who, turn)._replace(ended=Ended(endings.OK, "its work was done"))


def _held_back(run: Run, who: Chosen, turn: Turn) -> Turn:
    if turn.ended.kind != endings.EMPTY:
        run.held_back = who, turn.ended
    return turn


def _leave_open(run: Run) -> None:
    """Whoever goes on after a kill in the wait has this iteration still to come."""
    run.iteration -= 1
    checkpoint.save(run)
    run.iteration += 1


def _before_next(run: Run, ended: Ended, waited: list[Wait]) -> waits.Decision:
    dollars = run.dollars_left()
    if ended.kind in endings.RETRIED and dollars is not None and dollars <= 0:
        return Ended(endings.BUDGET, "the cost limit is reached")
    return waits.after(ended, waited, waiting.bounds(run))
