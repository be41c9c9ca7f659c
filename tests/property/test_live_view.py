"""Any journal can be shown on any terminal, and commands none."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from property.json_values import json_values
from ralph_engine import event_lines, live
from ralph_engine.core import clock
from ralph_engine.event_lines import EventLines
from ralph_engine.line_view import Output
from ralph_engine.paint import Look, Painter
from rich.cells import cell_len

NOW = 1_800_000_000.0
KINDS = ["tool_start", "tool_end", "text", "result", "todo", "progress", "retry", "unknown"]
NAMES = ["agent", *event_lines._MAKERS, *live._CHANGES]
KEYS = [
    *("id", "number", "of", "mode", "story", "title", "done", "stories", "cost", "budget"),
    *("estimated", "charged", "detail", "verdict", "seconds", "until", "why", "text", "command"),
    *("code", "action", "pids", "argv", "changes", "name", "summary", "output", "lines", "chars"),
    *("items", "ok", "path", "uncommitted", "cost_usd", "duration", "parent", "at", "status"),
]
likely = st.one_of(
    st.text(max_size=60),
    st.integers(-5, 10**6),
    st.floats(allow_nan=True),
    st.lists(st.text(max_size=9), max_size=3),
    json_values,
)
entries = st.fixed_dictionaries(
    {"event": st.sampled_from(NAMES), "kind": st.sampled_from(KINDS)},
    optional=dict.fromkeys(KEYS, likely),
)
looks = st.builds(Look, st.booleans(), st.booleans(), st.booleans(), st.booleans())


# Drawing an event takes longer than showing it.
@settings(max_examples=150)
@given(st.lists(entries, max_size=4), looks, st.integers(1, 250), st.integers(1, 60))
def test_any_journal_on_any_terminal(
    journal: list[dict[str, Any]], look: Look, columns: int, lines: int
) -> None:
    painter, shown = Painter(look, columns), EventLines(Output(5, 500))
    status = live.after(live.Status(), {"event": "run", "time": clock.text(NOW), "id": "r"})
    for entry in journal:
        event = {**entry, "time": clock.text(NOW)}
        status = live.after(status, event)
        for line in shown.of(event):
            assert line.text.isprintable()
            rows = painter.line(line, NOW)
            assert columns < 40 or all(row.cell_len <= columns for row in rows)
            assert all("\n" not in painter.text(row) for row in rows)
    headline, fields = live.words(status, NOW + 5)
    assert all(text.isprintable() for text in (headline, *fields, *live.brief(status, NOW)))
    pinned = painter.status(headline, fields, lines)
    assert all(cell_len(row.plain) < columns for row in pinned)
    assert len(pinned) <= lines // 2
