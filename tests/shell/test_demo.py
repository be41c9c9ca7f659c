"""demo: the real runner on a throw-away project, and nothing of it stays."""

from __future__ import annotations

import fcntl
import io
import json
import os
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import termios
from collections import Counter
from pathlib import Path

import pytest
from ralph_engine import demo_agent, demo_folder, demo_view, demo_words
from runner.live_loop import until
from shell.demo_place import ENGINE, SECONDS, Kept, Place, read_lines


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Kept:
    return Kept(Place(tmp_path_factory.mktemp("kept")))


def test_the_iterations_are_the_promised_ones(kept: Kept) -> None:
    assert kept.of("iteration", "mode", "story") == [
        ("implement", "US-001"),
        ("review", "US-001"),
        ("review-fix", "US-001"),
        ("review", "US-001"),
        ("implement", "US-002"),
        ("implement", "US-002"),
        ("review", "US-002"),
    ]


def test_one_review_sends_back_and_two_approve(kept: Kept) -> None:
    expected = [
        ("US-001", "changes_requested"),
        ("US-001", "approved"),
        ("US-002", "approved"),
    ]
    assert kept.of("verdict", "story", "verdict") == expected
    judged = [(entry["story"], entry["event"]) for entry in kept.ledger if "reviewed" in entry]
    assert [entry for entry in judged if entry[1] != "submitted"] == expected


def test_each_storys_own_checks_were_red_before_the_work_and_green_after_it(kept: Kept) -> None:
    ran = [entry for entry in kept.ledger if entry["event"].startswith("verify-")]
    assert [(entry["story"], entry["event"], entry["passed"]) for entry in ran] == [
        ("US-001", "verify-before", False),
        ("US-001", "verify-after", True),
        ("US-002", "verify-before", False),
        ("US-002", "verify-after", True),
    ]


def test_the_hostile_iteration_is_undone_by_name(kept: Kept) -> None:
    rules = ["illegal-in-implement", "frozen"]
    assert kept.of("violation", "rule", "story") == [(rule, "US-002") for rule in rules]
    assert kept.of("notice", "rule") == [("false-promise",)]
    assert kept.of("tasks-rewritten", "uncommitted") == [("",)]
    checks = {story["id"]: story["verify"] for story in kept.stories}
    assert checks == {story["id"]: story["verify"] for story in planned()}


def test_it_ends_complete_and_nothing_was_reopened(kept: Kept) -> None:
    assert kept.of("end", "code", "why") == [(0, "complete: 2 of 2 stories verified")]
    assert [(story["passes"], story["reviewCount"]) for story in kept.stories] == [
        (True, 2),
        (True, 1),
    ]
    assert "reopened" not in {entry["event"] for entry in kept.ledger}
    assert kept.git("status", "--porcelain") == ""


def test_its_commits_have_the_forms_that_the_prompt_names(kept: Kept) -> None:
    prompt = (ENGINE.parents[2] / "templates" / "prompt.md").read_text(encoding="utf-8")
    forms = set(re.findall(r"`((?:feat|review|fix): [^`]+)`", prompt))
    known = {form: re.escape(form).replace(r"\[ID\]", r"\[US-\d+\]") for form in forms}
    known = {form: pattern.replace("Title", ".+") for form, pattern in known.items()}
    subjects = kept.git("log", "--format=%s", "--author=Demo agent").splitlines()[:-1]
    used = [[f for f, pattern in known.items() if re.fullmatch(pattern, s)] for s in subjects]
    assert [len(found) for found in used] == [1] * len(subjects)
    assert {found[0] for found in used} == forms


def test_the_first_check_after_the_cheat_is_red_and_all_others_green(kept: Kept) -> None:
    codes = [code for (code,) in kept.of("check", "code")]
    assert Counter(codes) == {0: len(codes) - 1, 1: 1}


def test_the_pauses_for_people_take_a_few_seconds(kept: Kept) -> None:
    """The pauses alone, not the clock: that depends on what else the machine does."""
    assert len(kept.of("agent", "text")) * demo_agent.PAUSE < 6


def test_the_figures_are_those_of_the_journal(kept: Kept) -> None:
    count = Counter(event["event"] for event in kept.events)
    assert kept.lines[-6:] == [
        f"Claims by the agent: {count['agent']}, believed: 0. Edits undone: {count['violation']}."
        " False promises: 1.",
        f"Stories done: 2 in {count['iteration']} iterations, on {count['verdict']} reviews"
        f" (1 sent back) and {count['check']} checks.",
        "Each run has a report, as Markdown and as one HTML file (verb: report)",
        f"Next, in a project of yours: {ENGINE.parents[1] / 'ralph.sh'} init",
        f"Report: {kept.one('greeter/.ralph/runs/*/report.html')}",
        f"Kept: {kept.folder}",
    ]


def test_every_word_of_the_agent_stands_left_and_every_catch_right(kept: Kept) -> None:
    sides = [line.split(" | ") for line in kept.lines]
    left = " ".join(side[0].strip() for side in sides)
    right = " ".join(side[1] for side in sides if len(side) == 2)
    assert [text for (text,) in kept.of("agent", "text") if text not in left] == []
    for words in ("x UNDONE: approving its own work", "x UNDONE: weakening its check", "x IGNORED"):
        assert words in right
    assert right.endswith("+ complete: 2 of 2 stories verified")


def test_verify_has_the_last_word(kept: Kept) -> None:
    start = kept.lines.index(demo_words.VERIFY)
    lines = kept.lines[start + 1 : kept.lines.index("", start)]
    # What is too long for a line goes on below it.
    assert [line[:8] for line in lines if line[:8].strip()] == ["   ok   "] * 5
    assert "US-001 Say hello: approved by the review of" in lines[0]


def test_a_pipe_gets_plain_text(kept: Kept) -> None:
    assert kept.done.stdout.isascii()
    assert re.findall(r"[^\n -~]", kept.done.stdout) == []
    assert max(map(len, kept.lines[:-3])) < 80


def test_the_users_things_are_as_before(kept: Kept) -> None:
    assert kept.place.everything() == kept.before
    assert {who for who in kept.git("log", "--format=%an").split("\n") if who} == {
        "Demo agent",
        "Ralph Loop",
    }


def test_nothing_is_left_wherever_the_plugin_lies(place: Place, tmp_path: Path) -> None:
    plugin = tmp_path / 'it\'s a "plugin" folder'
    for name in ("scripts", "templates", ".claude-plugin"):
        shutil.copytree(ENGINE.parents[2] / name, plugin / name)
    done = place.run(engine=plugin / "scripts" / "ralph_engine" / "__main__.py")
    assert (done.returncode, done.stderr) == (0, ""), done
    assert place.left_over() == []
    assert place.processes() == []


def shown_on_terminal(place: Place, width: int, **env: str) -> str:
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    process = place.start(stdout=theirs, **env)
    os.close(theirs)
    shown = bytearray()
    while select.select([ours], [], [], SECONDS)[0]:
        try:
            shown += os.read(ours, 4096)
        except OSError:  # how a terminal says that its last program has left
            break
    os.close(ours)
    _, complaints = process.communicate(timeout=SECONDS)
    assert (process.returncode, complaints) == (0, b""), complaints
    return shown.decode("utf-8").replace("\r\n", "\n")


def test_a_terminal_gets_colour_and_a_narrow_one_short_lines(place: Place) -> None:
    shown = shown_on_terminal(place, 50)
    assert "\x1b[31m\u2717 UNDONE: weakening its check\x1b[0m\n" in shown
    plain = re.sub(r"\x1b\[\d+m", "", shown)
    assert "   agent  I approve this story myself.\n" in plain
    assert [line for line in plain.split("\n") if len(line) > 50 and "init" not in line] == []
    assert "\x1b" not in plain


def test_no_color_and_another_locale(place: Place) -> None:
    shown = shown_on_terminal(place, 80, NO_COLOR="1", LANG="C")
    assert re.findall(r"[^\n -~]", shown) == []
    assert "| x UNDONE: weakening its check\n" in shown


def read_until(process: subprocess.Popen[bytes], words: bytes) -> None:
    assert process.stdout
    seen = b""
    while words not in seen:
        assert select.select([process.stdout], [], [], SECONDS)[0], seen
        piece = os.read(process.stdout.fileno(), 4096)
        assert piece, seen
        seen += piece


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (signal.SIGINT, b"Ralph runs"),
        (signal.SIGINT, b"the runner sees\n"),
        (signal.SIGINT, b"Writing hello.sh"),
        (signal.SIGINT, b"UNDONE"),
        (signal.SIGINT, b"without any model"),
        (signal.SIGTERM, b"Changes requested"),
        (signal.SIGHUP, b"I approve this story"),
    ],
)
def test_a_signal_ends_it_all(place: Place, number: int, words: bytes) -> None:
    process = place.start()
    read_until(process, words)
    os.killpg(process.pid, number)
    rest, _ = process.communicate(timeout=SECONDS)
    assert process.returncode == 130, rest
    assert place.left_over() == []
    assert place.processes() == []
    assert b"Traceback" not in rest and b"Claims" not in rest


def last_event(place: Place) -> tuple[str, str, str]:
    (journal,) = place.temporary.glob("*/state/ralph/*/runs/*/journal.jsonl")
    event = read_lines(journal)[-1]
    return event["event"], event["code"], event["status"]


def test_what_a_killed_demo_leaves_goes_with_the_next(place: Place) -> None:
    killed = place.start()
    read_until(killed, b"Writing hello.sh")
    [left] = place.left_over()
    killed.kill()
    killed.communicate(timeout=SECONDS)
    until(lambda: not place.processes())
    assert place.left_over() == [left]
    (place.temporary / "ralph-demo-mine").mkdir()
    following = place.start()
    read_until(following, b"Writing hello.sh")
    os.killpg(following.pid, signal.SIGINT)
    following.communicate(timeout=SECONDS)
    assert place.left_over() == ["ralph-demo-mine"]


def test_a_signal_reaches_the_runner(place: Place) -> None:
    """Else the demo would end as well, but only after the whole loop."""
    process = place.start("--keep")
    read_until(process, b"Writing hello.sh")
    os.killpg(process.pid, signal.SIGINT)
    rest, _ = process.communicate(timeout=SECONDS)
    assert rest.decode().splitlines()[-1] == f"Kept: {place.temporary / place.left_over()[0]}"
    assert last_event(place) == ("end", 130, "interrupted")


def test_a_reader_that_leaves_ends_it_too(place: Place) -> None:
    process = place.start("--keep")
    read_until(process, b"Writing hello.sh")
    assert process.stdout
    process.stdout.close()
    assert process.wait(SECONDS) == 0
    assert last_event(place) == ("end", 130, "interrupted")
    assert place.processes() == []


def test_nothing_is_left_when_the_reader_leaves(place: Place) -> None:
    process = place.start()
    read_until(process, b"Writing hello.sh")
    assert process.stdout
    process.stdout.close()
    assert process.wait(SECONDS) == 0
    assert place.left_over() == []


@pytest.mark.parametrize("missing", ["git", "sh"])
def test_a_missing_program_is_named_in_one_line(place: Place, tmp_path: Path, missing: str) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in {"git", "sh"} - {missing}:
        (tools / name).symlink_to(str(shutil.which(name)))
    done = place.run(PATH=str(tools))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"ralph: the demo needs {missing}, which is not on PATH: install it\n"
    assert place.left_over() == []


def with_git(place: Place, folder: Path, first: str) -> str:
    """A PATH whose git does `first` before the real one has its turn."""
    folder.mkdir()
    git = folder / "git"
    git.write_text(f'#!/bin/sh\n{first}\nexec {shutil.which("git")} "$@"\n')
    git.chmod(0o755)
    return f"{folder}:{place.env['PATH']}"


def test_a_git_that_fails_is_quoted(place: Place, tmp_path: Path) -> None:
    done = place.run(PATH=with_git(place, tmp_path / "tools", "echo out of luck >&2; exit 3"))
    assert done.returncode == 2
    assert done.stderr == "ralph: git init failed in the demo's folder: out of luck\n"
    assert place.left_over() == []


def test_a_loop_that_does_not_complete_is_no_success(place: Place, tmp_path: Path) -> None:
    no_commits = 'case "$*" in *feat:*) exit 1 ;; esac'
    done = place.run(PATH=with_git(place, tmp_path / "tools", no_commits))
    assert done.returncode == 2
    assert done.stderr.startswith("ralph: run ended with 3: ralph: stalled: breaker: 3 ")
    assert done.stdout.endswith("\n") and "Claims" not in done.stdout
    assert place.left_over() == []


def planned() -> list[dict[str, object]]:
    stories: list[dict[str, object]] = json.loads(demo_folder.LIST.read_text())["userStories"]
    return stories


def test_a_story_done_without_an_approval_counts_as_believed() -> None:
    after = {"userStories": [{"id": "US-001", "passes": True}, {"id": "US-002", "passes": True}]}
    verdicts = [{"event": "verdict", "story": "US-001", "verdict": "approved"}]
    assert demo_words.figures(verdicts, after).believed == 1


def test_a_rule_without_words_of_its_own_is_told_in_the_runners() -> None:
    words = demo_words.Words({"userStories": planned()})
    event = {"event": "violation", "rule": "history-rewritten", "text": "It was rewritten."}
    assert words.line(event) == (demo_words.FACT, "It was rewritten.", demo_words.BAD)


def test_an_agents_control_characters_reach_no_terminal() -> None:
    screen = io.StringIO()
    for width in (50, 80):
        view = demo_view.View(screen, width, colour=False, fine=False)
        view.show(demo_words.Line(demo_words.CLAIM, "\x1b[2Jgone"))
        view.show(demo_words.Line(demo_words.FACT, "\x1b]0;title\x07"))
        view.say("\x9b1A")
    assert re.findall(r"[^\n -~]", screen.getvalue()) == []


@pytest.mark.parametrize("width", [0, 1, 10, 40, 71, 72, 80, 200])
def test_no_line_is_longer_than_the_terminal(width: int) -> None:
    screen = io.StringIO()
    view = demo_view.View(screen, width, colour=False, fine=True)
    for kind in (demo_words.TITLE, demo_words.CLAIM, demo_words.FACT):
        view.show(demo_words.Line(kind, "word " * 30 + "x" * 200))
    view.finish()
    longest = max(len(line) for line in screen.getvalue().split("\n"))
    assert longest <= max(20, width - 1)
