"""One shell as the walk follows it: variables, functions, folder, and what all shells share."""

from __future__ import annotations

import os

from .values import HERE, MOST_DEPTH, UNKNOWN, UNSET, Budget, Command, Problem, TooMuch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Callable

    from .parameters import Value
    from .values import Feed, Node


def joined(cwd: str, word: str) -> str:
    """A path from the root; one that begins with something unknown stays as it is."""
    if word.startswith(("/", UNKNOWN)) or not cwd.startswith("/"):
        return word
    return f"{cwd}/{word}" if cwd != "/" else f"/{word}"


class Shared:
    """What one text leads to, in whatever shell it is found."""

    def __init__(self, root: str, environment: Mapping[str, str], shfmt: str) -> None:
        self.root, self.environment, self.shfmt = root, environment, shfmt
        self.budget = Budget()
        self.commands: list[Command] = []
        self.problems: list[Problem] = []
        # What this text writes into files, also those of <(...): it may run them later.
        self.written: dict[str, Feed] = {}
        # The programs behind the substitutions of what is being put together.
        self.substituted: set[str] = set()


class Shell:
    def __init__(self, shared: Shared, cwd: str) -> None:
        self.shared, self.cwd, self.old_cwd = shared, cwd, cwd
        self.budget = shared.budget
        self.variables: dict[str, Value] = {}
        self.each: frozenset[str] = frozenset()
        self.functions: dict[str, Node] = {}
        self.calling: tuple[int, ...] = ()
        self.zero = "bash"
        self.positional: list[str] = []
        self.where = HERE
        self.fed = False
        self.depth = 0

    def child(self) -> Shell:
        """A subshell: it sees everything and changes nothing here."""
        made = Shell(self.shared, self.cwd)
        made.variables, made.functions = dict(self.variables), dict(self.functions)
        made.each, made.calling = self.each, self.calling
        made.old_cwd, made.where, made.fed = self.old_cwd, self.where, self.fed
        made.zero, made.positional = self.zero, list(self.positional)
        made.depth = self.depth + 1
        if made.depth > MOST_DEPTH:
            raise TooMuch
        return made

    def variable(self, name: str) -> Value:
        if name in self.variables:
            return self.variables[name]
        if name == "PWD":
            return self.cwd
        if name == "OLDPWD":
            return self.old_cwd
        if name == "IFS":
            return " \t\n"
        if name == "SHELL":
            return self.shared.environment.get(name, "/bin/bash")
        return self.shared.environment.get(name, UNSET)

    def is_each(self, name: str) -> bool:
        """The variable of a long loop: it stands for all of its values at once."""
        return name in self.each

    @property
    def home(self) -> str:
        found = self.variable("HOME")
        return found if isinstance(found, str) and found.startswith("/") else "/" + UNKNOWN

    def path(self, word: str) -> str:
        """From the root, or as it is where nobody knows from where."""
        return joined(self.cwd, word)

    def written(self, word: str) -> Feed | None:
        return self.shared.written.get(os.path.normpath(self.path(word)))

    def write(self, word: str, feed: Feed) -> None:
        self.shared.written[os.path.normpath(self.path(word))] = feed

    def noting(
        self, expand: Callable[[Shell, Node], Any], node: Node
    ) -> tuple[Any, frozenset[str]]:
        """What a node gives, and the programs behind the substitutions in it."""
        before, self.shared.substituted = self.shared.substituted, set()
        given = expand(self, node)
        found, self.shared.substituted = frozenset(self.shared.substituted), before
        return given, found

    def enter(self, folder: str) -> None:
        path = self.path(folder)
        self.old_cwd, self.cwd = self.cwd, os.path.normpath(path) if path else UNKNOWN

    def is_feeding(self, rule: str, shown: str) -> None:
        self.shared.problems.append(Problem(rule, shown))
