"""After a tool call: is the agent to be told how full its context is?"""

from __future__ import annotations

import os

from . import alerts, context_levels, context_usage, paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from .alerts import Alerts
    from .context_usage import Usage

EVENTS = ("PostToolUse", "PostToolUseFailure")
_NAMES = [str(threshold) for threshold in context_levels.SEVERITIES]
# A call may end before its answer is in the transcript: late by 86 ms, on a busy machine more.
_PATIENCE = 1.0
_NAP = 0.01


def due(root: str, session: str, sent: dict[str, Any], environment: Mapping[str, str]) -> str:
    """The alert, or '': a subagent's calls do not fill this context."""
    path = sent.get("transcript_path")
    if sent.get("agent_id") or not isinstance(path, str) or not paths.is_session_id(session):
        return ""
    usage = _usage(path, sent.get("tool_use_id"), context_levels.chars_per_token(environment))
    if usage is None:
        return ""
    marker = _marker(root, session, environment)
    window = context_levels.window(environment, marker.get("contextWindow"))
    with alerts.Alerts(session, environment.get("TMPDIR") or "/tmp") as given:
        window = _widened(given, usage, window)
        if not usage.exact and usage.tokens > window:
            # Bytes that no context can hold, such as a picture's, tell nothing of it.
            return ""
        news = _news(given, usage, window, path)
        # The lower ones first: whoever finds the highest taken finds them taken too.
        if not news or not [given.claim(str(t), usage.size) for t in news][-1]:
            return ""
    told = _ralph_dir(marker)
    return context_levels.words(news[-1], usage.tokens, window, usage.exact, told)


def _usage(path: str, call: object, chars: float) -> Usage | None:
    """Of the answer that made the call: the client may still be about to write it down."""
    name = call if isinstance(call, str) else ""
    usage = context_usage.read(path, name, chars)
    if not _is_awaited(usage, path, name):
        return usage
    import time

    end = time.monotonic() + _PATIENCE
    while _is_awaited(usage, path, name) and time.monotonic() < end:
        time.sleep(_NAP)
        usage = context_usage.read(path, name, chars)
    return usage


def _is_awaited(usage: Usage | None, path: str, call: str) -> bool:
    """Before the first answer of a session the transcript itself may be missing."""
    if usage is None:
        return bool(call) and path.startswith("/") and not os.path.lexists(path)
    return not usage.current


def _news(given: Alerts, usage: Usage, window: int, path: str) -> list[int]:
    """All thresholds reached, where the highest of them was not told yet."""
    reached = context_levels.crossed(usage.tokens, window)
    known = {int(name): size for name, size in given.given(_NAMES).items()}
    if known.keys() - set(reached):
        compacted = context_usage.last_compaction(path)
        for threshold in context_levels.armed_again(known, reached, compacted):
            given.withdraw(str(threshold))
    return [] if not reached or reached[-1] in known else reached


def _widened(given: Alerts, usage: Usage, window: int) -> int:
    """More was seen in the context than its window was thought to hold: the window is wider.

    Only by a true figure; from then on for good, and what was told of the narrow one is void.
    """
    wide = context_levels.WIDE_WINDOW
    if window >= wide:
        return window
    if not usage.exact or usage.tokens <= window:
        return wide if given.given([alerts.WIDE]) else window
    if given.claim(alerts.WIDE, usage.size):
        for name in _NAMES:
            given.withdraw(name)
    return wide


def _marker(root: str, session: str, environment: Mapping[str, str]) -> dict[str, Any]:
    """Of this session's loop, {} outside one; read only where there is one to read."""
    there = os.path.lexists(os.path.join(root, paths.MARKER))
    if not there or environment.get("RALPH_ACTIVE") == "0":
        return {}
    from . import loop_of_session

    return loop_of_session.find(root, session, environment) or {}


def _ralph_dir(marker: dict[str, Any]) -> str:
    """'' where there is no task list to write stories to."""
    if not marker or marker.get("goal", "tasks") != "tasks":
        return ""
    return str(marker.get("ralphDir", paths.DEFAULT_RALPH_DIR))
