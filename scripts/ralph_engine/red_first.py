"""Red first: a story's own checks, run before its work and kept beside their run after it."""

from __future__ import annotations

from . import approvals, checkpoint, evidence, git, signals
from .checks import Check, Result, distinct
from .core import review, shape
from .core.own_command import RALPH
from .core.tasks import Story
from .goal import Plan
from .outcome import Outcome
from .run_state import Run
from .stops import ERROR, Stop


def before_work(run: Run, plan: Plan) -> Stop | None:
    """Before the first implement iteration of a story; a run that was killed here does it again."""
    story = run.story(plan.story)
    if plan.mode != review.IMPLEMENT or story is None or not story.get("verify"):
        return None
    if not _is_known(run, story):
        results = run.tidily(lambda: _tried(run, story))
        if run.stop_asked():
            # A check that was cut short proves nothing, neither way.
            return signals.asked_to_stop(run)
        checkpoint.save(run)
        _record(run, approvals.BEFORE, story, results, plan.head, run.iteration + 1)
    return _refused(run, story) if run.settings.red_first else None


def after_work(run: Run, results: list[Result], reached: Outcome) -> None:
    """Of a story that now passes; its checks are among those of the iteration."""
    story = run.story(reached.passed)
    where = (approvals.AFTER, reached.passed, run.run_id, run.iteration)
    if story is None or approvals.is_recorded(run.ledger.entries, *where):
        return
    own = [result for result in results if result.check.command in story.get("verify", [])]
    if own:
        _tell_of_earlier_run(run, story)
        _record(run, approvals.AFTER, story, own, git.head(run.root), run.iteration)


def remarks(run: Run, plan: Plan) -> list[str]:
    story = run.story(plan.story)
    if story is None:
        return []
    binds = run.settings.red_first and plan.mode == review.IMPLEMENT
    found = [evidence.BINDS.format(story=shape.name_shown(plan.story))] if binds else []
    return found + evidence.remark(story, _known(run, story), plan.mode)


def may_be_handed_in(run: Run, picked: str, story: Story) -> bool:
    """Only of the picked story is it known that its checks fail without the work."""
    if not run.settings.red_first or story["id"] == picked:
        return True
    whole = run.story(picked)
    known = _known(run, whole) if whole else None
    is_part = story.get("splitFrom") == picked
    return is_part and (known is None or evidence.failed_before(known, story))


def _is_known(run: Run, story: Story) -> bool:
    """Once red is enough; what passed is asked again by each run, and after a person's repair."""
    known = _known(run, story)
    if known is None or not known["passed"]:
        return known is not None
    return known["run"] == run.run_id and not run.settings.red_first


def _known(run: Run, story: Story) -> evidence.Entry | None:
    return evidence.before_work(run.ledger.entries, story, run.branch)


def _tried(run: Run, story: Story) -> list[Result]:
    """One red check is enough, but for parts of the story, which need one each."""
    results: list[Result] = []
    for check in distinct(map(Check, story["verify"])):
        results.append(run.try_out(check))
        enough = not results[-1].passed and not run.settings.red_first
        if enough or run.stop_asked():
            break
    return results


def _record(
    run: Run, event: str, story: Story, results: list[Result], head: str, iteration: int
) -> None:
    known = evidence.entry_for(story, run.branch, results)
    where = {"run": run.run_id, "iteration": iteration, "head": head}
    # Told first: what the ledger has of this run is not done again, so nobody would tell it later.
    run.journal.write(event, **evidence.told({**known, **where}))
    run.ledger.append(event, **known, **where)


def _tell_of_earlier_run(run: Run, story: Story) -> None:
    """With the first run of its checks after the work: a report reads one journal."""
    known = _known(run, story)
    if known is None or known["run"] == run.run_id:
        return
    ours = (approvals.AFTER, story["id"], run.run_id)
    entries = run.ledger.entries
    if ours not in [(e["event"], e.get("story"), e.get("run")) for e in entries]:
        run.journal.write(approvals.BEFORE, **evidence.told(known), run=known["run"])


def _refused(run: Run, story: Story) -> Stop | None:
    if not evidence.proves_nothing(_known(run, story)):
        return None
    name = shape.name_shown(story["id"])
    why = f"the verify of {name} passes before any work on it, so it proves nothing"
    hint = f"give it a verify command that fails until the work is done, then {RALPH} resume"
    return Stop(ERROR, why, hint)
