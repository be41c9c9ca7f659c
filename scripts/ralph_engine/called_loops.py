"""The loops of a project whose agents call us, told in lines."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from . import router, router_state, tdd
from .called_state import State
from .core.files import FileFault
from .failure import Failure
from .harmless import harmless


class _Kind(NamedTuple):
    read: Callable[[str], State | None]
    words: Callable[[State], str]


_KINDS = (_Kind(router.read, router_state.words), _Kind(tdd.read, tdd.words))


def lines(root: str) -> list[str]:
    """Which, since when, how far, the last decision, what next; or what is wrong with its file."""
    found = [_line(kind, root) for kind in _KINDS]
    return [harmless(" ".join(line.split())) for line in found if line]


def faults(root: str) -> list[Failure]:
    return [found for found in (_read(kind, root) for kind in _KINDS) if isinstance(found, Failure)]


def _line(kind: _Kind, root: str) -> str:
    found = _read(kind, root)
    if isinstance(found, Failure):
        return f"{found}; {found.hint}"
    return kind.words(found) if found else ""


def _read(kind: _Kind, root: str) -> State | Failure | None:
    try:
        return kind.read(root)
    except Failure as failure:
        return failure
    except FileFault as fault:
        return Failure(f"{fault.path} {fault.problem}", fault.fix)
