"""The live view and `watch` while the real client works."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

from e2e import claude_client
from e2e.claude_client import MARK, REPOSITORY
from e2e.loop_project import shell
from e2e.runner_life import Life
from ralph_engine.scripted_model import ScriptedModel, call, say, turn
from runner.hostile_project import end_marked
from runner.tmux_terminal import TmuxTerminal, untimed

ENGINE = REPOSITORY / "scripts" / "ralph_engine" / "__main__.py"
RALPH = [sys.executable, "-I", "-X", "utf8", str(ENGINE)]
COMPLETE = re.compile(
    r"│ ✅ Complete \(cost: \$\d+\.\d\d, tokens: [\d.]+[KM]? in( \([\d.]+[KM]? cached\))?"
    r" / [\d.]+K? out, tools: 4, errors: 1, time: SPAN\)"
)
AT_WORK = """\
│ Now I look at it.
│ Bash(printf 'one\\ntwo\\n'; cat ../go)
─"""


def test_tools_their_results_and_the_end_here_and_there(tmp_path: Path) -> None:
    life = Life(tmp_path, "US-1")
    life.begin()
    go = tmp_path / "go"
    os.mkfifo(go)
    turns = [
        call("Read", file_path=str(life.root / "ralph" / "progress.txt")),
        shell("echo 'no such thing' >&2; exit 3"),
        turn(say("Now I look at it."), shell("printf 'one\\ntwo\\n'; cat ../go")),
        life.edit("US-1", "feat: US-1", "echo x > a.txt", passes=True, notes="built"),
        say("Done."),
    ]
    with ScriptedModel(turns) as model:
        environment = {
            **claude_client._offline_environment(model, tmp_path / "scratch", tmp_path / "home"),
            "XDG_STATE_HOME": str(life.state),
        }
        try:
            _watch_it(life, environment, go)
        finally:
            end_marked(f"{MARK}={environment[MARK]}")
    assert model.answers_past_the_end == 0


def _watch_it(life: Life, environment: dict[str, str], go: Path) -> None:
    words = ["run", "--skip-review", "--max-cost", "5", "--agent", life.agent]
    with TmuxTerminal([*RALPH, *words], life.root, environment, (120, 40)) as run:
        run.expect("cat ../go)", "last output")
        with TmuxTerminal([*RALPH, "watch"], life.root, environment, (120, 40)) as watch:
            watch.expect("cat ../go)", "last output")
            _shows_an_agent_at_work(run, watch)
            go.write_text("three\n")
            assert (run.wait(), watch.wait()) == (0, 0)
            _shows_how_it_ended(run, watch)


def _shows_an_agent_at_work(run: TmuxTerminal, watch: TmuxTerminal) -> None:
    screen = untimed(run.screen())
    assert "│ Read(" in screen and "/ralph/progress.txt)\n" in screen
    assert re.search(r"│   ✅ \(\d lines?, \d+ chars\)\n│ +1   # Progress", screen)
    assert "│   ❌ error: Exit code 3 (2 lines, 25 chars)\n│      no such thing\n" in screen
    for seen in (screen, untimed(watch.screen())):
        assert AT_WORK in seen
        assert "\nimplement US-1: Story US-1\nthe agent works SPAN · last output SPAN ago" in seen
        assert "0 of 1 stories done · cost $0.00 of $5.00" in seen


def _shows_how_it_ended(run: TmuxTerminal, watch: TmuxTerminal) -> None:
    for terminal in (run, watch):
        screen = untimed(terminal.whole())
        assert "│   ✅ (3 lines, 13 chars)\n│      one\n│      two\n│      three\n" in screen
        assert COMPLETE.search(screen), screen
    ended = "complete: 1 story passes the checks, unreviewed (--skip-review)"
    assert run.screen().endswith(f"\nralph: {ended}")
    assert watch.screen().endswith(f"\nthe loop ended: {ended}")
