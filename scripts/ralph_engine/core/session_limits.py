"""What ends a loop whose promise was not accepted: too many turns, too long, going in circles."""

from __future__ import annotations

from . import audit, loop_words, session_state

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from .session_state import State
    from .session_turn import Turn

# Claude Code lets the turn end without a word after 8 blocks with no tool call between them.
MOST_TURNS_WITHOUT_TOOLS = 5
# Without a transcript only a changed file shows work. That ends also a loop that only reads;
# the client's silent end would leave its state ACTIVE, and nobody would know.
MOST_TURNS_UNSEEN = 8
MOST_SAME_FAILURES = 5
THRESHOLD = "RALPH_CIRCUIT_BREAKER_THRESHOLD"


def counted(state: State, turn: Turn, tree: str) -> State:
    """The breakers' counts after this turn; `tree` matters where there is no transcript.

    One that was only late shows the calls of all turns since: then they count from 0.
    """
    before = state.get("lastTree", "")
    worked = bool(tree and before and tree != before) if turn.worked is None else turn.worked
    idle = 0 if worked else state["turnsWithoutTools"] + 1
    state = {**state, "turnsWithoutTools": idle, "lastTree": tree}
    if state["kind"] != "ralph-audit":
        return state
    return with_findings(state, audit.findings(turn.text))


def with_findings(state: State, count: int | None) -> State:
    """Of a round that named so many, or none at all."""
    if count is None or count == state["lastFindingsCount"]:
        return {**state, "unchangedFindings": state["unchangedFindings"] + 1}
    return {**state, "unchangedFindings": 1, "lastFindingsCount": count}


def repeated(state: State, failure: str, tree: str) -> State:
    """After a failed check; `tree` is '' where nobody can tell whether a file has changed."""
    from hashlib import sha256

    digest = sha256(f"{failure}\0{tree}".encode("utf-8", "surrogateescape")).hexdigest()
    same = state["sameFailures"] + 1 if tree and digest == state["lastFailure"] else 1
    return {**state, "lastFailure": digest, "sameFailures": same}


def reached(
    state: State, turn: Turn, now: float, environment: Mapping[str, str]
) -> tuple[str, str]:
    """The status and the reason of an end; '' to go on."""
    if state["iteration"] >= state["maxIterations"]:
        return session_state.MAX_ITERATIONS_REACHED, f"{state['maxIterations']} were allowed"
    late = time_over(state, now)
    if late[0]:
        return late
    why = _idle(state, turn) or _stalled(state, breaker_threshold(environment))
    return (session_state.STALLED, why) if why else ("", "")


def time_over(state: State, now: float) -> tuple[str, str]:
    most = state["maxDuration"]
    if most and loop_words.running_seconds(state, now) >= most:
        return session_state.TIME_LIMIT, f"{most} seconds were allowed"
    return "", ""


def breaker_threshold(environment: Mapping[str, str]) -> int:
    text = environment.get(THRESHOLD) or ""
    fits = text.isascii() and text.isdigit() and 0 < len(text) <= 6 and int(text) > 0
    # One turn alone is never the same as another.
    return max(2, int(text)) if fits else 3


def _idle(state: State, turn: Turn) -> str:
    turns = state["turnsWithoutTools"]
    if turn.worked is None and turns >= MOST_TURNS_UNSEEN:
        return (
            f"{turns} turns in a row without a changed file, "
            "and tool calls cannot be seen without a transcript"
        )
    if turn.worked is False and turns >= MOST_TURNS_WITHOUT_TOOLS:
        return f"{turns} turns in a row without a tool call"
    return ""


def _stalled(state: State, threshold: int) -> str:
    same = same_findings(state, threshold) if state["kind"] == "ralph-audit" else ""
    if same:
        return same
    if state["sameFailures"] >= MOST_SAME_FAILURES:
        return f"the same check failed {state['sameFailures']} times and no file changed"
    return ""


def same_findings(state: State, threshold: int) -> str:
    turns = state["unchangedFindings"]
    return f"the findings did not change for {turns} turns" if turns >= threshold else ""
