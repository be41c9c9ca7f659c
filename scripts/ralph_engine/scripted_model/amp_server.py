"""What Amp's own server is asked beside the model: who is signed in, and to keep the thread."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]

PATH = "/api/internal"
# Amp asks its server for the model, which passes it on in the words of the Messages API.
MESSAGES = "/api/provider/anthropic/v1/messages"

_USER = {"id": "user_scripted", "username": "scripted", "email": "scripted@localhost"}


def answer(body: Json) -> Json:
    asked = body.get("method") == "getUserInfo"
    return {"ok": True, "result": {**_USER, "features": [], "team": None} if asked else {}}
