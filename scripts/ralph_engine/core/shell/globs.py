"""Shell patterns without `re`, which would cost every hook ten milliseconds."""

from __future__ import annotations

_MAGIC = "*?["


def is_glob(text: str) -> bool:
    return any(mark in text for mark in _MAGIC)


def matches(pattern: str, text: str) -> bool:
    """One path step against one pattern; work in proportion to both lengths' product."""
    at = star = 0
    retry = -1
    for_text = 0
    while for_text < len(text):
        width, fits = _one(pattern, at, text[for_text])
        if at < len(pattern) and pattern[at] == "*":
            star, retry = at, for_text
            at += 1
        elif width and fits:
            at += width
            for_text += 1
        elif retry >= 0:
            retry += 1
            at, for_text = star + 1, retry
        else:
            return False
    return pattern[at:].strip("*") == ""


def _one(pattern: str, at: int, letter: str) -> tuple[int, bool]:
    """How much of the pattern stands for one letter here, and whether for this one."""
    if at >= len(pattern):
        return 0, False
    mark = pattern[at]
    if mark == "?":
        return 1, True
    end = pattern.find("]", at + 2)
    if mark == "[" and end > 0:
        inside = pattern[at + 1 : end]
        negated = inside[0] in "!^"
        return end + 1 - at, _in_set(inside[negated:], letter) != negated
    return 1, mark == letter


def _in_set(inside: str, letter: str) -> bool:
    at = 0
    while at < len(inside):
        if at + 2 < len(inside) and inside[at + 1] == "-":
            if inside[at] <= letter <= inside[at + 2]:
                return True
            at += 3
        else:
            if inside[at] == letter:
                return True
            at += 1
    return False


def path_matches(pattern: str, path: str) -> bool:
    """Step by step: no star crosses a slash."""
    patterns, steps = pattern.split("/"), path.split("/")
    return len(patterns) == len(steps) and all(map(matches, patterns, steps))
