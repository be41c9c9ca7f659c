"""The way of a run: iterate until a stop condition holds."""

from __future__ import annotations

from . import (
    attempts,
    blockers,
    checkpoint,
    git,
    marker_file,
    pauses,
    prompt,
    report_files,
    run_record,
    runner_signs,
    scm,
    signals,
    standing,
    waiting,
)
from .agents import endings
from .core import requests, review
from .core.counted import counted
from .core.own_command import RALPH
from .goal import Goal, Plan
from .outcome import Outcome
from .run_state import Run
from .stops import ERROR, EXHAUSTED, LIMIT, WAITING, Stop


def run_to_end(run: Run, goal: Goal) -> Stop:
    stop = _finish_left_open(run, goal)
    while not stop:
        pauses.hold(run, goal)
        stop = signals.asked_to_stop(run) or _branch_left(run)
        stop = stop or _signalled(run, goal) or limit_reached(run)
        if stop:
            break
        plan = goal.plan(run)
        if isinstance(plan, Stop):
            return plan
        if run.iteration >= run.max_iterations:
            why = f"{counted(run.iteration, 'iteration')} used up"
            return Stop(EXHAUSTED, why, f"{RALPH} resume with a higher -n")
        if run.held_back:
            stop = waiting.for_provider(run, plan.mode)
            # Much may have changed meanwhile: all is looked at again.
            continue
        stop = goal.before_work(run, plan)
        if stop:
            break
        run.iteration += 1
        stop, heard = _iterate(run, goal, plan)
        stop = stop or run.breaker.tripped()
        _record(run, stop)
        run.iteration -= not heard
        if not stop and not waiting.rest(run):
            stop = signals.asked_to_stop(run)
    runner_signs.after_stop(run, stop)
    return stop


def _finish_left_open(run: Run, goal: Goal) -> Stop | None:
    """A run that goes on settles first what its last iteration reached."""
    if run.to_finish is None:
        return None
    plan, reached = run.to_finish
    run.to_finish = None
    stop = _settle(run, goal, plan, "", reached) or run.breaker.tripped()
    _record(run, stop)
    return stop


def _iterate(run: Run, goal: Goal, plan: Plan) -> tuple[Stop | None, bool]:
    """Whether to stop, and whether any model heard it: a wait uses no iteration up."""
    about = {"mode": plan.mode, "story": plan.story, "title": standing.title(run, plan.story)}
    run.journal.write("iteration", number=run.iteration, **about, **standing.of(run))
    _hear(run, plan)
    text = _prompt(run, goal, plan)
    try:
        turn, reached = attempts.until_done(run, goal, plan, text)
    finally:
        marker_file.remove(run)
    git.pin(run.root, f"{run.run_id}/{run.iteration}", git.head(run.root))
    stop = _stop_after(run, turn.ended)
    heard = reached.counts or turn.ended.kind not in endings.RETRIED
    if stop or not heard:
        return stop, heard
    return _settle(run, goal, plan, turn.answer, reached), True


def _record(run: Run, stop: Stop | None) -> None:
    """For the report; at the end of the run it is written with the end in it."""
    blockers.record(run)
    run_record.iteration_ended(run)
    if not stop and run.iteration <= report_files.MOST_KEPT_UP:
        report_files.keep(run)


def _settle(run: Run, goal: Goal, plan: Plan, answer: str, reached: Outcome) -> Stop | None:
    results = run.check_all(goal.checks(run, plan, reached))
    if run.stop_asked():
        # A check that was cut short proves nothing, neither way.
        return signals.asked_to_stop(run)
    runner_signs.after_checks(run, results)
    if all(result.passed for result in results):
        scm.run(run, may_commit=plan.mode != review.REVIEW)
    signalled = run.take_signal("DONE")
    claimed = goal.claims(run, answer) or signalled
    if claimed:
        run.journal.write("claimed", number=run.iteration, signal=signalled)
    stop = goal.settle(run, plan, claimed, results, reached)
    run.breaker.count(goal.progressed(run, plan, reached), goal.submits(plan, reached))
    checkpoint.save(run)
    return stop


def _signalled(run: Run, goal: Goal) -> Stop | None:
    return goal.done_signal(run) if run.take_signal("DONE") else None


def limit_reached(run: Run) -> Stop | None:
    if run.seconds_left() <= 0:
        hint = f"{RALPH} resume with a longer --max-duration"
        return Stop(LIMIT, "the time limit is reached", hint)
    left = run.dollars_left()
    if left is not None and left <= 0:
        return Stop(LIMIT, "the cost limit is reached", f"{RALPH} resume with a higher --max-cost")
    return None


def _prompt(run: Run, goal: Goal, plan: Plan) -> str:
    counted = run.settings.include_iteration_count_in_prompt
    about = goal.about(run, plan)
    remarks = [*goal.remarks(run, plan), *run.remarks]
    text = prompt.compose(goal.text(run, about), about, run.failures, remarks, counted)
    run.keep_prompt(text)
    return text


def _hear(run: Run, plan: Plan) -> None:
    """What a person said since the last prompt: kept by us before it is forgotten there."""
    told = requests.told(str(run.state))
    for text in told.values():
        run.journal.write("told", text=text)
        run.remarks.append(f"A person tells you: {text}")
    if told:
        checkpoint.save(run, plan)
    for name in told:
        requests.drop(str(run.state), name)


def _stop_after(run: Run, ended: endings.Ended) -> Stop | None:
    if run.stop_asked():
        return signals.asked_to_stop(run)
    left = _branch_left(run)
    if left or run.pause_asked() and ended.kind in endings.RETRIED:
        return left
    if ended.kind in endings.FATAL:
        why = f"the agent cannot work: {ended.detail}"
        return Stop(ERROR, why, f"put that right, then {RALPH} resume")
    if ended.kind == endings.WAIT:
        return Stop(WAITING, f"the agent {ended.detail}", f"{RALPH} resume when that is done")
    if ended.kind == endings.BUDGET:
        return Stop(LIMIT, "the cost limit is reached", f"{RALPH} resume with a higher --max-cost")
    if ended.kind in endings.RETRIED:
        return Stop(LIMIT, f"provider unavailable: {ended.detail}", f"{RALPH} resume later")
    return signals.waits_for_person(run)


def _branch_left(run: Run) -> Stop | None:
    if run.on_branch():
        return None
    here = git.branch(run.root) or "a detached HEAD"
    why = f"the branch is {here}, not {run.branch}"
    return Stop(WAITING, why, f"git switch {run.branch}, then {RALPH} resume")
