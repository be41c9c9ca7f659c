"""The rules of the review cycle, written a second time and as plainly as possible.

Nothing here knows snapshots, digests or violations: documents and a verdict.
All documents must have passed check 1.
"""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]


def legal(
    before: Json,
    after: Json,
    mode: str,
    picked: str | None,
    cap: int | None,
    at_cap: str,
    skip_review: bool,
    plan_edits: bool = False,
) -> bool:
    """May an iteration of this mode, on the picked story, turn `before` into `after`?

    A picked story of None leaves open which single story is judged; a cap of None is none.
    """
    old, new = _by_id(before), _by_id(after)
    if not plan_edits and not _frozen_is_kept(before, after):
        return False
    gone = [name for name in old if name not in new]
    if not all(_is_split(name, old, new, plan_edits) for name in gone):
        return False
    if skip_review:
        return _legal_without_reviews(old, new)
    if not _new_stories_are_legal(old, new, mode):
        return False
    if mode == "implement":
        return _legal_implement(old, new)
    if mode == "review":
        return _legal_review(old, new, picked, cap, at_cap)
    return _legal_review_fix(old, new, picked)


def consistent(document: Json, before: Json, cap: int | None) -> bool:
    """Check 2, but for skip-review, which switches it off."""
    old = _by_id(before)
    for story in document["userStories"]:
        count = old[story["id"]]["reviewCount"] if story["id"] in old else 0
        if story["passes"] != (story["reviewStatus"] == "approved"):
            return False
        if story["reviewStatus"] == "changes_requested" and not story["reviewFeedback"].strip():
            return False
        if cap is not None and story["reviewCount"] > max(cap, count) + 1:
            return False
    return True


def next_mode(document: Json, skip_review: bool) -> str:
    statuses = [story["reviewStatus"] for story in document["userStories"]]
    if skip_review:
        return "implement"
    if "changes_requested" in statuses:
        return "review-fix"
    return "review" if "needs_review" in statuses else "implement"


def next_story(document: Json, mode: str, skip_review: bool) -> str | None:
    """Candidates are met in file order, and only a more urgent one displaces another."""
    best = None
    for story in document["userStories"]:
        if _may_be_next(story, document, mode, skip_review) and (
            best is None or story["priority"] < best["priority"]
        ):
            best = story
    return best["id"] if best else None


def _may_be_next(story: Json, document: Json, mode: str, skip_review: bool) -> bool:
    if mode == "review":
        return story["reviewStatus"] == "needs_review"
    if mode == "review-fix":
        return story["reviewStatus"] == "changes_requested"
    if story["passes"] or not skip_review and story["reviewStatus"] is not None:
        return False
    return _ready(story, _by_id(document))


def _legal_implement(old: Json, new: Json) -> bool:
    submitted = _touched(old, new)
    parts = [name for name in new if name not in old and not _is_to_do(new[name])]
    if len(submitted) + len(parts) > 1:
        return False
    if not all(_ready(new[name], new) for name in submitted + parts):
        return False
    return all(_is_submission(old[name], new[name]) for name in submitted)


def _legal_review(old: Json, new: Json, picked: str | None, cap: int | None, at_cap: str) -> bool:
    touched = _touched(old, new)
    if len(touched) != 1 or picked not in (None, *touched):
        return False
    was, story = old[touched[0]], new[touched[0]]
    count = story["reviewCount"]
    if was["reviewStatus"] != "needs_review" or count != was["reviewCount"] + 1:
        return False
    if story["passes"]:
        return story["reviewStatus"] == "approved"
    if story["reviewStatus"] != "changes_requested" or not story["reviewFeedback"].strip():
        return False
    return cap is None or count < cap or at_cap == "hold"


def _legal_review_fix(old: Json, new: Json, picked: str | None) -> bool:
    touched = _touched(old, new)
    if touched == []:
        return True
    if len(touched) != 1 or picked not in (None, *touched):
        return False
    return _is_resubmission(old[touched[0]], new[touched[0]])


def _legal_without_reviews(old: Json, new: Json) -> bool:
    if not all(_legal_pass(name, old, new) for name in new):
        return False
    passed = [n for n in new if new[n]["passes"] and not (n in old and old[n]["passes"])]
    return len(passed) <= 1 and all(_ready(new[name], new) for name in passed)


def _legal_pass(name: str, old: Json, new: Json) -> bool:
    """Only passes may change, and only to true."""
    story = new[name]
    if name in old:
        kept = _verdict_of(story) == _verdict_of(old[name])
        return kept and (story["passes"] or not old[name]["passes"])
    if not _is_to_do({**story, "passes": False}):
        return False
    return not story["passes"] or _is_part_of_gone(story, old, new)


def _new_stories_are_legal(old: Json, new: Json, mode: str) -> bool:
    for name, story in new.items():
        if name in old or _is_to_do(story):
            continue
        waits = {**story, "reviewStatus": None}
        if story["reviewStatus"] != "needs_review" or not _is_to_do(waits):
            return False
        if mode != "implement" or not _is_part_of_gone(story, old, new):
            return False
    return True


def _frozen_is_kept(before: Json, after: Json) -> bool:
    if not _all_in(before.get("verifyCommands", []), after.get("verifyCommands", [])):
        return False
    old, new = _by_id(before), _by_id(after)
    for name in old:
        if name in new:
            if not _all_in(old[name]["acceptanceCriteria"], new[name]["acceptanceCriteria"]):
                return False
            if not _all_in(old[name].get("verify", []), new[name].get("verify", [])):
                return False
    return True


def _is_split(name: str, old: Json, new: Json, plan_edits: bool) -> bool:
    parts = _parts_of(name, old, new)
    if not _is_to_do(old[name]) or parts == []:
        return False
    if not plan_edits:
        criteria = [entry for part in parts for entry in new[part]["acceptanceCriteria"]]
        commands = [entry for part in parts for entry in new[part].get("verify", [])]
        if not _all_in(old[name]["acceptanceCriteria"], criteria):
            return False
        if not _all_in(old[name].get("verify", []), commands):
            return False
    return _dependents_wait_for(parts, name, old, new)


def _dependents_wait_for(parts: list[str], name: str, old: Json, new: Json) -> bool:
    """A dependent that was split itself waits through its own parts."""
    for other in old:
        if name in old[other].get("dependsOn", []):
            heirs = [other] if other in new else _parts_of(other, old, new)
            waits_for = [entry for heir in heirs for entry in new[heir].get("dependsOn", [])]
            if not _all_in(parts, waits_for):
                return False
    return True


def _parts_of(name: str, old: Json, new: Json) -> list[str]:
    return [other for other in new if other not in old and new[other].get("splitFrom") == name]


def _touched(old: Json, new: Json) -> list[str]:
    return [name for name in old if name in new and _review(old[name]) != _review(new[name])]


def _is_submission(old: Json, new: Json) -> bool:
    return old["reviewStatus"] is None and _review(new) == {
        **_review(old),
        "reviewStatus": "needs_review",
    }


def _is_resubmission(old: Json, new: Json) -> bool:
    """Blank feedback counts as none, here as in a rejection."""
    if old["reviewStatus"] != "changes_requested" or new["reviewFeedback"].strip():
        return False
    return {**_review(new), "reviewFeedback": ""} == {
        **_review(old),
        "reviewStatus": "needs_review",
        "reviewFeedback": "",
    }


def _is_to_do(story: Json) -> bool:
    return story["passes"] is False and story["reviewStatus"] is None and story["reviewCount"] == 0


def _is_part_of_gone(story: Json, old: Json, new: Json) -> bool:
    return story.get("splitFrom") in old and story["splitFrom"] not in new


def _ready(story: Json, stories: Json) -> bool:
    return all(stories[name]["passes"] for name in story.get("dependsOn", []))


def _review(story: Json) -> Json:
    return {"passes": story["passes"], **_verdict_of(story)}


def _verdict_of(story: Json) -> Json:
    return {name: story[name] for name in ("reviewStatus", "reviewCount", "reviewFeedback")}


def _all_in(entries: list[str], others: list[str]) -> bool:
    return all(entry in others for entry in entries)


def _by_id(document: Json) -> Json:
    return {story["id"]: story for story in document["userStories"]}
