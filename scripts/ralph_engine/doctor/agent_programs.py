"""The agent CLIs: which are installed, in which version, and is the configured one among them?"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping

from .. import agent_key, agent_version, agents
from ..agents import claude
from .finding import Finding, bad, ok


def examine(programs: list[str], environment: Mapping[str, str]) -> Iterator[Finding]:
    """`programs` are those that the settings name."""
    for name in agents.KNOWN:
        if name not in programs and shutil.which(name) is None:
            yield ok(f"agent {name}", f"not installed; only needed for --agent {name}")
        elif name not in programs:
            yield _version(name, str(shutil.which(name)), environment)
    for program in programs:
        yield _configured(program, environment)


def refused_to_root(programs: list[str]) -> Iterator[Finding]:
    """Where nothing confines them."""
    if any(map(is_claude, programs)) and os.geteuid() == 0:
        words = "Claude Code refuses to work as root outside a sandbox"
        yield bad("agent claude", words, "use an ordinary user, or a sandbox")


def is_claude(program: str) -> bool:
    return agents.choose(program).NAME == claude.NAME


def _configured(program: str, environment: Mapping[str, str]) -> Finding:
    topic, known = f"agent {program}", agents.choose(program)
    found = shutil.which(program)
    if found is None:
        return bad(topic, "not on PATH, and the settings name it", known.INSTALL)
    if known.NAME not in agents.KNOWN:
        return ok(topic, f"{found}, a program of your own: the prompt comes on its stdin")
    words, _, fix = agent_key.fault(program, os.environ).partition("; ")
    return bad(topic, words, fix) if words else _version(program, found, environment)


def _version(name: str, found: str, environment: Mapping[str, str]) -> Finding:
    topic, fix = f"agent {name}", agents.choose(name).INSTALL
    version = agent_version.look(os.path.abspath(found), dict(environment))
    if version.untested == agent_version.UNKNOWN:
        return bad(topic, f"{found} --version does not work in a home of its own", fix)
    if version.unknown_flags:
        flags = ", ".join(version.unknown_flags)
        return bad(topic, f"{version.words} at {found} does not know {flags}", fix)
    note = f" ({version.untested})" if version.untested else ""
    return ok(topic, f"{version.words} at {found}{note}")
