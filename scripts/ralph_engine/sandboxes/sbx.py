"""Docker's microVMs by their own command line, `sbx`: the project is mounted live."""

from __future__ import annotations

from . import microvm
from .dialect import Dialect

__all__ = ["Sandbox"]


class Sandbox(microvm.MicroVM):
    NAME = "sbx"
    DIALECT = Dialect(
        name="sbx",
        program=("sbx",),
        listed="sandboxes",
        absent="sbx is not on PATH",
        remove=("rm", "-f"),
        start=lambda name: [],
        live=True,
        create_closed=("--deny-network",),
        closed_when_made=True,
        close_but=lambda name, hosts: (
            ["policy", "allow", "network", "--sandbox", name, ",".join(hosts)] if hosts else []
        ),
        take_back=lambda name, hosts: (
            ["policy", "deny", "network", "--sandbox", name, ",".join(hosts)] if hosts else []
        ),
        open_up=lambda name: ["policy", "allow", "network", "--sandbox", name, "**"],
        log=lambda name: ["policy", "log", name],
    )
