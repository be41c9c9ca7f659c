"""The context monitor as a process: what it tells, how often, and what cannot confuse it."""

from __future__ import annotations

import json
import os
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Callable

import pytest
from hooks.starting import PYTHON, SESSION, Place, a_loop, a_marker, listing, reference_marker

OTHER = "5e551011-0000-4000-8000-000000000002"
NO_ID = {"CLAUDE_CODE_SESSION_ID": None}
COMPACTED = {"type": "system", "subtype": "compact_boundary"}
ANYBODY = 65534


class Talk:
    """A session whose transcript grows; `told` is what the hook says after a call."""

    def __init__(self, tmp_path: Path) -> None:
        self.place = Place(tmp_path)
        self.transcript = tmp_path / "transcript.jsonl"
        self.transcript.touch()
        self.folder = self.place.temporary / f"claude-context-alerts-{SESSION}"

    def add(self, entry: dict[str, Any]) -> None:
        with self.transcript.open("ab") as file:
            file.write(json.dumps(entry).encode() + b"\n")

    def answers(self, tokens: int) -> None:
        usage = {"input_tokens": 10, "cache_read_input_tokens": tokens - 10, "output_tokens": 5}
        message = {"model": "claude-x", "content": [], "usage": usage}
        self.add({"type": "assistant", "isSidechain": False, "message": message})

    def told(self, sent: Any = None, **options: Any) -> str:
        return self.place.start("context_monitor", sent, **options).context

    def level(self, percent: int, **options: Any) -> str:
        """After an answer that fills so much of the usual window: the alert's first words."""
        self.answers(percent * 2000)
        return self.told(**options).partition(" of the")[0]

    def alerts(self) -> set[str]:
        return set(os.listdir(self.folder)) if self.folder.exists() else set()


@pytest.fixture
def talk(tmp_path: Path) -> Talk:
    return Talk(tmp_path)


@pytest.fixture(params=["hooks.json", "alone"])
def alone(request: pytest.FixtureRequest) -> bool:
    return request.param == "alone"


def test_each_threshold_is_told_once_in_order(talk: Talk, alone: bool) -> None:
    levels = (40, 49, 50, 55, 60, 69, 70, 79, 80, 89, 90, 95, 99)
    told = [(level, talk.level(level, alone=alone)) for level in levels]
    assert [(level, words) for level, words in told if words] == [
        (50, "Context NOTICE: 50 %"),
        (60, "Context NOTICE: 60 %"),
        (70, "Context WARNING: 70 %"),
        (80, "Context WARNING: 80 %"),
        (90, "Context CRITICAL: 90 %"),
    ]


def test_a_jump_tells_the_highest_only(talk: Talk) -> None:
    assert [talk.level(n) for n in (40, 85, 85)] == ["", "Context WARNING: 85 %", ""]
    # A level that only seems lower, as an overtaken hook sees it, arms nothing again.
    assert [talk.level(n) for n in (62, 75, 88)] == ["", "", ""]
    assert talk.level(91) == "Context CRITICAL: 91 %"


def test_both_events_are_registered_and_answered_by_name(talk: Talk) -> None:
    declared = json.loads((talk.place.plugin / "hooks" / "hooks.json").read_text())["hooks"]
    assert declared["PostToolUse"] == declared["PostToolUseFailure"]
    assert declared["PostToolUse"][0]["hooks"][0]["timeout"] == 10
    for event, tokens in (("PostToolUse", 110_000), ("PostToolUseFailure", 130_000)):
        talk.answers(tokens)
        answer = talk.place.start("context_monitor", {"hook_event_name": event})
        assert json.loads(answer.stdout)["hookSpecificOutput"]["hookEventName"] == event
    talk.answers(190_000)
    assert talk.told({"hook_event_name": "PreToolUse"}) == ""


def test_switched_off_it_starts_no_interpreter(talk: Talk, alone: bool) -> None:
    off: dict[str, str | None] = {"RALPH_CONTEXT_MONITOR": "off"}
    if not alone:
        started = talk.place.tmp / "started"
        interpreter = talk.place.tmp / "interpreter"
        interpreter.write_text(f'#!/bin/sh\necho >"{started}"\nexec "{PYTHON}" "$@"\n')
        interpreter.chmod(0o755)
        talk.place.pin(str(interpreter))
        assert talk.level(55) and started.exists()
        started.unlink()
    assert talk.level(95, alone=alone, env=off) == ""
    assert alone or not started.exists()
    assert talk.level(95, alone=alone, env={"RALPH_CONTEXT_MONITOR": "on"}) != ""


def test_a_subagents_call_does_nothing(talk: Talk, alone: bool) -> None:
    talk.answers(190_000)
    sub = {"agent_id": "a1b2", "agent_type": "general-purpose"}
    assert (talk.told(sub, alone=alone), talk.alerts()) == ("", set())
    assert talk.told(alone=alone) != ""


def test_a_compaction_arms_the_thresholds_above_the_new_level(talk: Talk) -> None:
    assert talk.level(85) == "Context WARNING: 85 %"
    talk.add(COMPACTED)
    assert talk.level(65) == ""
    assert talk.alerts() == {"50", "60"}
    assert [talk.level(n) for n in (69, 72, 73)] == ["", "Context WARNING: 72 %", ""]
    # The same compaction counts once.
    assert [talk.level(n) for n in (65, 75, 82)] == ["", "", "Context WARNING: 82 %"]
    talk.add(COMPACTED)
    assert [talk.level(n) for n in (10, 55, 91)] == [
        *("", "Context NOTICE: 55 %", "Context CRITICAL: 91 %"),
    ]


def test_right_after_a_compaction_only_the_bytes_behind_it_count(talk: Talk) -> None:
    assert talk.level(91) == "Context CRITICAL: 91 %"
    with talk.transcript.open("ab") as file:
        file.write(b'{"type":"user","text":"' + b"x" * 900_000 + b'"}\n')
    talk.add(COMPACTED)
    talk.add({"type": "user", "isCompactSummary": True, "message": {"content": "x" * 8000}})
    assert (talk.told(), talk.alerts()) == ("", set())
    assert talk.level(52) == "Context NOTICE: 52 %"


def test_sessions_are_apart(talk: Talk) -> None:
    talk.answers(110_000)
    for session in (SESSION, OTHER):
        sent = {"session_id": session}
        assert [bool(talk.told(sent)) for _ in range(2)] == [True, False]


def test_calls_at_the_same_time_alert_once(talk: Talk) -> None:
    talk.answers(170_000)
    with ThreadPoolExecutor(20) as pool:
        told = list(pool.map(lambda _: talk.told(), range(20)))
    assert sorted(map(bool, told)) == [False] * 19 + [True]
    assert talk.alerts() == {"50", "60", "70", "80"}


@pytest.mark.parametrize(
    ("environment", "marker", "tokens", "said"),
    [
        ({}, {}, 100_000, "50 % of the context window is used (100,000 of 200,000 tokens)"),
        ({"CLAUDE_CONTEXT_WINDOW": "500000"}, {}, 249_999, ""),
        ({"CLAUDE_CONTEXT_WINDOW": "500000"}, {}, 250_000, "(250,000 of 500,000 tokens)"),
        ({"CLAUDE_CONTEXT_WINDOW": "junk"}, {}, 100_000, "(100,000 of 200,000 tokens)"),
        ({}, {"contextWindow": 1_000_000}, 499_999, ""),
        ({}, {"contextWindow": 1_000_000}, 500_000, "(500,000 of 1,000,000 tokens)"),
        ({}, {"contextWindow": 0}, 100_000, "(100,000 of 200,000 tokens)"),
        ({"CLAUDE_CONTEXT_WINDOW": "400000"}, {"contextWindow": 9000}, 200_000, "400,000"),
        ({}, {"contextWindow": 9000, "sessionId": OTHER}, 100_000, "200,000"),
        ({}, {}, 200_001, ""),
        ({}, {}, 600_000, "60 % of the context window is used (600,000 of 1,000,000 tokens)"),
        ({}, {}, 1_200_000, "120 % of the context window is used (1,200,000 of 1,000,000"),
    ],
)
def test_the_window(
    talk: Talk, environment: dict[str, str], marker: dict[str, Any], tokens: int, said: str
) -> None:
    if marker:
        talk.place.write(".ralph-active", a_marker(**marker))
    talk.answers(tokens)
    told = talk.told(env=environment)
    assert said in told if said else told == ""


def test_a_window_once_seen_to_be_wide_stays_so_and_its_alerts_begin_anew(talk: Talk) -> None:
    assert talk.level(95) == "Context CRITICAL: 95 %"
    assert talk.level(110) == ""
    assert talk.level(300) == "Context NOTICE: 60 %"
    talk.add(COMPACTED)
    assert talk.level(95) == ""
    assert talk.level(251) == "Context NOTICE: 50 %"


@pytest.mark.parametrize("wide", [{}, {"CLAUDE_CONTEXT_WINDOW": "1000000"}])
def test_a_guess_by_bytes_never_widens_the_window(talk: Talk, wide: dict[str, str]) -> None:
    """2 MB are 500,000 tokens or so: half of a wide window, far beyond the usual one."""
    talk.transcript.write_bytes((b"x" * 999 + b"\n") * 2000)
    told = talk.told(env=dict(wide))
    window = "50 % of the context window is used (500,000 of 1,000,000" if wide else "of 200,000"
    assert f"about {window}" in told if wide else "Context CRITICAL: about 250 %" in told
    assert window in told and "wide" not in talk.alerts()


@pytest.mark.parametrize(("chars", "told"), [("", True), ("5", False), ("3.9", True), ("x", True)])
def test_characters_per_token(talk: Talk, chars: str, told: bool) -> None:
    talk.transcript.write_bytes((b"x" * 999 + b"\n") * 400)
    assert bool(talk.told(env={"RALPH_CHARS_PER_TOKEN": chars})) == told


def task_list(place: Place) -> None:
    place.write(".ralph-active", a_marker(goal="tasks", ralphDir="plans/one"))


def plain_marker(place: Place) -> None:
    place.write(".ralph-active", reference_marker(os.getpid()))


def prompt_goal(place: Place) -> None:
    place.write(".ralph-active", a_marker(goal="prompt"))


def anothers(place: Place) -> None:
    place.write(".ralph-active", a_marker(sessionId=OTHER))


def broken(place: Place) -> None:
    place.write(".ralph-active", "{")


def same_session(place: Place) -> None:
    place.write(f".ralph/sessions/{SESSION}.json", a_loop())


LOOP_FILES = ("tasks.json", "progress.txt", "stories", "iteration", "ralph")


@pytest.mark.parametrize("make", [prompt_goal, anothers, broken, same_session])
@pytest.mark.parametrize("percent", [50, 70, 90])
def test_where_there_is_no_task_list_no_loop_file_is_named(
    talk: Talk, make: Callable[[Place], None], percent: int
) -> None:
    make(talk.place)
    talk.answers(percent * 2000)
    told = talk.told()
    assert told and not [word for word in LOOP_FILES if word in told.lower()]


@pytest.mark.parametrize(("make", "folder"), [(task_list, "plans/one"), (plain_marker, "ralph")])
def test_in_a_loop_on_a_task_list_its_files_are_named(
    talk: Talk, make: Callable[[Place], None], folder: str
) -> None:
    make(talk.place)
    talk.answers(110_000)
    assert f"add new stories to {folder}/tasks.json: the next iteration" in talk.told()
    talk.answers(150_000)
    assert f"insights in {folder}/progress.txt" in talk.told()
    talk.answers(190_000)
    assert "(3) commit all changes, (4) stop." in talk.told()


def test_with_loops_switched_off_it_still_watches(talk: Talk) -> None:
    task_list(talk.place)
    talk.answers(190_000)
    told = talk.told(env={"RALPH_ACTIVE": "0"})
    assert told and "tasks.json" not in told


@pytest.mark.parametrize("source", ["startup", "resume", "clear", "compact"])
def test_a_start_of_the_session_arms_all_but_a_compaction_does_not(talk: Talk, source: str) -> None:
    assert talk.level(55)
    talk.place.start("session", {"source": source})
    assert bool(talk.told()) == (source != "compact")


def silent_and_harmless(talk: Talk, sent: Any = None, **options: Any) -> bool:
    before = listing(talk.place.tmp)
    answer = talk.place.start("context_monitor", sent, **options)
    return answer.silent and listing(talk.place.tmp) == before


@pytest.mark.parametrize(
    "session",
    [
        *(None, "", "../../x", "..", ".", "/etc/x", "a/b", "a\0b", "a\nb", "é", "x" * 129),
        *(5, [], {}, True, "-/../x"),
    ],
)
def test_a_session_id_that_is_none_is_no_name(talk: Talk, session: Any, alone: bool) -> None:
    talk.answers(190_000)
    assert silent_and_harmless(talk, {"session_id": session}, env=NO_ID, alone=alone)


@pytest.mark.parametrize("sent", [b"", b"{", b"[]", b"null", b"\xff", b"[" * 100_000])
def test_input_that_says_nothing_is_answered_by_nothing(talk: Talk, sent: bytes) -> None:
    talk.answers(190_000)
    assert silent_and_harmless(talk, sent)


def missing(path: Path) -> None:
    path.unlink()


def empty(path: Path) -> None:
    path.write_bytes(b"")


def directory(path: Path) -> None:
    missing(path)
    path.mkdir()


def fifo(path: Path) -> None:
    missing(path)
    os.mkfifo(path)


def dangling(path: Path) -> None:
    missing(path)
    path.symlink_to(path.parent / "nowhere")


def itself(path: Path) -> None:
    missing(path)
    path.symlink_to(path)


def device(path: Path) -> None:
    missing(path)
    path.symlink_to("/dev/zero")


def small_and_binary(path: Path) -> None:
    path.write_bytes(bytes(range(256)) * 100)


@pytest.mark.parametrize(
    "make", [missing, empty, directory, fifo, dangling, itself, device, small_and_binary]
)
def test_a_transcript_that_tells_nothing(talk: Talk, make: Callable[[Path], None]) -> None:
    make(talk.transcript)
    assert silent_and_harmless(talk, {"tool_use_id": "toolu_1"})


@pytest.mark.parametrize("path", [None, "", 5, [], "\0", "relative", "x" * 5000])
def test_a_path_that_is_none(talk: Talk, path: Any) -> None:
    assert silent_and_harmless(talk, {"transcript_path": path})


def test_a_large_binary_transcript_is_a_guess(talk: Talk) -> None:
    talk.transcript.write_bytes(os.urandom(600_000).replace(b"\n", b"x"))
    assert "Context WARNING: about 75 %" in talk.told()


def test_of_a_torn_line_the_whole_one_before_it_counts(talk: Talk) -> None:
    talk.answers(110_000)
    whole = talk.transcript.read_bytes()
    talk.answers(190_000)
    torn = talk.transcript.read_bytes()[:-30]
    assert len(torn) > len(whole) + 100
    talk.transcript.write_bytes(torn)
    assert "Context NOTICE: 55 %" in talk.told()


def test_a_line_of_30_mb_hides_nothing_that_stands_behind_it(talk: Talk) -> None:
    talk.answers(10_000)
    with talk.transcript.open("ab") as file:
        file.write(b'{"type":"user","image":"' + b"A" * 30_000_000 + b'"}\n')
    guessed = talk.told({"tool_use_id": "toolu_1"})
    assert "Context CRITICAL: about 375" in guessed
    talk.place.start("session")
    talk.answers(110_000)
    assert "Context NOTICE: 55 %" in talk.told()


def test_a_transcript_may_be_a_link(talk: Talk) -> None:
    talk.answers(110_000)
    elsewhere = talk.place.tmp / "elsewhere"
    talk.transcript.rename(elsewhere)
    talk.transcript.symlink_to(elsewhere)
    assert "Context NOTICE: 55 %" in talk.told()


def test_a_transcript_that_is_being_written(talk: Talk) -> None:
    """In pieces that end anywhere: every call is polite, each threshold told at most once."""
    talk.answers(100_000)
    ended = threading.Event()

    def write() -> None:
        tokens = 100_000
        while not ended.is_set():
            tokens = min(tokens + 1, 199_000)
            message = {"usage": {"input_tokens": tokens}, "content": "x" * 500}
            data = json.dumps({"type": "assistant", "message": message}).encode() + b"\n"
            with talk.transcript.open("ab", buffering=0) as file:
                file.write(data[:300])
                file.write(data[300:])

    writer = threading.Thread(target=write)
    writer.start()
    try:
        told = [talk.told() for _ in range(25)]
    finally:
        ended.set()
        writer.join()
    said = [words.split(" ")[1] for words in told if words]
    assert 1 <= len(said) <= 5
    assert said == sorted(said, key=["NOTICE:", "WARNING:", "CRITICAL:"].index)


def given_away(talk: Talk) -> str:
    """Another user's folder: by root it is given to one, anybody else is shown one of root's."""
    talk.folder.mkdir(mode=0o700)
    if os.getuid() == 0:
        os.chown(talk.folder, ANYBODY, ANYBODY)
        return ""
    return f'exec bwrap --dev-bind / / --bind /usr "{talk.folder}" -- "$@"'


def open_to_others(talk: Talk) -> str:
    talk.folder.mkdir()
    talk.folder.chmod(0o777)
    return ""


def link_to_ours(talk: Talk) -> str:
    target = talk.place.tmp / "target"
    target.mkdir(mode=0o700)
    talk.folder.symlink_to(target)
    return ""


def link_to_nothing(talk: Talk) -> str:
    talk.folder.symlink_to(talk.place.tmp / "made-by-a-hook")
    return ""


def plain_file(talk: Talk) -> str:
    talk.folder.write_text("")
    return ""


@pytest.mark.parametrize(
    "make", [given_away, open_to_others, link_to_ours, link_to_nothing, plain_file]
)
def test_a_folder_that_is_not_ours_alone_is_not_used(
    talk: Talk, make: Callable[[Talk], str]
) -> None:
    """Nothing is told either: it could not be remembered, and would be told after every call."""
    talk.answers(190_000)
    wrap = make(talk)
    assert silent_and_harmless(talk, wrap=wrap)


@pytest.mark.parametrize("temporary", ["nowhere", "file", "a\udcffb"])
def test_without_a_temporary_folder_nothing_is_told(talk: Talk, temporary: str) -> None:
    talk.answers(190_000)
    (talk.place.tmp / "file").write_text("")
    assert silent_and_harmless(talk, env={"TMPDIR": str(talk.place.tmp / temporary)})


def test_the_folder_is_private(talk: Talk) -> None:
    assert talk.level(55, wrap='umask 0; exec "$@"')
    assert talk.folder.stat().st_mode & 0o777 == 0o700
    assert [path.stat().st_mode & 0o777 for path in talk.folder.iterdir()] == [0o600]


def test_odd_things_among_the_alerts_are_taken_as_told(talk: Talk) -> None:
    talk.folder.mkdir(mode=0o700)
    (talk.folder / "50").mkdir()
    (talk.folder / "60").write_bytes(b"\xff")
    (talk.folder / "70").symlink_to(talk.place.tmp / "nowhere")
    (talk.folder / "80").write_bytes(b"9" * 100)
    assert [talk.level(n) for n in (52, 62, 72, 82)] == [""] * 4
    assert talk.level(92) == "Context CRITICAL: 92 %"
    talk.add(COMPACTED)
    assert talk.level(10) == ""


def test_a_reader_that_has_gone_away_is_no_error(talk: Talk) -> None:
    talk.answers(190_000)
    answer = talk.place.start("context_monitor", wrap='"$@" >&-', stdout=subprocess.PIPE)
    assert (answer.code, answer.stderr) == (0, b"")
