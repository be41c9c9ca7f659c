"""The string literals of a program text, and what the calls around them do with them."""

from __future__ import annotations

from collections import namedtuple

from . import escapes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple

    class _Found(NamedTuple):
        scripts: list[str]
        commands: list[list[str]]
        files: dict[str, list[str]]

    class Read(NamedTuple):
        scripts: list[str]
        commands: list[list[str]]
        rule: str

    Token = tuple[str, str]
else:
    _Found = namedtuple("_Found", "scripts commands files")
    Read = namedtuple("Read", "scripts commands rule")

MAY_WRITE, MAY_READ = "@writes", "@reads"
_NAME, _TEXT, _MARK = "name", "text", "mark"
_RUNS = frozenset(
    "system popen popen2 popen3 exec execsync execfile execfilesync spawn spawnsync call check_call"
    " check_output run getoutput getstatusoutput execl execlp execv execve execvp execvpe spawnl"
    " spawnlp spawnv spawnvp posix_spawn shell_exec passthru proc_open qx create_subprocess_shell"
    " create_subprocess_exec startprocess execute command sh bash".split()
)
_DELETES = frozenset(
    "rmtree remove removesync unlink rmdir removedirs rmsync rm unlinksync rmdirsync rm_rf rm_r"
    " rm_f remove_entry remove_entry_secure remove_dir emptydirsync emptydir".split()
)
_WRITES = frozenset(
    "writefile writefilesync appendfile appendfilesync createwritestream file_put_contents"
    " truncate truncatesync write_text write_bytes touch mkdir writejson".split()
)
_MOVES = frozenset(
    "rename renamesync renames move copy copy2 copyfile copyfilesync copytree cp cpsync"
    " link symlink linksync symlinksync hardlink_to symlink_to chmod chmodsync cp_r mv".split()
)
_OPENS = frozenset(("open", "fopen"))
_CALLS = _RUNS | _DELETES | _WRITES | _MOVES | _OPENS
# Of JavaScript only these: exec is what every pattern does there.
_EVALUATES = {"js": frozenset(("eval", "Function")), "awk": frozenset()}
# What all names are in. Where there is none, a dot joins texts or eval is everybody's.
_GLOBALS = {
    "python": frozenset("builtins __builtins__".split()),
    "js": frozenset("globalThis window global self this".split()),
    "ruby": frozenset("binding Kernel self".split()),
}
_DECODES = frozenset(
    "b64decode b32decode a85decode atob unhexlify fromhex decompress rot13 decode64 pack"
    " decodebytes base64_decode decode_base64 marshal buffer".split()
)
_FETCHES = frozenset(
    "urlopen urlretrieve requests urllib fetch axios httpx lwp open-uri wget net".split()
)
# There it is what people call a neural network.
_FETCHES_BY_KIND = {"python": _FETCHES - {"net"}}
_PREFIXES = frozenset("r b u f rb br fr rf R B U F".split())
_LONGEST_PATH = 300
_FARTHEST = 200
_MOST_PATHS = 200


def read(kind: str, text: str) -> Read:
    tokens = _tokens(kind, text)
    found = _Found([], [], {"rm": [], "tee": []})
    for at, (sort, value) in enumerate(tokens):
        if sort == _NAME:
            _call(value.lower(), tokens, at, found)
        elif sort == _MARK and value in "|>":
            _piped(kind, value, tokens, at, found)
    names = {value for sort, value in tokens if sort == _NAME}
    if kind in ("ruby", "other"):
        found.scripts.extend(_in_backticks(text))
    evaluates = _evaluates(kind, tokens)
    small = {name.lower() for name in names}
    files = [["rm", "-rf", *found.files["rm"]], ["tee", *found.files["tee"]]]
    commands = [*found.commands, *files, *_perhaps(tokens, small)]
    return Read(found.scripts, commands, _rule(kind, small) if evaluates else "")


def _evaluates(kind: str, tokens: list[Token]) -> bool:
    names = _EVALUATES.get(kind, frozenset(("exec", "eval")))
    return any(
        sort == _NAME and value in names and not _is_method(kind, tokens[max(0, at - 5) : at])
        for at, (sort, value) in enumerate(tokens)
    )


def _is_method(kind: str, before: list[Token]) -> bool:
    """model.eval(), page.$eval(): theirs, unless it is said of what all names are in."""
    said = [token for token in before if token != (_MARK, "\n")]
    if said[-1:] == [(_MARK, "$")]:
        return True
    if kind not in _GLOBALS or len(said) < 2 or said[-1] != (_MARK, "."):
        return False
    receiver = said[-2]
    # Also __import__("builtins").eval and (builtins).eval.
    named = said[-3:-1]
    is_something = receiver[0] == _NAME or receiver in ((_MARK, ")"), (_MARK, "]"))
    return is_something and not any(value in _GLOBALS[kind] for _, value in named)


def _call(name: str, tokens: list[Token], at: int, found: _Found) -> None:
    if name not in _CALLS:
        return
    texts = _arguments(tokens, at + 1) or _receiver(tokens, at)
    if not texts:
        return
    if name in _RUNS:
        found.scripts.extend(texts[:1] if len(texts) == 1 or " " in texts[0] else [])
        found.commands.extend([texts] if len(texts) > 1 else [])
    if name in _DELETES:
        found.files["rm"] += texts
    elif name in _WRITES:
        found.files["tee"].append(texts[0])
    elif name in _MOVES and len(texts) > 1:
        found.commands.append(["cp", *texts[:2]])
    elif name in _OPENS:
        found.files["tee"] += _opened(texts)


def _piped(kind: str, mark: str, tokens: list[Token], at: int, found: _Found) -> None:
    """awk: print | "sh", "command" | getline, print > "file"."""
    beside = tokens[max(0, at - 1) : at + 2] if mark == "|" else tokens[at + 1 : at + 2]
    texts = [value for sort, value in beside if sort == _TEXT]
    if mark == ">":
        found.files["tee"] += texts
    elif kind == "awk":
        found.scripts.extend(texts)


def _opened(texts: list[str]) -> list[str]:
    """open(path, "w") and open(F, ">path")"""
    for place, text in enumerate(texts):
        if text.startswith(">"):
            return [text.lstrip("> ") or "".join(texts[place + 1 : place + 2])]
    modes = [text for text in texts[1:] if text and len(text) <= 4 and set(text) <= set("rwaxbt+")]
    return texts[:1] if any(set(mode) & set("wax+") for mode in modes) else []


def _arguments(tokens: list[Token], at: int) -> list[str]:
    """The literals of a call, in parentheses or up to the end of the statement."""
    depth, found = 0, []
    in_parentheses = tokens[at : at + 1] == [(_MARK, "(")]
    for sort, value in tokens[at : at + _FARTHEST]:
        if sort == _TEXT:
            found.append(value)
        elif sort == _MARK and value in "([{":
            depth += 1
        elif sort == _MARK and value in ")]}":
            depth -= 1
            if depth < 0 or (depth == 0 and in_parentheses):
                break
        elif sort == _MARK and value in ";\n" and depth <= 0:
            break
    return found


def _receiver(tokens: list[Token], at: int) -> list[str]:
    """Path("x").write_text(...): the literal is before the name."""
    before = tokens[max(0, at - 4) : at]
    return (
        [value for sort, value in before if sort == _TEXT] if before[-1:] == [(_MARK, ".")] else []
    )


def _perhaps(tokens: list[Token], names: set[str]) -> list[list[str]]:
    """A path in a variable: written by something, if anything here writes."""
    paths = {value for sort, value in tokens if sort == _TEXT and _is_path(value)}
    writes = names & (_WRITES | _MOVES | _DELETES | _OPENS | {"write"})
    some = sorted(paths)[:_MOST_PATHS]
    return [[MAY_READ, *some], *([[MAY_WRITE, *some]] if writes else [])]


def _is_path(text: str) -> bool:
    return 0 < len(text) <= _LONGEST_PATH and "\n" not in text and ("/" in text or "." in text)


def _rule(kind: str, names: set[str]) -> str:
    if names & _FETCHES_BY_KIND.get(kind, _FETCHES):
        return "remote-code"
    return "decode-and-run" if names & _DECODES else ""


def _in_backticks(text: str) -> list[str]:
    """Of ruby, perl and php; ruby also writes %x(...)."""
    found = text.split("`")[1::2] if text.count("`") > 1 else []
    for part in text.split("%x")[1:]:
        closing = {"(": ")", "[": "]", "{": "}"}.get(part[:1], part[:1])
        found.append(part[1:].split(closing)[0] if closing else "")
    return found


def _tokens(kind: str, text: str) -> list[Token]:
    found: list[Token] = []
    at = 0
    while at < len(text):
        letter = text[at]
        if letter.isalpha() or letter == "_":
            at = _name(text, at, found)
        elif letter in "'\"" or (letter == "`" and kind == "js"):
            at = _string(text, at, found)
        elif _is_comment(kind, text, at):
            end = text.find("\n", at)
            at = len(text) if end < 0 else end
        else:
            if letter not in " \t\r":
                found.append((_MARK, letter))
            at += 1
    return found


def _name(text: str, at: int, found: list[Token]) -> int:
    end = at
    while end < len(text) and (text[end].isalnum() or text[end] == "_"):
        end += 1
    is_prefix = text[at:end] in _PREFIXES and text[end : end + 1] in ("'", '"')
    if not is_prefix:
        found.append((_NAME, text[at:end]))
    return end


def _string(text: str, at: int, found: list[Token]) -> int:
    quote = text[at : at + 3] if text[at : at + 3] in ('"""', "'''") else text[at]
    start = end = at + len(quote)
    while end < len(text) and not text.startswith(quote, end):
        end += 2 if text[end] == "\\" else 1
    found.append((_TEXT, escapes.ansi_c(text[start:end])))
    return end + len(quote)


def _is_comment(kind: str, text: str, at: int) -> bool:
    return text.startswith("//", at) if kind == "js" else text[at] == "#"
