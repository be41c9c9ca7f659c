"""The text an agent is started with: the template's part for the mode, and what the runner adds."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from .core import review
from .failure import Failure

SKIP_REVIEW = "skip-review"
SECTIONS = (*review.MODES, SKIP_REVIEW)
PREPEND, APPEND, REPLACE = "PREPEND", "APPEND", "REPLACE"
FAIL_ACTIONS = (PREPEND, APPEND, REPLACE)

NO_RANGE = "no range: judge the tree as it stands"
HOLDS_AT_CAP = "This run holds at the cap: request changes where they are needed, at any count."
EVIDENCE = (
    "The runner saw these checks fail. They are evidence for your verdict; do not fix them here."
)

_MARK = re.compile(r"<!--\s*(?:mode\s*:|/\s*mode\b)")
_OPENS = re.compile(r"<!--\s*mode\s*:\s*(.*?)\s*-->")
_CLOSES = re.compile(r"<!--\s*/\s*mode\s*-->")
_PLACEHOLDER = re.compile(r"\{\{([A-Z_]+)\}\}|\$RALPH_(ITERATION|MAX_ITERATIONS)(?!\w)", re.ASCII)


class CheckFailure(NamedTuple):
    action: str
    text: str


class Iteration(NamedTuple):
    """What a prompt can say about an iteration; for a prompt goal only the first two."""

    number: int
    maximum: int
    mode: str = ""
    story: str = ""
    review_cap: int = 0
    review_range: str = NO_RANGE
    skip_review: bool = False


def from_template(template: str, iteration: Iteration, path: str = "ralph/prompt.md") -> str:
    section = SKIP_REVIEW if iteration.skip_review else iteration.mode
    return fill(sections(template, section, path), values(iteration))


def sections(template: str, mode: str, path: str = "ralph/prompt.md") -> str:
    """The common part and the sections of the mode; a file without marks is all common."""
    kept: list[str] = []
    section, opened = "", 0
    for number, line in enumerate(template.split("\n"), 1):
        if _MARK.search(line):
            before, section = section, _section_after(line, section, f"{path} line {number}")
            opened = opened if before else number
        elif section in ("", mode):
            kept.append(line)
    if section:
        raise _broken(f"{path} line {opened}", f"the section {section} is never closed")
    return "\n".join(kept)


def _section_after(line: str, section: str, place: str) -> str:
    """The section that a mark leads into; empty behind one that closes."""
    opens, closes = _OPENS.fullmatch(line.strip()), _CLOSES.fullmatch(line.strip())
    if closes:
        if not section:
            raise _broken(place, "a section is closed that was not opened")
        return ""
    if not opens:
        raise _broken(place, "a mark must stand alone on its line")
    if section:
        raise _broken(place, f"a section opens inside the section {section}")
    if opens[1] not in SECTIONS:
        raise _broken(place, f"{opens[1] or 'nothing'} is no mode ({', '.join(SECTIONS)})")
    return opens[1]


def _broken(place: str, problem: str) -> Failure:
    return Failure(
        f"{place}: {problem}", "sections are marked <!-- mode: implement --> ... <!-- /mode -->"
    )


def values(iteration: Iteration) -> dict[str, str]:
    return {
        "ITERATION": str(iteration.number),
        "MAX_ITERATIONS": str(iteration.maximum),
        "MODE": iteration.mode,
        "STORY": _one_line(iteration.story),
        "REVIEW_CAP": str(iteration.review_cap),
        "REVIEW_RANGE": iteration.review_range,
    }


def fill(text: str, values: Mapping[str, str]) -> str:
    """In a single pass, so that a placeholder inside a value stays what it is."""
    return _PLACEHOLDER.sub(lambda found: values.get(found[1] or found[2], found[0]), text)


def compose(
    prompt: str,
    iteration: Iteration,
    failures: Sequence[CheckFailure] = (),
    remarks: Sequence[str] = (),
    counted: bool = False,
) -> str:
    left = iteration.maximum - iteration.number
    count = f"Iteration {iteration.number} of {iteration.maximum}, {left} remaining."
    body = _body(prompt, iteration, failures, remarks)
    return _joined([count, *body] if counted else body)


def _body(
    prompt: str, iteration: Iteration, failures: Sequence[CheckFailure], remarks: Sequence[str]
) -> list[str]:
    texts: dict[str, list[str]] = {action: [] for action in FAIL_ACTIONS}
    for failure in failures:
        texts[failure.action].append(failure.text)
    if failures and iteration.mode == review.REVIEW:
        # A reviewer who is told to repair, or not told to review, can give no verdict.
        return [prompt, *remarks, EVIDENCE, *(failure.text for failure in failures)]
    if texts[REPLACE]:
        return [mode_line(iteration), *texts[REPLACE], *remarks]
    return [*texts[PREPEND], prompt, *remarks, *texts[APPEND]]


def mode_line(iteration: Iteration) -> str:
    """Empty for a prompt goal."""
    if not iteration.mode:
        return ""
    return f"Mode: {iteration.mode}. Story: {_one_line(iteration.story)}."


def _one_line(story: str) -> str:
    return story if story.isprintable() else json.dumps(story)


def _joined(parts: Iterable[str]) -> str:
    return "\n\n".join(part.strip("\r\n") for part in parts if part.strip())
