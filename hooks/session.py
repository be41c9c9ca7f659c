"""SessionStart and SessionEnd: forget old alerts, orient a loop, end a cleared one."""

from __future__ import annotations

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "scripts"))


def main() -> None:
    from ralph_engine.core import alerts, hook_io, loop_of_session, session_state

    root = hook_io.project_root(os.environ)
    sent = hook_io.read_input()
    session = hook_io.session_of(sent, os.environ)
    if sent.get("hook_event_name") == "SessionEnd":
        if sent.get("reason") == "clear":
            session_state.end(root, session)
        return
    if sent.get("source") != "compact":
        alerts.forget(session, os.environ.get("TMPDIR") or "/tmp")
    marker = loop_of_session.find(root, session, os.environ)
    if marker is not None and os.environ.get("RALPH_ACTIVE") != "0":
        hook_io.add_context("SessionStart", loop_of_session.orientation(marker))


if __name__ == "__main__":
    try:
        main()
    except Exception:  # a hook is never in the way of a session
        sys.exit(0)
