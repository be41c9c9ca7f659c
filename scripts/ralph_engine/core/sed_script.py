"""Which files a sed script writes: by its command `w` and by the flag `w` of `s`."""

from __future__ import annotations

_TEXT = "aicrR"
_LABELLED = "btT:"
_NO_FILES = ("/dev/stdout", "/dev/stderr")


def files(script: str) -> list[str]:
    found = []
    at = 0
    while at < len(script):
        at, name = _command(script, _behind_address(script, at))
        if name and name not in _NO_FILES:
            found.append(name)
    return found


def _command(script: str, at: int) -> tuple[int, str]:
    """Where the next one begins, and the file that this one writes, or ''."""
    letter, at = script[at : at + 1], at + 1
    if letter in ("w", "W"):
        return _rest(script, at)
    if letter == "s":
        return _flags(script, _behind_sections(script, at))
    if letter == "y":
        return _behind_sections(script, at), ""
    if letter and letter in _TEXT:
        return _rest(script, at)[0], ""
    if letter and letter in _LABELLED:
        while script[at : at + 1] not in ("", "\n", ";"):
            at += 1
    return at, ""


def _flags(script: str, at: int) -> tuple[int, str]:
    while script[at : at + 1] not in ("", "\n", ";", "}"):
        if script[at] == "w":
            return _rest(script, at + 1)
        at += 1
    return at, ""


def _behind_address(script: str, at: int) -> int:
    """1, $, /re/, \\,re,, two of them, `!` and blanks."""
    while script[at : at + 1] and script[at] in " \t\n;{}!,$+~0123456789/\\I":
        if script[at] == "/":
            at = _behind_section(script, at + 1, "/")
        elif script[at] == "\\":
            at = _behind_section(script, at + 2, script[at + 1 : at + 2])
        else:
            at += 1
    return at


def _behind_sections(script: str, at: int) -> int:
    """s/one/two/, with any letter for the slash."""
    mark = script[at : at + 1]
    return _behind_section(script, _behind_section(script, at + 1, mark), mark)


def _behind_section(script: str, at: int, mark: str) -> int:
    while script[at : at + 1] not in ("", mark):
        at += 2 if script[at] == "\\" else 1
    return at + 1


def _rest(script: str, at: int) -> tuple[int, str]:
    """A file's name goes to the end of its line, blanks, `;` and `}` included."""
    end = script.find("\n", at)
    end = len(script) if end < 0 else end
    return end + 1, script[at:end].strip()
