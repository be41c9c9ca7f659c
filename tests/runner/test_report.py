"""The report of real runs: finished, failed, interrupted, killed and running ones."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from ralph_engine.core.own_command import RALPH
from runner.hostile_project import DEADLINE, ENGINE, IDENTITY, HostileProject, story
from runner.live_loop import HONEST, LiveLoop, events, verb
from runner.pty_session import PtySession

IDLE = "echo Nothing to do here"


@pytest.fixture
def project(tmp_path: Path) -> HostileProject:
    return HostileProject(tmp_path, story("US-1", verify=["test -f US-1.txt"]))


def written(project: HostileProject, name: str = "report.md") -> str:
    [path] = project.root.glob(f".ralph/runs/*/{name}")
    return path.read_text(encoding="utf-8")


def run_id(project: HostileProject) -> str:
    return str(next(e["id"] for e in events(project) if e["event"] == "run"))


def report(project: HostileProject, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-I", "-X", "utf8", str(ENGINE), "report", *options],
        cwd=project.root,
        env=project.environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=DEADLINE,
    )


def lines_of(project: HostileProject, *options: str) -> list[str]:
    """On demand; and what is printed is what is written."""
    done = report(project, *options)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def commands(project: HostileProject, title: str) -> list[str]:
    part = written(project).partition(f"## {title}\n")[2].partition("\n## ")[0]
    return [line for line in part.splitlines() if line.startswith(("git ", f"{RALPH} "))]


def test_a_finished_run_and_the_way_back(project: HostileProject) -> None:
    ended = project.run(HONEST, env={"REJECTIONS": "1"}, iterations=9)
    assert ended.code == 0, ended.screen
    assert f"[ralph] report: .ralph/runs/{run_id(project)}/report.html\n" in ended.screen
    before = written(project), written(project, "report.html")
    done = report(project)
    assert (written(project), written(project, "report.html")) == before
    assert done.stdout == before[0]
    folder = project.root / ".ralph/runs" / run_id(project)
    assert done.stderr == f"written: {folder}/report.md\nwritten: {folder}/report.html\n"
    assert "**complete**: 1 of 1 stories verified" in done.stdout
    assert "| 2 | review US-1 | sent back |" in done.stdout
    assert "\n## What needs a person\n\nNothing.\n" in done.stdout
    _, back, one = commands(project, "How to undo")
    _take_back(project, one)
    project.git("reset", "-q", "--hard", "HEAD~1")
    _take_back(project, back)
    assert project.git("diff", project.start, "HEAD") == ""


def _take_back(project: HostileProject, command: str) -> None:
    environment = {**project.environment, **IDENTITY}
    subprocess.run(
        ["sh", "-c", command], cwd=project.root, env=environment, check=True, timeout=DEADLINE
    )
    assert project.git("status", "--porcelain") == ""


def test_a_run_that_reaches_nothing(project: HostileProject) -> None:
    assert project.run(f"sh -c '{IDLE}'", iterations=9).code == 3
    lines = lines_of(project)
    assert "**stalled**: breaker: 3 iterations in a row without progress" in lines
    assert "- stories done: 0 of 1" in lines
    seen = "nothing that counts; 2 of 3 checks passed; red: test -f US-1.txt"
    assert f"| 3 | Nothing to do here | {seen} |" in lines
    hint = f"# look into .ralph/runs, then {RALPH} resume with a higher --breaker"
    assert lines[lines.index(hint) + 1] == f"{RALPH} resume"


def test_a_running_loop_has_one_after_each_iteration(project: HostileProject) -> None:
    with LiveLoop(project) as loop:
        loop.agents_come(1)
        early = lines_of(project)
        loop.let_go()
        loop.agents_come(2)
        running = written(project)
        loop.let_go()
        assert loop.end().code == 0
    assert early[2].startswith("**unfinished**: No end is recorded: the loop still runs, or was")
    assert "- iterations: 1" in early
    assert "| 1 | implement US-1 | handed in |" in running
    assert "**unfinished**" in running
    assert "**complete**" in written(project)


def test_an_interrupted_and_a_killed_run(project: HostileProject) -> None:
    with LiveLoop(project) as loop:
        loop.agents_come(1)
        assert verb(project, "cancel").code == 0
        assert loop.end().code == 130
    assert "**interrupted**: cancelled on request" in written(project)
    first = run_id(project)
    with LiveLoop(project) as loop:
        loop.agents_come(2)
        loop.process.kill()
        loop.process.wait(DEADLINE)
        [second] = {path.name for path in project.root.glob(".ralph/runs/*")} - {first}
    killed = lines_of(project, "--run", second)
    assert killed[2].startswith("**unfinished**")
    again = verb(project, "resume", "--agent", HONEST)
    assert again.code == 0, again.screen
    lines = lines_of(project)
    assert any("| taken up again |" in line for line in lines)
    assert any("| implement US-1 | signal |" in line for line in lines)
    assert any(line.startswith("**complete**") for line in lines)


def test_a_person_is_told_of_blockers_and_of_approvals_nobody_saw(tmp_path: Path) -> None:
    done = story("US-1", passes=True, reviewStatus="approved", reviewCount=1)
    project = HostileProject(tmp_path, done, story("US-2", priority=2))
    blocked = "echo '- **Blocker:** no database here' >> ralph/progress.txt; echo I am blocked"
    ended = project.run(f'sh -c "{blocked}"', "--trust-approved", iterations=2)
    assert "[ralph] the agent names a blocker: no database here" in ended.screen
    lines = lines_of(project)
    assert "- Approved on a person's word, seen by no review here: US-1" in lines
    [told] = [line for line in lines if line.startswith("- A blocker")]
    assert told == "- A blocker, in the agent's words: no database here"


def test_a_claim_that_was_false(project: HostileProject) -> None:
    program = project.outside / "claims.sh"
    program.write_text("echo 'All is done.'; echo '<promise>COMPLETE</promise>'")
    project.run(f"sh {shlex.quote(str(program))}", iterations=1)
    lines = lines_of(project)
    assert "- Promises of completion: 1, false: 1" in lines
    [row] = [line for line in lines if line.startswith("| 1 | All is done.")]
    assert "\\[promises completion\\]" in row
    assert row.endswith("Completion was promised, but the list is not finished. |")


def test_a_prompt_has_a_report_too(project: HostileProject) -> None:
    answer = "echo '<response>DONE</response>'"
    ended = verb(project, "run", "-p", "Do it", "--delay", "0s", "--agent", f'sh -c "{answer}"')
    assert ended.code == 0, ended.screen
    lines = lines_of(project)
    assert "**complete**: done, claimed by the agent; no checks configured" in lines
    assert "## Stories" not in lines and "## Timeline" in lines


@pytest.mark.parametrize("way", ["folder", "link"])
def test_a_report_that_cannot_be_written_hurts_nobody(project: HostileProject, way: str) -> None:
    """The agent puts something in its place."""
    deed = {
        "folder": 'for d in .ralph/runs/*; do mkdir -p "$d/report.md"; done',
        "link": 'for d in .ralph/runs/*; do ln -sfn "$OUTSIDE" "$d.x"; mv "$d" "$d.y"; '
        'mv "$d.x" "$d"; done',
    }[way]
    program = project.outside / "deed.sh"
    program.write_text(f"{deed}; exec {HONEST}")
    before = project.outside_files()
    ended = project.run(f"sh {shlex.quote(str(program))}", iterations=5)
    assert ended.code == 0, ended.screen
    assert "[ralph] the report could not be written: .ralph/runs/" in ended.screen
    assert "[ralph] report: " not in ended.screen
    assert project.outside_files() == before
    done = report(project)
    assert done.stdout.splitlines()[2] == "**complete**: 1 of 1 stories verified"
    assert done.returncode == 2 and "report.md" in done.stderr.splitlines()[0]


def test_a_torn_journal_is_told_of(project: HostileProject) -> None:
    project.run(HONEST, iterations=1)
    [journal] = project.state.glob("ralph/project-*/runs/*/journal.jsonl")
    journal.write_bytes(journal.read_bytes()[:-9])
    lines = lines_of(project)
    assert "- 1 line of the journal cannot be read and is left out here" in lines
    assert lines[2].startswith("**unfinished**")
    journal.write_bytes(b"\xff\n")
    done = report(project)
    assert (done.returncode, done.stdout) == (2, "")
    name = journal.parent.name
    assert done.stderr == f"ralph: the journal of run {name} holds no line that can be read\n"


def test_a_run_by_its_name(project: HostileProject) -> None:
    assert report(project).stderr == f"ralph: no loop has run here\nhint: {RALPH} run starts one\n"
    project.run(f"sh -c '{IDLE}'", iterations=1)
    first = run_id(project)
    project.run(HONEST, iterations=5)
    assert lines_of(project)[2].startswith("**complete**")
    assert lines_of(project, "--run", first)[2].startswith("**exhausted**")
    for name in ("nothing", "../runs", ".", f"{first}/"):
        done = report(project, "--run", name)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith(f"ralph: no run {name} here\nhint: there are {first}, ")


def test_at_a_terminal_the_verdict_and_the_needs_are_enough(project: HostileProject) -> None:
    project.run(HONEST, iterations=5)
    with PtySession(project, verb="report") as session:
        assert session.wait() == 0
    shown = session.screen.replace("\r", "")
    assert "**complete**: 1 of 1 stories verified" in shown
    assert "## What needs a person\n\nNothing.\nwritten: " in shown
    assert "## Stories" not in shown
