"""Every rule as a pure function: what is said about a list, by the marker it is judged with."""

from __future__ import annotations

from collections import Counter

import pytest
from ralph_engine.core import gate, paths, review, shape, tasks, transitions
from ralph_engine.core.review import Violation
from rules import CASES, KINDS, TWO, Case, full_marker

PATH = "ralph/tasks.json"
EVERY_CASE = [pytest.param(case, id=case.name) for case in CASES]


def judged(case: Case, kind: str) -> list[tuple[str, str, str, str]]:
    """Check, rule, story and sentence of all that is said, check 1 alone where it fails."""
    document, faults = tasks.parse(case.after(), PATH)
    if document is None:
        return [("schema", f.place, f.story, shape.sentence(f)) for f in faults]
    marker = case.marker(kind)
    broken = said("invariants", review.invariants(document, marker))
    if not transitions.judgeable(marker):
        return broken
    return broken + said("transitions", transitions.violations(document, marker))


def said(check: str, found: list[Violation]) -> list[tuple[str, str, str, str]]:
    return [(check, violation.rule, violation.story, violation.message) for violation in found]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("case", EVERY_CASE)
def test_exactly_the_broken_rules_are_named(case: Case, kind: str) -> None:
    found = Counter(entry[:3] for entry in judged(case, kind))
    assert found == Counter(blame[:3] for blame in case.expected(kind))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("case", EVERY_CASE)
def test_every_sentence_names_its_story_and_says_what_is_wrong(case: Case, kind: str) -> None:
    sentences = {entry[:3]: entry[3] for entry in judged(case, kind)}
    for blame in case.expected(kind):
        sentence = sentences[blame[:3]]
        assert blame.story in sentence
        assert [words for words in blame.words if words not in sentence] == [], sentence
        assert "\n" not in sentence


@pytest.mark.parametrize("kind", KINDS)
def test_faults_come_in_the_order_of_the_document(kind: str) -> None:
    case = next(case for case in CASES if "in the order of the list" in case.name)
    assert [entry[1] for entry in judged(case, kind)] == [blame.rule for blame in case.verdict]


def test_a_marker_without_a_mode_cannot_judge_transitions() -> None:
    marker = full_marker(Case("", TWO, (), ()))
    assert transitions.judgeable(marker)
    del marker["iterationMode"]
    assert not transitions.judgeable(marker)


@pytest.mark.parametrize("path", paths.frozen_files("ralph"))
def test_a_touched_read_only_file_is_named(path: str) -> None:
    lines = gate.iteration(TWO, full_marker(Case("", TWO, (), ())), [path])
    assert any(path in line and "read-only" in line and "put it back" in line for line in lines)


def test_untouched_read_only_files_are_not_mentioned() -> None:
    assert gate.iteration(TWO, full_marker(Case("", TWO, (), ())), []) == []


def test_no_two_cases_have_one_name() -> None:
    assert [name for name, count in Counter(case.name for case in CASES).items() if count > 1] == []
