"""A place for the guard's tests: a project that need not exist, and tables of commands."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, NamedTuple

from ralph_engine.core import guard_verdict, protected_paths
from ralph_engine.core.guard_allow import Allowed
from ralph_engine.core.place import Place

FIXTURES = Path(__file__).parent / "fixtures"
SHFMT = str(Path(sys.executable).parent / "shfmt")
HOME = "/home/dev"
ROOT = "/home/dev/project"
ENVIRONMENT = {"HOME": HOME, "PATH": "/usr/bin:/bin", "USER": "dev"}


class Verdict(NamedTuple):
    """The rule that denies, or ''; and whether the whole text was understood."""

    rule: str
    complete: bool


ALLOWED = Verdict("", True)


def a_place(root: str | Path = ROOT, **options: Any) -> Place:
    environment = options.pop("environment", ENVIRONMENT)
    same_session = options.pop("same_session", False)
    folder = options.pop("ralph_dir", "ralph")
    protected = protected_paths.of_loop(str(root), folder, same_session, environment)
    place = Place(str(root), environment, protected, "session")
    for name, value in options.items():
        setattr(place, name, value)
    return place


def judged(
    text: str, place: Place | None = None, cwd: str | None = None, shfmt: str = SHFMT
) -> Verdict:
    place = place or a_place()
    allowed = Allowed(place.root, {})
    found, complete = guard_verdict.of_text(text, place, cwd or place.root, shfmt, allowed)
    return Verdict(found.rule.name if found else "", complete)


def rows(name: str) -> list[list[str]]:
    """The lines of a table but for comments, their fields unescaped."""
    lines = (FIXTURES / name).read_text(encoding="utf-8").splitlines()
    return [[_unescaped(field) for field in line.split("\t")] for line in lines if line[:2] != "# "]


def _unescaped(field: str) -> str:
    kept = field.replace("\\\\", "\0").replace("\\n", "\n").replace("\\t", "\t")
    return kept.replace("\0", "\\")
