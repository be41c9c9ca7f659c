"""Any sequence of turns: each decision is the one a model of the rules makes, and every loop ends.

The model below is written from the rules, in other words than the engine: it looks at the
whole history at each stop instead of keeping counts.
"""

from __future__ import annotations

import json
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

from hypothesis import example, given, settings
from hypothesis import strategies as st
from ralph_engine import schema
from ralph_engine.core import clock, loop_command, session_state, session_stop

SESSION = "s-1"
DONE = "<promise>DONE</promise>"
NONE_LEFT = "RALPH_AUDIT_COMPLETE_NO_FINDINGS"
START = 1_700_000_000
LOOP_TEXTS = {
    "claims": [f"All done. {DONE}", f"{DONE}\r\n\r\nBye.", f"**{DONE}**"],
    "mentions": [f"I will print {DONE} when all is done", f"`{DONE}`", f'"{DONE}"'],
    "nothing": ["Still at it.", "DONE", "<promise>done</promise>", ""],
}
AUDIT_TEXTS = {
    "claims": [NONE_LEFT, f"Clean.\n{NONE_LEFT}\n"],
    "mentions": [f"I will print {NONE_LEFT}", f"```\n{NONE_LEFT}\n```"],
    "nothing": ["Still at it.", DONE],
}


class Turn(NamedTuple):
    """`left` is a number of findings that an audit reports, `minutes` the time it took."""

    says: str = "nothing"
    wording: int = 0
    left: int | None = None
    calls: int = 0
    subagent: int = 0
    queued: str = ""
    background: bool = False
    fixed: bool = False
    edits: bool = False
    minutes: int = 0

    @property
    def worked(self) -> int:
        return self.calls + self.subagent


rarely = st.sampled_from([False] * 9 + [True])
turns = st.builds(
    Turn,
    says=st.sampled_from(["claims", "mentions", "nothing", "nothing"]),
    wording=st.integers(0, 9),
    left=st.sampled_from([None, None, 5, 3]),
    calls=st.sampled_from([0, 0, 0, 1, 2]),
    subagent=st.sampled_from([0] * 9 + [2]),
    queued=st.sampled_from(
        [""] * 30
        + ["/cancel-ralph", "/ralph:cancel-ralph now", "/clear", "/ralph-pause"]
        + ["hello", "/compact", "/cancel-ralphs"]
    ),
    background=rarely,
    fixed=rarely,
    edits=rarely,
    minutes=st.sampled_from([0, 0, 1, 20]),
)
loops = st.fixed_dictionaries(
    {
        "kind": st.sampled_from(["ralph-loop", "ralph-loop", "ulw-loop", "ralph-audit"]),
        "maxIterations": st.integers(1, 12),
        "minToolCalls": st.integers(1, 4),
        "policy": st.sampled_from(["reject", "warn", "accept"]),
        "verify": st.sampled_from([[], [], ["test -e fixed"]]),
        "maxDuration": st.sampled_from([0, 0, 3600]),
    }
)
LONG = {
    **{"kind": "ralph-loop", "maxIterations": 12, "minToolCalls": 1, "policy": "reject"},
    **{"verify": [], "maxDuration": 0},
}
CHECKED = {**LONG, "verify": ["test -e fixed"]}
AUDIT = {**LONG, "kind": "ralph-audit"}


def expected(history: list[Turn], loop: dict[str, Any]) -> str:
    """What the last turn of the history leads to, all earlier ones having gone on."""
    now = history[-1]
    commands = {turn.queued.partition(" ")[0].replace("ralph:", "") for turn in history}
    if "/cancel-ralph" in commands:
        return "CANCELLED"
    if "/clear" in commands:
        return "wait"
    if "/ralph-pause" in commands:
        return "PAUSED"
    late = 0 < loop["maxDuration"] <= 60 * sum(turn.minutes for turn in history)
    if now.background and not late:
        return "wait"
    if claim_stands(history, loop) and (now.fixed or not loop["verify"]):
        return "AUDIT_COMPLETE" if is_audit(loop) else "PROMISE_ACCEPTED"
    judged = [*(turn for turn in history[:-1] if not turn.background), now]
    if len(judged) > loop["maxIterations"]:
        return "MAX_ITERATIONS_REACHED"
    if late:
        return "TIME_LIMIT"
    circles = [findings_stand_still(judged, loop), checks_stand_still(history, loop)]
    talk = len(judged) >= 5 and not any(turn.worked for turn in judged[-5:])
    return "STALLED" if talk or any(circles) else "block"


def is_audit(loop: dict[str, Any]) -> bool:
    return bool(loop["kind"] == "ralph-audit")


def claim_stands(history: list[Turn], loop: dict[str, Any]) -> bool:
    """Before any check: the last turn claims the end, and there was work enough."""
    now = history[-1]
    says_so = now.says == "claims" and not (is_audit(loop) and now.left is not None)
    enough = sum(turn.worked for turn in history) >= loop["minToolCalls"]
    return says_so and (enough or loop["policy"] != "reject")


def findings_stand_still(judged: list[Turn], loop: dict[str, Any]) -> bool:
    said: list[int | None] = []
    for turn in judged:
        before = said[-1] if said else None
        said.append(before if turn.left is None else turn.left)
    return is_audit(loop) and len(said) >= 3 and len(set(said[-3:])) == 1


def checks_stand_still(history: list[Turn], loop: dict[str, Any]) -> bool:
    """The last five checks failed, and no file was edited between the first and the last."""
    failed = [
        number
        for number in range(len(history))
        if loop["verify"]
        and not history[number].background
        and claim_stands(history[: number + 1], loop)
    ]
    if len(failed) < 5 or failed[-1] != len(history) - 1:
        return False
    return not any(turn.edits for turn in history[failed[-5] + 1 :])


class Session:
    """The hook's own function on a real folder and transcript."""

    def __init__(self, folder: str, loop: dict[str, Any]) -> None:
        self.root, self.path = Path(folder, "project"), Path(folder, "transcript.jsonl")
        self.root.mkdir()
        self.path.touch()
        self.kind, self.messages, self.edits, self.minutes = loop["kind"], 0, 0, 0
        chosen = {**loop_command.parse(self.kind, "task", {}), **loop}
        state = session_state.new(SESSION, self.kind, chosen, START, 0)
        session_state.write(str(self.root), state)

    def take(self, turn: Turn) -> str:
        self._work(turn)
        text = self._text(turn)
        self._say({"type": "text", "text": text})
        tasks = [{"status": "running"}] if turn.background else []
        sent = {
            "transcript_path": str(self.path),
            "last_assistant_message": text,
            "background_tasks": tasks,
        }
        state = self._aged(turn)
        return self._outcome(session_stop.answer(str(self.root), state, sent, {}))

    def _work(self, turn: Turn) -> None:
        self._write({"type": "user"})
        for _ in range(turn.calls):
            self._say({"type": "tool_use"})
            self._write({"type": "user", "toolUseResult": {}})
        if turn.subagent:
            self._write({"type": "user", "toolUseResult": {"totalToolUseCount": turn.subagent}})
        if turn.queued:
            content = {"operation": "enqueue", "content": turn.queued}
            self._write({"type": "queue-operation", **content})
        if turn.edits:
            self.edits += 1
            (self.root / "code").write_text("x" * self.edits)
        if turn.fixed:
            (self.root / "fixed").touch()
        else:
            (self.root / "fixed").unlink(missing_ok=True)

    def _text(self, turn: Turn) -> str:
        texts = (AUDIT_TEXTS if self.kind == "ralph-audit" else LOOP_TEXTS)[turn.says]
        text = texts[turn.wording % len(texts)]
        if turn.left is None:
            return text
        return f"RALPH_ITERATION_COMPLETE: {turn.left} findings remain\n\n{text}"

    def _aged(self, turn: Turn) -> dict[str, Any]:
        """Time passes by moving the start back."""
        self.minutes += turn.minutes
        state = session_state.read(str(self.root), SESSION)
        assert state is not None
        aged = {**state, "startedAt": clock.text(time.time() - 60 * self.minutes)}
        session_state.write(str(self.root), aged)
        return aged

    def _outcome(self, answer: session_stop.Answer) -> str:
        state = session_state.read(str(self.root), SESSION)
        if answer.reason:
            assert len(answer.reason) <= 8000 and state is not None
            assert schema.accepts("session", state)
            return "block"
        if state is not None:
            return "PAUSED" if state["status"] == "PAUSED" else "wait"
        ended = session_state.ended(str(self.root), SESSION)
        assert ended is not None and ended["status"] in answer.told
        return str(ended["status"])

    def _say(self, block: dict[str, Any]) -> None:
        self.messages += 1
        self._write({"type": "assistant", "message": {"id": self.messages, "content": [block]}})

    def _write(self, entry: dict[str, Any]) -> None:
        with self.path.open("a") as file:
            file.write(json.dumps(entry) + "\n")


FIVE = [Turn("claims", calls=1)] * 6


@settings(deadline=None, max_examples=150)
@given(loops, st.lists(turns, min_size=1, max_size=25))
@example(LONG, [Turn()] * 6)
@example(LONG, [Turn(calls=1)] * 14)
@example(AUDIT, [Turn(left=5, calls=1)] * 4)
@example(AUDIT, [Turn(left=n, calls=1) for n in (5, 5, 3, None, 5, None, None)])
@example(CHECKED, FIVE)
@example(CHECKED, [*FIVE[:4], Turn(calls=1, edits=True), *FIVE])
@example(CHECKED, [*FIVE[:4], Turn(calls=1), Turn("claims", fixed=True)])
@example({**LONG, "maxDuration": 3600}, [Turn(calls=1, minutes=20)] * 4)
@example({**LONG, "maxDuration": 3600}, [Turn(background=True, minutes=20)] * 4)
@example({**LONG, "maxDuration": 3600}, [Turn("claims", calls=1, background=True, minutes=60)])
def test_every_decision_is_the_models(loop: dict[str, Any], script: list[Turn]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        session = Session(folder, loop)
        for number in range(1, len(script) + 1):
            wanted = expected(script[:number], loop)
            assert session.take(script[number - 1]) == wanted
            if wanted not in ("block", "wait"):
                return


@settings(deadline=None, max_examples=50)
@given(loops, st.data())
def test_every_loop_ends_within_its_limits(loop: dict[str, Any], data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        session = Session(folder, loop)
        for _ in range(loop["maxIterations"] + 1):
            turn = data.draw(turns)._replace(background=False)
            if session.take(turn) != "block":
                return
        raise AssertionError("it never ended")
