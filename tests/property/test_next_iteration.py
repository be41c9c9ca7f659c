"""Mode and story of the next iteration are those of the truth table."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from property import lists
from property.truth_table import next_mode, next_story
from ralph_engine.core import review

Json = dict[str, Any]


@given(st.booleans().flatmap(lambda s: st.tuples(st.just(s), lists.documents(skipped=s))))
def test_the_next_mode_is_that_of_the_truth_table(case: tuple[bool, Json]) -> None:
    skip_review, document = case
    assert review.mode_of(document, skip_review) == next_mode(document, skip_review)


@given(st.booleans().flatmap(lambda s: st.tuples(st.just(s), lists.documents(skipped=s))))
def test_the_next_story_is_that_of_the_truth_table(case: tuple[bool, Json]) -> None:
    skip_review, document = case
    # As read from the disk: no text in it is one of ours.
    document = json.loads(json.dumps(document))
    for mode in ["implement"] if skip_review else review.MODES:
        story = review.pick(document, mode, skip_review)
        name = story["id"] if story else None
        assert name == next_story(document, mode, skip_review)
