"""The records that the walk over a script hands on: commands, feeds, problems, spent work."""

from __future__ import annotations

from collections import namedtuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NamedTuple

    Node = dict[str, Any]

    class Feed(NamedTuple):
        """What comes through a pipe, and the programs that it came from."""

        text: str
        programs: frozenset[str]

    class Redirect(NamedTuple):
        op: str
        target: str

    class Command(NamedTuple):
        """One simple command with everything resolved that could be.

        `behind` are the programs whose output its words hold.
        """

        words: list[str]
        assigns: dict[str, str]
        redirects: list[Redirect]
        feed: Feed | None
        cwd: str
        where: str
        behind: frozenset[str]

    class Problem(NamedTuple):
        """Text that would reach a shell and cannot be read here."""

        rule: str
        shown: str
else:
    Node = dict
    Feed = namedtuple("Feed", "text programs")
    Redirect = namedtuple("Redirect", "op target")
    Command = namedtuple("Command", "words assigns redirects feed cwd where behind")
    Problem = namedtuple("Problem", "rule shown")

# Private characters stand for what is not known; both are taken out of what comes in.
UNKNOWN = "\uf8fe"
UNSET = "\uf8ff"  # a variable that nobody has set: empty, as far as anyone can tell
HERE, REMOTE, CONTAINER = "here", "remote", "container"

NO_PROGRAMS: frozenset[str] = frozenset()
EMPTY = Feed("", NO_PROGRAMS)

MOST_STEPS = 12_000
MOST_COMMANDS = 2_000
MOST_PARSES = 24
MOST_TEXT = 256 * 1024
MOST_DEPTH = 40


class TooMuch(Exception):
    """The text asks for more work than any command that a person would type."""


class Budget:
    """Counts the work, so that every text gets an answer."""

    def __init__(self) -> None:
        self.steps = self.parses = self.text = self.commands = 0

    def step(self, count: int = 1) -> None:
        self.steps += count
        if self.steps > MOST_STEPS:
            raise TooMuch

    def read(self, text: str) -> None:
        """A few doublings of a variable make a text that is far longer than the script."""
        self.step(len(text) // 128)

    def command(self) -> None:
        self.commands += 1
        if self.commands > MOST_COMMANDS:
            raise TooMuch

    def parse(self, text: str) -> None:
        self.parses += 1
        self.text += len(text)
        if self.parses > MOST_PARSES or self.text > 4 * MOST_TEXT:
            raise TooMuch


def name_of(words: list[str]) -> str:
    """The program's bare name: no folder, and in small letters as macOS would find it too."""
    return words[0].rsplit("/", 1)[-1].lower() if words else ""


def known(text: str) -> bool:
    return UNKNOWN not in text


def settled(text: str) -> str:
    """A word with nothing in it but unset variables is not known; elsewhere they are empty."""
    if UNSET not in text:
        return text
    return text.replace(UNSET, "") or UNKNOWN


def capped(text: str) -> str:
    """A few doublings of a variable would fill the memory."""
    return text if len(text) <= MOST_TEXT else UNKNOWN


def cleaned(text: str) -> str:
    """What comes in holds none of our own marks, and nothing that is no text."""
    text = text.encode("utf-8", "replace").decode("utf-8")
    return text.replace(UNKNOWN, "?").replace(UNSET, "?").replace("\0", "")
