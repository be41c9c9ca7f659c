"""Which sandbox could confine an agent here: `true` must run inside, or its program answer."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from typing import NamedTuple

from ..core import command
from .finding import Finding, ok, warn

SECONDS = 10.0
_BWRAP = (
    *("bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp"),
    *("--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"),
    *("/bin/sh", "-c", "true"),
)
_BACKENDS = {
    "bwrap": _BWRAP,
    "docker": ("docker", "sandbox", "version"),
    "sbx": ("sbx", "version"),
}


class Probe(NamedTuple):
    name: str
    works: bool
    words: str


def examine() -> Iterator[Finding]:
    probes = [probe(name, argv) for name, argv in _BACKENDS.items()]
    working = [found.name for found in probes if found.works]
    rest = "; ".join(f"{found.name}: {found.words}" for found in probes if not found.works)
    if working:
        also = f" ({rest})" if rest else ""
        yield ok("sandbox", f"{', '.join(working)} works{also}")
    else:
        words = f"none works, so agents can reach all that you can ({rest})"
        yield warn("sandbox", words, _fix())


def _fix() -> str:
    if sys.platform == "darwin":
        return "install Docker's sbx"
    if shutil.which("bwrap"):
        return "let bwrap make user namespaces (Ubuntu: an AppArmor profile for it)"
    return "install bubblewrap (Debian, Ubuntu: apt install bubblewrap)"


def probe(name: str, argv: tuple[str, ...], seconds: float = SECONDS) -> Probe:
    if shutil.which(argv[0]) is None:
        return Probe(name, False, "not installed")
    asked = command.run_to_its_end(list(argv), "/", dict(os.environ), seconds)
    if asked.code == 0:
        return Probe(name, True, "")
    said = asked.output.decode("utf-8", "replace").strip().split("\n")[0][:200]
    how = f"no answer in {seconds:g} s" if asked.code is None else f"exit code {asked.code}"
    return Probe(name, False, f"{how}{': ' if said else ''}{said}")
