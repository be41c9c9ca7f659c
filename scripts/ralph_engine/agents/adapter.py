"""The names that every agent module has."""

from __future__ import annotations

from typing import Any, Callable, Protocol

from .endings import Ended
from .events import Event, Result
from .request import Launch, Request


class StreamParser(Protocol):
    """`result` is the last final event: None where there was none (yet)."""

    result: Result | None

    @property
    def final_text(self) -> str: ...

    def feed(self, line: bytes) -> list[Event]: ...


class Adapter(Protocol):
    """`TESTED`: the oldest and the newest version, None where no version is asked for. Others
    are asked for `HELP`, which must name the `FLAGS`. `KEYS`: variables and files of which one
    must be there, or the program would wait for a person; () where it says so by itself."""

    NAME: str
    INSTALL: str
    REPORTS_COST: bool
    TESTED: tuple[str, str] | None
    HELP: tuple[str, ...]
    FLAGS: tuple[str, ...]
    KEYS: tuple[str, ...]

    @property
    def Parser(self) -> Callable[[], StreamParser]: ...  # noqa: N802

    def launch(self, request: Request) -> Launch: ...

    def plain_launch(self, request: Request) -> Launch: ...

    def ended(self, parser: Any, exit_code: int | None, cause: str | None) -> Ended: ...
