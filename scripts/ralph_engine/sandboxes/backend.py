"""The names that every sandbox module has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple, Protocol

from ..streams import OnOutput


class Place(NamedTuple):
    """What a sandbox is for: one project, its agents, and what these may reach.

    `agents` are the programs with their flags, `agent_names` the adapters' names, `state` the
    runner's own folder, `network` is `open` or `deny` (then only the models and `allow_hosts`).
    `alone`: no other runner of ours works on this project now.
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
    alone: bool = False


class Sandbox(Protocol):
    """One project's sandbox. Each module has a class `Sandbox(place)` with a NAME.

    `PYTHON` is the interpreter inside. `OWN_PROGRAMS`: those of the host are not there.
    `HOLDS_GIT`: from inside git's configuration cannot be written, else only be put back.
    """

    NAME: str
    PYTHON: str
    OWN_PROGRAMS: bool
    HOLDS_GIT: bool

    def glance(self) -> str:
        """Like `available`, as far as that can be told without making or starting anything."""

    def available(self) -> str:
        """'' where `true` ran inside; else what is lacking, in a few words."""

    def ensure(self) -> None:
        """Makes it ready for `wrap`, once per run; a Failure where that cannot be."""

    def has_program(self, program: str) -> bool:
        """Would it be found inside?"""

    def hand_over(self, argv: list[str], stdin: bytes) -> tuple[list[str], bytes]:
        """Before `wrap`: another way in for an input that is too long for this back-end's stdin."""

    def wrap(self, argv: list[str], cwd: str, env: Mapping[str, str]) -> list[str]:
        """The host's command line that runs `argv` inside.

        `env` is what the program gets beyond the runner's own environment, which the host's
        process inherits with it.
        """

    def listen(self, on_output: OnOutput) -> OnOutput:
        """What to give the host's process for its output: only the program's own words go on."""

    def exit_code(self, code: int | None) -> int | None:
        """The program's own, by the one of the host's process."""

    def never_began(self, code: int | None) -> str:
        """Why the program did not start inside, as far as anyone knows; '' where it did."""

    def after_run(self, by_itself: bool) -> list[str]:
        """After each program inside, with whether it ended by itself: what a person should know."""

    def after_host_edit(self, paths: Iterable[str]) -> None:
        """The host wrote these below the project; none: a person edited while the loop stood."""

    def leave(self) -> None:
        """This runner needs it no more."""

    def abandon(self) -> None:
        """Starts the end of what runs inside and waits for nothing."""

    def stop(self) -> None:
        """Ends what runs inside, whoever started it; `ensure` may follow."""

    def remove(self) -> None:
        """Leaves nothing of it on this machine."""

    def status(self) -> str:
        """What there is of it now, in a word or two; '' where it is nothing that stays."""

    def refusals(self) -> str:
        """What the network refused, as far as the back-end itself knows that."""

    def inside(self, argv: list[str], env: Mapping[str, str]) -> list[str]:
        """The host's command line that runs `argv` inside for a person at a terminal.

        `env` as for `wrap`.
        """

    def describe(self) -> str:
        """What confines the agent, for the screen: one line without the name."""
