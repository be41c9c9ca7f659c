"""Strategies: valid task lists, and edits of them that keep check 1 valid."""

from __future__ import annotations

import copy
from typing import Any, Callable

from hypothesis import strategies as st
from property import actions

Json = dict[str, Any]
Draw = Callable[[Any], Any]

STATUSES = [None, "needs_review", "changes_requested", "approved"]
IDS = [*(f"US-{number}" for number in range(1, 10)), "ü 1", "\ud800", "\U0001f600", " ", "0"]
NEW_IDS = [*IDS, *(f"N-{number}" for number in range(1, 30))]
CAP_MARK = "[AUTO-APPROVED AT CAP] remains"
NO_STORY = {"id": "", "acceptanceCriteria": ["a"], "reviewCount": 0}

# Few words, so that entries meet again; odd ones, so that digests and words must cope.
WORDS = ["works", "fast", "a\nb", "a", "b", "\ud800", "\udfff\ud800", "\x00", "é", "e\u0301", " "]
words = st.sampled_from(WORDS)
texts = st.sampled_from(["", *WORDS]) | st.text(max_size=4)
scalars = st.sampled_from([None, True, 0, -1.5, "", "\ud800", [], {}, {"id": 1}])
extras = st.dictionaries(
    st.sampled_from(["x", "passed", "\udc00", "$comment"]), scalars, max_size=1
)
counts = st.sampled_from([0, 0, 1, 1, 2, 3, 4, 1.0, 2.0])
priorities = st.sampled_from([1, 1, 2, 3, 1.0, 1.5, -0.0, -7])
feedbacks = st.sampled_from(["", "", "repair it", " ", "\ud800", CAP_MARK])
notes = st.sampled_from(["did it", "\ud800", "é"])
criteria = st.lists(words, min_size=1, max_size=3)
commands = st.lists(words, max_size=2)


def _state(passes: bool, status: str | None, count: Any, feedback: Any) -> st.SearchStrategy[Json]:
    return st.fixed_dictionaries(
        {
            "passes": st.just(passes),
            "reviewStatus": st.just(status),
            "reviewCount": count,
            "reviewFeedback": feedback,
        }
    )


to_do = _state(False, None, st.just(0), st.sampled_from(["", "", "note"]))
waiting = _state(False, "needs_review", counts, feedbacks)
rejected = _state(False, "changes_requested", counts, st.sampled_from(["repair it", "\ud800"]))
done = _state(True, "approved", st.sampled_from([1, 2, 3, 4, 1.0]), feedbacks)
states = st.one_of(to_do, to_do, waiting, rejected, done)
IN_MODE = {"implement": to_do, "review": waiting, "review-fix": rejected}
REVIEW_FIELDS = {
    "passes": st.booleans(),
    "reviewStatus": st.sampled_from(STATUSES),
    "reviewCount": counts,
    "reviewFeedback": feedbacks,
}
any_review_fields = st.fixed_dictionaries(REVIEW_FIELDS)
bodies = st.fixed_dictionaries(
    {"title": words, "priority": priorities, "acceptanceCriteria": criteria, "notes": notes},
    optional={"description": words, "verify": commands, "splitFrom": st.sampled_from(IDS)},
)
PLAIN_FIELDS = {
    "title": texts,
    "notes": texts,
    "priority": priorities,
    "description": texts,
    "splitFrom": st.sampled_from(NEW_IDS),
}


@st.composite
def documents(draw: Draw, skipped: bool = False, min_size: int = 0) -> Json:
    """`skipped`: lists a skip-review run may meet, where passes says nothing of reviews."""
    names = draw(st.lists(st.sampled_from(IDS), unique=True, min_size=min_size, max_size=6))
    stories = []
    for index, name in enumerate(names):
        story = {"id": name, **draw(bodies), **draw(states), **draw(extras)}
        if index:
            story["dependsOn"] = draw(st.lists(st.sampled_from(names[:index]), max_size=2))
        if skipped:
            story["passes"] = draw(st.booleans())
        stories.append(story)
    document = {"project": "p", "branchName": "b", "description": "", **draw(extras)}
    if draw(st.booleans()):
        document["verifyCommands"] = draw(commands)
    return {**document, "userStories": draw(st.permutations(stories))}


@st.composite
def documents_of(draw: Draw, mode: str, skipped: bool = False) -> tuple[Json, str]:
    """A list with work for an iteration of the mode, and one story that fits it."""
    document = draw(documents(skipped, min_size=1))
    story = draw(st.sampled_from(document["userStories"]))
    story.update(draw(IN_MODE[mode]))
    return document, story["id"]


@st.composite
def edited(draw: Draw, document: Json, mode: str, picked: str | None) -> Json:
    """An agent's version: mostly what it should do, then up to two things it should not."""
    result = copy.deepcopy(document)
    if draw(st.integers(0, 3)):
        result = draw(meant(result, mode, picked))
    for edit in draw(st.lists(st.sampled_from(EDITS), max_size=2)):
        edit(draw, result, picked)
    return _settled(result)


@st.composite
def badly_split(draw: Draw, document: Json) -> Json:
    result = copy.deepcopy(document)
    _split_badly(draw, result, None)
    return _settled(result)


@st.composite
def meant(draw: Draw, document: Json, mode: str, picked: str | None) -> Json:
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
    return does(document, name, draw(feedbacks))


def unused_ids(document: Json, count: int) -> list[str]:
    """A name in splitFrom is used too: its story may have been split in this very edit."""
    names = {story.get(field) for story in document["userStories"] for field in ("id", "splitFrom")}
    return [name for name in reversed(NEW_IDS) if name not in names][:count]


def _split_and_submit(document: Json, name: str) -> Json:
    parts = unused_ids(document, 2)
    return actions.submit(actions.split(document, name, parts), parts[0])


def _a_story(draw: Draw, document: Json, picked: str | None) -> Json:
    """Half of the edits meet the picked story, where an edit is most likely to matter."""
    stories = document["userStories"]
    mine = [story for story in stories if story["id"] == picked]
    if mine and draw(st.booleans()):
        return mine[0]
    # An edit of an empty list edits nothing that is kept.
    return draw(st.sampled_from(stories)) if stories else copy.deepcopy(NO_STORY)


def _set_review_field(draw: Draw, document: Json, picked: str | None) -> None:
    name = draw(st.sampled_from(sorted(REVIEW_FIELDS)))
    _a_story(draw, document, picked)[name] = draw(REVIEW_FIELDS[name])


def _set_state(draw: Draw, document: Json, picked: str | None) -> None:
    _a_story(draw, document, picked).update(draw(states))


def _count_up(draw: Draw, document: Json, picked: str | None) -> None:
    _a_story(draw, document, picked)["reviewCount"] += draw(st.integers(1, 2))


def _submit_another(draw: Draw, document: Json, picked: str | None) -> None:
    story = _a_story(draw, document, picked)
    story["reviewStatus"] = "needs_review"


def _strip(draw: Draw, document: Json, picked: str | None) -> None:
    """To do again and without notes: with its old state back it would lack them."""
    finished = [story for story in document["userStories"] if story["passes"]]
    if finished:
        draw(st.sampled_from(finished)).update(passes=False, reviewStatus=None, notes="")


def _set_plain_field(draw: Draw, document: Json, picked: str | None) -> None:
    name = draw(st.sampled_from(sorted(PLAIN_FIELDS)))
    _a_story(draw, document, picked)[name] = draw(PLAIN_FIELDS[name])


def _set_extra(draw: Draw, document: Json, picked: str | None) -> None:
    owner = draw(st.sampled_from([document, _a_story(draw, document, picked)]))
    owner.update(draw(extras))


def _delete(draw: Draw, document: Json, picked: str | None) -> None:
    name = _a_story(draw, document, picked)["id"]
    document["userStories"] = [s for s in document["userStories"] if s["id"] != name]


def _add(draw: Draw, document: Json, picked: str | None) -> None:
    fields = draw(st.one_of(to_do, waiting, any_review_fields))
    name = draw(st.sampled_from(unused_ids(document, 30)))
    story = {"id": name, **draw(bodies), **fields}
    others = [other["id"] for other in document["userStories"]]
    if others:
        story["dependsOn"] = draw(st.lists(st.sampled_from(others), max_size=2))
    document["userStories"].insert(draw(st.integers(0, len(others))), story)


def _split(draw: Draw, document: Json, picked: str | None) -> None:
    name = _a_story(draw, document, picked)["id"]
    if name:
        parts = unused_ids(document, draw(st.integers(1, 2)))
        document.update(actions.split(document, name, parts))


def _split_badly(draw: Draw, document: Json, picked: str | None) -> None:
    """A split with one flaw, preferably of a story that others wait for."""
    names = [s["id"] for s in document["userStories"] if s["reviewStatus"] is None]
    awaited = [
        n for n in names if any(n in s.get("dependsOn", []) for s in document["userStories"])
    ]
    if names:
        name = draw(st.sampled_from(awaited or names))
        parts = unused_ids(document, 2)
        document.update(actions.split(document, name, parts))
        draw(st.sampled_from(FLAWS))(draw, document, name, parts)


def _lose_an_entry(draw: Draw, document: Json, name: str, parts: list[str]) -> None:
    stories = [actions.story_of(document, part) for part in parts]
    lists = [s[field] for s in stories for field in ("verify", "acceptanceCriteria") if s[field]]
    del draw(st.sampled_from(lists))[0]


def _forget_a_part(draw: Draw, document: Json, name: str, parts: list[str]) -> None:
    """Some story no longer waits for it."""
    part = draw(st.sampled_from(parts))
    dependents = _dependents(document, part)
    if dependents:
        draw(st.sampled_from(dependents))["dependsOn"].remove(part)


def _split_a_dependent(draw: Draw, document: Json, name: str, parts: list[str]) -> None:
    """Its parts wait for nothing, or for all."""
    dependents = [s for s in _dependents(document, parts[0]) if s["reviewStatus"] is None]
    if dependents:
        heir = unused_ids(document, 1)
        document.update(actions.split(document, draw(st.sampled_from(dependents))["id"], heir))
        if draw(st.booleans()):
            actions.story_of(document, heir[0])["dependsOn"] = []


def _dependents(document: Json, name: str) -> list[Json]:
    return [story for story in document["userStories"] if name in story.get("dependsOn", [])]


def _hand_over(draw: Draw, document: Json, name: str, parts: list[str]) -> None:
    """Not new stories but an old one claims to be the parts."""
    merged = [actions.story_of(document, part) for part in parts]
    heir = draw(st.sampled_from(document["userStories"]))
    if heir["id"] not in parts:
        document["userStories"] = [s for s in document["userStories"] if s not in merged]
        heir["splitFrom"] = name
        for part in merged:
            heir["acceptanceCriteria"] = heir["acceptanceCriteria"] + part["acceptanceCriteria"]
            heir["verify"] = heir.get("verify", []) + part["verify"]


def _rename_origin(draw: Draw, document: Json, name: str, parts: list[str]) -> None:
    part = actions.story_of(document, draw(st.sampled_from(parts)))
    part["splitFrom"] = draw(st.sampled_from([story["id"] for story in document["userStories"]]))


def _submit_from(draw: Draw, document: Json, name: str, parts: list[str]) -> None:
    for part in draw(st.sampled_from([parts[:1], parts])):
        actions.story_of(document, part)["reviewStatus"] = "needs_review"


FLAWS = (
    _lose_an_entry,
    _forget_a_part,
    _split_a_dependent,
    _hand_over,
    _rename_origin,
    _submit_from,
)


def _split_all(draw: Draw, document: Json, picked: str | None) -> None:
    for story in document["userStories"]:
        if story["reviewStatus"] is None:
            document.update(actions.split(document, story["id"], unused_ids(document, 1)))


def _submit_part(draw: Draw, document: Json, picked: str | None) -> None:
    parts = [story for story in document["userStories"] if "splitFrom" in story]
    if parts:
        draw(st.sampled_from(parts))["reviewStatus"] = "needs_review"


def _pose_as_part(draw: Draw, document: Json, picked: str | None) -> None:
    """A new story, submitted at once, of a story that is still there."""
    story = {"id": unused_ids(document, 1)[0], **draw(bodies), **draw(to_do)}
    story.update(reviewStatus="needs_review")
    story["splitFrom"] = _a_story(draw, document, picked)["id"] or "gone"
    document["userStories"].append(story)


def _rename(draw: Draw, document: Json, picked: str | None) -> None:
    name = draw(st.sampled_from(unused_ids(document, 30)))
    _a_story(draw, document, picked)["id"] = name


def _replace(draw: Draw, document: Json, picked: str | None) -> None:
    """Under the same name another story."""
    _a_story(draw, document, picked).update({**draw(bodies), **draw(any_review_fields)})


def _add_entry(draw: Draw, document: Json, picked: str | None) -> None:
    _some_entries(draw, document, picked).append(draw(words))


def _remove_entry(draw: Draw, document: Json, picked: str | None) -> None:
    entries = _some_entries(draw, document, picked)
    if entries:
        entries.pop(draw(st.integers(0, len(entries) - 1)))


def _change_entry(draw: Draw, document: Json, picked: str | None) -> None:
    entries = _some_entries(draw, document, picked)
    if entries:
        entries[draw(st.integers(0, len(entries) - 1))] = draw(words)


def _drop_entries(draw: Draw, document: Json, picked: str | None) -> None:
    owner = draw(st.sampled_from([document, _a_story(draw, document, picked)]))
    owner.pop("verifyCommands", None)
    owner.pop("verify", None)


def _some_entries(draw: Draw, document: Json, picked: str | None) -> list[str]:
    name = draw(st.sampled_from(["verifyCommands", "verify", "acceptanceCriteria"]))
    owner = document if name == "verifyCommands" else _a_story(draw, document, picked)
    return owner.setdefault(name, [])


def _reorder(draw: Draw, document: Json, picked: str | None) -> None:
    document["userStories"] = draw(st.permutations(document["userStories"]))


def _set_depends_on(draw: Draw, document: Json, picked: str | None) -> None:
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
def retouched(draw: Draw, document: Json) -> Json:
    """Edits that are legal in every mode."""
    result = copy.deepcopy(document)
    for edit in draw(st.lists(st.sampled_from(HARMLESS), max_size=2)):
        edit(draw, result, None)
    return _settled(result)


@st.composite
def with_new_work(draw: Draw, document: Json) -> Json:
    story = {"id": unused_ids(document, 1)[0], **draw(bodies), **draw(to_do)}
    # Naming a story that was split just now would make it one more part.
    story.pop("splitFrom", None)
    return actions.add(document, story)


def _settled(document: Json) -> Json:
    """What an edit broke of check 1 is mended, so that only the later checks are asked."""
    known: dict[str, set[str]] = {story["id"]: set() for story in document["userStories"]}
    for story in document["userStories"]:
        if not story["acceptanceCriteria"]:
            story["acceptanceCriteria"] = ["something else"]
        if story["passes"] and not story.get("notes", "").strip():
            story["notes"] = "did it"
        if "dependsOn" in story:
            story["dependsOn"] = _without_circles(story["id"], story["dependsOn"], known)
    return document


def _without_circles(name: str, wanted: list[str], known: dict[str, set[str]]) -> list[str]:
    kept = []
    for other in wanted:
        if other in known and name not in _reachable(other, known):
            known[name].add(other)
            kept.append(other)
    return kept


def _reachable(name: str, known: dict[str, set[str]]) -> set[str]:
    found: set[str] = set()
    ahead = [name]
    while ahead:
        step = ahead.pop()
        if step not in found:
            found.add(step)
            ahead += known[step]
    return found
