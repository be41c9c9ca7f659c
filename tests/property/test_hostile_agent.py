"""An agent that does anything never gets a story done that no review approved."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import event, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from property import actions, hostile_lists, judge, lists
from property.hostile_lists import STANDS, done, lost
from property.judge import Terms
from property.test_verdicts import iterations
from property.truth_table import legal
from ralph_engine.core import review, tasks, transitions

Json = dict[str, Any]
ANY_ENTRIES = st.fixed_dictionaries(
    {"acceptanceCriteria": lists.criteria, "verify": lists.commands}
)
_loose_stories = st.builds(lambda body, state: {**body, **state}, lists.bodies, lists.to_do)
TAKEN_BACK = [*lists.REVIEW_FIELDS, "acceptanceCriteria", "verify"]


class HostileAgent(RuleBasedStateMachine):
    """`kept` is the list as the runner judged it last, `base` that of the iteration's start."""

    kept: Json
    base: Json
    terms: Terms | None = None

    @initialize(
        document=lists.documents(min_size=1),
        cap=st.integers(1, 3),
        at_cap=st.sampled_from(["approve", "hold"]),
    )
    def start(self, document: Json, cap: int, at_cap: str) -> None:
        self.kept, self.cap, self.at_cap = document, cap, at_cap
        self.caps = {s["id"]: max(cap, s["reviewCount"] + 1) for s in document["userStories"]}
        self.trusted = done(document)
        self.approved: set[str] = set()
        self.versions = [document]

    @rule(data=st.data())
    def iteration(self, data: st.DataObject) -> None:
        if judge.all_pass(self.kept):
            self._reopen(data)
        self.base = self.kept
        terms = judge.terms_for(self.base, at_cap=self.at_cap)
        assert terms.picked is not None
        self.terms = terms._replace(cap=self.caps.get(terms.picked, self.cap))
        self.marker = judge.marker_for(self.base, self.terms)
        self._attempt(data)

    @rule(data=st.data())
    def retry(self, data: st.DataObject) -> None:
        """The agent was killed; another one goes on from what was judged, on the same terms."""
        if self.terms is None:
            self.iteration(data)
        else:
            self._attempt(data)

    @invariant()
    def nothing_is_done_without_an_approval(self) -> None:
        assert done(self.kept) <= self.approved | self.trusted

    @invariant()
    def passing_meansdone(self) -> None:
        assert {s["id"] for s in self.kept["userStories"] if s["passes"]} == done(self.kept)

    def _reopen(self, data: st.DataObject) -> None:
        """A check failed at completion: the runner itself takes an approval back."""
        name = data.draw(st.sampled_from(sorted(done(self.kept))))
        self.kept = copy.deepcopy(self.kept)
        story = actions.story_of(self.kept, name)
        story.update(passes=False, reviewStatus="changes_requested", reviewFeedback="red")
        self.caps[name] = max(self.cap, story["reviewCount"] + 2)
        self.approved.discard(name)
        self.trusted.discard(name)

    def _attempt(self, data: st.DataObject) -> None:
        current = data.draw(hostile_lists.versions(self.kept, self.terms, self.versions))
        self._read_by_hooks(data, current)
        before, agents, marker = map(copy.deepcopy, (self.kept, current, self.marker))
        result = judge.judged(self.kept, current, self.marker)
        assert (self.kept, current, self.marker) == (before, agents, marker)
        self._check(result)
        self.approved = {*self.approved & done(self.base), *self._approved_now(result)}
        self.kept = result
        self.versions.append(result)
        self._stop_at_the_cap(result)

    def _read_by_hooks(self, data: st.DataObject, current: Json | None) -> None:
        """The marker in the project is the agent's to forge: hooks may believe it, no more."""
        other = data.draw(st.sampled_from(self.versions))
        mode = data.draw(st.sampled_from(review.MODES))
        forged = {**self.marker, **judge.marker_for(other, Terms(mode, None, 99))}
        forged.pop(data.draw(st.sampled_from(sorted(forged))))
        if current is not None and not tasks.faults(current) and transitions.judgeable(forged):
            transitions.violations(current, forged)

    def _check(self, result: Json) -> None:
        assert tasks.faults(result) == []
        assert review.invariants(result, self.marker) == []
        left = {violation.rule for violation in transitions.violations(result, self.marker)}
        assert left <= STANDS
        assert left or legal(self.base, result, *self.terms)
        assert lost(self.base, result) == []

    def _approved_now(self, result: Json) -> set[str]:
        """Written without the judge: one story, in review, counted once more."""
        picked = self.terms.picked
        if self.terms.mode != "review" or picked not in done(result):
            return set()
        was, now = actions.story_of(self.base, picked), actions.story_of(result, picked)
        assert was["reviewStatus"] == "needs_review"
        assert now["reviewCount"] == was["reviewCount"] + 1
        return {picked}

    def _stop_at_the_cap(self, result: Json) -> None:
        """A rejection at the cap stops the loop; going on is a resume, with a higher cap."""
        picked = [s for s in result["userStories"] if s["id"] == self.terms.picked]
        if picked and picked[0]["reviewStatus"] == "changes_requested":
            self.caps[self.terms.picked] = max(self.terms.cap, picked[0]["reviewCount"] + 1)
            self.terms = None


TestHostileAgent = HostileAgent.TestCase
TestHostileAgent.settings = settings(max_examples=2 * settings().max_examples)


@given(st.data())
def test_a_retry_adds_no_second_submission(data: st.DataObject) -> None:
    """Forging the first submission hides it from the count, until it is put back."""
    base, picked = data.draw(lists.documents_of("implement"))
    base = actions.add(base, {**data.draw(_loose_stories), "id": "another"})
    marker = judge.marker_for(base, Terms("implement", picked))
    kept = judge.judged(base, actions.submit(base, picked), marker)
    forged = actions.approve(actions.submit(kept, "another"), picked)
    result = judge.judged(kept, forged, marker)
    assert judge.complaints(result, marker) == []


@given(st.data())
def test_a_retry_loses_no_part_of_a_split(data: st.DataObject) -> None:
    """The whole is no longer in the list that was judged last: it cannot return alone."""
    base, picked = data.draw(lists.documents_of("implement"))
    marker = judge.marker_for(base, Terms("implement", picked))
    parts = lists.unused_ids(base, 2)
    kept = judge.judged(base, actions.split(base, picked, parts), marker)
    current = copy.deepcopy(kept)
    actions.story_of(current, parts[0])["acceptanceCriteria"] = ["something else"]
    result = judge.judged(kept, current, marker)
    assert judge.complaints(result, marker) == []
    assert lost(base, result) == []


@given(iterations())
def test_what_undo_leaves_is_legal(iteration: tuple[Json, Json, Terms]) -> None:
    before, current, terms = iteration
    marker = judge.marker_for(before, terms)
    result = judge.judged(before, current, marker)
    assert tasks.faults(result) == []
    assert review.invariants(result, marker) == []
    left = {violation.rule for violation in transitions.violations(result, marker)}
    event(f"left: {sorted(left)}")
    assert left <= STANDS
    assert left or legal(before, result, *terms)
    if not terms.plan_edits:
        assert lost(before, result) == []


@given(iterations())
def test_undo_takes_back_what_is_named_and_nothing_else(
    iteration: tuple[Json, Json, Terms],
) -> None:
    before, current, terms = iteration
    marker = judge.marker_for(before, terms)
    found = review.invariants(current, marker) + transitions.violations(current, marker)
    named = {v.story for v in found if v.rule not in STANDS}
    expected = _mended(before, current, named)
    if tasks.faults(expected) or review.invariants(expected, marker):
        expected = before
    event(f"violations={min(len(named), 3)}, whole={expected is before}")
    assert _unordered(judge.judged(before, current, marker)) == _unordered(expected)


@given(st.data(), st.sampled_from(review.MODES))
def test_undo_takes_back_no_more_than_it_must(data: st.DataObject, mode: str) -> None:
    before, picked = data.draw(lists.documents_of(mode))
    marker = judge.marker_for(before, Terms(mode, picked))
    current = copy.deepcopy(before)
    for story in current["userStories"]:
        story.update(title="another", priority=9, notes="more")
        story.update(data.draw(st.just({}) | lists.any_review_fields | ANY_ENTRIES))
    result = judge.judged(before, current, marker)
    assert lost(before, result) == []
    for story in result["userStories"]:
        assert (story["title"], story["priority"], story["notes"]) == ("another", 9, "more")


def _mended(before: Json, current: Json, named: set[str]) -> Json:
    """The empty name stands for the commands of the whole list."""
    old = {story["id"]: story for story in before["userStories"]}
    stories = [_mended_story(s, old) if s["id"] in named else s for s in current["userStories"]]
    vanished = named & set(old) - {story["id"] for story in stories}
    result = {**current, "userStories": stories + [old[name] for name in sorted(vanished)]}
    return {**result, "verifyCommands": before["verifyCommands"]} if "" in named else result


def _mended_story(story: Json, old: Json) -> Json:
    if story["id"] not in old:
        to_do = {"passes": False, "reviewStatus": None, "reviewCount": 0, "reviewFeedback": ""}
        return {**story, **to_do}
    kept = {name: value for name, value in story.items() if name not in TAKEN_BACK}
    back = {name: value for name, value in old[story["id"]].items() if name in TAKEN_BACK}
    return {**kept, **back}


def _unordered(document: Json) -> Json:
    """Where a story that returns is put is nobody's concern."""
    return {**document, "userStories": {story["id"]: story for story in document["userStories"]}}
