"""Any sequence of turns: each decision is the one a model of the rules makes, and every loop ends.

The model below is written from the rules, in other words than the engine: it looks at the
whole history at each stop instead of keeping counts.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from hypothesis import example, given, settings
from hypothesis import strategies as st
from ralph_engine.core import loop_command, session_state, session_stop

SESSION = "s-1"
DONE = "<promise>DONE</promise>"
TEXTS = {
    "made": f"All done. {DONE}",
    "mentioned": f"I will print {DONE} when all is done",
    "nothing": "Still at it.",
}


class Turn(NamedTuple):
    says: str
    calls: int
    queued: str
    background: bool


turns = st.builds(
    Turn,
    st.sampled_from(["made", "mentioned", "nothing", "nothing"]),
    st.sampled_from([0, 0, 0, 1, 2]),
    st.sampled_from([""] * 30 + ["/cancel-ralph", "/ralph:cancel-ralph", "hello", "/compact"]),
    st.sampled_from([False] * 9 + [True]),
)
loops = st.fixed_dictionaries(
    {
        "maxIterations": st.integers(1, 12),
        "minToolCalls": st.integers(1, 4),
        "policy": st.sampled_from(["reject", "warn", "accept"]),
    }
)


LONG = {"maxIterations": 12, "minToolCalls": 1, "policy": "reject"}


def expected(history: list[Turn], loop: dict[str, Any]) -> str:
    """What the last turn of the history leads to, all earlier ones having gone on."""
    now = history[-1]
    if any("cancel-ralph" in turn.queued for turn in history):
        return "CANCELLED"
    if now.background:
        return "wait"
    worked = sum(turn.calls for turn in history) >= loop["minToolCalls"]
    if now.says == "made" and (worked or loop["policy"] != "reject"):
        return "PROMISE_ACCEPTED"
    if len([turn for turn in history[:-1] if not turn.background]) == loop["maxIterations"]:
        return "MAX_ITERATIONS_REACHED"
    judged = [turn for turn in history if not turn.background]
    idle = [turn.calls == 0 for turn in judged[-5:]]
    return "STALLED" if len(idle) == 5 and all(idle) else "block"


class Session:
    """The hook's own function on a real folder and transcript."""

    def __init__(self, folder: str, loop: dict[str, Any]) -> None:
        self.root, self.path = folder, Path(folder) / "transcript.jsonl"
        self.path.touch()
        chosen = {**loop_command.parse("ralph-loop", "task", {}), **loop}
        session_state.write(folder, session_state.new(SESSION, "ralph-loop", chosen, 0.0, 0))
        self.messages = 0

    def take(self, turn: Turn) -> str:
        self._write({"type": "user"})
        for _ in range(turn.calls):
            self._say({"type": "tool_use"})
            self._write({"type": "user", "toolUseResult": {}})
        if turn.queued:
            content = {"operation": "enqueue", "content": turn.queued}
            self._write({"type": "queue-operation", **content})
        self._say({"type": "text", "text": TEXTS[turn.says]})
        tasks = [{"status": "running"}] if turn.background else []
        sent = {
            "transcript_path": str(self.path),
            "last_assistant_message": TEXTS[turn.says],
            "background_tasks": tasks,
        }
        state = session_state.read(self.root, SESSION)
        assert state is not None
        answer = session_stop.answer(self.root, state, sent, {})
        return self._outcome(answer)

    def _outcome(self, answer: session_stop.Answer) -> str:
        if answer.reason:
            assert len(answer.reason) <= 8000
            return "block"
        if session_state.read(self.root, SESSION) is not None:
            return "wait"
        ended = session_state.ended(self.root, SESSION)
        assert ended is not None and ended["status"] in answer.told
        return str(ended["status"])

    def _say(self, block: dict[str, Any]) -> None:
        self.messages += 1
        self._write({"type": "assistant", "message": {"id": self.messages, "content": [block]}})

    def _write(self, entry: dict[str, Any]) -> None:
        with self.path.open("a") as file:
            file.write(json.dumps(entry) + "\n")


@settings(deadline=None, max_examples=150)
@given(loops, st.lists(turns, min_size=1, max_size=25))
@example(LONG, [Turn("nothing", 0, "", False)] * 6)
@example(LONG, [Turn("nothing", 1, "", False)] * 14)
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
