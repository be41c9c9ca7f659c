"""How a same-session loop ends, is held and goes on: written, logged, told in one line."""

from __future__ import annotations

from . import clock, hook_log, loop_words, session_state

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .session_state import State

_ASKED = "a person asked"


def end(root: str, state: State, status: str, why: str, now: float) -> str:
    ended = session_state.decided({**state, "status": status}, now, status, why)
    problem = session_state.end(root, ended)
    log(root, ended, status, why)
    where = f"; its state is kept in .ralph/sessions, as {problem}" if problem else ""
    return loop_words.ending(ended, now, why) + where


def hold(root: str, state: State, now: float) -> str:
    """What checks that run just then say does not count: none are told of."""
    held = {**state, "status": session_state.PAUSED, "pausedAt": clock.text(now), "queued": []}
    held = session_state.decided({**held, "verifyingSince": ""}, now, session_state.PAUSED, _ASKED)
    session_state.write(root, held)
    log(root, held, session_state.PAUSED, _ASKED)
    return loop_words.status_line(held, now)


def go_on(root: str, state: State, now: float) -> str:
    """The time of a pause does not count."""
    since = clock.seconds(state["pausedAt"])
    held = state["pausedSeconds"] + int(max(0.0, now - since) if since else 0)
    going = {**state, "status": session_state.ACTIVE, "pausedAt": "", "pausedSeconds": held}
    session_state.write(root, session_state.decided(going, now, "resumed", _ASKED))
    log(root, going, "resumed", _ASKED)
    return (
        f"Ralph: the loop goes on at iteration {state['iteration']} of {state['maxIterations']} "
        "with your next message, for example: continue"
    )


def log(root: str, state: State, decision: str, why: str) -> None:
    known = {"session": state["session"], "kind": state["kind"], "iteration": state["iteration"]}
    hook_log.record(root, "session-loop", decision=decision, why=why, **known)
