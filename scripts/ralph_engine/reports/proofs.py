"""Can the checks fail? What they said before the work, and what the work did to them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..core.counted import counted
from . import events
from .blocks import BAD, GOOD, WARN, Block, Cell, Section, Table, Toned
from .events import Event
from .words import NOTHING, short

_BEFORE = {False: Toned("failed, as it should", GOOD), True: Toned("passed: proves nothing", WARN)}
_AFTER = {True: Toned("passed", GOOD), False: Toned("failed", BAD)}
_LONGEST, _MOST = 160, 200
Told = Sequence[Event]


class Finding(NamedTuple):
    number: int
    file: str
    kind: str
    what: str

    @property
    def words(self) -> str:
        return f"{short(self.file, _LONGEST)}: {short(self.kind, 40)}, {short(self.what, _LONGEST)}"


def proves_nothing(told: Told) -> list[str]:
    """Stories whose own checks passed before their work."""
    last = {event.text("story"): event for event in events.of(told, "verify-before")}
    return [name for name, event in last.items() if event.flag("passed")]


def findings(told: Told) -> list[Finding]:
    """Each once, by the iteration that was first: a later one may compare the same commits."""
    found: dict[tuple[str, str, str], Finding] = {}
    for event in events.of(told, "tests-changed"):
        for item in event.items("findings"):
            one = Event("", "", 0.0, False, item if isinstance(item, dict) else {})
            known = (one.text("file"), one.text("kind"), one.text("what"))
            found.setdefault(known, Finding(event.count("number"), *known))
    return list(found.values())


def reasons(told: Told) -> list[tuple[str, str]]:
    """What reviewers wrote of changed tests, by story."""
    verdicts = events.of(told, "verdict")
    return [(e.text("story"), e.text("tests")) for e in verdicts if e.text("tests")]


def section(told: Told) -> list[Section]:
    blocks: list[Block] = [*_own_checks(told), *_changed(told)]
    return [Section("Can the checks fail?", blocks)] if blocks else []


def _own_checks(told: Told) -> list[Block]:
    before, after = (_ran(told, kind) for kind in ("verify-before", "verify-after"))
    rows: list[tuple[Cell, ...]] = [
        (
            short(name, 40),
            _BEFORE[before[name]] if name in before else "not run",
            _AFTER[after[name]] if name in after else NOTHING,
        )
        for name in {**before, **after}
    ]
    heads = ("Story", "Its verify before the work", "and after it passed")
    return [Table(heads, rows, frozenset(), frozenset({"Story"}))] if rows else []


def _ran(told: Told, kind: str) -> dict[str, bool]:
    return {e.text("story"): e.flag("passed") for e in events.of(told, kind)}


def _changed(told: Told) -> list[Block]:
    found = findings(told)
    rows: list[tuple[Cell, ...]] = [
        (str(f.number), short(f.file, _LONGEST), short(f.kind, 40), short(f.what, _LONGEST))
        for f in found[:_MOST]
    ]
    rows += [
        ("", short(story, 40), "the reviewer's reason", short(why, _LONGEST))
        for story, why in reasons(told)
    ]
    if len(found) > _MOST:
        rows.append(("", "", "", f"and {counted(len(found) - _MOST, 'more', 'more')}"))
    heads = ("#", "File or story", "Tests and checks", "What")
    return [Table(heads, rows, frozenset({"#"}))] if rows else []
