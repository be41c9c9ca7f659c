"""Files that a text makes before it runs them: downloads, copies, what tee writes."""

from __future__ import annotations

from . import wrappers
from .values import UNKNOWN, Feed, known

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .state import Shell

_VALUED = {"curl": "AbcCdDeEFHKmoPQrtTuUwxXyYz", "wget": "aABDeiIloOPQRtTUwX"}
_FOLDERS = ("--output-dir", "--directory-prefix")


def follow(shell: Shell, words: list[str], name: str, feed: Feed | None) -> None:
    if name in ("curl", "wget", "aria2c"):
        for path in downloads(name, words):
            shell.write(path, Feed(UNKNOWN, frozenset({name})))
    elif name == "tee" and feed:
        for word in words[1:]:
            shell.write(word, feed)
    elif name in ("cp", "mv", "install", "ln"):
        _copy(shell, [word for word in words[1:] if not word.startswith("-")])


def downloads(name: str, words: list[str]) -> list[str]:
    """Where curl and wget put what they fetch."""
    folder = _folder(name, words)
    path = _output(words, *(("-o", "--output") if name == "curl" else ("-O", "--output-document")))
    if path is not None:
        # wget asks nobody for the folder of a file that is named.
        return [f"{folder}/{path}" if folder and name == "curl" and path[:1] != "/" else path]
    if name == "curl" and not any(_names_itself(word) for word in words):
        return []
    names = [_named_by(address) for address in _addresses(name, words)]
    return [f"{folder}/{name}" if folder else name for name in names]


def _named_by(address: str) -> str:
    """Only wget saves what has no path: `x.io`, and a word that is no address after all."""
    path = address.split("?")[0].rpartition("://")[2].rstrip("/")
    return path.rsplit("/", 1)[-1] if "/" in path or not known(path) else "index.html"


def _output(words: list[str], short: str, long: str) -> str | None:
    for at, word in enumerate(words):
        bundled = word[:1] == "-" and word[1:2] != "-" and word[-1] == short[1]
        if word in (short, long) or bundled:
            return "".join(words[at + 1 : at + 2])
        if word.startswith(long + "="):
            return word.partition("=")[2]
    return None


def _folder(name: str, words: list[str]) -> str:
    """wget -P DIR, wget -PDIR, curl --output-dir DIR"""
    if name == "curl":
        return wrappers.option(words, "", "--output-dir") or ""
    glued = [word[2:] for word in words if word[:2] == "-P" and word != "-P"]
    return "".join(glued[:1]) or wrappers.option(words, "P", "--directory-prefix") or ""


def _addresses(name: str, words: list[str]) -> list[str]:
    beside = zip(words, words[1:])
    return [word for before, word in beside if "://" in word or _is_address(name, before, word)]


def _is_address(name: str, before: str, word: str) -> bool:
    """Both also take them without http://; the value of an option is none."""
    return word[:1] != "-" and not _takes_value(name, before)


def _takes_value(name: str, option: str) -> bool:
    if option[:2] == "--":
        return option in _FOLDERS
    return option[:1] == "-" and option[-1] in _VALUED.get(name, "")


def _names_itself(word: str) -> bool:
    short = word[:1] == "-" and word[1:2] != "-" and "O" in word
    return short or word in ("--remote-name", "--remote-name-all")


def _copy(shell: Shell, operands: list[str]) -> None:
    if len(operands) == 2:
        made = shell.written(operands[0])
        if made:
            shell.write(operands[1], made)
