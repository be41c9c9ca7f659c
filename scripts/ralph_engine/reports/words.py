"""Facts in words and figures for people."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from ..core.counted import counted
from ..line_view import span
from .blocks import BAD, GOOD, PLAIN, WARN, Cell, Toned
from .facts import APPROVED, Cost, Iteration, Story
from .listed import Listed

NOTHING = "-"
STATES = {
    "": "to do",
    "needs_review": "waiting for review",
    "changes_requested": "changes requested",
}
_VERDICTS = {APPROVED: ("approved", GOOD), "changes_requested": ("sent back", WARN)}
_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)Z")


def moment(time: str) -> str:
    found = _MOMENT.fullmatch(time)
    return f"{found[1]} {found[2]}" if found else short(time, 30)


def reason(status: str, why: str) -> str:
    """Some begin with the status, or are no more than it, and it stands before them anyway."""
    start = f"{status}: "
    if why == status:
        return ""
    return why[len(start) :] if why.startswith(start) else why


def short(text: str, longest: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= longest else line[: longest - 3] + "..."


def duration(seconds: float) -> str:
    return span(seconds) if seconds else "0s"


def money(cost: Cost) -> str:
    if not cost.known:
        return NOTHING
    return f"{'~' if cost.estimated else ''}${cost.usd:.2f}"


def commit(name: str) -> str:
    return name[:12] if re.fullmatch("[0-9a-f]{7,64}", name) else NOTHING


def state(story: Story) -> Cell:
    listed = story.listed
    if not listed.passes:
        words = STATES.get(listed.status) or short(listed.status, 30)
        return Toned(words, WARN) if listed.status else words
    if listed.at_cap:
        return Toned("accepted at cap", WARN)
    if story.trusted:
        return Toned("trusted, not seen", WARN)
    return Toned("done" if listed.status == APPROVED else "done, unreviewed", GOOD)


def reviews(listed: Listed) -> str:
    return f"{listed.reviews} of {listed.cap}" if listed.cap else str(listed.reviews)


def work(iteration: Iteration) -> str:
    return " ".join(filter(None, (iteration.mode, short(iteration.on, 40)))) or "prompt"


def outcome(iteration: Iteration) -> Cell:
    """What of an iteration counts."""
    words, tone = _VERDICTS.get(iteration.verdict, ("", PLAIN))
    for word, holds in (("handed in", iteration.submitted), ("passed", iteration.passed)):
        words = word if holds else words
    words = words or ("split" if iteration.split else "")
    failed = [e.text("kind") for e in iteration.endings if e.text("kind") != "ok"]
    parts = [words, *tally(failed), undone(iteration)]
    told = ", ".join(part for part in parts if part)
    if iteration.undone:
        return Toned(told, BAD)
    return Toned(told or "nothing that counts", WARN if failed and not words else tone)


def undone(iteration: Iteration) -> str:
    return f"{counted(len(iteration.undone), 'edit')} undone" if iteration.undone else ""


def tally(words: Iterable[str]) -> list[str]:
    """Each once, with how often where that is more than once."""
    return [word if n == 1 else f"{word} ({n} times)" for word, n in Counter(words).items()]
