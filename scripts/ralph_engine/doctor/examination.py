"""All that is looked at, in the order in which it is told."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

from .. import (
    confined,
    offline_claude,
    roles,
    run_confinement,
    settings,
    state_folder,
    throw_away,
)
from ..core import paths
from ..core.files import FileFault
from ..failure import Failure
from . import agent_programs, hook_switches, leftovers, places, plugin, programs, sandbox_backends
from .finding import Finding, bad, ok


def of(root: str) -> Iterator[Finding]:
    yield from _guarded("programs", lambda: programs.examine(os.environ))
    chosen = settings.settled(settings.merged([], {}))
    try:
        chosen = settings.read(root, os.environ, {})
        yield ok("settings", f"valid; they name {', '.join(_programs(chosen))}")
    except Failure as failure:
        yield bad("settings", str(failure), failure.hint or "correct that file")
    yield from _guarded("clients", lambda: _clients(root, _programs(chosen)))
    yield from _guarded("sandbox", lambda: _confinement(root, chosen))
    yield from _guarded("disk", lambda: places.examine(root, os.environ))
    yield from _guarded("leftovers", lambda: leftovers.examine(root, os.environ))


def _programs(chosen: settings.Settings) -> list[str]:
    """All agents, each once."""
    return list(dict.fromkeys(who.agent.command for who in roles.everyone(chosen)))


def _confinement(root: str, chosen: settings.Settings) -> Iterator[Finding]:
    state, wanted = str(state_folder.of_project(root, os.environ)), chosen.sandbox.backend
    place = run_confinement.place_of(root, paths.DEFAULT_RALPH_DIR, state, chosen)
    found = confined.choose(wanted, place, only_look=True)
    yield from sandbox_backends.examine(found, wanted, place)
    if not (found.sandbox or os.environ.get("IS_SANDBOX") == "1"):
        yield from agent_programs.refused_to_root(_programs(chosen))


def _clients(root: str, named: list[str]) -> Iterator[Finding]:
    """In a home of their own: the user's is not touched by a look."""
    folder = throw_away.make("doctor")
    try:
        environment = offline_claude.environment(folder, os.environ)
        yield from agent_programs.examine(named, environment)
        yield from plugin.examine(named, folder, environment)
        yield from hook_switches.examine(root, os.environ)
    finally:
        throw_away.remove(folder)


def _guarded(topic: str, examine: Callable[[], Iterator[Finding]]) -> Iterator[Finding]:
    """What cannot even be looked at is a finding too."""
    try:
        yield from examine()
    except Failure as failure:
        yield bad(topic, str(failure), failure.hint or "put that right, then look again")
    except FileFault as fault:
        yield bad(topic, f"{fault.path} {fault.problem}", fault.fix)
    except OSError as error:
        yield bad(topic, str(error), "check permissions and the disk")
