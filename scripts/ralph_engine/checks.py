"""The project's own checks, run by the runner: what they printed, and what the agent is told."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterable
from typing import NamedTuple

from . import processes
from .confined import Confinement
from .core import files, paths

DEFAULT_SECONDS = 600.0
APPEND = "APPEND"


class Check(NamedTuple):
    command: str
    action: str = APPEND
    hint: str = ""
    seconds: float = DEFAULT_SECONDS


class Result(NamedTuple):
    check: Check
    code: int | None
    log: str
    output: str
    seconds: float

    @property
    def passed(self) -> bool:
        return self.code == 0


def distinct(checks: Iterable[Check]) -> list[Check]:
    """A command that stands in several places runs once, as its first place says."""
    found: dict[str, Check] = {}
    for check in checks:
        found.setdefault(check.command, check)
    return list(found.values())


class Runner:
    """Runs checks of one iteration; `stop_asked` ends one that is under way.

    What they leave running is known by `run_id`: nobody else on the machine may have the same.
    """

    def __init__(
        self,
        root: str,
        run_id: str,
        keep: int,
        stop_asked: Callable[[], bool],
        confinement: Confinement,
    ) -> None:
        self._root, self._run_id, self._keep, self._stop_asked = root, run_id, keep, stop_asked
        self._confinement = confinement

    def run(self, check: Check, iteration: int) -> Result:
        log = self._log_name(check, iteration)
        head = _Head(self._keep)

        def on_output(_: str, data: bytes) -> None:
            head.take(data)
            self._append(log, data)

        self._append(log, b"")
        start = time.monotonic()
        mark = f"RALPH_RUN_ID={self._run_id}"
        ended = self._confinement.run(self._job(check), on_output, self._stop_asked, mark)
        code = ended.code if ended.cause is None else None
        return Result(check, code, log, head.text(), time.monotonic() - start)

    def _job(self, check: Check) -> processes.Job:
        # RALPH_ACTIVE=0: an agent that a check starts is no iteration of ours.
        environment = {**os.environ, "RALPH_ACTIVE": "0", "RALPH_RUN_ID": self._run_id}
        argv = ["sh", "-c", check.command]
        return processes.Job(argv, self._root, environment, b"", check.seconds, merged=True)

    def _append(self, log: str, data: bytes) -> None:
        try:
            files.append(self._root, log, data)
        except files.FileFault:
            # A log that cannot be written must not turn a check's verdict.
            pass

    def _log_name(self, check: Check, iteration: int) -> str:
        stem = f"{paths.DOT_FOLDER}/guardrail_{iteration}_{slug(check.command)}"
        number = 1
        while True:
            name = f"{stem}.log" if number == 1 else f"{stem}_{number}.log"
            if files.kind(self._root, name) == "absent":
                return name
            number += 1


class _Head:
    """The first characters of an output; one more is kept to know that there were more."""

    def __init__(self, keep: int) -> None:
        self._room, self._kept = keep * 4 + 4, bytearray()

    def take(self, data: bytes) -> None:
        self._kept += data[: max(0, self._room - len(self._kept))]

    def text(self) -> str:
        return self._kept.decode("utf-8", "replace")


def failure_text(result: Result, keep: int) -> str:
    check = result.check
    how = f"failed with exit code {result.code}."
    if result.code is None:
        how = f"timed out after {check.seconds:g}s."
    lines = [f'Guardrail "{check.command}" {how}']
    if check.hint:
        lines.append(f"Hint: {check.hint}")
    cut = "... [truncated]" if len(result.output) > keep else ""
    shown = result.output[:keep] + cut
    return "\n".join([*lines, f"Output file: {result.log}", "Output (truncated):", shown])


def slug(command: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "_", command).strip("_")[:50] or "check"
