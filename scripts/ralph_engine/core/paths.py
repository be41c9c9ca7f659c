"""Every path of a project, relative to its root."""

from __future__ import annotations

MARKER = ".ralph-active"
DOT_FOLDER = ".ralph"
DOT_IGNORE = ".ralph/.gitignore"
HOOK_EVENTS = ".ralph/hook-events.jsonl"
HOOK_ERRORS = ".ralph/hook-errors.log"
SETTINGS = (".ralph/settings.json", ".ralph/settings.local.json")
SIGNALS = ("DONE", "WAIT", "WAIT_WITHOUT_RESTART")
WAITS = SIGNALS[1:]
ROUTER_STATE = ".ralph/router-state.json"
TDD_STATE = ".ralph/tdd-state.json"
CLEARED = ".ralph/sessions/cleared"
DEFAULT_RALPH_DIR = "ralph"
ARCHIVE = "ralph-archive"


def tasks(ralph_dir: str) -> str:
    return f"{ralph_dir}/tasks.json"


def prd(ralph_dir: str) -> str:
    return f"{ralph_dir}/prd.md"


def signals(ralph_dir: str, names: tuple[str, ...] = SIGNALS) -> list[str]:
    return [f"{ralph_dir}/{name}" for name in names]


def frozen_files(ralph_dir: str) -> list[str]:
    """What no agent may change during a run."""
    return [prd(ralph_dir), f"{ralph_dir}/prompt.md", *SETTINGS]


def reviewer_files(ralph_dir: str) -> list[str]:
    """All that a review iteration may commit; the last one is a folder."""
    own = [f"{ralph_dir}/{name}" for name in ("tasks.json", "progress.txt", "guardrails.md")]
    return [*own, "CLAUDE.md", ".claude/rules"]


def audit(ralph_dir: str) -> str:
    return f"{ralph_dir}/audit.md"


def guardrails(ralph_dir: str) -> str:
    return f"{ralph_dir}/guardrails.md"


def block_count(session: str) -> str:
    return f".ralph/blocks/{session}"


def session_state(session: str) -> str:
    return f".ralph/sessions/{session}.json"


def ended_session(session: str) -> str:
    return f".ralph/sessions/ended/{session}.json"


def ended_beside(session: str) -> str:
    """Where the folder of the ended ones takes nothing; the dot makes it no other session's."""
    return f".ralph/sessions/{session}.ended.json"


def unusable_session(session: str) -> str:
    return f".ralph/sessions/unusable/{session}.json"


def ended_router(number: int) -> str:
    return f".ralph/router-ended/{number}.json"


def older(path: str, number: int) -> str:
    """No session id has a dot: this is nobody's first file."""
    return f"{path[: -len('.json')]}.{number}.json"


def is_session_id(text: object) -> bool:
    """Letters, digits and dashes only: an id becomes a file name."""
    return (
        isinstance(text, str)
        and 0 < len(text) <= 128
        and text.isascii()
        and text.replace("-", "").isalnum()
    )


def stays_below(relative: object) -> bool:
    """A plain relative path: no way up, no absolute start, no empty step."""
    if not isinstance(relative, str) or "\0" in relative:
        return False
    return all(step not in ("", ".", "..") for step in relative.split("/"))
