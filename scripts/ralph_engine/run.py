"""`run`: a fresh agent per iteration until the goal is verifiably complete."""

from __future__ import annotations

import argparse
import os
import time
import uuid

from . import (
    agent_turn,
    approvals,
    ask,
    budget,
    config,
    descendants,
    git,
    git_exclude,
    interrupted,
    lock,
    loop,
    marker_file,
    old_runs,
    preflight,
    prompt_goal,
    run_options,
    settings,
    signals,
    state_folder,
    task_goal,
    tree_state,
)
from .breaker import Breaker
from .core import dot_folder, files, review, tasks
from .frozen_files import FrozenFiles
from .goal import Goal
from .interrupts import Interrupts
from .journal import Journal
from .ledger import Ledger
from .run_options import RunOptions
from .run_state import Run
from .screen import Screen
from .settings import Entries, Settings
from .stops import COMPLETE, ERROR, Stop

add_arguments = run_options.add_arguments


def main(given: argparse.Namespace) -> int:
    options = run_options.options(given)
    screen = Screen(options.json, options.verbose)
    run_id = time.strftime("%Y%m%d-%H%M%S-", time.gmtime()) + uuid.uuid4().hex[:6]
    lock_path = state_folder.lock_path(options.project_dir, os.environ)
    with lock.held(lock_path, run_id):
        stop = _run(options, run_options.overrides(given), screen, run_id)
    screen.last(f"{stop.status}: {stop.why}" if stop.code else stop.why, stop.hint)
    return stop.code


def _run(options: RunOptions, flags: Entries, screen: Screen, run_id: str) -> Stop:
    chosen = settings.read(options.project_dir, os.environ, flags)
    signals.refuse_old(options.project_dir, options.ralph_dir)
    goal = _goal(options)
    interrupts = Interrupts(screen.say)
    run = _begin(options, chosen, screen, run_id, interrupts, goal)
    if not options.dry_run and interrupted.judge_left_over(run):
        # Only now are the files free of what the killed run's agent wrote into them.
        chosen = settings.read(options.project_dir, os.environ, flags)
        _take_settings(run, chosen, goal)
    _take_ready(run, goal)
    _announce(run, goal)
    for line in config.lines(settings.collect(run.root, os.environ, flags)):
        run.detail(line)
    if options.dry_run:
        return Stop(COMPLETE, f"dry run: {agent_turn.command_line(run)}")
    if run.document:
        preflight.go_to_branch(run.root, run.branch)
        _settle_the_past(run)
    git_exclude.ensure(run.root, run.ralph_dir)
    old_runs.forget(run.root, run.state)
    interrupts.install(lambda: _end_now(run))
    descendants.adopt_orphans()
    return _guarded(run, goal)


def _take_ready(run: Run, goal: Goal) -> None:
    if goal.KIND != task_goal.KIND:
        run.take_list({}, b"")
        run.baseline = preflight.prompt(run.settings, run.options).baseline
        return
    ready = preflight.task_list(run.settings, run.options)
    run.baseline = ready.baseline
    run.take_list(ready.document, files.read_bytes(run.root, run.tasks_path, tasks.SIZE_LIMIT))


def _announce(run: Run, goal: Goal) -> None:
    run.say(f"unconfined: the agent can reach all that you can; {_budget(run)}")
    run.say(f"agent: {agent_turn.version(run)}")
    if goal.KIND == prompt_goal.KIND and not tree_state.of(run.root):
        run.say("no git and more than 50,000 files: progress is not judged")
    chosen = run.settings
    reviews = goal.KIND == task_goal.KIND and not chosen.skip_review
    if reviews and chosen.review_cap == 1 and chosen.at_cap == "approve":
        run.say("--review-cap 1: no review can reject")
    if run.document:
        skip = chosen.skip_review
        mode = review.mode_of(run.document, skip)
        story = review.pick(run.document, mode, skip)
        run.say(f"first: {mode} {story['id']}" if story else "first: is all of it complete?")


def _end_now(run: Run) -> None:
    """The second Ctrl-C: no grace for anyone."""
    descendants.sweep(run.mark)
    marker_file.remove(run)


def _guarded(run: Run, goal: Goal) -> Stop:
    run.journal.write("run", id=run.run_id, goal=goal.KIND, head=run.start_head)
    try:
        stop = loop.run_to_end(run, goal)
    except Exception as error:
        run.journal.write("end", code=ERROR, status="error", why=str(error))
        raise
    finally:
        marker_file.remove(run)
    run.journal.write("end", code=stop.code, status=stop.status, why=stop.why)
    return stop


def _goal(options: RunOptions) -> Goal:
    wants_prompt = options.prompt is not None or options.prompt_file is not None
    return prompt_goal if wants_prompt else task_goal


def _begin(
    options: RunOptions,
    chosen: Settings,
    screen: Screen,
    run_id: str,
    interrupts: Interrupts,
    goal: Goal,
) -> Run:
    root = options.project_dir
    folder = state_folder.make(state_folder.of_project(root, os.environ))
    dot_folder.ensure(root)
    run = Run(
        root=root,
        ralph_dir=options.ralph_dir,
        run_id=run_id,
        settings=chosen,
        options=options,
        journal=Journal(folder, run_id, root, screen.event),
        ledger=Ledger(folder),
        state=folder,
        say=screen.say,
        detail=screen.detail,
        stop_asked=interrupts.asked,
        frozen=FrozenFiles(root, options.ralph_dir),
        start_head=git.head(root),
        hidden_before=git.hidden(root),
    )
    _take_settings(run, chosen, goal)
    return run


def _take_settings(run: Run, chosen: Settings, goal: Goal) -> None:
    run.settings = chosen
    run.max_iterations = chosen.maximum_iterations or goal.DEFAULT_ITERATIONS
    run.breaker = Breaker(goal.DEFAULT_BREAKER if chosen.breaker is None else chosen.breaker)


def _settle_the_past(run: Run) -> None:
    """Passes and approvals that this ledger knows nothing of."""
    if run.settings.skip_review:
        return
    skipped = [
        story["id"]
        for story in run.document["userStories"]
        if story["passes"] and story["reviewStatus"] != review.APPROVED
    ]
    if skipped:
        run.rewrite(approvals.sent_back(run.document, skipped), f"review skipped: {skipped}")
    unseen = approvals.unseen(run.document, run.behind())
    question = f"{', '.join(unseen)}: approved, but not seen here. Trust them?"
    if unseen and (run.options.trust_approved or ask.yes(question)):
        _trust(run, unseen)
    elif unseen:
        run.rewrite(approvals.sent_back(run.document, unseen), f"never seen approved: {unseen}")
    least = run.settings.review_cap
    stories = run.document["userStories"]
    run.caps = {story["id"]: max(least, story["reviewCount"] + 1) for story in stories}


def _trust(run: Run, names: list[str]) -> None:
    for name in names:
        story = run.story(name)
        assert story is not None
        entry = approvals.entry_for(story, run.branch)
        run.ledger.append(approvals.TRUSTED, **entry, reviewed=run.start_head, run=run.run_id)


def _budget(run: Run) -> str:
    if not run.document:
        return f"at most {run.max_iterations} iterations"
    return budget.sentence(budget.of(run.document, run.max_iterations))
