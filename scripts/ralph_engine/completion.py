"""Is the whole task list done? Judged by the ledger, the tree and the runner's own checks."""

from __future__ import annotations

from . import approvals, repair, signals
from .checks import Result, distinct, failure_text
from .core.counted import counted
from .run_state import Run
from .stops import COMPLETE, Stop


def judge(run: Run) -> Stop | None:
    """Complete, or None after the story that must be worked on again was reopened."""
    run.detail("all stories pass: is the whole complete?")
    behind = run.behind()
    if not run.settings.skip_review:
        unseen = approvals.unseen(run.document, behind)
        if unseen:
            run.rewrite(approvals.sent_back(run.document, unseen), f"review again: {unseen}")
            return None
    left = _uncommitted(run)
    if left:
        text = "These paths are not committed: " + ", ".join(left[:20])
        _reopen(run, approvals.last_approved(run.ledger.entries, run.document), text)
        return None
    red = _failing(run)
    if run.stop_asked():
        return signals.asked_to_stop(run)
    if red:
        reopen(run, approvals.last_approved(run.ledger.entries, run.document), red[0])
        return None
    return Stop(COMPLETE, _words(run, behind))


def reopen(run: Run, name: str, red: Result) -> None:
    _reopen(run, name, failure_text(red, run.settings.output_truncate_chars))


def _reopen(run: Run, name: str, feedback: str) -> None:
    story = run.story(name)
    assert story is not None
    document = approvals.reopened(run.document, name, feedback, run.settings.skip_review)
    entry = approvals.entry_for(story, run.branch)
    where = (name, run.run_id, run.iteration)
    if not approvals.is_recorded(run.ledger.entries, approvals.REOPENED, *where):
        run.ledger.append(approvals.REOPENED, **entry, run=run.run_id, iteration=run.iteration)
    run.rewrite(document, f"reopen {name}: a check failed after its approval")
    run.caps[name] = max(run.cap(name), story["reviewCount"] + 2)
    run.breaker.count_reopened(name)
    run.remarks.append(f"The runner reopened {name}:\n{feedback}")


def _uncommitted(run: Run) -> list[str]:
    own = [run.tasks_path, f"{run.ralph_dir}/progress.txt"]
    left = run.uncommitted()
    if left and set(left) <= set(own):
        problem = repair.commit(run.root, left, "ralph: commit the list and its log")
        run.say(problem or f"committed {', '.join(left)}")
        left = run.uncommitted()
    return left


def _failing(run: Run) -> list[Result]:
    """The checks that fail twice; one that passes the second time is flaky."""
    wanted = [*run.guardrails(), *run.verify_commands(), *run.story_checks()]
    red = [result for result in map(run.check, distinct(wanted)) if not result.passed]
    still = []
    for first in red:
        if run.check(first.check).passed:
            run.journal.write("flaky", command=first.check.command)
        else:
            still.append(first)
    return still


def _words(run: Run, behind: dict[str, approvals.Entry]) -> str:
    stories = run.document["userStories"]
    if run.settings.skip_review:
        passing = counted(len(stories), "story passes", "stories pass")
        return f"complete: {passing} the checks, unreviewed (--skip-review)"
    at_cap = approvals.accepted_at_cap(run.document)
    trusted = [n for n, entry in behind.items() if entry["event"] == approvals.TRUSTED]
    verified = [s["id"] for s in stories if s["id"] not in {*at_cap, *trusted}]
    parts = [f"complete: {len(verified)} of {len(stories)} stories verified"]
    if at_cap:
        parts.append(f"{len(at_cap)} accepted at cap ({', '.join(at_cap)})")
    if trusted:
        parts.append(f"{len(trusted)} not seen by the runner ({', '.join(trusted)})")
    if not run.has_checks():
        parts.append("no checks configured")
    return ", ".join(parts)
