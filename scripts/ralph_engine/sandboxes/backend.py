"""The names that every sandbox module has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple, Protocol


class Place(NamedTuple):
    """What a sandbox is for: one project, its agents, and what these may reach.

    `agents` are the programs with their flags, `agent_names` the adapters' names, `state` the
    runner's own folder, `network` is `open` or `deny` (then only the models and `allow_hosts`).
    """

    root: str
    ralph_dir: str
    state: str
    plugin: str
    agents: tuple[tuple[str, ...], ...]
    agent_names: tuple[str, ...]
    environment: Mapping[str, str]
    network: str = "open"
    allow_hosts: tuple[str, ...] = ()


class Sandbox(Protocol):
    """One project's sandbox. Each module has a class `Sandbox(place)` with a NAME."""

    NAME: str

    def available(self) -> str:
        """'' where `true` ran inside; else what is lacking, in a few words."""

    def ensure(self) -> None:
        """Makes it ready for `wrap`, once per run; a Failure where that cannot be."""

    def hand_over(self, argv: list[str], stdin: bytes) -> tuple[list[str], bytes]:
        """Before `wrap`: another way in for an input that is too long for this back-end's stdin."""

    def wrap(self, argv: list[str], cwd: str, env: Mapping[str, str]) -> list[str]:
        """The host's command line that runs `argv` inside.

        `env` is what the program gets beyond the runner's own environment, which the host's
        process inherits with it.
        """

    def after_run(self, by_itself: bool) -> list[str]:
        """After each program inside, with whether it ended by itself: what a person should know."""

    def after_host_edit(self, paths: Iterable[str]) -> None:
        """The host wrote these below the project; none: a person edited while the loop stood."""

    def stop(self) -> None:
        """Ends what runs inside; `ensure` may follow."""

    def remove(self) -> None:
        """Leaves nothing of it on this machine."""

    def describe(self) -> str:
        """What confines the agent, for the screen: one line without the name."""
