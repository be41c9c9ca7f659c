"""What an agent CLI says of itself: its version, and whether it knows the flags that we pass."""

from __future__ import annotations

import os
import re
from functools import cache
from typing import NamedTuple

from .agents import choose
from .core import command

UNKNOWN = "its --version tells no version"
_LONGEST = 256 * 1024
_SECONDS = 30.0
_NUMBER = re.compile(r"\b(\d{1,9})\.(\d{1,9})\.(\d{1,12})\b")


class Version(NamedTuple):
    """`untested`: what a person should know of it; `unknown_flags` of those that we need."""

    words: str
    untested: str = ""
    unknown_flags: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        return f"{self.words}: {self.untested}" if self.untested else self.words


@cache
def ask(program: str) -> Version:
    return look(program, dict(os.environ))


def look(program: str, environment: dict[str, str]) -> Version:
    """Of a program that we do not know only its name; of a tested version only the number."""
    adapter = choose(program)
    if adapter.TESTED is None:
        return Version(program)
    words = _said([program, "--version"], environment).strip().split("\n")[0]
    number = _NUMBER.search(words)
    untested = judged(number[0], adapter.TESTED) if number else UNKNOWN
    if not untested:
        return Version(words)
    told = _said([program, *adapter.HELP], environment)
    return Version(words if number else program, untested, _missing(adapter.FLAGS, told))


def judged(number: str, tested: tuple[str, str]) -> str:
    """'' where the version lies between the oldest and the newest that was tested."""
    here, (oldest, newest) = _numbers(number), tested
    if here > _numbers(newest):
        return f"newer than the newest that Ralph was tested with ({newest})"
    if here < _numbers(oldest):
        return f"older than the oldest that Ralph was tested with ({oldest})"
    return ""


def _numbers(text: str) -> list[int]:
    return [int(part) for part in text.split(".")]


def _missing(flags: tuple[str, ...], told: str) -> tuple[str, ...]:
    """A help that names no flags at all is not judged."""
    words = set(re.findall(r"--?[A-Za-z][A-Za-z-]*", told))
    return tuple(flag for flag in flags if flag not in words) if "--help" in words else ()


def _said(argv: list[str], environment: dict[str, str]) -> str:
    """'' where it could not be started, took too long, or said nothing."""
    told = command.run(argv, "/", environment, _SECONDS).output
    return told[:_LONGEST].decode("utf-8", "replace")
