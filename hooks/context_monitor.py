"""PostToolUse and PostToolUseFailure: tell the agent when its context fills up."""

from __future__ import annotations

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "scripts"))


def main() -> None:
    if os.environ.get("RALPH_CONTEXT_MONITOR") == "off":
        return
    from ralph_engine.core import context_alert, hook_io

    root = hook_io.project_root(os.environ)
    sent = hook_io.read_input()
    event = sent.get("hook_event_name", "PostToolUse")
    session = hook_io.session_of(sent, os.environ)
    if event not in context_alert.EVENTS:
        return
    alert = context_alert.due(root, session, sent, os.environ)
    if alert:
        hook_io.add_context(event, alert)


if __name__ == "__main__":
    try:
        main()
    except Exception:  # a hook is never in the way of a session
        sys.exit(0)
