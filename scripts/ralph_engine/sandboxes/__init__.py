"""One module per back-end, each with the names of backend.Sandbox."""

from __future__ import annotations

from typing import Callable

from . import bwrap, docker, sbx
from .backend import Place, Sandbox

# The best first.
BACKENDS: dict[str, Callable[[Place], Sandbox]] = {
    sbx.Sandbox.NAME: sbx.Sandbox,
    docker.Sandbox.NAME: docker.Sandbox,
    bwrap.Sandbox.NAME: bwrap.Sandbox,
}
