"""python.sh and environment.py: which interpreter, which environment, made how often."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
BASE = os.path.realpath(getattr(sys, "_base_executable", "") or sys.executable)
NEEDS_HINT = "hint: set it to the path of Python 3.9 or newer, or unset it"


def pinned(house):
    return house.hooks_env.read_text()


# The interpreter


def test_a_shim_is_resolved(quick):
    quick.answer()
    assert pinned(quick) == f"{BASE}\n"


def test_a_link_is_resolved(quick):
    (quick.bin / "python3").unlink()
    (quick.bin / "python3").symlink_to(BASE)
    quick.answer()
    assert pinned(quick) == f"{BASE}\n"


@pytest.mark.parametrize("version", [(3, 9, 0), (3, 14, 2), (4, 0, 0)])
def test_new_enough(quick, version):
    quick.pretender("python3", version)
    quick.answer()


def test_just_too_old(house):
    house.pretender("python3", (3, 8, 20))
    assert f"; {house.bin}/python3 is Python 3.8.20" in house.refused()[0]


def test_one_of_windows_is_passed_over_and_named(quick):
    """As Git Bash finds it there."""
    quick.pretender("python3", (3, 12, 1), "nt")
    named = quick.bin / "python3"
    why = "is Python 3.12.1 for Windows, which Ralph cannot use: start it in WSL"
    assert f"; {named} {why}" in quick.refused()[0]
    assert f"RALPH_PYTHON={named} {why}" in quick.refused(env={"RALPH_PYTHON": str(named)})[0]
    quick.shim("python3.10")
    quick.answer()


@pytest.mark.parametrize("flag", ["--symlinks", "--copies"])
def test_an_active_venv_is_resolved(quick, flag):
    venv = quick.root / "venv"
    subprocess.run([BASE, "-m", "venv", "--without-pip", flag, venv], check=True, timeout=60)
    (quick.bin / "python3").unlink()
    quick.answer(env={"PATH": f"{venv}/bin:{quick.env['PATH']}", "VIRTUAL_ENV": str(venv)})
    assert pinned(quick) == f"{BASE}\n"


def test_older_and_broken_ones_are_passed_over(quick):
    quick.old_python("python3")
    # One that reads its input must not swallow the names of the others.
    quick.program("python3.14", "#!/bin/sh\ncat >&2\necho no version is set >&2\nexit 126\n")
    quick.shim("python3.10")
    done = quick.run()
    assert done.returncode == 0
    assert "no version" not in done.stderr
    assert pinned(quick) == f"{BASE}\n"


def test_the_second_python3_on_path_is_tried(quick):
    second = quick.root / "second"
    quick.shim("../second/python3")
    quick.old_python("python3")
    quick.answer(env={"PATH": f"{quick.env['PATH']}:{second}"})
    assert pinned(quick) == f"{BASE}\n"


@pytest.mark.parametrize(
    "place", ["/usr/bin/python3", "/opt/homebrew/bin/python3", "/usr/local/bin/python3"]
)
def test_the_usual_places_are_tried_last(quick, place):
    path = quick.place(place)
    path.parent.mkdir()
    (quick.bin / "python3").rename(path)
    quick.answer()
    assert pinned(quick) == f"{BASE}\n"


@pytest.mark.parametrize("tools_installed", [True, False])
def test_the_macos_stub_is_started_only_with_the_command_line_tools(quick, tools_installed):
    stub = quick.place("/usr/bin/python3")
    stub.parent.mkdir()
    (quick.bin / "python3").unlink()
    started = quick.root / "started"
    shim = f'#!/bin/sh\n:>"{started}"\nexec "{BASE}" "$@"\n'
    quick.program(os.path.relpath(stub, quick.bin), shim)
    quick.program("xcode-select", f"#!/bin/sh\nexit {0 if tools_installed else 2}\n")
    done = quick.run(env={"OSTYPE": "darwin22"})
    assert (done.returncode == 0, started.exists()) == (tools_installed, tools_installed)


def test_no_python(house):
    house.old_python("python3")
    house.program("python", "#!/bin/sh\nexit 127\n")
    assert house.refused() == [
        "ralph: no Python 3.9 or newer on PATH, in /usr/bin, /opt/homebrew/bin or /usr/local/bin;"
        f" {house.bin}/python3 is Python 3.6.15; {house.bin}/python is not a working Python",
        "hint: install one (macOS: xcode-select --install; Debian, Ubuntu: apt install"
        " python3-venv) or set RALPH_PYTHON to its path",
    ]


def test_the_choice_is_kept_while_it_works(quick):
    quick.answer()
    (quick.bin / "python3").unlink()
    quick.answer()


def test_a_choice_that_is_gone_is_made_again(quick):
    quick.cache.mkdir(parents=True)
    quick.hooks_env.write_text(f"{quick.root}/gone/python3\n")
    quick.answer()
    assert pinned(quick) == f"{BASE}\n"


def test_ralph_python_wins(quick):
    quick.cache.mkdir(parents=True)
    quick.hooks_env.write_text("/bin/sh\n")
    shim = quick.shim("my python")
    quick.answer(env={"RALPH_PYTHON": str(shim)})
    assert pinned(quick) == f"{BASE}\n"


def test_ralph_python_may_be_a_name_on_path(quick):
    quick.shim("mypython")
    quick.answer(env={"RALPH_PYTHON": "mypython"})


def test_ralph_python_too_old(quick):
    old = str(quick.old_python("old"))
    assert quick.refused(env={"RALPH_PYTHON": old}) == [
        f"ralph: RALPH_PYTHON={old} is Python 3.6.15; Ralph needs Python 3.9 or newer",
        NEEDS_HINT,
    ]


def test_ralph_python_is_not_python(quick):
    other = str(quick.program("other", "#!/bin/sh\necho noise >&2\nexit 1\n"))
    assert quick.refused(env={"RALPH_PYTHON": other}) == [
        f"ralph: RALPH_PYTHON={other} is not a working Python; Ralph needs Python 3.9 or newer",
        NEEDS_HINT,
    ]


@pytest.mark.parametrize("kind", ["missing", "not executable", "folder"])
def test_ralph_python_cannot_be_started(quick, kind):
    path = quick.root / "python-x"
    if kind == "not executable":
        path.write_text("")
    elif kind == "folder":
        path.mkdir()
    assert quick.refused(env={"RALPH_PYTHON": str(path)}) == [
        f"ralph: RALPH_PYTHON={path} is not a program that can be started",
        NEEDS_HINT,
    ]


# hooks.env


def test_hooks_env_is_left_alone_when_right(quick):
    shfmt = quick.program("shfmt", "#!/bin/sh\n")
    quick.answer()
    before = quick.hooks_env.stat()
    quick.answer()
    assert pinned(quick) == f"{BASE}\n{shfmt}\n"
    after = quick.hooks_env.stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


def test_the_shell_parser_of_the_environment_comes_before_one_on_path(quick):
    quick.program("shfmt", "#!/bin/sh\n")
    quick.answer()
    [environment] = quick.environments()
    own = environment / "bin" / "shfmt"
    own.write_text("#!/bin/sh\n")
    quick.answer()
    assert pinned(quick).splitlines()[1] == str(quick.bin / "shfmt"), "not executable: no program"
    own.chmod(0o755)
    quick.answer()
    assert pinned(quick) == f"{BASE}\n{own}\n"


def test_hooks_env_is_replaced_not_rewritten(quick):
    quick.cache.mkdir(parents=True)
    quick.hooks_env.write_text("/gone\n")
    with quick.hooks_env.open() as reader:
        quick.answer()
        assert reader.read() == "/gone\n"
    assert pinned(quick) == f"{BASE}\n"
    assert quick.left_over() == []


def test_another_requirements_file_does_not_pin_the_hooks(quick):
    other = quick.root / "other.txt"
    other.write_text("-r plugin/scripts/requirements.txt\n")
    first = source_and_make(quick, "other.txt")
    assert Path(first, "bin", "python").exists()
    assert not quick.hooks_env.exists()
    requirements = quick.scripts / "requirements.txt"
    requirements.write_text(requirements.read_text() + "# changed\n")
    assert source_and_make(quick, "other.txt") != first, "an included file counts too"
    assert quick.run().returncode == 0
    assert len(quick.environments()) == 3


def source_and_make(house, requirements):
    program = f'set -euo pipefail; . "{house.scripts}/python.sh"; ralph_environment {requirements}'
    done = house.run("-c", program, launcher="bash", cwd=house.root)
    assert done.returncode == 0, done.stderr
    return done.stdout.rstrip("\n")


# The environment


def network_env(house, **extra):
    """As this machine reaches the package index, but with the house's cache and PATH."""
    env = {**os.environ, **house.env, "HOME": os.environ.get("HOME", house.env["HOME"]), **extra}
    return {name: value for name, value in env.items() if name != "RALPH_PYTHON"}


@pytest.fixture
def no_network():
    """Settings under which every download by pip is refused at once."""
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        yield {
            "PIP_CONFIG_FILE": "/dev/null",
            "PIP_INDEX_URL": f"http://127.0.0.1:{closed.getsockname()[1]}/simple",
            "PIP_RETRIES": "1",
        }


IMPORT_PACKAGES = "import jsonschema\n"


@pytest.mark.parametrize("tool", ["pip", "uv"])
def test_first_start_downloads_and_the_next_one_needs_no_network(hostile, no_network, tool):
    house = hostile
    house.shim()
    engine = house.scripts / "ralph_engine" / "__main__.py"
    engine.write_text(IMPORT_PACKAGES + engine.read_text())
    if tool == "uv":
        real_uv = shutil.which("uv", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
        (house.bin / "uv").symlink_to(real_uv)
    project = house.root / "project"
    project.mkdir()
    (project / "uv.toml").write_text("of no concern to us")
    first = house.run(env=network_env(house, PIP_USER="1"), cwd=project)
    assert first.returncode == 0, first.stderr
    [environment] = house.environments()
    assert first.stderr == (
        f"ralph: making the Python environment {environment} (once, with {tool})\n"
    )
    assert house.left_over() == []
    shfmt = pinned(house).splitlines()[1]
    assert shfmt == f"{environment}/bin/shfmt"
    parsed = subprocess.run([shfmt, "--to-json"], input=b"a | b", capture_output=True, timeout=60)
    assert b'"Op": "|"' in parsed.stdout, "the guard reads operators as they are written"
    (house.bin / "uv").unlink(missing_ok=True)
    second = house.run(env=no_network)
    assert (second.returncode, second.stderr) == (0, "")


def test_no_network(house, no_network):
    house.shim()
    env = {name: value for name, value in os.environ.items() if not name.startswith("PIP_")}
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        env.pop(name, None), env.pop(name.upper(), None)
    what, hint = house.refused(env={**env, **house.env, **no_network})[-2:]
    [log] = house.cache.glob("env-*.log")
    folder = log.with_suffix("")
    assert what.startswith(f"ralph: cannot make the Python environment {folder}: ERROR: ")
    assert what.endswith(f" (log: {log})")
    assert hint == (
        "hint: the first start downloads packages: check network, proxy and disk, then start again"
    )
    assert "refused" in log.read_text()
    assert house.environments() == []
    assert house.left_over() == [log.name]


def interpreter_without(module, root):
    """A copy of the interpreter that sees the standard library but for one package."""
    library = Path(sysconfig.get_path("stdlib"))
    copied = root / "lacking" / library.relative_to(sys.base_prefix)
    copied.mkdir(parents=True)
    for entry in library.iterdir():
        if entry.name != module:
            (copied / entry.name).symlink_to(entry)
    python = root / "lacking" / "bin" / Path(BASE).name
    python.parent.mkdir()
    shutil.copy(BASE, python)
    return python


@pytest.mark.parametrize("module", ["venv", "ensurepip"])
def test_venv_does_not_work(house, module):
    python = interpreter_without(module, house.root)
    what, hint = house.refused(env={"RALPH_PYTHON": str(python)})[-2:]
    [log] = house.cache.glob("env-*.log")
    assert what == (
        f"ralph: cannot make the Python environment {log.with_suffix('')}:"
        f" the venv module of {python} does not work (log: {log})"
    )
    assert hint == (
        "hint: install it (Debian, Ubuntu: apt install python3-venv), or install uv,"
        " or set RALPH_PYTHON to another Python; then start again"
    )
    assert module in log.read_text()


def test_pip_is_tried_when_uv_fails(house):
    python = interpreter_without("venv", house.root)
    house.program("uv", "#!/bin/sh\necho no version is set for uv\nexit 126\n")
    lines = house.refused(env={"RALPH_PYTHON": str(python)})
    [log] = house.cache.glob("env-*.log")
    assert lines[1] == f"ralph: uv could not make it (log: {log}), trying pip"
    assert "no version is set for uv" in log.read_text()
    assert "No module named venv" in log.read_text()


def test_uv_is_told_the_interpreter_and_the_packages(quick):
    quick.answer()
    venv, install = quick.uv_calls.read_text().splitlines()
    assert venv.startswith(f"venv --python {BASE} ")
    assert install.startswith("pip install --compile-bytecode --python ")
    assert install.endswith(f"/bin/python -r {quick.scripts}/requirements.txt")


@pytest.mark.parametrize("starts", [2, 8])
def test_simultaneous_first_starts_make_one_environment(quick, gate, starts):
    running = [quick.start(UV_STAND_IN_GATE=str(gate.path)) for _ in range(starts)]
    said = [started.next_line().split(" ")[1] for started in running]
    assert sorted(said) == ["making"] + ["waiting"] * (starts - 1)
    gate.builder()
    gate.open()
    assert [started.end() for started in running] == [0] * starts
    assert len(quick.environments()) == 1
    assert quick.left_over() == []
    assert len(quick.uv_calls.read_text().splitlines()) == 2


@pytest.mark.parametrize("victim", ["group", "builder"])
def test_a_killed_builder_is_repaired(quick, gate, victim):
    started = quick.start(UV_STAND_IN_GATE=str(gate.path))
    builder = gate.builder()
    if victim == "group":
        os.killpg(started.process.pid, signal.SIGKILL)
        started.end()
    else:  # the tool it had started lives on, but must not keep the lock
        os.kill(builder, signal.SIGKILL)
    building, log = quick.left_over()
    assert building.startswith("building-") and log.endswith(".log")
    assert quick.environments() == []
    quick.answer()
    assert len(quick.environments()) == 1
    assert quick.left_over() == []
    if victim == "builder":
        gate.open()
        assert started.end() != 0


@pytest.mark.parametrize("kind", ["unfinished folder", "file", "dangling link"])
def test_a_half_made_environment_is_repaired(quick, kind):
    quick.answer()
    [environment] = quick.environments()
    (environment / ".complete").unlink()
    (environment / "bin" / "python").unlink()
    if kind != "unfinished folder":
        shutil.rmtree(environment)
    if kind == "file":
        environment.write_text("")
    elif kind == "dangling link":
        environment.symlink_to(quick.root / "nowhere")
    quick.answer()
    assert quick.environments() == [environment]
    assert quick.left_over() == []


def test_interrupt_ends_without_a_traceback(quick, gate):
    started = quick.start(UV_STAND_IN_GATE=str(gate.path))
    gate.builder()
    os.killpg(started.process.pid, signal.SIGINT)
    assert started.end() != 0
    assert "making" in started.next_line()
    assert started.said.empty()
    assert quick.left_over() == [f"{name.name}" for name in quick.cache.glob("*.log")]


def test_home_unset(house):
    house.shim()
    del house.env["HOME"], house.env["XDG_CACHE_HOME"]
    assert house.refused() == [
        "ralph: neither HOME nor XDG_CACHE_HOME is set, so there is no place for the Python"
        " environment",
        "hint: set HOME, or set XDG_CACHE_HOME to a folder that you can write",
    ]


def test_home_unset_with_a_cache(quick):
    del quick.env["HOME"]
    quick.answer()


def test_cache_below_home(quick):
    del quick.env["XDG_CACHE_HOME"]
    quick.answer()
    assert (quick.root / "home/.cache/ralph/hooks.env").read_text() == f"{BASE}\n"


@pytest.mark.parametrize("blocked", ["cache", "cache/ralph/lock", "cache/ralph/hooks.env"])
def test_cache_that_cannot_be_written(quick, blocked):
    """Stands for a read-only disk, which root would not notice from permissions."""
    path = quick.root / blocked
    if blocked == "cache":
        path.write_text("a file where a folder is needed")
    else:
        path.mkdir(parents=True)
    what, hint = quick.refused()[-2:]
    assert what.startswith(f"ralph: cannot use the Python environments in {quick.cache}: [Errno ")
    assert str(path) in what
    assert hint == (
        "hint: make that folder writable, or set XDG_CACHE_HOME to a folder that you can write"
    )


def test_a_complete_environment_needs_no_write(quick):
    quick.answer()
    lock = quick.cache / "lock"
    lock.unlink()
    before = quick.cache.stat().st_mtime_ns
    quick.answer()
    assert quick.cache.stat().st_mtime_ns == before
