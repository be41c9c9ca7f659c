"""The `docker sandbox` plugin, gone from Docker Desktop 4.80 on: the project is a synced copy."""

from __future__ import annotations

from . import microvm
from .dialect import Dialect

__all__ = ["Sandbox"]


class Sandbox(microvm.MicroVM):
    NAME = "docker"
    DIALECT = Dialect(
        name="docker",
        program=("docker", "sandbox"),
        listed="vms",
        absent="docker is not on PATH",
        remove=("rm",),
        start=lambda name: ["run", name, "--", "--version"],
        live=False,
        create_closed=(),
        closed_when_made=False,
        close_but=lambda name, hosts: (
            ["network", "proxy", name, "--policy", "deny"]
            + [word for host in hosts for word in ("--allow-host", host)]
        ),
        take_back=lambda name, hosts: [],
        open_up=lambda name: ["network", "proxy", name, "--policy", "allow"],
        log=lambda name: ["network", "log"],
    )
