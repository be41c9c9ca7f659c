"""Containers: ways out of them onto this machine, and the data of others in them."""

from __future__ import annotations

from .. import place as places
from ..file_effects import has, value
from ..shell.state import joined
from .rule import Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..place import Place
    from ..shell.values import Command

_SPACES = ("--pid", "--ipc", "--uts", "--userns", "--cgroupns")
_POWERS = frozenset(
    "ALL SYS_ADMIN SYS_PTRACE SYS_MODULE DAC_READ_SEARCH SYS_RAWIO NET_ADMIN".split()
)
_SOCKETS = ("docker.sock", "containerd.sock", "podman.sock")
_CLOCKS = ("/etc/localtime", "/etc/timezone")


def _verbs(words: list[str]) -> list[str]:
    """Behind the program's own options, and behind `compose` and its options."""
    valued = ("-H", "--host", "-f", "--file", "--context", "-c", "-p", "--project-name", "--config")
    at = 0
    while at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] in valued else 1
    rest = words[at:]
    return _verbs(rest[1:]) if rest[:1] == ["compose"] else rest


def _escapes(command: Command, place: Place) -> bool:
    words = command.words[1:]
    verbs = _verbs(words)
    if verbs[:1] not in (["run"], ["create"], ["exec"]) and verbs[:2] != ["container", "run"]:
        return False
    if has(words, "", "--privileged") or "--privileged=true" in words or value(words, "--device"):
        return True
    if any(value(words, space) == "host" for space in _SPACES):
        return True
    power = value(words, "--cap-add").upper().removeprefix("CAP_")
    if power in _POWERS or "unconfined" in value(words, "--security-opt"):
        return True
    return any(_is_far(way, command, place) for way in _mounts(words))


def _mounts(words: list[str]) -> list[str]:
    found: list[str] = []
    for at, word in enumerate(words[:-1]):
        if word in ("-v", "--volume"):
            found.append(words[at + 1].split(":")[0])
        elif word == "--mount":
            found += _sources(words[at + 1])
    for word in words:
        if word.startswith("-v") and len(word) > 2:
            found.append(word[2:].split(":")[0])
        elif word.startswith("--volume="):
            found.append(word[9:].split(":")[0])
        elif word.startswith("--mount="):
            found += _sources(word[8:])
    return found


def _sources(text: str) -> list[str]:
    fields = [field.partition("=") for field in text.split(",")]
    return [path for key, _, path in fields if key in ("source", "src")]


def _is_far(way: str, command: Command, place: Place) -> bool:
    """A folder of this machine that is neither the project's nor temporary; a name is a volume."""
    if way.endswith(_SOCKETS):
        return True
    if "/" not in way and way not in (".", "..", "~"):
        return False
    path = place.real(joined(command.cwd, place.home + way[1:] if way[:1] == "~" else way))
    if path == place.root or path in _CLOCKS or not path.startswith("/"):
        return False
    return place.holds_everything(path) or place.zone(path) == places.SYSTEM


def _prunes(command: Command, _: Place) -> bool:
    verbs = _verbs(command.words[1:])
    if verbs[:2] in (["system", "prune"], ["volume", "prune"], ["volume", "rm"]):
        return True
    return verbs[:2] == ["swarm", "leave"] and has(verbs, "f", "--force")


RULES = (
    Rule(
        name="container-escape",
        reason="it gives a container this machine",
        instead='mount only the project, e.g. `docker run --rm -v "$PWD":/app -w /app IMAGE`',
        matches=_escapes,
        denied=(
            "docker run --privileged x",
            "docker run -v /:/host x",
            "docker run --pid=host x",
            "docker run -v /var/run/docker.sock:/var/run/docker.sock x",
            "podman run --cap-add ALL x",
            "docker run --mount type=bind,source=/etc,target=/e x",
            "docker exec --privileged c sh",
            "docker run --device /dev/sda x",
            "docker run -v ~:/h x",
            "docker run -v/:/h x",
        ),
        allowed=(
            'docker run --rm -v "$PWD":/app x npm test',
            "docker run -v data:/var/lib/x y",
            "docker run -p 80:80 x",
            "docker build -t x .",
            "docker compose up -d",
        ),
    ),
    Rule(
        name="container-data",
        reason="it deletes data of every project that uses containers here",
        instead="remove your own by name: `docker rm NAME`, `docker compose down`",
        matches=_prunes,
        denied=(
            *("docker system prune -af", "docker volume rm db", "docker volume prune"),
            "podman system prune",
        ),
        allowed=("docker compose down", "docker rm -f web", "docker rmi x", "docker volume ls"),
    ),
)
