"""The agent's stand-in: takes over when the agent meets a limit, until that has been reset."""

from __future__ import annotations

import time

from . import roles, waits
from .agents import endings
from .agents.endings import Ended
from .run_state import Run


def choose(run: Run, mode: str) -> roles.Chosen:
    return roles.of(run.settings, mode, stands_in=time.time() < run.fallback_until)


def takes_over(run: Run, who: roles.Chosen, ended: Ended) -> bool:
    """True where nobody has to wait: another agent goes on."""
    if ended.kind != endings.LIMIT or who.role != roles.WRITER or run.settings.fallback is None:
        return False
    now = time.time()
    run.fallback_until = waits.end_of_limit(ended, run.limits_met, now)
    run.limits_met += 1
    run.journal.write(
        "fallback",
        command=run.settings.fallback.command,
        of=who.agent.command,
        until=waits.clock(run.fallback_until, now),
        why=ended.detail,
    )
    return True
