"""What the hooks did in `demo --claude`, told apart from what the runner did."""

from __future__ import annotations

from collections import Counter, deque

from .core.own_command import RALPH
from .demo_model import Refusal
from .demo_words import BAD, FACT, Event, Line
from .failure import Failure

_SHOWN = 3


class Hooks:
    """Fed with the journal's events; the refusals are those that reached the model."""

    def __init__(self, version: str, refusals: deque[Refusal]) -> None:
        self._version, self._refusals = version, refusals
        self._iteration = 0
        self._refused: Counter[int] = Counter()
        self._undone: set[int] = set()
        self._sessions = self._calls = 0

    def before(self, event: Event) -> Line | None:
        """What a hook did just before this event."""
        self._count(event)
        if event.get("kind") != "text" or not self._refusals:
            return None
        # The model's note may be here before the stream has caught up with it.
        if self._refusals[0].answer != event["text"]:
            return None
        self._refused[self._iteration] += 1
        return Line(FACT, self._words(self._refusals.popleft().reason), BAD)

    def closing(self) -> str:
        refused = sum(self._refused.values())
        if not refused:
            raise Failure(
                f"Claude Code {self._version} ended each turn without asking this plugin's Stop"
                " hook; the runner caught it all, but hooks would save iterations",
                f"{RALPH} doctor tells why",
            )
        kept = sum(n for iteration, n in self._refused.items() if iteration not in self._undone)
        return (
            f"Your Claude Code {self._version}: {self._sessions} sessions, {self._calls} tool"
            f" calls. The Stop hook refused {refused} stops: {kept} put right by the agent itself,"
            f" {refused - kept} ignored by it and then undone by the runner."
        )

    def _count(self, event: Event) -> None:
        if event["event"] == "iteration":
            self._iteration = event["number"]
        elif event["event"] == "violation":
            self._undone.add(self._iteration)
        self._sessions += event["event"] == "agent-started"
        self._calls += event.get("kind") == "tool_start"

    def _words(self, reason: str) -> str:
        times = self._refused[self._iteration]
        if times > 1:
            return f"HOOK refuses again ({times})"
        title, *lines = reason.split("\n")
        # The client may tell it twice.
        listed = list(dict.fromkeys(line[2:] for line in lines if line.startswith("- ")))
        if title == "Not committed:":
            return f"HOOK refuses the stop: not committed: {', '.join(listed[:_SHOWN])}"
        return f"HOOK refuses the stop: {len(listed)} edits to be taken back"
