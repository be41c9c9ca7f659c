"""Core's parser and the published JSON Schemas accept the same documents."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from property import lists
from property.json_values import json_values
from ralph_engine import schema
from ralph_engine.core import marker, review, session_state, strict_json, tasks

Json = dict[str, Any]
PATH = "ralph/tasks.json"

SNAPSHOT_FIELDS = ("passes", "reviewStatus", "reviewCount", "reviewFeedback", "dependsOn")
MARKER = {
    "timestamp": "t",
    "pid": 1,
    "max_iterations": 3,
    "mode": "direct",
    "skipReview": False,
    "reviewCap": 3,
    "runId": "r",
    "sessionId": "",
    "iteration": 1,
    "story": "US-1",
    "goal": "tasks",
    "ralphDir": "ralph",
    "atCap": "hold",
    "contextWindow": 200000,
    "verifyCommands": ["0"],
    "digests": {"prd.md": "0"},
    "baseline": {},
    "host": "h",
}
DECISION = {"time": "t", "iteration": 1, "decision": "blocked", "why": "no promise"}
LOOP = {
    "version": 1,
    "session": "s-1",
    "kind": "ralph-audit",
    "status": "PAUSED",
    "task": "t",
    "file": "ralph/audit.md",
    "promise": "DONE",
    "iteration": 1,
    "maxIterations": 25,
    "minToolCalls": 1,
    "policy": "warn",
    "verify": ["true"],
    "verifyTimeout": 600,
    "maxDuration": 0,
    "startedAt": "2026-01-01T00:00:00Z",
    "lastRunAt": "2026-01-01T00:00:00Z",
    "pausedAt": "",
    "pausedSeconds": 0,
    "verifyingSince": "",
    "lastFindingsCount": 3,
    "unchangedFindings": 0,
    "toolCalls": 2,
    "turnsWithoutTools": 0,
    "lastTree": "",
    "lastFailure": "",
    "sameFailures": 0,
    "offset": 100,
    "queued": ["/cancel-ralph"],
    "decisions": [DECISION],
}
ABSENT = object()
FROZEN = {"criteria": ["0"], "verify": ["0"], "whole": "0"}
TASK_LIST = {
    "$schema": "s",
    "project": "p",
    "branchName": "b",
    "description": "",
    "verifyCommands": ["true"],
    "userStories": [
        {
            "id": "US-1",
            "title": "t",
            "description": "",
            "acceptanceCriteria": ["works"],
            "priority": 1,
            "passes": False,
            "reviewStatus": None,
            "reviewCount": 0,
            "reviewFeedback": "",
            "notes": "n",
            "dependsOn": [],
            "splitFrom": "US-0",
            "verify": ["true"],
        }
    ],
}
CLOSE_CALLS = [None, True, False, 0, 1, -1, 1.0, 0.5, -0.0, 1e300, "", "x", [], [""], ["x"], {}]
values = st.one_of(*[st.sampled_from(CLOSE_CALLS)] * 5, json_values)


def loaded(value: Any) -> Any:
    return strict_json.parse(json.dumps(value).encode())


@st.composite
def damaged(draw: lists.Draw, document: Json) -> Any:
    """The document with something else at one or two places."""
    result = copy.deepcopy(document)
    for _ in range(draw(st.sampled_from([0, 1, 1, 1, 2]))):
        owner, key = draw(_places(result))
        if owner is None:
            return draw(values)
        if draw(st.integers(0, 3)) == 0:
            del owner[key]
        else:
            owner[key] = draw(values)
    return result


def _places(document: Any) -> st.SearchStrategy[tuple[Any, Any]]:
    """Every field is as likely as any other, however often the document has it."""
    return st.sampled_from(list(_groups(document).values())).flatmap(st.sampled_from)


def _groups(document: Any) -> dict[str, list[tuple[Any, Any]]]:
    """All places by their field; first comes the document itself."""
    groups: dict[str, list[tuple[Any, Any]]] = {"": [(None, None)]}
    ahead = [(document, "")]
    while ahead:
        owner, name = ahead.pop()
        for key in _keys(owner):
            group = str(key) if type(owner) is dict else f"{name}[]"
            groups.setdefault(group, []).append((owner, key))
            ahead.append((owner[key], group))
    return groups


def _damaged_in_every_way(document: Json) -> Iterator[Json]:
    """One field at a time: gone, and each of the values that look right."""
    places = [(g, index) for g, found in _groups(document).items() for index in range(len(found))]
    for group, index in places[1:]:
        for value in [ABSENT, *CLOSE_CALLS]:
            result = copy.deepcopy(document)
            owner, key = _groups(result)[group][index]
            if value is ABSENT:
                del owner[key]
            else:
                owner[key] = value
            yield result


def _keys(value: Any) -> list[Any]:
    if type(value) is dict:
        return list(value)
    return list(range(len(value))) if type(value) is list else []


@st.composite
def markers(draw: lists.Draw) -> Json:
    document = draw(lists.documents(min_size=1))
    entries = {
        story["id"]: {
            **{name: story[name] for name in SNAPSHOT_FIELDS if name in story},
            "frozen": FROZEN,
        }
        for story in document["userStories"]
    }
    mode = draw(st.sampled_from(review.MODES))
    return {**MARKER, "preIterationSnapshot": entries, "iterationMode": mode}


def test_every_field_of_a_task_list() -> None:
    for document in _damaged_in_every_way(TASK_LIST):
        _same_task_verdict(loaded(document))


def test_every_field_of_a_marker() -> None:
    entry = {"passes": False, "reviewStatus": None, "reviewCount": 0, "reviewFeedback": ""}
    snapshot = {"US-1": {**entry, "dependsOn": ["US-2"], "frozen": FROZEN}}
    full = {**MARKER, "preIterationSnapshot": snapshot, "iterationMode": "review"}
    for document in _damaged_in_every_way(full):
        _same_marker_verdict(loaded(document))


def test_every_field_of_a_session_loop() -> None:
    for document in _damaged_in_every_way(LOOP):
        _same_session_verdict(loaded(document))


def test_every_word_that_a_session_loop_may_hold() -> None:
    words = {
        "kind": session_state.KINDS,
        "policy": session_state.POLICIES,
        "status": (session_state.ACTIVE, session_state.PAUSED, *session_state.ENDED),
    }
    for field, known in words.items():
        published = schema.validator("session").schema["properties"][field]["enum"]
        assert sorted(published) == sorted(known)


@given(st.just(LOOP).flatmap(damaged))
def test_nearly_valid_session_loops(document: Any) -> None:
    _same_session_verdict(loaded(document))


@given(json_values)
def test_arbitrary_values(value: Any) -> None:
    _same_session_verdict(loaded(value))
    _same_task_verdict(loaded(value))
    _same_marker_verdict(loaded(value))


@given(lists.documents(min_size=1).flatmap(damaged))
def test_nearly_valid_task_lists(document: Any) -> None:
    _same_task_verdict(loaded(document))


@given(markers().flatmap(damaged))
def test_nearly_valid_markers(document: Any) -> None:
    _same_marker_verdict(loaded(document))


def _same_task_verdict(document: Any) -> None:
    structure = tasks.structure_faults(document, PATH)
    accepted = schema.accepts("tasks", document)
    assert (structure == []) == accepted, structure
    core, published = tasks.faults(document, PATH), schema.task_faults(document, PATH)
    assert sorted(fault.place for fault in core) == sorted(fault.place for fault in published)
    assert sorted(core) == sorted(published)


def _same_session_verdict(document: Any) -> None:
    # Whose it is, and whether a text is a point in time, a schema cannot say.
    named = document.get("session", "") if type(document) is dict else ""
    if type(document) is dict and type(document.get("startedAt")) is str:
        document["startedAt"] = "2026-01-01T00:00:00Z"
    try:
        session_state.parse(json.dumps(document).encode(), named)
        usable = True
    except session_state.Unusable:
        usable = False
    assert usable == schema.accepts("session", document)


def _same_marker_verdict(document: Any) -> None:
    # That the folder stays below the project is more than a schema can say.
    if type(document) is dict and type(document.get("ralphDir")) is str:
        document["ralphDir"] = "ralph"
    accepted = schema.accepts("marker", document)
    assert (marker.parse(json.dumps(document).encode()) is not None) == accepted
