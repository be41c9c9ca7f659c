"""What a session did since its loop's last stop, read from a transcript that may lag."""

from __future__ import annotations

import time
from collections import namedtuple

from . import transcript

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NamedTuple

    from .session_state import State

    class Turn(NamedTuple):
        """The turn that wants to end; `worked` is None without a transcript."""

        text: str
        worked: bool | None
else:
    Turn = namedtuple("Turn", "text worked")

_PATIENCE = 0.25
_GLANCE = 0.01
# The client's other names for it.
_CLEAR = {"new": "clear", "reset": "clear"}


def look(state: State, sent: dict[str, Any]) -> tuple[State, Turn]:
    """The transcript is complete once it holds the message that ends the turn."""
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
    if not last.strip():
        # A thinking block may be written before the text that it belongs to.
        return any(text.strip() for text in news.last_texts)
    return [text.strip() for text in news.last_texts][-1:] == [last.strip()]


def advanced(state: State, news: transcript.News) -> State:
    calls = state["toolCalls"] + news.tool_calls
    return {**state, "offset": news.offset, "toolCalls": calls, "queued": news.queued}


def caught_up(state: State, sent: dict[str, Any]) -> State:
    """With what was written since the look: checks may have run for minutes."""
    news = transcript.since(_text(sent.get("transcript_path")), state["offset"], state["queued"])
    return advanced(state, news) if news else state


def waiting(queued: list[str]) -> str:
    """The command among those that wait which ends or holds the loop."""
    names = [_CLEAR.get(name, name) for name in map(_command, queued)]
    return next((name for name in ("cancel-ralph", "clear", "ralph-pause") if name in names), "")


def questions(queued: list[str]) -> int:
    return [_command(text) for text in queued].count("ralph-status")


def _command(text: str) -> str:
    return text.split()[0][1:].removeprefix("ralph:") if text[:1] == "/" else ""


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
