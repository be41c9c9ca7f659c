"""A run that was killed or stopped goes on: its orphans are ended, its open iteration is judged.

By the run's own copies, as it would have done itself.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from . import checkpoint, descendants, git, journal, person_edits
from .agent_turn import Turn, charge
from .agents.endings import SIGNAL, Ended
from .failure import Failure
from .goal import Goal
from .outcome import Outcome
from .past_run import PastRun
from .run_state import Run

_KILLED = Turn(Ended(SIGNAL, "its runner was killed"), "", None)


def take_up(run: Run, goal: Goal, past: PastRun) -> None:
    checkpoint.restore(run, past.known)
    run.journal.write("taken-up", number=run.iteration)
    end_orphans(run.run_id)
    stage, plan, reached = past.known["open"] or ("", [], [])
    if stage == checkpoint.WORKING:
        _judge(run, goal, goal.Plan(*plan))
    elif past.standing:
        person_edits.take(run, past.known["standing"])
    else:
        run.put_back_frozen()
    if stage == checkpoint.JUDGED:
        _leave_to_finish(run, goal.Plan(*plan), Outcome(*reached))


def end_orphans(run_id: str) -> None:
    """Whoever calls holds the folder's lock: the run is not alive."""
    left = descendants.end_marked(f"RALPH_RUN_ID={run_id}")
    if left:
        raise Failure(
            f"processes of run {run_id} are still there: {', '.join(map(str, left))}",
            "end them, then start again",
        )


def end_newest_orphans(state: Path) -> None:
    """Where no checkpoint names the last run, or none that can be used."""
    newest = journal.newest(state)
    if newest:
        end_orphans(newest.name)


def _judge(run: Run, goal: Goal, plan: Any) -> None:
    if not run.on_branch():
        raise Failure(
            f"the last iteration of run {run.run_id} waits to be judged on {run.branch}",
            f"git switch {run.branch}, then start again",
        )
    run.say(f"run {run.run_id} was cut off: iteration {run.iteration} is judged first")
    ended = _KILLED.ended._asdict()
    run.journal.write("agent-ended", **ended, cost=None, **charge(run, None))
    reached = goal.judge(run, plan, _KILLED)
    git.pin(run.root, f"{run.run_id}/{run.iteration}", git.head(run.root))
    checkpoint.save(run, plan, reached)
    _leave_to_finish(run, plan, reached)


def _leave_to_finish(run: Run, plan: Any, reached: Outcome) -> None:
    """An iteration that reached nothing has nothing to check."""
    if reached.counts:
        run.to_finish = (plan, reached)
