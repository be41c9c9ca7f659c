"""PreToolUse: may this tool call run?"""

from __future__ import annotations

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "scripts"))


def main() -> None:
    if os.environ.get("RALPH_ACTIVE") == "0":
        return
    from ralph_engine.core import guard, hook_io

    root = hook_io.project_root(os.environ)
    sent = hook_io.read_input()
    session = hook_io.session_of(sent, os.environ)
    reason = guard.reason_to_deny(root, session, sent, os.environ)
    if reason:
        hook_io.deny(reason)


if __name__ == "__main__":
    try:
        main()
    except Exception:  # outside a loop a hook fails in silence, whatever state the plugin is in
        sys.exit(0)
