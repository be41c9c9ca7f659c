"""What the client sent the model in one request."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

Json = dict[str, Any]

_CONVERSATIONS = ("messages", "input", "contents")
_OF_THE_MODEL = frozenset({"function_call", "reasoning", "custom_tool_call", "web_search_call"})


class Request(NamedTuple):
    """Its conversation is called messages, by the Responses API input, by Gemini's contents."""

    body: Json

    @property
    def messages(self) -> list[Json]:
        named = next((name for name in _CONVERSATIONS if name in self.body), "")
        messages: list[Json] = self.body.get(named, [])
        return messages

    @property
    def is_aside(self) -> bool:
        """About the conversation (its title, say), not part of it."""
        choice = self.body.get("tool_choice")
        forced = isinstance(choice, dict) and choice.get("type") == "tool"
        return forced or not self.body.get("tools")

    @property
    def last_user_text(self) -> str:
        """The last user message, with its tool results and system reminders."""
        from_user = [message for message in self.messages if message.get("role") == "user"]
        return "\n".join(_of(from_user[-1])) if from_user else ""

    @property
    def new_text(self) -> str:
        """Every text sent since the model's previous turn, whatever its role."""
        texts: list[str] = []
        for message in self.messages:
            texts = [] if _is_the_models(message) else [*texts, *_of(message)]
        return "\n".join(texts)


def _is_the_models(message: Json) -> bool:
    return message.get("role") in ("assistant", "model") or message.get("type") in _OF_THE_MODEL


def _of(message: Json) -> Iterator[str]:
    if "parts" in message:
        return (part["text"] for part in message["parts"] if "text" in part)
    return _texts(message.get("content", message.get("output")))


def _texts(content: Any) -> Iterator[str]:
    if isinstance(content, str):
        yield content
        return
    for block in content or []:
        if block["type"] in ("text", "input_text"):
            yield block["text"]
        elif block["type"] == "tool_result":
            yield from _texts(block.get("content"))
