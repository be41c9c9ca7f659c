"""Check 2.5: did this iteration make only the changes its mode allows?

Judged against the snapshot taken before the iteration. What a marker or snapshot
does not carry is not checked.
"""

from __future__ import annotations

from . import snapshot, split
from .review import (
    APPROVED,
    CAP_MARK,
    IMPLEMENT,
    MODES,
    REJECTED,
    REVIEW,
    REVIEW_STATES,
    TO_DO,
    WAITING,
    Violation,
)
from .shape import name_shown, names_shown, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .tasks import Document, Story

    Marker = dict[str, Any]
    Before = dict[str, Any]

# A person's or reviewer's decision that stands although it is reported.
NOT_UNDONE = ("no-verdict", "rejected-at-cap")


def judgeable(marker: Marker) -> bool:
    return marker.get("preIterationSnapshot") is not None and marker.get("iterationMode") in MODES


def violations(document: Document, marker: Marker) -> list[Violation]:
    """Every illegal change, each named with its story."""
    change = _Change(document, marker)
    found = split.vanished(change.stories, change.before)
    gone = {violation.story for violation in found}
    found += _by_mode(change)
    found += _new_stories(change, gone)
    found += _too_many(change)
    return found + _frozen(change) + _verify_commands(document, marker)


class _Change:
    """One iteration's before and after, and the submissions found so far."""

    def __init__(self, document: Document, marker: Marker) -> None:
        self.stories = {story["id"]: story for story in document["userStories"]}
        self.before: dict[str, Before] = marker["preIterationSnapshot"]
        self.mode, self.picked = marker["iterationMode"], marker.get("story")
        self.cap, self.holds = marker.get("reviewCap"), marker.get("atCap") == "hold"
        self.skip_review = bool(marker.get("skipReview"))
        self.submitted: list[str] = []
        self.changed = [
            name
            for name, old in self.before.items()
            if name in self.stories and not snapshot.same_review(self.stories[name], old)
        ]

    def waits_for(self, story: Story) -> list[str]:
        """Dependencies that did not pass before the iteration."""
        wanted = story.get("dependsOn", ())
        return [other for other in wanted if not self.before.get(other, {}).get("passes")]


def _by_mode(change: _Change) -> list[Violation]:
    if change.skip_review:
        return [v for name in change.changed for v in _direct_pass(change, name)]
    if change.mode == IMPLEMENT:
        return [v for name in change.changed for v in _submission(change, name)]
    return _judged_story(change)


def _submission(change: _Change, name: str) -> list[Violation]:
    old, story = change.before[name], change.stories[name]
    expected = {**old, "reviewStatus": WAITING}
    if old["reviewStatus"] is not TO_DO or not snapshot.same_review(story, expected):
        reason = (
            "Implement iterations may only submit a to-do story (reviewStatus needs_review); "
            "only review iterations approve"
        )
        return [_illegal("illegal-in-implement", name, reason, old, story)]
    return _count_submission(change, story)


def _direct_pass(change: _Change, name: str) -> list[Violation]:
    old, story = change.before[name], change.stories[name]
    if old["passes"] or not snapshot.same_review(story, {**old, "passes": True}):
        reason = "Without reviews an iteration may only set passes to true"
        return [_illegal("illegal-without-review", name, reason, old, story)]
    return _count_submission(change, story)


def _count_submission(change: _Change, story: Story) -> list[Violation]:
    change.submitted.append(story["id"])
    waiting = change.waits_for(story)
    if not waiting:
        return []
    text = f"cannot be submitted: it depends on {names_shown(waiting)}, not passing yet"
    return [_violation("dependency-open", story["id"], f"{text}. Take an eligible story.")]


def _judged_story(change: _Change) -> list[Violation]:
    """Review and review-fix: one story, the picked one where the marker names it."""
    mine = [name for name in change.changed if change.picked in (None, name)]
    others = [name for name in change.changed if name not in mine]
    if len(mine) > 1:
        others, mine = mine, []
    found = [_other_story(change, name) for name in others]
    if mine:
        judge = _verdict if change.mode == REVIEW else _resubmission
        return found + judge(change, mine[0])
    return found + ([] if others or change.mode != REVIEW else [_no_verdict(change)])


def _verdict(change: _Change, name: str) -> list[Violation]:
    old, story = change.before[name], change.stories[name]
    approved = story["reviewStatus"] == APPROVED and story["passes"]
    rejected = story["reviewStatus"] == REJECTED and not story["passes"]
    counted = story["reviewCount"] == old["reviewCount"] + 1
    if old["reviewStatus"] != REVIEW_STATES[REVIEW] or not counted or not (approved or rejected):
        reason = (
            "A review raises reviewCount by exactly 1 and sets either approved with passes true, "
            "or changes_requested with passes false and feedback"
        )
        return [_illegal("illegal-verdict", name, reason, old, story)]
    if rejected and not story["reviewFeedback"].strip():
        text = "was sent back without a word: say in reviewFeedback what must be fixed, and where."
        return [_violation("no-feedback", name, text)]
    return _at_cap(change, story) if rejected else []


def _at_cap(change: _Change, story: Story) -> list[Violation]:
    if change.cap is None or change.holds or story["reviewCount"] < change.cap:
        return []
    from .counted import counted

    times = counted(story["reviewCount"], "time")
    text = (
        f"has been reviewed {times}, the cap is {change.cap}: approve it "
        f'(reviewStatus "approved", passes true) and write what remains to reviewFeedback '
        f"behind {CAP_MARK}."
    )
    return [_violation("rejected-at-cap", story["id"], text)]


def _resubmission(change: _Change, name: str) -> list[Violation]:
    old, story = change.before[name], change.stories[name]
    expected = {**old, "reviewStatus": WAITING, "reviewFeedback": story["reviewFeedback"]}
    cleared = not story["reviewFeedback"].strip()
    if old["reviewStatus"] == REJECTED and snapshot.same_review(story, expected) and cleared:
        return []
    reason = (
        "A review-fix iteration may only send its story back: reviewStatus needs_review, "
        "reviewFeedback empty, the rest as it was; it cannot approve"
    )
    return [_illegal("illegal-in-review-fix", name, reason, old, story)]


def _other_story(change: _Change, name: str) -> Violation:
    picked = name_shown(change.picked) if change.picked else "a single story"
    reason = f"This {change.mode} iteration is about {picked}; no other story may change"
    return _illegal("another-story", name, reason, change.before[name], change.stories[name])


def _no_verdict(change: _Change) -> Violation:
    name = change.picked or ""
    text = (
        'has no verdict yet. Raise its reviewCount by 1 and set "approved" with passes true, '
        'or "changes_requested" with feedback.'
    )
    return _violation("no-verdict", name, text)


def _new_stories(change: _Change, gone: set[str]) -> list[Violation]:
    found: list[Violation] = []
    for name, story in change.stories.items():
        if name not in change.before and not _is_to_do(story):
            found += _submitted_part(change, story, gone)
    return found


def _submitted_part(change: _Change, story: Story, gone: set[str]) -> list[Violation]:
    """A new story that is more than to do: legal only as the submitted part of a split."""
    origin = story.get("splitFrom")
    is_split = origin in change.before and origin not in change.stories and origin not in gone
    if change.mode == IMPLEMENT and is_split and _is_submission(story, change.skip_review):
        return _count_submission(change, story)
    text = (
        "is new and must start to do: passes false, reviewStatus null, reviewCount 0 "
        "(only one part of a legal split may be submitted at once, in implement mode)."
    )
    return [_violation("new-not-to-do", story["id"], text)]


def _too_many(change: _Change) -> list[Violation]:
    if len(change.submitted) < 2:
        return []
    text = f"One story an iteration: {names_shown(change.submitted)} were submitted. Keep one."
    return [Violation("two-submissions", name, text) for name in change.submitted]


def _frozen(change: _Change) -> list[Violation]:
    found = []
    for name, old in change.before.items():
        story = change.stories.get(name)
        frozen = old.get("frozen")
        if story is None or frozen is None:
            continue
        if frozen.get("whole") == snapshot.whole_digest(story):
            continue
        for field, key in (("acceptanceCriteria", "criteria"), ("verify", "verify")):
            lost = _lost(frozen.get(key), story.get(field, ()))
            if lost:
                text = f"lost or changed {lost} of its {field}: put them back; you may only add."
                found.append(_violation("frozen", name, text))
    return found


def _verify_commands(document: Document, marker: Marker) -> list[Violation]:
    lost = _lost(marker.get("verifyCommands"), document.get("verifyCommands", ()))
    if not lost:
        return []
    text = f"{lost} of the verifyCommands are gone or changed: put them back; you may only add."
    return [Violation("verify-commands", "", text)]


def _lost(before: list[str] | None, now: Any) -> int:
    return len(set(before).difference(snapshot.digests(now))) if before else 0


def _is_to_do(story: Story) -> bool:
    return story["reviewStatus"] is TO_DO and not story["passes"] and story["reviewCount"] == 0


def _is_submission(story: Story, skip_review: bool) -> bool:
    wanted = (True, TO_DO) if skip_review else (False, WAITING)
    return (story["passes"], story["reviewStatus"]) == wanted and story["reviewCount"] == 0


def _illegal(rule: str, name: str, reason: str, old: Before, story: Story) -> Violation:
    steps = ", ".join(
        f"{field} {shown(old[field])} -> {shown(story[field])}"
        for field in snapshot.REVIEW_FIELDS
        if field in old and old[field] != story[field]
    )
    return Violation(
        rule, name, f"{reason}. Story {name_shown(name)} had an illegal transition: {steps}."
    )


def _violation(rule: str, name: str, text: str) -> Violation:
    owner = f"Story {name_shown(name)}" if name else "The waiting story"
    return Violation(rule, name, f"{owner} {text}")
