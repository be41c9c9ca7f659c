"""The bwrap sandbox for real: whole loops inside, hooks firing, as root and as another user."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from e2e.confined_life import ORDINARY, ROOT, ConfinedLife
from ralph_engine.scripted_model import say

SUBMITTED = {"reviewStatus": "needs_review", "notes": "built"}
APPROVED = {"passes": True, "reviewStatus": "approved", "reviewCount": 1}


@pytest.fixture
def folder() -> Iterator[Path]:
    """Not below pytest's own folder, which is closed to other users."""
    made = Path(tempfile.mkdtemp(prefix="ralph-bwrap-"))
    made.chmod(0o755)
    yield made
    shutil.rmtree(made)


@pytest.mark.parametrize("user", [ROOT, ORDINARY])
@pytest.mark.parametrize("network", ["open", "deny"])
def test_two_stories_are_built_and_reviewed_inside(folder: Path, user: str, network: str) -> None:
    life = ConfinedLife(folder, "US-1", "US-2", user=user)
    life.settings = {"sandbox": {"network": network}}
    life.verify = ['test "$IS_SANDBOX" = 1']
    life.begin()
    turns = []
    for name in ("US-1", "US-2"):
        work = f"echo {name} > {name}.txt"
        turns += [life.edit(name, f"feat: {name}", work, **SUBMITTED), say("Submitted.")]
        turns += [life.edit(name, f"review: {name}", **APPROVED), say("Approved.")]
    ran = life.run(turns)
    assert ran.code == 0, ran.screen
    print("\n".join(ran.screen))
