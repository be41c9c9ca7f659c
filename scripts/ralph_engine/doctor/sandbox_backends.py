"""What a run here would confine its agent by, and what the other back-ends lack."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator

from .. import confined
from ..confined import Confinement
from ..sandboxes import BACKENDS
from ..sandboxes.backend import Place
from .finding import Finding, bad, ok, warn


def examine(found: Confinement, wanted: str, place: Place) -> Iterator[Finding]:
    """`found` is the runner's own choice, `wanted` what the settings ask for."""
    if found.fault:
        yield bad("sandbox", found.fault, _fix())
    elif wanted == confined.NONE:
        yield ok("sandbox", f"none, as the settings say: {found.words}")
    elif confined.UNCONFINED in found.words:
        yield warn("sandbox", found.words, _fix())
    else:
        yield ok("sandbox", found.words + _others(found, place))


def _others(found: Confinement, place: Place) -> str:
    chosen = found.sandbox.NAME if found.sandbox else ""
    told = [f"{name}: {_word(name, place)}" for name in BACKENDS if name != chosen]
    return f" (others: {'; '.join(told)})"


def _word(name: str, place: Place) -> str:
    return BACKENDS[name](place).glance() or "works, too"


def _fix() -> str:
    if sys.platform != "linux":
        return "install Docker's sbx, or take it as it is: --no-sandbox"
    if shutil.which("bwrap"):
        return "let bwrap make user namespaces (Ubuntu: an AppArmor profile for it)"
    return "install bubblewrap (Debian, Ubuntu: apt install bubblewrap)"
