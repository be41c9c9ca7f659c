"""The commands that an audit's file wants to see pass, read from its Markdown."""

from __future__ import annotations

from . import check_script

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_WORDS = "validation commands"
_HEADING, _BLOCK, _ENTRY, _PROSE = "heading", "block", "entry", "prose"
FORMS = (
    "write each as a list entry (- `make test`, 1. `make test` or - [ ] `make test`) "
    "or in a code block (```)"
)


def of(markdown: str) -> list[str]:
    """Each code block and each list entry under the heading is one."""
    found = [_command(kind, text) for kind, text in _section(markdown)]
    return list(dict.fromkeys(command for command in found if command))


def are_misread(markdown: str) -> bool:
    """Something stands under the heading, and none of it is a command.

    A code block of comments alone says that there are none yet.
    """
    kinds = [kind for kind, _ in _section(markdown)]
    return bool(kinds) and _BLOCK not in kinds and not of(markdown)


def united(first: list[str], later: list[str]) -> list[str]:
    """What was there at the start stays, what came later is added."""
    return list(dict.fromkeys([*first, *later]))


def _section(markdown: str) -> Iterator[tuple[str, str]]:
    """What stands under the heading and under deeper ones behind it."""
    level = 0
    for kind, text in _parts(markdown):
        depth = len(text) - len(text.lstrip("#"))
        if kind != _HEADING:
            if level:
                yield kind, text
        elif not level or depth <= level:
            level = depth if _WORDS in " ".join(text.lower().split()) else 0


def _parts(markdown: str) -> Iterator[tuple[str, str]]:
    lines = iter(markdown.splitlines())
    for line in lines:
        bare = _uncommented(line, lines).strip()
        entry = _entry(bare)
        fence = _fence(bare if entry is None else entry)
        if fence:
            yield _BLOCK, _block(lines, fence)
        elif not bare.strip("-*_= "):
            continue
        elif entry is not None:
            yield _ENTRY, _joined(entry, lines)
        else:
            yield _HEADING if bare.startswith("#") else _PROSE, bare


def _uncommented(line: str, lines: Iterator[str]) -> str:
    """Takes the lines up to the end of a comment; one that never ends hides the rest."""
    kept = ""
    while "<!--" in line and "`" not in line.partition("<!--")[0]:
        before, _, line = line.partition("<!--")
        kept += before
        while "-->" not in line:
            line = next(lines, "-->")
        line = line.partition("-->")[2]
    return kept + line


def _entry(bare: str) -> str | None:
    """The words of a list entry, without its number and its box."""
    mark, _, words = bare.partition(" ")
    numbered = mark[-1:] in (".", ")") and mark[:-1].isdigit()
    if mark not in ("-", "*", "+") and not numbered:
        return None
    words = words.strip()
    return words[3:].strip() if words[:3] in ("[ ]", "[x]", "[X]") else words


def _joined(entry: str, lines: Iterator[str]) -> str:
    while entry.endswith("\\"):
        entry = f"{entry[:-1].rstrip()} {next(lines, '').strip()}"
    return entry


def _fence(bare: str) -> str:
    """What opens a code block; three backticks that close on their line do not."""
    mark = bare[:1]
    length = len(bare) - len(bare.lstrip(mark))
    if mark not in ("`", "~") or length < 3 or (mark == "`" and mark in bare[length:]):
        return ""
    return mark * length


def _block(lines: Iterator[str], fence: str) -> str:
    """Without the margin that a block in a list has."""
    block: list[str] = []
    for line in lines:
        bare = line.strip()
        if bare.startswith(fence) and not bare.strip(fence[0]):
            break
        block.append(line)
    margin = min((len(line) - len(line.lstrip()) for line in block if line.strip()), default=0)
    return "\n".join(line[margin:].rstrip() for line in block).strip("\n")


def _command(kind: str, text: str) -> str:
    if kind == _ENTRY:
        return _of_entry(text)
    lines = check_script.lines(text) if kind == _BLOCK else []
    return text if len(lines) > 1 else "".join(lines)


def _of_entry(words: str) -> str:
    """Its first `code`; without any all of it, unless it only leads to what follows."""
    if "`" not in words:
        return "" if words.endswith(":") else words
    behind = words[words.index("`") :]
    mark = "`" * (len(behind) - len(behind.lstrip("`")))
    code, closed, _ = behind[len(mark) :].partition(mark)
    return code.strip() if closed else words
