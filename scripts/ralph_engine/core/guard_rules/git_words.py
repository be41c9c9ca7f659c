"""git's own words: global options, the subcommand, and the files that it writes."""

from __future__ import annotations

from ..file_effects import DELETE, MOVE, PERHAPS, WRITE, Effect, operands, value
from ..shell import globs
from ..shell.values import UNKNOWN, known

_VALUED = frozenset("-C -c --git-dir --work-tree --namespace --exec-path --config-env".split())
# Settings of a repository that run nothing and lead nowhere.
_HARMLESS = (
    "user. branch. color. advice. pull. push. fetch. rerere. status. log. submodule. init. column."
    " core.autocrlf core.quotepath core.ignorecase core.eol core.filemode core.longpaths"
    " core.safecrlf core.precomposeunicode core.abbrev core.whitespace core.commentchar"
    " commit.gpgsign commit.template commit.verbose tag.gpgsign tag.sort merge.conflictstyle"
    " merge.ff rebase. diff.renames diff.algorithm diff.colormoved help. gc. http.postbuffer"
    " pack. index. feature. maintenance. blame. format. grep. i18n. stash."
).split()
_READS = frozenset(
    "--get --get-all --get-regexp --list -l --get-urlmatch --name-only get list --get-color"
    " --get-colorbool".split()
)


def split(words: list[str]) -> tuple[str, str, list[str]]:
    """Behind `git`: the folder of -C, the subcommand, its words."""
    at, folder = 0, ""
    while at < len(words) and words[at].startswith("-"):
        if words[at] == "-C" and at + 1 < len(words):
            folder = words[at + 1]
        at += 2 if words[at] in _VALUED else 1
    return folder, "".join(words[at : at + 1]), words[at + 1 :]


def effects(words: list[str]) -> list[Effect]:
    folder, name, rest = split(words)
    found = _effects(name, rest)
    return [Effect(kind, f"{folder}/{path}" if folder else path, "") for kind, path, _ in found]


def _effects(name: str, rest: list[str]) -> list[Effect]:
    if name in ("checkout", "restore") and not _only_index(name, rest):
        return [Effect(WRITE, path, "") for path in _paths(rest)]
    if name == "init":
        named = operands(rest, "-b --initial-branch --template --separate-git-dir")
        return [Effect(PERHAPS, f"{path}/.git", "") for path in named or ["."] if _is_one(path)]
    if name == "rm" and "--cached" not in rest and "-n" not in rest:
        return [Effect(DELETE, path, "") for path in operands(rest)]
    if name == "mv":
        moved = operands(rest)
        return [Effect(MOVE, path, "") for path in moved[:-1]] + [
            Effect(WRITE, path, "") for path in moved[-1:]
        ]
    if name == "stash" and rest[:1] in (["push"], ["save"]):
        return [Effect(WRITE, path, "") for path in operands(rest[1:], "-m --message")]
    if name in ("archive", "bundle", "format-patch") and value(rest, "-o", "--output"):
        return [Effect(WRITE, value(rest, "-o", "--output"), "")]
    return []


def _is_one(path: str) -> bool:
    """Of `../$NAME` and `../*/` nobody knows which folder it is."""
    return known(path) and not globs.is_glob(path)


def _only_index(name: str, rest: list[str]) -> bool:
    is_staged = "--staged" in rest or "-S" in rest
    return name == "restore" and is_staged and not ("--worktree" in rest or "-W" in rest)


def _paths(rest: list[str]) -> list[str]:
    if "--" in rest:
        return rest[rest.index("--") + 1 :]
    listed = [UNKNOWN] if value(rest, "--pathspec-from-file") else []
    # The first one of checkout may be a branch: a file that is not there concerns no rule.
    return listed + operands(rest, "-s --source -b -B --orphan --conflict -U --pathspec-from-file")


def writes_config(rest: list[str]) -> bool:
    """A setting of this repository that could run a program or lead elsewhere."""
    if any(word in _READS for word in rest) or is_global(rest):
        return False
    found = operands(rest, "-f --file --type --default --blob --value --comment")
    if found[:1] and found[0] in ("set", "unset", "edit", "remove-section", "rename-section"):
        found = found[1:]
    elif not any(word in ("--edit", "-e") for word in rest) and len(found) < 2:
        return any(word.startswith(("--unset", "--remove", "--rename")) for word in rest)
    key = found[0].lower() if found else ""
    return not key.startswith(tuple(_HARMLESS))


def is_global(rest: list[str]) -> bool:
    return any(word in ("--global", "--system") for word in rest)


def writes_global_config(rest: list[str]) -> bool:
    local = [word for word in rest if word not in ("--global", "--system")]
    found = operands(local, "-f --file --type --default --value --comment")
    changes = any(word.startswith(("--unset", "--remove", "--add", "--replace")) for word in local)
    is_reading = any(word in _READS for word in local)
    return is_global(rest) and not is_reading and (changes or len(found) > 1)
