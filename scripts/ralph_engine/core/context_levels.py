"""How full a context may be before its agent is told, and what it is told then."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

NOTICE, WARNING, CRITICAL = "NOTICE", "WARNING", "CRITICAL"
SEVERITIES = {50: NOTICE, 60: NOTICE, 70: WARNING, 80: WARNING, 90: CRITICAL}

DEFAULT_WINDOW = 200_000
WIDE_WINDOW = 1_000_000
_CHARS_PER_TOKEN = 4.0

_IN_A_LOOP = {
    NOTICE: (
        "Be mindful of remaining space. Plan to finish your current task within this session. "
        "If you discover follow-up work, add new stories to {ralph}/tasks.json: the next "
        "iteration will pick them up."
    ),
    WARNING: (
        "Finish your current task and commit soon. Do not start additional tasks. If work "
        "remains, create new stories in {ralph}/tasks.json for the next iteration and capture "
        "implementation details and insights in {ralph}/progress.txt, so that the next "
        "iteration has full context."
    ),
    CRITICAL: (
        "Wrap up immediately. Do NOT start new work. Instead: (1) create new stories in "
        "{ralph}/tasks.json for any remaining work, (2) write implementation details, insights "
        "and handoff notes to {ralph}/progress.txt, (3) commit all changes, (4) stop. The next "
        "iteration will continue from where you left off."
    ),
}
_OUTSIDE = {
    NOTICE: (
        "Be mindful of remaining space. Plan to finish your current task within this session. "
        "If you discover follow-up work, note it for later instead of starting it."
    ),
    WARNING: (
        "Finish your current task soon, and commit it if commits are yours to make. Do not "
        "start additional tasks. If work remains, write down what is left and what you learned, "
        "so that a new session has full context."
    ),
    CRITICAL: (
        "Wrap up immediately. Do NOT start new work. Instead: (1) list the remaining work, "
        "(2) write implementation details, insights and handoff notes where a new session will "
        "find them, (3) commit your changes if commits are yours to make, (4) stop and say what "
        "is left."
    ),
}


def window(environment: Mapping[str, str], of_marker: object) -> int:
    """In tokens, before it is known that more fit in."""
    told = _number(environment.get("CLAUDE_CONTEXT_WINDOW"))
    if told >= 1:
        return int(told)
    return of_marker if type(of_marker) is int and of_marker > 0 else DEFAULT_WINDOW


def chars_per_token(environment: Mapping[str, str]) -> float:
    return _number(environment.get("RALPH_CHARS_PER_TOKEN")) or _CHARS_PER_TOKEN


def _number(text: str | None) -> float:
    """0.0 for all that is no sensible positive number."""
    try:
        value = float(text or 0)
    except ValueError:
        return 0.0
    return value if 0.01 <= value <= 1e12 else 0.0


def crossed(tokens: int, window: int) -> list[int]:
    """Thresholds in per cent, ascending."""
    return [threshold for threshold in SEVERITIES if tokens * 100 >= threshold * window]


def armed_again(given: dict[int, int], reached: list[int], compacted: int) -> list[int]:
    """Of the alerts given (each at a size of the transcript), those above the level that a
    later compaction has lowered.

    By the compaction, not by the level alone: a hook that was overtaken sees an old level.
    """
    return [t for t, size in given.items() if t not in reached and compacted >= size]


def words(threshold: int, tokens: int, window: int, exact: bool, ralph_dir: str) -> str:
    """`ralph_dir` is '' outside a loop on a task list."""
    severity = SEVERITIES[threshold]
    about = "" if exact else "about "
    advice = (_IN_A_LOOP if ralph_dir else _OUTSIDE)[severity].format(ralph=ralph_dir)
    return (
        f"Context {severity}: {about}{tokens * 100 // window} % of the context window is used "
        f"({tokens:,} of {window:,} tokens). {advice}"
    )
