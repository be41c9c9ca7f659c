"""What a command would print, for the few whose output a script can hide a command in."""

from __future__ import annotations

import os

from . import escapes, filters, globs, origins
from .values import NO_PROGRAMS, UNKNOWN, Feed, capped, known, name_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    from .state import Shell

    Printer = Callable[[Shell, list[str], str], str]

_MOST_ROUNDS = 64


def output(shell: Shell, words: list[str], feed: Feed | None, behind: frozenset[str]) -> Feed:
    """`behind` are the programs whose output is in the words."""
    name = name_of(words)
    given = feed.text if feed else ""
    text = _text(shell, words, name, given)
    before = feed.programs if feed else NO_PROGRAMS
    return Feed(capped(text.replace("\0", "")), before | behind | {origins.of(words)})


def _text(shell: Shell, words: list[str], name: str, given: str) -> str:
    if name in filters.NAMES:
        return filters.lines(words, name, given)
    printer = _PRINTERS.get(name)
    return printer(shell, words[1:], given) if printer else UNKNOWN


def _echo(_: Shell, words: list[str], __: str) -> str:
    escaped, end = False, "\n"
    while words and words[0][:1] == "-" and words[0][1:] and set(words[0][1:]) <= set("neE"):
        escaped = escaped or "e" in words[0]
        end = "" if "n" in words[0] else end
        words = words[1:]
    text = " ".join(words)
    return (escapes.echo_e(text) if escaped else text) + end


def _printf(_: Shell, words: list[str], __: str) -> str:
    if words[:1] == ["--"]:
        words = words[1:]
    if not words or words[0] == "-v":
        return ""
    form, rest = words[0], words[1:]
    done: list[str] = []
    for _round in range(_MOST_ROUNDS):
        piece, rest, used = _formatted(form, rest)
        done.append(piece)
        if not rest or not used:
            return "".join(done)
    return UNKNOWN


def _formatted(form: str, rest: list[str]) -> tuple[str, list[str], bool]:
    done: list[str] = []
    at, used = 0, False
    while at < len(form):
        sign = form.find("%", at)
        if sign < 0:
            done.append(escapes.echo_e(form[at:]))
            break
        done.append(escapes.echo_e(form[at:sign]))
        at = sign + 1
        while at < len(form) and form[at] in "-+ #0123456789.*":
            at += 1
        kind = form[at : at + 1]
        at += 1
        if kind == "%":
            done.append("%")
            continue
        value, rest = (rest[0], rest[1:]) if rest else ("", [])
        used = True
        done.append(_converted(kind, value))
    return "".join(done), rest, used


def _converted(kind: str, value: str) -> str:
    if kind in ("s", "q"):
        return value
    if kind == "b":
        return escapes.echo_e(value)
    if kind == "c":
        return value[:1]
    if kind in ("o", "x", "X") and value.isdigit() and len(value) < 10:
        return format(int(value), kind)
    return value if kind in ("d", "i", "u") else UNKNOWN


def _cat(shell: Shell, words: list[str], given: str) -> str:
    names = [word for word in words if not word.startswith("-") or word == "-"]
    texts = [given if name in ("-", "/dev/stdin") else _content(shell, name) for name in names]
    return "".join(texts) if names else given


def _content(shell: Shell, name: str) -> str:
    written = shell.written(name)
    return written.text if written else UNKNOWN


def _passed_on(_: Shell, __: list[str], given: str) -> str:
    return given


def _folder(shell: Shell, _: list[str], __: str) -> str:
    return shell.cwd


def _made_name(shell: Shell, words: list[str], _: str) -> str:
    folder = str(shell.variable("TMPDIR")) if "TMPDIR" in shell.shared.environment else "/tmp"
    template = [word for word in words if not word.startswith("-")]
    named = "/" in template[-1] if template else False
    return shell.path(template[-1]) if named else f"{folder}/{UNKNOWN}"


def _git(shell: Shell, words: list[str], _: str) -> str:
    return shell.shared.root if words == ["rev-parse", "--show-toplevel"] else UNKNOWN


def _which(_: Shell, words: list[str], __: str) -> str:
    names = [word for word in words if not word.startswith("-")]
    return "\n".join(names)


def _command(shell: Shell, words: list[str], given: str) -> str:
    return _which(shell, words, given) if words[:1] in (["-v"], ["-V"]) else UNKNOWN


def _path_part(take: Callable[[str], str]) -> Printer:
    def part(_: Shell, words: list[str], __: str) -> str:
        names = [word for word in words if not word.startswith("-")]
        return take(names[0].rstrip("/")) or "." if names and known(names[0]) else UNKNOWN

    return part


def _user(shell: Shell, _: list[str], __: str) -> str:
    found = shell.variable("USER")
    return found if isinstance(found, str) else UNKNOWN


def _find(shell: Shell, words: list[str], _: str) -> str:
    from . import finding

    return "\n".join(finding.paths(words)) + "\n"


def _ls(shell: Shell, words: list[str], __: str) -> str:
    """The names in a folder; its own only with -d, or where it may be several."""
    options = [word for word in words if word.startswith("-")]
    names = [word for word in words if word not in options]
    itself = any(word == "--directory" or (word[1:2] != "-" and "d" in word) for word in options)
    folder = os.path.normpath(shell.path("".join(names) or "."))
    if len(names) > 1 or itself or globs.is_glob("".join(names)) or os.path.isfile(folder):
        return "\n".join([*names, UNKNOWN]) + "\n"
    is_around = (shell.cwd + "/").startswith(folder.rstrip("/") + "/")
    return "*\n" if is_around else f"./{UNKNOWN}\n"


def _nothing(_: Shell, __: list[str], ___: str) -> str:
    return ""


def _reversed(_: Shell, __: list[str], given: str) -> str:
    return "\n".join(line[::-1] for line in given.split("\n"))


_PRINTERS: dict[str, Printer] = {
    "echo": _echo,
    "printf": _printf,
    "cat": _cat,
    "tee": _passed_on,
    "pwd": _folder,
    "mktemp": _made_name,
    "git": _git,
    "which": _which,
    "command": _command,
    "type": _which,
    "dirname": _path_part(os.path.dirname),
    "basename": _path_part(os.path.basename),
    "whoami": _user,
    "find": _find,
    "ls": _ls,
    "rev": _reversed,
    **dict.fromkeys(("true", "false", ":", "test", "[", "sleep", "cd", "mkdir", "touch"), _nothing),
}
