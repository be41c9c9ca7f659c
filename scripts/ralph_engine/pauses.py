"""A loop that stands because a person asked for it: nothing runs, and edits are safe."""

from __future__ import annotations

import os
import time

from . import checkpoint, person_edits, run_confinement, settings, standing
from .core import requests
from .core.files import FileFault
from .failure import Failure
from .goal import Goal, take_settings
from .run_state import Run

_SLICE = 0.2


def hold(run: Run, goal: Goal) -> None:
    """Returns at once where nobody asked; else when the pause is over, or the loop is to end."""
    while requests.stands(str(run.state), requests.PAUSE) and not run.stop_asked():
        tree = person_edits.uncommitted(run)
        checkpoint.stand(run, tree)
        run.journal.write("paused", number=run.iteration)
        _wait(run)
        if not run.stop_asked():
            _go_on(run, goal, tree)


def _wait(run: Run) -> None:
    """A person's pause is no working time."""
    begun = time.monotonic()
    while requests.stands(str(run.state), requests.PAUSE) and not run.stop_asked():
        time.sleep(_SLICE)
    run.started += time.monotonic() - begun


def _go_on(run: Run, goal: Goal, tree: dict[str, str]) -> None:
    try:
        chosen = settings.read(run.root, os.environ, run.flags)
        person_edits.take(run, tree)
    except (Failure, FileFault) as fault:
        run.say(f"still paused: {fault}")
        requests.make(str(run.state), requests.PAUSE)
        return
    take_settings(run, chosen, goal)
    run_confinement.edited_by_person(run)
    checkpoint.save(run)
    run.journal.write("resumed", number=run.iteration, **standing.of(run))
