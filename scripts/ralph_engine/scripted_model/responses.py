"""A turn in the words of the Responses API: a response, its event stream, an error body."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from typing import Any

from ralph_engine.scripted_model.turns import Turn

Json = dict[str, Any]

DEFAULT_USAGE = {"input": 100, "output": 10}


def response(turn: Turn, model: str) -> Json:
    return {
        "id": f"resp_{uuid.uuid4().hex}",
        "object": "response",
        "model": turn.get("model", model),
        "status": "completed",
        "output": [_item(block) for block in turn["content"]],
        "usage": _usage(turn.get("usage", DEFAULT_USAGE)),
    }


def event_stream(response: Json, breaks: str = "") -> bytes:
    """`breaks` is the code of the error that stands in place of the stream's end."""
    return b"".join(
        f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()
        for event in _events(response, breaks)
    )


def error_body(text: str, error: Json) -> bytes:
    known = {"type": "api_error", "message": text or "api_error", **error}
    return json.dumps({"error": known}).encode()


def _events(response: Json, breaks: str) -> Iterator[Json]:
    yield {"type": "response.created", "response": {**response, "output": []}}
    for index, item in enumerate(response["output"]):
        yield {"type": "response.output_item.done", "output_index": index, "item": item}
    if breaks:
        error = {"code": breaks, "message": breaks}
        yield {"type": "response.failed", "response": {"id": response["id"], "error": error}}
    else:
        yield {"type": "response.completed", "response": response}


def _item(block: Json) -> Json:
    if block["type"] == "tool_use":
        return {
            "type": "function_call",
            "id": f"fc_{uuid.uuid4().hex}",
            "call_id": f"call_{uuid.uuid4().hex}",
            "name": block["name"],
            "arguments": json.dumps(block["input"]),
        }
    if block["type"] == "thinking":
        summary = [{"type": "summary_text", "text": block["thinking"]}]
        return {"type": "reasoning", "id": f"rs_{uuid.uuid4().hex}", "summary": summary}
    return {
        "type": "message",
        "id": f"msg_{uuid.uuid4().hex}",
        "role": "assistant",
        "status": "completed",
        "content": [{"type": "output_text", "text": block["text"], "annotations": []}],
    }


def _usage(figures: dict[str, int]) -> Json:
    """Here the input counts all of it: what is cached is a part."""
    read, written = figures.get("cache_read", 0), figures.get("cache_creation", 0)
    total, output = figures.get("input", 0) + read + written, figures.get("output", 0)
    return {
        "input_tokens": total,
        "input_tokens_details": {"cached_tokens": read, "cache_write_tokens": written},
        "output_tokens": output,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": total + output,
    }
