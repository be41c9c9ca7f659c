"""The user's checks on copies of the project: as it is, without files, with ruined ones."""

from __future__ import annotations

import contextlib
import itertools
import os
import uuid
from collections.abc import Mapping, Sequence
from typing import Callable, NamedTuple, Optional

from .. import confined, run_confinement, throw_away
from ..checks import Check, Result, Runner, distinct
from ..confined import Confinement
from ..core import paths
from ..core.tasks import Document
from ..failure import Failure
from ..settings import Settings
from . import ruins, scratch
from .ruins import Ruin

AS_IT_IS, NOTHING = "as it is", "nothing"
LONGEST = 120.0
_KEPT = 100


Passed = dict[str, Optional[bool]]


class Trial(NamedTuple):
    """Whether a check passed in each state that was tried; None where its time was over."""

    check: Check
    passed: Passed
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
        self._numbers = itertools.count()

    def run(self, checks: Sequence[Check], ruined: bool) -> list[Trial]:
        """`ruined`: on ruined files too, where `rm -rf "$(cat place)"/*` does harm."""
        project = self._copy("as-it-is")
        states = {check.command: ruins.of(check.command, project) for check in checks}
        first = self._in(project, checks)
        quick = [result.check for result in first if ruined and result.code is not None]
        found = self._on_ruins({check: states[check.command] for check in quick})
        if quick:
            empty = scratch.make_empty(os.path.join(self._folder, "nothing"))
            for result in self._in(empty, quick):
                found[result.check][NOTHING] = _passed(result)
        return [_trial(result, found.get(result.check, {})) for result in first]

    def _on_ruins(self, states: Mapping[Check, Sequence[Ruin]]) -> dict[Check, Passed]:
        """One that failed once can fail: it is tried no further."""
        found: dict[Check, Passed] = {check: {} for check in states}
        left = {check: [*those] for check, those in states.items()}
        while left:
            ruin = next(iter(left.values()))[0]
            together = [check for check, those in left.items() if those[0] == ruin]
            for result in self._in_ruins(ruin, together):
                found[result.check][ruin.state] = _passed(result)
                left[result.check] = left[result.check][1:] if result.passed else []
            left = {check: those for check, those in left.items() if those}
        return found

    def _in_ruins(self, ruin: Ruin, checks: Sequence[Check]) -> list[Result]:
        name = f"ruined-{next(self._numbers)}"
        try:
            return self._in(self._copy(name, ruin), checks)
        finally:
            # What stays is told when the whole folder is removed.
            with contextlib.suppress(Failure):
                throw_away.remove(os.path.join(self._folder, name))

    def _in(self, project: str, checks: Sequence[Check]) -> list[Result]:
        confinement = walls(project, self._ralph_dir, self._folder, self._settings)
        confinement.begin(project)
        try:
            name = f"rehearsal-{uuid.uuid4()}"
            runner = Runner(project, name, _KEPT, self._stop, confinement)
            short = [check._replace(seconds=min(check.seconds, LONGEST)) for check in checks]
            return [runner.run(check, 0) for check in short]
        finally:
            confinement.end()

    def _copy(self, name: str, ruin: Ruin | None = None) -> str:
        folder = os.path.join(self._folder, name)
        project = scratch.make(self._root, folder)
        if ruin:
            ruins.bring(ruin, folder, project, (self._ralph_dir, paths.DOT_FOLDER))
        scratch.commit(folder, "Rehearsal")
        return project


def _trial(result: Result, others: Passed) -> Trial:
    return Trial(result.check, {AS_IT_IS: _passed(result), **others}, result.seconds)


def _passed(result: Result) -> bool | None:
    return None if result.code is None else result.passed
