"""Any sequence of tdd's steps: what was recorded stays byte for byte, and nobody can rewrite it."""

from __future__ import annotations

import copy
import json
from typing import Any, NamedTuple

from hypothesis import given
from hypothesis import strategies as st
from ralph_engine import schema, tdd_log, tdd_state

State = dict[str, Any]
NAMES = ("a", "b", "c")
PHASES = ("red", "green", "refactored")


class Step(NamedTuple):
    what: str
    name: str = ""
    command: str = "x"
    output: bytes = b""


steps = st.one_of(
    st.builds(Step, st.just("add"), st.sampled_from(NAMES)),
    st.just(Step("next")),
    *[
        st.builds(
            Step,
            st.sampled_from(PHASES),
            st.sampled_from(NAMES),
            st.sampled_from(["x", "y"]),
            st.binary(max_size=8),
        )
    ]
    * 3,
)


class Truth:
    """By the rules, in other words than the engine's: a scenario and the commands that count."""

    def __init__(self) -> None:
        self.status: dict[str, str] = {}
        self.command: dict[str, str] = {}

    def allows(self, step: Step) -> bool:
        status = self.status.get(step.name)
        if step.what == "add":
            return status is None
        if step.what == "red":
            return status in ("pending", "red")
        same = self.command.get(step.name) == step.command
        return same and status == {"green": "red", "refactored": "green"}[step.what]

    def follow(self, step: Step) -> None:
        self.status[step.name] = "pending" if step.what == "add" else step.what
        if step.what == "red":
            self.command[step.name] = step.command


def taken(state: State, step: Step) -> State | None:
    """What the verb would write; None where it refuses."""
    if step.what == "next":
        return tdd_state.asked(state)
    known = tdd_state.find(state, step.name)
    if step.what == "add":
        return None if known else tdd_state.added(state, step.name, "d")
    log = state["evidenceLog"]
    if not known or tdd_log.refusal(log, step.name, step.what, step.command):
        return None
    return tdd_state.recorded(state, step.name, step.what, step.command, step.output, 0.0)


def walked(walk: list[Step]) -> State:
    state = tdd_state.fresh()
    for step in walk:
        state = taken(state, step) or state
    return state


@given(st.lists(steps, max_size=25))
def test_what_was_recorded_stays_and_follows_the_rules(walk: list[Step]) -> None:
    state, truth = tdd_state.fresh(), Truth()
    for step in walk:
        before = [json.dumps(entry) for entry in state["evidenceLog"]]
        after = taken(state, step)
        assert step.what == "next" or (after is not None) == truth.allows(step)
        if after is None:
            continue
        if step.what != "next":
            truth.follow(step)
        entries = [json.dumps(entry) for entry in after["evidenceLog"]]
        assert entries[: len(before)] == before
        assert len(entries) - len(before) == (step.what in PHASES)
        state = json.loads(json.dumps(after))
        assert schema.accepts("tdd-state", state) and tdd_log.faults(state) == []
        assert {s["id"]: s["status"] for s in state["scenarios"]} == truth.status
        done = {name for name, status in truth.status.items() if status in PHASES[1:]}
        assert {entry["id"] for entry in state["completedScenarios"]} == done
        left = [name for name in truth.status if name not in done]
        assert step.what != "next" or state["currentScenario"] == (left[0] if left else None)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place of a document that holds a plain value."""
    if isinstance(value, dict):
        return [place for key in value for place in places(value[key], (*path, key))]
    if isinstance(value, list):
        return [place for n, entry in enumerate(value) for place in places(entry, (*path, n))]
    return [path]


def changed(state: State, path: tuple[Any, ...]) -> State:
    found = copy.deepcopy(state)
    place: Any = found
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = "green" if path[-1] in ("status", "phase") else f"{place[path[-1]]}x"
    return found


@given(st.lists(steps, min_size=3, max_size=20), st.data())
def test_a_rewritten_log_is_found_out(walk: list[Step], data: st.DataObject) -> None:
    state = walked([Step("add", name) for name in NAMES] + [Step("red", "a", "x", b"E")] + walk)
    log = state["evidenceLog"]
    cut = data.draw(st.integers(0, len(log) - 1))
    drop = {**state, "evidenceLog": [*log[:cut], *log[cut + 1 :]]}
    assert tdd_log.faults(drop) != [] or _tells_the_same(state, drop)
    swapped = {**state, "evidenceLog": log[::-1]}
    assert log == log[::-1] or tdd_log.faults(swapped) != []
    place = data.draw(st.sampled_from(places({"evidenceLog": log})))
    other = changed(state, place)
    assert other == state or tdd_log.faults(other) != []


def _tells_the_same(state: State, other: State) -> bool:
    """The last of several reds of one scenario says nothing that the one before did not."""
    return tdd_log.statuses(state["evidenceLog"]) == tdd_log.statuses(other["evidenceLog"])
