"""The way of a run: iterate until a stop condition holds."""

from __future__ import annotations

import time

from . import attempts, git, marker_file, prompt, scm, signals
from .agents import endings
from .core import review
from .goal import Goal, Plan
from .run_state import Run
from .stops import ERROR, EXHAUSTED, INTERRUPTED, LIMIT, WAITING, Stop


def run_to_end(run: Run, goal: Goal) -> Stop:
    while True:
        stop = signals.asked_to_stop(run) or _branch_left(run)
        stop = stop or _signalled(run, goal) or _limit_reached(run)
        if stop:
            return stop
        plan = goal.plan(run)
        if isinstance(plan, Stop):
            return plan
        if run.iteration >= run.max_iterations:
            why = f"{run.iteration} iterations used up"
            return Stop(EXHAUSTED, why, "start again, with a higher -n")
        run.iteration += 1
        stop = _iterate(run, goal, plan) or run.breaker.tripped()
        if stop:
            return stop
        if not _rest(run):
            return Stop(INTERRUPTED, "interrupted")


def _iterate(run: Run, goal: Goal, plan: Plan) -> Stop | None:
    run.journal.write("iteration", number=run.iteration, mode=plan.mode, story=plan.story)
    run.say(_title(run, plan))
    text = _prompt(run, goal, plan)
    try:
        turn, reached = attempts.until_done(run, goal, plan, text)
    finally:
        marker_file.remove(run)
    git.pin(run.root, f"{run.run_id}/{run.iteration}", git.head(run.root))
    stop = _stop_after(run, turn.ended)
    if stop:
        return stop
    results = run.check_all(goal.checks(run, plan, reached))
    if run.stop_asked():
        # A check that was cut short proves nothing, neither way.
        return Stop(INTERRUPTED, "interrupted")
    if all(result.passed for result in results):
        scm.run(run, may_commit=plan.mode != review.REVIEW)
    signalled = run.take_signal("DONE")
    claimed = goal.claims(run, turn.answer) or signalled
    stop = goal.settle(run, plan, claimed, results, reached)
    run.breaker.count(goal.progressed(run, plan, reached), goal.submits(plan, reached))
    return stop


def _signalled(run: Run, goal: Goal) -> Stop | None:
    return goal.done_signal(run) if run.take_signal("DONE") else None


def _limit_reached(run: Run) -> Stop | None:
    if run.seconds_left() <= 0:
        return Stop(LIMIT, "the time limit is reached", "start again with a longer --max-duration")
    left = run.dollars_left()
    if left is not None and left <= 0:
        return Stop(LIMIT, "the cost limit is reached", "start again with a higher --max-cost")
    return None


def _title(run: Run, plan: Plan) -> str:
    what = f": {plan.mode} {plan.story}" if plan.mode else ""
    return f"iteration {run.iteration} of {run.max_iterations}{what}"


def _prompt(run: Run, goal: Goal, plan: Plan) -> str:
    counted = run.settings.include_iteration_count_in_prompt
    about = goal.about(run, plan)
    remarks = [*goal.remarks(run, plan), *run.remarks]
    text = prompt.compose(goal.text(run, about), about, run.failures, remarks, counted)
    run.failures, run.remarks = [], []
    run.keep_prompt(text)
    return text


def _stop_after(run: Run, ended: endings.Ended) -> Stop | None:
    if run.stop_asked():
        return Stop(INTERRUPTED, "interrupted")
    if ended.kind in endings.FATAL:
        why = f"the agent cannot work: {ended.detail}"
        return Stop(ERROR, why, "put that right, then start again")
    if ended.kind == endings.WAIT:
        return Stop(WAITING, f"the agent {ended.detail}", "start again when that is done")
    if ended.kind == endings.BUDGET:
        return Stop(LIMIT, "the cost limit is reached", "start again with a higher --max-cost")
    if ended.kind in endings.RETRIED:
        return Stop(LIMIT, f"provider unavailable: {ended.detail}", "start again later")
    return signals.waits_for_person(run) or _branch_left(run)


def _branch_left(run: Run) -> Stop | None:
    if run.on_branch():
        return None
    here = git.branch(run.root) or "a detached HEAD"
    why = f"the branch is {here}, not {run.branch}"
    return Stop(WAITING, why, f"git switch {run.branch}, then start again")


def _rest(run: Run) -> bool:
    """The delay between iterations; False when asked to stop."""
    end = time.time() + run.settings.delay
    while time.time() < end and not run.stop_asked():
        time.sleep(max(0.0, min(0.2, end - time.time())))
    return not run.stop_asked()
