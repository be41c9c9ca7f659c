"""ralph-audit.sh: one headless client, a session of its own, an exit code that tells."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
ENGINE = REPOSITORY / "scripts" / "ralph_engine" / "__main__.py"
# Plays the client: notes how it was started, ends the loop as it is told.
CLIENT = """#!{python}
import json, os, resource, signal, sys
# A full disk, if there is one, is only the runner's.
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
given = sys.argv[1:]
session = given[given.index("--session-id") + 1]
with open("seen.json", "w") as file:
    json.dump({{"argv": given, "active": os.environ.get("RALPH_ACTIVE")}}, file)
if os.environ.get("ENDS"):
    where = os.environ.get("WHERE", "ended/{{}}.json").format(session)
    os.makedirs(".ralph/sessions/ended")
    with open("state.json") as file:
        state = {{**json.load(file), "session": session, "status": os.environ["ENDS"]}}
    with open(f".ralph/sessions/{{where}}", "w") as file:
        json.dump(state, file)
if os.environ.get("WAITS"):
    os.kill(os.getppid(), signal.SIGINT)
    signal.pause()
"""


def run(project, *arguments, wrap=(), **environment):
    start = [*wrap, sys.executable, "-I", ENGINE, "audit", "--agent", str(project / "client")]
    return subprocess.run(
        [*start, *arguments],
        cwd=project,
        env={"PATH": os.environ["PATH"], "HOME": str(project), **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
    )


@pytest.fixture
def project(tmp_path):
    from hooks.starting import a_loop

    decision = {"time": "T", "iteration": 1, "decision": "x", "why": "because"}
    state = a_loop(kind="ralph-audit", iteration=1, decisions=[decision])
    (tmp_path / "state.json").write_text(json.dumps(state))
    (tmp_path / "client").write_text(CLIENT.format(python=sys.executable))
    (tmp_path / "client").chmod(0o755)
    (tmp_path / "ralph").mkdir()
    (tmp_path / "ralph" / "audit.md").write_text("Look.")
    return tmp_path


def test_the_client_is_started_with_what_was_typed(project):
    done = run(project, "--max-iterations", "3", "--verify", "a 'b'", ENDS="AUDIT_COMPLETE")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Ralph: AUDIT_COMPLETE after 1 iteration" in done.stdout
    seen = json.loads((project / "seen.json").read_text())
    assert seen["active"] == "1"
    prompt = seen["argv"][-1]
    assert prompt == "/ralph:ralph-audit --max-iterations 3 --verify 'a '\"'\"'b'\"'\"''"


@pytest.mark.parametrize(
    ("status", "code"),
    [("MAX_ITERATIONS_REACHED", 1), ("STALLED", 3), ("TIME_LIMIT", 4), ("CANCELLED", 130)],
)
def test_the_exit_code_tells_the_end(project, status, code):
    assert run(project, ENDS=status).returncode == code


def test_a_client_that_ends_before_the_audit_is_an_error(project):
    done = run(project)
    assert done.returncode == 2
    assert "the client ended before the audit did: exit code 0\nhint: its output" in done.stderr


FULL_DISK = ("sh", "-c", 'ulimit -S -f 0; exec "$@"', "sh")


@pytest.mark.parametrize("wrap", [(), FULL_DISK], ids=["", "on a full disk"])
def test_an_interrupted_audit_is_told_as_cancelled(project, wrap):
    done = run(project, wrap=wrap, ENDS="ACTIVE", WHERE="{}.json", WAITS="yes")
    assert done.returncode == 130
    assert "Ralph: CANCELLED after 1 iteration, " in done.stdout and ": interrupted" in done.stdout
    assert ("its state is kept in .ralph/sessions, as " in done.stdout) == (wrap == FULL_DISK)


def test_an_audit_whose_end_could_not_be_written_is_an_error_of_its_own(project):
    done = run(project, ENDS="ACTIVE", WHERE="{}.ended.json")
    assert done.returncode == 2
    assert done.stderr == (
        "ralph: the audit has ended, but how could not be written\n"
        "hint: its output above says how; free some disk space\n"
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--max-iterations", "0"], "--max-iterations is"),
        (["other.md"], "other.md is missing"),
        (["../x.md"], "is not below the project"),
        (["empty.md"], "empty.md is empty\nhint: say in it what to look for"),
        (["odd.md"], "odd.md names no command under its Validation Commands\nhint: write each"),
    ],
)
def test_what_would_be_refused_starts_no_client(project, arguments, said):
    (project / "empty.md").touch()
    (project / "odd.md").write_text("# Validation commands\nRun pytest.\n")
    done = run(project, *arguments)
    assert done.returncode == 2 and said in done.stderr
    assert not (project / "seen.json").exists()
