"""Linux: bubblewrap, with the project as the only writable part of the machine."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from ..core import command
from ..streams import OnOutput
from . import git_person, mounts, network
from .backend import Place
from .bridge import Bridge
from .git_folders import Folders, find

__all__ = ["Sandbox"]

_SECONDS = 30.0
# --cap-drop: a root with capabilities would mount / again, writable.
_WALLS = ("--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL")
# Each leads to something outside: an agent with keys, a bus, a daemon, a screen.
_LEADING_OUT = (
    *("SSH_AUTH_SOCK", "SSH_AGENT_PID", "GPG_AGENT_INFO", "DBUS_SESSION_BUS_ADDRESS"),
    *("XDG_RUNTIME_DIR", "WAYLAND_DISPLAY", "DISPLAY", "XAUTHORITY", "DOCKER_HOST"),
)
_TEMPORARY = ("TMPDIR", "TMP", "TEMP", "CLAUDE_CODE_TMPDIR")
_INSIDE = str(Path(__file__).resolve().with_name("inside_bridge.py"))
_SOCKET = "/tmp/.ralph-bridge"
# All inside die with the first program: one that wrote DONE may have left its last work to others.
_LINGER = """
left() { set -- /proc/[0-9]*; echo $#; }
trap 'turns=0' INT TERM
turns=1500 alone=$(left)
"$@"
code=$?
while [ -e "$0" ] && [ "$turns" -gt 0 ] && [ "$(left)" -gt "$alone" ]; do
  sleep 0.2
  turns=$((turns - 1))
done
exit "$code"
"""


class Sandbox:
    NAME = "bwrap"
    PYTHON = sys.executable
    OWN_PROGRAMS = False
    HOLDS_GIT = True

    def __init__(self, place: Place) -> None:
        self._place = place
        self._bridge: Bridge | None = None
        self._found: Folders | None = None
        self._person: git_person.Person | None = None
        self._told: set[str] = set()

    def available(self) -> str:
        if sys.platform != "linux":
            return "it needs Linux"
        if shutil.which("bwrap") is None:
            return "bwrap is not on PATH (install the package bubblewrap)"
        problem = mounts.problem(self._place, self._repository())
        return problem or self._trial()

    def glance(self) -> str:
        return self.available()

    def _trial(self) -> str:
        argv = [*self._walls(), "--", "true"]
        ran = command.run_to_its_end(argv, "/", dict(os.environ), _SECONDS)
        if ran.code == 0:
            return ""
        words = ran.output.decode("utf-8", "replace").strip().splitlines()
        return f"`true` did not run inside ({words[-1] if words else 'no answer'})"

    def ensure(self) -> None:
        if self._place.network == "deny" and self._bridge is None:
            self._bridge = Bridge(network.allowed(self._place), self._place.state)
            self._bridge.start()

    def has_program(self, program: str) -> bool:
        return shutil.which(program, path=self._place.environment.get("PATH")) is not None

    def hand_over(self, argv: list[str], stdin: bytes) -> tuple[list[str], bytes]:
        return argv, stdin

    def wrap(self, argv: list[str], cwd: str, env: Mapping[str, str]) -> list[str]:
        inside = [*self._walls(), "--chdir", cwd, *self._variables(env)]
        if env.get("RALPH_ACTIVE") == "1":
            argv = ["sh", "-c", _LINGER, f"{self._place.ralph_dir}/DONE", *argv]
        if self._bridge is None:
            return [*inside, "--", *argv]
        ports = [str(port) for port in network.ports(self._place)]
        python = [sys.executable, "-I", "-S", "-X", "utf8", _INSIDE]
        words = ["--bind", self._bridge.path, _SOCKET, "--", *python]
        return [*inside, *words, _SOCKET, str(network.PROXY_PORT), ",".join(ports), *argv]

    def _walls(self) -> list[str]:
        shared = ["--share-net"] if self._place.network == "open" else []
        shown = mounts.arguments(self._place, self._repository(), self._git_person().files)
        return ["bwrap", *shown, *_WALLS, *shared]

    def _git_person(self) -> git_person.Person:
        self._person = self._person or git_person.find(self._place.environment)
        return self._person

    def _repository(self) -> Folders | None:
        """Looked for again only as long as there is none: an agent may make one."""
        self._found = self._found or find(self._place.root)
        return self._found

    def _variables(self, env: Mapping[str, str]) -> list[str]:
        """Only what differs inside; the rest is inherited, and seen by no `ps`."""
        words = [w for name in _LEADING_OUT for w in ("--unsetenv", name)]
        changed = {name: "/tmp" for name in _TEMPORARY if env.get(name) or os.environ.get(name)}
        changed.update(self._git_person().variables)
        if self._bridge is not None:
            changed.update(network.variables())
        return words + [w for name, value in changed.items() for w in ("--setenv", name, value)]

    def listen(self, on_output: OnOutput) -> OnOutput:
        return on_output

    def exit_code(self, code: int | None) -> int | None:
        return code

    def never_began(self, code: int | None) -> str:
        return ""

    def after_run(self, by_itself: bool) -> list[str]:
        refused = self._bridge.refused() if self._bridge else []
        new = [name for name in refused if name not in self._told]
        self._told.update(new)
        return [f"network: {name} was refused; sandbox.allowHosts can allow it" for name in new]

    def after_host_edit(self, paths: Iterable[str]) -> None:
        """The project is the host's own folder; but its configuration may name other files."""
        self._found = None

    def leave(self) -> None:
        if self._bridge is not None:
            self._bridge.stop()
            self._bridge = None

    def abandon(self) -> None:
        """It dies with its parent."""

    def stop(self) -> None:
        """All inside ends with the program that it was started for."""

    def remove(self) -> None:
        """Nothing of it is ever left."""

    def status(self) -> str:
        return ""

    def refusals(self) -> str:
        return "\n".join(self._bridge.refused()) if self._bridge else ""

    def inside(self, argv: list[str], env: Mapping[str, str]) -> list[str]:
        self.ensure()
        return self.wrap(argv, self._place.root, env)

    def describe(self) -> str:
        reach = "open" if self._place.network == "open" else network.sentence(self._place)
        return f"writes only in the project, the home is hidden; network: {reach}"
