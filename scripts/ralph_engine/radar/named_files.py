"""The files that check commands name: the scripts they run and what steers these.

Also those behind them: of a package's scripts, of make's recipes, of shell scripts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from . import simple_commands, started
from .simple_commands import Command, Shell
from .started import Started, Texts

# A check may run the program itself, which is no check and changes every day.
_CHECKS = re.compile(
    r"(?:^|/)(?:scripts?|tools|ci|hack|tests?|specs?|package\.json)/|\.(?:sh|bash|mk)$"
    r"|(?:test|check|lint|verify|makefile)[^/]*$",
    re.IGNORECASE,
)
# Agents write these texts as well: each number ends what would take for ever.
_DEEPEST, _MOST_SHELLS, _MOST_COMMANDS, _MOST_FILES, _MOST_LOOKS = 3, 60, 5_000, 40, 500


def of(
    commands: Iterable[str],
    text_of: Texts = lambda path: None,
    wanted: re.Pattern[str] = _CHECKS,
) -> frozenset[str]:
    """Relative to the project; the text is None where there is no such file.

    Of what is named inside a file only what is `wanted`.
    """
    text_of = _sparing(text_of)
    shells = dict.fromkeys(Shell((command,)) for command in commands)
    waiting, most = list(shells), 3 * len(shells) + _MOST_SHELLS
    found: set[str] = set()
    # The list grows while it is read.
    read = (command for shell in waiting for command in simple_commands.read(shell))
    for command in islice(read, _MOST_COMMANDS):
        for name, inner in _started(command, text_of, wanted):
            found.add(name)
            deeper = [i for i in inner if i not in shells and i.deep <= _DEEPEST]
            waiting += deeper[: most - len(waiting)]
            shells.update(dict.fromkeys(deeper))
    return frozenset(found - {"", "."})


def _started(command: Command, text_of: Texts, wanted: re.Pattern[str]) -> Iterator[Started]:
    inside = command.shell.inside
    for name, inner in started.by(command, text_of):
        if not name:
            yield Started(name, tuple(shell._replace(inside=inside) for shell in inner))
        elif not inside or wanted.search(name):
            yield Started(name, inner)


def _sparing(text_of: Texts) -> Texts:
    known: dict[str, str | None] = {}
    looks = iter(range(_MOST_LOOKS))

    def text(path: str) -> str | None:
        if next(looks, None) is None:
            return None
        if path not in known and len(known) < _MOST_FILES:
            known[path] = text_of(path)
        return known.get(path)

    return text
