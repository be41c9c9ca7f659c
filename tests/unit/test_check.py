"""`ralph.sh check`: every fault with its place and fix, the budget, and its exit codes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from ralph_engine import check, schema
from ralph_engine.core import tasks
from ralph_engine.core.own_command import RALPH

ROOT = Path(__file__).resolve().parents[2]
ENGINE = ROOT / "scripts" / "ralph_engine" / "__main__.py"
SECONDS = 60


class Said(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def project(tmp_path: Path) -> Path:
    project = tmp_path / "project"
    (project / "ralph").mkdir(parents=True)
    return project


def ralph(cwd: Path, *arguments: str, env: dict[str, str] | None = None, **options: Any) -> Said:
    base = {"PATH": os.environ["PATH"], "HOME": str(cwd), "TMPDIR": str(cwd)}
    command = [sys.executable, "-I", str(ENGINE), *arguments]
    done = subprocess.run(
        command,
        cwd=cwd,
        env={**base, **(env or {})},
        stdin=subprocess.DEVNULL,
        stdout=options.pop("stdout", subprocess.PIPE),
        stderr=subprocess.PIPE,
        timeout=SECONDS,
        **options,
    )
    return Said(done.returncode, (done.stdout or b"").decode(), done.stderr.decode())


def a_story(name: str = "US-1", **fields: Any) -> dict[str, Any]:
    """A value of ... leaves the field out."""
    story = {
        "id": name,
        "title": "T",
        "acceptanceCriteria": ["It works"],
        "priority": 1,
        "passes": False,
        "reviewStatus": None,
        "reviewCount": 0,
        "reviewFeedback": "",
        **fields,
    }
    return {key: value for key, value in story.items() if value is not ...}


def a_list(*stories: Any, **fields: Any) -> dict[str, Any]:
    known = {"project": "P", "branchName": "b", "description": "D", "userStories": list(stories)}
    return {key: value for key, value in {**known, **fields}.items() if value is not ...}


DONE = {"passes": True, "reviewStatus": "approved", "reviewCount": 1, "notes": "Done."}
WAITING = {"reviewStatus": "needs_review"}
REJECTED = {"reviewStatus": "changes_requested", "reviewFeedback": "No.", "reviewCount": 1}


def write(project: Path, content: Any, folder: str = "ralph") -> None:
    data = content if isinstance(content, bytes) else json.dumps(content).encode()
    (project / folder).mkdir(parents=True, exist_ok=True)
    (project / folder / "tasks.json").write_bytes(data)


def test_a_list_without_faults_is_counted_and_budgeted(project: Path) -> None:
    stories = [
        a_story("A"),
        a_story("B", **WAITING),
        a_story("C", **REJECTED),
        a_story("D", **DONE),
    ]
    write(project, a_list(*stories, a_story("E")))
    said = ralph(project, "check")
    assert said == (
        0,
        "ralph/tasks.json: no faults; 5 stories: 2 to do, 1 waiting for review, "
        "1 changes requested, 1 done\n"
        "budget: 4 stories left, about 3 iterations each = about 12 of 15\n",
        "",
    )


def test_an_empty_list_has_no_fault(project: Path) -> None:
    write(project, a_list())
    said = ralph(project, "check")
    assert (said.code, said.err) == (0, "") and "no faults; 0 stories\n" in said.out


BUDGETS = {
    None: "= about 6 of 15\n",
    "1": "= about 6 of 1 (not enough: raise the limit)\n",
    "5": "= about 6 of 5 (not enough: raise the limit)\n",
    "6": "= about 6 of 6\n",
    "007": "= about 6 of 7\n",
    "999999": "= about 6 of 999999\n",
}


@pytest.mark.parametrize("limit", BUDGETS)
def test_the_budget_is_measured_by_the_limit(project: Path, limit: str | None) -> None:
    write(project, a_list(a_story("A"), a_story("B"), a_story("C", **DONE)))
    said = ralph(project, "check", env={} if limit is None else {"RALPH_MAX_ITERATIONS": limit})
    assert said.code == 0
    assert said.out.endswith(f"budget: 2 stories left, about 3 iterations each {BUDGETS[limit]}")


def test_one_story_is_no_stories(project: Path) -> None:
    write(project, a_list(a_story()))
    said = ralph(project, "check")
    assert "budget: 1 story left, " in said.out
    assert "no faults; 1 story:" in said.out


@pytest.mark.parametrize("limit", ["", "0", "000", "-1", "1.5", "x", " 5", "1000000", "٣", "5\n"])
def test_a_limit_that_is_none_is_refused(project: Path, limit: str) -> None:
    write(project, a_list())
    said = ralph(project, "check", env={"RALPH_MAX_ITERATIONS": limit})
    first, second = said.err.splitlines()
    assert (said.code, said.out) == (2, "")
    assert first == f"ralph: RALPH_MAX_ITERATIONS is {limit!r}"
    assert second == "hint: set a whole number from 1 to 999999"


US1 = "userStories[0]"
FAULTS: dict[str, tuple[Any, list[str]]] = {
    "type at the top": (
        a_list(project=5),
        ["project is 5; make it a string"],
    ),
    "missing at the top": (
        a_list(branchName=...),
        ["branchName is missing; add it: a string"],
    ),
    "not an object": ([1, 2], ["ralph/tasks.json is a list of 2; make it an object"]),
    "story not an object": (
        a_list(a_story(), 7),
        ["userStories[1] is 7; make it an object"],
    ),
    "type in a story": (
        a_list(a_story(passes="yes")),
        [f'{US1}.passes (US-1) is "yes"; make it true or false'],
    ),
    "boolean for an integer": (
        a_list(a_story(reviewCount=True)),
        [f"{US1}.reviewCount (US-1) is true; make it an integer of 0 or more"],
    ),
    "missing in a story": (
        a_list(a_story(reviewFeedback=...)),
        [f"{US1}.reviewFeedback (US-1) is missing; add it: a string"],
    ),
    "story without id": (
        a_list(a_story(id=..., title=5)),
        [
            f"{US1}.id is missing; add it: a non-empty string",
            f"{US1}.title is 5; make it a string",
        ],
    ),
    "unknown status": (
        a_list(a_story(reviewStatus="done")),
        [
            f'{US1}.reviewStatus (US-1) is "done"; make it null, "needs_review", '
            '"changes_requested" or "approved"'
        ],
    ),
    "no criteria": (
        a_list(a_story(acceptanceCriteria=[])),
        [
            f"{US1}.acceptanceCriteria (US-1) is a list of 0; "
            "make it a list of non-empty strings, at least one"
        ],
    ),
    "two bad entries of one list": (
        a_list(a_story(verify=["", 5])),
        [
            f"{US1}.verify (US-1) is a list of 2; "
            "make it a list of non-empty strings (shell commands)"
        ],
    ),
    "repeated id": (
        a_list(a_story(), a_story("US-2"), a_story()),
        [
            "userStories[2].id (US-1) is also the id of userStories[0]; "
            "give every story an id of its own"
        ],
    ),
    "unknown dependency": (
        a_list(a_story(dependsOn=["US-9"])),
        [f'{US1}.dependsOn[0] (US-1) names "US-9", which is not in the list; name a story that is'],
    ),
    "circle": (
        a_list(a_story("A", dependsOn=["B"]), a_story("B", dependsOn=["A"])),
        [f"{US1}.dependsOn (A) goes in a circle: A -> B -> A; remove one of these"],
    ),
    "story that waits for itself": (
        a_list(a_story("A", dependsOn=["A"])),
        [f"{US1}.dependsOn (A) goes in a circle: A -> A; remove one of these"],
    ),
    "passes without notes": (
        a_list(a_story(**{**DONE, "notes": " "})),
        [f"{US1}.notes (US-1) is empty while passes is true; write what was done"],
    ),
    "passes without approval": (
        a_list(a_story(passes=True, notes="Done.")),
        [
            "Story US-1 has passes true but reviewStatus null, not approved. "
            "Only review iterations approve: set passes to false."
        ],
    ),
    "rejected without a word": (
        a_list(a_story(reviewStatus="changes_requested")),
        [
            'Story US-1 has reviewStatus "changes_requested" but an empty reviewFeedback: '
            "write what must be fixed."
        ],
    ),
}


@pytest.mark.parametrize("case", FAULTS)
def test_a_fault_names_place_story_and_fix(project: Path, case: str) -> None:
    content, lines = FAULTS[case]
    write(project, content)
    said = ralph(project, "check")
    number = "1 fault" if len(lines) == 1 else f"{len(lines)} faults"
    expected = [f"ralph/tasks.json: {number}", *(f"  {line}" for line in lines)]
    assert (said.code, said.out.splitlines(), said.err) == (2, expected, "")


UNREADABLE: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "is not valid JSON"),
    "broken": (b"{", "is not valid JSON"),
    "BOM": (b"\xef\xbb\xbf{}", "starts with a byte order mark"),
    "not UTF-8": (b"\xff", "is not UTF-8"),
    "repeated key": (b'{"a": 1, "a": 2}', 'has the key "a" twice'),
    "NaN": (b'{"a": NaN}', "contains NaN"),
    "1e999": (b'{"a": 1e999}', "contains 1e999"),
    "deep": (b"[" * 100_000, "is nested too deeply"),
}


@pytest.mark.parametrize("case", UNREADABLE)
def test_a_list_that_cannot_be_read_is_one_fault(project: Path, case: str) -> None:
    data, problem = UNREADABLE[case]
    write(project, data)
    said = ralph(project, "check")
    title, line = said.out.splitlines()
    assert (said.code, title, said.err) == (2, "ralph/tasks.json: 1 fault", "")
    assert line.startswith(f"  ralph/tasks.json {problem}") and "; " in line


def test_a_missing_list_is_one_fault(project: Path) -> None:
    said = ralph(project, "check")
    expected = "ralph/tasks.json: 1 fault\n  ralph/tasks.json is missing; create it\n"
    assert said == (2, expected, "")


def test_a_linked_list_is_not_followed(project: Path) -> None:
    (project / "elsewhere.json").write_text(json.dumps(a_list()))
    (project / "ralph" / "tasks.json").symlink_to(project / "elsewhere.json")
    said = ralph(project, "check")
    assert said.code == 2 and "is reached through a link" in said.out


def many_faults(number: int) -> dict[str, Any]:
    return a_list(*(a_story(f"US-{index}", title=5) for index in range(number)))


@pytest.mark.parametrize(("number", "rest"), [(20, []), (21, [1]), (25, [5])])
def test_twenty_faults_are_shown_and_the_rest_counted(
    project: Path, number: int, rest: list[int]
) -> None:
    write(project, many_faults(number))
    title, *lines = ralph(project, "check").out.splitlines()
    assert title == f"ralph/tasks.json: {number} faults"
    shown = [f"  userStories[{i}].title (US-{i}) is 5; make it a string" for i in range(20)]
    assert lines == [*shown, *(f"  ... and {more} more (--json lists all)" for more in rest)]


def test_json_lists_all_faults_as_the_schema_says(project: Path) -> None:
    write(project, many_faults(25))
    said = ralph(project, "check", "--json")
    answer = json.loads(said.out)
    assert (said.code, said.err) == (2, "")
    assert schema.accepts("check", answer)
    assert [fault["place"] for fault in answer["faults"]] == [
        f"userStories[{index}].title" for index in range(25)
    ]
    assert {"stories", "budget"} & set(answer) == set()


def test_json_of_a_list_without_faults_has_counts_and_budget(project: Path) -> None:
    write(project, a_list(a_story("A"), a_story("B", **DONE)))
    said = ralph(project, "check", "--json")
    answer = json.loads(said.out)
    assert said.code == 0 and schema.accepts("check", answer)
    assert answer == {
        "file": "ralph/tasks.json",
        "valid": True,
        "faults": [],
        "stories": {
            "total": 2,
            "to do": 1,
            "waiting for review": 0,
            "changes requested": 0,
            "done": 1,
        },
        "budget": {"stories": 1, "iterations": 3, "limit": 15},
    }


@pytest.mark.parametrize("case", FAULTS)
def test_json_and_words_say_the_same(project: Path, case: str) -> None:
    content, lines = FAULTS[case]
    write(project, content)
    _, faults = check.judge(str(project), "ralph/tasks.json")
    assert schema.accepts("check", {"file": "x", "valid": False, "faults": faults})
    assert [fault["message"] for fault in faults] == lines


def test_the_project_may_be_elsewhere(project: Path, tmp_path: Path) -> None:
    write(project, a_list())
    for option in (
        ["-d", "project"],
        ["--project-dir", str(project)],
        ["--project-dir=./project/"],
    ):
        assert ralph(tmp_path, "check", *option).code == 0


@pytest.mark.parametrize("name", ["two words", 'it\'s "quoted"', "line\nbreak", "\N{PILE OF POO}"])
def test_the_project_may_have_any_name(tmp_path: Path, name: str) -> None:
    write(tmp_path / name, a_list())
    assert ralph(tmp_path, "check", "-d", name).code == 0


@pytest.mark.parametrize(
    ("given", "shown"),
    [("my plan", "my plan"), ("a/b", "a/b"), ("./plan/", "plan"), ("a/../plan", "plan")],
)
def test_the_ralph_folder_may_have_another_name(project: Path, given: str, shown: str) -> None:
    write(project, a_list(), shown)
    said = ralph(project, "check", "--ralph-dir", given)
    assert said.code == 0 and said.out.startswith(f"{shown}/tasks.json: no faults")


@pytest.mark.parametrize("folder", ["..", "../project/ralph", "/etc", "", ".", "a/..", "//x"])
def test_a_ralph_folder_outside_the_project_is_refused(project: Path, folder: str) -> None:
    write(project, a_list())
    said = ralph(project, "check", "--ralph-dir", folder)
    assert (said.code, said.out) == (2, "")
    given = json.dumps(folder)
    assert said.err == f"ralph: --ralph-dir is {given}; give a relative path below the project\n"


@pytest.mark.parametrize("folder", ["missing", "file", "x" * 300, "loop"])
def test_a_project_that_is_no_folder_is_refused(project: Path, folder: str) -> None:
    (project / "file").write_text("")
    (project / "loop").symlink_to("loop")
    said = ralph(project, "check", "--project-dir", folder)
    assert (said.code, said.out) == (2, "")
    given = json.dumps(folder)
    shown = given if len(given) <= 60 else f"{given[:57]}..."
    assert said.err == f"ralph: --project-dir is {shown}; give a folder that exists\n"


@pytest.mark.parametrize(
    "arguments",
    [["check", "--nope"], ["check", "extra"], ["check", "--ralph-dir"], ["-x"]],
)
def test_a_wrong_command_line_is_one_line_and_a_hint(project: Path, arguments: list[str]) -> None:
    said = ralph(project, *arguments)
    first, second = said.err.splitlines()
    assert (said.code, said.out) == (2, "")
    assert first.startswith("ralph: ")
    assert second == f"hint: {RALPH} {arguments[0] if arguments[1:] else 'run'} --help"


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("repot", '"repot" is not a verb; did you mean report?'),
        ("Check", '"Check" is not a verb; did you mean check?'),
        ("\x1b[31m", '"\\u001b[31m" is not a verb; known are run, init, '),
    ],
)
def test_a_wrong_verb_names_the_nearest_one(project: Path, word: str, said: str) -> None:
    told = ralph(project, word)
    first, second = told.err.splitlines()
    assert (told.code, told.out, second) == (2, "", f"hint: {RALPH} --help")
    assert first.startswith(f"ralph: {said}")


@pytest.mark.parametrize(
    "arguments",
    [
        ["check", "--project-dir", "a\nhint: all is well"],
        ["check", "--ralph-dir", "/a\nhint: all is well"],
        ["check", "--a\nhint: all is well"],
        ["a\nhint: all is well"],
    ],
)
def test_an_argument_with_line_breaks_makes_no_line(project: Path, arguments: list[str]) -> None:
    said = ralph(project, *arguments)
    assert said.code == 2 and "hint: all is well" not in said.err.splitlines()


ESCAPES = "\x1b[2J\x1b]0;owned\x07\x9b31m\r\u202e\ud800"


@pytest.mark.parametrize(
    "content",
    [
        a_list(a_story(ESCAPES, title=5)),
        a_list(a_story(title=5, **{"reviewStatus": ESCAPES})),
        a_list(a_story(dependsOn=[ESCAPES])),
        a_list(a_story(ESCAPES), a_story(ESCAPES)),
        a_list(a_story(ESCAPES, dependsOn=[ESCAPES])),
        a_list(a_story(ESCAPES, passes=True, notes="x")),
        b'{"\\u001b[2J": 1, "\\u001b[2J": 2}',
    ],
)
def test_nothing_in_a_list_can_command_the_terminal(project: Path, content: Any) -> None:
    write(project, content)
    said = ralph(project, "check")
    assert (said.code, said.err) == (2, "")
    assert "\\x1b[2J" in said.out or "\\u001b[2J" in said.out
    assert all(character == "\n" or character.isprintable() for character in said.out)
    assert json.loads(ralph(project, "check", "--json").out)["faults"]


def test_nothing_on_the_command_line_can_command_the_terminal(project: Path) -> None:
    for arguments in (["check", "-d", "\x1b[2J"], ["check", "--\x1b[2J"], ["\x1b[2J"]):
        said = ralph(project, *arguments)
        assert said.code == 2 and "[2J" in said.err and "\x1b" not in said.err


def test_an_id_with_line_breaks_does_not_make_lines(project: Path) -> None:
    write(project, a_list(a_story("US-1\nralph/tasks.json: no faults\n", title=5)))
    said = ralph(project, "check")
    assert len(said.out.splitlines()) == 2
    (fault,) = json.loads(ralph(project, "check", "--json").out)["faults"]
    assert "\n" not in fault["message"]


@pytest.mark.parametrize("language", ["C", "POSIX", "tr_TR.UTF-8", "de_DE.ISO-8859-1"])
def test_the_language_changes_nothing(project: Path, language: str) -> None:
    write(project, a_list(a_story("Ü-\N{SNOWMAN}", title=5)))
    said = ralph(project, "check", env={"LANG": language, "LC_ALL": language})
    assert "userStories[0].title (Ü-\N{SNOWMAN}) is 5; make it a string" in said.out


def chain(number: int) -> dict[str, Any]:
    stories = [
        a_story(f"US-{index}", dependsOn=[f"US-{index - 1}"] if index else [])
        for index in range(number)
    ]
    return a_list(*stories)


def test_ten_thousand_stories_are_judged_in_time(project: Path) -> None:
    write(project, chain(10_000))
    said = ralph(project, "check")
    assert said.code == 0 and "no faults; 10000 stories: 10000 to do" in said.out


def test_ten_thousand_faults_are_listed_in_time(project: Path) -> None:
    write(project, many_faults(10_000))
    said = ralph(project, "check", "--json")
    assert said.code == 2 and len(json.loads(said.out)["faults"]) == 10_000


@pytest.mark.parametrize("number", [1, 2000])
def test_an_output_nobody_reads_is_no_failure(project: Path, number: int) -> None:
    write(project, many_faults(number))
    reading, writing = os.pipe()
    os.close(reading)
    try:
        said = ralph(project, "check", "--json", stdout=writing)
    finally:
        os.close(writing)
    assert said.err == "" and said.code in (0, 2)


def test_a_reader_that_leaves_early_is_no_failure(project: Path) -> None:
    write(project, many_faults(2000))
    script = '"$@" | head -n 1; :'
    command = ["/bin/sh", "-c", script, "sh", sys.executable, "-I", str(ENGINE), "check", "--json"]
    done = subprocess.run(command, cwd=project, capture_output=True, timeout=SECONDS)
    assert (done.stdout, done.stderr) == (b"{\n", b"")


def test_a_closed_output_is_no_failure(project: Path) -> None:
    write(project, a_list())
    script = 'exec "$@" >&-'
    command = ["/bin/sh", "-c", script, "sh", sys.executable, "-I", str(ENGINE), "check"]
    done = subprocess.run(command, cwd=project, capture_output=True, timeout=SECONDS)
    assert (done.returncode, done.stderr) == (0, b"")


def test_nothing_is_written(project: Path) -> None:
    write(project, a_list(a_story(title=5)))
    ralph(project, "check")
    found = sorted(path.relative_to(project).as_posix() for path in project.rglob("*"))
    assert found == ["ralph", "ralph/tasks.json"]


@pytest.mark.parametrize("option", ["-v", "--version"])
def test_the_version_is_the_plugins(project: Path, option: str) -> None:
    manifest = json.loads((ROOT / ".claude-plugin" / "plugin.json").read_text())
    assert ralph(project, option) == (0, f"ralph {manifest['version']}\n", "")


def test_help_names_the_verb_and_its_options(project: Path) -> None:
    said = ralph(project, "--help")
    assert (said.code, said.err) == (0, "") and "check" in said.out.split()
    of_check = ralph(project, "check", "--help")
    assert of_check.code == 0
    assert all(word in of_check.out for word in ("--project-dir", "--ralph-dir", "--json"))


VALUES: list[Any] = [None, True, 1, 0, -1, 0.5, 1.0, "x", "", [], ["x"], [""], [1], [[]], {}]


def bad_lists() -> list[Any]:
    top = ["$schema", "project", "branchName", "description", "verifyCommands", "userStories"]
    story = [*a_story(), "description", "notes", "dependsOn", "splitFrom", "verify"]
    return [
        *VALUES,
        *(a_list(a_story(), **{name: value}) for name in top for value in [..., *VALUES]),
        *(
            a_list(a_story("A"), a_story("B", **{name: value}), a_story("C"))
            for name in story
            for value in [..., *VALUES]
        ),
        a_list(*VALUES),
        *(content for content, _ in FAULTS.values()),
        a_list(*({} for _ in range(12))),
    ]


def test_core_and_schema_name_the_same_faults() -> None:
    for document in bad_lists():
        by_core = tasks.faults(document, "ralph/tasks.json")
        by_schema = schema.task_faults(document, "ralph/tasks.json")
        assert sorted(by_core) == sorted(by_schema), document
        places = [fault.place.partition(".")[0] for fault in by_core]
        assert [fault.place.partition(".")[0] for fault in by_schema] == places, document


def test_a_list_of_32_mib_is_read_and_not_one_byte_more(project: Path) -> None:
    path = project / "ralph" / "tasks.json"
    path.write_bytes(json.dumps(a_list(a_story())).encode().ljust(33_554_432))
    document, faults = check.read(str(project), "ralph/tasks.json")
    assert document is not None and faults == []
    path.write_bytes(path.read_bytes() + b" ")
    document, [fault] = check.read(str(project), "ralph/tasks.json")
    assert document is None and "33554432" in fault.problem


def test_what_is_wrong_with_the_whole_comes_before_its_stories() -> None:
    wrong = [a_story("US-1", dependsOn=["US-9"]), a_story("US-2", title=2)]
    document = a_list(*wrong, project=1, verifyCommands=2)
    places = [fault.place for fault in tasks.faults(document)]
    stories = ["userStories[0].dependsOn[0]", "userStories[1].title"]
    assert places == ["project", "verifyCommands", *stories]
