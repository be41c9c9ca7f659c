"""One command, in a session of its own, with a deadline and capped output."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest
from ralph_engine.core import command, last_will

ENVIRONMENT = {"PATH": os.environ["PATH"]}
LONG = 60.0
CAP = 4 * 1024 * 1024


def shell(script: str, seconds: float = LONG, *arguments: str) -> command.Ran:
    return command.run(["/bin/sh", "-c", script, "sh", *arguments], "/", ENVIRONMENT, seconds)


def python(script: str, seconds: float = LONG) -> command.Ran:
    return command.run([sys.executable, "-I", "-S", "-c", script], "/", ENVIRONMENT, seconds)


def test_output_and_code_are_returned() -> None:
    assert shell("echo one; echo two >&2; exit 3") == (3, b"one\n", False)


@pytest.mark.parametrize("argv", [["/nonexistent/program"], ["no-such-program"], ["/etc"], ["/"]])
def test_what_cannot_be_started_has_no_code(argv: list[str]) -> None:
    assert command.run(argv, "/", ENVIRONMENT, LONG) == (None, b"", False)


def test_a_folder_that_is_gone_is_no_place_to_start(tmp_path: Path) -> None:
    ran = command.run(["/bin/sh", "-c", ":"], str(tmp_path / "gone"), ENVIRONMENT, LONG)
    assert ran == (None, b"", False)


def test_it_runs_in_the_folder_with_the_environment_that_was_given(tmp_path: Path) -> None:
    environment = {**ENVIRONMENT, "ONLY": "this"}
    script = 'pwd -P; echo "$ONLY$HOME"'
    ran = command.run(["/bin/sh", "-c", script], str(tmp_path), environment, LONG)
    assert ran.output == os.fsencode(tmp_path.resolve()) + b"\nthis\n"


def test_input_is_empty() -> None:
    assert shell("cat; echo end") == (0, b"end\n", False)


def test_it_has_a_session_of_its_own() -> None:
    ran = python("import os; print(os.getsid(0) == os.getpid(), os.getsid(0))")
    own, session = ran.output.split()
    assert own == b"True" and int(session) != os.getsid(0)


def test_a_signal_is_a_negative_code() -> None:
    assert shell("kill -9 $$").code == -9


class Pulse:
    """A pipe that ends when the last process that holds it has ended."""

    def __init__(self, tmp_path: Path) -> None:
        self.path = tmp_path / "pulse"
        os.mkfifo(self.path)
        self.fd = os.open(self.path, os.O_RDONLY | os.O_NONBLOCK)

    def stopped(self) -> bool:
        deadline = time.monotonic() + LONG
        while select.select([self.fd], [], [], max(0.0, deadline - time.monotonic()))[0]:
            if not os.read(self.fd, 100):
                return True
        return False


@pytest.fixture
def pulse(tmp_path: Path):  # type: ignore[no-untyped-def]
    pulse = Pulse(tmp_path)
    yield pulse
    os.close(pulse.fd)


def test_a_deadline_ends_the_whole_group(pulse: Pulse) -> None:
    script = (
        'exec 3>"$1"; echo started >&3; (trap "" TERM HUP INT; cat </dev/zero >/dev/null) & wait'
    )
    assert shell(script, 0.5, str(pulse.path)) == (None, b"", False)
    assert pulse.stopped()


def test_a_deadline_holds_for_a_command_that_keeps_talking() -> None:
    before = time.monotonic()
    assert shell("while :; do echo x; done", 0.5).code is None
    assert time.monotonic() - before < LONG / 2


def test_a_deadline_holds_for_a_command_that_closed_its_output(pulse: Pulse) -> None:
    script = 'exec 3>"$1" >/dev/null; echo started >&3; exec sleep 5'
    assert shell(script, 0.5, str(pulse.path)).code is None
    assert pulse.stopped()


def test_a_deadline_holds_where_only_a_child_of_it_is_left(pulse: Pulse) -> None:
    script = 'exec 3>"$1"; echo started >&3; sleep 20 & exit 0'
    assert shell(script, 0.5, str(pulse.path)).code is None
    assert pulse.stopped()


@pytest.mark.parametrize(
    ("size", "kept", "cut"),
    [(0, 0, False), (CAP - 1, CAP - 1, False), (CAP, CAP, False), (CAP + 1, CAP, True)],
)
def test_output_is_cut_at_the_cap(size: int, kept: int, cut: bool) -> None:
    ran = python(f"import os, sys; sys.stdout.write('x' * {size})")
    assert (ran.code, len(ran.output), ran.cut) == (0, kept, cut)


def test_a_command_beyond_the_cap_is_read_to_its_end() -> None:
    ran = python(f"import sys; sys.stdout.write('x' * {CAP * 4}); sys.exit(7)")
    assert (ran.code, len(ran.output), ran.cut) == (7, CAP, True)


def to_its_end(script: str, seconds: float = LONG, *arguments: str) -> command.Ran:
    argv = ["/bin/sh", "-c", script, "sh", *arguments]
    return command.run_to_its_end(argv, "/", ENVIRONMENT, seconds)


LEAVES = [
    'exec 3>"$1"; echo started >&3; sleep 300 &',
    'exec 3>"$1"; echo started >&3; bash -c "set -m; sleep 300 &" &',
    'exec 3>"$1"; echo started >&3; setsid sleep 300 &',
    'exec 3>"$1"; echo started >&3; setsid sh -c "trap \'\' TERM HUP; sleep 300; :" &',
]


@pytest.mark.parametrize("script", LEAVES)
def test_what_a_command_leaves_is_ended_with_it(pulse: Pulse, script: str) -> None:
    assert to_its_end(f"{script} echo out; echo err >&2; exit 3", LONG, str(pulse.path)) == (
        *(3, b"out\nerr\n"),
        False,
    )
    assert pulse.stopped()


def test_a_command_that_takes_too_long_is_ended_with_all_it_started(pulse: Pulse) -> None:
    script = f"{LEAVES[2]} echo out; wait"
    assert to_its_end(script, 0.5, str(pulse.path)) == (None, b"out\n", False)
    assert pulse.stopped()


@pytest.mark.parametrize("session", [None, 0])
def test_without_a_session_only_what_carries_the_mark_is_meant(session: int | None) -> None:
    """0 is the session of all whose leader lies outside a container, and no command's own."""
    mark = f"RALPH_COMMAND={os.urandom(8).hex()}"
    name, _, value = mark.partition("=")
    assert list(last_will.living(session, mark)) == list(last_will.living(session, "")) == []
    with subprocess.Popen(["cat"], env={name: value}, stdin=subprocess.PIPE) as marked:
        until_it_runs(marked)
        assert list(last_will.living(session, mark)) == [marked.pid]
        assert marked.stdin is not None
        marked.stdin.close()
    assert list(last_will.living(session, mark)) == []


def test_a_session_is_signalled_only_while_one_of_it_lives(monkeypatch: pytest.MonkeyPatch) -> None:
    """What would be signalled is written down, and nothing is."""
    sent: list[tuple[str, int]] = []
    monkeypatch.setattr(os, "killpg", lambda number, kind: sent.append(("group", number)))
    monkeypatch.setattr(os, "kill", lambda number, kind: sent.append(("process", number)))
    mark = f"RALPH_COMMAND={os.urandom(8).hex()}"
    cat = {"stdin": subprocess.PIPE, "env": ENVIRONMENT}
    with subprocess.Popen(["cat"], start_new_session=True, **cat) as leader:
        last_will.end(leader.pid, mark)
        assert set(sent) == {("group", leader.pid), ("process", leader.pid)}
    sent.clear()
    with subprocess.Popen(["cat"], **cat) as other:
        # Its number, but no session: so is one that was given away again.
        for number in (other.pid, leader.pid, 0):
            last_will.end(number, mark)
    assert sent == []


def until_it_runs(process: subprocess.Popen[bytes]) -> None:
    """Its environment is there once the program itself is."""
    deadline = time.monotonic() + LONG
    while Path(f"/proc/{process.pid}/comm").read_text() != "cat\n":
        assert time.monotonic() < deadline


STARTS = """
import os, sys
sys.path.insert(0, {scripts!r})
from ralph_engine.core import command
command.run_to_its_end(["/bin/sh", "-c", {script!r}, "sh", {pulse!r}], "/", dict(os.environ), 300)
"""


@pytest.mark.parametrize("script", LEAVES)
@pytest.mark.parametrize("way", ["killed", "left alone"])
def test_a_command_ends_with_whoever_started_it(pulse: Pulse, script: str, way: str) -> None:
    """Killed itself, or told by nobody that the program which started it is gone."""
    scripts = str(Path(command.__file__).parents[2])
    code = STARTS.format(scripts=scripts, script=f"{script} wait", pulse=str(pulse.path))
    argv = [sys.executable, "-I", "-S", "-c", code]
    if way == "left alone":
        argv = [sys.executable, "-I", "-c", f"import subprocess; subprocess.call({argv!r})"]
    process = subprocess.Popen(argv, env=ENVIRONMENT, stdin=subprocess.DEVNULL)
    assert select.select([pulse.fd], [], [], LONG)[0]
    assert os.read(pulse.fd, 100) == b"started\n"
    process.kill()
    process.wait()
    assert pulse.stopped()


def test_no_descriptor_is_left_open() -> None:
    before = os.listdir("/dev/fd")
    for script, seconds in ((":", LONG), ("cat </dev/zero >/dev/null", 0.2)):
        shell(script, seconds)
        to_its_end(script, seconds)
    command.run(["/nonexistent"], "/", ENVIRONMENT, LONG)
    command.run_to_its_end(["/nonexistent"], "/", ENVIRONMENT, LONG)
    assert len(os.listdir("/dev/fd")) == len(before)
