"""Texts that end up in a shell: bash -c, eval, source, a pipe into sh."""

from __future__ import annotations

from . import filters, origins, parsing, wrappers
from .values import EMPTY, NO_PROGRAMS, UNKNOWN, Feed, known, name_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .state import Shell

SHELLS = frozenset("sh bash zsh dash ksh mksh ash fish csh tcsh rbash pwsh".split())
_MOST_TURNS = 2
_INPUT = ("/dev/stdin", "/dev/fd/0", "/proc/self/fd/0")


def unreadable(shell: Shell, text: str, programs: frozenset[str]) -> None:
    """A text for a shell that nobody can read here: denied, but for what is known to print it."""
    if origins.only_settings(programs):
        return
    seen = {name_of(command.words) for command in shell.shared.commands}
    rule = origins.rule_for(programs | seen) or "unresolved-shell"
    shell.is_feeding(rule, text)


def script(shell: Shell, text: str, feed: Feed | None, behind: frozenset[str]) -> Feed:
    """A text that some program hands to a shell."""
    from . import walk

    if text.strip() == "":
        return EMPTY
    shell.fed = True
    if text.strip() == UNKNOWN or behind & origins.DOWNLOADERS:
        unreadable(shell, text, behind)
        return Feed(UNKNOWN, behind)
    nodes = parsing.statements(shell.shared, text)
    if nodes is None:
        shell.is_feeding("unresolved-shell", text)
        return Feed(UNKNOWN, behind)
    return walk.statements(shell, nodes, feed)


def literal_script(shell: Shell, text: str) -> None:
    """A literal of some code: perhaps a command line, perhaps any text."""
    from . import follow, walk

    shell.fed = False
    # The parser is not for a flood of literals.
    if shell.budget.parses >= follow.MOST_PARSES:
        follow.piece_by_piece(shell, follow.cut(text))
        return
    nodes = parsing.statements(shell.shared, text)
    if nodes is not None:
        walk.statements(shell, nodes, None)


def program(shell: Shell, words: list[str], feed: Feed | None, behind: frozenset[str]) -> Feed:
    inner = shell.child()
    at, reads_text, reads_input = 1, False, False
    while at < len(words) and words[at][:1] in ("-", "+") and words[at] not in ("-", "--"):
        option = words[at]
        short = option[:2] != "--"
        reads_text = reads_text or (short and option[0] == "-" and "c" in option)
        reads_input = reads_input or (short and option[0] == "-" and "s" in option)
        at += 2 if option in ("--rcfile", "--init-file") or (short and option[-1] in "oO") else 1
    if _only_reads(words[1:at]):
        return EMPTY
    operands = words[at + 1 :] if words[at : at + 1] in (["-"], ["--"]) else words[at:]
    if reads_text and operands:
        inner.zero, inner.positional = (operands[1:2] or ["bash"])[0], operands[2:]
        return script(inner, operands[0], feed, behind)
    if reads_input or not operands or operands[0] in _INPUT:
        return _fed(inner, feed)
    if is_tdd(operands):
        from . import runners

        return runners.command(inner, operands, feed, behind)
    inner.zero, inner.positional = operands[0], operands[1:]
    return run_file(inner, operands[0])


def _only_reads(options: list[str]) -> bool:
    """-n; but bash takes -norc for --norc, +n undoes it, and with -i it means nothing."""
    letters = set("".join(options))
    return "n" in letters and letters <= set("-neuvx")


def is_tdd(words: list[str]) -> bool:
    """Our own verb that runs what it is given."""
    return name_of(words) in ("ralph", "ralph.sh") and words[1:2] == ["tdd"]


def _fed(shell: Shell, feed: Feed | None) -> Feed:
    return script(shell, filters.as_script(feed), None, feed.programs) if feed else EMPTY


def run_file(shell: Shell, name: str) -> Feed:
    """A script on the disk is the project's own business, but not one that was made just now."""
    made = shell.written(name)
    if made is None:
        return Feed(UNKNOWN, NO_PROGRAMS)
    # A filter leaves some of a text that is known, but of a file as little as anyone.
    chosen = made.programs & filters.NAMES and made.text.strip(UNKNOWN + " \n")
    is_read = known(made.text) or chosen or name.startswith("/dev/fd/")
    if is_read or origins.rule_for(made.programs):
        return _run_made(shell, made)
    return Feed(UNKNOWN, made.programs)


def _run_made(shell: Shell, made: Feed) -> Feed:
    """One that starts itself again is followed into the words that it gives itself, once."""
    before, own = shell.calling, hash(made.text)
    if before.count(own) >= _MOST_TURNS:
        return EMPTY
    shell.calling = (*before, own)
    out = script(shell, filters.as_script(made), None, made.programs)
    shell.calling = before
    return out


def evaluate(shell: Shell, words: list[str], feed: Feed | None, behind: frozenset[str]) -> Feed:
    before, shell.fed = shell.fed, True
    out = script(shell, " ".join(words[1:]), feed, behind)
    shell.fed = before
    return out


def source(shell: Shell, words: list[str], feed: Feed | None, _: frozenset[str]) -> Feed:
    if len(words) < 2:
        return EMPTY
    if words[1] in _INPUT:
        return _fed(shell.child(), feed)
    before = shell.fed
    out = run_file(shell, words[1])
    shell.fed = before
    return out


def trap(shell: Shell, words: list[str], feed: Feed | None, behind: frozenset[str]) -> Feed:
    if len(words) > 2 and words[1] not in ("-", "-l", "-p"):
        script(shell.child(), words[1], None, behind)
    return EMPTY


def with_option_c(
    shell: Shell, words: list[str], feed: Feed | None, behind: frozenset[str]
) -> Feed:
    """su -c, script -c, npx -c: one word is a whole script."""
    text = wrappers.option(words[1:], "c", "--command", "--call", "--session-command")
    return script(shell.child(), text, feed, behind) if text else Feed(UNKNOWN, NO_PROGRAMS)
