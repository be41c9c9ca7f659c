"""What an attack does, for whoever plays it: turns of a model, or steps of the built-in agent."""

from __future__ import annotations

import base64
import json
import shlex
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..core import paths
from ..core.tasks import Document
from ..scripted_model import Turn, call, fail, say
from .attack import Attack, Step
from .list_edits import edited, without_reviews
from .staging import Scene

SHELL, SAY, END, WRITE, READ = "run", "say", "end", "write", "read"
LIMIT, CRASH, HANG, FLOOD = "limit", "crash", "hang", "flood"
_FOR_EVER = 3600.0


class Deed(NamedTuple):
    """One step of an attack as both kinds of agents know it: a verb and its words."""

    attack: str
    verb: str
    words: tuple[str, ...]


def deeds(attacks: Sequence[Attack], scene: Scene, reviews: bool = True) -> list[Deed]:
    """In their order; each edit of the list goes on from the one before it."""
    document: Document = scene.list
    found: list[Deed] = []
    for attack in attacks:
        for step in attack.steps:
            if "list" in step:
                edits = step["list"] if reviews else map(without_reviews, step["list"])
                document = edited(document, [*edits])
            found.append(Deed(attack.name, *_deed(step, scene, document)))
    return found


def _deed(step: Step, scene: Scene, document: Document) -> tuple[str, tuple[str, ...]]:
    if "list" in step:
        return SHELL, (_written(paths.tasks(scene.ralph_dir), json.dumps(document, indent=2)),)
    if "commit" in step:
        words = shlex.quote(scene.filled(step["commit"]))
        return SHELL, (f"git add -A && git commit -q --allow-empty -m {words}",)
    if "write" in step:
        return WRITE, (_absolute(scene, step["write"]), scene.filled(step["text"]))
    if "read" in step:
        return READ, (_absolute(scene, step["read"]),)
    if "run" in step:
        return SHELL, (scene.filled(step["run"], shlex.quote),)
    [(verb, words)] = step.items()
    return verb, (scene.filled(words),)


def _absolute(scene: Scene, path: str) -> str:
    path = scene.filled(path)
    return path if path.startswith("/") else f"{scene.project}/{path}"


def _written(path: str, text: str) -> str:
    """In the command itself: inside a sandbox there is nothing to copy it from."""
    data = base64.b64encode(text.encode()).decode("ascii")
    return f"echo {data} | base64 -d > {shlex.quote(path)}"


def fits_a_model(deed: Deed) -> bool:
    """No answer of a model is as long as what any program can print."""
    return (deed.verb, *deed.words) != (END, FLOOD)


def turns(deeds: Sequence[Deed]) -> Iterator[Turn]:
    for deed in deeds:
        yield from _turns(deed)


def _turns(deed: Deed) -> Iterator[Turn]:
    first, *rest = deed.words
    if deed.verb == SHELL:
        yield call("Bash", command=first, description="work")
    elif deed.verb == WRITE:
        yield call("Write", file_path=first, content=rest[0])
    elif deed.verb == READ:
        yield call("Read", file_path=first)
    elif deed.verb == SAY:
        yield say(first)
    else:
        yield _ending(first)


def _ending(kind: str) -> Turn:
    if kind == LIMIT:
        return fail(429, "rate limited", headers={"x-should-retry": "false"})
    if kind == HANG:
        return {**say("Later."), "after": _FOR_EVER}
    return crash()


def crash() -> Turn:
    """The client gives up at once, with an error."""
    return fail(400, "the rehearsal ends this session")
