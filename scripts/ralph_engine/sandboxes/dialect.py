"""How the two command lines of Docker's microVMs call the same things."""

from __future__ import annotations

from typing import Callable, NamedTuple


class Dialect(NamedTuple):
    """`listed` is the key of `ls --json`; `start` begins a stopped one where exec does not.

    `live`: inside, the project is the host's own folder; else a copy that is kept in step, in which
    a file that is there already is never replaced by the host's.
    `close_but` and `open_up` give the command for a network that reaches only these hosts, or all;
    where the first only adds, `take_back` refuses hosts that were allowed before;
    where `closed_when_made`, one that was made open cannot be closed later.
    """

    name: str
    program: tuple[str, ...]
    listed: str
    absent: str
    remove: tuple[str, ...]
    start: Callable[[str], list[str]]
    live: bool
    create_closed: tuple[str, ...]
    closed_when_made: bool
    close_but: Callable[[str, list[str]], list[str]]
    take_back: Callable[[str, list[str]], list[str]]
    open_up: Callable[[str], list[str]]
    log: Callable[[str], list[str]]

    @property
    def words(self) -> str:
        return " ".join(self.program)
