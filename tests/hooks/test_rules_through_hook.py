"""Every rule through the Stop hook's process: what the agent is told, by either marker."""

from __future__ import annotations

from pathlib import Path

import pytest
from hooks.hook_process import Project, copied
from ralph_engine.core import fingerprint, paths
from rules import CASES, KINDS, TWO, Blame, Case, change, finish, story, submit, task_list

ORDER = ("schema", "invariants", "transitions")
FROZEN_FILES = paths.frozen_files("ralph")


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    project = Project(tmp_path_factory.mktemp("template"), tmp_path_factory.mktemp("home"))
    project.init()
    return project.root


@pytest.fixture
def project(template: Path, tmp_path: Path) -> Project:
    return copied(template, tmp_path / "project", tmp_path / "home")


def stand(project: Project, case: Case, kind: str) -> None:
    """The moment of the stop: the agent's list is committed, the marker is there."""
    project.write("ralph/tasks.json", case.after())
    project.commit()
    project.mark(case.marker(kind))


def first_failing(blames: tuple[Blame, ...]) -> list[Blame]:
    for check in ORDER:
        found = [blame for blame in blames if blame.check == check]
        if found:
            return found
    return []


def explains(blame: Blame, line: str) -> bool:
    return all(word in line for word in (blame.story, *blame.words))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in CASES])
def test_the_hook_gives_the_verdict_of_the_rules(case: Case, kind: str, project: Project) -> None:
    stand(project, case, kind)
    answer = project.stop()
    expected = first_failing(case.expected(kind))
    if not expected:
        assert answer.allowed, answer.reason
        assert project.events()[-1]["event"] == "gate-passed"
        return
    assert [b for b in expected if not any(explains(b, line) for line in answer.listed)] == []
    assert [line for line in answer.listed if not any(explains(b, line) for b in expected)] == []
    assert len(answer.reason) <= 4000
    assert project.events()[-1]["group"] == expected[0].check


EVERYTHING_WRONG = Case(
    "a fault of each check",
    TWO,
    (change("US-001", title=None), finish("US-002")),
    (),
)


@pytest.mark.parametrize("kind", KINDS)
def test_only_the_first_failing_check_speaks(kind: str, project: Project) -> None:
    stand(project, EVERYTHING_WRONG, kind)
    [line] = project.stop().listed
    assert "US-001" in line and "title" in line
    project.write("ralph/tasks.json", Case("", TWO, (finish("US-002"),), ()).after())
    [line] = project.stop().listed
    assert "US-002" in line and "Only review iterations approve" in line
    project.write(
        "ralph/tasks.json", Case("", TWO, (submit("US-001"), submit("US-002")), ()).after()
    )
    [line] = project.stop().listed
    assert "One story an iteration" in line


@pytest.mark.parametrize("kind", KINDS)
def test_a_missing_list_blocks(kind: str, project: Project) -> None:
    project.mark(Case("", TWO, (), ()).marker(kind))
    (project.root / "ralph" / "tasks.json").unlink()
    [line] = project.stop().listed
    assert "ralph/tasks.json is missing; create it" in line


@pytest.mark.parametrize("kind", KINDS)
def test_a_list_behind_a_link_blocks(kind: str, project: Project) -> None:
    project.write("elsewhere.json", Case("", TWO, (), ()).after())
    project.mark(Case("", TWO, (), ()).marker(kind))
    (project.root / "ralph" / "tasks.json").unlink()
    (project.root / "ralph" / "tasks.json").symlink_to("../elsewhere.json")
    [line] = project.stop().listed
    assert "ralph/tasks.json" in line and "link" in line


@pytest.mark.parametrize("kind", KINDS)
def test_twenty_faults_are_shown_and_the_rest_is_counted(kind: str, project: Project) -> None:
    broken = [story(f"US-{n:03}", title=None) for n in range(25)]
    stand(project, Case("", task_list(*broken), (), (), snapshot=False), kind)
    answer = project.stop()
    assert [line.split()[1] for line in answer.listed] == [f"(US-{n:03})" for n in range(20)]
    assert "25 faults" in answer.reason
    assert "... and 5 more" in answer.reason


@pytest.mark.parametrize("kind", KINDS)
def test_a_long_reason_keeps_its_first_lines_and_its_end(kind: str, project: Project) -> None:
    broken = [story(f"US-{n:03}-{'x' * 300}", passes=True, notes="n") for n in range(25)]
    stand(project, Case("", task_list(*broken), (), (), snapshot=False), kind)
    reason = project.stop().reason
    assert 3000 < len(reason) <= 4000
    assert "US-000" in reason
    assert reason.splitlines()[-1] == "Then stop again."


@pytest.mark.parametrize("kind", KINDS)
def test_a_marker_without_a_snapshot_is_recorded(kind: str, project: Project) -> None:
    stand(project, Case("", TWO, (), (), snapshot=False), kind)
    assert project.stop().allowed
    assert [event["event"] for event in project.events()] == ["transitions-skipped", "gate-passed"]


def with_frozen_files(project: Project) -> None:
    """Two that are there before the iteration, and two that are not."""
    project.write("ralph/tasks.json", Case("", TWO, (), ()).after())
    for path in FROZEN_FILES[::2]:
        project.write(path, "as it was")
    marker = Case("", TWO, (), ()).marker("full")
    digests = {path: fingerprint.of(str(project.root), path) for path in FROZEN_FILES}
    project.mark({**marker, "digests": digests})


@pytest.mark.parametrize("path", FROZEN_FILES)
def test_a_written_read_only_file_blocks(path: str, project: Project) -> None:
    with_frozen_files(project)
    project.write(path, "as the agent wants it")
    project.commit()
    [line] = project.stop().listed
    assert line == f"{path} is read-only during a run: put it back as it was."


@pytest.mark.parametrize("path", FROZEN_FILES[::2])
def test_a_deleted_read_only_file_blocks(path: str, project: Project) -> None:
    with_frozen_files(project)
    (project.root / path).unlink()
    project.commit()
    [line] = project.stop().listed
    assert line == f"{path} is read-only during a run: put it back as it was."


def test_read_only_files_that_were_put_back_are_legal(project: Project) -> None:
    with_frozen_files(project)
    for path in FROZEN_FILES[::2]:
        project.write(path, "as the agent wants it")
        project.write(path, "as it was")
    project.commit()
    assert project.stop().allowed


def test_the_goal_prompt_has_no_task_list_to_judge(project: Project) -> None:
    case = Case("", TWO, (finish("US-001"),), ())
    stand(project, case, "full")
    project.mark({**case.marker("full"), "goal": "prompt"})
    assert project.stop().allowed
