"""The evidence log of test-driven scenarios: chained, and all that they are follows from it."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any

from .core.shape import shown

Entry = dict[str, Any]
State = dict[str, Any]
PENDING, RED, GREEN, REFACTORED = "pending", "red", "green", "refactored"
# What a scenario must be for each phase.
_BEFORE = {RED: (PENDING, RED), GREEN: (RED,), REFACTORED: (GREEN,)}


def refusal(log: list[Entry], scenario: str, phase: str, command: str) -> str:
    """Why this phase cannot come now; '' where it can."""
    own = [entry for entry in log if entry["scenarioId"] == scenario]
    status = own[-1]["phase"] if own else PENDING
    if status not in _BEFORE[phase]:
        return (
            f"{scenario} is {status}: only one that is {' or '.join(_BEFORE[phase])} gets {phase}"
        )
    if phase != RED and command != own[-1]["command"]:
        return f"{scenario} was shown {status} by another command: {shown(own[-1]['command'])}"
    return ""


def with_entry(log: list[Entry], entry: Entry, scenarios: list[State]) -> list[Entry]:
    """With the number of scenarios that were there: none of these can be dropped or reworded."""
    entry = {**entry, "scenarios": len(scenarios)}
    return [*log, {**entry, "digest": _digest(log, entry, scenarios)}]


def statuses(log: list[Entry]) -> dict[str, str]:
    return {entry["scenarioId"]: entry["phase"] for entry in log}


def completed(log: list[Entry]) -> list[State]:
    """In the order in which they got green."""
    return [_completed(log, entry) for entry in log if entry["phase"] == GREEN]


def _completed(log: list[Entry], green: Entry) -> State:
    name = green["scenarioId"]
    return {
        "id": name,
        "evidenceCommand": green["command"],
        "redEvidence": last(log, name, RED)["output"],
        "greenEvidence": green["output"],
        "passedAt": green["timestamp"],
    }


def last(log: list[Entry], scenario: str, phase: str) -> Entry:
    found = [e for e in log if e["scenarioId"] == scenario and e["phase"] == phase]
    return found[-1]


def faults(state: State) -> list[str]:
    """What somebody else wrote into the file; nothing where all follows from the log."""
    known = [scenario["id"] for scenario in state["scenarios"]]
    if len(set(known)) != len(known):
        return ["scenarios name an id twice"]
    log: list[Entry] = []
    for number, entry in enumerate(state["evidenceLog"]):
        plain = {name: value for name, value in entry.items() if name != "digest"}
        if entry["digest"] != _digest(log, plain, state["scenarios"]):
            return [f"evidenceLog[{number}] or a scenario was changed after it was written"]
        why = refusal(log, entry["scenarioId"], entry["phase"], entry["command"])
        if why or entry["scenarioId"] not in known:
            return [f"evidenceLog[{number}] cannot be: {why or 'no such scenario'}"]
        log.append(entry)
    return _contradictions(state, log)


def _contradictions(state: State, log: list[Entry]) -> list[str]:
    seen = statuses(log)
    for number, scenario in enumerate(state["scenarios"]):
        proven = seen.get(scenario["id"], PENDING)
        if scenario["status"] != proven:
            status = shown(scenario["status"])
            return [f"scenarios[{number}].status is {status}, but the log says {proven}"]
    if state["completedScenarios"] != completed(log):
        return ["completedScenarios is not what the log says"]
    return []


def _digest(log: list[Entry], entry: Entry, scenarios: list[State]) -> str:
    before = log[-1]["digest"] if log else ""
    count = entry.get("scenarios")
    known = scenarios[:count] if type(count) is int else []
    there = [[one["id"], one["description"]] for one in known]
    told = json.dumps([there, entry], sort_keys=True)
    return sha256(f"{before}\0{told}".encode("ascii")).hexdigest()
