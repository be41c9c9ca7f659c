"""The settings that init asks a person for, as one document."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from . import ask, present_settings, schema, settings
from .core import dot_folder, files, paths
from .harmless import harmless

FILE, _LOCAL = paths.SETTINGS
# Written though nobody is asked for them: a person who opens the file finds them there.
_UNASKED = ("outputTruncateChars", "streamAgentOutput")


def may_be_written(root: str) -> bool:
    """Shows the settings that are there, and asks whether to replace them."""
    if files.kind(root, FILE) != "absent":
        print(harmless("\n".join(present_settings.lines(root))), flush=True)
        return ask.is_yes(ask.line("Overwrite? (y/N): "))
    if files.kind(root, _LOCAL) != "absent":
        ask.say(f"{_LOCAL} is there already and overrides the answers.")
    return True


def asked_for() -> dict[str, Any]:
    """Every question, in order; a blank answer without a default leaves its key out."""
    command = ask.until_fit(
        "Agent command (e.g., claude, codex, amp, or other LLM CLI): ",
        lambda text: _command("agent.command", text),
    )
    flags = ask.until_fit("Agent flags (comma-separated, optional): ", _items)
    most = ask.until_fit("Maximum iterations [15 for task lists, 10 for prompts]: ", _most)
    response = ask.until_fit("Completion response [DONE]: ", _response)
    guardrails = list(_guardrails())
    scm = _scm() if ask.is_yes(ask.line("Configure SCM? (y/N): ")) else {}
    return {
        **({"maximumIterations": most} if most else {}),
        "completionResponse": response,
        **{key: settings.DEFAULTS[key] for key in _UNASKED},
        "agent": {"command": command, "flags": flags},
        "guardrails": guardrails,
        **({"scm": scm} if scm else {}),
    }


def write(root: str, document: dict[str, Any]) -> str:
    """Returns the line that says so."""
    text = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
    dot_folder.ensure(root)
    files.replace_bytes(root, FILE, text.encode("utf-8"))
    return f"Settings written to {FILE}"


def _guardrails() -> Iterator[dict[str, str]]:
    question = "Add guardrail command (leave blank to finish): "
    for command in iter(lambda: ask.until_fit(question, str), ""):
        action = ask.until_fit("  Fail action (APPEND|PREPEND|REPLACE): ", _action)
        hint = ask.until_fit("  Hint (optional, guidance for agent on failure): ", str)
        yield {"command": command, "failAction": action, **({"hint": hint} if hint else {})}


def _scm() -> dict[str, Any]:
    command = ask.until_fit(
        "  SCM command (e.g., git): ", lambda text: _command("scm.command", text)
    )
    tasks = ask.until_fit("  SCM tasks (comma-separated, e.g., commit,push): ", _some_items)
    return {"command": command, "tasks": tasks}


def _command(key: str, text: str) -> str:
    return _closed(str(_fit(key, text)))


def _most(text: str) -> int | None:
    return int(_fit("maximumIterations", settings.number(text))) if text else None


def _response(text: str) -> str:
    return text or str(settings.DEFAULTS["completionResponse"])


def _action(text: str) -> str:
    entry = {"command": "any", "failAction": text.upper()}
    return str(_fit("guardrails", [entry])[0]["failAction"])


def _items(text: str) -> list[str]:
    return [_closed(item.strip()) for item in text.split(",") if item.strip()]


def _some_items(text: str) -> list[str]:
    items = _items(text)
    if not items:
        raise ask.Unfit("Give one at least.")
    return items


def _fit(key: str, value: Any) -> Any:
    wanted = schema.setting_wanted(key, value)
    if wanted:
        raise ask.Unfit(f"Give {wanted}.")
    return value


def _closed(text: str) -> str:
    if settings.unbalanced(text):
        raise ask.Unfit("Close the open quote or backslash.")
    return text
