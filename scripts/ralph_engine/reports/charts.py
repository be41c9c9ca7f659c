"""Which plots a report has: burn-down, cost and time of the iterations, reviews of the stories."""

from __future__ import annotations

from collections import Counter

from ..core.counted import counted
from .blocks import Bar, Chart, Part
from .facts import Facts, Iteration
from .listed import Listed
from .words import duration, work

_MODES = {"implement": "implement", "review": "review", "review-fix": "fix"}
_OTHER, _WAIT, _CAP, _LINE = "work", "wait", "cap", "line"
_KINDS = {
    "implement": "implement",
    "review": "review",
    "fix": "review-fix",
    _OTHER: "work",
    _WAIT: "waiting",
}
_MOST_REVIEWS = 50
_MOST_BARS = 120
_ESTIMATED = "An attempt that told no figure is charged as the dearest before it."
_UNITS = ((7200.0, 3600.0, "hours"), (180.0, 60.0, "minutes"), (0.0, 1.0, "seconds"))


def of(facts: Facts) -> list[Chart]:
    """Only those that have something to show."""
    found = [_burn_down(facts), _time(facts), _cost(facts), _reviews(facts)]
    return [chart for chart in found if any(bar.parts for bar in chart.bars)]


def _burn_down(facts: Facts) -> Chart:
    left = [facts.left_at_start, *(one.left or 0 for one in facts.iterations)]
    bars = [
        Bar(str(number), [Part(_LINE, value)], f"{_stories(value)} left after {number}")
        for number, value in enumerate(left)
    ]
    return Chart(
        title="Stories left",
        across="iteration",
        upwards="stories",
        bars=bars if facts.iterations and facts.stories else [],
        kinds={},
        note="Flat stretches are reviews, fixes and iterations that reached nothing.",
        whole=True,
        steps=True,
    )


def _time(facts: Facts) -> Chart:
    longest = max((one.seconds for one in facts.iterations), default=0.0)
    _, divisor, unit = next(entry for entry in _UNITS if longest >= entry[0])
    bars = []
    for one in facts.iterations:
        working = Part(_kind(one), (one.seconds - one.waited) / divisor)
        waiting = Part(_WAIT, one.waited / divisor)
        parts = [part for part in (working, waiting) if part.value > 0]
        bars.append(Bar(str(one.number), parts, f"{_name(one)}: {duration(one.seconds)}"))
    bars, note = _averages(bars)
    return Chart("Time per iteration", "iteration", unit, bars, _used(bars), note)


def _cost(facts: Facts) -> Chart:
    bars = [
        Bar(
            str(one.number),
            [Part(_kind(one), one.cost.usd)] if one.cost.usd > 0 else [],
            f"{_name(one)}: {'~' if one.cost.estimated else ''}${one.cost.usd:.2f}",
        )
        for one in facts.iterations
    ]
    bars, note = _averages(bars)
    note += _ESTIMATED if facts.cost.known and facts.cost.estimated else ""
    return Chart("Cost per iteration", "iteration", "US dollars", bars, _used(bars), note, "$")


def _reviews(facts: Facts) -> Chart:
    listed = [story.listed for story in facts.stories]
    counts = [min(story.reviews, _MOST_REVIEWS) for story in listed]
    at_cap = Counter(count for count, s in zip(counts, listed) if _is_at_cap(s))
    total = Counter(counts)
    bars = []
    for number in range(max(counts, default=0) + 1 if any(counts) else 0):
        plain = Part("review", total[number] - at_cap[number])
        parts = [part for part in (plain, Part(_CAP, at_cap[number])) if part.value]
        words = f"{_stories(total[number])} with {counted(number, 'review')}"
        bars.append(Bar(str(number), parts, words))
    note = (
        "Mostly 1 is cheap; many 3 or 4 mean that reviews catch things;"
        " a story at the cap needs your eyes."
    )
    kinds = {_CAP: "at the cap"} if at_cap else {}
    return Chart("Reviews per story", "reviews", "stories", bars, kinds, note, whole=True)


def _is_at_cap(story: Listed) -> bool:
    return story.at_cap or 0 < story.cap <= story.reviews


def _stories(number: int) -> str:
    return counted(number, "story", "stories")


def _averages(bars: list[Bar]) -> tuple[list[Bar], str]:
    """More bars than can be told apart become averages of neighbours."""
    each = -(-len(bars) // _MOST_BARS)
    if each < 2:
        return bars, ""
    groups = [bars[start : start + each] for start in range(0, len(bars), each)]
    return [_average(group) for group in groups], f"Each bar is the average of {each}. "


def _average(group: list[Bar]) -> Bar:
    found = [part for bar in group for part in bar.parts]
    sums = {kind: sum(part.value for part in found if part.kind == kind) for kind in _KINDS}
    parts = [Part(kind, value / len(group)) for kind, value in sums.items() if value]
    words = f"{group[0].label} to {group[-1].label}, on average"
    return Bar(group[-1].label, parts, words)


def _kind(one: Iteration) -> str:
    return _MODES.get(one.mode, _OTHER)


def _name(one: Iteration) -> str:
    return f"{one.number}, {work(one)}"


def _used(bars: list[Bar]) -> dict[str, str]:
    used = {part.kind for bar in bars for part in bar.parts}
    return {kind: words for kind, words in _KINDS.items() if kind in used}
