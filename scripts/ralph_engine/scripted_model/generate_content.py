"""A turn in the words of the Gemini API: a response, its event stream, an error body."""

from __future__ import annotations

import json
import re
from typing import Any

from ralph_engine.scripted_model.turns import Turn

Json = dict[str, Any]

DEFAULT_USAGE = {"input": 100, "output": 10}
# The model's name stands in the path, and so does whether the answer is streamed.
_PATH = re.compile(r"/v1beta/models/([^/:]+):(generateContent|streamGenerateContent)")


def model_in(path: str) -> str | None:
    """None where the path is not one of this API."""
    found = _PATH.fullmatch(path)
    return found[1] if found else None


def is_streamed(path: str) -> bool:
    return path.endswith(":streamGenerateContent")


def response(turn: Turn, model: str) -> Json:
    content = {"role": "model", "parts": [_part(block) for block in turn["content"]]}
    return {
        "candidates": [{"content": content, "finishReason": "STOP", "index": 0}],
        "usageMetadata": _usage(turn.get("usage", DEFAULT_USAGE)),
        "modelVersion": turn.get("model", model),
    }


def event_stream(response: Json) -> bytes:
    return f"data: {json.dumps(response)}\r\n\r\n".encode()


def error_body(status: int, text: str, error: Json) -> bytes:
    known = {"code": status, "message": text or "api_error", "status": "UNKNOWN", **error}
    return json.dumps({"error": known}).encode()


def _part(block: Json) -> Json:
    if block["type"] == "tool_use":
        return {"functionCall": {"name": block["name"], "args": block["input"]}}
    if block["type"] == "thinking":
        return {"thought": True, "text": block["thinking"]}
    return {"text": block["text"]}


def _usage(figures: dict[str, int]) -> Json:
    """Here the input counts all of it: what is cached is a part."""
    read = figures.get("cache_read", 0)
    total = figures.get("input", 0) + figures.get("cache_creation", 0) + read
    output = figures.get("output", 0)
    return {
        "promptTokenCount": total,
        "cachedContentTokenCount": read,
        "candidatesTokenCount": output,
        "totalTokenCount": total + output,
    }
