"""What a run here would confine its agent by, and what else could."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator

from .. import confined
from ..confined import Confinement
from ..core import command
from ..sandboxes import BACKENDS
from .finding import Finding, bad, ok, warn

SECONDS = 10.0
_OTHERS = {"docker": ("docker", "sandbox", "version"), "sbx": ("sbx", "version")}


def examine(found: Confinement, wanted: str) -> Iterator[Finding]:
    """`found` is the runner's own choice, `wanted` what the settings ask for."""
    words = found.words + _others()
    if found.fault:
        yield bad("sandbox", found.fault, _fix())
    elif wanted == confined.NONE:
        yield ok("sandbox", f"none, as the settings say: {words}")
    elif confined.UNCONFINED in found.words:
        yield warn("sandbox", words, _fix())
    else:
        yield ok("sandbox", words)


def _others() -> str:
    """Those that the runner cannot use yet."""
    told = [f"{name}: {probe(argv)}" for name, argv in _OTHERS.items() if name not in BACKENDS]
    return f" (not used yet: {'; '.join(told)})" if told else ""


def _fix() -> str:
    if sys.platform != "linux":
        return "run it in a virtual machine, or take it as it is: --no-sandbox"
    if shutil.which("bwrap"):
        return "let bwrap make user namespaces (Ubuntu: an AppArmor profile for it)"
    return "install bubblewrap (Debian, Ubuntu: apt install bubblewrap)"


def probe(argv: tuple[str, ...], seconds: float = SECONDS) -> str:
    """Does its program answer? In a few words."""
    if shutil.which(argv[0]) is None:
        return "not installed"
    asked = command.run_to_its_end(list(argv), "/", dict(os.environ), seconds)
    if asked.code == 0:
        return "answers"
    said = asked.output.decode("utf-8", "replace").strip().split("\n")[0][:200]
    how = f"no answer in {seconds:g} s" if asked.code is None else f"exit code {asked.code}"
    return f"{how}{': ' if said else ''}{said}"
