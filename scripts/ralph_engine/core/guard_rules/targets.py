"""What a command is aimed at: this machine, another one, or nothing yet."""

from __future__ import annotations

_LOCAL = ("localhost", "127.", "0.0.0.0", "[::1]", "::1", "host.docker.internal")
_NEAR = (".local", ".localhost", ".test", ".internal")
_DRY = ("--dry-run", "--dryrun", "--what-if", "--help")


def is_local(address: str) -> bool:
    host = address.split("://")[-1].split("/")[0].rpartition("@")[2]
    name = host.rsplit(":", 1)[0] if host.count(":") == 1 else host
    return host.startswith(_LOCAL) or name.endswith(_NEAR) or name == ""


def is_dry(words: list[str]) -> bool:
    return any(word.startswith(_DRY) for word in words)
