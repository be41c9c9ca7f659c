"""An iteration whose runner was killed before it could judge it: judged before anything new."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from typing import Any

from . import task_goal
from .agent_turn import Turn
from .agents.endings import SIGNAL, Ended
from .core import files
from .failure import Failure
from .goal import Plan
from .run_state import Run

NAME = "open-iteration.json"
_LIMIT = 256 * 1024 * 1024


def keep(run: Run, plan: Plan) -> None:
    """Written before the agent starts, taken away once its work is judged."""
    known = {
        "run": run.run_id,
        "ralphDir": run.ralph_dir,
        "plan": [plan.mode, plan.story, plan.head, plan.marker],
        "document": run.document,
        "bytes": b64encode(run.list_bytes).decode("ascii"),
        "baseline": run.baseline,
        "frozen": run.frozen.as_json(),
    }
    files.replace_bytes(str(run.state), NAME, json.dumps(known).encode("ascii"), 0o600)


def settled(run: Run) -> None:
    if files.kind(str(run.state), NAME) != "absent":
        files.remove(str(run.state), NAME)


def judge_left_over(run: Run) -> bool:
    """By the earlier run's own copies, as it would have done itself; False: nothing was left."""
    known = _read(run)
    if known is None:
        return False
    run.take_list(known["document"], b64decode(known["bytes"]))
    if known["ralphDir"] != run.ralph_dir:
        raise Failure(
            f"the last iteration of run {known['run']} waits to be judged in {known['ralphDir']}",
            f"start again with --ralph-dir {known['ralphDir']} first",
        )
    if not run.on_branch():
        raise Failure(
            f"the last iteration of run {known['run']} waits to be judged on {run.branch}",
            f"git switch {run.branch}, then start again",
        )
    run.say(f"run {known['run']} was cut off: its last iteration is judged first")
    run.baseline = known["baseline"]
    run.frozen.take(known["frozen"])
    killed = Turn(Ended(SIGNAL, "its runner was killed"), "", None)
    task_goal.judge(run, task_goal.Plan(*known["plan"]), killed)
    settled(run)
    return True


def _read(run: Run) -> dict[str, Any] | None:
    try:
        value = json.loads(files.read_bytes(str(run.state), NAME, _LIMIT))
    except (files.FileFault, ValueError):
        return None
    return value if isinstance(value, dict) and value.get("document") else None
