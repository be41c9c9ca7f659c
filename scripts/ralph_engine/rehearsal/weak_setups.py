"""What makes a set-up weak before any agent comes: checks that prove nothing, no walls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ..checks import Check
from ..confined import Confinement
from ..core.tasks import Document
from ..sandboxes import bwrap
from ..settings import Settings
from . import secrets_in_reach
from .check_trials import AS_IT_IS, LONGEST, NOTHING, Trial, confines
from .ruins import EMPTIED, GARBLED, GONE

_NAMED = 12


class Weakness(NamedTuple):
    name: str
    text: str
    close: str


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
    """No wall hides the project; that of a container hides the environment."""
    if not confines(found):
        yield Weakness(
            "unconfined",
            f"runs here are {found.words}",
            "install bubblewrap (Linux), or work in a container, and start with --sandbox",
        )
    secrets = [] if confines(found) else secrets_in_reach.at_home(environment.get("HOME") or "")
    secrets += secrets_in_reach.in_project(root)
    secrets += secrets_in_reach.in_environment(environment) if _hands_on(found) else []
    if secrets:
        more = f" and {len(secrets) - _NAMED} more" if len(secrets) > _NAMED else ""
        yield Weakness(
            "secrets-in-reach",
            f"within the agent's reach: {', '.join(secrets[:_NAMED])}{more}"
            " (not read, only seen to be there)",
            "confine the agent (--sandbox); keep secrets out of the project and the environment",
        )


def _hands_on(found: Confinement) -> bool:
    """Whether the agent inherits the environment."""
    return found.sandbox is None or isinstance(found.sandbox, bwrap.Sandbox)


def of_checks(trials: Sequence[Trial]) -> Iterator[Weakness]:
    for trial in trials:
        if all(trial.passed.get(state) for state in (EMPTIED, GARBLED, GONE)):
            yield Weakness(
                "never-fails",
                f"`{trial.check.command}` passes whatever the project holds beside its own script"
                " and configuration: without files, with empty ones, with nonsense in each",
                "put a command there that runs your tests, and see it fail once",
            )
    for state, words in (
        (NOTHING, "in an empty repository"),
        (EMPTIED, "with every file emptied but tests, configuration and their own scripts"),
    ):
        if trials and all(trial.passed.get(state) for trial in trials):
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
            " yours, they need what the copy has not: files that git ignores, or links out of it."
        )


def to_come(document: Document) -> list[str]:
    """The checks of stories that are not done."""
    stories = [story for story in document["userStories"] if not story["passes"]]
    return [command for story in stories for command in story.get("verify", [])]
