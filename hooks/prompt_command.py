"""UserPromptExpansion and UserPromptSubmit: start, steer, hold and end loops."""

from __future__ import annotations

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "scripts"))


def main() -> None:
    from ralph_engine.core import hook_io, prompt_gate

    root = hook_io.project_root(os.environ)
    sent = hook_io.read_input()
    session = hook_io.session_of(sent, os.environ)
    if not prompt_gate.concerns(root, session, sent):
        return
    from ralph_engine.core import prompt_commands

    event = "UserPromptExpansion"
    if sent.get("hook_event_name") == event:
        said = prompt_commands.expand(root, session, sent, os.environ)
    else:
        said = prompt_commands.steer(root, session, sent)
    if said.stopped:
        hook_io.block(said.stopped)
    elif said.context:
        hook_io.add_context(event, said.context, said.told)
    elif said.told:
        hook_io.tell(said.told)


if __name__ == "__main__":
    try:
        main()
    except Exception:  # a hook is never in the way of a session
        sys.exit(0)
