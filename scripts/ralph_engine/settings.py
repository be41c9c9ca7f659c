"""The settings of a run: two files, the environment and flags, merged by priority."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from . import display, durations, schema
from .core import files, paths, strict_json
from .core.shape import shown
from .core.tasks import SHOWN_FAULTS
from .display import Display
from .failure import Failure
from .redact import redacted

SIZE_LIMIT = 65536
CHECK_TIMEOUT = "10m"
# Nothing where the kind of goal or the agent decides. A nested key is one name with a dot.
DEFAULTS: dict[str, Any] = {
    "maximumIterations": None,
    "completionResponse": "DONE",
    "outputTruncateChars": 5000,
    "streamAgentOutput": True,
    "includeIterationCountInPrompt": False,
    "agent.command": "claude",
    "agent.flags": [],
    "agent.fallback.command": None,
    "agent.fallback.flags": [],
    "reviewAgent.command": None,
    "reviewAgent.flags": [],
    "model": None,
    "reviewModel": None,
    "guardrails": [],
    "scm.command": None,
    "scm.tasks": None,
    "skipReview": False,
    "reviewCap": 5,
    "atCap": "approve",
    "redFirst": False,
    "strictTests": False,
    "maxCostUsd": None,
    "maxDuration": None,
    "iterationTimeout": "60m",
    "idleTimeout": "15m",
    "delay": "1s",
    "waitOnLimit": True,
    "breaker": None,
    "display.emoji": True,
    "display.color": True,
    "display.timestamps": False,
    "display.maxOutputLines": 5,
    "display.maxOutputChars": 500,
    "notify": None,
    "guard.allow": [],
    "sandbox.backend": "auto",
    "sandbox.network": "open",
    "sandbox.allowHosts": [],
}


class Entry(NamedTuple):
    value: Any
    origin: str


Entries = Mapping[str, Entry]


@dataclass(frozen=True)
class Agent:
    command: str
    flags: tuple[str, ...]


@dataclass(frozen=True)
class Guardrail:
    command: str
    fail_action: str
    hint: str
    timeout: float


@dataclass(frozen=True)
class Scm:
    command: str
    tasks: tuple[str, ...]


@dataclass(frozen=True)
class Sandboxing:
    backend: str
    network: str
    allow_hosts: tuple[str, ...]


@dataclass(frozen=True)
class Settings:
    """Times in seconds; None where nobody set a limit or the kind of goal decides."""

    maximum_iterations: int | None
    completion_response: str
    output_truncate_chars: int
    stream_agent_output: bool
    include_iteration_count_in_prompt: bool
    agent: Agent
    fallback: Agent | None
    review_agent: Agent | None
    model: str | None
    review_model: str | None
    guardrails: tuple[Guardrail, ...]
    scm: Scm | None
    skip_review: bool
    review_cap: int
    at_cap: str
    red_first: bool
    strict_tests: bool
    max_cost_usd: float | None
    max_duration: float | None
    iteration_timeout: float
    idle_timeout: float
    delay: float
    wait_on_limit: bool
    breaker: int | None
    display: Display
    notify: str | None
    sandbox: Sandboxing


class _Layer(NamedTuple):
    entries: Entries
    faults: list[str]


def read(root: str, environment: Mapping[str, str], flags: Entries) -> Settings:
    return settled(collect(root, environment, flags))


def collect(root: str, environment: Mapping[str, str], flags: Entries) -> dict[str, Entry]:
    """Every setting with its origin, or a Failure with all faults at once."""
    layers = [_from_file(root, path) for path in paths.SETTINGS]
    layers.append(_from_environment(environment))
    result = merged([layer.entries for layer in layers], flags)
    faults = [fault for layer in layers for fault in layer.faults] or _incomplete(result)
    if faults:
        raise Failure(_complaint(faults))
    return result


def merged(layers: list[Entries], flags: Entries) -> dict[str, Entry]:
    below = {key: Entry(value, "default") for key, value in DEFAULTS.items()}
    for layer in layers:
        below.update(layer)
    result = {**below, **flags}
    # Flags are written for one program: another one named by --agent would choke on them.
    for agent in ("agent", "reviewAgent"):
        command = result[f"{agent}.command"]
        if command.value != below[f"{agent}.command"].value:
            result[f"{agent}.flags"] = Entry([], command.origin)
    return result


def flattened(document: Mapping[str, Any], origin: str) -> dict[str, Entry]:
    """Objects merge and all else replaces: with one name per leaf, that is dict.update."""
    result = {}
    for key, value in document.items():
        if isinstance(value, dict):
            inner = flattened(value, origin)
            result.update({f"{key}.{name}": entry for name, entry in inner.items()})
        elif key != "$schema":
            result[key] = Entry(value, origin)
    return result


def settled(entries: Entries) -> Settings:
    value = {key: entry.value for key, entry in entries.items()}
    return Settings(
        maximum_iterations=_whole(value["maximumIterations"]),
        completion_response=value["completionResponse"],
        output_truncate_chars=int(value["outputTruncateChars"]),
        stream_agent_output=value["streamAgentOutput"],
        include_iteration_count_in_prompt=value["includeIterationCountInPrompt"],
        agent=_agent(value["agent.command"], value["agent.flags"]),
        fallback=_optional_agent(value, "agent.fallback"),
        review_agent=_optional_agent(value, "reviewAgent"),
        model=value["model"],
        review_model=value["reviewModel"],
        guardrails=tuple(_guardrail(entry) for entry in value["guardrails"]),
        scm=_scm(value["scm.command"], value["scm.tasks"]),
        skip_review=value["skipReview"],
        review_cap=int(value["reviewCap"]),
        at_cap=value["atCap"],
        red_first=value["redFirst"],
        strict_tests=value["strictTests"],
        max_cost_usd=None if value["maxCostUsd"] is None else float(value["maxCostUsd"]),
        max_duration=None if value["maxDuration"] is None else _seconds(value, "maxDuration"),
        iteration_timeout=_seconds(value, "iterationTimeout"),
        idle_timeout=_seconds(value, "idleTimeout"),
        delay=_seconds(value, "delay"),
        wait_on_limit=value["waitOnLimit"],
        breaker=_whole(value["breaker"]),
        display=display.of(value),
        notify=value["notify"],
        sandbox=Sandboxing(
            value["sandbox.backend"],
            value["sandbox.network"],
            tuple(value["sandbox.allowHosts"]),
        ),
    )


def unbalanced(text: str) -> bool:
    """No shell could split this into words."""
    try:
        shlex.split(text)
    except ValueError:
        return True
    return False


def number(text: str) -> int | float | str:
    """The number, or the text as it is for the schema to refuse."""
    # int() and float() alone would also take 1_0, other scripts' digits, inf and nan.
    if re.fullmatch("[0-9]{1,9}", text):
        return int(text)
    return float(text) if re.fullmatch(r"[0-9]{1,9}\.[0-9]{1,9}", text) else text


def _from_file(root: str, path: str) -> _Layer:
    try:
        document = strict_json.parse(files.read_bytes(root, path, SIZE_LIMIT))
    except files.Missing:
        return _Layer({}, [])
    except files.FileFault as fault:
        return _Layer({}, [str(fault)])
    except strict_json.NotJson as error:
        return _Layer({}, [f"{path} {error}"])
    faults = schema.settings_faults(document, path) or _quote_faults(document, path)
    return _Layer({}, faults) if faults else _Layer(flattened(document, path), [])


def _from_environment(environment: Mapping[str, str]) -> _Layer:
    text = environment.get("RALPH_MAX_ITERATIONS")
    if text is None:
        return _Layer({}, [])
    wanted = schema.setting_wanted("maximumIterations", number(text))
    if wanted:
        return _Layer({}, [f"RALPH_MAX_ITERATIONS is {shown(text)}; set {wanted}"])
    return _Layer({"maximumIterations": Entry(number(text), "environment")}, [])


def _quote_faults(document: Mapping[str, Any], path: str) -> list[str]:
    items: dict[str, str] = {}
    for key, (value, _) in flattened(document, path).items():
        group, _, name = key.rpartition(".")
        if group and name == "command":
            items[key] = value
        elif group and isinstance(value, list):
            items.update({f"{key}[{i}]": item for i, item in enumerate(value)})
    return [
        f"{path}: {place} is {shown(redacted(item))}, where a quote or backslash is left open;"
        " close it"
        for place, item in items.items()
        if unbalanced(item)
    ]


def _incomplete(entries: Entries) -> list[str]:
    """Settings without the other one that they need."""
    pair = ("scm.command", "scm.tasks")
    given = [key for key in pair if entries[key].value is not None]
    alone = [(given[0], pair[1 - pair.index(given[0])])] if len(given) == 1 else []
    for group in ("agent.fallback", "reviewAgent"):
        if entries[f"{group}.flags"].value and entries[f"{group}.command"].value is None:
            alone.append((f"{group}.flags", f"{group}.command"))
    return [f"{entries[one].origin}: {more} is missing; add it beside {one}" for one, more in alone]


def _complaint(faults: list[str]) -> str:
    if len(faults) == 1:
        return faults[0]
    lines = [f"the settings have {len(faults)} faults", *faults[:SHOWN_FAULTS]]
    more = len(faults) - SHOWN_FAULTS
    return "\n  ".join(lines + ([f"... and {more} more"] if more > 0 else []))


def _whole(value: Any) -> int | None:
    # 5.0 is an integer to JSON Schema.
    return None if value is None else int(value)


def _seconds(value: Mapping[str, Any], key: str) -> float:
    return durations.seconds(value[key], key)


def _agent(command: str, flags: list[str]) -> Agent:
    program, *rest = shlex.split(command)
    return Agent(program, (*rest, *(word for item in flags for word in shlex.split(item))))


def _optional_agent(value: Mapping[str, Any], group: str) -> Agent | None:
    command = value[f"{group}.command"]
    return _agent(command, value[f"{group}.flags"]) if command else None


def _guardrail(entry: Mapping[str, str]) -> Guardrail:
    return Guardrail(
        command=entry["command"],
        fail_action=entry["failAction"].upper(),
        hint=entry.get("hint", ""),
        timeout=durations.seconds(entry.get("timeout", CHECK_TIMEOUT), "timeout"),
    )


def _scm(command: str | None, tasks: list[str] | None) -> Scm | None:
    return Scm(command, tuple(tasks)) if command and tasks else None
