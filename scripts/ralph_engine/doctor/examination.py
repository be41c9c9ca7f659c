"""All that is looked at, in the order in which it is told."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

from .. import offline_claude, roles, settings, throw_away
from ..core.files import FileFault
from ..failure import Failure
from . import agent_programs, hook_switches, leftovers, places, plugin, programs, sandbox_backends
from .finding import Finding, bad, ok

_DEFAULT_AGENT = "claude"


def of(root: str) -> Iterator[Finding]:
    yield from _guarded("programs", lambda: programs.examine(os.environ))
    named = [_DEFAULT_AGENT]
    try:
        named = _programs(settings.read(root, os.environ, {}))
        yield ok("settings", f"valid; they name {', '.join(named)}")
    except Failure as failure:
        yield bad("settings", str(failure), failure.hint or "correct that file")
    yield from _guarded("clients", lambda: _clients(root, named))
    yield from _guarded("sandbox", sandbox_backends.examine)
    yield from _guarded("disk", lambda: places.examine(root, os.environ))
    yield from _guarded("leftovers", lambda: leftovers.examine(root, os.environ))


def _programs(chosen: settings.Settings) -> list[str]:
    """All agents, each once."""
    return list(dict.fromkeys(who.agent.command for who in roles.everyone(chosen)))


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
