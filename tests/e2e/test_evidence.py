"""A check that can fail, and a test that was weakened, through the real client."""

from __future__ import annotations

from pathlib import Path

from e2e.runner_life import Life
from ralph_engine.scripted_model import say

TESTS = "def test_adds():\n    assert add(1, 2) == 3\n\n\ndef test_type():\n    assert add\n"
WEAKER = "printf 'def test_adds():\\n    assert True\\n' > tests/test_add.py"
FOUND = [
    '- tests/test_add.py: deleted test, "test_type" is gone',
    '- tests/test_add.py: fewer assertions, "test_adds" has 0, before 1',
]
BINDS = "This run is red first: work on US-1 and no other story"
SUBMITTED = {"reviewStatus": "needs_review", "notes": "built"}
APPROVED = {"passes": True, "reviewStatus": "approved", "reviewCount": 1}
WAITING = {"passes": False, "reviewStatus": "needs_review", "reviewCount": 0}


def test_red_first_and_strict_tests_in_one_life(tmp_path: Path) -> None:
    """The other story is not accepted, the weakened test not without the reviewer's reason."""
    life = Life(tmp_path, "US-1", "US-2")
    life.stories[0]["verify"] = ["test -f one.txt"]
    (life.root / "tests").mkdir()
    (life.root / "tests" / "test_add.py").write_text(TESTS)
    start = life.begin()
    turns = [
        life.edit("US-2", "feat: US-2", **SUBMITTED),
        say("I took the other one."),
    ]
    life.stories[1].update(reviewStatus=None)
    turns += [
        life.edit("US-1", "feat: US-1", f"echo 1 > one.txt && {WEAKER}", **SUBMITTED),
        say("Done."),
        life.edit("US-1", "review: US-1 approved", **APPROVED),
        say("Fine."),
    ]
    life.stories[0].update(WAITING)
    explained = {**APPROVED, "reviewFeedback": "tests: add takes anything now, as criterion 1 says"}
    turns += [life.edit("US-1", "review: US-1 approved again", **explained), say("Fine.")]
    ran = life.run(turns, "--red-first", "--strict-tests", "-n", "4")
    assert ran.code == 1, ran.screen
    assert [e["rule"] for e in ran.of("violation")] == ["not-picked", "tests-unexplained"]
    assert [(e["event"], e["story"]) for e in ran.ledger] == [
        ("verify-before", "US-1"),
        ("submitted", "US-1"),
        ("approved", "US-1"),
        ("verify-after", "US-1"),
    ]
    assert (ran.ledger[0]["passed"], ran.ledger[0]["head"]) == (False, start)
    assert ran.ledger[2]["tests"] == "add takes anything now, as criterion 1 says"
    assert ran.ledger[3]["passed"] is True
    first, second, review, again = ran.prompts()
    assert BINDS in first and BINDS in second and BINDS not in review
    for prompt in (review, again):
        lines = prompt.splitlines()
        at = lines.index(FOUND[0])
        assert f"tests, CI and check files, {start[:12]}.." in lines[at - 1]
        assert lines[at : at + 2] == FOUND
    assert "The approval does not count: tests/test_add.py: deleted test" in again
    assert [s["passes"] for s in life.listed()] == [True, False]
