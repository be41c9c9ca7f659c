"""Circles in dependsOn: each is named once, and no more than are ever shown."""

from __future__ import annotations

from typing import Any

import pytest
from ralph_engine.core import tasks


def a_list(depends_on: dict[str, list[str]]) -> dict[str, Any]:
    stories = [
        {
            "id": name,
            "title": "",
            "acceptanceCriteria": ["a"],
            "priority": 1,
            "passes": False,
            "reviewStatus": None,
            "reviewCount": 0,
            "reviewFeedback": "",
            "dependsOn": wanted,
        }
        for name, wanted in depends_on.items()
    ]
    return {"project": "p", "branchName": "b", "description": "", "userStories": stories}


def circles(depends_on: dict[str, list[str]]) -> list[str]:
    found = tasks.faults(a_list(depends_on))
    return [fault.problem for fault in found if fault.problem.startswith("goes in a circle: ")]


@pytest.mark.parametrize(
    ("depends_on", "way"),
    [
        ({"A": ["A"]}, "A -> A"),
        ({"A": ["B"], "B": ["A"]}, "A -> B -> A"),
        ({"S": ["A"], "A": ["B"], "B": ["A"]}, "A -> B -> A"),
        (
            {"A": "BX", "B": "C", "C": "D", "D": "E", "E": "A", "X": ""},
            "A -> B -> C -> D -> E -> A",
        ),
        (
            {"A": "B", "B": "C", "C": "D", "D": "E", "E": "F", "F": "A"},
            "A -> B -> C -> D -> ... -> A",
        ),
    ],
)
def test_the_way_is_told(depends_on: dict[str, Any], way: str) -> None:
    assert circles({name: list(wanted) for name, wanted in depends_on.items()}) == [
        f"goes in a circle: {way}"
    ]


@pytest.mark.parametrize(("number", "told"), [(19, 19), (20, 20), (21, 20), (50, 20)])
def test_no_more_than_are_shown(number: int, told: int) -> None:
    found = circles({f"US-{n}": [f"US-{n}"] for n in range(number)})
    assert found == [f"goes in a circle: US-{n} -> US-{n}" for n in range(told)]


def test_two_ways_to_one_story_are_no_circle() -> None:
    assert circles({"A": ["B", "C"], "B": ["D"], "C": ["D"], "D": []}) == []
