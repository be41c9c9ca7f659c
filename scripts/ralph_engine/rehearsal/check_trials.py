"""The user's checks on copies of the project: as it is, without files, with ruined ones."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Callable, NamedTuple

from .. import confined, run_confinement
from ..checks import Check, Result, Runner, distinct
from ..confined import Confinement
from ..core import paths
from ..core.tasks import Document
from ..failure import Failure
from ..settings import Settings
from . import scratch

AS_IT_IS, NOTHING, EMPTIED, GARBLED = "as it is", "nothing", "emptied", "garbled"
LONGEST = 120.0
_NONSENSE = b")]} <<< nonsense of a rehearsal >>> {[(\n"
_KEPT = 100


class Trial(NamedTuple):
    """Whether a check passed in each state that was tried; None where its time was over."""

    check: Check
    passed: Mapping[str, bool | None]
    seconds: float


def all_checks(document: Document, chosen: Settings) -> list[Check]:
    """Of guardrails, list and stories; each once."""
    found = [Check(g.command, g.fail_action, g.hint, g.timeout) for g in chosen.guardrails]
    commands = [*document.get("verifyCommands", [])]
    commands += [c for story in document["userStories"] for c in story.get("verify", [])]
    return distinct([*found, *(Check(command) for command in commands)])


def walls(project: str, ralph_dir: str, folder: str, chosen: Settings) -> Confinement:
    """What confines a run in this project; its state would be in `folder`."""
    state = os.path.join(folder, "state", "of-a-trial")
    scratch.new_folder(state)
    place = run_confinement.place_of(project, ralph_dir, state, chosen)
    found = confined.choose(chosen.sandbox.backend, place)
    if found.fault:
        raise Failure(found.fault)
    return found


def confines(found: Confinement) -> bool:
    """By a sandbox of ours, or from outside."""
    return found.sandbox is not None or confined.UNCONFINED not in found.words


class Trials:
    """Runs each check in copies of the project, confined as a run would be."""

    def __init__(
        self, folder: str, root: str, ralph_dir: str, chosen: Settings, stop: Callable[[], bool]
    ) -> None:
        self._folder, self._root, self._ralph_dir = folder, root, ralph_dir
        self._settings, self._stop = chosen, stop

    def run(self, checks: Sequence[Check], ruined: bool) -> list[Trial]:
        """`ruined`: on ruined files too, where `rm -rf "$(cat place)"/*` does harm."""
        first = self._in(AS_IT_IS, checks)
        quick = [result.check for result in first if result.code is not None]
        states = (NOTHING, EMPTIED, GARBLED) if ruined else ()
        more = {state: self._in(state, quick) for state in states}
        codes = {
            state: {result.check.command: result.code for result in results}
            for state, results in {AS_IT_IS: first, **more}.items()
        }
        return [_trial(result, codes) for result in first]

    def _in(self, state: str, checks: Sequence[Check]) -> list[Result]:
        project = self._place(state)
        confinement = walls(project, self._ralph_dir, self._folder, self._settings)
        confinement.begin(project)
        try:
            runner = Runner(project, "rehearsal", _KEPT, self._stop, confinement)
            short = [check._replace(seconds=min(check.seconds, LONGEST)) for check in checks]
            return [runner.run(check, 0) for check in short]
        finally:
            confinement.end()

    def _place(self, state: str) -> str:
        folder = os.path.join(self._folder, state.replace(" ", "-"))
        if state == NOTHING:
            return scratch.make_empty(folder)
        project = scratch.make(self._root, folder)
        keep = (self._ralph_dir, paths.DOT_FOLDER)
        if state != AS_IT_IS:
            scratch.overwrite(folder, project, keep, b"" if state == EMPTIED else _NONSENSE)
        scratch.commit(folder, "Rehearsal")
        return project


def _trial(result: Result, codes: Mapping[str, Mapping[str, int | None]]) -> Trial:
    found = {state: ran.get(result.check.command) for state, ran in codes.items()}
    passed = {state: None if code is None else code == 0 for state, code in found.items()}
    return Trial(result.check, passed, result.seconds)
