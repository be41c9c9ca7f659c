"""A hook's two ends: JSON in, one decision out. Nothing else is ever printed."""

from __future__ import annotations

import json
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_INPUT_LIMIT = 64 * 1024 * 1024


def read_input() -> dict[str, Any]:
    """What Claude Code sent; an empty dict where it is no JSON object."""
    try:
        value = json.loads(_stdin())
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def project_root(environment: Mapping[str, str]) -> str:
    """Where the client was started, not where the agent has moved since."""
    return environment.get("CLAUDE_PROJECT_DIR") or os.getcwd()


def session_of(sent: dict[str, Any], environment: Mapping[str, str]) -> str:
    session = sent.get("session_id") or environment.get("CLAUDE_CODE_SESSION_ID")
    return session if isinstance(session, str) else ""


def block(reason: str, told: str = "") -> None:
    """`reason` is the model's (or, of a typed command, the person's), `told` the person's."""
    _print({"decision": "block", "reason": sendable(reason), **_told(told)})


def deny(reason: str) -> None:
    """A tool call that does not run; the model reads why."""
    said = {"hookEventName": "PreToolUse", "permissionDecision": "deny"}
    _print({"hookSpecificOutput": {**said, "permissionDecisionReason": sendable(reason)}})


def add_context(event: str, text: str, told: str = "") -> None:
    said = {"hookEventName": event, "additionalContext": sendable(text)}
    _print({"hookSpecificOutput": said, **_told(told)})


def tell(line: str) -> None:
    """One line for the person; nothing is decided by it."""
    _print(_told(line))


def _told(line: str) -> dict[str, str]:
    return {"systemMessage": sendable(line)} if line else {}


def sendable(text: str) -> str:
    """Half a surrogate pair is refused by the model's API, and the session would end there."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _print(answer: dict[str, Any]) -> None:
    data = json.dumps(answer).encode("ascii") + b"\n"
    try:
        while data:
            data = data[os.write(1, data) :]
    except OSError:
        pass


def _stdin() -> bytes:
    blocks = []
    left = _INPUT_LIMIT
    while left > 0:
        block = os.read(0, min(left, 1024 * 1024))
        if not block:
            break
        blocks.append(block)
        left -= len(block)
    return b"".join(blocks)
