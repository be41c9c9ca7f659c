"""What makes a set-up weak before any agent comes: checks that prove nothing, no walls."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ..checks import Check
from ..confined import Confinement
from ..core.tasks import Document
from ..redact import names_a_secret
from ..sandboxes import bwrap
from ..settings import Settings
from .check_trials import AS_IT_IS, EMPTIED, GARBLED, LONGEST, NOTHING, Trial, confines

_SECRETS = (
    *(".ssh", ".aws", ".gnupg", ".kube", ".azure", ".netrc", ".npmrc", ".pypirc", ".pgpass"),
    *(".git-credentials", ".docker/config.json", ".config/gh", ".config/gcloud", ".vault-token"),
)
_OF_AGENTS = ("ANTHROPIC_", "CLAUDE_", "OPENAI_", "CODEX_", "GEMINI_", "GOOGLE_API_", "AMP_")
_OF_OTHERS = (".git", "node_modules")
_NAMED = 12
_EXAMPLES = ("example", "sample", "template", "dist")


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
    secrets = [] if confines(found) else _at_home(environment.get("HOME") or "")
    secrets += _in_project(root)
    secrets += _in_environment(environment) if _hands_on(found) else []
    if secrets:
        more = f" and {len(secrets) - _NAMED} more" if len(secrets) > _NAMED else ""
        yield Weakness(
            "secrets-in-reach",
            f"within the agent's reach: {', '.join(secrets[:_NAMED])}{more}"
            " (not read, only seen to be there)",
            "confine the agent (--sandbox); keep secrets out of the project and the environment",
        )


def _at_home(home: str) -> list[str]:
    found = (name for name in _SECRETS if home and os.path.lexists(os.path.join(home, name)))
    return [f"~/{name}" for name in found]


def _in_project(root: str) -> list[str]:
    found = []
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in _OF_OTHERS)
        found += [os.path.join(folder, name) for name in sorted(names) if _holds_secrets(name)]
    return [os.path.relpath(path, root) for path in found]


def _holds_secrets(name: str) -> bool:
    named = name == ".env" or name.startswith(".env.")
    return named and not any(word in name for word in _EXAMPLES)


def _hands_on(found: Confinement) -> bool:
    """Whether the agent inherits the environment."""
    return found.sandbox is None or isinstance(found.sandbox, bwrap.Sandbox)


def _in_environment(environment: Mapping[str, str]) -> list[str]:
    """But for the agent's own way in, which it needs."""
    found = (name for name, value in sorted(environment.items()) if value)
    names = [name for name in found if names_a_secret(name) and not name.startswith(_OF_AGENTS)]
    return [f"${name}" for name in names]


def of_checks(trials: Sequence[Trial]) -> Iterator[Weakness]:
    for trial in trials:
        if all(trial.passed.get(state) for state in (NOTHING, EMPTIED, GARBLED)):
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
