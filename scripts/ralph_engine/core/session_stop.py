"""May a turn of a same-session loop end? What the Stop hook answers, in the spec's order."""

from __future__ import annotations

import time
from collections import namedtuple

from . import (
    audit,
    audit_file,
    background,
    check_script,
    clock,
    loop_words,
    promise,
    session_limits,
    session_moves,
    session_state,
    session_turn,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, NamedTuple

    from .session_state import State
    from .session_turn import Turn

    class Answer(NamedTuple):
        """`reason` blocks the stop, `told` is one line for the person; both may be empty."""

        reason: str
        told: str

    class Refusal(NamedTuple):
        why: str
        words: str
        output: str
else:
    Answer = namedtuple("Answer", "reason told")
    Refusal = namedtuple("Refusal", "why words output")

_ALLOWED = Answer("", "")
_BACKGROUND = "work runs in the background"
_ELSEWHERE = "the loop was ended or held elsewhere while this stop was judged"
_GONE = (
    "the loop's state is gone, and with it the loop: `reset` took it, or a check removed .ralph, "
    "as `git clean -x` does without `-e .ralph`"
)


def answer(root: str, state: State, sent: dict[str, Any], environment: Mapping[str, str]) -> Answer:
    now = time.time()
    if state["status"] == session_state.PAUSED:
        return _allowed(root, state, "the loop is paused")
    known = session_turn.questions(state["queued"])
    state, turn = session_turn.look(state, sent)
    obeyed = _obeyed(root, state, now)
    if obeyed:
        return obeyed
    if background.running(sent) and not session_limits.time_over(state, now)[0]:
        return _waits(root, state, now)
    state = session_limits.counted(state, turn, _tree(root, turn))
    state, refusal = _claim(root, state, turn, now)
    if not session_state.still_runs(root, state):
        return _overtaken(root, state)
    # The checks' own time counts.
    state, now = session_turn.caught_up(state, sent), time.time()
    if refusal is None:
        return _ended(root, state, _accepted(root, state, turn), now)
    end = session_limits.reached(state, turn, now, environment)
    if end[0]:
        return _ended(root, state, end, now)
    asked = session_turn.questions(state["queued"]) > known
    return _obeyed(root, state, now) or _go_on(root, state, refusal, now, asked)


def _tree(root: str, turn: Turn) -> str:
    if turn.worked is not None:
        return ""
    from . import tree_digest

    return tree_digest.of(root)


def _obeyed(root: str, state: State, now: float) -> Answer | None:
    """What a person typed meanwhile, and waits to run; None where the loop is not its business."""
    asked = session_turn.waiting(state["queued"])
    if asked == "cancel-ralph":
        return _ended(root, state, (session_state.CANCELLED, "/cancel-ralph was queued"), now)
    if asked == "ralph-pause":
        return Answer("", session_moves.hold(root, state, now))
    if asked == "clear":
        # Its own hook ends the loop and says so on the new screen: a line said here is wiped away.
        session_state.write(root, state)
        return _allowed(root, state, "/clear was queued")
    return None


def _allowed(root: str, state: State, why: str) -> Answer:
    session_moves.log(root, state, "allowed", why)
    return _ALLOWED


def _waits(root: str, state: State, now: float) -> Answer:
    """Said once: a server left running never ends, and nothing else would be seen of the loop."""
    known = [decision["why"] for decision in state["decisions"][-1:]] == [_BACKGROUND]
    if not known:
        state = session_state.decided(state, now, "allowed", _BACKGROUND)
    session_state.write(root, state)
    session_moves.log(root, state, "allowed", _BACKGROUND)
    return _ALLOWED if known else Answer("", loop_words.WAITING)


def _overtaken(root: str, state: State) -> Answer:
    """Checks may run for 50 minutes: to write what was read before them brings an old loop back."""
    why = _GONE if session_state.is_gone(root, state) else _ELSEWHERE
    session_moves.log(root, state, "allowed", why)
    words = f"Ralph: {why}: the stop is allowed, and what its checks said does not count"
    return Answer("", words)


def _ended(root: str, state: State, end: tuple[str, str], now: float) -> Answer:
    status, why = end
    return Answer("", session_moves.end(root, state, status, why, now))


def _claim(root: str, state: State, turn: Turn, now: float) -> tuple[State, Refusal | None]:
    """None: the end is accepted. A killed hook left its note behind: it is told once."""
    cut, state = state["verifyingSince"], {**state, "verifyingSince": ""}
    refusal = unproven(state, turn)
    commands = [] if refusal else audit_file.checks(root, state)
    if commands:
        state, refusal = _checked(root, state, commands, now)
    if refusal and cut:
        words = f"{refusal.words} The checks begun at {cut} were cut off with their hook."
        refusal = refusal._replace(words=words)
    return state, refusal


def unproven(state: State, turn: Turn) -> Refusal | None:
    """Why the words alone do not end the loop; None where they might."""
    if state["kind"] == "ralph-audit":
        if not audit.is_done(turn.text, state["promise"]):
            return _no_audit_end(state, turn)
    else:
        said = promise.judge(turn.text, state["promise"])
        if said == promise.ABSENT:
            return Refusal("no promise", loop_words.missing(state), "")
        if said == promise.MENTIONED:
            return Refusal("promise only mentioned", loop_words.mentioned(state), "")
    if state["policy"] != "reject" or _has_worked(state) or _keeps_none(state, turn):
        return None
    return Refusal("promise without work", loop_words.no_work(state), "")


def _no_audit_end(state: State, turn: Turn) -> Refusal:
    if audit.claims_both(turn.text, state["promise"]):
        words = "You said both that nothing is left and that findings remain: that is not done."
        return Refusal("both signals", words, "")
    count = audit.findings(turn.text)
    if count is None:
        return Refusal("no signal", loop_words.missing(state), "")
    return Refusal(f"{count} findings remain", loop_words.remaining(state, count), "")


def _has_worked(state: State) -> bool:
    return bool(state["toolCalls"] >= state["minToolCalls"])


def _keeps_none(state: State, turn: Turn) -> bool:
    """At a second stop no transcript is late any more: this session keeps none."""
    return turn.worked is None and bool(state["iteration"] > 0)


def _checked(
    root: str, state: State, commands: list[str], now: float
) -> tuple[State, Refusal | None]:
    from . import tree_digest, verify_commands

    session_state.write(root, {**state, "verifyingSince": clock.text(now)})
    failure = verify_commands.first_failure(root, commands, state["verifyTimeout"])
    if failure is None:
        return {**state, "lastFailure": "", "sameFailures": 0}, None
    shown = check_script.shown(failure.command)
    words = (
        f"Your promise was refused: the check `{shown[:300]}` failed: {failure.why}. "
        "Repair that first."
    )
    output = f"Its output:\n{failure.output}" if failure.output else ""
    tree = tree_digest.of(root)
    state = session_limits.repeated(state, f"{failure.command}\0{failure.why}", tree)
    return state, Refusal(f"check failed: {shown[:100]}: {failure.why}", words, output)


def _accepted(root: str, state: State, turn: Turn) -> tuple[str, str]:
    audited = state["kind"] == "ralph-audit"
    done = "no findings are left" if audited else "the promise was made"
    commands = len(audit_file.checks(root, state))
    proof = f"{_times(commands, 'check')} passed" if commands else "no checks configured"
    why = f"{done}, {_times(state['toolCalls'], 'tool call')}, {proof}"
    if turn.worked is None:
        why += "; WARNING: there is no transcript, so tool calls could not be counted"
    elif not _has_worked(state) and state["policy"] == "warn":
        why += f"; WARNING: fewer than {state['minToolCalls']} tool calls were made"
    return session_state.AUDIT_COMPLETE if audited else session_state.PROMISE_ACCEPTED, why


def _go_on(root: str, state: State, refusal: Refusal, now: float, asked: bool) -> Answer:
    state = {**state, "iteration": state["iteration"] + 1}
    state = session_state.decided(state, now, "blocked", refusal.why)
    session_state.write(root, state)
    session_moves.log(root, state, "blocked", refusal.why)
    fresh = audit_file.refreshed(root, state)
    words = loop_words.continuation(root, fresh, refusal.words, refusal.output)
    return Answer(words, loop_words.status_line(state, now) if asked else "")


def _times(count: int, what: str) -> str:
    return f"{count} {what}{'s' * (count != 1)}"
