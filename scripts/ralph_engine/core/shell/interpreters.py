"""python -c, perl -e, node -e, awk: literals of their code, followed where they are commands."""

from __future__ import annotations

from . import code, origins, runners, shells
from .values import NO_PROGRAMS, UNKNOWN, Feed, known, name_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .state import Shell

_LANGUAGES = {
    **dict.fromkeys(("python", "pypy", "ipython"), "python"),
    **dict.fromkeys(("node", "nodejs", "bun", "deno", "ts-node", "tsx"), "js"),
    "ruby": "ruby",
    **dict.fromkeys(("perl", "php", "lua", "luajit", "osascript", "rscript"), "other"),
    **dict.fromkeys(("awk", "gawk", "mawk", "nawk"), "awk"),
}
# What names the code, and what takes another word with it.
_CODE = {
    "python": ("c", ()),
    "js": ("ep", ("--eval", "--print", "eval")),
    "ruby": ("e", ()),
    "other": ("eEr", ("--eval",)),
}
_VALUED = {
    "python": ("-W", "-X", "-m", "--check-hash-based-pycs"),
    "js": ("-r", "--require", "--import", "--loader", "-C"),
    "ruby": ("-I", "-r"),
    "other": ("-I", "-M"),
    "awk": ("-F", "-v", "-f", "--field-separator", "--assign", "--file"),
}


def language(name: str) -> str:
    return _LANGUAGES.get(name.rstrip("0123456789."), "")


def run(shell: Shell, words: list[str], feed: Feed | None, behind: frozenset[str]) -> Feed:
    kind = language(name_of(words))
    texts, is_stdin, file = _given(kind, words[1:])
    programs = behind
    if is_stdin and feed:
        texts, programs = [feed.text], feed.programs
    made = shell.written(file) if file else None
    if made:
        texts, programs = [made.text], made.programs
    for text in texts:
        _follow(shell, kind, text, programs)
    before = feed.programs if feed else NO_PROGRAMS
    return Feed(UNKNOWN, before | behind | {name_of(words)})


def _given(kind: str, words: list[str]) -> tuple[list[str], bool, str]:
    """Code on the command line; whether it comes from the input; the file it is in."""
    texts: list[str] = []
    at = 0
    while at < len(words) and words[at].startswith("-") and words[at] != "-":
        if words[at].startswith(("--eval=", "--print=")):
            texts.append(words[at].partition("=")[2])
        elif kind != "awk" and _names_code(kind, words[at]):
            texts += words[at + 1 : at + 2]
            at += 1
            if kind == "python":
                return texts, False, ""
        elif kind == "python" and words[at] == "-m":
            return [], False, ""
        elif words[at] in _VALUED[kind]:
            at += 1
        at += 1
    rest = words[at:]
    if kind == "awk":
        return rest[:1] if "-f" not in words[:at] else [], False, ""
    if rest[:1] == ["eval"] and kind == "js":
        return rest[1:2], False, ""
    if rest[:1] == ["run"] and kind == "js":
        rest = [word for word in rest[1:] if not word.startswith("-")]
    is_stdin = not texts and (not rest or rest[0] in ("-", "/dev/stdin"))
    return texts, is_stdin, rest[0] if rest and not texts and not is_stdin else ""


def _names_code(kind: str, option: str) -> bool:
    letters, names = _CODE[kind]
    short = option[1:2] != "-"
    return option in names or (short and option[-1] in letters)


def _follow(shell: Shell, kind: str, text: str, programs: frozenset[str]) -> None:
    if not known(text.strip()) and len(text.strip()) == 1:
        rule = origins.rule_for(programs)
        if rule:
            shell.is_feeding(rule, "code for an interpreter")
        return
    shell.budget.step(1 + len(text) // 16)
    read = code.read(kind, text)
    if read.rule:
        shell.is_feeding(read.rule, "code for an interpreter")
    for found in read.scripts:
        shells.literal_script(shell.child(), found)
    for words in read.commands:
        at_home = [shell.home + word[1:] if word[:2] in ("~", "~/") else word for word in words]
        runners.command(shell, at_home, None, NO_PROGRAMS)
