"""`tdd`: holds scenarios to their order; a phase counts when its command was seen to end so."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
import time

from . import called_state, outputs, run_options, tdd_log, tdd_state
from .called_state import State
from .core import command as commands
from .core import paths, session_limits, verify_commands
from .core.loop_command import NO_FINDINGS
from .core.own_command import RALPH
from .core.shape import shown
from .failure import Failure
from .harmless import harmless
from .stops import STALLED

KIND = "tdd-state"
# A little less than the longest that a tool call of the client may take.
_SECONDS = 570.0
_WANTED = {
    tdd_log.RED: "fails: the test is new, what it tests is not there",
    tdd_log.GREEN: "passes: the command that was red",
    tdd_log.REFACTORED: "still passes: the same command, after tidying up",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    run_options.add_project_argument(parser)
    steps = parser.add_subparsers(metavar="STEP", required=True)
    add = steps.add_parser("add", help="one more scenario")
    add.add_argument("id", metavar="ID")
    add.add_argument("description", help="what its test will show")
    add.set_defaults(step=_add)
    steps.add_parser("next", help="which one is next, and its evidence").set_defaults(step=_next)
    for phase, words in _WANTED.items():
        step = steps.add_parser(phase, help=f"run CMD; recorded if it {words}")
        step.add_argument("id", metavar="ID")
        step.add_argument("command", nargs=argparse.REMAINDER, metavar="-- CMD")
        step.set_defaults(step=_phase, phase=phase)
    steps.add_parser("status", help="what each has come to").set_defaults(step=_status)


def main(options: argparse.Namespace) -> int:
    return int(options.step(run_options.project_folder(options.project_dir), options))


def read(root: str) -> State | None:
    state = called_state.read(root, paths.TDD_STATE, KIND)
    if state is not None:
        called_state.refuse([f"{paths.TDD_STATE}: {fault}" for fault in tdd_log.faults(state)])
    return state


def words(state: State) -> str:
    """One line for a person."""
    done, total = len(state["completedScenarios"]), len(state["scenarios"])
    current = tdd_state.find(state, state["currentScenario"] or "")
    at = f", at {current['id']} ({current['status']})" if current else ""
    log = state["evidenceLog"]
    last = f", last evidence at {log[-1]['timestamp']}" if log else ""
    return f"ralph-tdd: {done} of {total} scenarios completed{at}{last}; next: `{RALPH} tdd next`"


def _add(root: str, options: argparse.Namespace) -> int:
    for what, value, wrong in (
        ("ID", options.id, tdd_state.id_fault(options.id)),
        ("the description", options.description, tdd_state.description_fault(options.description)),
    ):
        if wrong:
            raise Failure(f"{what} is {shown(value)}; {wrong}")
    with called_state.held(root, paths.TDD_STATE):
        state = read(root) or tdd_state.fresh()
        if tdd_state.find(state, options.id):
            raise Failure(f"{options.id} is there already", "give the new one another ID")
        _write(root, tdd_state.added(state, options.id, options.description))
    return 0


def _next(root: str, _: argparse.Namespace) -> int:
    with called_state.held(root, paths.TDD_STATE):
        state = tdd_state.asked(_expected(root))
        _write(root, state)
    if state["currentScenario"] is None:
        print(NO_FINDINGS)
        return 0
    current, times = tdd_state.find(state, state["currentScenario"]), state["askedFor"]
    assert current is not None
    if times >= session_limits.breaker_threshold(os.environ):
        said = f"STALLED: {current['id']} was next {times} times and is still {current['status']}"
        outputs.last(said, "find out what keeps it; its next phase re-arms the breaker")
        return STALLED
    _print("\n".join(_task(state, current)))
    return 0


def _task(state: State, current: dict[str, str]) -> list[str]:
    name = current["id"]
    lines = [f"scenario: {name}", f"description: {current['description']}"]
    if current["status"] == tdd_log.PENDING:
        task = f"write a test of it that fails, and nothing else; then `{RALPH} tdd red"
        return [*lines, "status: pending", f"next: {task} {name} -- CMD`"]
    red = tdd_log.last(state["evidenceLog"], name, tdd_log.RED)
    return [
        *lines,
        "status: red",
        "next: make it pass without touching the test; then "
        f"`{RALPH} tdd green {name} -- {shlex.quote(red['command'])}`",
        "red evidence, verbatim for the implementer's prompt:",
        red["output"],
    ]


def _phase(root: str, options: argparse.Namespace) -> int:
    name, phase, text = options.id, options.phase, _command(options)
    _judge(root, name, phase, text)
    ran = verify_commands.run(root, text, _SECONDS)
    if ran.output:
        _print(tdd_state.kept(ran.output))
    wrong = _contradiction(phase, ran)
    if wrong:
        outputs.last(f"{name} is not {phase}: {wrong}", "nothing was recorded")
        return 1
    with called_state.held(root, paths.TDD_STATE):
        state = _judge(root, name, phase, text)
        _write(root, tdd_state.recorded(state, name, phase, text, ran.output, time.time()))
    _print(f"recorded: {name} is {phase} (exit code {ran.code})")
    return 0


def _command(options: argparse.Namespace) -> str:
    """One word is a line for the shell, as `sh -c` takes it; several are themselves."""
    given = options.command
    while given[:1] == ["--"]:
        given = given[1:]
    text = given[0] if len(given) == 1 else shlex.join(given)
    if not text.strip():
        raise Failure("CMD is missing", f"{RALPH} tdd {options.phase} ID -- CMD")
    return text


def _judge(root: str, name: str, phase: str, command: str) -> State:
    """The state, if the phase can come now: said before the command runs, and after it."""
    state = _expected(root)
    if tdd_state.find(state, name) is None:
        known = f"`{RALPH} tdd status` lists them, `{RALPH} tdd add` makes one"
        raise Failure(f"{shown(name)} is not a scenario", known)
    wrong = tdd_log.refusal(state["evidenceLog"], name, phase, command)
    if wrong:
        raise Failure(wrong, f"`{RALPH} tdd next` says what is next")
    return state


def _contradiction(phase: str, ran: commands.Ran) -> str:
    if ran.code is None:
        return f"the command did not end within {_SECONDS:g} s, or could not be started"
    if phase == tdd_log.RED:
        return "" if ran.code else "the command passes"
    return f"the command fails (exit code {ran.code})" if ran.code else ""


def _status(root: str, _: argparse.Namespace) -> int:
    state = read(root) or tdd_state.fresh()
    lines = [f"{s['status']:<10} {s['id']}: {s['description']}" for s in state["scenarios"]]
    _print("\n".join([words(state), *(" ".join(line.split("\n")) for line in lines)]))
    return 0


def _expected(root: str) -> State:
    state = read(root)
    if state is None or not state["scenarios"]:
        raise Failure("there are no scenarios", f'`{RALPH} tdd add ID "description"` makes one')
    return state


def _print(text: str) -> None:
    """A tab commands no terminal, and evidence is to be verbatim."""
    print("\t".join(map(harmless, text.split("\t"))), file=sys.stdout, flush=True)


def _write(root: str, state: State) -> None:
    called_state.write(root, paths.TDD_STATE, state)
