"""Signs that the runner itself puts up: when the breaker trips, when a guardrail failed thrice."""

from __future__ import annotations

from collections.abc import Iterable

from . import git, repair, signs
from .checks import Result
from .core import files
from .run_state import Run
from .stops import STALLED, Stop

_TIMES = 3


def after_checks(run: Run, results: Iterable[Result]) -> None:
    """At the third failure of a guardrail in this run, and not again."""
    guardrails = {check.command for check in run.guardrails()}
    for result in results:
        command = result.check.command
        if result.passed or command not in guardrails:
            continue
        run.red_guardrails[command] = run.red_guardrails.get(command, 0) + 1
        if run.red_guardrails[command] == _TIMES:
            instruction = result.check.hint or f"Run `{command}` before you commit."
            put_up(run, f"{command} keeps failing", f"work that {command} judges", instruction)


def after_stop(run: Run, stop: Stop) -> None:
    if stop.code == STALLED:
        way = "Read the last entries of progress.txt and go another way than they did."
        put_up(run, "Going round in circles", stop.why, way)


def put_up(run: Run, name: str, trigger: str, instruction: str) -> None:
    path = f"{run.ralph_dir}/guardrails.md"
    if files.kind(run.root, path) != "file":
        return
    text = signs.compose(name, trigger, instruction, f"iteration {run.iteration} of {run.run_id}")
    try:
        files.append(run.root, path, text.encode("utf-8", "replace"))
    except files.FileFault as fault:
        run.say(f"no Sign was put up: {fault}")
        return
    # What a person left uncommitted there stays uncommitted.
    if path not in run.baseline and git.is_tracked(run.root, path):
        repair.commit(run.root, [path], f"ralph: sign: {' '.join(name.split())}")
    run.journal.write("sign", name=name, path=path)
