"""Which rule a command line or a file breaks, if any."""

from __future__ import annotations

from collections import namedtuple

from . import file_effects, guard_rules
from .guard_rules import protected
from .shell.follow import follow
from .shell.values import HERE, NO_PROGRAMS, Command, name_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import NamedTuple

    from .guard_allow import Allowed
    from .guard_rules.rule import Rule
    from .place import Place
    from .shell.state import Shared

    class Finding(NamedTuple):
        rule: Rule
        shown: str
else:
    Finding = namedtuple("Finding", "rule shown")


def of_text(
    text: str, place: Place, cwd: str, shfmt: str, allowed: Allowed
) -> tuple[Finding | None, bool]:
    """The first finding; and whether the whole text was understood."""
    followed, complete = follow(text, place.root, cwd, place.environment, shfmt)
    found = None if place.sandboxed else _forbidden(followed, place, allowed)
    if found and allowed.has_text(text):
        found = None
    # What a person allows is never one of these.
    return found or _protected(followed.commands, place), complete


def of_write(path: str, place: Place) -> Finding | None:
    """A file tool that writes there."""
    command = _told_to("tee", path, place)
    found = _protected([command], place)
    if found or place.sandboxed:
        return found
    return next(_broken(command, place, [*guard_rules.ON_FILES]), None)


def of_read(path: str, place: Place) -> Finding | None:
    """A file tool that shows what is there."""
    if place.sandboxed:
        return None
    command = _told_to("cat", path, place)
    return next(_broken(command, place, ["credentials"]), None)


def _told_to(program: str, path: str, place: Place) -> Command:
    """A file tool as the command that does the same."""
    return Command([program, path], {}, [], None, place.root, HERE, NO_PROGRAMS)


def _protected(commands: list[Command], place: Place) -> Finding | None:
    for command in commands:
        if not (command.redirects or _touches(command)):
            continue
        path = protected.named(command, place)
        if path:
            return Finding(protected.RULES[0], path)
    return None


def _forbidden(followed: Shared, place: Place, allowed: Allowed) -> Finding | None:
    for problem in followed.problems:
        for module in guard_rules.ON_SCRIPTS:
            for rule in guard_rules.rules(module):
                if rule.name == problem.rule:
                    return Finding(rule, problem.shown)
    for command in followed.commands:
        for finding in _broken(command, place, _modules(command)):
            if not allowed.has(command.words):
                return finding
    return None


def _modules(command: Command) -> list[str]:
    modules = list(guard_rules.modules_for(name_of(command.words)))
    if command.redirects:
        modules += guard_rules.ON_REDIRECTS
    if (command.redirects or _touches(command)) and file_effects.of(command):
        modules += guard_rules.ON_FILES
    return list(dict.fromkeys(modules))


def _touches(command: Command) -> bool:
    """May change files: a program that is known for it, or one told to write in place."""
    known = name_of(command.words) in file_effects.READERS
    return known or file_effects.in_place(command.words)


def _broken(command: Command, place: Place, modules: list[str]) -> Iterator[Finding]:
    for module in modules:
        for rule in guard_rules.rules(module):
            if rule.matches(command, place):
                yield Finding(rule, " ".join(command.words))
