"""Durations on the command line and in settings files."""

from __future__ import annotations

import pytest
from ralph_engine import durations, schema
from ralph_engine.failure import Failure

GOOD = {"0s": 0.0, "90s": 90.0, "15m": 900.0, "8h": 28800.0, "007s": 7.0, "999999h": 3599996400.0}
BAD = ["", "90", "s", "1.5h", "-1s", "+1s", "1 s", " 1s", "1s ", "1s\n", "1d", "1H", "90 sec"]
BAD += ["1h30m", "1000000s", "١s", "1_0s", "1e3s", "ms"]


@pytest.mark.parametrize(("text", "wanted"), GOOD.items())
def test_a_number_and_a_unit_become_seconds(text: str, wanted: float) -> None:
    found = durations.seconds(text, "--delay")
    assert (found, type(found)) == (wanted, float)


@pytest.mark.parametrize("text", BAD)
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(Failure):
        durations.seconds(text, "--delay")


def test_the_refusal_names_place_value_and_what_is_accepted() -> None:
    with pytest.raises(Failure) as caught:
        durations.seconds("1.5h", "--delay")
    assert str(caught.value) == '--delay is "1.5h"; give a duration such as 90s, 15m or 8h'


@pytest.mark.parametrize("text", [*GOOD, *BAD])
def test_the_schema_accepts_the_same_texts(text: str) -> None:
    assert (schema.setting_wanted("delay", text) == "") is (text in GOOD)


@pytest.mark.parametrize("text", [*GOOD, *BAD, "00m"])
def test_limits_must_be_above_zero(text: str) -> None:
    fits = text in GOOD and text != "0s"
    for key in ("maxDuration", "iterationTimeout", "idleTimeout"):
        assert (schema.setting_wanted(key, text) == "") is fits
