"""Who plays the agent in the demo: a program of ours, or the installed Claude Code."""

from __future__ import annotations

import itertools
import os
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from . import demo_folder, demo_model, demo_words, offline_claude
from .demo_hooks import Hooks
from .scripted_model import ScriptedModel

PYTHON = [sys.executable, "-I", "-X", "utf8"]
_AGENT = shlex.join([*PYTHON, str(Path(__file__).resolve().parent / "demo_agent.py")])


class Cast(NamedTuple):
    """`command` is the runner's --agent, `hooks` what the hooks of its client did."""

    opening: tuple[str, ...]
    watchers: str
    command: str
    environment: dict[str, str]
    hooks: Hooks | None = None


@contextmanager
def script(folder: str) -> Iterator[Cast]:
    environment = demo_folder.environment(folder, os.environ)
    yield Cast(demo_words.OPENING, "the runner sees", _AGENT, environment)


@contextmanager
def claude(folder: str) -> Iterator[Cast]:
    program = offline_claude.find()
    own = offline_claude.environment(folder, os.environ)
    version = offline_claude.version(program, folder, own)
    model = demo_model.Model(_AGENT)
    answers = itertools.repeat(model.answer, demo_model.MOST_REQUESTS)
    with ScriptedModel(answers) as served:
        environment = {**demo_folder.environment(folder, own), **own}
        yield Cast(
            demo_words.opening_of_claude(version),
            "hook and runner see",
            shlex.quote(program),
            {**environment, **offline_claude.model(served.url)},
            Hooks(version, model.refusals),
        )
