"""Each measurement that the README names works; what it measures is judged by its own rounds."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from readme import REPOSITORY, commands

SECONDS = 300
NAMES = sorted(words.split()[1] for words in commands() if words.startswith("bench/run "))
# test_picture.py runs the other one.
PICTURES = {"picture", "report_picture"}
# Operations between two faults, iterations, rounds.
FEW = {"faults": 1000, "soak": 3, "starts": 1}
TOLD = {
    "faults": r"(\w+: 1 of \d+ operations, all taken up again\n){3}",
    "soak": r"(\w+.*: \d+ early, \d+ late, .* x \(N \d+, too few to judge\)\n){2}",
    "starts": r"(.*: 1 ran, 15 were refused and named it, 0 did something else\n){2}",
}
RATIOS = r"([^\n]* x [^\n]*, N 2, too few to judge\)\n|[^\n]* MB\n)+"


def bench(*words: str) -> str:
    done = subprocess.run(
        [str(REPOSITORY / "bench" / "run"), *words],
        cwd="/",
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("name", [name for name in NAMES if name not in PICTURES])
def test_a_few_rounds(name: str) -> None:
    said = bench(name, str(FEW.get(name, 2)))
    assert re.fullmatch(TOLD.get(name, RATIOS), said), said


def test_the_picture_of_a_report(tmp_path: Path) -> None:
    made = tmp_path / "report.png"
    assert bench("report_picture", str(made)) == f"{made}\n"
    assert made.read_bytes().startswith(b"\x89PNG")


def test_every_measurement_is_in_the_readme() -> None:
    files = {path.stem for path in (REPOSITORY / "bench").glob("*.py")}
    assert files - {"ratios"} == set(NAMES)


def test_another_name_is_refused() -> None:
    done = subprocess.run([REPOSITORY / "bench" / "run", "x"], capture_output=True, timeout=60)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode().splitlines() == [
        "ralph: there is no measurement 'x'",
        f"hint: bench/run NAME [ARGUMENT]; the names are those of {REPOSITORY}/bench/*.py",
    ]
