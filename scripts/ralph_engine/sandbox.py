"""`sandbox`: what confines the agent here, and what it can and cannot reach from inside."""

from __future__ import annotations

import argparse
import os

from . import (
    confined,
    descendants,
    run_confinement,
    run_options,
    sandbox_trial,
    settings,
    state_folder,
)
from .confined import Confinement
from .core import paths
from .failure import Failure
from .harmless import harmless
from .sandboxes import BACKENDS
from .sandboxes.backend import Place

_ACTIONS = {
    "status": "which back-ends work here, and which one a run would take",
    "test": "try from inside, as an agent could, what can be reached",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    words = "; ".join(f"{name}: {text}" for name, text in _ACTIONS.items())
    parser.add_argument("action", choices=list(_ACTIONS), help=words)
    run_options.add_project_argument(parser)
    parser.add_argument(
        "--sandbox", metavar="NAME", choices=list(BACKENDS), help="this back-end and no other"
    )


def main(given: argparse.Namespace) -> int:
    root = run_options.project_folder(given.project_dir)
    chosen = settings.read(root, os.environ, {})
    state = state_folder.make(state_folder.of_project(root, os.environ))
    place = run_confinement.place_of(root, paths.DEFAULT_RALPH_DIR, str(state), chosen)
    wanted = given.sandbox or chosen.sandbox.backend
    return {"status": _status, "test": _test}[given.action](place, wanted)


def _status(place: Place, wanted: str) -> int:
    for name, backend in BACKENDS.items():
        sandbox = backend(place)
        lack = sandbox.available()
        _print(f"{name}: {lack or sandbox.describe()}")
    found = confined.choose(wanted, place)
    _print(f"a run here: {found.fault or found.words}")
    return 2 if found.fault else 0


def _test(place: Place, wanted: str) -> int:
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
    return _tell(found, tried)


def _tell(found: Confinement, tried: list[sandbox_trial.Tried]) -> int:
    _print(found.words)
    _print("")
    _print("| from inside, an agent can | |")
    _print("|---|---|")
    for row in tried:
        _print(f"| {row.words} | {row.result}{'' if row.as_wanted else ' (NOT AS IT SHOULD BE)'} |")
    return 0 if all(row.as_wanted for row in tried) else 1


def _print(text: str) -> None:
    print(harmless(text))
