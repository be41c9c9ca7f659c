"""What a bwrap sandbox shows of the machine: a list of mounts whose order matters."""

from __future__ import annotations

import glob
import os
import time
from collections.abc import Iterable, Iterator

from ..core import paths
from . import agent_home, programs
from .backend import Place
from .git_folders import Folders

# Sockets lie there, and other people's files: by one of them a daemon would work for the agent.
_PRIVATE = ("/tmp", "/var/tmp", "/run", "/home", "/root")
# A root without capabilities still owns these files: one line in core_pattern runs on the host.
_KERNEL = ("sys", "sysrq-trigger", "irq", "bus", "fs", "acpi", "scsi", "mtrr")
_SETTLED = 60.0
_SECRET = (
    *("/etc/shadow*", "/etc/gshadow*", "/etc/sudoers", "/etc/sudoers.d", "/etc/ssl/private"),
    *("/etc/ssh/ssh_host_*_key", "/etc/wireguard", "/etc/NetworkManager/system-connections"),
)


def arguments(place: Place, repository: Folders | None, of_person: Iterable[str] = ()) -> list[str]:
    """Each mount covers what the ones before it showed at its path."""
    hidden = hidden_folders(place)
    parts = [
        ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"],
        _read_only(f"/proc/{name}" for name in _KERNEL),
        _each("--tmpfs", hidden),
        _masked(_secrets(), hidden),
        _masked(_sockets(), hidden),
        _shown(place, hidden, of_person),
        # Hidden, the other files of a larger repository would look deleted.
        _read_only([repository.top] if repository else []),
        ["--bind", place.root, place.root],
        _each_pair("--bind", repository.writable if repository else []),
        _read_only(repository.steering if repository else []),
        _read_only(_runners_own(place)),
        agent_home.mounts(place),
    ]
    return [word for part in parts for word in part]


def hidden_folders(place: Place) -> list[str]:
    """Shorter paths first: a mount must not cover one that was made below it."""
    home = place.environment.get("HOME") or "/root"
    state = os.path.dirname(place.state)
    wanted = {os.path.realpath(p) for p in (*_PRIVATE, home, state) if os.path.isdir(p)} - {"/"}
    return sorted(wanted, key=lambda path: (len(path), path))


def problem(place: Place, repository: Folders | None) -> str:
    """A project around the home, or around the runner's own folder, cannot be kept from it."""
    for top in [repository.top if repository else place.root, place.root]:
        for name in hidden_folders(place):
            if f"{name}/".startswith(top.rstrip("/") + "/"):
                return f"the project's {top} holds {name}, which must stay hidden"
    return ""


def _shown(place: Place, hidden: list[str], of_person: Iterable[str]) -> list[str]:
    """What lies in a hidden folder and is needed all the same; the rest of / is there."""
    resolver = os.path.realpath("/etc/resolv.conf")
    home = place.environment.get("HOME") or "/"
    wanted = [*programs.needed(place.agents, place.environment), place.plugin, resolver]
    wanted += of_person
    words: list[str] = []
    covered: list[str] = []
    for path in sorted({*wanted, *([home] if os.path.islink(home) else [])}, key=len):
        around = any(f"{name}/".startswith(f"{path}/") for name in hidden)
        if _below(path, hidden) and not around and not _below(path, covered):
            covered.append(path)
            words += _as_it_is(path)
    return words


def _as_it_is(path: str) -> list[str]:
    """A program may look for its neighbours from where its link leads."""
    if os.path.islink(path):
        return ["--symlink", os.readlink(path), path]
    return ["--ro-bind", path, path]


def _runners_own(place: Place) -> Iterator[str]:
    """In the project, and not the agent's to write: marker, settings, plan, copies for people."""
    own = [paths.MARKER, f"{paths.DOT_FOLDER}/runs", *paths.frozen_files(place.ralph_dir)]
    for name in own:
        path = os.path.join(place.root, name)
        # A link would show a file of the host's in its place.
        if os.path.exists(path) and os.path.realpath(path) == path:
            yield path
    if place.plugin.startswith(place.root.rstrip("/") + "/"):
        yield place.plugin


def _secrets() -> list[str]:
    return [path for pattern in _SECRET for path in sorted(glob.glob(pattern))]


def _sockets() -> list[str]:
    """Of daemons that listen now; a read-only mount does not keep anyone from connecting."""
    try:
        with open("/proc/net/unix", encoding="utf-8", errors="surrogateescape") as opened:
            found = {bound_to(line) for line in opened}
    except OSError:
        return []
    return sorted(path for path in found if path.startswith("/") and _stays(path))


def bound_to(line: str) -> str:
    """The inode is padded: those of what began with the machine are short."""
    words = line.rstrip("\n").split(None, 7)
    return words[7] if len(words) == 8 else ""


def _stays(path: str) -> bool:
    """A mount over what is gone by then would keep the sandbox from starting."""
    try:
        return os.stat(path).st_mtime < time.time() - _SETTLED
    except OSError:
        return False


def _masked(wanted: Iterable[str], hidden: list[str]) -> list[str]:
    words: list[str] = []
    for path in wanted:
        real = os.path.realpath(path)
        if not _below(real, hidden):
            folder = os.path.isdir(real)
            words += ["--tmpfs", real] if folder else ["--ro-bind", "/dev/null", real]
    return words


def _below(path: str, folders: Iterable[str]) -> bool:
    return any(path == folder or path.startswith(f"{folder}/") for folder in folders)


def _read_only(wanted: Iterable[str]) -> list[str]:
    return _each_pair("--ro-bind", (path for path in wanted if os.path.exists(path)))


def _each(option: str, wanted: Iterable[str]) -> list[str]:
    return [word for path in wanted for word in (option, path)]


def _each_pair(option: str, wanted: Iterable[str]) -> list[str]:
    return [word for path in wanted for word in (option, path, path)]
