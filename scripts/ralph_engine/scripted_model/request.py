"""What the client sent the model in one request."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

Json = dict[str, Any]

_OF_THE_MODEL = frozenset({"function_call", "reasoning", "custom_tool_call", "web_search_call"})


class Request(NamedTuple):
    """By the Messages API, or by the Responses API, whose conversation is called input."""

    body: Json

    @property
    def messages(self) -> list[Json]:
        named = "messages" if "messages" in self.body else "input"
        messages: list[Json] = self.body.get(named, [])
        return messages

    @property
    def last_user_text(self) -> str:
        """The last user message, with its tool results and system reminders."""
        from_user = [message for message in self.messages if message.get("role") == "user"]
        return "\n".join(_texts(from_user[-1]["content"])) if from_user else ""

    @property
    def new_text(self) -> str:
        """Every text sent since the model's previous turn, whatever its role."""
        texts: list[str] = []
        for message in self.messages:
            texts = [] if _is_the_models(message) else [*texts, *_of(message)]
        return "\n".join(texts)


def _is_the_models(message: Json) -> bool:
    return message.get("role") == "assistant" or message.get("type") in _OF_THE_MODEL


def _of(message: Json) -> Iterator[str]:
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
