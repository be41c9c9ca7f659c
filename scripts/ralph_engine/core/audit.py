"""An audit's words: its signals, and the commands that its file wants to see pass."""

from __future__ import annotations

from . import promise

_PROGRESS = ("RALPH_ITERATION_COMPLETE:", "findings remain")
_HEADING = "validation commands"


def is_done(text: str, signal: str) -> bool:
    """The signal stands alone on a line, and nothing in the message speaks against it."""
    return _says(text, signal) and findings(text) is None


def claims_both(text: str, signal: str) -> bool:
    return _says(text, signal) and findings(text) is not None


def findings(text: str) -> int | None:
    """How many remain, by the last line that says so."""
    found = [count for count in map(_findings, _lines(text)) if count is not None]
    return found[-1] if found else None


def _findings(line: str) -> int | None:
    start, end = _PROGRESS
    if not (line.startswith(start) and line.endswith(end)):
        return None
    number = line[len(start) : -len(end)].strip()
    return int(number) if number.isascii() and number.isdigit() and len(number) <= 9 else None


def _says(text: str, signal: str) -> bool:
    return any(signal in (line.strip(), _bare(line)) for line in promise.lines(text))


def _lines(text: str) -> list[str]:
    return [_bare(line) for line in promise.lines(text)]


def _bare(line: str) -> str:
    return line.strip().rstrip(".!")


def commands(markdown: str) -> list[str]:
    """Under the heading: each line of a code block, or `code` that begins a list entry."""
    found: list[str] = []
    inside, fence = False, ""
    for line in markdown.splitlines():
        bare = line.strip()
        if fence:
            fence = "" if bare.startswith(fence) and not bare.strip(fence[0]) else fence
            if fence and inside and bare and not bare.startswith("#"):
                found.append(bare)
        elif bare.startswith(("```", "~~~")):
            fence = bare[:3]
        elif bare.startswith("#"):
            inside = bare.strip("# :").lower() == _HEADING
        elif inside and bare[:3] in ("- `", "* `") and "`" in bare[3:]:
            found.append(bare[3:].partition("`")[0].strip())
    return list(dict.fromkeys(command for command in found if command))


def united(first: list[str], later: list[str]) -> list[str]:
    """What was there at the start stays, what came later is added."""
    return list(dict.fromkeys([*first, *later]))
