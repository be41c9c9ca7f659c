"""The live view of a run and `watch`, as a terminal shows them: tmux draws, the test reads."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ralph_engine.core.own_command import RALPH as TYPED
from runner.hostile_project import (
    DEADLINE,
    ENGINE,
    MARK,
    REPOSITORY,
    HostileProject,
    end_marked,
    story,
)
from runner.live_loop import HONEST, Gate, events, until, verb
from runner.pty_session import PtySession
from runner.tmux_terminal import TmuxTerminal, untimed

AGENTS = REPOSITORY / "tests" / "fixtures" / "agents"
CASSETTES = REPOSITORY / "tests" / "cassettes" / "claude" / "2.1.197"
SMALL, LARGE = (80, 24), (200, 50)
RALPH = [sys.executable, "-I", "-X", "utf8", str(ENGINE)]
GATED = 'echo "$WORDS"; echo here >> "$OUTSIDE/here"; read -r word < "$OUTSIDE/go"; exec '
PLAIN = {"TERM": "xterm", "LANG": "C.UTF-8"}


class Scene:
    """A project, a terminal for its loop, and terminals for those who watch."""

    def __init__(self, folder: Path, *stories: Any) -> None:
        self.project = HostileProject(folder, *(stories or (story("US-1", title="Say it"),)))
        self.gate = Gate(self.project)
        self.environment = {**self.project.environment, "IS_SANDBOX": "1", "WORDS": "Looking."}

    def gated(self) -> str:
        program = self.project.outside / "gated.sh"
        program.write_text(GATED + HONEST)
        return f"sh '{program}'"

    def like_claude(self, recording: str) -> str:
        self.environment["RECORDING"] = str(CASSETTES / f"{recording}.jsonl")
        program = self.project.outside / "claude"
        python = shlex.join([sys.executable, str(AGENTS / "replays.py")])
        program.write_text(f'#!/bin/sh\nexec {python} "$@"\n')
        program.chmod(0o755)
        return shlex.quote(str(program))

    def run(self, agent: str, *options: str, size: tuple[int, int] = SMALL) -> TmuxTerminal:
        words = ["run", "--delay", "0s", "--agent", agent, *options]
        return TmuxTerminal([*RALPH, *words], self.project.root, self.environment, size)

    def watch(self, size: tuple[int, int] = SMALL) -> TmuxTerminal:
        """Without the mark by which the runs of this project are ended: it is none of them."""
        own = {name: value for name, value in self.environment.items() if name != MARK}
        return TmuxTerminal([*RALPH, "watch"], self.project.root, own, size)

    def piped(self, *, reader: int = subprocess.PIPE) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [*RALPH, "watch"],
            cwd=self.project.root,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=reader,
            stderr=subprocess.STDOUT,
        )

    @contextlib.contextmanager
    def pausing(self) -> Iterator[subprocess.Popen[bytes]]:
        """Asked for; it is granted once the agent is done."""
        words = [*RALPH, "pause"]
        asked = "ralph/project-*/requests/pause"
        place = {"cwd": self.project.root, "env": self.environment}
        with subprocess.Popen(words, **place, stderr=subprocess.DEVNULL) as pausing:
            until(lambda: bool(list(self.project.state.glob(asked))))
            yield pausing

    def has_event(self, name: str, times: int = 1) -> None:
        until(lambda: sum(e["event"] == name for e in events(self.project)) >= times)


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    scene = Scene(tmp_path)
    yield scene
    end_marked(f"{MARK}={scene.project.mark}")


STATUS = re.compile(r"^─+$", re.MULTILINE)


def assert_clean(terminal: TmuxTerminal) -> None:
    """No status is left, and a prompt would stand on a line of its own."""
    assert not STATUS.search(terminal.whole()), terminal.whole()
    assert "elapsed" not in terminal.whole()
    cursor = terminal.cursor()
    assert cursor.visible and cursor.column == 0
    assert cursor.row == len(terminal.screen().split("\n"))


AT_WORK_80 = """\
iteration 1 of 15: implement US-1
│ Bash(ls /nonexistent-dir; exit 3)
│   ❌ error: Exit code 3 (2 lines, 75 chars)
│      ls: cannot access '/nonexistent-dir': No such file or directory
│ It failed.
───────────────────────────────────────────────────────────────────────────────
implement US-1: Say it
the agent works SPAN · last output SPAN ago · iteration 1 of 15
0 of 1 stories done · cost $0.00 of $5.00 · elapsed SPAN"""
STATUS_200 = """\
implement US-1: Say it
the agent works SPAN · last output SPAN ago · iteration 1 of 15 · 0 of 1 stories done\
 · cost $0.00 of $5.00 · elapsed SPAN"""
COMPLETE_200 = (
    "│ ✅ Complete (cost: $0.01, tokens: 2.4K in (2.0K cached) / 110 out, tools: 1, errors: 1,"
    " time: SPAN)"
)


def test_a_stand_in_for_claude_at_work_and_watched_at_80x24(scene: Scene) -> None:
    """The run, and the same from a second terminal; both until the end."""
    with scene.run(scene.like_claude("bash-fail"), "--max-cost", "5") as run:
        scene.gate.agents_come(1)
        screen = untimed(run.expect("It failed.", "last output"))
        assert screen.endswith(AT_WORK_80)
        assert screen.startswith("confined from outside, as IS_SANDBOX=1 says;")
        with scene.watch() as watch:
            seen = untimed(watch.expect("It failed.", "last output"))
            assert seen == f"run RUN, since CLOCK\nnow: implement US-1: Say it\n{AT_WORK_80}"
            scene.gate.let_go()
            scene.gate.agents_come(2)
            for terminal in (run, watch):
                screen = untimed(terminal.expect("review US-1: Say it", "last output"))
                [title] = [line for line in screen.split("\n") if line.startswith("iteration 2")]
                assert title == "iteration 2 of 15: review US-1"
                assert "│ ✅ Complete (cost: $0.01, tokens: 2.4K in (2.0K cached)" in screen
                assert "✅ US-1 is handed in: now a review must agree" in screen
                assert "cost $0.01 of $5.00" in screen
                assert "last end: ok, US-1 handed in" in screen
            scene.gate.let_go()
            assert (run.wait(), watch.wait()) == (0, 0)
            assert watch.screen().endswith("\nthe loop ended: complete: 1 of 1 stories verified")
            assert run.screen().endswith("\ncost: $0.01\nralph: complete: 1 of 1 stories verified")
            assert_clean(watch)
            assert_clean(run)


def test_a_stand_in_for_claude_at_work_and_watched_at_200x50(scene: Scene) -> None:
    with scene.run(scene.like_claude("bash-fail"), "--max-cost", "5", size=LARGE) as run:
        scene.gate.agents_come(1)
        with scene.watch(LARGE) as watch:
            for terminal in (run, watch):
                screen = untimed(terminal.expect("It failed.", "last output"))
                assert screen.endswith(f"│ It failed.\n{'─' * 199}\n{STATUS_200}")
            scene.gate.let_go()
            scene.gate.agents_come(2)
            for terminal in (run, watch):
                screen = untimed(terminal.expect("last end: ok, US-1 handed in", "last output"))
                assert COMPLETE_200 in screen.split("\n")
            verb(scene.project, "cancel")
            assert (run.wait(), watch.wait()) == (130, 0)
            assert watch.screen().endswith("\nthe loop ended: interrupted: cancelled on request")
            assert_clean(watch)
            assert_clean(run)


def test_killing_those_who_watch_does_not_touch_the_loop(scene: Scene) -> None:
    with scene.run(scene.gated()) as run:
        scene.gate.agents_come(1)
        with scene.watch() as watch, scene.watch() as other, scene.piped() as piped:
            for terminal in (watch, other):
                terminal.expect("Looking.", "last output")
            assert piped.stdout is not None
            assert piped.stdout.readline().startswith(b"run ")
            os.kill(watch.pid(), signal.SIGKILL)
            other.type("C-c")
            piped.kill()
            assert (watch.wait(), other.wait()) == (137, 130)
            # Below what stood there, on a line of its own.
            assert watch.screen().split("\n")[-1] == "Killed"
            assert watch.cursor().visible
            assert_clean(other)
        before = len(events(scene.project))
        scene.gate.let_go()
        scene.gate.let_go()
        assert run.wait() == 0
    assert len(events(scene.project)) > before
    assert scene.project.stories()["US-1"]["reviewStatus"] == "approved"


def test_ctrl_c_at_the_live_view_ends_the_run_and_leaves_a_clean_terminal(scene: Scene) -> None:
    with scene.run(scene.gated()) as run:
        scene.gate.agents_come(1)
        run.expect("Looking.", "last output")
        run.type("C-c")
        assert run.wait() == 130
        assert_clean(run)
        *_, line, report, ended, hint = run.whole().split("\n")
        assert "[ralph] Received signal, shutting down... (still running: the agent," in run.whole()
        assert line.startswith("❌ agent signal: ")
        assert report.startswith("report: .ralph/runs/")
        assert ended == "ralph: interrupted"
        assert hint == f"hint: {TYPED} resume goes on"
    assert events(scene.project)[-1]["status"] == "interrupted"


def test_an_error_leaves_a_clean_terminal(scene: Scene) -> None:
    (scene.project.root / "ralph" / "prompt.md").write_text("<!-- mode: implement -->\nopen\n")
    scene.project.git("commit", "-qam", "a broken template")
    with scene.run(HONEST) as run:
        assert run.wait() == 2
        assert "\niteration 1 of 15: implement US-1\nralph: ralph/prompt.md line 1" in run.screen()
        assert_clean(run)


def test_three_signals_leave_a_clean_terminal(scene: Scene) -> None:
    program = scene.project.outside / "stubborn.sh"
    program.write_text("trap '' INT TERM\n" + GATED.replace("exec ", "while :; do :; done"))
    with scene.run(f"sh '{program}'") as run:
        scene.gate.agents_come(1)
        run.expect("Looking.", "last output")
        for word in ("shutting down", "a second signal"):
            run.type("C-c")
            run.expect(word)
        assert run.wait() == 130
        assert_clean(run)


def test_a_terminal_that_is_gone_is_no_reason_to_stop(scene: Scene) -> None:
    """Hangup and EIO: the loop goes on, and can be watched from elsewhere."""
    scene.environment.update(PLAIN)
    options = ["--delay", "0s", "--agent", scene.gated()]
    with PtySession(scene.project, *options, env=scene.environment) as session:
        session.expect("last output")
        session.hang_up()
        with scene.watch() as watch:
            watch.expect("Looking.", "last output")
            scene.gate.let_go()
            scene.gate.let_go()
            assert session.wait() == 0
            assert watch.wait() == 0
    assert events(scene.project)[-1]["status"] == "complete"


COLOURS = re.compile(r"\x1b\[[0-9;]*m")
# All that the view tells a terminal: a row up, erase the row, wrap off and on.
MOVES = re.compile(r"\x1b\[(?:A|2K|\?7[lh])")


@pytest.mark.parametrize("added", [{}, {"NO_COLOR": "1"}], ids=["colour", "NO_COLOR"])
def test_colour_and_NO_COLOR(scene: Scene, added: dict[str, str]) -> None:
    env = {**scene.environment, **PLAIN, **added}
    with PtySession(scene.project, "--delay", "0s", "--agent", HONEST, env=env) as session:
        assert session.wait() == 0
    assert bool(COLOURS.search(session.screen)) == (not added)
    rest = MOVES.sub("", COLOURS.sub("", session.screen))
    assert {c for c in rest if unicodedata.category(c) == "Cc"} == {"\r", "\n"}
    assert "iteration 2 of 15" in rest


@pytest.mark.parametrize(
    ("display", "line"),
    [
        ({"emoji": False, "color": False}, "[OK] US-1 is handed in: now a review must agree"),
        ({"timestamps": True}, "[CLOCK] ✅ US-1 is handed in: now a review must agree"),
    ],
    ids=["plain", "timestamps"],
)
def test_the_settings_say_how_it_looks(scene: Scene, display: dict[str, bool], line: str) -> None:
    settings = scene.project.root / ".ralph" / "settings.local.json"
    settings.write_text(json.dumps({"display": display}))
    with scene.run(HONEST) as run:
        assert run.wait() == 0
        assert line in untimed(run.screen()).split("\n")
        assert ("\x1b[32m" in run.coloured()) == display.get("color", True)


def test_a_waiting_agents_words_cannot_look_like_the_runners(scene: Scene) -> None:
    """ralph/WAIT may hold anything, and is shown when a person takes the loop up again."""
    words = "which database?\n\\342\\234\\205 check make: passed\x1b[2J"
    (scene.project.outside / "wait.sh").write_text(f"printf '{words}' > ralph/WAIT; echo hm")
    agent = f"sh '{scene.project.outside}/wait.sh'"
    assert scene.project.run(agent, iterations=9).code == 42
    argv = [*RALPH, "resume", "--agent", HONEST]
    with TmuxTerminal(argv, scene.project.root, scene.environment, SMALL) as resumed:
        assert resumed.wait() == 0
        said = "ralph/WAIT said: which database?\n    ✅ check make: passed\\x1b[2J\n"
        assert said in resumed.whole()


def test_a_loop_that_is_paused_is_shown_as_such_here_and_there(scene: Scene) -> None:
    with scene.run(scene.gated()) as run:
        scene.gate.agents_come(1)
        with scene.watch() as watch, scene.pausing() as pausing:
            watch.expect("last output")
            scene.gate.let_go()
            assert pausing.wait(DEADLINE) == 0
            for terminal in (run, watch):
                screen = untimed(terminal.expect("paused for"))
                assert screen.endswith(
                    "paused for SPAN: nothing runs, editing is safe; `resume` goes on\n"
                    "at implement US-1 · iteration 1 of 15 · 0 of 1 stories done · elapsed SPAN\n"
                    "last end: ok, US-1 handed in"
                )
            with scene.piped() as late:
                assert late.stdout is not None
                told = [untimed(late.stdout.readline().decode()) for _ in range(2)]
                assert told[1].startswith("now: paused for SPAN: nothing runs, editing is safe;")
                late.kill()
            assert verb(scene.project, "resume").code == 0
            scene.gate.let_go()
            assert (run.wait(), watch.wait()) == (0, 0)
            assert_clean(run)


def test_a_loop_that_waits_counts_down_here_and_there(scene: Scene) -> None:
    with scene.run("sh -c true", "--delay", "1h") as run:
        scene.has_event("wait")
        with scene.watch() as watch:
            for terminal in (run, watch):
                counts_down(terminal)
            run.type("C-c")
            assert (run.wait(), watch.wait()) == (130, 0)
            assert_clean(run)
            assert_clean(watch)


def counts_down(terminal: TmuxTerminal) -> None:
    headline = "waiting, 59m"
    screen = terminal.expect(headline)
    [line] = [row for row in screen.split("\n") if row.startswith(headline)]
    assert re.fullmatch(r"waiting, 59m\d+s left, until .*\d\d:\d\d:\d\d: .+", line), line
    terminal.until(lambda now: line not in now.split("\n"), "the time that passes")


ODD = "\x1b[2J\x1b[1;1H\x1b[31mred\x1b]0;title\x07\x1b]8;;http://127.0.0.1/\x1b\\\r\x08\x9b2A\u202e"


def test_hostile_titles_and_words_never_move_the_cursor(tmp_path: Path) -> None:
    """Commands to terminals, a carriage return, characters of odd widths, ten kilobytes."""
    # This tmux gives a thumb with a skin tone four cells, the library two.
    title = f"{ODD[:8]} {'👍🏽' * 30} {ODD} 👩\u200d🚀 {'題' * 40} {'x' * 10_000}"
    scene = Scene(tmp_path, story("US-1", title=title))
    lines = ["first", ODD, "y" * 10_000, "👍🏽🇩🇪e\u0301" * 50, "last words"]
    scene.environment["WORDS"] = "\n".join(lines)
    with scene.run(scene.gated(), size=(80, 200)) as run:
        scene.gate.agents_come(1)
        with scene.watch((80, 200)) as watch:
            for terminal in (run, watch):
                shows_it_as_text(terminal)
            run.until(lambda now: "last output 2s ago" in now, "that time passes")
            assert len(STATUS.findall(run.whole())) == 1
            assert "│ first\n" in run.screen()
            run.type("C-c")
            assert (run.wait(), watch.wait()) == (130, 0)
            assert_clean(run)
            assert_clean(watch)


def shows_it_as_text(terminal: TmuxTerminal) -> None:
    screen = terminal.expect("│ last words", "last output")
    above, status = STATUS.split(screen)
    assert status.count("\n") == 3, status
    assert status.startswith("\nimplement US-1: \\x1b[2J\\x1b[1; 👍")
    assert "│ \\x1b[2J\\x1b[1;1H\\x1b[31mred" in above
    assert f"│ {'y' * 78}\n" in above


def test_a_terminal_that_changes_its_size(scene: Scene) -> None:
    """Narrower, its rows wrap; too low, there is no room for a status."""
    with scene.run(scene.gated(), size=LARGE) as run:
        scene.gate.agents_come(1)
        run.expect("Looking.", "last output")
        for columns, lines in ((40, 24), (200, 24), (41, 30), (80, 24)):
            run.resize(columns, lines)
            has_one_status(run, columns)
            assert run.whole().count("│ Looking.") == 1
        assert STATUS.match(run.screen()), "it stands at the top, where erasing all is scrolling"
        stood, before = run.screen(), run.whole().count("elapsed")
        run.until(lambda screen: screen != stood, "that time passes")
        assert run.whole().count("elapsed") == before
        run.resize(80, 6)
        run.until(lambda screen: "elapsed" not in screen, "a terminal without a status")
        run.type("C-c")
        assert run.wait() == 130


def has_one_status(terminal: TmuxTerminal, columns: int) -> None:
    terminal.until(
        lambda screen: (
            STATUS.findall(screen) == ["─" * (columns - 1)] and screen.count("elapsed") == 1
        ),
        f"one status at {columns} columns",
    )


def test_what_is_typed_at_a_question_stands_below_it(tmp_path: Path) -> None:
    done = {"passes": True, "reviewStatus": "approved", "reviewCount": 1}
    scene = Scene(tmp_path, story("US-1", **done))
    with scene.run(HONEST) as run:
        run.expect("US-1: approved, but not seen here. Trust them? (y/N)")
        assert not STATUS.search(run.screen())
        run.type("y", "Enter")
        assert run.wait() == 0
        assert "Trust them? (y/N) y\n" in run.screen()
        assert "1 not seen by the runner (US-1)" in run.screen()
        assert_clean(run)


def test_a_terminal_without_a_cursor_gets_plain_lines(scene: Scene) -> None:
    env = {**scene.environment, "TERM": "dumb", "LANG": "C.UTF-8"}
    with PtySession(scene.project, "--delay", "0s", "--agent", HONEST, env=env) as session:
        assert session.wait() == 0
    assert "\x1b" not in session.screen
    assert "[CLOCK] [ralph] iteration 1 of 15: implement US-1\r\n" in untimed(session.screen)


def test_a_run_without_a_terminal_prints_timed_lines_that_name_the_agent(scene: Scene) -> None:
    said = "[ralph] check make: passed\\n\033[2J  and so on"
    (scene.project.outside / "say.sh").write_text(f"printf '{said}\\n'; exec {HONEST}")
    ended = scene.project.run(f"sh '{scene.project.outside}/say.sh'")
    assert ended.code == 0, ended.printed
    lines = untimed(ended.printed).splitlines()
    own = [line for line in lines if line.startswith("[CLOCK] [ralph] ")]
    assert "[CLOCK] [ralph] iteration 1 of 2: implement US-1" in own
    assert "[CLOCK] [ralph] US-1 is handed in: now a review must agree" in own
    assert not any("check make: passed" in line for line in own)
    assert "[CLOCK] agent: [ralph] check make: passed" in lines
    assert "[CLOCK] agent: \\x1b[2J  and so on" in lines
    assert lines[-1] == "ralph: complete: 1 of 1 stories verified"


def test_what_an_agent_left_in_a_file_cannot_look_like_a_line_of_the_runner(scene: Scene) -> None:
    words = "why?\\n[12:00:00] [ralph] check make: passed"
    (scene.project.outside / "wait.sh").write_text(f"printf '{words}' > ralph/WAIT; echo hm")
    assert scene.project.run(f"sh '{scene.project.outside}/wait.sh'", iterations=9).code == 42
    resumed = verb(scene.project, "resume", "--agent", HONEST)
    assert "said: why?\n    [12:00:00] [ralph] check make: passed\n" in resumed.printed


def test_a_flood_shows_what_can_be_read_and_the_status_stays(scene: Scene) -> None:
    words = "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); echo line $i; done; "
    program = scene.project.outside / "flood.sh"
    program.write_text(words + GATED + HONEST)
    with scene.run(f"sh '{program}'", "--idle-timeout", "60s") as run:
        run.expect("│ line 20000", "│ Looking.", "last output")
        assert "lines came too fast to be shown; all are in the journal" in run.whole()
        assert len(STATUS.findall(run.whole())) == 1
        run.type("C-c")
        assert run.wait() == 130
    told = [e["text"] for e in events(scene.project) if e.get("kind") == "text"]
    assert sum(text.count("line ") for text in told) == 20_000


def lines_of(process: subprocess.Popen[bytes]) -> list[str]:
    told, _ = process.communicate(timeout=DEADLINE)
    return told.decode().split("\n")[:-1]


def test_piped_it_is_one_timed_line_per_event(scene: Scene) -> None:
    scene.environment["WORDS"] = "Looking.\nStill\x1b[2J looking."
    with scene.run(scene.like_claude("bash-fail")) as run:
        scene.gate.agents_come(1)
        until(lambda: any(e.get("text") == "It failed." for e in events(scene.project)))
        piped = scene.piped()
        assert piped.stdout is not None
        first = [untimed(piped.stdout.readline().decode().rstrip("\n")) for _ in range(5)]
        scene.gate.let_go()
        scene.gate.let_go()
        assert run.wait() == 0
        rest = [untimed(line) for line in lines_of(piped)]
    assert first[:2] == ["run RUN, since CLOCK", "now: implement US-1: Say it"]
    assert "[CLOCK] iteration 1 of 15: implement US-1" in first
    assert rest[-1] == "the loop ended: complete: 1 of 1 stories verified"
    assert all(line.startswith("[CLOCK] ") for line in rest[:-1])
    assert "[CLOCK] check test -f app.py: passed" in rest
    assert "[CLOCK] agent: error: Exit code 3 (2 lines, 75 chars)" in [*first, *rest]
    assert piped.returncode == 0


def test_a_reader_who_leaves_ends_the_watch_alone(scene: Scene) -> None:
    with scene.run(scene.gated()) as run:
        scene.gate.agents_come(1)
        piped = scene.piped()
        assert piped.stdout is not None
        piped.stdout.readline()
        piped.stdout.close()
        scene.gate.let_go()
        assert piped.wait(DEADLINE) == 0
        scene.gate.let_go()
        assert run.wait() == 0


def test_without_a_loop_it_says_how_the_last_one_ended(scene: Scene) -> None:
    nothing = verb(scene.project, "watch")
    assert (nothing.code, nothing.screen) == (0, "no loop has run here\n")
    assert scene.project.run("sh -c 'echo hm'", iterations=1).code == 1
    told = verb(scene.project, "watch")
    end = events(scene.project)[-1]["time"]
    assert told.code == 0
    assert untimed(told.screen).split("\n") == [
        "run RUN, since CLOCK",
        "iteration 1: implement US-1: ok (SPAN)",
        f"no loop runs here; the last one ended {untimed(end)}: exhausted: 1 iteration used up",
        "",
    ]


def test_a_loop_that_is_killed_while_watched(scene: Scene) -> None:
    with scene.run(scene.gated()) as run:
        scene.gate.agents_come(1)
        _killed_while_watched(scene, run)


def _killed_while_watched(scene: Scene, run: TmuxTerminal) -> None:
    with scene.watch() as watch:
        watch.expect("Looking.", "last output")
        os.kill(run.pid(), signal.SIGKILL)
        assert (run.wait(), watch.wait()) == (137, 0)
        killed = f"the loop was killed: {TYPED} resume goes on with it"
        assert watch.screen().endswith(f"\n{killed}")
        assert_clean(watch)
        # What the killed run had pinned stands there, the shell's word below it.
        assert run.screen().split("\n")[-1] == "Killed"
        assert run.cursor().visible
        told = verb(scene.project, "watch")
        assert told.screen.endswith(
            f"\nno loop runs here; the last one was killed: {TYPED} resume goes on with it\n"
        )


def test_a_watch_goes_on_with_the_run_that_follows_one_cut_off(scene: Scene) -> None:
    """A start with another goal closes the killed run first; both belong to one runner."""
    with scene.run(scene.gated()) as run:
        scene.gate.agents_come(1)
        os.kill(run.pid(), signal.SIGKILL)
        assert run.wait() == 137
    with scene.run(scene.gated(), "-p", "go", "-n", "1") as run:
        scene.gate.agents_come(2)
        with scene.watch() as watch:
            watch.expect("now: the prompt", "Looking.", "last output")
            verb(scene.project, "cancel")
            assert (run.wait(), watch.wait()) == (130, 0)


def test_settings_that_are_just_being_edited_hinder_no_one(scene: Scene) -> None:
    with scene.run(scene.gated()) as run:
        scene.gate.agents_come(1)
        (scene.project.root / ".ralph" / "settings.local.json").write_text('{"display": ')
        with scene.watch() as watch:
            watch.expect("Looking.", "last output")
        run.type("C-c")
        assert run.wait() == 130


def test_a_long_past_takes_little_memory(scene: Scene) -> None:
    """Of a journal of 100 MB only its last words are kept."""
    assert scene.project.run("sh -c 'echo hm'", iterations=1).code == 1
    [journal] = scene.project.state.glob("ralph/project-*/runs/*/journal.jsonl")
    line = '{"time": "2026-01-01T00:00:00Z", "event": "agent", "kind": "unknown", "raw": "%s"}\n'
    with journal.open("a") as file:
        for _ in range(100):
            file.write(line % ("x" * 1_000_000))
    peak = scene.project.outside / "peak"
    program = REPOSITORY / "tests" / "fixtures" / "floods" / "peak.py"
    done = subprocess.run(
        [sys.executable, "-I", "-X", "utf8", str(program), str(peak), str(ENGINE), "watch"],
        cwd=scene.project.root,
        env=scene.environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=DEADLINE,
    )
    assert done.returncode == 0, done.stderr
    assert b"exhausted: 1 iteration used up" in done.stdout
    assert int(peak.read_text()) < 100_000_000 // 1024
