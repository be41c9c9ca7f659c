"""Scenarios on their way from pending to green, and which one is next: pure."""

from __future__ import annotations

from typing import Any

from . import tdd_log
from .core import clock

State = dict[str, Any]
Scenario = dict[str, str]
_LONGEST_ID, _LONGEST_DESCRIPTION = 64, 10_000
_MOST_OUTPUT = 20_000


def fresh() -> State:
    return {
        "version": 1,
        "scenarios": [],
        "completedScenarios": [],
        "currentScenario": None,
        "askedFor": 0,
        "evidenceLog": [],
    }


def id_fault(name: str) -> str:
    """An id stands on command lines and in lists: nothing in it needs a quote."""
    plain = name.replace("-", "").replace("_", "").replace(".", "")
    fits = 0 < len(name) <= _LONGEST_ID and plain.isascii() and plain.isalnum()
    if fits and name[0] not in "-.":
        return ""
    return f"give up to {_LONGEST_ID} letters, digits, dots, dashes and underscores"


def description_fault(text: str) -> str:
    if not text.strip():
        return "give what the test will show"
    return f"give at most {_LONGEST_DESCRIPTION} characters" * (len(text) > _LONGEST_DESCRIPTION)


def find(state: State, name: str) -> Scenario | None:
    return next((scenario for scenario in state["scenarios"] if scenario["id"] == name), None)


def added(state: State, name: str, description: str) -> State:
    scenario = {"id": name, "description": description, "status": tdd_log.PENDING}
    return {**state, "scenarios": [*state["scenarios"], scenario]}


def asked(state: State) -> State:
    """The first that is not completed is current; how often it was asked for is counted."""
    done = {entry["id"] for entry in state["completedScenarios"]}
    left = [scenario["id"] for scenario in state["scenarios"] if scenario["id"] not in done]
    current = left[0] if left else None
    again = state["askedFor"] if current == state["currentScenario"] else 0
    return {**state, "currentScenario": current, "askedFor": again + 1 if current else 0}


def recorded(state: State, name: str, phase: str, command: str, output: bytes, now: float) -> State:
    entry = {
        "scenarioId": name,
        "phase": phase,
        "command": command,
        "output": kept(output),
        "timestamp": clock.text(now),
    }
    log = tdd_log.with_entry(state["evidenceLog"], entry, state["scenarios"])
    proven = tdd_log.statuses(log)
    moved = proven.get(name) != tdd_log.statuses(state["evidenceLog"]).get(name)
    return {
        **state,
        "scenarios": [
            {**scenario, "status": proven.get(scenario["id"], tdd_log.PENDING)}
            for scenario in state["scenarios"]
        ],
        "completedScenarios": tdd_log.completed(log),
        "askedFor": 0 if moved and name == state["currentScenario"] else state["askedFor"],
        "evidenceLog": log,
    }


def kept(output: bytes) -> str:
    """All of it, or its end: there programs say what failed."""
    text = output.decode("utf-8", "replace")
    left_out = len(text) - _MOST_OUTPUT
    return text if left_out <= 0 else f"[... {left_out} characters left out ...]\n{text[left_out:]}"
