"""An alert is claimed by one caller only, however the callers interleave."""

from __future__ import annotations

from pathlib import Path

from ralph_engine.core.alerts import Alerts

SESSION = "s-1"


def test_of_two_that_saw_nothing_given_one_claims(tmp_path: Path) -> None:
    first, second = Alerts(SESSION, str(tmp_path)), Alerts(SESSION, str(tmp_path))
    assert first.given(["50"]) == second.given(["50"]) == {}
    assert (second.claim("50", 700), first.claim("50", 900)) == (True, False)
    assert first.given(["50", "60"]) == second.given(["50"]) == {"50": 700}


def test_what_is_withdrawn_can_be_claimed_anew(tmp_path: Path) -> None:
    with Alerts(SESSION, str(tmp_path)) as alerts:
        assert alerts.claim("50", 700)
        alerts.withdraw("50")
        alerts.withdraw("60")
        assert alerts.given(["50"]) == {}
        assert alerts.claim("50", 800)


def test_a_folder_open_to_others_holds_nothing_and_takes_nothing(tmp_path: Path) -> None:
    with Alerts(SESSION, str(tmp_path)) as alerts:
        assert alerts.claim("50", 700)
    (tmp_path / f"claude-context-alerts-{SESSION}").chmod(0o750)
    with Alerts(SESSION, str(tmp_path)) as alerts:
        assert alerts.given(["50"]) == {}
        assert not alerts.claim("60", 700)
        alerts.withdraw("50")
    assert (tmp_path / f"claude-context-alerts-{SESSION}" / "50").exists()
