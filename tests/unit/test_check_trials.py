"""Checks tried on ruined copies: what never fails is found, what is sound is not accused."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import pytest
from ralph_engine import demo_folder, settings, throw_away
from ralph_engine.checks import Check
from ralph_engine.failure import Failure
from ralph_engine.rehearsal import machinery, ruins, weak_setups
from ralph_engine.rehearsal.check_trials import AS_IT_IS, NOTHING, Trial, Trials

NEVER = ["never-fails", "passes-on-emptied"]
EMPTIED = ["passes-on-emptied"]
THIRTY = [f"{n}.sh" for n in range(30)]
RUNNER = "for test in tests/*.sh; do test ! -s $test || sh -e $test || exit 1; done"
NEEDS_WORK = "set -e\ngrep -q hello app.txt\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    demo_folder.make_project(str(tmp_path), demo_folder.environment(str(tmp_path), os.environ))
    root = tmp_path / demo_folder.PROJECT
    (root / "app.txt").write_text("hello\n")
    (root / "hello.sh").write_text("echo hello\n")
    return root


def tried(root: Path, command: str, ruined: bool = True) -> Trial:
    (root / ".ralph" / "settings.json").write_text('{"sandbox": {"backend": "none"}}')
    chosen = settings.read(str(root), {}, {})
    trials = Trials(str(root.parent / "trials"), str(root), "ralph", chosen, lambda: False)
    [trial] = trials.run([Check(command)], ruined)
    return trial


def weaknesses(root: Path, command: str, files: dict[str, str]) -> list[str]:
    for name, text in files.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text)
    trial = tried(root, command)
    assert trial.passed[AS_IT_IS] is True
    assert not any(path.is_dir() for path in (root.parent / "trials").glob("ruined*"))
    return [one.name for one in weak_setups.of_checks([trial]) if one.name != "passes-on-nothing"]


@pytest.mark.parametrize(
    ("command", "files"),
    [
        ("true", {}),
        ("sh check.sh", {"check.sh": "grep -q hello app.txt || true\n"}),
        ("make test", {"Makefile": "test:\n\t@-false\n"}),
        ("make test", {"Makefile": "test:\n\t@sh in/c.sh\n", "in/c.sh": "false; exit 0\n"}),
        ("npm test", {"package.json": '{"scripts": {"test": "exit 0", "start": "node app.js"}}'}),
        (
            "npm test",
            {"package.json": '{"scripts": {"test": "node test.js"}}', "test.js": "process.exit()"},
        ),
        (
            "sh check.sh",
            {
                "check.sh": 'here=$(dirname "$0")\npython=python3\n"$python" "$here/all.py"\n',
                "all.py": "try:\n    import app\nexcept Exception:\n    pass\n",
            },
        ),
    ],
)
def test_a_check_that_never_fails_is_found_behind_scripts(
    project: Path, command: str, files: dict[str, Any]
) -> None:
    assert weaknesses(project, command, files) == NEVER


@pytest.mark.parametrize(
    ("command", "files"),
    [
        ("grep -q hello app.txt", {}),
        ("sh hello.sh | grep -q hello", {}),
        ("sh check.sh", {"check.sh": NEEDS_WORK}),
        ("cd in && sh check.sh", {"in/check.sh": "grep -q hello ../app.txt\n"}),
        ("make test", {"Makefile": "run:\n\tsh hello.sh\ntest:\n\tgrep -q hello app.txt\n"}),
        ("make test", {"Makefile": "test:\n\t@sh check.sh\n", "check.sh": NEEDS_WORK}),
        (
            "make test",
            {
                "Makefile": "test:\n\t$(SHELL) check.sh\n",
                "check.sh": "sh hello.sh | grep -q hello\n",
            },
        ),
        (
            "npm test",
            {
                "package.json": '{"scripts": {"test": "node test.js", "start": "node app.js"}}',
                "test.js": "if (require('./app.js') !== 1) process.exit(1)",
                "app.js": "module.exports = 1",
            },
        ),
        (RUNNER, {"tests/a.sh": "grep -q hello app.txt"}),
        (
            "make test",
            {"Makefile": f"test:\n\t{RUNNER.replace('$', '$$')}", "tests/a.sh": NEEDS_WORK},
        ),
    ],
)
def test_a_sound_check_is_not_accused_of_its_script(
    project: Path, command: str, files: dict[str, Any]
) -> None:
    assert weaknesses(project, command, files) == []


@pytest.mark.parametrize(
    ("command", "files"),
    [
        ("sh -n hello.sh", {}),
        ("test -e hello.sh", {}),
        ("make lint", {"Makefile": "run:\n\tsh hello.sh\nlint:\n\tsh -n hello.sh\n"}),
        (
            "npm run lint",
            {
                "package.json": '{"scripts":{"start":"node app.js","lint":"node --check app.js"}}',
                "app.js": "",
            },
        ),
    ],
)
def test_a_look_at_a_file_can_fail_and_needs_nothing_in_it(
    project: Path, command: str, files: dict[str, Any]
) -> None:
    assert weaknesses(project, command, files) == EMPTIED


def test_what_needs_nothing_passes_in_every_state(project: Path) -> None:
    states = (AS_IT_IS, NOTHING, ruins.EMPTIED, ruins.GARBLED, ruins.GONE)
    assert tried(project, "true").passed == dict.fromkeys(states, True)


def test_what_failed_once_is_tried_no_further(project: Path) -> None:
    passed = {AS_IT_IS: True, NOTHING: False, ruins.EMPTIED: False}
    assert tried(project, "grep -q hello app.txt").passed == passed


@pytest.mark.parametrize("start", ["", "sh -", "ruby -"])
@pytest.mark.parametrize("piece", ["${", "$(", "$a", "n", "c", " ", "'", "make ", "make a\n"])
def test_a_script_made_to_take_long_does_not(start: str, piece: str) -> None:
    text = start + piece * (64_000 // len(piece))
    texts = {"a.sh": text, "Makefile": f"a:\n\t{text}"}
    started = time.process_time()
    assert machinery.chains("sh a.sh", texts.keys(), texts.__getitem__) == [frozenset({"a.sh"})]
    assert time.process_time() - started < 5


def test_a_copy_that_stays_ends_no_rehearsal(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is told at the end, when all of the folder is removed."""

    def stays(folder: str) -> None:
        raise Failure(f"the temporary folder {folder} could not be removed")

    monkeypatch.setattr(throw_away, "remove", stays)
    assert all(tried(project, "true").passed.values())


def test_unless_it_is_to_be_nothing_is_ruined(project: Path) -> None:
    assert tried(project, "true", ruined=False).passed == {AS_IT_IS: True}


@pytest.mark.parametrize(
    ("command", "texts", "found"),
    [
        ("sh a.sh", {"a.sh": "sh a.sh; sh b.sh; sh gone.sh", "b.sh": ""}, ["a.sh", "a.sh b.sh"]),
        ("npm test", {"package.json": "[1]", "a.js": ""}, []),
        ("npm test", {"package.json": '{"scripts": [1]}', "a.js": ""}, []),
        (
            "npm --prefix web test",
            {"web/package.json": '{"scripts": {"test": "node a.js"}}', "web/a.js": "", "a.js": ""},
            ["web/a.js"],
        ),
        (
            "just a && cd in && task b",
            {"justfile": "a:\n  sh a", "in/Taskfile.yml": "b:\n  - ./b", "a": "", "in/b": ""},
            ["in/b", "a"],
        ),
        ("npm test", {"web/package.json": '{"scripts": {"a": "node a.js"}}', "web/a.js": ""}, []),
        (
            "make",
            {
                "Makefile": "all: a\na:\n\t$(MAKE) -C in\nb:\n\tsh b",
                "in/Makefile": "c:\n\t./c",
                "in/c": "",
                "b": "",
            },
            ["in/c"],
        ),
        ("node --check a.js && ./b", {"a.js": "", "b": ""}, ["b"]),
        ('bash "$ROOT/a.sh"', {"a.sh": ". ${HERE:-.}/b.sh", "b.sh": ""}, ["a.sh", "a.sh b.sh"]),
        ("; ".join(f"./{name}" for name in THIRTY), dict.fromkeys(THIRTY, ""), sorted(THIRTY)[:8]),
        (
            "sh 0.sh",
            {name: f"sh {n + 1}.sh" for n, name in enumerate(THIRTY)},
            [" ".join(f"{n}.sh" for n in range(most + 1)) for most in range(8)],
        ),
    ],
)
def test_a_check_consists_of_what_it_starts(
    command: str, texts: dict[str, str], found: list[str]
) -> None:
    chains = machinery.chains(command, texts.keys(), texts.__getitem__)
    assert [" ".join(sorted(chain)) for chain in chains] == found
