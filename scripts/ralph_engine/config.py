"""`config`: what every kind of loop is set to and where each value comes from, secrets hidden."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Mapping
from typing import Any

from . import run_options, settings
from .core import loop_command, session_limits
from .failure import Failure
from .harmless import harmless
from .redact import redacted, redacted_words
from .settings import Entries, Entry

_NOT_SET = {
    "maximumIterations": "15, for a prompt 10",
    "breaker": "3, for a prompt 5",
    "model": "the agent's own",
    "reviewModel": "that of the agent",
    "reviewAgent.command": "the agent itself",
    "maxCostUsd": "no limit",
    "maxDuration": "no limit",
    "session.maxDuration": "no limit",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.allow_abbrev = False
    run_options.add_project_argument(parser)
    run_options.add_setting_arguments(parser)
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout")


def main(options: argparse.Namespace) -> int:
    root = run_options.project_folder(options.project_dir)
    entries = settings.collect(root, os.environ, run_options.overrides(options))
    entries = {**entries, **of_sessions(os.environ)}
    entries = {**entries, **of_called(entries)}
    print(json.dumps(_object(entries), indent=2) if options.json else harmless(_words(entries)))
    return 0


def lines(entries: Entries) -> list[str]:
    return [f"{key} = {_shown(key, value)} ({origin})" for key, (value, origin) in entries.items()]


def of_sessions(environment: Mapping[str, str]) -> dict[str, Entry]:
    """What a same-session loop takes where its command says nothing."""
    try:
        plain = loop_command.defaults("ralph-loop", environment)
        audit = loop_command.defaults(loop_command.AUDIT, environment)
    except loop_command.Refused as refusal:
        raise Failure(str(refusal)) from refusal
    known = {
        "maxIterations": (plain["maxIterations"], "RALPH_MAX_ITERATIONS"),
        "completionPromise": (plain["promise"], ""),
        "auditSignal": (audit["promise"], "RALPH_COMPLETION_SIGNAL"),
        "minToolCalls": (plain["minToolCalls"], ""),
        "onPromiseNoWork": (plain["policy"], ""),
        "verifyTimeout": (f"{plain['verifyTimeout'] // 60}m", ""),
        "maxDuration": (plain["maxDuration"] or None, ""),
        "breaker": (session_limits.breaker_threshold(environment), session_limits.THRESHOLD),
    }
    return {
        f"session.{key}": Entry(value, "environment" if environment.get(name) else "default")
        for key, (value, name) in known.items()
    }


def of_called(entries: Entries) -> dict[str, Entry]:
    """Loops whose agents call us go by the same variables as those of sessions."""
    same = {
        "router": ("maxIterations", "auditSignal", "breaker"),
        "tdd": ("breaker",),
    }
    return {
        f"{kind}.{key}": entries[f"session.{key}"] for kind, keys in same.items() for key in keys
    }


def _words(entries: Entries) -> str:
    return "\n".join(lines(entries))


def _object(entries: Entries) -> dict[str, dict[str, Any]]:
    return {
        key: {"value": hidden(value), "origin": origin} for key, (value, origin) in entries.items()
    }


def _shown(key: str, value: Any) -> str:
    if value is None:
        return _NOT_SET.get(key, "none")
    return json.dumps(hidden(value), ensure_ascii=False)


def hidden(value: Any) -> Any:
    if isinstance(value, str):
        return redacted(value)
    if isinstance(value, dict):
        return {name: hidden(entry) for name, entry in value.items()}
    if isinstance(value, list) and all(isinstance(entry, str) for entry in value):
        return redacted_words(value)
    return [hidden(entry) for entry in value] if isinstance(value, list) else value
