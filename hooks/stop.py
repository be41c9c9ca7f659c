"""Stop: may this turn end?"""

from __future__ import annotations

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "scripts"))


def main() -> None:
    if os.environ.get("RALPH_ACTIVE") == "0":
        return
    from ralph_engine.core import fresh_stop, hook_io, hook_log, loop_of_session

    root = hook_io.project_root(os.environ)
    sent = hook_io.read_input()
    session = hook_io.session_of(sent, os.environ)
    marker = loop_of_session.find(root, session, os.environ)
    if marker is None:
        return
    try:
        reason = fresh_stop.reason_to_block(root, marker, session, sent)
    except Exception:  # in a loop our own failure is told once, then never in the way
        reason = hook_log.failure(root, session)
    if reason:
        hook_io.block(reason)


if __name__ == "__main__":
    try:
        main()
    except Exception:  # outside a loop a hook fails in silence, whatever state the plugin is in
        sys.exit(0)
