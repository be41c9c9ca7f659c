"""What a person is told before the first token."""

from __future__ import annotations

import os

from . import agent_version, budget, prompt_goal, roles, task_goal, tree_state
from .agents import choose
from .core import review
from .core.counted import counted
from .core.shell import shfmt
from .goal import Goal
from .run_state import Run

_NO_PARSER = (
    "no shfmt, so the guard reads only simple commands: of the others it denies what feeds a shell"
    " or names the loop's files; install shfmt and start again with ralph.sh"
)


def announce(run: Run, goal: Goal) -> None:
    run.say(f"{run.confinement.words}; {_budget(run)}")
    everyone = roles.everyone(run.settings)
    for who in everyone:
        run.say(f"{who.role}: {_version(run, who.agent.command)}")
    guarded = any(choose(who.agent.command).NAME == "claude" for who in everyone)
    if guarded and not shfmt.path(os.environ):
        run.say(_NO_PARSER)
    if goal.KIND == prompt_goal.KIND and not tree_state.of(run.root):
        run.say("no git and more than 50,000 files: progress is not judged")
    chosen = run.settings
    reviews = goal.KIND == task_goal.KIND and not chosen.skip_review
    if reviews and chosen.review_cap == 1 and chosen.at_cap == "approve":
        run.say("--review-cap 1: no review can reject")
    if run.document:
        run.say(_first(run))


def _version(run: Run, program: str) -> str:
    sandbox = run.confinement.sandbox
    if sandbox and sandbox.OWN_PROGRAMS:
        return f"{program}, as the sandbox has it"
    return agent_version.ask(program).sentence


def _first(run: Run) -> str:
    skip = run.settings.skip_review
    mode = review.mode_of(run.document, skip)
    story = review.pick(run.document, mode, skip)
    return f"first: {mode} {story['id']}" if story else "first: is all of it complete?"


def _budget(run: Run) -> str:
    if not run.document:
        most = run.max_iterations
        return f"at most {counted(most, 'iteration')}"
    return budget.sentence(budget.of(run.document, run.max_iterations))
