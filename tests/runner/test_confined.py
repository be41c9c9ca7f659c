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
from runner.hostile_project import PROGRAMS, REPOSITORY, HostileProject

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
