"""Reads what a person typed behind /ralph-loop, /ulw-loop or /ralph-audit."""

from __future__ import annotations

from collections import namedtuple

from .session_state import POLICIES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, NamedTuple

    class Word(NamedTuple):
        start: int
        end: int
        value: str
        quoted: bool
else:
    Word = namedtuple("Word", "start end value quoted")

AUDIT = "ralph-audit"
NO_FINDINGS = "RALPH_AUDIT_COMPLETE_NO_FINDINGS"
LONGEST_VERIFY = 50 * 60
_LONGEST_TASK = 1_000_000
_UNITS = {"s": 1, "m": 60, "h": 3600}
_COUNT = "a whole number from 1 to 999999"
_DURATION = "a duration such as 90s, 15m or 8h"
_QUOTES = "'\""
_BEFORE_QUOTATION = "'\"([{<=:,"
_CLOSING = ",.;:!?)]}"
# Each option, the field of the state that it sets, and how its value is read.
OPTIONS = {
    "--max-iterations": "maxIterations",
    "--completion-promise": "promise",
    "--min-tool-calls": "minToolCalls",
    "--on-promise-no-work": "policy",
    "--verify": "verify",
    "--verify-timeout": "verifyTimeout",
    "--max-duration": "maxDuration",
}
_USAGE = (
    "[--max-iterations N] [--completion-promise TEXT] [--min-tool-calls M] "
    '[--on-promise-no-work reject|warn|accept] [--verify "CMD"]... [--verify-timeout D] '
    "[--max-duration D]"
)


class Refused(Exception):
    """What was typed starts no loop; the message is one line for the person."""


def usage(name: str) -> str:
    wanted = "[FILE]" if name == AUDIT else '"<task>"'
    return f"usage: /{name} {wanted} {_USAGE}"


def parse(name: str, raw: str, environment: Mapping[str, str]) -> dict[str, Any]:
    """The loop's fields; `task` is the audit's FILE, or '' where none was named."""
    try:
        chosen = {**defaults(name, environment), **_chosen(raw)}
        _expect_task(name, chosen["task"])
    except Refused as refusal:
        raise Refused(f"{refusal}; {usage(name)}") from None
    return chosen


def defaults(name: str, environment: Mapping[str, str]) -> dict[str, Any]:
    most = environment.get("RALPH_MAX_ITERATIONS") or "25"
    signal = environment.get("RALPH_COMPLETION_SIGNAL") or NO_FINDINGS
    return {
        "maxIterations": count("RALPH_MAX_ITERATIONS", most),
        "promise": signal if name == AUDIT else "DONE",
        "minToolCalls": 1,
        "policy": "reject",
        "verify": [],
        "verifyTimeout": 600,
        "maxDuration": 0,
    }


def _chosen(raw: str) -> dict[str, Any]:
    """Options may stand anywhere outside quotes; the rest is the task, as it was typed."""
    left = words(raw)[::-1]
    chosen: dict[str, Any] = {"verify": []}
    task: list[Word] = []
    while left:
        word = left.pop()
        if not raw.startswith("--", word.start) or not word.value[2:3].isalpha():
            task.append(word)
            continue
        option, equals, value = word.value.partition("=")
        if option not in OPTIONS:
            raise Refused(f"{_shown(option)} is no option (a task with -- in it needs quotes)")
        if not equals:
            if not left or _is_option(raw, left[-1]):
                raise Refused(f"{option} needs a value")
            word = left.pop()
            value = word.value
        _expect_nothing_behind(raw, word, option)
        _set(chosen, option, value)
        # What stands on both sides of an option is not one stretch of text.
        task.append(Word(-1, -1, "", False))
    return {**chosen, "task": _text(raw, task)}


def _is_option(raw: str, word: Word) -> bool:
    return raw.startswith("--", word.start) and word.value.partition("=")[0] in OPTIONS


def _expect_nothing_behind(raw: str, word: Word, option: str) -> None:
    """As a shell reads it, the comma in `--verify "npm test", ...` is part of the command."""
    quote, mark = raw[word.end - 2], raw[word.end - 1]
    if quote in _QUOTES and mark in _CLOSING:
        raise Refused(f"{option} has {_shown(mark)} behind its closing quote, leave it out")


def _set(chosen: dict[str, Any], option: str, value: str) -> None:
    field = OPTIONS[option]
    if field == "verify":
        chosen["verify"].append(_line(option, value))
    elif field in ("maxIterations", "minToolCalls"):
        chosen[field] = count(option, value)
    elif field == "promise":
        chosen[field] = _line(option, value)
    elif field == "policy":
        chosen[field] = _policy(option, value)
    else:
        chosen[field] = _duration(option, value)


def count(option: str, value: str) -> int:
    if not _is_plain_number(value):
        raise Refused(f"{option} is {_shown(value)}, give {_COUNT}")
    return int(value)


def _is_plain_number(value: str) -> bool:
    return value.isascii() and value.isdigit() and value[0] != "0" and len(value) <= 6


def _duration(option: str, value: str) -> int:
    if value[-1:] not in _UNITS or not _is_plain_number(value[:-1]):
        raise Refused(f"{option} is {_shown(value)}, give {_DURATION}")
    seconds = int(value[:-1]) * _UNITS[value[-1]]
    if option == "--verify-timeout" and seconds > LONGEST_VERIFY:
        raise Refused(f"{option} is {_shown(value)}, give at most 50m")
    return seconds


def _policy(option: str, value: str) -> str:
    if value not in POLICIES:
        raise Refused(f"{option} is {_shown(value)}, give reject, warn or accept")
    return value


def _line(option: str, value: str) -> str:
    if not value.strip():
        raise Refused(f"{option} is empty")
    if option != "--verify" and not value.isprintable():
        raise Refused(f"{option} is {_shown(value)}, give one line of text")
    return value


def _expect_task(name: str, task: str) -> None:
    if name != AUDIT and not task.strip():
        raise Refused("the task is missing")
    if len(task) > _LONGEST_TASK:
        raise Refused(f"the task has {len(task)} characters, put it into a file and name that")


def _text(raw: str, task: list[Word]) -> str:
    """One quoted text without its quotes, everything else exactly as it was typed."""
    typed = [word for word in task if word.start >= 0]
    if len(typed) == 1 and typed[0].quoted:
        return typed[0].value
    stretches: list[list[Word]] = [[]]
    for word in task:
        if word.start < 0:
            stretches.append([])
        else:
            stretches[-1].append(word)
    return " ".join(raw[part[0].start : part[-1].end] for part in stretches if part)


def words(raw: str) -> list[Word]:
    """As a shell would part them; a quote that opens or closes nothing is plain text."""
    found: list[Word] = []
    place = 0
    partners = {quote: _partners(raw, quote) for quote in _QUOTES}
    while True:
        while place < len(raw) and raw[place].isspace():
            place += 1
        if place == len(raw):
            return found
        found.append(_word(raw, place, partners))
        place = found[-1].end


def _partners(raw: str, quote: str) -> dict[int, int]:
    """Where each of these quotes would be closed, -1 where it never is.

    From the right, in one pass: looked for from each open one to the end, a long text takes hours.
    """
    found: dict[int, int] = {}
    nearest: dict[int, int] = {}
    depth, place = 0, raw.rfind(quote)
    while place >= 0:
        found[place] = nearest.get(depth - 1, -1)
        nearest[depth] = place
        depth -= _step(raw, place)
        place = raw.rfind(quote, 0, place)
    return found


def _step(raw: str, place: int) -> int:
    """1 where a quotation within a quotation opens, -1 where one closes, 0 at an apostrophe."""
    quote, before, behind = raw[place], raw[place - 1 : place], raw[place + 1 : place + 2]
    if quote == '"' and _is_escaped(raw, place):
        return 0
    if not behind or behind.isspace() or behind in _QUOTES or _ends_two(raw, place):
        return -1
    if not before or before.isspace() or before in _BEFORE_QUOTATION:
        return 1
    return -1 if quote == '"' or not behind.isalnum() else 0


def _ends_two(raw: str, place: int) -> bool:
    """The outer quote of `'sh -c "npm test"', then`: a quote before it opens nothing here."""
    before, behind = raw[place - 1 : place], raw[place + 1 : place + 3]
    between = before and before in _QUOTES and behind and behind[0] in _CLOSING
    return bool(between) and (len(behind) == 1 or behind[1].isspace())


def _is_escaped(raw: str, place: int) -> bool:
    before = place
    while before > 0 and raw[before - 1] == "\\":
        before -= 1
    return (place - before) % 2 == 1


def _word(raw: str, start: int, partners: dict[str, dict[int, int]]) -> Word:
    value: list[str] = []
    place, quoted, plain = start, False, False
    while place < len(raw) and not raw[place].isspace():
        end = partners[raw[place]][place] if _may_open(raw, start, place, quoted) else -1
        if end > 0:
            value.append(_unquoted(raw[place + 1 : end], raw[place]))
            place, quoted = end + 1, True
            continue
        plain = True
        if raw[place] == "\\" and place + 1 < len(raw):
            place += 1
        value.append(raw[place])
        place += 1
    return Word(start, place, "".join(value), quoted and not plain)


def _may_open(raw: str, start: int, place: int, quoted: bool) -> bool:
    """Not in the middle of a word: an apostrophe there is an apostrophe."""
    if raw[place] not in _QUOTES:
        return False
    behind_equals = raw[place - 1] == "=" and raw.startswith("--", start)
    return place == start or behind_equals or (quoted and raw[place - 1] in _QUOTES)


def _unquoted(text: str, quote: str) -> str:
    if quote == "'":
        return text
    value, place = [], 0
    while place < len(text):
        if text[place] == "\\" and text[place + 1 : place + 2] in ('"', "\\", "$", "`"):
            place += 1
        value.append(text[place])
        place += 1
    return "".join(value)


def _shown(value: str) -> str:
    import json

    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:57] + "..."
