"""What the client sent the model in one request."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

Json = dict[str, Any]


class Request(NamedTuple):
    body: Json

    @property
    def messages(self) -> list[Json]:
        messages: list[Json] = self.body.get("messages", [])
        return messages

    @property
    def last_user_text(self) -> str:
        """The last user message, with its tool results and system reminders."""
        from_user = [message for message in self.messages if message["role"] == "user"]
        return "\n".join(_texts(from_user[-1]["content"])) if from_user else ""

    @property
    def new_text(self) -> str:
        """Every text sent since the model's previous turn, whatever its role."""
        texts: list[str] = []
        for message in self.messages:
            texts = [] if message["role"] == "assistant" else [*texts, *_texts(message["content"])]
        return "\n".join(texts)


def _texts(content: Any) -> Iterator[str]:
    if isinstance(content, str):
        yield content
        return
    for block in content or []:
        if block["type"] == "text":
            yield block["text"]
        elif block["type"] == "tool_result":
            yield from _texts(block.get("content"))
