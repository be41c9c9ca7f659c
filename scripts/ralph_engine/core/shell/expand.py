"""Words of a script as the fields that a command would get: quotes, braces, variables, splits."""

from __future__ import annotations

from . import escapes, filters, parameters
from .values import NO_PROGRAMS, UNKNOWN, Feed, capped, settled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .state import Shell
    from .values import Node

    # (kind, text): 'l' bare letters, 'q' quoted, 's' to be split at blanks, 'f' a field's end,
    # 'c' what a filter may have chosen: split like 's', but of no text that is put together.
    Segment = tuple[str, str]

_BARE, _QUOTED, _SPLIT, _BORDER, _CHOSEN = "l", "q", "s", "f", "c"
_MOST_BRACES = 256
_MOST_RANGE = 64
_MOST_LETTERS = 1000


def fields(shell: Shell, word: Node) -> list[str]:
    """What one word becomes: none, one or several arguments."""
    parts = word.get("Parts") or []
    segments = _segments(shell, parts, quoted=False)
    if len(parts) > 1:
        # Only a word of its own: in `build/$(ls build | head -1)/*` no `/*` stands by itself.
        segments = _unchosen(segments)
    found: list[str] = []
    for variant in _braced(shell, segments):
        found += _split(_with_home(shell, variant))
    shell.budget.step(len(found))
    return [settled(_paid(shell, field)) for field in found]


def text(shell: Shell, word: Node) -> str:
    """What one word becomes where nothing is split: in assignments, here-strings, patterns."""
    segments = _with_home(shell, _segments(shell, word.get("Parts") or [], quoted=False))
    whole = _unchosen(segments)
    return _paid(shell, "".join(" " if kind == _BORDER else part for kind, part in whole))


def _unchosen(segments: list[Segment]) -> list[Segment]:
    """Without what a filter may have chosen of a substitution's output."""
    return [(kind, part) for kind, part in segments if kind != _CHOSEN]


def document(shell: Shell, word: Node) -> str:
    """The text of a here-document."""
    segments = _segments(shell, word.get("Parts") or [], quoted=True)
    return _paid(shell, "".join(part for _, part in segments))


def _paid(shell: Shell, made: str) -> str:
    made = capped(made)
    shell.budget.read(made)
    return made


def nested(shell: Shell, node: object) -> None:
    """Runs what is substituted anywhere below a node that has no words of its own."""
    if isinstance(node, dict):
        if node.get("Type") in ("CmdSubst", "ProcSubst"):
            _segment(shell, node, quoted=True)
            return
        for child in node.values():
            nested(shell, child)
    elif isinstance(node, list):
        for child in node:
            nested(shell, child)


def _segments(shell: Shell, parts: list[Node], quoted: bool) -> list[Segment]:
    shell.budget.step(len(parts))
    return [segment for part in parts for segment in _segment(shell, part, quoted)]


def _segment(shell: Shell, part: Node, quoted: bool) -> list[Segment]:
    kind = part["Type"]
    # shfmt leaves out what is empty.
    value = part.get("Value", "")
    if kind == "Lit":
        return _literal(value, quoted)
    if kind == "SglQuoted":
        # A zero byte ends such a text.
        return [(_QUOTED, escapes.ansi_c(value).split("\0")[0] if part.get("Dollar") else value)]
    if kind == "DblQuoted":
        # Empty quotes are an argument too.
        return [(_QUOTED, ""), *_segments(shell, part.get("Parts") or [], quoted=True)]
    if kind == "ParamExp":
        return _of_value(parameters.value(shell, part, text), quoted)
    if kind == "CmdSubst":
        return _substituted(shell, part, quoted)
    if kind == "ProcSubst":
        return [(_QUOTED, _piped(shell, part))]
    nested(shell, part.get("X"))
    return [(_QUOTED, "*" if kind == "ExtGlob" else UNKNOWN)]


def _literal(value: str, quoted: bool) -> list[Segment]:
    if "\\" not in value:
        return [(_QUOTED if quoted else _BARE, value)]
    found: list[Segment] = []
    at = 0
    while at < len(value):
        slash = value.find("\\", at)
        end = len(value) if slash < 0 else slash
        found.append((_QUOTED if quoted else _BARE, value[at:end]))
        if slash < 0:
            break
        letter = value[slash + 1 : slash + 2]
        kept = "\\" if quoted and letter not in '$`"\\\n' else ""
        found.append((_QUOTED, "" if letter == "\n" else kept + letter))
        at = slash + 2
    return found


def _of_value(value: parameters.Value, quoted: bool) -> list[Segment]:
    kind = _QUOTED if quoted else _SPLIT
    if isinstance(value, str):
        return [(kind, value)]
    found: list[Segment] = []
    for item in value:
        found += [(kind, item), (_BORDER, "")]
    return found[:-1]


def _substituted(shell: Shell, part: Node, quoted: bool) -> list[Segment]:
    from . import walk

    out = walk.statements(shell.child(), part.get("Stmts") or [], None)
    shell.shared.substituted |= out.programs
    script = filters.as_script(out)
    chosen = [] if quoted or script == out.text else [(_CHOSEN, f"\n{out.text}")]
    return [(_QUOTED if quoted else _SPLIT, script.rstrip("\n")), *chosen]


def _piped(shell: Shell, part: Node) -> str:
    """<(...) is a file with known content; what goes into >(...) is not known."""
    from . import walk

    if not part.get("Stmts"):
        return ""
    feed = None if part["Op"] == "<(" else Feed(UNKNOWN, NO_PROGRAMS)
    out = walk.statements(shell.child(), part.get("Stmts") or [], feed)
    path = f"/dev/fd/{63 + len(shell.shared.written)}"
    shell.write(path, out)
    return path


def _with_home(shell: Shell, segments: list[Segment]) -> list[Segment]:
    """A bare tilde at the start."""
    segments = _rejoined(segments)
    if not segments or segments[0][0] != _BARE or not segments[0][1].startswith("~"):
        return segments
    user, slash, rest = segments[0][1][1:].partition("/")
    if not slash and len(segments) > 1:
        return segments
    folders = {"": shell.home, "+": shell.cwd, "-": shell.old_cwd, "root": "/root"}
    if user not in folders and not user.replace("-", "").replace("_", "").isalnum():
        return segments
    folder = folders.get(user, f"/home/{user}")
    return [(_QUOTED, folder + slash), (_BARE, rest), *segments[1:]]


def _split(segments: list[Segment]) -> list[str]:
    done: list[str] = []
    current: str | None = None
    for kind, part in segments:
        if kind == _BORDER:
            done += [] if current is None else [current]
            current = None
        elif kind in (_SPLIT, _CHOSEN):
            current = _split_one(part, current, done)
        elif part or kind == _QUOTED:
            current = (current or "") + part
    return done if current is None else [*done, current]


def _split_one(part: str, current: str | None, done: list[str]) -> str | None:
    pieces = part.split()
    if not pieces:
        if part and current is not None:
            done.append(current)
            return None
        return current
    if part[0].isspace() and current is not None:
        done.append(current)
        current = None
    pieces[0] = (current or "") + pieces[0]
    done += pieces[:-1]
    if part[-1].isspace():
        done.append(pieces[-1])
        return None
    return pieces[-1]


def _braced(shell: Shell, segments: list[Segment]) -> list[list[Segment]]:
    if not any(kind == _BARE and "{" in part for kind, part in segments):
        return [segments]
    if sum(len(part) if kind == _BARE else 1 for kind, part in segments) > _MOST_LETTERS:
        return [[(_QUOTED, UNKNOWN)]]
    letters: list[Segment] = []
    for kind, part in segments:
        letters += [(kind, letter) for letter in part] if kind == _BARE else [(kind, part)]
    shell.budget.step(len(letters))
    return [_rejoined(variant) for variant in _variants(letters)]


def _variants(letters: list[Segment]) -> list[list[Segment]]:
    """Every way to read the first brace that offers a choice, and so on behind it."""
    for start, segment in enumerate(letters):
        if segment != (_BARE, "{"):
            continue
        end, commas = _closing(letters, start)
        choices = _choices(letters, start, end, commas) if end else []
        if not choices:
            continue
        behind = _variants(letters[end + 1 :])
        inner = [way for choice in choices for way in _variants(choice)]
        made = [letters[:start] + way + rest for way in inner for rest in behind]
        return made if len(made) <= _MOST_BRACES else [[(_QUOTED, UNKNOWN)]]
    return [letters]


def _closing(letters: list[Segment], start: int) -> tuple[int, list[int]]:
    depth = 0
    commas: list[int] = []
    for at in range(start, len(letters)):
        if letters[at] == (_BARE, "{"):
            depth += 1
        elif letters[at] == (_BARE, "}"):
            depth -= 1
            if depth == 0:
                return at, commas
        elif letters[at] == (_BARE, ",") and depth == 1:
            commas.append(at)
    return 0, []


def _choices(
    letters: list[Segment], start: int, end: int, commas: list[int]
) -> list[list[Segment]]:
    if commas:
        borders = [start, *commas, end]
        return [letters[a + 1 : b] for a, b in zip(borders, borders[1:])]
    if any(kind != _BARE for kind, _ in letters[start:end]):
        return []
    first, dots, last = "".join(part for _, part in letters[start + 1 : end]).partition("..")
    return [[(_QUOTED, item)] for item in _range(first, last)] if dots else []


def _range(first: str, last: str) -> list[str]:
    last = last.partition("..")[0]
    if all(text.lstrip("-").isdigit() and len(text) < 10 for text in (first, last)):
        numbers = range(min(int(first), int(last)), max(int(first), int(last)) + 1)
        return [str(n) for n in numbers] if len(numbers) <= _MOST_RANGE else [UNKNOWN]
    if len(first) == len(last) == 1 and first.isalpha() and last.isalpha():
        letters = range(min(ord(first), ord(last)), max(ord(first), ord(last)) + 1)
        return [chr(n) for n in letters]
    return []


def _rejoined(letters: list[Segment]) -> list[Segment]:
    joined: list[Segment] = []
    for kind, part in letters:
        if joined and kind == _BARE and joined[-1][0] == _BARE:
            joined[-1] = (_BARE, joined[-1][1] + part)
        else:
            joined.append((kind, part))
    return joined
