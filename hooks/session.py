"""SessionStart and SessionEnd: forget old alerts, orient a loop, end a cleared one."""

from __future__ import annotations

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "scripts"))


def main() -> None:
    from ralph_engine.core import alerts, hook_io, loop_of_session

    root = hook_io.project_root(os.environ)
    sent = hook_io.read_input()
    session = hook_io.session_of(sent, os.environ)
    if "clear" in (sent.get("reason"), sent.get("source")):
        from ralph_engine.core import session_events
    if sent.get("hook_event_name") == "SessionEnd":
        if sent.get("reason") == "clear":
            session_events.cleared(root, session)
        return
    source = sent.get("source")
    if source != "compact":
        alerts.forget(session, os.environ.get("TMPDIR") or "/tmp")
    told = session_events.note_of_cleared(root) if source == "clear" else ""
    words = loop_of_session.words(root, session, os.environ)
    if words:
        hook_io.add_context("SessionStart", words, told)
    elif told:
        hook_io.tell(told)


if __name__ == "__main__":
    try:
        main()
    except Exception:  # a hook is never in the way of a session
        sys.exit(0)
