"""What a typed command does: loops are started, held and ended here, in code."""

from __future__ import annotations

import time
from collections import namedtuple

from . import (
    audit_file,
    files,
    hook_log,
    loop_command,
    loop_words,
    paths,
    prompt_gate,
    runner_request,
    session_moves,
    session_state,
    session_turn,
    transcript,
    validation_commands,
)
from .counted import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, NamedTuple

    from .session_state import State

    class Said(NamedTuple):
        """One of: a line that stops the command, words for the model, a line for the person."""

        stopped: str
        context: str
        told: str
else:
    Said = namedtuple("Said", "stopped context told")

NOTHING = Said("", "", "")


def expand(root: str, session: str, sent: dict[str, Any], environment: Mapping[str, str]) -> Said:
    name = prompt_gate.name_of(sent.get("command_name"))
    if not name:
        return NOTHING
    try:
        state = session_state.read(root, session)
    except session_state.Unusable as fault:
        return Said(session_state.put_aside(root, session, str(fault)), "", "")
    try:
        if name in prompt_gate.CONTROLS:
            return Said(_control(root, session, state, name, environment), "", "")
        return _start(root, session, state, name, sent, environment)
    except loop_command.Refused as refusal:
        return Said(f"Ralph: {refusal}", "", "")
    except files.FileFault as fault:
        return Said(f"Ralph: {fault.path} {fault.problem}; {fault.fix}", "", "")


def steer(root: str, session: str, sent: dict[str, Any]) -> Said:
    """A message during a loop reaches the model; that the loop goes on is said."""
    prompt = sent.get("prompt")
    if not isinstance(prompt, str) or prompt.startswith(("/", transcript.NOTIFICATION)):
        return NOTHING
    try:
        state = session_state.read(root, session)
    except session_state.Unusable as fault:
        return Said("", "", session_state.put_aside(root, session, str(fault)))
    if state is None:
        return NOTHING
    if state["status"] == session_state.PAUSED:
        words = "the Ralph loop is paused: /ralph-resume goes on, /cancel-ralph ends it"
        return Said("", "", words)
    place = f"iteration {state['iteration']} of {state['maxIterations']}"
    words = f"the Ralph loop goes on ({place}), your message steers it; {loop_words.ENDING}"
    return Said("", "", words)


def _start(
    root: str,
    session: str,
    state: State | None,
    name: str,
    sent: dict[str, Any],
    environment: Mapping[str, str],
) -> Said:
    if state is not None:
        raise loop_command.Refused(
            f"a loop runs in this session already (iteration {state['iteration']} of "
            f"{state['maxIterations']}); /cancel-ralph ends it"
        )
    if not paths.is_session_id(session):
        raise loop_command.Refused("this session has no id, so no loop can be tied to it")
    if environment.get("RALPH_ACTIVE") == "0":
        raise loop_command.Refused("RALPH_ACTIVE=0 switches loops off; unset it and start again")
    raw = sent.get("command_args")
    chosen = loop_command.parse(name, raw if isinstance(raw, str) else "", environment)
    if name == loop_command.AUDIT:
        chosen = _audit(root, chosen)
    return _begin(root, session, name, chosen, sent)


def _begin(
    root: str, session: str, name: str, chosen: dict[str, Any], sent: dict[str, Any]
) -> Said:
    path = sent.get("transcript_path")
    offset = transcript.size(path if isinstance(path, str) else "") or 0
    state = session_state.new(session, name, chosen, time.time(), offset)
    session_state.write(root, state)
    known = {"session": session, "kind": name, "maxIterations": state["maxIterations"]}
    hook_log.record(root, "session-loop", decision="started", **known)
    most = counted(state["maxIterations"], "iteration")
    checks = counted(len(state["verify"]), "check") if state["verify"] else "no checks"
    told = f"Ralph: {name} started, at most {most}, {checks}; {loop_words.ENDING}"
    return Said("", loop_words.contract(root, state), told)


def _audit(root: str, chosen: dict[str, Any]) -> dict[str, Any]:
    """Its commands are taken now: what is removed from the file later still runs."""
    named = chosen["task"]
    path = audit_file.path_below(root, named)
    if not path:
        raise loop_command.Refused(f"{named[:100]} is not below the project {root}")
    try:
        text = audit_file.read(root, path)
    except files.FileFault as missing:
        from .own_command import RALPH

        hint = "name the file" if named else f"`{RALPH} init --audit` makes it"
        raise loop_command.Refused(f"{path[:100]} {missing.problem}; {hint}") from missing
    fault = audit_file.fault(text)
    if fault:
        raise loop_command.Refused(f"{path[:100]} {fault}")
    checks = validation_commands.united(chosen["verify"], validation_commands.of(text))
    return {**chosen, "task": text, "file": path, "verify": checks}


def _control(
    root: str, session: str, state: State | None, name: str, environment: Mapping[str, str]
) -> str:
    now = time.time()
    if state is None:
        return _without_loop(root, session, name, environment)
    if name == "cancel-ralph":
        return session_moves.end(root, state, session_state.CANCELLED, "/cancel-ralph", now)
    paused = state["status"] == session_state.PAUSED
    if name == "ralph-pause" and not paused:
        return session_moves.hold(root, state, now)
    if name == "ralph-resume" and paused:
        return session_moves.go_on(root, state, now)
    return loop_words.status_line(state, now)


def _without_loop(root: str, session: str, name: str, environment: Mapping[str, str]) -> str:
    before = session_state.ended(root, session)
    if name != "cancel-ralph":
        status = before["status"] if before else ""
        last = f"; the last one: {status}" if status in session_state.ENDED else ""
        return f"Ralph: no loop runs in this session{last}; /ralph-loop starts one"
    if before and _was_obeyed(before):
        session_state.forget_queue(root, before)
        return "Ralph: this session's loop has ended, as asked; nothing else was touched"
    return runner_request.cancel(root, environment)


def _was_obeyed(ended: State) -> bool:
    """This very command, while it was still waiting. On a full disk nothing told how it ended."""
    untold = ended["status"] not in session_state.ENDED
    return untold or session_turn.waiting(ended["queued"]) == "cancel-ralph"
