"""The real client in the bwrap sandbox: whole loops inside, hooks firing, for root and others."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from another_user import ORDINARY, ROOT, open_folder
from e2e.confined_life import ConfinedLife
from ralph_engine.scripted_model import Turn, say

SUBMITTED = {"reviewStatus": "needs_review", "notes": "built"}
APPROVED = {"passes": True, "reviewStatus": "approved", "reviewCount": 1}
ILLEGAL = {"passes": True, "reviewStatus": "approved", "reviewCount": 1, "notes": "built"}
WORDS = {"open": "open", "deny": "only 127.0.0.1:"}


@pytest.fixture
def folder() -> Iterator[Path]:
    with open_folder() as made:
        yield made


def two_stories(life: ConfinedLife) -> list[Turn]:
    """The first one is approved too early, which the Stop hook does not let pass."""
    early = life.edit("US-1", "early", "echo 1 > US-1.txt", **ILLEGAL)
    turns = [early, say("Done.")]
    for name in ("US-1", "US-2"):
        made = {**SUBMITTED, "passes": False, "reviewCount": 0}
        turns += [life.edit(name, f"feat: {name}", f"echo 2 > {name}.txt", **made), say("Built.")]
        turns += [life.edit(name, f"review: {name}", **APPROVED), say("Approved.")]
    return turns


@pytest.mark.parametrize(("user", "network"), [(ROOT, "deny"), (ORDINARY, "open")])
def test_two_stories_are_built_and_reviewed_inside(folder: Path, user: str, network: str) -> None:
    life = ConfinedLife(folder, "US-1", "US-2", user=user)
    scm = {"command": "git", "tasks": ["notes add -f -m seen"]}
    life.settings = {"sandbox": {"network": network}, "scm": scm}
    life.verify = ['test "$IS_SANDBOX" = 1 && test ! -e "$HOME/.profile"']
    (life.home / ".profile").write_text("mine\n")
    life.begin()
    ran = life.run(two_stories(life))
    assert ran.code == 0, ran.screen
    start = "[ralph] sandbox bwrap: writes only in the project, the home is hidden; network: "
    assert ran.screen[0].startswith(start + WORDS[network])
    assert ran.last_line.startswith("ralph: complete: 2 of 2 stories verified")
    assert [e["rule"] for e in ran.of("violation")] == []
    assert {e["code"] for e in ran.of("check", "scm")} == {0}
    blocked = [r for r in ran.requests if "Stop hook feedback" in r.new_text]
    assert len(blocked) == 1 and "an illegal transition: passes false" in blocked[0].new_text
    assert life.git("log", "-1", "--format=%an <%ae> %cn") == "A Tester <tester@localhost> A Tester"
    assert sorted(path.name for path in life.home.iterdir()) == [".local", ".profile", "work"]
