"""What screen and tmux run in a terminal that nobody looks at."""

from __future__ import annotations

from . import shells
from .values import NO_PROGRAMS, UNKNOWN, Feed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .state import Shell

# Their options that take a value.
_SCREEN, _TMUX, _STARTING = "ScehpTts", "fLST", "cdeFflnpstxywhbST"
_STARTS = frozenset(
    "new new-session neww new-window splitw split-window run run-shell respawnp respawn-pane"
    " respawnw respawn-window popup display-popup".split()
)


def screen(shell: Shell, words: list[str], behind: frozenset[str]) -> Feed:
    """screen -dmS NAME command; with -X the words are screen's own."""
    from . import calls

    own, inner = _split(words[1:], _SCREEN)
    if inner and not any("X" in word for word in own if word[:1] == "-"):
        calls.run(shell.child(), inner, None, None, None, behind)
    return lines(shell, words, behind)


def tmux(shell: Shell, words: list[str], behind: frozenset[str]) -> Feed:
    """tmux new -d -c DIR command; several of its own commands with `;` between."""
    rest = _split(words[1:], _TMUX)[1]
    while rest:
        end = rest.index(";") if ";" in rest else len(rest)
        part, rest = rest[:end], rest[end + 1 :]
        if part[:1] and part[0] in _STARTS:
            _start(shell.child(), part, behind)
    return lines(shell, words, behind)


def _start(inside: Shell, part: list[str], behind: frozenset[str]) -> None:
    # Only here -d is a flag: everywhere else it names a folder or a delay.
    detached = part[0] not in ("popup", "display-popup", "run", "run-shell")
    own, inner = _split(part[1:], _STARTING.replace("d", "") if detached else _STARTING)
    folder = [own[at + 1] for at, word in enumerate(own[:-1]) if word[:1] == "-" and "c" in word]
    if folder:
        inside.enter(folder[0])
    if inner:
        shells.script(inside, " ".join(inner), None, behind)


def _split(words: list[str], valued: str) -> tuple[list[str], list[str]]:
    """Options with their values, and what is behind them: -d, -dmS NAME, -SNAME."""
    at = 0
    while at < len(words) and words[at][:1] == "-" and len(words[at]) > 1:
        if words[at] == "--":
            return words[:at], words[at + 1 :]
        found = [place for place, letter in enumerate(words[at]) if letter in valued]
        at += 2 if found and found[0] == len(words[at]) - 1 else 1
    return words[:at], words[at:]


def lines(shell: Shell, words: list[str], behind: frozenset[str]) -> Feed:
    """Any word with blanks in it may be typed into the terminal as a command line."""
    for word in words[1:]:
        if " " in word and not word.startswith("-"):
            shells.script(shell.child(), word, None, behind)
    return Feed(UNKNOWN, NO_PROGRAMS)
