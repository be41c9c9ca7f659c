"""The start of a run: a new one, or the last one taken up where it was left."""

from __future__ import annotations

import os
import time
import uuid
from pathlib import Path

from . import (
    agent_turn,
    blockers,
    checkpoint,
    config,
    costs,
    descendants,
    git,
    git_exclude,
    interrupts,
    lock,
    loop,
    marker_file,
    memory,
    notify,
    old_runs,
    past_run,
    person_edits,
    preflight,
    prompt_goal,
    recover,
    report_files,
    roles,
    run_confinement,
    run_record,
    settings,
    signals,
    standing,
    state_folder,
    task_goal,
    the_past,
)
from .announce import announce
from .core import dot_folder, files, paths, requests, review, tasks
from .core.counted import counted
from .core.own_command import RALPH
from .failure import Failure
from .frozen_files import FrozenFiles
from .goal import Goal, take_settings
from .journal import Journal
from .ledger import Ledger
from .past_run import PastRun
from .run_options import RunOptions
from .run_state import Run
from .screen import Screen
from .settings import Entries
from .stops import COMPLETE, ERROR, INTERRUPTED, Stop


def run(options: RunOptions, flags: Entries, resuming: bool) -> int:
    memory.give_back()
    interrupts.install()
    screen = Screen(options.json, options.verbose)
    try:
        with lock.held(state_folder.lock_path(options.project_dir, os.environ)) as name_owner:
            stop = _Start(options, flags, screen, name_owner).to_the_end(resuming)
    finally:
        interrupts.finish()
        screen.close()
    screen.last(stop.sentence, stop.hint)
    return stop.code


class _Start:
    def __init__(
        self, options: RunOptions, flags: Entries, screen: Screen, name_owner: lock.NameOwner
    ) -> None:
        self._options, self._flags, self._screen = options, flags, screen
        self._name_owner = name_owner
        root = options.project_dir
        self._state = state_folder.make(state_folder.of_project(root, os.environ))

    def to_the_end(self, resuming: bool) -> Stop:
        if self._options.dry_run:
            return self._dry_run()
        requests.forget_old(str(self._state))
        past = past_run.read(self._state)
        if resuming:
            return self._take_up(past_run.refuse_finished(past), resuming)
        if past and past.killed and past_run.has_goal(past, self._options):
            self._screen.say(f"run {past.run_id} was cut off: it goes on here")
            return self._take_up(past, resuming)
        if past:
            self._close(past)
        else:
            recover.end_newest_orphans(self._state)
        self._forget_told()
        return self._begin()

    def _forget_told(self) -> None:
        """Said to another run, which ended before it could hear it."""
        for name, text in requests.told(str(self._state)).items():
            self._screen.say(f"not passed on, it was said to an earlier run: {text[:200]}")
            requests.drop(str(self._state), name)

    def _dry_run(self) -> Stop:
        goal = _goal(self._options)
        run = self._new_run(goal, _new_id())
        take_settings(run, settings.read(run.root, os.environ, self._flags), goal)
        run_confinement.choose(run)
        self._take_ready(run, goal)
        self._announce(run, goal)
        return Stop(COMPLETE, f"dry run: {agent_turn.command_line(run, _first_mode(run))}")

    def _begin(self) -> Stop:
        chosen = settings.read(self._options.project_dir, os.environ, self._flags)
        signals.refuse_old(self._options.project_dir, self._options.ralph_dir)
        goal = _goal(self._options)
        run = self._new_run(goal, _new_id())
        take_settings(run, chosen, goal)
        run_confinement.choose(run)
        self._take_ready(run, goal)
        self._announce(run, goal)
        interrupts.leave_if_asked()
        if run.document:
            preflight.go_to_branch(run.root, run.branch)
            the_past.settle(run)
        old_runs.forget(run.root, run.state)
        about = {"id": run.run_id, "goal": goal.KIND, "head": run.start_head}
        run.journal.write("run", **about, **standing.of(run), **run_record.beginning(run))
        return self._go(run, goal)

    def _take_up(self, past: PastRun, resuming: bool) -> Stop:
        self._options = past_run.options_of(past, self._options)
        self._flags = past_run.flags_of(past, self._flags)
        goal = _goal(self._options)
        run = self._new_run(goal, past.run_id)
        if past.killed:
            run_confinement.undo_git_of_killed(run)
        recover.take_up(run, goal, past)
        take_settings(run, settings.read(run.root, os.environ, self._flags), goal)
        run_confinement.choose(run)
        preflight.again(run.settings, run.options, run.document, run.confinement, run.flags)
        if resuming:
            signals.answered(run)
            if not past.killed:
                _refuse_spent(run)
        self._announce(run, goal)
        interrupts.leave_if_asked()
        if run.document:
            the_past.settle(run)
        about = {"id": run.run_id, "goal": goal.KIND, "number": run.iteration}
        run.journal.write("resumed", **about, **standing.of(run), **run_record.beginning(run))
        return self._go(run, goal)

    def _close(self, past: PastRun) -> None:
        """A new run begins: what the last one left open is judged, and that one ends there."""
        if not (past.killed or past.unjudged):
            return
        options, self._options = self._options, past_run.options_of(past, self._options)
        goal = _goal(self._options)
        run = self._new_run(goal, past.run_id)
        if past.killed:
            run_confinement.undo_git_of_killed(run)
        recover.take_up(run, goal, past)
        why = "cut off; judged by the start of another run"
        run.journal.write("end", code=INTERRUPTED, status="interrupted", why=why)
        checkpoint.stand(run, person_edits.uncommitted(run))
        report_files.keep(run)
        self._options = options

    def _go(self, run: Run, goal: Goal) -> Stop:
        git_exclude.ensure(run.root, run.ralph_dir)
        run.blockers = blockers.known(run)
        interrupts.begin(run.mark, lambda: _leave(run))
        descendants.adopt_orphans()
        if run.to_finish is None:
            checkpoint.save(run)
        run_confinement.begin(run)
        try:
            return _guarded(run, goal)
        finally:
            run_confinement.end(run)

    def _new_run(self, goal: Goal, run_id: str) -> Run:
        options, screen, root = self._options, self._screen, self._options.project_dir
        self._name_owner(run_id)
        dot_folder.ensure(root)
        ledger = Ledger(self._state)
        run = Run(
            root=root,
            ralph_dir=options.ralph_dir,
            run_id=run_id,
            settings=settings.settled(settings.merged([], {})),
            options=options,
            journal=Journal(self._state, run_id, root, screen.event),
            ledger=ledger,
            state=self._state,
            say=screen.say,
            detail=screen.detail,
            stop_asked=self._stop_asked,
            show_as=screen.show_as,
            frozen=FrozenFiles(root, options.ralph_dir),
            start_head=git.head(root),
            hidden_before=git.hidden(root),
            goal_kind=goal.KIND,
            flags=self._flags,
        )
        if not options.dry_run:
            _say_torn(run, self._state)
            _tidy(run)
        return run

    def _stop_asked(self) -> bool:
        # Asked several times a second, wherever the loop waits for something.
        self._screen.pulse()
        return interrupts.asked() or requests.stands(str(self._state), requests.CANCEL)

    def _take_ready(self, run: Run, goal: Goal) -> None:
        if goal.KIND != task_goal.KIND:
            known = (run.settings, run.options, run.confinement, run.flags)
            run.baseline = preflight.prompt(*known).baseline
            return
        ready = preflight.task_list(run.settings, run.options, run.confinement)
        run.baseline = ready.baseline
        run.take_list(ready.document, files.read_bytes(run.root, run.tasks_path, tasks.SIZE_LIMIT))

    def _announce(self, run: Run, goal: Goal) -> None:
        announce(run, goal)
        for line in config.lines(settings.collect(run.root, os.environ, self._flags)):
            run.detail(line)


def _new_id() -> str:
    """By name as by time: the milliseconds stand before what tells two machines apart."""
    now = time.time()
    stamp = time.strftime("%Y%m%d-%H%M%S-", time.gmtime(now))
    return f"{stamp}{int(now % 1 * 1000):03x}{uuid.uuid4().hex[:3]}"


def _first_mode(run: Run) -> str:
    return review.mode_of(run.document, run.settings.skip_review) if run.document else ""


def _goal(options: RunOptions) -> Goal:
    wants_prompt = options.prompt is not None or options.prompt_file is not None
    return prompt_goal if wants_prompt else task_goal


def _say_torn(run: Run, state: Path) -> None:
    aside = run.ledger.mend()
    if aside:
        run.say(f"the ledger's last line was cut off; what there is of it is in {state / aside}")
    if run.journal.torn:
        run.say(f"the last line of the journal of run {run.run_id} was cut off and is lost")


def _tidy(run: Run) -> None:
    """Under our lock: what stands there was left by a runner that was killed."""
    marker_file.remove(run)
    for name in (paths.MARKER, run.tasks_path, *paths.frozen_files(run.ralph_dir)):
        files.forget_unfinished(run.root, name)
    files.forget_unfinished(str(run.state), checkpoint.NAME)


def _refuse_spent(run: Run) -> None:
    """A run that would stop again at once says what it needs."""
    if run.iteration >= run.max_iterations:
        raise Failure(
            f"{counted(run.iteration, 'iteration')} used up", f"{RALPH} resume with a higher -n"
        )
    stop = loop.limit_reached(run) or run.breaker.tripped()
    if stop:
        raise Failure(stop.why, stop.hint)


def _leave(run: Run) -> None:
    """The third Ctrl-C: no grace for anyone, not even our own git."""
    run_confinement.abandon(run)
    descendants.leave_nothing(run.mark)
    marker_file.remove(run)


def _guarded(run: Run, goal: Goal) -> Stop:
    try:
        stop = loop.run_to_end(run, goal)
    except Exception as error:
        hint = getattr(error, "hint", "")
        run.journal.write("end", code=ERROR, status="error", why=str(error), hint=hint)
        checkpoint.stand(run, person_edits.uncommitted(run))
        report_files.keep(run)
        notify.of_end(run, Stop(ERROR, str(error)))
        raise
    finally:
        marker_file.remove(run)
    checkpoint.stand(run, person_edits.uncommitted(run))
    known = {"code": stop.code, "status": stop.status, "why": stop.why, "hint": stop.hint}
    run.journal.write("end", **known, **standing.of(run))
    if report_files.keep(run):
        run.say(f"report: {report_files.names(run.run_id).html}")
    if roles.cost_is_told(run.settings):
        silent = roles.silent_about_cost(run.settings, run.fallback_until > 0)
        run.say(costs.sentence(run.cost, run.cost_estimated, silent))
    notify.of_end(run, stop)
    return stop
