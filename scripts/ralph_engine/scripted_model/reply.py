"""A turn in the words of the Messages API: a message, its event stream, an error body."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from typing import Any

from ralph_engine.scripted_model.turns import Turn

Json = dict[str, Any]

USAGE_KEYS = {
    "input_tokens": "input",
    "cache_creation_input_tokens": "cache_creation",
    "cache_read_input_tokens": "cache_read",
    "output_tokens": "output",
}
DEFAULT_USAGE = {"input": 100, "output": 10}
ERROR_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    504: "timeout_error",
    529: "overloaded_error",
}


def message(turn: Turn, model: str) -> Json:
    content = [_block(block) for block in turn["content"]]
    calls_a_tool = any(block["type"] == "tool_use" for block in content)
    return {
        "id": f"msg_{uuid.uuid4().hex}",
        "type": "message",
        "role": "assistant",
        "model": turn.get("model", model),
        "content": content,
        "stop_reason": "tool_use" if calls_a_tool else "end_turn",
        "stop_sequence": None,
        "usage": _usage(turn.get("usage", DEFAULT_USAGE)),
    }


def event_stream(message: Json, breaks: str = "") -> bytes:
    """`breaks` is the kind of the error that stands in place of the stream's end."""
    events = list(_events(message))
    if breaks:
        events[-2:] = [{"type": "error", "error": {"type": breaks, "message": breaks}}]
    return b"".join(
        f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode() for event in events
    )


def error_body(status: int, text: str) -> bytes:
    kind = ERROR_TYPES.get(status, "api_error")
    error = {"type": kind, "message": text or kind}
    return json.dumps({"type": "error", "error": error}).encode()


def _usage(figures: dict[str, int]) -> dict[str, int]:
    return {name: figures.get(key, 0) for name, key in USAGE_KEYS.items()}


def _block(block: Json) -> Json:
    if block["type"] == "tool_use":
        return {**block, "id": f"toolu_{uuid.uuid4().hex}"}
    if block["type"] == "thinking":
        return {**block, "signature": "c2lnbmF0dXJl"}
    return block


def _events(message: Json) -> Iterator[Json]:
    opening = {**message, "content": [], "stop_reason": None}
    yield {"type": "message_start", "message": opening}
    for index, block in enumerate(message["content"]):
        yield from _block_events(index, block)
    delta = {key: message[key] for key in ("stop_reason", "stop_sequence")}
    yield {"type": "message_delta", "delta": delta, "usage": message["usage"]}
    yield {"type": "message_stop"}


def _block_events(index: int, block: Json) -> Iterator[Json]:
    opening, deltas = _opening_and_deltas(block)
    yield {"type": "content_block_start", "index": index, "content_block": opening}
    for delta in deltas:
        yield {"type": "content_block_delta", "index": index, "delta": delta}
    yield {"type": "content_block_stop", "index": index}


def _opening_and_deltas(block: Json) -> tuple[Json, list[Json]]:
    if block["type"] == "tool_use":
        arguments = json.dumps(block["input"])
        return {**block, "input": {}}, [{"type": "input_json_delta", "partial_json": arguments}]
    if block["type"] == "thinking":
        return {**block, "thinking": "", "signature": ""}, [
            {"type": "thinking_delta", "thinking": block["thinking"]},
            {"type": "signature_delta", "signature": block["signature"]},
        ]
    return {**block, "text": ""}, [{"type": "text_delta", "text": block["text"]}]
