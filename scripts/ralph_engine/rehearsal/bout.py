"""One bout: the real runner with a bad agent on a stage of its own, and what was seen of it."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import shlex
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from .. import demo_folder, descendants, offline_claude
from ..core import files, paths
from ..scripted_model import ScriptedModel
from . import bad_model, scratch, script, staging
from .attack import Attack
from .bad_model import BadModel
from .script import Deed
from .staging import Plan, Scene

Event = dict[str, Any]

SECONDS = 120.0
_ENGINE = Path(__file__).resolve().parents[1]
_PYTHON = [sys.executable, "-I", "-X", "utf8"]
_MARK = "RALPH_REHEARSAL"
_ITERATION = 30
_SLICE = 0.05
_PATIENCE = (1.0, 15.0, 5.0)
# All that the runner keeps of an agent: the first and the last 8 MiB.
_KEPT = 24 * 1024 * 1024


class Cast(NamedTuple):
    """`program` is the real client, or ''; `confined`: the runner finds a sandbox here."""

    program: str
    confined: bool
    reviews: bool = True
    words: tuple[str, ...] = ()
    variables: Mapping[str, str] = {}


class Seen(NamedTuple):
    """`code` is None where the runner had to be ended; `told`: what the agent heard, by attack."""

    scene: Scene
    code: int | None
    journal: list[Event]
    hooks: list[Event]
    told: Mapping[str, str]
    prompts: list[str]
    played: set[str]
    left: list[int]
    screen: str


class Stop:
    """Asked once, for all bouts: each ends its runner, none begins."""

    def __init__(self) -> None:
        self._event = threading.Event()

    @property
    def asked(self) -> bool:
        return self._event.is_set()

    def ask(self, *_: object) -> None:
        self._event.set()


def play(
    plan: Plan, folder: str, attacks: Sequence[Attack], cast: Cast, stop: Stop, lock: int
) -> Seen:
    own = offline_claude.environment(folder, os.environ)
    scene = staging.stage(plan, folder, attacks[0].mode, attacks[0].alone)
    deeds = script.deeds(attacks, scene, cast.reviews)
    if not all(map(script.fits_a_model, deeds)):
        cast = cast._replace(program="")
    mark = f"{_MARK}={uuid.uuid4()}"
    environment = {**demo_folder.environment(folder, own), **own, **dict([mark.split("=")])}
    del environment["IS_SANDBOX"]
    environment.update(cast.variables)
    with _agent(cast, deeds) as (command, variables, model):
        argv = [*_PYTHON, str(_ENGINE / "__main__.py"), *_words(attacks, scene, cast, command)]
        code = _run(argv, scene, {**environment, **variables}, stop, lock)
        left = descendants.table.marked(mark)
        descendants.end_marked(mark)
    told = model.told if model else by_attack(_said(scene))
    prompts = model.prompts if model else _prompts(scene)
    played = model.played if model else {*told}
    events = _journal(scene), _hook_events(scene)
    return Seen(scene, code, *events, told, prompts, played, left, _screen(folder))


@contextlib.contextmanager
def _agent(
    cast: Cast, deeds: Sequence[Deed]
) -> Iterator[tuple[str, dict[str, str], BadModel | None]]:
    """Its command line, what that needs in the environment, and the model behind it."""
    if not cast.program:
        steps = json.dumps([[(deed.attack, deed.verb, *deed.words) for deed in deeds]])
        program = str(Path(__file__).resolve().with_name("bad_agent.py"))
        yield shlex.join([*_PYTHON, program, steps]), {}, None
        return
    model = BadModel(deeds)
    with ScriptedModel(itertools.repeat(model.answer, bad_model.MOST_REQUESTS)) as served:
        yield shlex.quote(cast.program), offline_claude.model(served.url), model


def _words(attacks: Sequence[Attack], scene: Scene, cast: Cast, command: str) -> list[str]:
    iterations = 2 if any(attack.review_follows for attack in attacks) else 1
    seconds = max(attack.seconds for attack in attacks) or _ITERATION
    return [
        *("run", "--agent", command, "--ralph-dir", scene.ralph_dir, "-n", str(iterations)),
        *("--delay", "0s", "--breaker", "0", "--no-wait-on-limit"),
        *("--iteration-timeout", f"{seconds}s", "--idle-timeout", f"{seconds}s"),
        *cast.words,
    ]


def _run(
    argv: list[str], scene: Scene, environment: Mapping[str, str], stop: Stop, lock: int
) -> int | None:
    with scratch.new_file(os.path.join(scene.folder, "screen")) as screen:
        child = subprocess.Popen(
            argv,
            cwd=scene.project,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=screen,
            stderr=screen,
            # In a session of its own a Ctrl-C reaches it through us.
            start_new_session=True,
            # Where we are killed, the runner may work on for a moment.
            pass_fds=(lock,),
        )
    return _attend(child, stop)


def _attend(child: subprocess.Popen[bytes], stop: Stop) -> int | None:
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline and not stop.asked:
        with contextlib.suppress(subprocess.TimeoutExpired):
            return child.wait(_SLICE)
    # The second one ends everything now.
    for number, seconds in zip((signal.SIGINT, signal.SIGINT, signal.SIGKILL), _PATIENCE):
        child.send_signal(number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(seconds)
            break
    return None


def _journal(scene: Scene) -> list[Event]:
    return [
        event
        for path in sorted(Path(scene.state).glob("ralph/*/runs/*/journal.jsonl"))
        for event in _events(str(path.parent), path.name)
    ]


def _hook_events(scene: Scene) -> list[Event]:
    return _events(scene.project, paths.HOOK_EVENTS)


def _events(folder: str, name: str) -> list[Event]:
    """What an attack left of it: a line that is no event is none."""
    try:
        lines = files.read_tail(folder, name, _KEPT).splitlines()
    except files.FileFault:
        return []
    found = []
    for line in lines:
        with contextlib.suppress(ValueError):
            event = json.loads(line)
            found += [event] if isinstance(event, dict) else []
    return found


def _said(scene: Scene) -> str:
    """By the built-in agent: what its commands printed."""
    found = sorted(Path(scene.project, paths.DOT_FOLDER, "runs").glob("*/agent-*.out"))
    return "".join(_text(path) for path in found)


def by_attack(said: str) -> dict[str, str]:
    """What the built-in agent printed, told apart by its own lines in between."""
    found: dict[str, str] = {}
    for part in f"\n{said}".split("\nplaying ")[1:]:
        name, _, text = part.partition("\n")
        found[name] = found.get(name, "") + text
    return found


def _prompts(scene: Scene) -> list[str]:
    found = Path(scene.project, paths.DOT_FOLDER, "runs").glob("*/prompt-*.md")
    return [_text(path) for path in sorted(found)]


def _screen(folder: str) -> str:
    return _text(Path(folder, "screen"))


def _text(path: Path) -> str:
    try:
        return files.read_tail(str(path.parent), path.name, _KEPT).decode("utf-8", "replace")
    except files.FileFault:
        return ""
