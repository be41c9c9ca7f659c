"""All that a run needs to go on after anything, replaced whole before each step.

One file per project: the run it names is the last one. `open` is the iteration under way, with
its stage: `working` until its work is judged, `judged` until the checks are settled.
"""

from __future__ import annotations

import json
import time
from base64 import b64decode, b64encode
from dataclasses import asdict
from pathlib import Path
from typing import Any

from .core import files
from .goal import Plan
from .outcome import Outcome
from .prompt import CheckFailure
from .run_state import Run

NAME = "checkpoint.json"
WORKING, JUDGED = "working", "judged"
_LIMIT = 256 * 1024 * 1024
_PLAIN = (
    *("iteration", "cost", "highest_cost", "cost_estimated", "lost", "start_head"),
    "context_window",
    *("prompt_text", "agents_prompt", "baseline", "caps", "remarks", "red_guardrails"),
)

_NEEDED = {
    *_PLAIN,
    *("run", "goal", "ralph_dir", "options", "flags", "saved", "spent", "hidden_before"),
    *("failures", "breaker", "frozen", "list", "open", "standing"),
}

Known = dict[str, Any]


def save(run: Run, plan: Plan | None = None, reached: Outcome | None = None) -> None:
    """With a plan its iteration is open; with what it reached, it is judged."""
    stage = None if plan is None else [WORKING if reached is None else JUDGED, plan, reached]
    _write(run, {"open": stage, "standing": None})


def stand(run: Run, tree: dict[str, str]) -> None:
    """The loop stands, by itself or paused: from now on edits are a person's."""
    known = read(run.state) or {"open": None}
    _write(run, {"open": known["open"], "standing": tree})


def read(state: Path) -> Known | None:
    """None where no run was begun, or nothing usable is left of it."""
    try:
        value = json.loads(files.read_bytes(str(state), NAME, _LIMIT))
    except (files.FileFault, ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) and value.keys() >= _NEEDED else None


def restore(run: Run, known: Known) -> None:
    for name in _PLAIN:
        setattr(run, name, known[name])
    run.hidden_before = set(known["hidden_before"])
    run.failures = [CheckFailure(*failure) for failure in known["failures"]]
    run.breaker.take(known["breaker"])
    run.frozen.take(known["frozen"])
    run.seconds_before, run.started = known["spent"], time.monotonic()
    data = b64decode(known["list"])
    run.take_list(json.loads(data) if data else {}, data)


def _write(run: Run, stage: Known) -> None:
    known = {
        "run": run.run_id,
        "goal": run.goal_kind,
        "ralph_dir": run.ralph_dir,
        "options": asdict(run.options),
        "flags": run.flags,
        "saved": time.monotonic(),
        "spent": run.seconds_spent(),
        "hidden_before": sorted(run.hidden_before),
        "failures": run.failures,
        "breaker": run.breaker.as_json(),
        "frozen": run.frozen.as_json(),
        "list": b64encode(run.list_bytes).decode("ascii"),
        **{name: getattr(run, name) for name in _PLAIN},
        **stage,
    }
    files.replace_bytes(str(run.state), NAME, json.dumps(known).encode("ascii"), 0o600)
