"""test.sh and .ci/run: what they run, in which order, and what they say when they cannot."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]

# Stands for the test environment's Python: notes what it was asked to do.
PYTHON_STAND_IN = """#!/bin/sh
echo "python $*" >>'{calls}'
case $* in
*clients.py*) echo '{clients}' ;;
*"{failing}"*) exit 1 ;;
esac
"""
UV_STAND_IN = """#!/bin/sh
if [ "$1" = venv ]; then
  mkdir -p "$4/bin"
  ln -s '{python}' "$4/bin/python"
  ln -s '{note}' "$4/bin/shellcheck"
fi
"""
NOTE = """#!/bin/sh
echo "${{0##*/}} $*" >>'{calls}'
"""


# Program: package, and the tests that need it.
NEEDED = {
    "bwrap": ("bubblewrap", "sandbox"),
    "tmux": ("tmux", "terminal"),
    "chromium": ("chromium", "report"),
}


class Checkout:
    """A checkout whose tools are stand-ins, so that its test command only shows its plan."""

    def __init__(self, house, failing="nothing"):
        self.house = house
        self.root = house.scripts.parent
        self.calls = house.root / "calls"
        self.calls.write_text("")
        clients = house.root / "clients"
        house.shim()
        for name in ("git", "id", "mktemp", "rm", "uname", "xargs"):
            house.add_tool(name)
        python = house.program(
            "../fake/python",
            PYTHON_STAND_IN.format(calls=self.calls, clients=clients, failing=failing),
        )
        note = house.program("../fake/note", NOTE.format(calls=self.calls))
        house.program("uv", UV_STAND_IN.format(python=python, note=note))
        house.program("../clients/node_modules/.bin/claude", NOTE.format(calls=self.calls))
        for program in NEEDED:
            house.program(program, "#!/bin/sh\n")
        (self.root / "tests").mkdir()
        for name in ("scripts/test.sh", "tests/requirements.txt", ".ci/run"):
            (self.root / name).parent.mkdir(exist_ok=True)
            shutil.copy(REPOSITORY / name, self.root / name)
        subprocess.run(["git", "init", "-q"], cwd=self.root, check=True, timeout=60)

    def run(self, *args, launcher="scripts/test.sh", **env):
        return self.house.run(*args, launcher=self.root / launcher, cwd="/", env=env)

    def steps(self):
        return [line.partition(" /")[0] for line in self.calls.read_text().splitlines()]


LINTERS = [
    "python -m ruff check .",
    "python -m mypy",
    "shellcheck --external-sources --severity=style",
    "python -c import vermin; vermin.main() -t=3.9- --no-tips --violations hooks scripts",
    "claude plugin validate --strict .claude-plugin/plugin.json",
]


@pytest.mark.parametrize("launcher", ["scripts/test.sh", ".ci/run"])
def test_everything_runs_in_order(house, launcher):
    checkout = Checkout(house)
    done = checkout.run(launcher=launcher)
    assert done.returncode == 0, done.stderr
    clients, *steps, measured, tests = checkout.steps()
    assert clients == "python tests/clients.py"
    assert [step[: len(linter)] for step, linter in zip(steps, LINTERS)] == LINTERS
    assert len(steps) == len(LINTERS)
    assert measured == "python tests/covered.py"
    assert tests == "python -m pytest -n auto --dist worksteal --unmeasured"


def test_every_shell_file_is_checked(house):
    checkout = Checkout(house)
    for name, text in {
        "hooks/run": "#!/bin/sh\n",
        "new 'é'.sh": "",
        "tool": "#!/usr/bin/env bash\n",
        "notes": "#!/usr/bin/env python3\n",
        "ignored.sh": "",
        ".gitignore": "ignored.sh\n",
    }.items():
        (checkout.root / name).parent.mkdir(exist_ok=True)
        (checkout.root / name).write_text(text)
    checkout.run()
    [line] = [line for line in checkout.steps() if line.startswith("shellcheck")]
    names = line.partition("--severity=style ")[2]
    expected = [".ci/run", "hooks/run", "new 'é'.sh", "scripts/python.sh", "scripts/ralph.sh",
                "scripts/test.sh", "tool"]  # fmt: skip
    assert names == " ".join(expected)


@pytest.mark.parametrize("failing", ["-m ruff", "-m mypy", "vermin", "covered.py", "-m pytest"])
def test_the_first_failure_ends_it(house, failing):
    checkout = Checkout(house, failing)
    assert checkout.run().returncode == 1
    assert failing in checkout.steps()[-1]


@pytest.mark.parametrize("tool", ["clients/node_modules/.bin/claude", "fake/note"])
def test_a_failing_program_ends_it(house, tool):
    checkout = Checkout(house)
    with (house.root / tool).open("a") as file:
        file.write("exit 1\n")
    assert checkout.run().returncode != 0
    assert not any("-m pytest" in step for step in checkout.steps())


def test_arguments_go_to_pytest_alone(house):
    checkout = Checkout(house)
    assert checkout.run("tests/unit", "-k", "files or 'a b'").returncode == 0
    assert checkout.steps() == [
        "python tests/clients.py",
        "python -m pytest -n auto --dist worksteal tests/unit -k files or 'a b'",
    ]


def test_help_starts_nothing(house):
    checkout = Checkout(house)
    done = checkout.run("--help")
    assert done.returncode == 0
    assert done.stdout.startswith("usage: scripts/test.sh [PYTEST ARGUMENT...]\n")
    assert checkout.steps() == []


def lacking(house, program, user, apt=True, sudo=True):
    checkout = Checkout(house)
    (house.bin / program).unlink()
    house.program("uname", "#!/bin/sh\necho Linux\n")
    house.program("id", f"#!/bin/sh\necho {user}\n")
    house.program("true", "#!/bin/sh\n")
    if apt:
        house.program("apt-get", NOTE.format(calls=checkout.calls) + 'echo "$DEBIAN_FRONTEND"\n')
    house.program("sudo", '#!/bin/sh\nshift\nexec "$@"\n' if sudo else "#!/bin/sh\nexit 1\n")
    return checkout


@pytest.mark.parametrize("user", [0, 1000])
@pytest.mark.parametrize("program", NEEDED)
def test_a_missing_program_is_installed(house, program, user):
    checkout = lacking(house, program, user)
    done = checkout.run("-q")
    assert done.returncode == 0, done.stderr
    assert "noninteractive" in done.stdout
    assert checkout.steps()[1:3] == [
        "apt-get -qq update",
        f"apt-get -qq install -y --no-install-recommends {NEEDED[program][0]}",
    ]


def test_elsewhere_than_on_linux_there_is_no_bubblewrap(house):
    checkout = lacking(house, "bwrap", 0)
    house.program("uname", "#!/bin/sh\necho Darwin\n")
    assert checkout.run("-q").returncode == 0
    assert not any("apt-get" in step for step in checkout.steps())


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"user": 1000, "sudo": False}, "needs root"),
        ({"user": 0, "apt": False}, "needs another tool than apt-get"),
        ({"user": 0, "broken": True}, "failed"),
    ],
)
@pytest.mark.parametrize("program", NEEDED)
def test_a_missing_program_cannot_be_installed(house, program, options, why):
    checkout = lacking(house, program, **{k: v for k, v in options.items() if k != "broken"})
    if "broken" in options:
        house.program("apt-get", "#!/bin/sh\nexit 100\n")
    done = checkout.run("-q")
    assert done.returncode == 2
    package, who = NEEDED[program]
    assert done.stderr.splitlines()[-2:] == [
        f"ralph: {program} is not on PATH, the {who} tests need it, and installing it here {why}",
        f"hint: install the package {package} with your package manager, then start again",
    ]
    assert not any("-m pytest" in step for step in checkout.steps())
