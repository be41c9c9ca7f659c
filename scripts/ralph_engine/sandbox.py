"""`sandbox`: what confines the agent here, what it can reach from inside, and the care of it."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
from pathlib import Path

from . import (
    ask,
    confined,
    descendants,
    journal,
    run_confinement,
    run_options,
    running_loop,
    sandbox_trial,
    settings,
    state_folder,
)
from .core import paths
from .core.own_command import RALPH
from .failure import Failure
from .harmless import harmless
from .sandboxes import BACKENDS
from .sandboxes.backend import Place, Sandbox

_ACTIONS = {
    "setup": "make the sandbox of this project now, so that no run has to wait for it",
    "status": "which back-ends work here, and which one a run would take",
    "login": "sign the agent in, inside",
    "shell": "a shell inside, to look around or to install something",
    "network": "apply sandbox.network, show what can be reached and what was refused",
    "stop": "end all that runs inside; the next run starts it again",
    "rm": "remove the sandbox; the project and the agent's sign-in stay",
    "test": "try from inside, as an agent could, what can be reached",
}
_LOGINS = {"claude": ["claude", "/login"], "codex": ["codex", "login"]}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    for name, words in _ACTIONS.items():
        action = actions.add_parser(name, help=words, description=words)
        run_options.add_project_argument(action)
        action.add_argument(
            "--sandbox", metavar="NAME", choices=list(BACKENDS), help="this back-end and no other"
        )
        if name == "test":
            action.add_argument("--json", action="store_true", help="the table as JSON")


def main(given: argparse.Namespace) -> int:
    root = run_options.project_folder(given.project_dir)
    chosen = settings.read(root, os.environ, {})
    state = state_folder.make(state_folder.of_project(root, os.environ))
    place = run_confinement.place_of(root, paths.DEFAULT_RALPH_DIR, str(state), chosen)
    wanted = given.sandbox or chosen.sandbox.backend
    if given.action == "status":
        return _status(place, wanted)
    if given.action == "test":
        return _test(place, wanted, given.json)
    return _DEEDS[given.action](_sandbox(place, wanted), place)


def _sandbox(place: Place, wanted: str) -> Sandbox:
    """The one that a run would take, looked at only."""
    needed = confined.ANY if wanted in (confined.AUTO, confined.NONE) else wanted
    found = confined.choose(needed, place, only_look=True)
    if found.sandbox is None:
        raise Failure(found.fault)
    return found.sandbox


def _status(place: Place, wanted: str) -> int:
    for name, backend in BACKENDS.items():
        sandbox = backend(place)
        lack = sandbox.glance()
        stands = "" if lack else sandbox.status()
        _print(f"{name}: {lack or sandbox.describe()}{f' ({stands})' if stands else ''}")
    found = confined.choose(wanted, place, only_look=True)
    _print(f"a run here: {found.fault or found.words}")
    return 2 if found.fault else 0


def _set_up(sandbox: Sandbox, _: Place) -> int:
    lack = sandbox.available()
    if lack:
        raise Failure(f"{sandbox.NAME}: {lack}")
    _print(f"{sandbox.NAME}: ready: {sandbox.describe()}")
    return 0


def _log_in(sandbox: Sandbox, place: Place) -> int:
    if not sandbox.OWN_PROGRAMS:
        words = f"{sandbox.NAME} takes the sign-in of your own home into the sandbox"
        raise Failure(words, "sign in outside: start the agent once")
    return _at_terminal(sandbox, place, _LOGINS.get(place.agent_names[0], [*place.agents[0]]))


def _shell(sandbox: Sandbox, place: Place) -> int:
    return _at_terminal(sandbox, place, ["bash"])


def _at_terminal(sandbox: Sandbox, place: Place, argv: list[str]) -> int:
    if not ask.at_terminal():
        raise Failure("this needs a terminal", "call it from one")
    sandbox.ensure()
    try:
        added = confined.added(place.root)
        return subprocess.call(sandbox.inside(argv, added), env={**os.environ, **added})
    finally:
        sandbox.leave()


def _network(sandbox: Sandbox, place: Place) -> int:
    sandbox.ensure()
    try:
        _print(f"{sandbox.NAME}: {sandbox.describe()}")
        if place.network == "open":
            _print('"sandbox": {"network": "deny"} in the settings closes it')
        refused = sandbox.refusals() or _refused_last(place)
        _print(f"refused:\n{refused}" if refused else "refused: nothing yet")
    finally:
        sandbox.leave()
    return 0


def _refused_last(place: Place) -> str:
    """As the newest run was told."""
    folder = journal.newest(Path(place.state))
    events = journal.steps(folder).events if folder else []
    told = [str(event.get("text")) for event in events if event["event"] == "sandbox"]
    return "\n".join(text for text in told if text.startswith("network: "))


def _stop(sandbox: Sandbox, place: Place) -> int:
    _refuse_beside_loop(place)
    if not sandbox.status():
        _print(f"{sandbox.NAME}: nothing to stop: all inside ends with its program")
        return 0
    sandbox.stop()
    _print(f"{sandbox.NAME}: {sandbox.status()}")
    return 0


def _remove(sandbox: Sandbox, place: Place) -> int:
    _refuse_beside_loop(place)
    if not sandbox.status():
        _print(f"{sandbox.NAME}: nothing to remove: nothing of it stays")
        return 0
    sandbox.remove()
    _print(f"{sandbox.NAME}: there is none any more; the project and the agent's sign-in stay")
    return 0


def _refuse_beside_loop(place: Place) -> None:
    if running_loop.is_running(place.root):
        raise Failure("a loop runs in this folder, in that sandbox", f"{RALPH} cancel first")


def _test(place: Place, wanted: str, as_json: bool) -> int:
    needed = confined.ANY if wanted in (confined.AUTO, confined.NONE) else wanted
    found = confined.choose(needed, place)
    if found.fault:
        raise Failure(found.fault)
    descendants.adopt_orphans()
    found.begin(place.root)
    try:
        tried = sandbox_trial.of(found, place)
    finally:
        found.end()
    _print(_as_json(found.words, tried) if as_json else _table(found.words, tried))
    return 0 if all(row.as_wanted for row in tried) else 1


def _as_json(words: str, tried: list[sandbox_trial.Tried]) -> str:
    rows = [{"can": row.words, "result": row.result, "asWanted": row.as_wanted} for row in tried]
    return json.dumps({"sandbox": words, "rows": rows}, indent=2)


def _table(words: str, tried: list[sandbox_trial.Tried]) -> str:
    lines = [words, "", "| from inside, an agent can | |", "|---|---|"]
    for row in tried:
        odd = "" if row.as_wanted else " (NOT AS IT SHOULD BE)"
        lines.append(f"| {row.words} | {row.result}{odd} |")
    return "\n".join(lines)


def _print(text: str) -> None:
    print(harmless(text))


_DEEDS = {
    "setup": _set_up,
    "login": _log_in,
    "shell": _shell,
    "network": _network,
    "stop": _stop,
    "rm": _remove,
}
