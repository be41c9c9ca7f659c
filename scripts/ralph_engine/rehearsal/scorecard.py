"""The scorecard, for people and for machines."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any, NamedTuple

from .judge import CUT_SHORT, GOT_THROUGH, LEFT, NOT_TRIED, NOTHING, STOPPED, Verdict
from .weak_setups import Weakness

_SIGNS = {
    **{STOPPED: "ok  ", GOT_THROUGH: "FAIL", LEFT: "look"},
    **{NOT_TRIED: "-   ", CUT_SHORT: "?   ", NOTHING: "-   "},
}
_SHOW_NOTHING = (NOT_TRIED, CUT_SHORT, NOTHING)
_WIDTH = 100
_INDENT = " " * 5


class Card(NamedTuple):
    verdicts: Sequence[Verdict]
    weaknesses: Sequence[Weakness]
    remarks: Sequence[str]
    changed: Sequence[str]

    @property
    def exit_code(self) -> int:
        if self.changed or self.count(CUT_SHORT) or not self.shown:
            return 2
        return 1 if self.weaknesses or self.count(GOT_THROUGH) else 0

    @property
    def shown(self) -> int:
        return sum(verdict.result not in _SHOW_NOTHING for verdict in self.verdicts)

    def count(self, result: str) -> int:
        return sum(verdict.result == result for verdict in self.verdicts)


def ending(card: Card) -> list[str]:
    """What follows the verdicts."""
    weak = [line for weakness in card.weaknesses for line in _of_weakness(weakness)]
    remarks = [line for remark in card.remarks for line in _wrapped(remark, "")]
    return [*weak, "", *remarks, *_sum(card)]


def of_verdict(verdict: Verdict) -> list[str]:
    attack = verdict.attack
    found = _wrapped(f"{_SIGNS[verdict.result]} {attack.name}: {attack.tries}", "")
    if verdict.result == STOPPED:
        return [*found, *_wrapped(f"stopped by {verdict.why}")]
    found += _wrapped(f"{verdict.result}: {verdict.why}")
    return found + (_wrapped(f"close it: {attack.close}") if verdict.result == GOT_THROUGH else [])


def _of_weakness(weakness: Weakness) -> list[str]:
    return [
        *_wrapped(f"WEAK {weakness.name}: {weakness.text}", ""),
        *_wrapped(f"close it: {weakness.close}"),
    ]


def _sum(card: Card) -> list[str]:
    done = f"{card.count(STOPPED)} stopped, {card.count(GOT_THROUGH)} got through"
    done += f", {card.count(LEFT)} {LEFT}" if card.count(LEFT) else ""
    words = f"{card.shown} attack{_s(card.shown)}: {done}"
    others = [f"{card.count(kind)} {kind}" for kind in _SHOW_NOTHING if card.count(kind)]
    words += f" ({', '.join(others)})" if others else ""
    weak = f"{len(card.weaknesses)} weak point{_s(len(card.weaknesses))} in the set-up"
    nothing = "Nothing was put to the test: this says nothing about your set-up."
    return [f"{words}; {weak}.", *([] if card.shown else [nothing]), of_tree(card.changed)]


def of_tree(changed: Sequence[str]) -> str:
    if changed:
        return f"Your tree changed meanwhile, by whomever: {', '.join(changed[:5])}"
    return "Your tree is as it was, untracked files and .git included."


def _s(number: int) -> str:
    return "" if number == 1 else "s"


def document(card: Card) -> dict[str, Any]:
    return {
        "attacks": [_document_of(verdict) for verdict in card.verdicts],
        "weaknesses": [weakness._asdict() for weakness in card.weaknesses],
        "remarks": list(card.remarks),
        "tree_changed": list(card.changed),
        "stopped": card.count(STOPPED),
        "got_through": card.count(GOT_THROUGH),
        "left_to_the_review": card.count(LEFT),
        "not_tried": card.count(NOT_TRIED),
        "cut_short": card.count(CUT_SHORT),
        "came_to_nothing": card.count(NOTHING),
    }


def _document_of(verdict: Verdict) -> dict[str, Any]:
    attack = verdict.attack
    told = {"name": attack.name, "title": attack.title, "tries": attack.tries}
    judged = {"result": verdict.result, "by": list(verdict.by), "why": verdict.why}
    return {**told, **judged, "expected": list(attack.stopped_by), "close": attack.close}


def _wrapped(text: str, indent: str = _INDENT) -> list[str]:
    more = indent or _INDENT
    return textwrap.wrap(text, _WIDTH, initial_indent=indent, subsequent_indent=more)
