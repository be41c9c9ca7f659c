"""One simple command: noted, and followed into whatever it runs in its turn."""

from __future__ import annotations

from . import builtins, origins, printed, runners, shells, wrappers
from .globs import is_glob, matches
from .values import EMPTY, NO_PROGRAMS, UNKNOWN, Command, Feed, known, name_of
from .words import is_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .state import Shell
    from .values import Redirect

# A command whose name nobody can read is tried as these, too.
_TRIED = ("git", "rm")
_GUESSED = ("rm", "dd", "mkfs", "shred", "git", "chmod", "chown", "curl", "kill", "bash", "sh")


def run(
    shell: Shell,
    words: list[str],
    feed: Feed | None,
    assigns: dict[str, str] | None = None,
    redirects: list[Redirect] | None = None,
    behind: frozenset[str] = NO_PROGRAMS,
) -> Feed:
    """`behind` are the programs whose output the words hold."""
    shell.budget.step()
    shell.budget.read(feed.text if feed else "")
    while words and "=" in words[0] and is_name(words[0].partition("=")[0].rstrip("+")):
        words = words[1:]
    if not words:
        return EMPTY
    note(shell, words, feed, assigns, redirects, behind)
    name = name_of(words)
    if not known(name) or not name:
        return _unreadable(shell, words, feed, behind)
    if is_glob(name):
        _guessed(shell, words, feed)
    inner = _inside(shell, words, name, feed, assigns or {}, behind)
    if inner is not None:
        return inner
    return printed.output(shell, words, feed, behind)


def note(
    shell: Shell,
    words: list[str],
    feed: Feed | None,
    assigns: dict[str, str] | None = None,
    redirects: list[Redirect] | None = None,
    behind: frozenset[str] = NO_PROGRAMS,
) -> None:
    shell.budget.command()
    place = shell.cwd, shell.where
    found = Command(words, assigns or {}, redirects or [], feed, *place, behind)
    shell.shared.commands.append(found)


def _inside(
    shell: Shell,
    words: list[str],
    name: str,
    feed: Feed | None,
    assigns: dict[str, str],
    behind: frozenset[str],
) -> Feed | None:
    """What the command does beyond itself; None where that is nothing we follow."""
    if words[0] in shell.functions:
        return _function(shell, words, feed)
    builtin = builtins.BUILTINS.get(name)
    if builtin:
        return builtin(shell, words, feed, behind)
    runner = runners.find(name, words)
    if runner:
        return runner(shell, words, feed, behind)
    wrapper = wrappers.find(name, words)
    if wrapper:
        inner, given = wrappers.inner(*wrapper, words)
        if not inner:
            return None
        # Nothing changes this shell in there but what `command` and its like run.
        place = shell if name in ("command", "builtin", "exec") else shell.child()
        folder = wrappers.folder(name, words[1 : len(words) - len(inner)])
        if folder:
            place.enter(folder)
        return run(place, inner, feed, {**assigns, **given}, None, behind)
    runners.follow_files(shell, words, name, feed, assigns)
    return None


def _function(shell: Shell, words: list[str], feed: Feed | None) -> Feed:
    from . import walk

    body = shell.functions[words[0]]
    # By the body, not the name: a function may redefine itself.
    if id(body) in shell.calling:
        return EMPTY
    outer = shell.calling, shell.positional
    shell.calling, shell.positional = (*shell.calling, id(body)), words[1:]
    out = walk.statements(shell, [body], feed)
    shell.calling, shell.positional = outer
    return out


def _unreadable(shell: Shell, words: list[str], feed: Feed | None, behind: frozenset[str]) -> Feed:
    """Harmless as a rule (`$PYTHON -m x`), but not in text that was put together for a shell."""
    if shell.fed or origins.rule_for(behind):
        shells.unreadable(shell, " ".join(words), behind)
    rest = words[0].replace(UNKNOWN, "")
    if rest and rest != words[0]:
        run(shell.child(), [rest, *words[1:]], feed)
    if len(words) > 1:
        if words[1][:1] == "-" and words[1][1:2] != "-" and "c" in words[1]:
            run(shell.child(), ["bash", *words[1:]], feed)
        for name in _TRIED:
            if name != "rm" or _forces(words):
                note(shell, [name, *words[1:]], feed)
        run(shell.child(), words[1:], feed)
    return Feed(UNKNOWN, behind)


def _forces(words: list[str]) -> bool:
    letters = "".join(word for word in words if word.startswith("-") and word[1:2] != "-")
    return "f" in letters and "r" in letters.lower()


def _guessed(shell: Shell, words: list[str], feed: Feed | None) -> None:
    """/bin/r? is a way to write rm."""
    pattern = name_of(words)
    for name in _GUESSED:
        if matches(pattern, name):
            run(shell.child(), [name, *words[1:]], feed)
