"""Each measurement that the README names works; what it measures is judged by its own rounds."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
from readme import REPOSITORY, commands

SECONDS = 300
NAMES = sorted(words.split()[1] for words in commands() if words.startswith("bench/run "))
# Each of these is run by `all`, as it runs alone.
OF_ALL = ("hooks", "session", "guard", "context", "streams", "report", "sandbox", "runner", "soak")
# Operations between two faults, examples, kills, mutants between two, attacks, rounds;
# test_picture.py runs the picture.
FEW = {
    "faults": 1000,
    "hostile": 2,
    "kills": 2,
    "mutation": "200 promise",
    "rehearsal": 2,
    "starts": 1,
}
TOLD = {
    "faults": r"((archive, )?\w+: 1 of \d+ operations, all taken up again\n){8}",
    "hostile": r"2 examples of up to 8 steps, seed \d+\nruns: .*: no rule was broken\n",
    "kills": r"2 of \d+ runs killed, seed \d+; all came to the same end\n",
    "mutation": r"(promise\t.*\n)?"
    r"\d of 1 mutants killed: [\d.]+% \(aim >= 90%, too few to judge\)\n",
    "rehearsal": r"(?s:.*)the demo's project: 2 of 2 attacks stopped\n"
    r"the weak set-ups: 7 of 7 weaknesses found\n",
    "starts": r"(.*: 1 ran, 15 were refused and named it, 0 did something else\n){2}",
}


def bench(*words: str) -> str:
    done = subprocess.run(
        [str(REPOSITORY / "bench" / "run"), *words],
        cwd="/",
        env={name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("name", FEW)
def test_a_few_rounds(name: str) -> None:
    said = bench(name, *str(FEW[name]).split())
    assert re.fullmatch(TOLD[name], said), said


def test_every_ratio_in_one_table() -> None:
    _, *rows = bench("all", "2").splitlines()
    assert tuple(dict.fromkeys(row.split()[0] for row in rows)) == OF_ALL
    for row in rows:
        assert re.search(r" -?\d+\.\d+  .*  [\d.]+ +too few$", row), row


def test_the_picture_of_a_report(tmp_path: Path) -> None:
    made = tmp_path / "report.png"
    assert bench("report_picture", str(made)) == f"{made}\n"
    assert made.read_bytes().startswith(b"\x89PNG")


def test_every_measurement_is_in_the_readme() -> None:
    files = {path.stem for path in (REPOSITORY / "bench").glob("*.py")}
    assert files - {"ratios"} == set(NAMES)
    assert {*OF_ALL, *FEW, "all", "picture", "report_picture"} == set(NAMES)


def test_another_name_is_refused() -> None:
    done = subprocess.run([REPOSITORY / "bench" / "run", "x"], capture_output=True, timeout=60)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode().splitlines() == [
        "ralph: there is no measurement 'x'",
        f"hint: bench/run NAME [ARGUMENT]; the names are those of {REPOSITORY}/bench/*.py",
    ]
