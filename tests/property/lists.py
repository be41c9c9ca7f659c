"""Strategies: valid task lists."""

from __future__ import annotations

from typing import Any, Callable

from hypothesis import strategies as st

Json = dict[str, Any]
Draw = Callable[[Any], Any]

STATUSES = [None, "needs_review", "changes_requested", "approved"]
IDS = [*(f"US-{number}" for number in range(1, 10)), "ü 1", "\ud800", "\U0001f600", " ", "0"]
NEW_IDS = [*IDS, *(f"N-{number}" for number in range(1, 30))]
CAP_MARK = "[AUTO-APPROVED AT CAP] remains"

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


def unused_ids(document: Json, count: int) -> list[str]:
    """A name in splitFrom is used too: its story may have been split in this very edit."""
    names = {story.get(field) for story in document["userStories"] for field in ("id", "splitFrom")}
    return [name for name in reversed(NEW_IDS) if name not in names][:count]
