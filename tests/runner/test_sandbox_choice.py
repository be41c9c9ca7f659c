"""Which sandbox a run takes, what it says about it, and when it refuses to run."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from runner.hostile_project import ENGINE, HostileProject
from runner.pty_session import PtySession

DONE = "sh -c 'echo \"<response>DONE</response>\"'"
GO = ("-p", "go")
UNCONFINED = "unconfined: the agent can reach all that you can"
NO_BWRAP = "bwrap: bwrap is not on PATH (install the package bubblewrap)"
LACKS = ["sbx: sbx is not on PATH", "docker: docker is not on PATH", NO_BWRAP]
NOT_THERE = "; ".join(LACKS)
AUTO = {"IS_SANDBOX": ""}
QUESTION = "Nothing confines the agent here: it can reach all that you can. Run it all the same?"


@pytest.fixture
def project(tmp_path: Path) -> HostileProject:
    return HostileProject(tmp_path)


@pytest.fixture
def without_bwrap(tmp_path: Path) -> dict[str, str]:
    """A PATH on which only bwrap is missing."""
    folder = tmp_path / "programs"
    folder.mkdir()
    for name in ("git", "sh", "true", "cat"):
        (folder / name).symlink_to(str(shutil.which(name)))
    return {**AUTO, "PATH": str(folder)}


def test_the_best_that_works_is_taken_and_named(project: HostileProject) -> None:
    ended = project.run(DONE, *GO, env=AUTO)
    assert ended.code == 0, ended.screen
    words = "sandbox bwrap: writes only in the project, the home is hidden; network: open"
    assert ended.screen.startswith(f"[ralph] {words}; at most 2 iterations\n")


def test_an_environment_that_is_confined_already_is_believed(project: HostileProject) -> None:
    ended = project.run(DONE, *GO)
    assert ended.screen.startswith("[ralph] confined from outside, as IS_SANDBOX=1 says; at most ")


def test_without_a_sandbox_the_warning_is_said_once(project: HostileProject) -> None:
    ended = project.run(DONE, *GO, "--no-sandbox", env=AUTO)
    assert ended.code == 0
    assert ended.screen.startswith(f"[ralph] {UNCONFINED}; at most 2 iterations\n")
    assert ended.screen.count("unconfined") == 1


def test_where_none_works_the_warning_says_why(
    project: HostileProject, without_bwrap: dict[str, str]
) -> None:
    ended = project.run(DONE, *GO, env=without_bwrap)
    assert ended.code == 0
    assert ended.screen.startswith(f"[ralph] {UNCONFINED} ({NOT_THERE}); at most 2 iterations\n")


@pytest.mark.parametrize(
    ("option", "lacks"), [("--sandbox", NOT_THERE), ("--sandbox=bwrap", NO_BWRAP)]
)
def test_no_isolation_no_run(
    project: HostileProject, without_bwrap: dict[str, str], option: str, lacks: str
) -> None:
    ended = project.run(f"touch '{project.outside}/ran'", *GO, option, env=without_bwrap)
    told = f"ralph: no sandbox, no run: {lacks}; --no-sandbox runs without\n"
    assert (ended.code, ended.screen) == (2, told)
    assert not (project.outside / "ran").exists()


def test_a_setting_that_names_one_takes_nothing_less(
    project: HostileProject, without_bwrap: dict[str, str]
) -> None:
    settings = json.dumps({"sandbox": {"backend": "bwrap"}})
    (project.root / ".ralph" / "settings.json").write_text(settings)
    assert project.run(DONE, *GO, env=without_bwrap).code == 2
    assert project.run(DONE, *GO, "--no-sandbox", env=without_bwrap).code == 0


def test_a_program_that_is_there_but_confines_nothing_is_not_taken(
    project: HostileProject, without_bwrap: dict[str, str]
) -> None:
    standin = Path(without_bwrap["PATH"], "bwrap")
    standin.write_text(
        "#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n"
    )
    standin.chmod(0o755)
    ended = project.run(DONE, *GO, "--sandbox", env=without_bwrap)
    lack = "`true` did not run inside (bwrap: No permissions to create new namespace)"
    assert (ended.code, lack in ended.screen) == (2, True), ended.screen


def test_all_findings_come_at_once(project: HostileProject, without_bwrap: dict[str, str]) -> None:
    (project.root / "app.py").write_text("ANSWER = 43\n")
    ended = project.run(DONE, "--sandbox", env=without_bwrap)
    assert ended.code == 2
    assert "2 things must be put right first:\n  no sandbox, no run: " in ended.screen
    assert "\n  uncommitted changes in app.py; commit, or --allow-dirty\n" in ended.screen


@pytest.mark.parametrize(("answer", "code", "kept"), [(b"y\n", 0, "none"), (b"\n", 2, "any")])
def test_a_person_is_asked_once(
    project: HostileProject,
    without_bwrap: dict[str, str],
    answer: bytes,
    code: int,
    kept: str,
) -> None:
    local = project.root / ".ralph" / "settings.local.json"
    local.write_text('{"breaker": 7}')
    words = [*GO, "--agent", DONE, "--no-stream-agent-output"]
    for question in (True, False):
        with PtySession(project, *words, env=without_bwrap) as session:
            if question:
                session.expect(f"{UNCONFINED} ({NOT_THERE})")
                session.expect(f"{QUESTION} (y/N) ")
                session.type(answer)
            assert session.wait() == code, session.screen
        assert (QUESTION in session.screen) == question
        settings = json.loads(local.read_text())
        assert settings == {"breaker": 7, "sandbox": {"backend": kept}}


def test_claude_as_root_is_refused_only_outside_a_sandbox(
    project: HostileProject, without_bwrap: dict[str, str]
) -> None:
    claude = project.outside / "claude"
    claude.write_text("#!/bin/sh\nexit 1\n")
    claude.chmod(0o755)
    told = "Claude Code refuses to work as root outside a sandbox"
    for options in ([], ["--sandbox"]):
        env = AUTO if options else without_bwrap
        ended = project.run(str(claude), *GO, *options, "--dry-run", env=env)
        refused = os.geteuid() == 0 and not options
        assert (told in ended.screen) == refused, ended.screen


def test_sandbox_test_tells_what_can_be_reached(tmp_path: Path) -> None:
    project = HostileProject(tmp_path)
    (project.home / ".profile").write_text("mine\n")
    settings = {"sandbox": {"network": "deny"}}
    (project.root / ".ralph" / "settings.json").write_text(json.dumps(settings))
    with socket.create_server(("127.0.0.1", 0)) as model:
        url = f"http://127.0.0.1:{model.getsockname()[1]}"
        done = subprocess.run(
            [sys.executable, "-I", "-X", "utf8", str(ENGINE), "sandbox", "test"],
            cwd=project.root,
            env={**project.environment, "ANTHROPIC_BASE_URL": url},
            capture_output=True,
            text=True,
            timeout=60,
        )
    rows = dict(line.strip("| ").split(" | ") for line in done.stdout.splitlines()[4:])
    private = "only a private one, gone afterwards"
    works = {name for name, word in rows.items() if word == "yes"}
    assert works == {"write in the project", "read system files (/usr, /etc)", "reach the model"}
    assert rows["write in your home folder"] == private
    assert {word for word in rows.values() if word not in ("yes", "no")} == {private}
    assert len(rows) == 18 and done.returncode == 0
    assert sorted(path.name for path in project.home.iterdir()) == [".profile"]


def test_sandbox_status_names_each_back_end(
    project: HostileProject, without_bwrap: dict[str, str]
) -> None:
    argv = [sys.executable, "-I", "-X", "utf8", str(ENGINE), "sandbox", "status"]
    env = {**project.environment, **without_bwrap}
    done = subprocess.run(argv, cwd=project.root, env=env, capture_output=True, text=True)
    assert done.stdout.splitlines() == [*LACKS, f"a run here: {UNCONFINED} ({NOT_THERE})"]
    assert done.returncode == 0


def test_verify_runs_the_agents_checks_inside(project: HostileProject) -> None:
    check = {"command": 'touch "$OUTSIDE/of the check"', "failAction": "APPEND"}
    (project.root / ".ralph" / "settings.json").write_text(json.dumps({"guardrails": [check]}))
    argv = [sys.executable, "-I", "-X", "utf8", str(ENGINE), "verify"]
    env = {**project.environment, **AUTO}
    done = subprocess.run(argv, cwd=project.root, env=env, capture_output=True, text=True)
    assert f"OPEN {check['command']}: exit code 1 (log: " in done.stdout
    assert "ok   test -f app.py: exit code 0 (log: " in done.stdout
    assert not (project.outside / "of the check").exists()
