"""Is this plugin what Claude Code takes, and do its hooks act?"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator, Mapping

from .. import offline_claude
from ..core import command
from ..core.own_command import RALPH
from ..failure import Failure
from ..plugin_folder import PLUGIN
from . import hook_trial
from .agent_programs import is_claude
from .finding import Finding, bad, ok, warn
from .hook_switches import SWITCH

_SECONDS = 60.0
_MANAGED = {
    "linux": "/etc/claude-code/managed-settings.json",
    "darwin": "/Library/Application Support/ClaudeCode/managed-settings.json",
}


def examine(programs: list[str], folder: str, environment: Mapping[str, str]) -> Iterator[Finding]:
    """By the client that the settings name, or else by the one on PATH."""
    configured = [program for program in programs if is_claude(program)]
    program = shutil.which([*configured, offline_claude.PROGRAM][0])
    if program is None and configured:
        yield warn("hooks", "not tried, there is no Claude Code", offline_claude.INSTALL)
    elif program is None:
        yield ok("hooks", "not tried, there is no Claude Code; other agents work without")
    else:
        yield from _of_client(os.path.abspath(program), folder, environment)


def _of_client(program: str, folder: str, environment: Mapping[str, str]) -> Iterator[Finding]:
    yield _valid(program, folder, environment)
    if shutil.which("git") is None:
        yield warn("hooks", "not tried, there is no git", "install git")
    else:
        yield _acting(program, folder, environment)


def _valid(program: str, folder: str, environment: Mapping[str, str]) -> Finding:
    manifest = str(PLUGIN / ".claude-plugin" / "plugin.json")
    # Strict, for even a hook that cannot work is only a warning.
    argv = [program, "plugin", "validate", "--strict", manifest]
    asked = command.run_to_its_end(argv, folder, dict(environment), _SECONDS)
    if asked.code == 0:
        return ok("plugin", f"{PLUGIN} is valid")
    # What the plugin provides, and what a catalog would like, is told behind the faults.
    said = asked.output.decode("utf-8", "replace").partition("\nProvides:")[0]
    words = "; ".join(line.strip() for line in said.split("\n") if line.strip())
    fix = f"see what was changed (git -C {PLUGIN} status), or install the plugin anew"
    return bad("plugin", f"{PLUGIN} is not valid: {words[:600]}", fix)


def _acting(program: str, folder: str, environment: Mapping[str, str]) -> Finding:
    try:
        seen = hook_trial.run(program, folder, environment)
    except Failure as failure:
        return bad("hooks", str(failure), failure.hint)
    if seen.trouble:
        fix = f"send us that line, or install the plugin anew: {PLUGIN} may have been changed"
        return bad("hooks", f"the Stop hook fails: {seen.trouble}", fix)
    missing = [name for name, acts in seen.acts.items() if not acts]
    if not missing:
        words = "a write was denied, a stop was refused and then allowed"
        return ok("hooks", f"{words}, in {seen.seconds:.1f} s with Claude Code")
    managed = _MANAGED.get(sys.platform, _MANAGED["linux"])
    fix = f"look for {SWITCH} and allowManagedHooksOnly in {managed}; {RALPH} run works without"
    return bad("hooks", f"Claude Code ran, but these did not act: {', '.join(missing)}", fix)
