"""Any journal becomes a report: of an older version, of a hostile agent, of a bad disk."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from property.json_values import numbers, strings
from ralph_engine import report_files
from ralph_engine.reports import facts
from reports.told_run import RUN, night

KINDS = sorted({event["event"] for event in night().events} | {"resumed", "taken-up", "paused"})
FIELDS = sorted({name for event in night().events for name in event})
MOMENTS = ["2026-03-02T22:15:00Z", "2026-03-02T22:15:00", "", "9999-99-99T99:99:99Z"]

# Python reads NaN and the infinities where JSON has none.
odd = st.sampled_from([float("nan"), float("inf"), -1e308, 10**400, -(10**20)])
fields = st.sampled_from(FIELDS + ["id", "title", "passes", "status", "reviews", "cap", "atCap"])
plain = st.none() | st.booleans() | numbers | strings | odd
values = plain | st.lists(plain | st.dictionaries(fields, plain, max_size=7), max_size=2)
events = st.builds(
    lambda kind, time, details: {**details, "event": kind, "time": time},
    st.sampled_from(KINDS) | plain,
    st.sampled_from(MOMENTS) | plain,
    st.dictionaries(fields, values, max_size=5),
)


@given(found=st.lists(events, max_size=6))
def test_any_journal_becomes_a_report_and_always_the_same(found: list[dict[str, Any]]) -> None:
    first, second = (report_files.compose(facts.gather(RUN, found, 0)) for _ in range(2))
    assert first == second
    for text in first:
        text.encode("utf-8")
        assert all(c == "\n" or c.isprintable() for c in text)


@given(data=st.data())
def test_a_real_journal_with_one_wrong_value(data: st.DataObject) -> None:
    found = [dict(event) for event in night().events]
    event = data.draw(st.sampled_from(found))
    event[data.draw(st.sampled_from(sorted(event)))] = data.draw(values)
    report_files.compose(facts.gather(RUN, found, 0))
