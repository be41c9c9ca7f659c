"""The model behind the real client: plays the deeds of one bout, and notes what it is told."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from ..scripted_model import Request, Turn, say
from . import script
from .script import Deed

MOST_REQUESTS = 200
REFUSED = "Stop hook feedback:"


class BadModel:
    """One list of deeds; a second session ends at once: only its prompt is of interest."""

    def __init__(self, deeds: Sequence[Deed]) -> None:
        self._left = [(deed.attack, turn) for deed in deeds for turn in script.turns([deed])]
        self._sessions = 0
        self._playing = ""
        self.played: set[str] = set()
        self.told: defaultdict[str, str] = defaultdict(str)
        self.prompts: list[str] = []

    def answer(self, request: Request) -> Turn:
        text = request.new_text
        if not any(message["role"] == "assistant" for message in request.messages):
            self._sessions += 1
            self.prompts.append(text)
        else:
            self.told[self._playing] += text
        if self._sessions > 1 or REFUSED in text:
            return script.crash()
        if not self._left:
            return say("Done.")
        self._playing, turn = self._left[0]
        if self._playing not in (attack for attack, _ in self._left[1:]):
            self.played.add(self._playing)
        # A client that tries again hears the same again.
        if "fail" not in turn:
            del self._left[0]
        return turn
