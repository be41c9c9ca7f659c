"""How many iterations a task list is likely to take."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from .core.counted import counted
from .core.tasks import Document
from .failure import Failure

PER_STORY = 3
DEFAULT_LIMIT = 15


class Budget(NamedTuple):
    stories: int
    iterations: int
    limit: int


def of(document: Document, limit: int) -> Budget:
    left = sum(not story["passes"] for story in document["userStories"])
    return Budget(left, left * PER_STORY, limit)


def sentence(budget: Budget) -> str:
    text = f"{counted(budget.stories, 'story', 'stories')} left, about {PER_STORY} iterations each"
    text += f" = about {budget.iterations} of {budget.limit}"
    return text + (" (not enough: raise the limit)" if budget.iterations > budget.limit else "")


def limit_from(environment: Mapping[str, str]) -> int:
    text = environment.get("RALPH_MAX_ITERATIONS", str(DEFAULT_LIMIT))
    if not text.isascii() or not text.isdigit() or not 1 <= len(text) <= 6 or int(text) == 0:
        raise Failure(f"RALPH_MAX_ITERATIONS is {text!r}", "set a whole number from 1 to 999999")
    return int(text)
