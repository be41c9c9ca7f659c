"""What a report is made of, whatever it is written in; all texts are plain and not yet escaped."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Union

GOOD, BAD, WARN, PLAIN = "good", "bad", "warn", "plain"


class Words(NamedTuple):
    text: str


class Points(NamedTuple):
    items: Sequence[str]


class Toned(NamedTuple):
    text: str
    tone: str


Cell = Union[str, Toned]


class Table(NamedTuple):
    heads: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    # Columns by their heads: figures stand to the right, names are not broken.
    figures: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()


class Command(NamedTuple):
    what: str
    line: str


class Commands(NamedTuple):
    items: Sequence[Command]


class Part(NamedTuple):
    """A piece of a bar."""

    kind: str
    value: float


class Bar(NamedTuple):
    label: str
    parts: Sequence[Part]
    words: str


class Chart(NamedTuple):
    """Bars, or with `steps` a line that goes from one to the next in steps."""

    title: str
    across: str
    upwards: str
    bars: Sequence[Bar]
    kinds: dict[str, str]
    note: str
    unit: str = ""
    whole: bool = False
    steps: bool = False


class Charts(NamedTuple):
    items: Sequence[Chart]


Block = Union[Words, Points, Table, Commands, Charts]


class Section(NamedTuple):
    title: str
    blocks: Sequence[Block]


class Figure(NamedTuple):
    label: str
    value: str


class Page(NamedTuple):
    title: str
    verdict: str
    tone: str
    why: str
    figures: Sequence[Figure]
    sections: Sequence[Section]


def text_of(cell: Cell) -> str:
    return cell.text if isinstance(cell, Toned) else cell


def tone_of(cell: Cell) -> str:
    return cell.tone if isinstance(cell, Toned) else PLAIN
