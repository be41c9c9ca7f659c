"""`router`: tells a session that hands out the rounds of an audit what comes next; no Stop hook."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Mapping

from . import audit, called_state, router_state, run_options
from .called_state import State
from .core import (
    audit_file,
    files,
    loop_command,
    loop_words,
    paths,
    session_limits,
    validation_commands,
    verify_commands,
)
from .core.own_command import RALPH
from .core.shape import shown
from .failure import Failure
from .harmless import harmless

KIND = "router-state"
# A little less than the longest that a tool call of the client may take.
_SECONDS = 570.0
_MOST_DIGITS = 9


def add_arguments(parser: argparse.ArgumentParser) -> None:
    run_options.add_project_argument(parser)
    steps = parser.add_subparsers(metavar="STEP", required=True)
    following = steps.add_parser("next", help="one JSON object: what to do now")
    following.add_argument("file", nargs="?", metavar="FILE", help="default: ralph/audit.md")
    following.add_argument("--max-iterations", metavar="N", help="rounds before giving up (25)")
    following.add_argument(
        "--begin", action="store_true", help="where the last run has ended, begin a new one"
    )
    following.set_defaults(step=_next)
    report = steps.add_parser("report", help="record how a round has ended")
    result = report.add_mutually_exclusive_group(required=True)
    result.add_argument("--findings", metavar="N", help="so many remain")
    result.add_argument(
        "--clean", action="store_true", help="none: counts if the validation commands pass"
    )
    result.add_argument("--unknown", action="store_true", help="the round did not say")
    report.set_defaults(step=_report)


def main(options: argparse.Namespace) -> int:
    return int(options.step(run_options.project_folder(options.project_dir), options))


def read(root: str) -> State | None:
    return called_state.read(root, paths.ROUTER_STATE, KIND)


def _next(root: str, options: argparse.Namespace) -> int:
    with called_state.held(root, paths.ROUTER_STATE):
        state = _run(root, options)
        if not state["answer"]:
            audit.read(root, state["file"])
            state = router_state.asked(state, loop_words.signs(root), time.time())
            _write(root, state)
    print(json.dumps(state["answer"]))
    return 0


def _run(root: str, options: argparse.Namespace) -> State:
    """The one that is under way or has ended, or a new one."""
    state = read(root)
    if state is None:
        return _begun(root, options, f"a new run: there was no {paths.ROUTER_STATE}")
    if not (router_state.has_ended(state) and options.begin):
        return _same_run(root, state, options)
    kept = _free_name(root)
    state = _begun(root, options, f"a new run: the one before is kept as {kept}")
    files.move(root, paths.ROUTER_STATE, kept)
    return state


def _begun(root: str, options: argparse.Namespace, why: str) -> State:
    path, text = audit.read(root, options.file or "")
    verify, chosen = validation_commands.of(text), _chosen(options, os.environ)
    return router_state.begun(path, verify, chosen, time.time(), why)


def _chosen(options: argparse.Namespace, environment: Mapping[str, str]) -> State:
    given = options.max_iterations
    try:
        chosen = loop_command.defaults(loop_command.AUDIT, environment)
        if given is not None:
            chosen["maxIterations"] = loop_command.count("--max-iterations", given)
    except loop_command.Refused as refusal:
        raise Failure(str(refusal)) from refusal
    return chosen


def _same_run(root: str, state: State, options: argparse.Namespace) -> State:
    """What is typed again must be what the run was begun with."""
    file = audit_file.path_below(root, options.file or state["file"])
    most = options.max_iterations or str(state["maxIterations"])
    if (file, most) == (state["file"], str(state["maxIterations"])):
        return state
    run = f"a run of {state['file']} with {state['maxIterations']} iterations"
    if router_state.has_ended(state):
        hint = f"`{RALPH} router next --begin FILE` begins a new one"
        raise Failure(f"what stands here is {run}, which has ended", hint)
    raise Failure(
        f"{run} is under way",
        f"leave FILE and --max-iterations out to go on with it, or `{RALPH} reset` ends it",
    )


def _report(root: str, options: argparse.Namespace) -> int:
    count = None if options.findings is None else _findings(options.findings)
    before = _awaited(root)
    checks = audit_file.checks(root, {**before, "task": ""}) if options.clean else []
    failed = verify_commands.first_failure(root, checks, _SECONDS)
    with called_state.held(root, paths.ROUTER_STATE):
        if _awaited(root) != before:
            raise Failure(
                "another report came while the checks ran: this one does not count",
                f"`{RALPH} router next` says what comes next",
            )
        state = _reported(before, options.clean, count, len(checks), failed)
        _write(root, state)
    return _told(state, failed)


def _reported(
    state: State,
    clean: bool,
    count: int | None,
    checks: int,
    failed: verify_commands.Failure | None,
) -> State:
    threshold, now = session_limits.breaker_threshold(os.environ), time.time()
    if failed:
        return router_state.refused(state, failed, threshold, now)
    if clean:
        return router_state.accepted(state, checks, now)
    return router_state.counted(state, count, threshold, now)


def _told(state: State, failed: verify_commands.Failure | None) -> int:
    """1: it was no clean round, whatever its agent said."""
    print(harmless(router_state.words(state)))
    if not failed:
        return 0
    print(harmless(f"not clean: {state['advice']}"), file=sys.stderr)
    return 1


def _findings(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS):
        raise Failure(f"--findings is {shown(text)}; give a whole number of 0 or more")
    return int(text)


def _awaited(root: str) -> State:
    """The state of a run that waits for a report."""
    state = read(root)
    if state is None:
        raise Failure(
            f"{paths.ROUTER_STATE} is missing: there is nothing to report to",
            f"`{RALPH} router next` begins a run",
        )
    if router_state.has_ended(state):
        raise Failure(
            f"the run has ended: {state['answer']['reason']}",
            f"`{RALPH} router next --begin` begins a new one",
        )
    if not state["answer"]:
        raise Failure(
            f"iteration {state['iteration']} was reported already",
            f"`{RALPH} router next` hands out the next one",
        )
    return state


def _free_name(root: str) -> str:
    number = 1
    while files.kind(root, paths.ended_router(number)) != "absent":
        number += 1
    return paths.ended_router(number)


def _write(root: str, state: State) -> None:
    called_state.write(root, paths.ROUTER_STATE, state)
