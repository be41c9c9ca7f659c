"""Programs that are given a script or a command to run: each is followed into it."""

from __future__ import annotations

from . import expand, origins, shells, wrappers
from . import words as words_of
from .values import (
    CONTAINER,
    NO_PROGRAMS,
    REMOTE,
    UNKNOWN,
    Feed,
    name_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    from .state import Shell

    Runner = Callable[[Shell, list[str], "Feed | None", frozenset[str]], Feed]

_MOST_ITEMS = 32
_PARALLEL_VALUED = "-j --jobs -N -n -a --arg-file --delay --timeout -S --joblog"
_SSH_VALUED = "-b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w"


def find(name: str, words: list[str]) -> Runner | None:
    if name in shells.SHELLS:
        return shells.program
    if name == "env" and any(word[:2] == "-S" or word.startswith("--split") for word in words[1:]):
        return _env_split
    if name in ("npx", "npm") and wrappers.option(_own_words(name, words), "", "-c", "--call"):
        return shells.with_option_c
    if shells.is_tdd(words):
        return _tdd
    runner = _RUNNERS.get(name)
    if runner:
        return runner
    from . import interpreters

    return interpreters.run if interpreters.language(name) else None


def _own_words(name: str, words: list[str]) -> list[str]:
    found = wrappers.find(name, words)
    return words[: len(words) - len(wrappers.inner(*found, words)[0])] if found else []


def _flock(shell: Shell, words: list[str], feed: Feed | None, behind: frozenset[str]) -> Feed:
    """flock FILE command, or flock FILE -c 'script'."""
    valued = wrappers.wrapper("-w -E --timeout --conflict-exit-code", 1, assigns=False)
    inner, _ = wrappers.inner(valued, 1, words)
    if inner[:1] in (["-c"], ["--command"]):
        return shells.script(shell.child(), "".join(inner[1:2]), feed, behind)
    return command(shell, inner, feed, behind)


def _joined(shell: Shell, words: list[str], feed: Feed | None, behind: frozenset[str]) -> Feed:
    """watch and its like put their words together for sh -c."""
    valued = wrappers.wrapper("-n --interval", assigns=False)
    inner, _ = wrappers.inner(valued, 1, words)
    return shells.script(shell.child(), " ".join(inner), feed, behind)


def _editor(shell: Shell, words: list[str], feed: Feed | None, behind: frozenset[str]) -> Feed:
    """vim -c ':!command'"""
    for word in words[1:]:
        _, mark, text = word.partition("!")
        if mark and word.lstrip("+:")[:1] == "!":
            shells.script(shell.child(), text, None, behind)
    return Feed(UNKNOWN, NO_PROGRAMS)


def _each_word(shell: Shell, words: list[str], feed: Feed | None, behind: frozenset[str]) -> Feed:
    """hyperfine, concurrently: any word with blanks in it may be a command line."""
    from . import terminals

    return terminals.lines(shell, words, behind)


def _terminal(shell: Shell, words: list[str], feed: Feed | None, behind: frozenset[str]) -> Feed:
    from . import terminals

    follow = terminals.tmux if name_of(words) == "tmux" else terminals.screen
    return follow(shell, words, behind)


def _ssh(shell: Shell, words: list[str], feed: Feed | None, behind: frozenset[str]) -> Feed:
    inner, _ = wrappers.inner(wrappers.wrapper(_SSH_VALUED, 1, assigns=False), 1, words)
    far = shell.child()
    far.where, far.cwd, far.functions = REMOTE, f"/{UNKNOWN}", {}
    return (
        shells.script(far, " ".join(inner), feed, behind) if inner else Feed(UNKNOWN, NO_PROGRAMS)
    )


def _env_split(shell: Shell, words: list[str], feed: Feed | None, behind: frozenset[str]) -> Feed:
    at = next(at for at, word in enumerate(words) if word[:2] == "-S" or word[:7] == "--split")
    first = words[at].partition("=")[2] if words[at][:2] == "--" else words[at][2:]
    rest = words[at + 1 :]
    text = first or "".join(rest[:1])
    split = _fields(shell, text)
    return command(shell, ["env", *split, *(rest if first else rest[1:])], feed, behind)


def _fields(shell: Shell, text: str) -> list[str]:
    """env -S splits as a shell would, quotes and all, but runs nothing."""
    nodes = words_of.parse(text)
    if not nodes or len(nodes) > 1 or nodes[0]["Cmd"]["Type"] != "CallExpr":
        return text.split()
    call = nodes[0]["Cmd"]
    assigned = [f"{entry['Name']['Value']}=" for entry in call["Assigns"]]
    return assigned + [field for word in call["Args"] for field in expand.fields(shell, word)]


def _tdd(shell: Shell, words: list[str], feed: Feed | None, behind: frozenset[str]) -> Feed:
    """tdd red ID -- command: several words are themselves, one is a line for the shell."""
    phases = [at for at, word in enumerate(words[:6]) if word in ("red", "green", "refactored")]
    for at in phases:
        _, *behind_id = _without_dashes(words[at + 1 :]) or [""]
        inner = _without_dashes(behind_id)
        if len(inner) == 1:
            shells.script(shell.child(), inner[0], None, behind)
        command(shell, inner, None, behind)
    return Feed(UNKNOWN, NO_PROGRAMS)


def _without_dashes(words: list[str]) -> list[str]:
    while words[:1] == ["--"]:
        words = words[1:]
    return words


def _xargs(shell: Shell, words: list[str], feed: Feed | None, behind: frozenset[str]) -> Feed:
    valued = wrappers.wrapper(
        "-I -J -n -P -L -d -a -E -s -R -S --max-args --max-procs --max-lines --delimiter --arg-file"
        " --replace --max-chars --eof",
        assigns=False,
    )
    inner, _ = wrappers.inner(valued, 1, words)
    own = words[: len(words) - len(inner)]
    items = _items(feed, own)
    mark = _replaced_mark(own)
    behind |= feed.programs if feed else NO_PROGRAMS
    for words_once in _filled(inner or ["echo"], items, mark):
        command(shell, words_once, None, behind)
    return Feed(UNKNOWN, feed.programs if feed else NO_PROGRAMS)


def _items(feed: Feed | None, own: list[str]) -> list[str]:
    if feed is None or not feed.text:
        return [UNKNOWN]
    flags = "".join(word for word in own if word[:1] == "-" and word[1:2] != "-")
    whole = any(word in ("--null", "-0") or word.startswith("-d") for word in own) or "0" in flags
    lines = [line for line in feed.text.split("\n") if line]
    items = lines if whole or _replaced_mark(own) else feed.text.split()
    return items[:_MOST_ITEMS] + ([UNKNOWN] if len(items) > _MOST_ITEMS else [])


def _replaced_mark(own: list[str]) -> str:
    for at, word in enumerate(own):
        if word in ("-I", "-J", "--replace"):
            return "".join(own[at + 1 : at + 2])
        if word.startswith(("-I", "-J")):
            return word[2:]
        if word.startswith("--replace=") or word.startswith("-i"):
            return word.partition("=")[2] or word[2:] or "{}"
    return ""


def _filled(template: list[str], items: list[str], mark: str) -> list[list[str]]:
    if not mark:
        return [[*template, *items]]
    return [[word.replace(mark, item) for word in template] for item in items]


def _parallel(shell: Shell, words: list[str], feed: Feed | None, behind: frozenset[str]) -> Feed:
    valued = wrappers.wrapper(_PARALLEL_VALUED, assigns=False)
    inner, _ = wrappers.inner(valued, 1, words)
    marks = [at for at, word in enumerate(inner) if word in (":::", "::::", ":::+")]
    template = inner[: marks[0]] if marks else inner
    given = [word for word in inner[marks[0] :] if word[:3] != ":::"] if marks else None
    items = given if given is not None else _items(feed, ["-I", "{}"])
    for item in items[:_MOST_ITEMS]:
        text = " ".join(template) if template else item
        text = text.replace("{}", item) if "{}" in text or not template else f"{text} {item}"
        shells.script(shell.child(), text, None, behind)
    return Feed(UNKNOWN, NO_PROGRAMS)


def _find(shell: Shell, words: list[str], feed: Feed | None, behind: frozenset[str]) -> Feed:
    from . import calls, finding, printed

    found = finding.read(words[1:])
    for template in found.runs:
        filled = []
        for word in template:
            filled += found.paths if word == "{}" else [word.replace("{}", found.paths[0])]
        command(shell, filled, None, behind)
    if found.deletes:
        calls.note(shell, ["rm", "-rf", *found.paths], None)
    for name in found.files:
        calls.note(shell, ["tee", name], None)
    return printed.output(shell, words, feed, behind)


def _fd(shell: Shell, words: list[str], feed: Feed | None, behind: frozenset[str]) -> Feed:
    for mark in ("-x", "-X", "--exec", "--exec-batch"):
        if mark in words:
            template = words[words.index(mark) + 1 :]
            filled = [word.replace("{}", f"./{UNKNOWN}") for word in template]
            command(shell, filled, None, behind)
    return Feed(f"./{UNKNOWN}\n", frozenset({"fd"}))


def _container(shell: Shell, words: list[str], feed: Feed | None, behind: frozenset[str]) -> Feed:
    """docker exec, kubectl exec: another machine's files, but perhaps our database."""
    if "exec" in words:
        inside = shell.child()
        inside.where, inside.cwd, inside.functions = CONTAINER, f"/{UNKNOWN}", {}
        rest = words[words.index("exec") + 1 :]
        rest = rest[rest.index("--") + 1 :] if "--" in rest else _behind_container(rest)
        command(inside, rest, feed, behind)
    return Feed(UNKNOWN, frozenset({origins.of(words)}))


def _behind_container(words: list[str]) -> list[str]:
    valued = wrappers.wrapper(
        "-e -u -w --env --user --workdir --env-file --index -n -c", 1, assigns=False
    )
    return wrappers.inner(valued, 0, words)[0]


def command(shell: Shell, words: list[str], feed: Feed | None, behind: frozenset[str]) -> Feed:
    from . import calls

    return calls.run(shell.child(), words, feed, None, None, behind)


def follow_files(
    shell: Shell, words: list[str], name: str, feed: Feed | None, assigns: dict[str, str]
) -> None:
    """What this command writes, copies or starts of the files that the text made itself."""
    from . import git_runs, making

    making.follow(shell, words, name, feed)
    git_runs.follow(shell, words, name, assigns)
    if "/" in words[0]:
        shells.run_file(shell.child(), words[0])


_RUNNERS: dict[str, Runner] = {
    "eval": shells.evaluate,
    "source": shells.source,
    ".": shells.source,
    "trap": shells.trap,
    "su": shells.with_option_c,
    "script": shells.with_option_c,
    "flock": _flock,
    "watch": _joined,
    **dict.fromkeys(("vi", "vim", "nvim", "ex"), _editor),
    **dict.fromkeys(("hyperfine", "concurrently"), _each_word),
    **dict.fromkeys(("tmux", "screen"), _terminal),
    "ssh": _ssh,
    "xargs": _xargs,
    "gxargs": _xargs,
    "parallel": _parallel,
    "find": _find,
    "gfind": _find,
    "fd": _fd,
    "fdfind": _fd,
    **dict.fromkeys(("docker", "podman", "nerdctl", "kubectl", "oc", "docker-compose"), _container),
}
