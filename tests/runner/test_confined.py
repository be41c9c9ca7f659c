"""Agents and checks in the bwrap sandbox: what they try outside fails, and the run goes on."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from another_user import ORDINARY, ROOT, open_folder, runs_as
from runner.hostile_project import (
    ENGINE,
    MARK,
    PROGRAMS,
    REPOSITORY,
    HostileProject,
    end_marked,
    marked,
)
from runner.live_loop import until

AGENTS = REPOSITORY / "tests" / "fixtures" / "agents"
ANY = f"{sys.executable} breaks_out.py"
# Its own home is there to be written, and gone with it: nobody outside sees that.
IN_VAIN = {"write_beside_the_project"}


A_REPOSITORY, A_FOLDER, A_WORKTREE = "a repository", "a folder of one", "a linked worktree"


class Surroundings:
    """What the test has around the project, for a hostile program to reach for."""

    def __init__(self, folder: Path, place: str, network: str = "deny") -> None:
        inside = "packages/project" if place == A_FOLDER else ""
        self.project = HostileProject(folder / "home" / "work", inside=inside)
        if place == A_WORKTREE:
            tree = folder / "home" / "trees" / "project"
            self.project.git("worktree", "add", "-q", "-b", "feature", str(tree))
            self.project.root = tree
        self.home = folder / "home"
        self.project.home, self.project.state = self.home, self.home / ".local" / "state"
        (self.home / ".ssh").mkdir()
        (self.home / ".ssh" / "id_test").write_text("secret\n")
        shutil.copy(PROGRAMS / "breaks_out.py", self.project.root)
        check = {"command": f"{ANY} of-the-check.json", "failAction": "APPEND"}
        settings = {"guardrails": [check], "sandbox": {"network": network}}
        (self.project.root / ".ralph" / "settings.json").write_text(json.dumps(settings))
        self.daemon = socket.socket(socket.AF_UNIX)
        self.daemon.bind(str(folder / "d"))
        self.daemon.listen()
        self.port = socket.create_server(("127.0.0.1", 0))
        self.port.settimeout(0.2)
        mark = str(uuid.uuid4())
        self.witness = subprocess.Popen(["cat"], stdin=subprocess.PIPE, env={"WITNESS": mark})
        self.env = {
            "WITNESS_MARK": mark,
            "WITNESS_PID": str(self.witness.pid),
            "FORBIDDEN_PORT": str(self.port.getsockname()[1]),
            "DAEMON": str(folder / "d"),
            "PLUGIN": str(REPOSITORY),
            "STATE": str(self.project.state),
        }

    def close(self) -> None:
        self.witness.kill()
        self.witness.communicate()
        self.daemon.close()
        self.port.close()

    def notes(self, name: str) -> dict[str, str]:
        found: dict[str, str] = json.loads((self.project.root / name).read_text())
        return found

    def was_called(self) -> bool:
        try:
            self.port.accept()
        except TimeoutError:
            return False
        return True


@pytest.fixture
def folder() -> Iterator[Path]:
    with open_folder() as made:
        yield made


def git_state(project: HostileProject) -> dict[str, bytes]:
    own = project.repository / ".git"
    found = [own / "config", *sorted((own / "hooks").glob("*"))]
    return {str(path.relative_to(own)): path.read_bytes() for path in found}


@pytest.mark.parametrize(
    ("user", "place"),
    [
        (ROOT, A_REPOSITORY),
        (ROOT, A_WORKTREE),
        (ORDINARY, A_REPOSITORY),
        (ORDINARY, A_FOLDER),
        (ORDINARY, A_WORKTREE),
    ],
)
def test_nothing_hostile_works_and_the_run_goes_on(folder: Path, user: str, place: str) -> None:
    around = Surroundings(folder, place)
    project = around.project
    before, outside = git_state(project), project.outside_files()
    try:
        ended = project.run(
            f"{ANY} of-the-agent.json",
            *("-p", "go", "--sandbox=bwrap"),
            env=around.env,
            around=runs_as(user, folder),
        )
        assert ended.code == 0, ended.screen
        assert "complete: 1 of 1 checks pass" in ended.screen
        for name in ("of-the-agent.json", "of-the-check.json"):
            notes = around.notes(name)
            assert len(notes) == 23
            assert {deed for deed, word in notes.items() if word == "done"} <= IN_VAIN, notes
        assert around.witness.poll() is None
        assert not around.was_called()
    finally:
        around.close()
    assert project.outside_files() == outside
    assert not list(folder.rglob("beside")) and not list(folder.rglob("elsewhere"))
    assert git_state(project) == before
    assert not (project.repository / ".git/info/attributes").exists()
    assert not (project.repository / ".git/config.worktree").exists()
    told = [e["text"] for e in project.journal() if e["event"] == "violation"]
    assert [text for text in told if "info/attributes may not change during a run" in text]
    assert [text for text in told if "config.worktree may not change during a run" in text]
    refused = f"network: 127.0.0.1:{around.env['FORBIDDEN_PORT']} was refused"
    assert ended.screen.count(refused) == 1


HARD = (
    'It\'s "quoted" $(touch trapped) `touch trapped` \\n\n\n\ttab {prompt} €\U0001f600 %s ;&|<>*?'
)


@pytest.mark.parametrize("network", ["open", "deny"])
def test_a_prompt_arrives_inside_byte_by_byte(folder: Path, network: str) -> None:
    around = Surroundings(folder, A_REPOSITORY, network)
    around.close()
    project, text = around.project, HARD + "x" * 200_000 + HARD
    (project.outside / "prompt").write_bytes(text.encode())
    shutil.copy(AGENTS / "notes_its_prompt.py", project.root)
    (project.root / ".ralph" / "settings.json").write_text(
        json.dumps({"sandbox": {"network": network}})
    )
    words = ["-f", str(project.outside / "prompt"), "--sandbox"]
    ended = project.run(f"{sys.executable} notes_its_prompt.py", *words)
    assert ended.code == 0, ended.screen
    assert (project.root / "prompt-inside").read_bytes() == text.encode()
    assert not (project.root / "trapped").exists()


def test_a_prompt_arrives_inside_as_an_argument(folder: Path) -> None:
    project = HostileProject(folder)
    shutil.copy(AGENTS / "notes_its_prompt.py", project.root)
    text = HARD.replace("{prompt}", "")
    agent = f"{sys.executable} notes_its_prompt.py {{prompt}}"
    ended = project.run(agent, "-p", text, "--sandbox=bwrap")
    assert ended.code == 0, ended.screen
    assert (project.root / "prompt-inside").read_bytes() == text.encode()


@pytest.mark.parametrize("network", ["open", "deny"])
def test_an_agent_that_is_ended_may_save_first_and_leaves_nothing(
    folder: Path, network: str
) -> None:
    project = HostileProject(folder)
    shutil.copy(AGENTS / "saves_at_int.py", project.root)
    (project.root / ".ralph" / "settings.json").write_text(
        json.dumps({"sandbox": {"network": network}})
    )
    agent = f"{sys.executable} saves_at_int.py"
    words = ["-p", "go", "--sandbox", "--iteration-timeout", "2s"]
    ended = project.run(agent, *words, iterations=1)
    assert (ended.code, (project.root / "saved").read_text()) == (1, "saved\n"), ended.screen
    assert "cannot be ended" not in ended.screen
    assert project.left_when_it_ended == []


def test_a_runner_that_is_killed_takes_the_sandbox_with_it(folder: Path) -> None:
    """And its successor puts back what was done to git meanwhile, before its own git looks."""
    project = HostileProject(folder)
    before = git_state(project)
    (project.root / "agent.sh").write_text(f"test -e here || exec {sys.executable} saves_at_int.py")
    shutil.copy(AGENTS / "saves_at_int.py", project.root)
    argv = [sys.executable, "-I", "-X", "utf8", str(ENGINE), "run", "-p", "go", "--sandbox"]
    runner = subprocess.Popen(
        [*argv, "--agent", "sh agent.sh"],
        cwd=project.root,
        env=project.environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        until(lambda: (project.root / "here").exists())
        runner.kill()
        runner.wait()
        until(lambda: not marked(f"{MARK}={project.mark}"))
    finally:
        end_marked(f"{MARK}={project.mark}")
    assert not (project.root / "saved").exists()
    trap = f"touch '{project.outside}/trapped'; cat"
    (project.root / ".gitattributes").write_text("* filter=trap\n")
    (project.root / "app.py").write_text("ANSWER = 43\n")
    project.git("config", "filter.trap.clean", trap)
    ended = project.run("sh agent.sh", "-p", "go", "--sandbox", iterations=2)
    assert "undone: .git/config may not change during a run" in ended.screen
    assert git_state(project) == before
    assert not (project.outside / "trapped").exists()
    assert not list(project.state.glob("ralph/*/own-git.json"))


def test_a_file_that_a_person_ignores_everywhere_is_no_work_inside(folder: Path) -> None:
    project = HostileProject(folder / "home" / "work")
    project.home = folder / "home"
    (project.home / "ignored").write_text("*.swp\n")
    (project.home / ".config" / "git").mkdir(parents=True)
    (project.home / ".config" / "git" / "attributes").write_text("*.txt -text\n")
    lines = "[core]\n\texcludesFile = ~/ignored\n[user]\n\tname = A Person\n\temail = p@p\n"
    (project.home / ".gitconfig").write_text(lines + "[credential]\n\thelper = store\n")
    (project.root / "a.swp").write_text("x")
    looks = "git status --porcelain; git check-attr text a.txt; git config credential.helper; "
    looks += 'echo "$GIT_AUTHOR_NAME <$GIT_COMMITTER_EMAIL>"'
    (project.root / "agent.sh").write_text(f"({looks}) > seen; echo '<response>DONE</response>'\n")
    nobody = {"GIT_AUTHOR_NAME": "", "GIT_COMMITTER_EMAIL": ""}
    assert project.run("sh agent.sh", "-p", "go", "--sandbox", env=nobody).code == 0
    assert (project.root / "seen").read_text().splitlines() == [
        "?? agent.sh",
        "?? seen",
        "a.txt: text: unset",
        "A Person <p@p>",
    ]


@pytest.mark.parametrize("network", ["open", "deny"])
@pytest.mark.parametrize("done", [True, False])
def test_what_an_agent_leaves_running_finishes_only_behind_done(
    folder: Path, network: str, done: bool
) -> None:
    project = HostileProject(folder)
    (project.root / ".ralph" / "settings.json").write_text(
        json.dumps({"sandbox": {"network": network}})
    )
    rest = "sleep 0.5" if done else "sleep 1000"
    late = f"(setsid sh -c 'while kill -0 $0 2>/dev/null; do :; done; {rest}; echo > late' $$ &)"
    signal = "touch ralph/DONE" if done else "true"
    (project.root / "agent.sh").write_text(f"{late}\n{signal}\nexit 3\n")
    ended = project.run("sh agent.sh", "-p", "go", "--sandbox", iterations=1)
    assert (project.root / "late").exists() == done, ended.screen
    assert "agent failed: exit code 3" in ended.screen
    assert project.left_when_it_ended == []


def test_a_stand_in_for_claude_has_its_token_and_no_more_of_its_folder(folder: Path) -> None:
    project = HostileProject(folder / "home" / "work")
    project.home = folder / "home"
    own = project.home / ".claude"
    own.mkdir()
    (own / ".credentials.json").write_text("old token\n")
    (own / "settings.json").write_text('{"hooks": {}}\n')
    program = project.home / ".local" / "bin" / "claude"
    program.parent.mkdir(parents=True)
    program.write_text(
        '#!/bin/sh\n[ "$1" != --version ] || exec echo "2.1.326 (Claude Code)"\n'
        "cd ~/.claude; ls -A > $OLDPWD/seen; cat .credentials.json >> $OLDPWD/seen\n"
        "echo new token > .credentials.json; echo trap > settings.json; exit 1\n"
    )
    program.chmod(0o755)
    ended = project.run(str(program), "-p", "go", "--sandbox", iterations=1)
    assert (project.root / "seen").read_text() == ".credentials.json\nold token\n", ended.screen
    assert (own / ".credentials.json").read_text() == "new token\n"
    assert (own / "settings.json").read_text() == '{"hooks": {}}\n'
