"""What a command does to files: which paths it writes, deletes, moves, links or changes."""

from __future__ import annotations

from collections import namedtuple

from .shell import finding, making
from .shell.code import MAY_WRITE
from .shell.state import joined
from .shell.values import name_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, NamedTuple

    from .shell.values import Command, Redirect

    class Effect(NamedTuple):
        kind: str
        path: str
        source: str

    Reader = Callable[[list[str]], list[Effect]]
else:
    Effect = namedtuple("Effect", "kind path source")

_IN_PLACE_ANYWHERE = frozenset("--in-place --inplace --write --fix".split())
# Short ones mean something else to most programs: grep -i, wc -w.
_IN_PLACE = {
    **dict.fromkeys("gofmt goimports gofumpt shfmt ormolu".split(), "-w"),
    **dict.fromkeys("yq clang-format autopep8 ruby xmlstarlet dasel".split(), "-i"),
}
# Of a folder and a name below it: no system takes more, and to resolve it would take seconds.
_LONGEST = 2 * 4096
_LAST: list[Any] = [None, []]
WRITE, DELETE, MOVE, MODE, LINK, PERHAPS = "write", "delete", "move", "mode", "link", "perhaps"


def of(command: Command) -> list[Effect]:
    """All of them, with paths from the root where the folder is known."""
    # Several rules ask about one command in a row.
    if _LAST[0] is not command:
        _LAST[:] = [command, _effects(command)]
    found: list[Effect] = _LAST[1]
    return found


def _effects(command: Command) -> list[Effect]:
    reader = READERS.get(name_of(command.words))
    found = reader(command.words[1:]) if reader else _in_place(command.words)
    found += [Effect(WRITE, entry.target, "") for entry in command.redirects if _writes(entry)]
    cwd = command.cwd
    placed = [
        Effect(kind, joined(cwd, path), joined(cwd, source) if source else "")
        for kind, path, source in found
    ]
    return [effect for effect in placed if len(effect.path) <= _LONGEST]


def _writes(redirect: Redirect) -> bool:
    is_number = redirect.target.isdigit() or redirect.target == "-"
    return ">" in redirect.op and not (redirect.op in (">&", "<&") and is_number)


def operands(words: list[str], valued: str = "") -> list[str]:
    """Words that are no options nor values of these options; all of them behind `--`."""
    found: list[str] = []
    skip = False
    for at, word in enumerate(words):
        if skip:
            skip = False
        elif word == "--":
            return found + words[at + 1 :]
        elif word.startswith("-") and len(word) > 1:
            skip = word in valued.split()
        else:
            found.append(word)
    return found


def value(words: list[str], *names: str) -> str:
    """Of an option: --name X, --name=X, -n X, -nX."""
    for at, word in enumerate(words):
        for name in names:
            if word == name:
                return words[at + 1] if at + 1 < len(words) else ""
            if name.startswith("--") and word.startswith(name + "="):
                return word[len(name) + 1 :]
            if not name.startswith("--") and word.startswith(name) and len(word) > 2:
                return word[2:]
    return ""


def values(words: list[str], *names: str) -> list[str]:
    """Of an option that may be given several times."""
    given = [value(words[at:], *names) for at in range(len(words))]
    return [word for at, word in enumerate(given) if word and words[at].startswith(names)]


def has(words: list[str], letter: str, *names: str) -> bool:
    """A flag, also in a bundle of short ones; long ones also cut short, as getopt takes them."""
    for word in words:
        if word == "--":
            return False
        if word.startswith("--"):
            plain = word.partition("=")[0]
            if any(plain == name or (name.startswith(plain) and len(plain) > 3) for name in names):
                return True
        elif word.startswith("-") and letter and letter in word[1:]:
            return True
    return False


def _all(kind: str, valued: str = "") -> Reader:
    def read(words: list[str]) -> list[Effect]:
        return [Effect(kind, word, "") for word in operands(words, valued)]

    return read


def _after_first(kind: str) -> Reader:
    """chmod MODE FILE...; with --reference there is no mode."""

    def read(words: list[str]) -> list[Effect]:
        found = operands([word for word in words if not _is_minus_mode(word)])
        skip = 0 if value(words, "--reference") or any(map(_is_minus_mode, words)) else 1
        return [Effect(kind, word, "") for word in found[skip:]]

    return read


def _is_minus_mode(word: str) -> bool:
    """chmod -x FILE: a mode that looks like an option."""
    return word[:1] == "-" and bool(word[1:]) and set(word[1:]) <= set("rwxst")


def _copies(words: list[str]) -> list[Effect]:
    return _onto(words, "-t --target-directory -S --suffix -m -o -g --mode --owner --group")


def _onto(words: list[str], valued: str) -> list[Effect]:
    """Onto the last operand, or into it."""
    found = operands(words, valued)
    target = value(words, "-t", "--target-directory")
    sources = found if target else found[:-1]
    target = target or (found[-1] if len(found) > 1 else "")
    if not target:
        return []
    effects = [Effect(WRITE, target, sources[0] if len(sources) == 1 else "")]
    for source in sources:
        base = source.rstrip("/").rsplit("/", 1)[-1]
        effects.append(Effect(WRITE, f"{target.rstrip('/')}/{base}", source))
    return effects


def _moves(words: list[str]) -> list[Effect]:
    found = operands(words, "-t --target-directory -S --suffix")
    sources = found if value(words, "-t", "--target-directory") else found[:-1]
    return [Effect(MOVE, source, "") for source in sources] + _copies(words)


def _links(words: list[str]) -> list[Effect]:
    """What is linked can be written by its other name."""
    found = operands(words, "-t --target-directory -S --suffix")
    sources = found if value(words, "-t", "--target-directory") or len(found) == 1 else found[:-1]
    return [Effect(LINK, source, "") for source in sources] + _copies(words)


def _dd(words: list[str]) -> list[Effect]:
    return [Effect(WRITE, word[3:], "") for word in words if word.startswith("of=")]


def _sed(words: list[str]) -> list[Effect]:
    from . import sed_script

    found = operands(words, "-e -f --expression --file -l")
    scripts = values(words, "-e", "--expression")
    scripted = scripts or value(words, "-f", "--file")
    inputs = found if scripted else found[1:]
    written = [name for script in scripts or found[:1] for name in sed_script.files(script)]
    written += inputs if has(words, "i", "--in-place") else []
    return [Effect(WRITE, name, "") for name in written]


def _perl(words: list[str]) -> list[Effect]:
    flags = [word for word in words if word[:1] == "-" and word[1:2] != "-"]
    in_place = any("i" in flag.split("e")[0] for flag in flags)
    return [Effect(WRITE, word, "") for word in operands(words, "-e -pe -ne")] if in_place else []


def _awk(words: list[str]) -> list[Effect]:
    if value(words, "-i") != "inplace":
        return []
    return [Effect(WRITE, word, "") for word in operands(words, "-i -v -F -f")[1:]]


def _download(name: str) -> Reader:
    def read(words: list[str]) -> list[Effect]:
        return [Effect(WRITE, path, "") for path in making.downloads(name, [name, *words])]

    return read


def _tar(words: list[str]) -> list[Effect]:
    if not words:
        return []
    letters = words[0].lstrip("-") if not words[0].startswith("--") else ""
    folder = value(words, "-C", "--directory")
    if "x" in letters or has(words, "x", "--extract", "--get"):
        return [Effect(WRITE, name, "") for name in _extracted(words, folder)]
    if "c" in letters or has(words, "c", "--create"):
        return [Effect(WRITE, file, "") for file in [_tar_file(words)] if file not in ("", "-")]
    return []


def _extracted(words: list[str], folder: str) -> list[str]:
    """Anything below the folder, and the members that are named."""
    if has(words, "O", "--to-stdout"):
        return []
    found = operands(words, "-f --file -C --directory --exclude -X -T --files-from -K -I")
    found = found[1:] if words[0][:1] != "-" else found
    members = [name for name in found if name != _tar_file(words)]
    below = f"{folder}/" if folder else ""
    return [below + name for name in (["*"] if folder else []) + members]


def _tar_file(words: list[str]) -> str:
    if words[0][:1] != "-" and "f" in words[0]:
        return "".join(words[1:2])
    bundled = [at for at, word in enumerate(words) if word[:1] == "-" and word[-1:] == "f"]
    return words[bundled[0] + 1] if bundled and bundled[0] + 1 < len(words) else ""


def _unzip(words: list[str]) -> list[Effect]:
    folder = value(words, "-d")
    return [Effect(WRITE, f"{folder}/*", "")] if folder else []


def _output(*names: str) -> Reader:
    def read(words: list[str]) -> list[Effect]:
        path = value(words, *names)
        return [Effect(WRITE, path, "")] if path else []

    return read


def _rsync(words: list[str]) -> list[Effect]:
    effects = _onto(words, "-e --rsh --exclude --include --filter -f --files-from")
    kept = [effect for effect in effects if ":" not in effect.path]
    if has(words, "", "--delete", "--delete-after", "--delete-excluded", "--del"):
        kept += [Effect(DELETE, effect.path, "") for effect in kept[:1]]
    return kept


def _patch(words: list[str]) -> list[Effect]:
    found = operands(words, "-p -i -d -o -r -F")
    return [Effect(WRITE, word, "") for word in found[:1]]


def _find(words: list[str]) -> list[Effect]:
    return [Effect(WRITE, name, "") for name in finding.read(words).files]


def _git(words: list[str]) -> list[Effect]:
    from .guard_rules import git_words

    return git_words.effects(words)


def in_place(words: list[str]) -> bool:
    """Formatters and the like, told to write their input back."""
    short = _IN_PLACE.get(name_of(words), "")
    return any(word in _IN_PLACE_ANYWHERE or word == short for word in words[1:])


def _in_place(words: list[str]) -> list[Effect]:
    return [Effect(PERHAPS, word, "") for word in operands(words[1:])] if in_place(words) else []


READERS: dict[str, Reader] = {
    **dict.fromkeys(
        ("rm", "unlink", "rmdir", "shred", "srm", "rimraf", "trash"), _all(DELETE, "-n -s")
    ),
    **dict.fromkeys(("tee", "sponge", "split", "csplit"), _all(WRITE)),
    **dict.fromkeys(("mkdir", "mkfifo", "mknod"), _all(WRITE, "-m --mode")),
    "touch": _all(WRITE, "-d -r -t --date --reference"),
    "truncate": _all(WRITE, "-s -r --size --reference"),
    **dict.fromkeys(
        ("vi", "vim", "nvim", "nano", "emacs", "ed", "ex", "micro"), _all(WRITE, "-c +")
    ),
    **dict.fromkeys(
        ("chmod", "chown", "chgrp", "chattr", "setfacl", "chflags"), _after_first(MODE)
    ),
    **dict.fromkeys(("cp", "install", "ditto", "gcp"), _copies),
    **dict.fromkeys(("mv", "gmv"), _moves),
    "rename": _all(MOVE),
    **dict.fromkeys(("ln", "gln", "link"), _links),
    "dd": _dd,
    **dict.fromkeys(("sed", "gsed"), _sed),
    **dict.fromkeys(("perl", "ruby"), _perl),
    **dict.fromkeys(("awk", "gawk"), _awk),
    "curl": _download("curl"),
    "wget": _download("wget"),
    **dict.fromkeys(("tar", "gtar", "bsdtar"), _tar),
    "unzip": _unzip,
    "rsync": _rsync,
    "patch": _patch,
    "find": _find,
    "sort": _output("-o", "--output"),
    "git": _git,
    MAY_WRITE: _all(PERHAPS),
}
