"""May a turn of a same-session loop end? What the Stop hook answers, in the spec's order."""

from __future__ import annotations

import time
from collections import namedtuple

from . import (
    audit,
    audit_file,
    background,
    clock,
    files,
    hook_log,
    loop_words,
    paths,
    promise,
    session_state,
    transcript,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, NamedTuple

    from .session_state import State

    class Answer(NamedTuple):
        """`reason` blocks the stop, `told` is one line for the person; both may be empty."""

        reason: str
        told: str

    class Turn(NamedTuple):
        """What is known of the turn that wants to end; worked is None without a transcript."""

        text: str
        worked: bool | None

    class Refusal(NamedTuple):
        why: str
        words: str
        output: str
else:
    Answer = namedtuple("Answer", "reason told")
    Turn = namedtuple("Turn", "text worked")
    Refusal = namedtuple("Refusal", "why words output")

# Claude Code lets the turn end without a word after 8 blocks with no tool call between them.
MOST_TURNS_WITHOUT_TOOLS = 5
MOST_SAME_FAILURES = 5
_PATIENCE = 0.25
_GLANCE = 0.01
_ALLOWED = Answer("", "")


def answer(root: str, state: State, sent: dict[str, Any], environment: Mapping[str, str]) -> Answer:
    now = time.time()
    if state["status"] == session_state.PAUSED:
        return _ALLOWED
    state, turn = _look(state, sent)
    asked = waiting(state["queued"])
    if asked == "ralph-pause":
        return hold(root, state, now)
    if asked:
        return ending(root, state, session_state.CANCELLED, f"/{asked} was queued", now)
    if background.running(sent):
        session_state.write(root, state)
        _log(root, state, "allowed", "work runs in the background")
        return _ALLOWED
    state = counted(state, turn)
    state, refusal = _claim(root, state, turn, now)
    if refusal is None:
        return _accepted(root, state, turn, now)
    status, why = limit(state, now, breaker_threshold(environment))
    if status:
        return ending(root, state, status, why, now)
    return _go_on(root, state, refusal, now)


def counted(state: State, turn: Turn) -> State:
    """The breakers' counts after this turn."""
    idle = 0 if turn.worked is not False else state["turnsWithoutTools"] + 1
    state = {**state, "turnsWithoutTools": idle}
    if state["kind"] != "ralph-audit":
        return state
    count = audit.findings(turn.text)
    if count is None or count == state["lastFindingsCount"]:
        return {**state, "unchangedFindings": state["unchangedFindings"] + 1}
    return {**state, "unchangedFindings": 1, "lastFindingsCount": count}


def limit(state: State, now: float, threshold: int) -> tuple[str, str]:
    """The status and reason that end a loop whose promise was not accepted; '' to go on."""
    if state["iteration"] >= state["maxIterations"]:
        return session_state.MAX_ITERATIONS_REACHED, f"{state['maxIterations']} were allowed"
    most = state["maxDuration"]
    if most and loop_words.running_seconds(state, now) >= most:
        return session_state.TIME_LIMIT, f"{most} seconds were allowed"
    why = _stalled(state, threshold)
    return (session_state.STALLED, why) if why else ("", "")


def _stalled(state: State, threshold: int) -> str:
    # One turn alone is never the same as another.
    if state["kind"] == "ralph-audit" and state["unchangedFindings"] >= max(2, threshold):
        return f"the findings did not change for {state['unchangedFindings']} turns"
    if state["turnsWithoutTools"] >= MOST_TURNS_WITHOUT_TOOLS:
        return f"{state['turnsWithoutTools']} turns in a row without a tool call"
    if state["sameFailures"] >= MOST_SAME_FAILURES:
        return f"the same check failed {state['sameFailures']} times and no file changed"
    return ""


def breaker_threshold(environment: Mapping[str, str]) -> int:
    text = environment.get("RALPH_CIRCUIT_BREAKER_THRESHOLD") or ""
    fits = text.isascii() and text.isdigit() and 0 < len(text) <= 6 and int(text) > 0
    return int(text) if fits else 3


def _look(state: State, sent: dict[str, Any]) -> tuple[State, Turn]:
    """The transcript may lag: it is complete once it holds the message that ends the turn."""
    path, last = _text(sent.get("transcript_path")), _text(sent.get("last_assistant_message"))
    deadline = time.monotonic() + _PATIENCE
    news = transcript.since(path, state["offset"], state["queued"])
    while not settled(news, last) and time.monotonic() < deadline:
        time.sleep(_GLANCE)
        news = transcript.since(path, state["offset"], state["queued"])
    if news is None:
        return state, Turn(last, None)
    whole = "\n".join(news.last_texts or []) if settled(news, last) else last
    return advanced(state, news), Turn(whole, news.tool_calls > 0)


def settled(news: transcript.News | None, last: str) -> bool:
    """Not even the file is there when the first turn of a session ends at once."""
    if news is None or news.last_texts is None:
        return False
    return not last.strip() or [text.strip() for text in news.last_texts][-1:] == [last.strip()]


def advanced(state: State, news: transcript.News) -> State:
    calls = state["toolCalls"] + news.tool_calls
    return {**state, "offset": news.offset, "toolCalls": calls, "queued": news.queued}


def waiting(queued: list[str]) -> str:
    """The command among those that wait which ends or holds the loop."""
    names = {text.split()[0][1:].removeprefix("ralph:") for text in queued if text[:1] == "/"}
    return next((name for name in ("cancel-ralph", "clear", "ralph-pause") if name in names), "")


def _claim(root: str, state: State, turn: Turn, now: float) -> tuple[State, Refusal | None]:
    """None: the end is accepted."""
    refusal = unproven(state, turn)
    if refusal is not None:
        return _without_checks(state), refusal
    commands = audit_file.checks(root, state)
    if not commands:
        return state, None
    return _checked(root, state, commands, now)


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
    if state["policy"] != "reject" or _has_worked(state) or _never_seen(state, turn):
        return None
    words = loop_words.no_work(state, state["toolCalls"])
    return Refusal("promise without work", words, "")


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


def _never_seen(state: State, turn: Turn) -> bool:
    """At a second stop no transcript is late any more: this session keeps none."""
    return turn.worked is None and bool(state["iteration"] > 0)


def _without_checks(state: State) -> State:
    """A killed hook left its note behind: the next refusal takes it away."""
    return {**state, "verifyingSince": ""}


def _checked(
    root: str, state: State, commands: list[str], now: float
) -> tuple[State, Refusal | None]:
    from . import tree_digest, verify_commands

    cut = state["verifyingSince"]
    session_state.write(root, {**state, "verifyingSince": clock.text(now)})
    failure = verify_commands.first_failure(root, commands, state["verifyTimeout"])
    state = _without_checks(state)
    if failure is None:
        return {**state, "lastFailure": "", "sameFailures": 0}, None
    note = f" (the checks begun at {cut} were cut off with their hook)" if cut else ""
    words = (
        f"Your promise was refused: the check `{failure.command[:300]}` failed: "
        f"{failure.why}{note}. Repair that first."
    )
    seen = repeated(state, f"{failure.command}\0{failure.why}", tree_digest.of(root))
    output = f"Its output:\n{failure.output}" if failure.output else ""
    return seen, Refusal(f"check failed: {failure.command[:100]}: {failure.why}", words, output)


def repeated(state: State, failure: str, tree: str) -> State:
    """`tree` is '' where nobody can tell whether a file has changed."""
    from hashlib import sha256

    digest = sha256(f"{failure}\0{tree}".encode("utf-8", "surrogateescape")).hexdigest()
    same = state["sameFailures"] + 1 if tree and digest == state["lastFailure"] else 1
    return {**state, "lastFailure": digest, "sameFailures": same}


def _accepted(root: str, state: State, turn: Turn, now: float) -> Answer:
    done = "no findings are left" if state["kind"] == "ralph-audit" else "the promise was made"
    commands = len(audit_file.checks(root, state))
    proof = f"{_times(commands, 'check')} passed" if commands else "no checks configured"
    why = f"{done}, {_times(state['toolCalls'], 'tool call')}, {proof}"
    if turn.worked is None:
        why += "; WARNING: there is no transcript, so tool calls could not be counted"
    elif not _has_worked(state) and state["policy"] == "warn":
        why += f"; WARNING: fewer than {state['minToolCalls']} tool calls were made"
    audited = state["kind"] == "ralph-audit"
    status = session_state.AUDIT_COMPLETE if audited else session_state.PROMISE_ACCEPTED
    return ending(root, state, status, why, now)


def ending(root: str, state: State, status: str, why: str, now: float) -> Answer:
    ended = session_state.decided({**state, "status": status}, now, status, why)
    session_state.end(root, ended)
    _log(root, ended, status, why)
    return Answer("", loop_words.ending(ended, now, why))


def hold(root: str, state: State, now: float) -> Answer:
    held = {**state, "status": session_state.PAUSED, "pausedAt": clock.text(now), "queued": []}
    held = session_state.decided(held, now, session_state.PAUSED, "a person asked")
    session_state.write(root, held)
    _log(root, held, session_state.PAUSED, "a person asked")
    return Answer("", loop_words.status_line(held, now))


def _go_on(root: str, state: State, refusal: Refusal, now: float) -> Answer:
    state = {**state, "iteration": state["iteration"] + 1}
    state = session_state.decided(state, now, "blocked", refusal.why)
    session_state.write(root, state)
    _log(root, state, "blocked", refusal.why)
    fresh, signs = audit_file.refreshed(root, state), has_signs(root)
    return Answer(loop_words.continuation(fresh, signs, refusal.words, refusal.output), "")


def has_signs(root: str) -> bool:
    return files.kind(root, paths.guardrails(paths.DEFAULT_RALPH_DIR)) == "file"


def goes_on(root: str, state: State, now: float) -> None:
    """After a pause, whose time does not count."""
    since = clock.seconds(state["pausedAt"])
    held = state["pausedSeconds"] + int(max(0.0, now - since) if since else 0)
    going = {**state, "status": session_state.ACTIVE, "pausedAt": "", "pausedSeconds": held}
    session_state.write(root, session_state.decided(going, now, "resumed", "a person asked"))
    _log(root, going, "resumed", "a person asked")


def _log(root: str, state: State, decision: str, why: str) -> None:
    known = {"session": state["session"], "kind": state["kind"], "iteration": state["iteration"]}
    hook_log.record(root, "session-loop", decision=decision, why=why, **known)


def _times(count: int, what: str) -> str:
    return f"{count} {what}{'s' * (count != 1)}"


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
