"""The agent CLIs: which are installed, in which version, and is the configured one among them?"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping

from .. import agents, offline_claude
from ..core import command
from .finding import Finding, bad, ok

_SECONDS = 30.0
_INSTALL = {"claude": offline_claude.INSTALL, "codex": "npm install -g @openai/codex"}


def examine(agent: str, folder: str, environment: Mapping[str, str]) -> Iterator[Finding]:
    """`agent` is the program that the settings name."""
    for name in agents.KNOWN:
        if name != agent:
            yield _other(name, folder, environment)
    yield _configured(agent, folder, environment)
    confined = os.environ.get("IS_SANDBOX") == "1"
    if agents.choose(agent).NAME == "claude" and os.geteuid() == 0 and not confined:
        words = "Claude Code refuses to work as root outside a sandbox"
        yield bad(f"agent {agent}", words, "use an ordinary user")


def _other(name: str, folder: str, environment: Mapping[str, str]) -> Finding:
    found = shutil.which(name)
    if found is None:
        return ok(f"agent {name}", f"not installed; only needed for --agent {name}")
    return _version(name, found, folder, environment)


def _configured(agent: str, folder: str, environment: Mapping[str, str]) -> Finding:
    topic = f"agent {agent}"
    known = agents.choose(agent).NAME
    found = shutil.which(agent)
    if found is None:
        fix = _INSTALL.get(known, "install it, or name another as agent.command in the settings")
        return bad(topic, "not on PATH, and it is the one to be started", fix)
    if known not in agents.KNOWN:
        return ok(topic, f"{found}, a program of your own: the prompt comes on its stdin")
    return _version(agent, found, folder, environment)


def _version(name: str, found: str, folder: str, environment: Mapping[str, str]) -> Finding:
    asked = command.run([found, "--version"], folder, dict(environment), _SECONDS)
    words = asked.output.decode("utf-8", "replace").strip().split("\n")[0]
    if asked.code == 0 and words:
        return ok(f"agent {name}", f"{words} at {found}")
    how = f"no answer in {_SECONDS:g} s" if asked.code is None else f"exit code {asked.code}"
    fix = _INSTALL[agents.choose(name).NAME]
    return bad(f"agent {name}", f"{found} --version does not work ({how})", fix)
