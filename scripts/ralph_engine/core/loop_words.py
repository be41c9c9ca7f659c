"""What a same-session loop says to its model and to the person."""

from __future__ import annotations

from . import check_script, clock, files, paths
from .promise import marker

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .session_state import State

LIMIT = 8000
_MOST_OUTPUT = 2500
_ULTRAWORK = (
    "ULTRAWORK: work at full strength. Plan in a list, use subagents for parts that do not "
    "depend on each other, leave nothing half done, check every result yourself."
)
_SIGNS_FILE = paths.guardrails(paths.DEFAULT_RALPH_DIR)
_SIGNS = (
    f"Read {_SIGNS_FILE} first: Signs, left by earlier failures. "
    "After a new kind of failure add one there: ### Sign: NAME, Trigger, Instruction, Added after."
)
ENDING = "/cancel-ralph ends it, /ralph-pause holds it"
WAITING = (
    "Ralph: the loop waits for work that runs in the background, and goes on when that has ended; "
    "/tasks shows and ends such work, /cancel-ralph ends the loop"
)


def contract(root: str, state: State) -> str:
    """What the model is told when the loop starts, resumes or was compacted."""
    left = max(0, state["maxIterations"] - state["iteration"])
    head = [
        f"You are in a Ralph loop ({state['kind']}), at most {left} more round{'s' * (left != 1)}: "
        "each time you stop, the task is given to you again until it is done.",
        *([_ULTRAWORK] if state["kind"] == "ulw-loop" else []),
        *rules(state),
        _checked(state),
        *signs(root),
    ]
    return _with_task(head, state)


def continuation(root: str, state: State, refusal: str, output: str = "") -> str:
    head = [
        *([_ULTRAWORK] if state["kind"] == "ulw-loop" else []),
        refusal,
        f"This is round {state['iteration']} of {state['maxIterations']}. "
        "Continue working on the original task below.",
        *rules(state),
        *signs(root),
    ]
    return _with_task(head, state, cut(output, _MOST_OUTPUT))


def missing(state: State) -> str:
    if _is_audit(state):
        return (
            f"You attempted to end the audit without {state['promise']} "
            "or RALPH_ITERATION_COMPLETE: N findings remain on a line of its own."
        )
    return (
        "You attempted to end the loop, but you did not output the completion promise "
        f"{marker(state['promise'])}."
    )


def mentioned(state: State) -> str:
    return (
        f"You mentioned {marker(state['promise'])}, but did not make it: a promise is made by "
        "ending a line with it, outside code, backticks and quotes."
    )


def remaining(state: State, count: int) -> str:
    if count:
        return f"{count} findings remain: go on with them."
    return f"No finding remains, you say: look once more, then print {state['promise']} instead."


def no_work(state: State) -> str:
    calls = state["toolCalls"]
    done = "no tool call was" if calls == 0 else f"only {calls} of {state['minToolCalls']} were"
    return (
        f"A promise was found, but {done} made since the loop began: "
        "do the work first, then promise."
    )


def status_line(state: State, now: float) -> str:
    last = state["decisions"][-1] if state["decisions"] else None
    said = f"; last decision: {last['decision']} ({last['why']})" if last else ""
    after = {"PAUSED": "/ralph-resume goes on, /cancel-ralph ends it"}.get(state["status"], ENDING)
    calls = state["toolCalls"]
    return (
        f"Ralph: {state['kind']} {state['status']}, iteration {state['iteration']} of "
        f"{state['maxIterations']}, since {state['startedAt']} ({minutes(state, now)} min), "
        f"{calls} tool call{'s' * (calls != 1)}{said}; {after}"
    )


def ending(state: State, now: float, why: str) -> str:
    rounds = state["iteration"]
    return (
        f"Ralph: {state['status']} after {rounds} iteration{'s' * (rounds != 1)}, "
        f"{minutes(state, now)} min: {why}"
    )


def minutes(state: State, now: float) -> int:
    return int(running_seconds(state, now) // 60)


def running_seconds(state: State, now: float) -> float:
    """Without the time it was held."""
    start = clock.seconds(state["startedAt"]) or now
    held = float(state["pausedSeconds"])
    since = clock.seconds(state["pausedAt"]) if state["pausedAt"] else None
    if since is not None:
        held += max(0.0, now - since)
    return max(0.0, now - start - held)


def rules(state: State) -> list[str]:
    if _is_audit(state):
        return [
            f"Only when no finding is left, print {state['promise']} alone on a line. Otherwise "
            "end with the line RALPH_ITERATION_COMPLETE: N findings remain, N being their number."
        ]
    return [
        f"Only when the task is fully done, print exactly {marker(state['promise'])} at the end "
        "of a line: exact, no variants, no blanks inside. Not done: do not print it."
    ]


def signs(root: str) -> list[str]:
    return [_SIGNS] if files.kind(root, _SIGNS_FILE) == "file" else []


def _checked(state: State) -> str:
    known = state["verify"]
    work = f"at least {state['minToolCalls']} tool call{'s' * (state['minToolCalls'] != 1)}"
    if not known:
        return f"Checked then: {work}."
    listed = "; ".join(check_script.shown(check) for check in known)
    return f"Checked then, by the hook itself: {work}, and each of these passes: {listed[:1500]}"


def _with_task(head: list[str], state: State, output: str = "") -> str:
    lines = [line for line in (*head, output) if line]
    label = f"The audit ({state['file']}):" if _is_audit(state) else "Original task:"
    text = "\n".join([*lines, label, ""])
    text = text[: LIMIT - 1000]
    return text + _cut_task(state, LIMIT - len(text))


def _cut_task(state: State, room: int) -> str:
    task: str = state["task"]
    if len(task) <= room:
        return task
    where = state["file"] or f"{paths.session_state(state['session'])}, field task"
    note = f"\n... cut: all {len(task)} characters are in {where}"
    return task[: max(0, room - len(note))] + note


def cut(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    return text[: most // 3] + "\n...\n" + text[len(text) - most + most // 3 + 5 :]


def _is_audit(state: State) -> bool:
    return bool(state["kind"] == "ralph-audit")
