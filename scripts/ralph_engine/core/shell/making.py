"""Files that a text makes before it runs them: downloads, copies, what tee writes."""

from __future__ import annotations

from .values import UNKNOWN, Feed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .state import Shell


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
    output = ("-o", "--output") if name == "curl" else ("-O", "--output-document")
    for at, word in enumerate(words):
        if word in output or (word[:1] == "-" and word[1:2] != "-" and word[-1] == output[0][1]):
            return words[at + 1 : at + 2]
        if word.startswith(output[1] + "="):
            return [word.partition("=")[2]]
    by_name = name != "curl" or any(_names_itself(word) for word in words)
    urls = [word for word in words[1:] if "://" in word]
    return [url.split("?")[0].rstrip("/").rsplit("/", 1)[-1] for url in urls] if by_name else []


def _names_itself(word: str) -> bool:
    short = word[:1] == "-" and word[1:2] != "-" and "O" in word
    return short or word in ("--remote-name", "--remote-name-all")


def _copy(shell: Shell, operands: list[str]) -> None:
    if len(operands) == 2:
        made = shell.written(operands[0])
        if made:
            shell.write(operands[1], made)
