"""The sandbox of one run: chosen at its start, told of by its screen and journal."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

from . import ask, confined, own_git, roles, running_loop, state_folder
from .agents import choose as adapter_of
from .confined import Confinement, Report
from .core import files, paths, strict_json
from .failure import Failure
from .frozen_files import FrozenFiles
from .own_git import OwnGit
from .plugin_folder import PLUGIN
from .run_state import Run
from .sandboxes import BACKENDS
from .sandboxes.backend import Place
from .settings import SIZE_LIMIT, Settings

_OF_RUN, _LIMIT = "sandbox-of-run", 100
_QUESTION = "Nothing confines the agent here: it can reach all that you can. Run it all the same?"


def place_of(
    root: str, ralph_dir: str, state: str, settings: Settings, alone: bool = False
) -> Place:
    everyone, wanted = [who.agent for who in roles.everyone(settings)], settings.sandbox
    return Place(
        root=os.path.realpath(root),
        ralph_dir=ralph_dir,
        state=state,
        plugin=str(PLUGIN),
        agents=tuple((agent.command, *agent.flags) for agent in everyone),
        agent_names=tuple(dict.fromkeys(adapter_of(agent.command).NAME for agent in everyone)),
        environment=os.environ,
        network=wanted.network,
        allow_hosts=wanted.allow_hosts,
        alone=alone,
    )


def choose(run: Run) -> None:
    """Once the settings are known; nothing is started yet."""
    wanted = run.settings.sandbox.backend
    place = place_of(run.root, run.ralph_dir, str(run.state), run.settings, alone=True)
    found = confined.choose(wanted, place, only_look=run.options.dry_run)
    alone = wanted == confined.AUTO and confined.UNCONFINED in found.words
    if alone and not run.options.dry_run and ask.at_terminal():
        _ask_once(run, found)
    found.report = _report(run)
    run.confinement = found


def begin(run: Run) -> None:
    """Before the first program of the agent's."""
    run.confinement.begin(run.root)
    if run.confinement.own_git:
        run.confinement.own_git.save(run.state)
    if run.confinement.sandbox:
        name = run.confinement.sandbox.NAME.encode("ascii")
        files.replace_bytes(str(run.state), _OF_RUN, name, 0o600)


@contextmanager
def of_verb(root: str, ralph_dir: str, settings: Settings) -> Iterator[Confinement]:
    """For checks outside a run: they are the agent's code all the same."""
    state = state_folder.make(state_folder.of_project(root, os.environ))
    alone = not running_loop.is_running(root)
    place = place_of(root, ralph_dir, str(state), settings, alone)
    found = confined.choose(settings.sandbox.backend, place)
    if found.fault:
        raise Failure(found.fault)
    found.report = Report(ask.say, ask.say, lambda path, _: "")
    found.begin(root)
    try:
        yield found
    finally:
        found.end()


def undo_git_of_killed(run: Run) -> None:
    """A killed run's agent may have changed what steers git: first of all, that is put back."""
    _end_agent_of_killed(run)
    before = Confinement()
    before.report = _report(run)
    before.own_git = OwnGit(run.root)
    before.own_git.take_saved(run.state)
    before.put_git_back()


def _end_agent_of_killed(run: Run) -> None:
    """In a microVM it outlives the runner."""
    try:
        name = files.read_bytes(str(run.state), _OF_RUN, _LIMIT).decode("ascii", "replace")
    except files.FileFault:
        return
    if name in BACKENDS:
        place = place_of(run.root, run.ralph_dir, str(run.state), run.settings, alone=True)
        try:
            BACKENDS[name](place).stop()
        except Failure as failure:
            run.say(f"{failure}: what an earlier run left in it may still be at work")


def edited_by_person(run: Run) -> None:
    """After a pause: what there is now is theirs."""
    if run.confinement.sandbox and run.confinement.own_git:
        run.confinement.sandbox.after_host_edit([])
        run.confinement.own_git = OwnGit(run.root)
        run.confinement.own_git.save(run.state)


def end(run: Run) -> None:
    """What a person does to the repository from now on is theirs."""
    run.confinement.end()
    if files.kind(str(run.state), _OF_RUN) != "absent":
        files.remove(str(run.state), _OF_RUN)
    if files.kind(str(run.state), own_git.NAME) != "absent":
        files.remove(str(run.state), own_git.NAME)


def abandon(run: Run) -> None:
    """No time is left for anything; from a signal handler."""
    if run.confinement.sandbox:
        run.confinement.sandbox.abandon()


def _report(run: Run) -> Report:
    return Report(
        lambda text: run.violation("git-changed", "", text),
        lambda text: _remark(run, text),
        lambda path, data: _keep(run, path, data),
    )


def _ask_once(run: Run, found: Confinement) -> None:
    """The answer holds for this folder, until somebody changes the file."""
    ask.say(found.words)
    go_on = ask.yes(_QUESTION)
    _remember(run.root, confined.NONE if go_on else confined.ANY)
    run.frozen = FrozenFiles(run.root, run.ralph_dir)
    if not go_on:
        raise Failure("nothing was started", f"{paths.SETTINGS[1]} keeps your answer")


def _remember(root: str, backend: str) -> None:
    path = paths.SETTINGS[1]
    try:
        settings = strict_json.parse(files.read_bytes(root, path, SIZE_LIMIT))
    except files.Missing:
        settings = {}
    settings["sandbox"] = {**settings.get("sandbox", {}), "backend": backend}
    files.replace_bytes(root, path, (json.dumps(settings, indent=2) + "\n").encode("utf-8"))


def _remark(run: Run, text: str) -> None:
    run.journal.write("sandbox", text=text)
    run.say(text)


def _keep(run: Run, path: str, data: bytes) -> str:
    stamp = f"undone-{run.iteration}-{int(time.time() * 1000)}"
    name = f"{run.people_folder}/{stamp}-{os.path.basename(path)}"
    try:
        files.replace_bytes(run.root, name, data)
    except files.FileFault as fault:
        return f"(not kept: {fault})"
    return name
