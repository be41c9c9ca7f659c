"""sandbox/setup.sh run for real, as root, in a root of its own made by bwrap."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from runner.hostile_project import REPOSITORY

SCRIPT = REPOSITORY / "sandbox" / "setup.sh"
UID = 4321
READY = "ralph-setup: ready\n"


class Root:
    """Like a sandbox's: this machine to read, with a user `agent` and a /var/lib to write."""

    def __init__(self, folder: Path, state: str = ".dclaude_state", home: str = "agent") -> None:
        self.folder, self.state, self.home = folder, folder / state, folder / "homes" / home
        self.script = folder / "setup.sh"
        for path in (self.state, self.home, folder / "lib"):
            path.mkdir(parents=True)
        shutil.copy(SCRIPT, self.script)
        agent = UID if os.geteuid() == 0 else 0
        passwd = f"root:x:0:0::/root:/bin/sh\nagent:x:{agent}:{agent}::{self.home}:/bin/sh\n"
        (folder / "passwd").write_text(passwd)
        self.path = os.environ["PATH"]

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        argv = ["bwrap", *_as_root(), "--ro-bind", "/", "/", "--dev", "/dev"]
        argv += ["--bind", str(self.folder), str(self.folder), "--tmpfs", "/var/lib"]
        argv += ["--bind", f"{self.folder}/lib", "/var/lib/ralph"]
        argv += ["--ro-bind", f"{self.folder}/passwd", "/etc/passwd", "--"]
        return subprocess.run(
            [*argv, "bash", str(self.script), *(words or [str(self.state)])],
            env={"PATH": self.path, "HOME": "/nonexistent"},
            capture_output=True,
            text=True,
            timeout=60,
        )

    def asks_git(self, key: str) -> str:
        argv = ["git", "config", "--file", str(self.home / ".gitconfig"), key]
        return subprocess.run(argv, capture_output=True, text=True, check=True).stdout.strip()

    def facts(self) -> dict[str, tuple[int, int, str]]:
        """All that it could have changed: owner, time of change, content."""
        found = {}
        for path in sorted(self.folder.rglob("*")):
            status = path.lstat()
            text = os.readlink(path) if path.is_symlink() else ""
            text = path.read_text() if path.is_file() and not path.is_symlink() else text
            found[str(path)] = (status.st_uid, status.st_mtime_ns, text)
        return found


def _as_root() -> list[str]:
    """An ordinary user is root only in name there, and may give files to nobody else."""
    return [] if os.geteuid() == 0 else ["--unshare-user", "--uid", "0", "--gid", "0"]


@pytest.fixture
def root(tmp_path: Path) -> Root:
    return Root(tmp_path)


def owner(path: Path) -> int:
    return path.lstat().st_uid


AGENT = UID if os.geteuid() == 0 else os.geteuid()


def test_the_sign_in_is_linked_and_the_agents_own(root: Root) -> None:
    done = root.run()
    assert (done.returncode, done.stdout, done.stderr) == (0, READY, "")
    for name in (".claude", ".claude.json"):
        link = root.home / name
        assert os.readlink(link) == str(root.state / name)
        assert owner(link) == owner(root.state / name) == AGENT
    assert (root.state / ".claude.json").read_text() == "{}\n"
    assert (root.state / ".claude.json").stat().st_mode & 0o777 == 0o600
    assert (root.state / ".claude").stat().st_mode & 0o777 == 0o700
    assert root.asks_git("user.name") == "Ralph Loop"
    assert root.asks_git("user.email") == "ralph@localhost"
    assert owner(root.home / ".gitconfig") == AGENT


def test_a_second_time_changes_nothing(root: Root) -> None:
    root.run()
    before = root.facts()
    assert root.run().stdout == READY
    assert root.facts() == before


def test_a_changed_setup_runs_again(root: Root) -> None:
    root.run()
    mark = root.folder / "lib" / "setup"
    before = mark.read_text()
    (root.home / ".gitconfig").unlink()
    assert root.run().stdout == READY and not (root.home / ".gitconfig").exists()
    root.script.write_text(SCRIPT.read_text() + "# changed\n")
    assert root.run().stdout == READY
    assert root.asks_git("user.name") == "Ralph Loop"
    assert mark.read_text() != before


def test_a_link_that_is_gone_comes_back(root: Root) -> None:
    root.run()
    (root.home / ".claude").unlink()
    assert root.run().stdout == READY
    assert os.readlink(root.home / ".claude") == str(root.state / ".claude")


def test_what_is_there_already_stays(root: Root) -> None:
    (root.state / ".claude").mkdir()
    (root.state / ".claude" / ".credentials.json").write_text("token")
    (root.state / ".claude.json").write_text('{"mine": 1}')
    (root.home / ".claude").mkdir()
    (root.home / ".claude" / "of the template").write_text("x")
    (root.home / ".gitconfig").write_text("[user]\n\tname = A Person\n")
    assert root.run().stdout == READY
    assert (root.home / ".claude" / ".credentials.json").read_text() == "token"
    assert (root.home / ".claude.json").read_text() == '{"mine": 1}'
    [aside] = root.home.glob(".claude.before-ralph-*/.claude/of the template")
    assert aside.read_text() == "x"
    assert root.asks_git("user.name") == "A Person"
    assert root.asks_git("user.email") == "ralph@localhost"


def test_an_empty_state_file_becomes_json(root: Root) -> None:
    (root.state / ".claude.json").touch()
    assert root.run().stdout == READY
    assert (root.home / ".claude.json").read_text() == "{}\n"


def test_paths_with_blanks(tmp_path: Path) -> None:
    made = Root(tmp_path / "a  b", state="my state's", home="the agent")
    assert made.run().stdout == READY
    assert os.readlink(made.home / ".claude") == str(made.state / ".claude")
    before = made.facts()
    assert made.run().stdout == READY and made.facts() == before


@pytest.mark.parametrize("missing", ["python3", "git"])
def test_a_program_that_is_missing_is_named(root: Root, missing: str) -> None:
    programs = root.folder / "programs"
    programs.mkdir()
    for name in ("bash", "bwrap", "git", "python3", "cat", "cksum", "mkdir", "ln", "chown"):
        if name != missing:
            (programs / name).symlink_to(str(shutil.which(name)))
    root.path = str(programs)
    done = root.run()
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr.startswith(f"ralph-setup: {missing} is missing in this sandbox")
    assert done.stderr.endswith(f"install it (apt-get install {missing})\n")
    assert not (root.folder / "lib" / "setup").exists()


def test_a_state_folder_that_is_not_mounted_is_named(root: Root) -> None:
    done = root.run("/no/such folder")
    told = "ralph-setup: the state folder '/no/such folder' is not mounted here\n"
    assert (done.returncode, done.stderr) == (1, told)


def test_a_sandbox_without_the_agents_user_is_told(root: Root) -> None:
    done = root.run(str(root.state), "nobody-like-that")
    told = "ralph-setup: there is no user 'nobody-like-that' with a home in this sandbox\n"
    assert (done.returncode, done.stderr) == (1, told)
