"""The state of a same-session loop, one file per session."""

from __future__ import annotations

import json

from . import clock, dot_folder, files, paths, shape, strict_json
from .shape import Field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    State = dict[str, Any]
else:
    State = dict

VERSION = 1
SIZE_LIMIT = 8 * 1024 * 1024
KINDS = ("ralph-loop", "ulw-loop", "ralph-audit")
POLICIES = ("reject", "warn", "accept")
ACTIVE, PAUSED = "ACTIVE", "PAUSED"
PROMISE_ACCEPTED, AUDIT_COMPLETE = "PROMISE_ACCEPTED", "AUDIT_COMPLETE"
MAX_ITERATIONS_REACHED, TIME_LIMIT = "MAX_ITERATIONS_REACHED", "TIME_LIMIT"
STALLED, CANCELLED = "STALLED", "CANCELLED"
ENDED = (
    *(PROMISE_ACCEPTED, AUDIT_COMPLETE, MAX_ITERATIONS_REACHED, TIME_LIMIT),
    *(STALLED, CANCELLED),
)
_KEPT_DECISIONS = 50


class Unusable(Exception):
    """The file is there, but no loop of this version wrote it; says why."""


def _is_version(value: Any) -> bool:
    return type(value) in (int, float) and value == VERSION


def _is_count_or_none(value: Any) -> bool:
    return value is None or shape.is_count(value)


def _is_decisions(value: Any) -> bool:
    return type(value) is list and all(_is_decision(entry) for entry in value)


def _is_decision(value: Any) -> bool:
    return type(value) is dict and not shape.faults(value, DECISION_FIELDS, "", "")


DECISION_FIELDS = (
    Field("time", shape.is_string, "a string", True),
    Field("iteration", shape.is_count, "an integer of 0 or more", True),
    Field("decision", shape.is_string, "a string", True),
    Field("why", shape.is_string, "a string", True),
)
_COUNT = "an integer of 0 or more"
FIELDS = (
    Field("version", _is_version, "1", True),
    Field("session", paths.is_session_id, "a session id", True),
    Field("kind", lambda value: value in KINDS, "the command that started the loop", True),
    Field("status", lambda v: v in (ACTIVE, PAUSED, *ENDED), "a status", True),
    Field("task", shape.is_text, "a non-empty string", True),
    Field("file", shape.is_string, "a path below the project, or empty", True),
    Field("promise", shape.is_text, "a non-empty string", True),
    Field("iteration", shape.is_count, _COUNT, True),
    Field("maxIterations", shape.is_count, _COUNT, True),
    Field("minToolCalls", shape.is_count, _COUNT, True),
    Field("policy", lambda value: value in POLICIES, '"reject", "warn" or "accept"', True),
    Field("verify", shape.is_texts, "a list of shell commands", True),
    Field("verifyTimeout", shape.is_count, "seconds", True),
    Field("maxDuration", shape.is_count, "seconds, 0 for no limit", True),
    Field("startedAt", shape.is_string, "a point in time", True),
    Field("lastRunAt", shape.is_string, "a point in time", True),
    Field("pausedAt", shape.is_string, "a point in time, or empty", True),
    Field("pausedSeconds", shape.is_count, "seconds", True),
    Field("verifyingSince", shape.is_string, "a point in time, or empty", True),
    Field("lastFindingsCount", _is_count_or_none, f"{_COUNT}, or null", True),
    Field("unchangedFindings", shape.is_count, _COUNT, True),
    Field("toolCalls", shape.is_count, _COUNT, True),
    Field("turnsWithoutTools", shape.is_count, _COUNT, True),
    Field("lastTree", shape.is_string, "a digest, or empty", False),
    Field("lastFailure", shape.is_string, "a digest, or empty", True),
    Field("sameFailures", shape.is_count, _COUNT, True),
    Field("offset", shape.is_count, "bytes of the transcript", True),
    Field("queued", shape.is_strings, "a list of commands that wait", True),
    Field("decisions", _is_decisions, "a list of decisions", True),
)


def new(session: str, kind: str, chosen: dict[str, Any], now: float, offset: int) -> State:
    point = clock.text(now)
    return {
        "version": VERSION,
        "session": session,
        "kind": kind,
        "status": ACTIVE,
        "file": "",
        **chosen,
        "iteration": 0,
        "startedAt": point,
        "lastRunAt": point,
        "pausedAt": "",
        "pausedSeconds": 0,
        "verifyingSince": "",
        "lastFindingsCount": None,
        "unchangedFindings": 0,
        "toolCalls": 0,
        "turnsWithoutTools": 0,
        "lastTree": "",
        "lastFailure": "",
        "sameFailures": 0,
        "offset": offset,
        "queued": [],
        "decisions": [],
    }


def parse(data: bytes, session: str) -> State:
    try:
        value = strict_json.parse(data)
    except strict_json.NotJson as error:
        raise Unusable(str(error)) from error
    if type(value) is not dict:
        raise Unusable("holds no object")
    if type(value.get("version")) is int and value["version"] > VERSION:
        raise Unusable(f"is of version {value['version']}, and this plugin knows {VERSION}")
    faults = shape.faults(value, FIELDS, "", "")
    if faults:
        raise Unusable(shape.sentence(faults[0]))
    if value["session"] != session:
        raise Unusable(f"belongs to the session {value['session']}")
    if clock.seconds(value["startedAt"]) is None:
        raise Unusable(f"startedAt is {shape.shown(value['startedAt'])}, no point in time")
    return value


def read(root: str, session: str) -> State | None:
    """None without a loop; Unusable where a file is there that cannot be used."""
    if not paths.is_session_id(session):
        return None
    try:
        return parse(files.read_bytes(root, paths.session_state(session), SIZE_LIMIT), session)
    except files.Missing:
        return None
    except files.FileFault as fault:
        raise Unusable(fault.problem) from fault


def still_runs(root: str, state: State) -> bool:
    """Not after another process ended it, held it or began another one, while this one was busy."""
    try:
        found = read(root, state["session"])
    except Unusable:
        return False
    known = (ACTIVE, state["startedAt"])
    return found is not None and (found["status"], found["startedAt"]) == known


def is_gone(root: str, state: State) -> bool:
    """Neither active nor ended: somebody took the file away."""
    last = ended(root, state["session"])
    if last is not None and last["startedAt"] == state["startedAt"]:
        return False
    return files.kind(root, paths.session_state(state["session"])) == "absent"


def write(root: str, state: State) -> None:
    dot_folder.ensure(root)
    files.replace_bytes(root, paths.session_state(state["session"]), _data(state), 0o600)


def decided(state: State, now: float, decision: str, why: str) -> State:
    entry = {
        "time": clock.text(now),
        "iteration": state["iteration"],
        "decision": decision,
        "why": why[:300],
    }
    kept = [*state["decisions"], entry][-_KEPT_DECISIONS:]
    return {**state, "lastRunAt": clock.text(now), "decisions": kept}


def end(root: str, state: State) -> str:
    """Moves the state away, so that no hook acts on it again; why it is not where it should be."""
    active, beside = paths.session_state(state["session"]), paths.ended_beside(state["session"])
    problem = _keep(root, state, paths.ended_session(state["session"]))
    if problem and _keep(root, state, beside):
        # On a full disk there is room for another name at least.
        files.move(root, active, beside)
        return problem
    if not problem:
        _number_older(root, beside)
    files.remove(root, active)
    return problem


def _keep(root: str, state: State, target: str) -> str:
    """Earlier loops keep theirs."""
    try:
        _number_older(root, target)
        files.replace_bytes(root, target, _data(state), 0o600)
    except files.FileFault as fault:
        return f"{fault.path} {fault.problem}"
    return ""


def ended(root: str, session: str) -> State | None:
    """The last loop of the session, if it has ended; ACTIVE where that could not be written."""
    if not paths.is_session_id(session):
        return None
    for path in (paths.ended_beside(session), paths.ended_session(session)):
        try:
            return parse(files.read_bytes(root, path, SIZE_LIMIT), session)
        except (files.FileFault, Unusable):
            pass
    return None


def forget_queue(root: str, state: State) -> None:
    """The commands that ended a loop from the queue are never obeyed twice."""
    beside, target = paths.ended_beside(state["session"]), paths.ended_session(state["session"])
    if files.kind(root, beside) != "absent":
        _number_older(root, beside)
        return
    files.replace_bytes(root, target, _data({**state, "queued": []}), 0o600)


def put_aside(root: str, session: str, problem: str) -> str:
    """One line for the person; the file is kept where no hook looks for it."""
    source, target = paths.session_state(session), paths.unusable_session(session)
    words = f"Ralph: this session's loop has ended: {source} {problem}"
    try:
        _number_older(root, target)
        files.move(root, source, target)
    except files.FileFault as fault:
        return f"{words}; it cannot be moved away ({fault.problem}): remove it"
    return f"{words}; the file is kept as {target}, /ralph-loop starts a new loop"


def _number_older(root: str, path: str) -> None:
    """The plain name is the newest one's, the others are numbered as they came."""
    if files.kind(root, path) == "absent":
        return
    number = 1
    while files.kind(root, paths.older(path, number)) != "absent":
        number += 1
    files.move(root, path, paths.older(path, number))


def _data(state: State) -> bytes:
    # Half a surrogate pair has no UTF-8: escaped it survives the round trip.
    return json.dumps(state, indent=1).encode("ascii")
