"""What `sandbox test` tries inside, what should come of it, and how that reads."""

from __future__ import annotations

import json
import os
import socket
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from . import processes
from .confined import Confinement
from .core import files
from .failure import Failure
from .sandboxes import network, trial_inside
from .sandboxes.backend import Place
from .sandboxes.git_folders import find

_SECONDS = 120.0
_PROGRAM = str(Path(trial_inside.__file__).resolve())
_WIDE, _NARROW = "yes", "no"


class Row(NamedTuple):
    """`private`: it may work inside, where it changes nothing outside; `of_git`: or be undone.

    `near`: it is about this machine's own network, which a microVM does not have.
    """

    name: str
    words: str
    open: str
    deny: str
    private: bool = False
    of_git: bool = False
    near: bool = False


ROWS = (
    Row("write_project", "write in the project", _WIDE, _WIDE),
    Row("write_home", "write in your home folder", _NARROW, _NARROW, private=True),
    Row("write_system", "write elsewhere on the machine", _NARROW, _NARROW),
    Row("read_home", "read files of your home folder", _NARROW, _NARROW),
    Row("read_system", "read system files (/usr, /etc)", _WIDE, _WIDE),
    Row("read_passwords", "read password hashes", _NARROW, _NARROW),
    Row("remount", "mount the disk again, writable", _NARROW, _NARROW),
    Row("steer_kernel", "change settings of the kernel", _NARROW, _NARROW),
    Row("see_processes", "see your processes", _NARROW, _NARROW),
    Row("write_plugin", "change Ralph's own hooks", _NARROW, _NARROW),
    Row("read_state", "read the runner's journal and ledger", _NARROW, _NARROW),
    Row("write_git_config", "change git's configuration", _NARROW, _NARROW, of_git=True),
    Row("write_git_hooks", "add a git hook", _NARROW, _NARROW, of_git=True),
    Row("move_git", "put another folder in place of .git", _NARROW, _NARROW, of_git=True),
    Row("reach_model", "reach the model", _WIDE, _WIDE),
    Row("reach_other_port", "reach other ports of this machine", _WIDE, _NARROW, near=True),
    Row("reach_sockets", "reach sockets of your daemons", _NARROW, _NARROW),
    Row("use_keys", "use your ssh agent", _NARROW, _NARROW),
)


class Tried(NamedTuple):
    words: str
    result: str
    as_wanted: bool


def of(confinement: Confinement, place: Place) -> list[Tried]:
    """Each row with what happened; a home that is private counts as closed."""
    sandbox = confinement.sandbox
    apart = sandbox is not None and sandbox.OWN_PROGRAMS
    seen = network.of_own_machine(place) if apart else place
    with _surroundings(place, network.allowed(seen._replace(allow_hosts=()))) as scene:
        found = _inside(confinement, place, scene)
        shown = _forget(scene["home"], scene["left"])
    holds = sandbox is None or sandbox.HOLDS_GIT
    rows = [fit(row, apart) for row in ROWS]
    return [_tried(row, found[row.name], place.network, shown, holds) for row in rows]


def fit(row: Row, apart: bool) -> Row:
    """`apart`: in a microVM, 127.0.0.1 is the microVM."""
    return row._replace(open=_NARROW) if apart and row.near else row


def _tried(row: Row, works: bool, reach: str, shown: bool, holds_git: bool) -> Tried:
    wanted = row.open if reach == "open" else row.deny
    result = _WIDE if works else _NARROW
    if row.private and works and not shown:
        return Tried(row.words, "only a private one, gone afterwards", True)
    if row.of_git and works and not holds_git:
        return Tried(row.words, "yes, and it is put back before your git looks", True)
    return Tried(row.words, result, result == wanted)


def _inside(confinement: Confinement, place: Place, scene: Mapping[str, Any]) -> dict[str, bool]:
    said = {"stdout": bytearray(), "stderr": bytearray()}
    python = confinement.sandbox.PYTHON if confinement.sandbox else sys.executable
    argv = [python, "-I", "-S", "-X", "utf8", _PROGRAM, json.dumps(scene)]
    job = processes.Job(argv, place.root, dict(os.environ), b"", _SECONDS)
    mark = f"RALPH_RUN_ID=sandbox-test-{os.getpid()}"
    ended = confinement.run(job, lambda name, data: said[name].extend(data), lambda: False, mark)
    try:
        found: dict[str, bool] = json.loads(said["stdout"])
    except ValueError as error:
        words = said["stderr"].decode("utf-8", "replace").strip() or f"exit code {ended.code}"
        raise Failure(f"the trial did not run inside: {words}") from error
    return found


@contextmanager
def _surroundings(place: Place, rules: network.Allowed) -> Iterator[dict[str, Any]]:
    """Something to reach for: a port and a socket of ours, what the home holds."""
    with socket.create_server(("127.0.0.1", 0)) as port, socket.socket(socket.AF_UNIX) as daemon:
        # Abstract names belong to the network; this one is a file, as daemons have them.
        folder = os.open(place.state, os.O_RDONLY | os.O_DIRECTORY)
        name = f"trial-{os.getpid()}"
        try:
            daemon.bind(os.path.join(short(folder, place.state), name))
            daemon.listen()
            yield _scene(place, rules, port.getsockname()[1], os.path.join(place.state, name))
        finally:
            os.close(folder)
            _forget(place.state, name)


def short(folder: int, path: str) -> str:
    """A socket's path may not be long; macOS has no other way to the folder."""
    by_number = f"/proc/self/fd/{folder}"
    return by_number if os.path.isdir(by_number) else path


def _forget(folder: str, name: str) -> bool:
    """Was it there?"""
    found = files.kind(folder, name) != "absent"
    if found:
        files.remove(folder, name)
    return found


def _scene(place: Place, rules: network.Allowed, port: int, daemon: str) -> dict[str, Any]:
    home = place.environment.get("HOME") or "/"
    repository = find(place.root)
    near = bool(rules.loopback)
    first = next(iter(rules.rules), network.Rule("localhost", 9))
    return {
        "root": place.root,
        "home": home,
        "left": f".ralph-sandbox-trial-{os.getpid()}",
        "home_names": sorted(os.listdir(home))[:1000] if os.path.isdir(home) else [],
        "state": place.state,
        "plugin": place.plugin,
        "git": repository.common if repository else os.path.join(place.root, ".git"),
        "pid": os.getpid(),
        "command": "ralph_engine",
        "near": near,
        "model": ["127.0.0.1", rules.loopback[0]] if near else [first.host, first.port or 443],
        "port": port,
        "socket": daemon,
    }
