"""What makes a set-up weak before any agent comes: checks that prove nothing, no walls."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
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
_SECRETS = (
    *(".ssh", ".aws", ".gnupg", ".kube", ".azure", ".netrc", ".npmrc", ".pypirc", ".pgpass"),
    *(".git-credentials", ".docker/config.json", ".config/gh", ".config/gcloud", ".vault-token"),
)
_EXAMPLES = ("example", "sample", "template", "dist")


class Weakness(NamedTuple):
    name: str
    text: str
    close: str


class Trial(NamedTuple):
    """Whether a check passed in each state of the project; None where its time was over."""

    check: Check
    passed: Mapping[str, bool | None]
    seconds: float


def of_settings(chosen: Settings, checks: Sequence[Check]) -> Iterator[Weakness]:
    if not checks:
        yield Weakness(
            "no-checks",
            "no checks at all: a review is all that stands between the agent's word and done",
            "name your tests: verifyCommands in the task list, or guardrails in the settings",
        )
    if chosen.skip_review:
        yield Weakness(
            "no-reviews",
            "reviews are skipped: the agent that wrote a story also says that it is done",
            "take skipReview out of .ralph/settings.json",
        )


def of_walls(root: str, found: Confinement, environment: Mapping[str, str]) -> Iterator[Weakness]:
    if found.sandbox or confined.UNCONFINED not in found.words:
        return
    yield Weakness(
        "unconfined",
        f"runs here are {found.words}",
        "install bubblewrap (Linux), or work in a container, and start with --sandbox",
    )
    secrets = [*_at_home(environment.get("HOME") or ""), *_in_project(root)]
    if secrets:
        yield Weakness(
            "secrets-in-reach",
            f"within the agent's reach: {', '.join(secrets)} (not read, only seen to be there)",
            "confine the agent (--sandbox), or run it as a user who has none of these",
        )


def _at_home(home: str) -> list[str]:
    found = (name for name in _SECRETS if home and os.path.lexists(os.path.join(home, name)))
    return [f"~/{name}" for name in found]


def _in_project(root: str) -> list[str]:
    names = [name for name in sorted(os.listdir(root)) if name == ".env" or name[:5] == ".env."]
    return [name for name in names if not any(word in name for word in _EXAMPLES)]


def of_checks(trials: Sequence[Trial]) -> Iterator[Weakness]:
    for trial in trials:
        if all(trial.passed[state] for state in (NOTHING, EMPTIED, GARBLED)):
            yield Weakness(
                "never-fails",
                f"`{trial.check.command}` passes whatever the project holds: without files, with"
                " empty ones, with nonsense in each",
                "put a command there that runs your tests, and see it fail once",
            )
    for state, words in (
        (NOTHING, "in an empty repository"),
        (EMPTIED, "with every file emptied"),
    ):
        if trials and all(trial.passed[state] for trial in trials):
            yield Weakness(
                f"passes-on-{state}",
                f"all {len(trials)} checks pass {words}: an agent that deletes the work passes too",
                "add a check that needs the work to be there, such as a test that calls it",
            )


def remarks(trials: Sequence[Trial], to_come: Sequence[str]) -> Iterator[str]:
    """`to_come`: checks of work that is not done yet, which may be red."""
    slow = [t.check.command for t in trials if None in t.passed.values()]
    if slow:
        yield f"Not judged, for they took more than {LONGEST:g} s: {', '.join(slow)}"
    red = [t.check.command for t in trials if t.passed[AS_IT_IS] is False]
    broken = [command for command in red if command not in to_come]
    if broken:
        yield (
            f"Red in a copy of the project as it is: {', '.join(broken)}. Where they are green in"
            " yours, they need files that git ignores, which the copy has not."
        )


def all_checks(document: Document, chosen: Settings) -> list[Check]:
    """Of guardrails, list and stories; each once."""
    found = [Check(g.command, g.fail_action, g.hint, g.timeout) for g in chosen.guardrails]
    commands = [*document.get("verifyCommands", [])]
    commands += [c for story in document["userStories"] for c in story.get("verify", [])]
    return distinct([*found, *(Check(command) for command in commands)])


def to_come(document: Document) -> list[str]:
    """The checks of stories that are not done."""
    stories = [story for story in document["userStories"] if not story["passes"]]
    return [command for story in stories for command in story.get("verify", [])]


class Trials:
    """Runs each check in copies of the project, confined as a run would be."""

    def __init__(
        self, folder: str, root: str, ralph_dir: str, chosen: Settings, stop: Callable[[], bool]
    ) -> None:
        self._folder, self._root, self._ralph_dir = folder, root, ralph_dir
        self._settings, self._stop = chosen, stop

    def run(self, checks: Sequence[Check]) -> list[Trial]:
        first = self._in(AS_IT_IS, checks)
        quick = [result.check for result in first if result.code is not None]
        more = {state: self._in(state, quick) for state in (NOTHING, EMPTIED, GARBLED)}
        codes = {
            state: {result.check.command: result.code for result in results}
            for state, results in {AS_IT_IS: first, **more}.items()
        }
        return [_trial(result, codes) for result in first]

    def _in(self, state: str, checks: Sequence[Check]) -> list[Result]:
        project = self._place(state)
        with _walls(project, self._ralph_dir, self._folder, self._settings) as confinement:
            runner = Runner(project, "rehearsal", 100, self._stop, confinement)
            short = [check._replace(seconds=min(check.seconds, LONGEST)) for check in checks]
            return [runner.run(check, 0) for check in short]

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


class _walls:
    """What confines a program in this project, from the first to the last of them."""

    def __init__(self, project: str, ralph_dir: str, folder: str, chosen: Settings) -> None:
        state = os.path.join(folder, "state", "of-a-trial")
        place = run_confinement.place_of(project, ralph_dir, state, chosen)
        scratch.new_folder(state)
        self._found = confined.choose(chosen.sandbox.backend, place)
        self._project = project

    def __enter__(self) -> Confinement:
        if self._found.fault:
            raise Failure(self._found.fault)
        self._found.begin(self._project)
        return self._found

    def __exit__(self, *_: object) -> None:
        self._found.end()
