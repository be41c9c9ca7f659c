"""Whatever a hook finds: exit 0, one valid decision or none, no word on stderr, in time."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
from pathlib import Path
from typing import Any, Callable

import pytest
from hooks.starting import (
    PLUGIN,
    SESSION,
    Answer,
    Place,
    a_list,
    a_marker,
    a_story,
    listing,
    reference_marker,
)

Make = Callable[[Place, str], object]
TASKS = "ralph/tasks.json"
MARKER = ".ralph-active"
HUGE = 50 * 1024 * 1024
DEEP = 100_000
BROKEN_LIST = {"userStories": []}
NO_ID = {"CLAUDE_CODE_SESSION_ID": None}


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """A loop on a list without faults, outside any repository."""
    place = Place(tmp_path)
    place.write(MARKER, a_marker())
    place.write(TASKS, a_list())
    return place


def judged(place: Place, hook: str = "stop", sent: Any = None, **options: Any) -> Answer:
    before = place.outside()
    answer = place.start(hook, sent, **options)
    answer.assert_polite()
    assert place.outside() == before
    return answer


def holds(content: str | bytes) -> Make:
    return lambda place, path: place.write(path, content)


def missing(place: Place, path: str) -> None:
    (place.root / path).unlink()


def directory(place: Place, path: str) -> None:
    missing(place, path)
    (place.root / path).mkdir()


def fifo(place: Place, path: str) -> None:
    missing(place, path)
    os.mkfifo(place.root / path)


def bound_socket(place: Place, path: str) -> None:
    missing(place, path)
    end = socket.socket(socket.AF_UNIX)
    here = os.getcwd()
    os.chdir((place.root / path).parent)  # a socket's path may have some hundred bytes only
    try:
        end.bind(Path(path).name)
    finally:
        os.chdir(here)
        end.close()


def huge(place: Place, path: str) -> None:
    os.truncate(place.root / path, HUGE)


def moved_away(place: Place, path: str) -> Path:
    elsewhere = place.tmp / "elsewhere"
    elsewhere.mkdir()
    return Path(shutil.move(str(place.root / path), elsewhere / "file"))


def link_to_elsewhere(place: Place, path: str) -> None:
    (place.root / path).symlink_to(moved_away(place, path))


def dangling_link(place: Place, path: str) -> None:
    missing(place, path)
    (place.root / path).symlink_to(place.tmp / "nowhere")


def link_to_itself(place: Place, path: str) -> None:
    missing(place, path)
    (place.root / path).symlink_to(place.root / path)


def hard_link(place: Place, path: str) -> None:
    os.link(moved_away(place, path), place.root / path)


def linked_folder(place: Place, path: str) -> None:
    folder = (place.root / path).parent
    folder.rename(place.tmp / "elsewhere")
    folder.symlink_to(place.tmp / "elsewhere")


def file_for_folder(place: Place, path: str) -> None:
    folder = (place.root / path).parent
    shutil.rmtree(folder)
    folder.write_text("")


UNREADABLE: dict[str, tuple[Make, str, str]] = {
    "missing": (missing, "is missing", "create it"),
    "directory": (directory, "is a directory", "put a regular file"),
    "fifo": (fifo, "is not a regular file", "put a regular file"),
    "socket": (bound_socket, "cannot be used", "check its permissions"),
    "50 MB": (huge, "is larger than", "make it smaller"),
    "link to elsewhere": (link_to_elsewhere, "through a link", "use real folders and files"),
    "dangling link": (dangling_link, "through a link", "use real folders and files"),
    "link to itself": (link_to_itself, "through a link", "use real folders and files"),
    "hard link": (hard_link, "is a hard link", "put a regular file"),
}
NOT_JSON: dict[str, tuple[Make, str, str]] = {
    "empty": (holds(""), "is not valid JSON", "repair it"),
    "blank": (holds(" \n"), "is not valid JSON", "repair it"),
    "half": (holds('{"project": "P", "userStories": ['), "is not valid JSON", "repair it"),
    "two values": (holds("{} {}"), "is not valid JSON", "repair it"),
    "trailing comma": (holds('{"project": "P",}'), "is not valid JSON", "repair it"),
    "zero bytes": (holds(bytes(1000)), "is not valid JSON", "repair it"),
    "control character": (holds('{"a": "\n"}'), "is not valid JSON", "repair it"),
    "invalid UTF-8": (holds(b'{"project": "\xff"}'), "is not UTF-8 (byte 13)", "save it as UTF-8"),
    "UTF-16": (holds("{}".encode("utf-16")), "is not UTF-8", "save it as UTF-8"),
    "BOM": (holds(b"\xef\xbb\xbf{}"), "byte order mark", "without BOM"),
    "repeated key": (holds('{"a": 1, "b": 2, "a": 3}'), 'the key "a" twice', "keep one of them"),
    "repeated key, same value": (holds('{"a": 1, "a": 1}'), 'the key "a" twice', "keep one"),
    "NaN": (holds('{"priority": NaN}'), "contains NaN", "write a finite number"),
    "Infinity": (holds('{"priority": Infinity}'), "contains Infinity", "write a finite number"),
    "-Infinity": (holds('{"priority": -Infinity}'), "contains -Infinity", "write a finite number"),
    "1e999": (holds('{"priority": 1e999}'), "contains 1e999", "write a finite number"),
    "-1e999": (holds('{"priority": -1e999}'), "contains -1e999", "write a finite number"),
    "deep lists": (holds("[" * DEEP + "]" * DEEP), "is nested too deeply", "flatten it"),
    "deep objects": (
        holds('{"a":' * DEEP + "1" + "}" * DEEP),
        "is nested too deeply",
        "flatten it",
    ),
    "deep and open": (holds("[" * DEEP), "is nested too deeply", "flatten it"),
}
ANY_FILE = {**UNREADABLE, **NOT_JSON}


def test_a_list_without_faults_is_let_go(place: Place) -> None:
    assert judged(place).silent


@pytest.mark.parametrize("family", ANY_FILE)
def test_a_list_that_cannot_be_read_is_named_with_fault_and_fix(place: Place, family: str) -> None:
    make, problem, fix = ANY_FILE[family]
    make(place, TASKS)
    title, line, last = judged(place).reason.split("\n")
    assert title == "ralph/tasks.json has 1 fault. Repair it:"
    assert line.startswith("- ralph/tasks.json ")
    assert problem in line and fix in line.partition("; ")[2]
    assert last == "Then stop again."


@pytest.mark.parametrize("make", [linked_folder, file_for_folder])
def test_a_ralph_folder_that_is_none_is_not_followed(place: Place, make: Make) -> None:
    make(place, TASKS)
    assert "ralph/tasks.json is reached through a link or a file" in judged(place).reason


def test_an_integer_of_5000_digits_does_no_harm(place: Place) -> None:
    place.write(TASKS, '{"priority": %s}' % ("9" * 5000))
    assert "ralph/tasks.json has " in judged(place).reason


def test_an_integer_of_4300_digits_does_no_harm(place: Place) -> None:
    """The longest that every Python reads."""
    place.write(MARKER, a_marker(reviewCap=3))
    story = a_story(priority=int("-" + "9" * 4300), reviewCount=int("9" * 4300))
    place.write(TASKS, a_list(story))
    assert "US-001 has reviewCount 9999" in judged(place).reason


def test_half_a_surrogate_pair_in_a_list_does_no_harm(place: Place) -> None:
    place.write(TASKS, a_list(a_story("\ud800", passes="\udfff", acceptanceCriteria=["\ud800"])))
    assert "userStories[0].passes" in judged(place).reason


TYPES: dict[str, Any] = {
    "null": None,
    "boolean": True,
    "number": 1,
    "string": "x",
    "list": [],
    "object": {},
}
TOP = {
    "$schema": {"string"},
    "project": {"string"},
    "branchName": {"string"},
    "description": {"string"},
    "verifyCommands": {"list"},
}
STORY = {
    "id": {"string"},
    "title": {"string"},
    "description": {"string"},
    "acceptanceCriteria": set(),  # the list is empty
    "priority": {"number"},
    "passes": {"boolean"},
    "reviewStatus": {"null"},
    "reviewCount": {"number"},
    "reviewFeedback": {"string"},
    "notes": {"string"},
    "dependsOn": {"list"},
    "splitFrom": {"string"},
    "verify": {"list"},
}
REQUIRED = sorted(STORY.keys() - {"description", "notes", "dependsOn", "splitFrom", "verify"})


def forget_blocks(place: Place) -> None:
    shutil.rmtree(place.root / ".ralph", ignore_errors=True)


@pytest.mark.parametrize("field", TOP)
def test_every_wrong_type_at_the_top_is_a_named_fault(place: Place, field: str) -> None:
    for word in TYPES.keys() - TOP[field]:
        forget_blocks(place)
        place.write(TASKS, a_list(**{field: TYPES[word]}))
        title, line, _ = judged(place).reason.split("\n")
        assert title.startswith("ralph/tasks.json has 1 fault"), word
        assert line.startswith(f"- {field} is ") and "; make it " in line, word


@pytest.mark.parametrize("field", STORY)
def test_every_wrong_type_in_a_story_is_a_named_fault(place: Place, field: str) -> None:
    """The story is the second one: the place must count."""
    for word in TYPES.keys() - STORY[field]:
        forget_blocks(place)
        broken = a_story("US-002", **{field: TYPES[word]})
        place.write(TASKS, a_list(a_story(), broken))
        title, line, _ = judged(place).reason.split("\n")
        owner = "" if field == "id" else " (US-002)"
        assert title.startswith("ralph/tasks.json has 1 fault"), word
        assert line.startswith(f"- userStories[1].{field}{owner} is "), word
        assert "; make it " in line, word


@pytest.mark.parametrize("word", sorted(TYPES.keys() - {"list"}))
def test_every_wrong_type_for_the_stories_is_a_named_fault(place: Place, word: str) -> None:
    place.write(TASKS, a_list(userStories=TYPES[word]))
    line = judged(place).reason.split("\n")[1]
    assert line.startswith("- userStories is ") and line.endswith("; make it a list of stories")


@pytest.mark.parametrize("word", sorted(TYPES.keys() - {"object"}))
def test_every_wrong_type_for_a_story_is_a_named_fault(place: Place, word: str) -> None:
    place.write(TASKS, a_list(a_story(), TYPES[word]))
    line = judged(place).reason.split("\n")[1]
    assert line.startswith("- userStories[1] is ") and line.endswith("; make it an object")


@pytest.mark.parametrize("word", sorted(TYPES.keys() - {"object"}))
def test_every_wrong_type_for_the_whole_list_is_a_named_fault(place: Place, word: str) -> None:
    place.write(TASKS, json.dumps(TYPES[word]))
    line = judged(place).reason.split("\n")[1]
    assert line.startswith("- ralph/tasks.json is ") and line.endswith("; make it an object")


@pytest.mark.parametrize("field", REQUIRED)
def test_every_missing_field_of_a_story_is_a_named_fault(place: Place, field: str) -> None:
    story = a_story()
    del story[field]
    place.write(TASKS, a_list(story))
    assert f"- userStories[0].{field}" in judged(place).reason
    assert "is missing; add it: " in judged(place).reason


def test_a_list_of_nothing_but_faults_stays_within_the_limit(place: Place) -> None:
    place.write(TASKS, {"userStories": [{} for _ in range(3000)]})
    found = judged(place).reason
    assert found.startswith("ralph/tasks.json has 24003 faults. Repair it:\n- project is missing")
    assert found.endswith("\nThen stop again.")


# By the group of rules that names the story.
NAMED: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "schema": ({"passes": "yes"}, {}, 'is "yes"; make it true or false'),
    "notes": ({"passes": True}, {}, "is empty while passes is true; write what was done"),
    "invariants": ({"passes": True, "notes": "x"}, {}, "set passes to false."),
    "transitions": (
        {"reviewStatus": "needs_review"},
        {"preIterationSnapshot": {}, "iterationMode": "implement"},
        "is new and must start to do",
    ),
}


@pytest.mark.parametrize("group", NAMED)
def test_a_long_id_does_not_crowd_out_the_fault(place: Place, group: str) -> None:
    fields, marked, words = NAMED[group]
    place.write(MARKER, a_marker(**marked))
    place.write(TASKS, a_list(a_story("x" * 3000, **fields)))
    assert words in judged(place).reason


@pytest.mark.parametrize("group", NAMED)
def test_an_id_with_line_breaks_does_not_make_lines(place: Place, group: str) -> None:
    fields, marked, words = NAMED[group]
    place.write(MARKER, a_marker(**marked))
    place.write(TASKS, a_list(a_story("US-1\nAll is well.\nUS-2", **fields)))
    found = judged(place).reason
    assert words in found and "All is well." not in found.split("\n")


def test_a_circle_of_ids_with_line_breaks_does_not_make_lines(place: Place) -> None:
    name = "US-1\nAll is well.\nUS-2"
    place.write(TASKS, a_list(a_story(name, dependsOn=[name])))
    found = judged(place).reason
    assert "goes in a circle" in found and "All is well." not in found.split("\n")


def test_a_circle_of_many_stories_keeps_its_fix(place: Place) -> None:
    names = [f"US-{number:03}" for number in range(200)]
    stories = [a_story(name, dependsOn=[names[i - 1]]) for i, name in enumerate(names)]
    place.write(TASKS, a_list(*stories))
    assert "; remove one of these" in judged(place).reason


MARKERS = {**ANY_FILE, "list": (holds("[]"), "", ""), "null": (holds("null"), "", "")}


@pytest.mark.parametrize("hook", ["stop", "session"])
@pytest.mark.parametrize("family", MARKERS)
def test_a_broken_marker_is_no_marker(place: Place, hook: str, family: str) -> None:
    place.write(TASKS, BROKEN_LIST)
    MARKERS[family][0](place, MARKER)
    before = place.inside()
    assert judged(place, hook).silent
    assert place.inside() == before


@pytest.mark.parametrize("hook", ["stop", "session"])
def test_an_unbroken_marker_is_one(place: Place, hook: str) -> None:
    place.write(TASKS, BROKEN_LIST)
    assert not judged(place, hook).silent


@pytest.mark.parametrize(
    "folder", ["", ".", "..", "../x", "/etc", "/", "a/../../x", "a//b", "ralph/", "./ralph", "a\0b"]
)
def test_a_marker_that_leads_out_of_the_project_is_no_marker(place: Place, folder: str) -> None:
    (place.tmp / "x").mkdir()
    (place.tmp / "x" / "tasks.json").write_text("{}")
    place.write(MARKER, a_marker(ralphDir=folder))
    assert judged(place).silent


@pytest.mark.parametrize("path", ["", "..", "../x", "/etc/passwd", "a\0b", "\ud800", "x" * 5000])
@pytest.mark.parametrize("field", ["digests", "baseline"])
def test_hostile_paths_in_a_marker_do_no_harm(place: Place, field: str, path: str) -> None:
    place.write(MARKER, a_marker(**{field: {path: "sha256:0"}}))
    place.repository()
    judged(place)


MARKER_FIELDS: dict[str, set[str]] = {
    "timestamp": {"string"},
    "pid": {"number"},
    "max_iterations": {"number"},
    "mode": set(),
    "skipReview": {"boolean"},
    "reviewCap": {"number"},
    "iterationMode": set(),
    "preIterationSnapshot": {"object"},
    "runId": set(),  # a string, but another run's
    "sessionId": set(),
    "iteration": {"number"},
    "story": {"string"},
    "goal": set(),
    "ralphDir": {"string"},
    "atCap": set(),
    "contextWindow": {"number"},
    "verifyCommands": {"list"},
    "digests": {"object"},
    "baseline": {"object"},
    "host": {"string"},
}


@pytest.mark.parametrize("field", MARKER_FIELDS)
def test_a_marker_with_a_wrong_type_is_no_marker(place: Place, field: str) -> None:
    """The list is broken, so a marker that counts would block."""
    place.write(TASKS, BROKEN_LIST)
    place.write("x/tasks.json", BROKEN_LIST)
    for word, value in TYPES.items():
        forget_blocks(place)
        place.write(MARKER, a_marker(**{field: value}))
        assert bool(judged(place).reason) == (word in MARKER_FIELDS[field]), word


BEFORE = {"passes": False, "reviewStatus": None, "reviewCount": 0}
BEFORE_FIELDS: dict[str, set[str]] = {
    "passes": {"boolean"},
    "reviewStatus": {"null"},
    "reviewCount": {"number"},
    "reviewFeedback": {"string"},
    "dependsOn": {"list"},
    "frozen": set(),
}


@pytest.mark.parametrize("field", BEFORE_FIELDS)
def test_a_snapshot_with_a_wrong_type_is_no_marker(place: Place, field: str) -> None:
    place.write(TASKS, BROKEN_LIST)
    for word, value in TYPES.items():
        forget_blocks(place)
        entry = {"US-001": {**BEFORE, field: value}}
        place.write(MARKER, a_marker(preIterationSnapshot=entry, iterationMode="implement"))
        assert bool(judged(place).reason) == (word in BEFORE_FIELDS[field]), word


FIVE_MB = 5 * 1024 * 1024
INPUTS: dict[str, bytes] = {
    "empty": b"",
    "not JSON": b"stop, please",
    "list": b"[1, 2]",
    "string": b'"x"',
    "null": b"null",
    "NaN": b"NaN",
    "5 MB of rubbish": b"x" * FIVE_MB,
    "binary": bytes(range(256)) * 64,
    "invalid UTF-8": b'{"session_id": "\xff"}',
    "UTF-16 rubbish": b"\xff\xfe" + b"\x00\xd8" * 10,
    "broken off": b'{"session_id": "' + SESSION.encode(),
    "deep": b"[" * DEEP,
    "5000 digits": b'{"session_id": ' + b"9" * 5000 + b"}",
}


@pytest.mark.parametrize("hook", ["stop", "session"])
@pytest.mark.parametrize("family", INPUTS)
def test_input_that_says_nothing_leaves_the_environment_to_say_it(
    place: Place, hook: str, family: str
) -> None:
    place.write(TASKS, BROKEN_LIST)
    assert not judged(place, hook, INPUTS[family]).silent
    assert judged(place, hook, INPUTS[family], env=NO_ID).silent


def test_input_of_5_mb_is_read_to_its_end(place: Place) -> None:
    place.write(TASKS, BROKEN_LIST)
    sent = {"last_assistant_message": "x" * FIVE_MB, "session_id": SESSION}
    assert judged(place, sent=sent, env=NO_ID).reason


@pytest.mark.parametrize("field", ["session_id", "background_tasks", "stop_hook_active", "cwd"])
def test_every_type_in_every_field_of_the_input_does_no_harm(place: Place, field: str) -> None:
    place.write(TASKS, BROKEN_LIST)
    for value in TYPES.values():
        judged(place, sent={field: value})
        judged(place, "session", sent={field: value})


@pytest.mark.parametrize("hook", ["stop", "session"])
@pytest.mark.parametrize("wrap", ['exec "$@" <&-', 'exec "$@" 0>/dev/null'])
def test_input_that_cannot_be_read_counts_as_none(place: Place, hook: str, wrap: str) -> None:
    place.write(TASKS, BROKEN_LIST)
    assert not judged(place, hook, b"", wrap=wrap).silent


@pytest.mark.parametrize("hook", ["stop", "session"])
def test_input_without_end_is_left_at_a_limit(place: Place, hook: str) -> None:
    place.write(TASKS, BROKEN_LIST)
    with open("/dev/zero", "rb") as endless:
        assert not judged(place, hook, stdin=endless).silent


@pytest.mark.parametrize("hook", ["stop", "session"])
@pytest.mark.parametrize(
    "wrap",
    [
        'exec "$@" >&-',
        'exec "$@" >/dev/full',
        'exec "$@" <&- >&-',
        'exec "$@" 2>&- >&-',
        'exec "$@" 1</dev/null',
    ],
)
def test_output_that_cannot_be_written_does_no_harm(place: Place, hook: str, wrap: str) -> None:
    place.write(TASKS, BROKEN_LIST)
    assert judged(place, hook, wrap=wrap).silent


@pytest.mark.parametrize("hook", ["stop", "session"])
def test_output_that_nobody_reads_does_no_harm(place: Place, hook: str) -> None:
    place.write(TASKS, BROKEN_LIST)
    reading, writing = os.pipe()
    os.close(reading)
    try:
        assert judged(place, hook, stdout=writing).silent
    finally:
        os.close(writing)


def only_sh(place: Place) -> str:
    tools = place.tmp / "tools"
    tools.mkdir()
    (tools / "sh").symlink_to("/bin/sh")
    return str(tools)


def test_without_git_the_tree_is_not_judged(place: Place) -> None:
    place.repository()
    place.write("new.txt", "")
    assert "new.txt" in judged(place).reason
    assert judged(place, env={"PATH": only_sh(place)}).silent


@pytest.mark.parametrize("hook", ["stop", "session"])
def test_without_a_pinned_interpreter_a_bare_path_does_no_harm(place: Place, hook: str) -> None:
    judged(place, hook, env={"PATH": only_sh(place), "XDG_CACHE_HOME": None})


def no_repository(place: Place) -> None:
    pass


def bare_repository(place: Place) -> None:
    place.git("init", "-q", "--bare", ".")


def bare_dot_git(place: Place) -> None:
    place.git("init", "-q", "--bare", ".git")


def empty_dot_git(place: Place) -> None:
    (place.root / ".git").mkdir()


def rubbish_dot_git(place: Place) -> None:
    place.write(".git", "rubbish")


def fifo_dot_git(place: Place) -> None:
    os.mkfifo(place.root / ".git")


def dangling_dot_git(place: Place) -> None:
    (place.root / ".git").symlink_to(place.tmp / "nowhere")


def corrupted_index(place: Place) -> None:
    place.repository()
    place.write(".git/index", b"rubbish")


def corrupted_head(place: Place) -> None:
    place.repository()
    place.write(".git/HEAD", b"rubbish")


def corrupted_config(place: Place) -> None:
    place.repository()
    place.write(".git/config", b"[rubbish")


@pytest.mark.parametrize(
    "make",
    [
        no_repository,
        bare_repository,
        bare_dot_git,
        empty_dot_git,
        rubbish_dot_git,
        fifo_dot_git,
        dangling_dot_git,
        corrupted_index,
        corrupted_head,
        corrupted_config,
    ],
)
def test_where_git_gives_no_status_the_tree_is_not_judged(
    place: Place, make: Callable[[Place], None]
) -> None:
    make(place)
    assert judged(place).silent
    events = (place.root / ".ralph" / "hook-events.jsonl").read_text()
    assert '"clean-tree-skipped"' in events and '"gate-passed"' in events


def test_before_the_first_commit_all_is_uncommitted(place: Place) -> None:
    place.git("init", "-q")
    assert "- ralph/tasks.json" in judged(place).reason.split("\n")


def test_a_list_in_conflict_is_a_broken_list(place: Place) -> None:
    conflict(place, TASKS, json.dumps(a_list(project="A")), json.dumps(a_list(project="B")))
    assert "ralph/tasks.json is not valid JSON" in judged(place).reason


def test_a_file_in_conflict_is_uncommitted(place: Place) -> None:
    conflict(place, "code.txt", "a\n", "b\n")
    assert "- code.txt" in judged(place).reason.split("\n")


def conflict(place: Place, path: str, ours: str, theirs: str) -> None:
    place.write("code.txt", "start\n")
    place.repository()
    place.git("checkout", "-q", "-b", "other")
    place.write(path, theirs)
    place.git("commit", "-q", "-a", "-m", "theirs")
    place.git("checkout", "-q", "main")
    place.write(path, ours)
    place.git("commit", "-q", "-a", "-m", "ours")
    with pytest.raises(subprocess.CalledProcessError):
        place.git("merge", "-q", "other")


def dot_file(place: Place) -> None:
    place.write(".ralph", "")


def dot_link(place: Place) -> None:
    (place.tmp / "elsewhere" / "blocks").mkdir(parents=True)
    (place.root / ".ralph").symlink_to(place.tmp / "elsewhere")


def dot_dangling(place: Place) -> None:
    (place.root / ".ralph").symlink_to(place.tmp / "nowhere")


def dot_fifo(place: Place) -> None:
    os.mkfifo(place.root / ".ralph")


def blocks_file(place: Place) -> None:
    place.write(".ralph/blocks", "")


def blocks_link(place: Place) -> None:
    (place.tmp / "elsewhere").mkdir()
    (place.root / ".ralph").mkdir()
    (place.root / ".ralph" / "blocks").symlink_to(place.tmp / "elsewhere")


def count_folder(place: Place) -> None:
    (place.root / ".ralph" / "blocks" / SESSION).mkdir(parents=True)


def count_fifo(place: Place) -> None:
    (place.root / ".ralph" / "blocks").mkdir(parents=True)
    os.mkfifo(place.root / ".ralph" / "blocks" / SESSION)


def count_link(place: Place) -> None:
    (place.root / ".ralph" / "blocks").mkdir(parents=True)
    (place.root / ".ralph" / "blocks" / SESSION).symlink_to(place.tmp / "counted")


def count_shared(place: Place) -> None:
    (place.tmp / "counted").write_text("")
    (place.root / ".ralph" / "blocks").mkdir(parents=True)
    os.link(place.tmp / "counted", place.root / ".ralph" / "blocks" / SESSION)


UNCOUNTABLE = [
    dot_file,
    dot_link,
    dot_dangling,
    dot_fifo,
    blocks_file,
    blocks_link,
    count_folder,
    count_fifo,
    count_link,
    count_shared,
]


@pytest.mark.parametrize("make", UNCOUNTABLE)
def test_where_blocks_cannot_be_counted_the_stop_is_allowed(
    place: Place, make: Callable[[Place], None]
) -> None:
    """Nothing can be written there, also not by root."""
    place.write(TASKS, BROKEN_LIST)
    make(place)
    assert judged(place).silent


def events_folder(place: Place) -> None:
    (place.root / ".ralph" / "hook-events.jsonl").mkdir(parents=True)


def events_fifo(place: Place) -> None:
    (place.root / ".ralph").mkdir()
    os.mkfifo(place.root / ".ralph" / "hook-events.jsonl")


def events_link(place: Place) -> None:
    (place.tmp / "elsewhere").write_text("")
    (place.root / ".ralph").mkdir()
    (place.root / ".ralph" / "hook-events.jsonl").symlink_to(place.tmp / "elsewhere")


def ignore_link(place: Place) -> None:
    (place.root / ".ralph").mkdir()
    (place.root / ".ralph" / ".gitignore").symlink_to(place.tmp / "nowhere")


@pytest.mark.parametrize("make", [events_folder, events_fifo, events_link, ignore_link])
def test_a_log_that_cannot_be_written_stops_no_block(
    place: Place, make: Callable[[Place], None]
) -> None:
    place.write(TASKS, BROKEN_LIST)
    make(place)
    assert judged(place).reason


@pytest.mark.parametrize("hook", ["stop", "session"])
def test_a_project_that_is_gone_is_no_project(place: Place, hook: str) -> None:
    gone = str(place.tmp / "gone")
    assert judged(place, hook, env={"CLAUDE_PROJECT_DIR": gone}).silent
    assert judged(place, hook, env={"CLAUDE_PROJECT_DIR": str(place.root / TASKS)}).silent


@pytest.mark.parametrize("hook", ["stop", "session"])
def test_a_folder_that_is_gone_below_the_hook_does_no_harm(place: Place, hook: str) -> None:
    """Alone: some shells themselves complain about such a folder."""
    wrap = 'mkdir "$HOME/gone"; cd "$HOME/gone"; rmdir "$HOME/gone"; exec "$@"'
    assert judged(place, hook, alone=True, wrap=wrap, env={"CLAUDE_PROJECT_DIR": None}).silent


NAMES = [
    "two words",
    " edge ",
    'it\'s "quoted"',
    "line\nbreak",
    "end\n",
    "tab\tand\rreturn",
    "\N{PILE OF POO} und Ümläut",
    "$(touch gone) `touch gone` $HOME",
    "-n",
    "--help",
    "star * [a-z] ?",
    "back\\slash\\n",
    "semi;colon&and|pipe",
    "%s%n {0}",
    "~",
    "x" * 200,
]


@pytest.mark.parametrize("name", NAMES)
def test_any_name_of_the_project_works(tmp_path: Path, name: str) -> None:
    place = Place(tmp_path, name)
    place.write(MARKER, a_marker())
    place.write(TASKS, a_list())
    place.repository()
    assert judged(place).silent
    place.write(TASKS, BROKEN_LIST)
    assert "ralph/tasks.json has 3 faults" in judged(place).reason
    assert judged(place, env={"CLAUDE_PROJECT_DIR": None}).reason
    assert "iteration" in judged(place, "session").context


@pytest.mark.parametrize("name", NAMES)
def test_any_name_of_the_ralph_folder_works(place: Place, name: str) -> None:
    place.write(MARKER, a_marker(ralphDir=name))
    place.write(f"{name}/tasks.json", a_list())
    place.repository()
    assert judged(place).silent
    place.write(f"{name}/tasks.json", BROKEN_LIST)
    assert "project is missing" in judged(place).reason


@pytest.mark.parametrize("name", NAMES)
def test_any_name_of_a_new_file_is_told_in_one_line(place: Place, name: str) -> None:
    place.repository()
    place.write(name, "")
    title, line, *_ = judged(place).reason.split("\n")
    shown = name if name.isprintable() else json.dumps(name, ensure_ascii=False)
    shortened = f"{shown[:70]}...{shown[-70:]}" if len(shown) > 150 else shown
    assert (title, line) == ("Not committed:", f"- {shortened}")
    place.write(MARKER, a_marker(baseline={name: "any"}))
    assert judged(place).silent


def test_a_name_that_is_no_unicode_is_told_in_one_line(place: Place) -> None:
    place.repository()
    name = os.fsdecode(b"caf\xe9")
    place.write(name, "")
    assert judged(place).reason.split("\n")[1] == '- "caf\\udce9"'


def test_many_names_that_are_no_unicode_stay_within_the_limit(place: Place) -> None:
    place.repository()
    for number in range(25):
        place.write(os.fsdecode(b"%02d" % number + b"\xe9" * 54), "")
    assert judged(place).reason.startswith("Not committed:\n")


HOSTILE_IDS: list[Any] = [
    "../../x",
    "../x",
    "..",
    ".",
    "",
    "a/b",
    "/etc/passwd",
    "x" * 10_000,
    "x" * 129,
    "-",
    "a\0b",
    "a\nb",
    "\ud800",
    "ünï",
    "a b",
    "*",
    "$(touch gone)",
    5,
    ["x"],
    {"x": 1},
    None,
    True,
]


@pytest.mark.parametrize("session", HOSTILE_IDS)
def test_a_hostile_session_id_names_no_file(place: Place, session: Any) -> None:
    """A reference marker binds by process, so the id gets as far as it can."""
    place.write(MARKER, reference_marker(os.getpid()))
    place.write(TASKS, BROKEN_LIST)
    place.write(".ralph/blocks/keep", "")
    assert judged(place, sent={"session_id": session}, env=NO_ID).silent
    assert os.listdir(place.root / ".ralph" / "blocks") == ["keep"]


@pytest.mark.parametrize("session", HOSTILE_IDS)
def test_a_hostile_session_id_moves_and_removes_nothing(place: Place, session: Any) -> None:
    place.write(MARKER, reference_marker(os.getpid()))
    place.write(".ralph/sessions/keep.json", "{}")
    place.write(".ralph/x.json", "{}")
    before = place.inside()
    for sent in ({"hook_event_name": "SessionEnd", "reason": "clear"}, {"source": "clear"}):
        judged(place, "session", {**sent, "session_id": session}, env=NO_ID)
    assert place.inside() == before


@pytest.mark.parametrize("session", ["../../x", "x" * 10_000, "a\nb", "ünï", "*", "$(touch gone)"])
@pytest.mark.parametrize("hook", ["stop", "session"])
def test_a_hostile_session_id_in_the_environment_names_no_file(
    place: Place, hook: str, session: str
) -> None:
    place.write(MARKER, reference_marker(os.getpid()))
    place.write(TASKS, BROKEN_LIST)
    judged(place, hook, b"", env={"CLAUDE_CODE_SESSION_ID": session})
    assert not (place.root / ".ralph" / "blocks").exists()


@pytest.fixture
def failing(place: Place) -> Place:
    """A plugin whose gate raises."""
    place.plugin = place.tmp / "plugin"
    for part in ("hooks", "scripts"):
        ignore = shutil.ignore_patterns("__pycache__")
        shutil.copytree(PLUGIN / part, place.plugin / part, ignore=ignore)
    module = place.plugin / "scripts" / "ralph_engine" / "core" / "fresh_stop.py"
    with module.open("a") as file:
        file.write("\n\ndef reason_to_block(*_):\n    raise ValueError('our mistake')\n")
    return place


def test_our_own_failure_is_told_once_and_then_out_of_the_way(failing: Place) -> None:
    found = failing.start().reason
    assert ".ralph/hook-errors.log" in found and "our mistake" not in found
    assert failing.start().silent
    log = (failing.root / ".ralph" / "hook-errors.log").read_text()
    assert log.count("ValueError: our mistake") == 2


@pytest.mark.parametrize("make", [dot_file, dot_link, dot_dangling, dot_fifo, blocks_file])
def test_our_own_failure_is_silent_where_it_cannot_be_counted(
    failing: Place, make: Callable[[Place], None]
) -> None:
    make(failing)
    elsewhere = failing.tmp / "elsewhere"
    before = listing(elsewhere) if elsewhere.exists() else {}
    assert failing.start().silent
    assert before == (listing(elsewhere) if elsewhere.exists() else {})


def test_our_own_failure_outside_a_loop_is_silent(failing: Place) -> None:
    (failing.root / MARKER).unlink()
    before = failing.inside()
    assert failing.start().silent
    assert failing.inside() == before
