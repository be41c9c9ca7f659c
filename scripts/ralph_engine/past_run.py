"""The last run of a project: may it go on, and with what?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from . import checkpoint, journal
from .core import files
from .core.own_command import RALPH
from .failure import Failure
from .run_options import RunOptions
from .settings import Entries, Entry
from .stops import COMPLETE

_SWITCHES = ("trust_approved", "review_skipped", "allow_plan_edits", "allow_dirty")


class PastRun(NamedTuple):
    """`end` is its last word; a run without one was killed."""

    known: checkpoint.Known
    end: dict[str, Any] | None

    @property
    def run_id(self) -> str:
        return str(self.known["run"])

    @property
    def killed(self) -> bool:
        return self.end is None

    @property
    def unjudged(self) -> bool:
        """Its last iteration could not be judged where the tree then was: on another branch."""
        return bool(self.known["open"]) and self.known["open"][0] == checkpoint.WORKING

    @property
    def standing(self) -> bool:
        """It ended by itself or was paused: what changed since then, a person changed."""
        return self.known["standing"] is not None


def read(state: Path) -> PastRun | None:
    known = checkpoint.read(state)
    if known is None:
        return None
    folder = state / "runs" / str(known["run"])
    try:
        known["spent"] += max(0.0, (journal.last_steady(folder) or 0.0) - known["saved"])
        return PastRun(known, last_end(journal.steps(folder).events))
    except (OSError, files.FileFault):
        return None


def last_end(events: list[dict[str, Any]]) -> dict[str, Any] | None:
    """The end of its last stretch: a resumed run has several."""
    last = None
    for event in events:
        if event["event"] in ("run", "resumed", "end"):
            last = event
    return last if last and last["event"] == "end" else None


def has_goal(past: PastRun, options: RunOptions) -> bool:
    old = past.known["options"]
    return all(
        old[name] == getattr(options, name) for name in ("prompt", "prompt_file", "ralph_dir")
    )


def refuse_finished(past: PastRun | None) -> PastRun:
    if past is None:
        raise Failure("no run to resume here", f"{RALPH} run starts one")
    if past.end and past.end["code"] == COMPLETE:
        raise Failure(f"run {past.run_id} is complete: nothing to resume", f"{RALPH} run")
    return past


def options_of(past: PastRun, now: RunOptions) -> RunOptions:
    """The goal is the old one; switches stay on."""
    old = past.known["options"]
    kept = {name: old[name] for name in ("prompt", "prompt_file", "ralph_dir")}
    on = {name: old[name] or getattr(now, name) for name in _SWITCHES}
    return replace(now, **kept, **on)


def flags_of(past: PastRun, now: Entries) -> dict[str, Entry]:
    """What is given now replaces what was given then."""
    old: Mapping[str, Any] = past.known["flags"]
    return {**{key: Entry(*pair) for key, pair in old.items()}, **now}
