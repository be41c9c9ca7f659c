"""Tells a person, by a command of their own, that the loop has ended or waits."""

from __future__ import annotations

import os
from collections.abc import Callable

from . import interrupts, processes
from .harmless import harmless
from .redact import redacted
from .run_state import Run
from .stops import Stop

SECONDS = 30.0
_LONGEST = 1000
_KEPT = 4096


def of_end(run: Run, stop: Stop) -> None:
    """Told too where a signal or a person ended the run; the next signal ends this as well."""
    hint = f"; {stop.hint}" if stop.hint else ""
    ended_by_request = run.stop_asked()
    _tell(
        run,
        stop.status,
        f"{stop.sentence}{hint}",
        lambda: not ended_by_request and run.stop_asked(),
    )


def of_wait(run: Run, sentence: str) -> None:
    _tell(run, "waiting", sentence, run.stop_asked)


def _tell(run: Run, status: str, sentence: str, stop_asked: Callable[[], bool]) -> None:
    command = run.settings.notify
    if command is None:
        return
    output = bytearray()

    def keep(_: str, data: bytes) -> None:
        output.extend(data)
        del output[:-_KEPT]

    with interrupts.job("the notify command"):
        done = processes.run(_job(run, command, status, sentence), keep, stop_asked, run.mark)
    problem = _problem(done, output.decode("utf-8", "replace"))
    if problem:
        run.say(f"the notify command {problem}; the run does not depend on it")


def _job(run: Run, command: str, status: str, sentence: str) -> processes.Job:
    # One line that any program can be given: no control characters, no half surrogate pairs.
    summary = harmless(f"{os.path.basename(run.root)}: {sentence}").replace("\n", " ")
    environment = {
        **os.environ,
        "RALPH_ACTIVE": "0",
        "RALPH_RUN_ID": run.run_id,
        "RALPH_STATUS": status,
        "RALPH_SUMMARY": summary[:_LONGEST],
    }
    return processes.Job(["sh", "-c", command], run.root, environment, b"", SECONDS, merged=True)


def _problem(done: processes.Ended, output: str) -> str:
    if done.problem:
        return f"could not be started ({done.problem})"
    if done.cause == processes.TIMED_OUT:
        return f"took longer than {SECONDS:g} s and was ended"
    if done.cause or not done.code:
        return ""
    said = redacted(output.strip().rpartition("\n")[2][:200])
    return f"failed with exit code {done.code}" + (f" ({said})" if said else "")
