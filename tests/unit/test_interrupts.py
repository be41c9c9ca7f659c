"""What signals leave behind in the process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
TWICE = """
import os, signal, sys
sys.path.insert(0, sys.argv[1])
from ralph_engine import interrupts
interrupts.install()
interrupts.begin("RALPH_RUN_ID=nobody-has-this-mark", lambda: None)
for _ in range(2):
    os.kill(os.getpid(), signal.SIGINT)
print(signal.getitimer(signal.ITIMER_REAL)[1])
interrupts.finish()
print(signal.getitimer(signal.ITIMER_REAL)[1])
"""


def test_the_alarm_of_a_second_signal_ends_with_the_run() -> None:
    done = subprocess.run(
        [sys.executable, "-I", "-c", TWICE, str(SCRIPTS)],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stdout.split()) == (0, ["0.2", "0.0"]), done.stderr
