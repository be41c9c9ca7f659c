"""The gate on the runner's side: after every agent process, by the runner's own copies.

It is right with every hook removed. What an iteration may not do is undone, saved for
people, and told to the next one.
"""

from __future__ import annotations

from . import approvals, git, outcome, red_first, tamper_radar
from .core import files, paths, review, tasks, transitions
from .core.marker import Marker
from .core.review import Violation
from .core.shape import name_shown
from .core.tasks import Document
from .core.undo import undone
from .run_state import Run


def judge(run: Run, marker: Marker, head: str, finished: bool) -> outcome.Outcome:
    """`head` is the commit before the iteration; `finished`: the agent ended by itself, content."""
    run.put_back_frozen()
    _keep_history(run, head)
    before = run.document
    data = _bytes(run)
    current, found = _parsed(run, data, marker)
    if current is not None:
        found += _runner_only(run, marker, current, head)
    if _is_idle(run, current, found, finished):
        found = []
    _tell(run, found)
    after = undone(before, current, found, marker)
    if current is None or after != current:
        _take_back(run, after, found)
    else:
        run.take_list(current, data)
    return outcome.of(before, after, marker.get("story", ""))


def _bytes(run: Run) -> bytes:
    try:
        return files.read_bytes(run.root, run.tasks_path, tasks.SIZE_LIMIT)
    except files.FileFault:
        return b""


def _parsed(run: Run, data: bytes, marker: Marker) -> tuple[Document | None, list[Violation]]:
    document, faults = tasks.parse(data, run.tasks_path)
    if document is None:
        words = "; ".join(f"{fault.place} {fault.problem}" for fault in faults[:3])
        return None, [Violation("unusable", "", f"{run.tasks_path} was unusable: {words}.")]
    found = review.invariants(document, marker) + transitions.violations(document, marker)
    if document["branchName"] != run.branch:
        # The ledger speaks for a branch: under another name no approval would stand.
        found.append(Violation("branch-name", "", "branchName may not change during a run."))
    return document, _distinct(found)


def _distinct(found: list[Violation]) -> list[Violation]:
    return list(dict.fromkeys(found))


def _runner_only(run: Run, marker: Marker, current: Document, head: str) -> list[Violation]:
    """What a hook cannot judge: the commits of a review, the tree behind a submission."""
    reached = outcome.of(run.document, current, marker.get("story", ""))
    if marker["iterationMode"] == review.REVIEW and reached.verdict:
        [story] = [s for s in current["userStories"] if s["id"] == marker["story"]]
        return _stray_commits(run, marker, head) + tamper_radar.unexplained(run, story, head)
    name = reached.submitted or (reached.passed if marker.get("skipReview") else "")
    return _unasked(run, marker, current, name) + _uncommitted(run, name) if name else []


def _unasked(run: Run, marker: Marker, current: Document, name: str) -> list[Violation]:
    [story] = [s for s in current["userStories"] if s["id"] == name]
    if red_first.may_be_handed_in(run, marker["story"], story):
        return []
    picked, part = name_shown(marker["story"]), "a part of it that keeps a check that failed"
    text = f"This run is red first: only {picked} or {part} could be handed in"
    return [Violation("not-picked", name, f"{text}, not {name_shown(name)}.")]


def _stray_commits(run: Run, marker: Marker, head: str) -> list[Violation]:
    allowed = paths.reviewer_files(run.ralph_dir)
    touched = git.changed_between(run.root, head, git.head(run.root))
    strays = ["what git cannot tell"] if touched is None else touched
    strays = [path for path in strays if not _in(path, allowed)]
    if not strays:
        return []
    text = f"The verdict does not count: this review also committed {', '.join(strays[:5])}."
    return [Violation("review-touched-code", marker["story"], text)]


def _uncommitted(run: Run, name: str) -> list[Violation]:
    left = [p for p in run.uncommitted() if not p.startswith(f"{run.ralph_dir}/")]
    if not left:
        return []
    text = f"The submission does not count: not committed are {', '.join(left[:5])}."
    return [Violation("submitted-uncommitted", name, text)]


def _is_idle(run: Run, current: Document | None, found: list[Violation], finished: bool) -> bool:
    """An unchanged list is no violation when the agent was stopped, or asked to wait."""
    waits = paths.signals(run.ralph_dir, paths.WAITS)
    asked = any(files.kind(run.root, path) != "absent" for path in waits)
    only = {violation.rule for violation in found} <= {"no-verdict"}
    return only and current == run.document and (not finished or asked)


def _keep_history(run: Run, head: str) -> None:
    """A commit that was there before the iteration stays reachable, by a ref of ours."""
    now = git.head(run.root)
    if not head or now == head or git.is_ancestor(run.root, head, now):
        return
    run.lost += 1
    git.pin(run.root, f"{run.run_id}/lost-{run.lost}", head)
    text = f"History was rewritten: {head[:12]} is kept as refs/ralph/{run.run_id}/lost-{run.lost}."
    _tell(run, [Violation("history-rewritten", "", text)])
    run.history_changed = True


def send_back_unreachable(run: Run) -> None:
    """Approvals whose reviewed commit is gone from the branch are reviewed again."""
    gone = approvals.unseen(run.document, run.behind())
    if gone:
        run.rewrite(approvals.sent_back(run.document, gone), f"review again: {', '.join(gone)}")


def _tell(run: Run, found: list[Violation]) -> None:
    for violation in found:
        if violation.rule in transitions.NOT_UNDONE:
            run.notice(violation.rule, violation.story, violation.message)
        else:
            run.violation(violation.rule, violation.story, violation.message)


def _take_back(run: Run, after: Document, found: list[Violation]) -> None:
    saved = run.keep_agents_version(run.tasks_path)
    run.say(f"the agent's version is in {saved} (was this you? edit the list while no loop runs)")
    rules = ", ".join(sorted({violation.rule for violation in found}))
    run.rewrite(after, f"undo: {rules}")


def _in(path: str, allowed: list[str]) -> bool:
    *single, folder = allowed
    return path in single or path.startswith(folder + "/")
