"""What the README lets a reader type into Claude Code, typed into it as it stands there."""

from __future__ import annotations

import shlex
from pathlib import Path

from e2e.claude_client import REPOSITORY, manage_plugins
from e2e.conversation import DONE, Talker
from e2e.loop_project import shell
from ralph_engine.scripted_model import say
from readme import typed_in_blocks

FAILS_UNTIL = "test:\n\ttest -e fixed\n"


def test_the_plugin_is_installed_and_its_loop_ends_by_the_check(tmp_path: Path) -> None:
    *install, loop = typed_in_blocks("text")
    talker = Talker(tmp_path)
    for line in install:
        words = shlex.split(line.replace("/path/to/ralph", shlex.quote(str(REPOSITORY))))
        assert words[0] == "/plugin"
        manage_plugins(talker.home, *words[1:])
    (talker.root / "Makefile").write_text(FAILS_UNTIL)
    script = [shell("true"), say(DONE), shell("touch fixed"), say(DONE)]
    played = talker.play(script, loop, plugin=None)
    assert "`make test` failed: exit code 2." in played.blocks[0]
    assert played.told[0].startswith("Ralph: ralph-loop started, at most 10 iterations")
    assert "Ralph: PROMISE_ACCEPTED after 1 iteration" in played.told[1]
    assert talker.ended()["task"] == "Make the tests pass"
