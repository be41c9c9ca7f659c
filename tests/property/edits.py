"""Strategies: edits of a valid task list that keep check 1 valid."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import strategies as st
from property import actions, bad_splits, lists
from property.settled import settled

Json = dict[str, Any]
NO_STORY = {"id": "", "acceptanceCriteria": ["a"], "reviewCount": 0}
PLAIN_FIELDS = {
    "title": lists.texts,
    "notes": lists.texts,
    "priority": lists.priorities,
    "description": lists.texts,
    "splitFrom": st.sampled_from(lists.NEW_IDS),
}


@st.composite
def edited(draw: lists.Draw, document: Json, mode: str, picked: str | None) -> Json:
    """An agent's version: mostly what it should do, then up to two things it should not."""
    result = copy.deepcopy(document)
    if draw(st.integers(0, 3)):
        result = draw(meant(result, mode, picked))
    for edit in draw(st.lists(st.sampled_from(EDITS), max_size=2)):
        edit(draw, result, picked)
    return settled(result)


@st.composite
def meant(draw: lists.Draw, document: Json, mode: str, picked: str | None) -> Json:
    """The action of the mode, mostly on the picked story."""
    name = _a_story(draw, document, picked)["id"]
    if not name:
        return document
    if mode == "implement":
        does = draw(st.sampled_from([actions.submit, actions.pass_directly, _split_and_submit]))
        return does(document, name)
    if mode == "review-fix":
        return actions.resubmit(document, name)
    does = draw(st.sampled_from([actions.approve, actions.reject]))
    return does(document, name, draw(lists.feedbacks))


def _split_and_submit(document: Json, name: str) -> Json:
    parts = lists.unused_ids(document, 2)
    return actions.submit(actions.split(document, name, parts), parts[0])


def _a_story(draw: lists.Draw, document: Json, picked: str | None) -> Json:
    """Half of the edits meet the picked story, where an edit is most likely to matter."""
    stories = document["userStories"]
    mine = [story for story in stories if story["id"] == picked]
    if mine and draw(st.booleans()):
        return mine[0]
    # An edit of an empty list edits nothing that is kept.
    return draw(st.sampled_from(stories)) if stories else copy.deepcopy(NO_STORY)


def _set_review_field(draw: lists.Draw, document: Json, picked: str | None) -> None:
    name = draw(st.sampled_from(sorted(lists.REVIEW_FIELDS)))
    _a_story(draw, document, picked)[name] = draw(lists.REVIEW_FIELDS[name])


def _set_state(draw: lists.Draw, document: Json, picked: str | None) -> None:
    _a_story(draw, document, picked).update(draw(lists.states))


def _count_up(draw: lists.Draw, document: Json, picked: str | None) -> None:
    _a_story(draw, document, picked)["reviewCount"] += draw(st.integers(1, 2))


def _submit_another(draw: lists.Draw, document: Json, picked: str | None) -> None:
    story = _a_story(draw, document, picked)
    story["reviewStatus"] = "needs_review"


def _strip(draw: lists.Draw, document: Json, picked: str | None) -> None:
    """To do again and without notes: with its old state back it would lack them."""
    finished = [story for story in document["userStories"] if story["passes"]]
    if finished:
        draw(st.sampled_from(finished)).update(passes=False, reviewStatus=None, notes="")


def _set_plain_field(draw: lists.Draw, document: Json, picked: str | None) -> None:
    name = draw(st.sampled_from(sorted(PLAIN_FIELDS)))
    _a_story(draw, document, picked)[name] = draw(PLAIN_FIELDS[name])


def _set_extra(draw: lists.Draw, document: Json, picked: str | None) -> None:
    owner = draw(st.sampled_from([document, _a_story(draw, document, picked)]))
    owner.update(draw(lists.extras))


def _delete(draw: lists.Draw, document: Json, picked: str | None) -> None:
    name = _a_story(draw, document, picked)["id"]
    document["userStories"] = [s for s in document["userStories"] if s["id"] != name]


def _add(draw: lists.Draw, document: Json, picked: str | None) -> None:
    fields = draw(st.one_of(lists.to_do, lists.waiting, lists.any_review_fields))
    name = draw(st.sampled_from(lists.unused_ids(document, 30)))
    story = {"id": name, **draw(lists.bodies), **fields}
    others = [other["id"] for other in document["userStories"]]
    if others:
        story["dependsOn"] = draw(st.lists(st.sampled_from(others), max_size=2))
    document["userStories"].insert(draw(st.integers(0, len(others))), story)


def _split(draw: lists.Draw, document: Json, picked: str | None) -> None:
    name = _a_story(draw, document, picked)["id"]
    if name:
        parts = lists.unused_ids(document, draw(st.integers(1, 2)))
        document.update(actions.split(document, name, parts))


def _split_badly(draw: lists.Draw, document: Json, picked: str | None) -> None:
    bad_splits.split_badly(draw, document)


def _split_all(draw: lists.Draw, document: Json, picked: str | None) -> None:
    for story in document["userStories"]:
        if story["reviewStatus"] is None:
            document.update(actions.split(document, story["id"], lists.unused_ids(document, 1)))


def _submit_part(draw: lists.Draw, document: Json, picked: str | None) -> None:
    parts = [story for story in document["userStories"] if "splitFrom" in story]
    if parts:
        draw(st.sampled_from(parts))["reviewStatus"] = "needs_review"


def _pose_as_part(draw: lists.Draw, document: Json, picked: str | None) -> None:
    """A new story, submitted at once, of a story that is still there."""
    story = {"id": lists.unused_ids(document, 1)[0], **draw(lists.bodies), **draw(lists.to_do)}
    story.update(reviewStatus="needs_review")
    story["splitFrom"] = _a_story(draw, document, picked)["id"] or "gone"
    document["userStories"].append(story)


def _rename(draw: lists.Draw, document: Json, picked: str | None) -> None:
    name = draw(st.sampled_from(lists.unused_ids(document, 30)))
    _a_story(draw, document, picked)["id"] = name


def _replace(draw: lists.Draw, document: Json, picked: str | None) -> None:
    """Under the same name another story."""
    _a_story(draw, document, picked).update({**draw(lists.bodies), **draw(lists.any_review_fields)})


def _add_entry(draw: lists.Draw, document: Json, picked: str | None) -> None:
    _some_entries(draw, document, picked).append(draw(lists.words))


def _remove_entry(draw: lists.Draw, document: Json, picked: str | None) -> None:
    entries = _some_entries(draw, document, picked)
    if entries:
        entries.pop(draw(st.integers(0, len(entries) - 1)))


def _change_entry(draw: lists.Draw, document: Json, picked: str | None) -> None:
    entries = _some_entries(draw, document, picked)
    if entries:
        entries[draw(st.integers(0, len(entries) - 1))] = draw(lists.words)


def _drop_entries(draw: lists.Draw, document: Json, picked: str | None) -> None:
    owner = draw(st.sampled_from([document, _a_story(draw, document, picked)]))
    owner.pop("verifyCommands", None)
    owner.pop("verify", None)


def _some_entries(draw: lists.Draw, document: Json, picked: str | None) -> list[str]:
    name = draw(st.sampled_from(["verifyCommands", "verify", "acceptanceCriteria"]))
    owner = document if name == "verifyCommands" else _a_story(draw, document, picked)
    return owner.setdefault(name, [])


def _reorder(draw: lists.Draw, document: Json, picked: str | None) -> None:
    document["userStories"] = draw(st.permutations(document["userStories"]))


def _set_depends_on(draw: lists.Draw, document: Json, picked: str | None) -> None:
    names = [story["id"] for story in document["userStories"]]
    if names:
        wanted = draw(st.lists(st.sampled_from(names), max_size=2))
        _a_story(draw, document, picked)["dependsOn"] = wanted


# The likelier an edit is to be the only illegal one, the more often it is listed.
EDITS = (
    _set_review_field,
    _set_review_field,
    _set_review_field,
    _set_state,
    _count_up,
    _submit_another,
    _submit_another,
    _strip,
    _set_plain_field,
    _set_extra,
    _delete,
    _add,
    _split,
    _split_badly,
    _split_badly,
    _split_badly,
    _split_all,
    _submit_part,
    _pose_as_part,
    _rename,
    _replace,
    _add_entry,
    _remove_entry,
    _remove_entry,
    _change_entry,
    _drop_entries,
    _reorder,
    _set_depends_on,
)
HARMLESS = (_set_plain_field, _set_extra, _add_entry, _reorder)


@st.composite
def retouched(draw: lists.Draw, document: Json) -> Json:
    """Edits that are legal in every mode."""
    result = copy.deepcopy(document)
    for edit in draw(st.lists(st.sampled_from(HARMLESS), max_size=2)):
        edit(draw, result, None)
    return settled(result)


@st.composite
def with_new_work(draw: lists.Draw, document: Json) -> Json:
    story = {"id": lists.unused_ids(document, 1)[0], **draw(lists.bodies), **draw(lists.to_do)}
    # Naming a story that was split just now would make it one more part.
    story.pop("splitFrom", None)
    return actions.add(document, story)
