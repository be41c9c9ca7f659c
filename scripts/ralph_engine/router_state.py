"""What a router-managed audit has come to, and what its session is told to do next: pure."""

from __future__ import annotations

from typing import Any

from .core import check_script, clock, loop_words, session_limits
from .core.own_command import RALPH
from .core.verify_commands import Failure as FailedCheck

State = dict[str, Any]
SPAWN, DONE, STOP = "spawn", "done", "stop"
_MOST_OUTPUT = 2500


def begun(file: str, verify: list[str], chosen: State, now: float, why: str) -> State:
    return {
        "version": 1,
        "file": file,
        "verify": verify,
        "promise": chosen["promise"],
        "iteration": 0,
        "maxIterations": chosen["maxIterations"],
        "startedAt": clock.text(now),
        "lastRunAt": clock.text(now),
        "lastFindingsCount": None,
        "unchangedFindings": 0,
        "lastResult": why,
        "advice": "",
        "answer": None,
    }


def asked(state: State, signs: list[str], now: float) -> State:
    """The next round, handed out."""
    state = {**state, "iteration": state["iteration"] + 1, "lastRunAt": clock.text(now)}
    return _answered(state, SPAWN, state["lastResult"], _prompt(state, signs))


def counted(state: State, count: int | None, threshold: int, now: float) -> State:
    """After a round that left so many findings, or did not say."""
    if count is None:
        advice = "The round before did not say how many findings remain."
    else:
        advice = f"The round before: {loop_words.remaining(state, count)}"
    said = "no number was named" if count is None else f"{count} findings remain"
    return _judged(state, count, said, advice, threshold, now)


def refused(state: State, failed: FailedCheck, threshold: int, now: float) -> State:
    """After a round that found nothing more, and a check that did."""
    said = f"the check `{check_script.shown(failed.command)[:300]}` failed: {failed.why}"
    advice = f"The round before found nothing more, but {said}. Repair that first."
    if failed.output:
        advice += f"\nIts output:\n{loop_words.cut(failed.output, _MOST_OUTPUT)}"
    return _judged(state, None, said, advice, threshold, now)


def accepted(state: State, checks: int, now: float) -> State:
    proof = f"{checks} check{'s' * (checks != 1)} passed" if checks else "no checks configured"
    state = {**state, "lastFindingsCount": 0, "lastRunAt": clock.text(now)}
    return _answered(state, DONE, f"AUDIT_COMPLETE: no findings are left, {proof}")


def has_ended(state: State) -> bool:
    return bool(state["answer"]) and state["answer"]["action"] != SPAWN


def words(state: State) -> str:
    """One line for a person."""
    answer = state["answer"] or {"reason": state["lastResult"]}
    status, why = "ACTIVE", answer["reason"]
    if has_ended(state):
        status, _, why = why.partition(": ")
    return (
        f"ralph-router {status}: {state['file']}, since {state['startedAt']}, iteration "
        f"{state['iteration']} of {state['maxIterations']}, last decision at "
        f"{state['lastRunAt']} ({why}); next: {_following(state)}"
    )


def _following(state: State) -> str:
    if has_ended(state):
        return f"`{RALPH} router next --begin` begins a new one"
    if state["answer"]:
        return f"`{RALPH} router report` when its subagent has ended"
    return f"`{RALPH} router next`"


def _judged(
    state: State, count: int | None, said: str, advice: str, threshold: int, now: float
) -> State:
    state = session_limits.with_findings(state, count)
    state = {**state, "lastRunAt": clock.text(now), "lastResult": said, "advice": advice}
    stalled = session_limits.same_findings(state, threshold)
    if stalled:
        return _answered(state, STOP, f"STALLED: {stalled} ({said})")
    if state["iteration"] >= state["maxIterations"]:
        most = state["maxIterations"]
        return _answered(state, STOP, f"MAX_ITERATIONS_REACHED: {most} were allowed ({said})")
    return {**state, "answer": None}


def _answered(state: State, action: str, reason: str, prompt: str = "") -> State:
    iteration = state["iteration"]
    answer = {"action": action, "iteration": iteration, "prompt": prompt, "reason": reason}
    return {**state, "answer": answer}


def _prompt(state: State, signs: list[str]) -> str:
    """Short: what the round has to do stands in the file, which it reads as it is then."""
    lines = [
        f"You are round {state['iteration']} of at most {state['maxIterations']} of an audit; "
        f"no other round's context is yours. Read {state['file']} whole and do what it says.",
        *signs,
        state["advice"],
        *loop_words.rules({**state, "kind": "ralph-audit"}),
    ]
    return "\n".join(line for line in lines if line)
