"""What the hooks decided, by their own log, which an agent could have written to."""

from __future__ import annotations

from .. import hook_events
from . import events
from .events import Event
from .facts import Facts
from .words import short, tally

_LONGEST = 60
_MOST = 10


def sentence(event: Event) -> str:
    what = event.text("what")
    if what == hook_events.DENIED:
        return f"the guard denied {_short(event, 'tool')} (rule {_short(event, 'rule')})"
    if what == hook_events.EXHAUSTED:
        return f"the agent ignored every refusal of its stop ({_short(event, 'group')})"
    return f"refused the agent's stop ({_short(event, 'group')})"


def totals(facts: Facts) -> list[str]:
    found = events.of(facts.events, "hook")
    told = hook_events.counted_in([event.text("what") for event in found])
    if not told:
        return []
    rules = [_short(e, "rule") for e in found if e.text("what") == hook_events.DENIED]
    listed = tally(rules)
    named = "; rules: " + ", ".join(listed[:_MOST]) if rules else ""
    more = f" and {len(listed) - _MOST} more" if len(listed) > _MOST else ""
    return [f"Hooks, by their own log: {told}{named}{more}"]


def _short(event: Event, name: str) -> str:
    return short(event.text(name), _LONGEST) or "?"
