"""The paths that no agent writes during its loop, whatever tool and whatever name it uses."""

from __future__ import annotations

import os
import stat

from . import files, paths, requests
from .shell import globs
from .shell.values import UNKNOWN, known

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

PLUGIN = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
_MOST_LINKED = 300
_PLAN = ("prd.md", "prompt.md")


class ProtectedPaths:
    """Files by name, trees with all below them, and beginnings of names such as settings*."""

    def __init__(self, root: str, ralph_dir: str, same_session: bool) -> None:
        self.root, self.repository = root, root
        self.ralph_dir, self.same_session = ralph_dir, same_session
        self.files: list[str] = []
        self.trees: list[str] = []
        self.beginnings: list[str] = []
        self.open: list[str] = []

    def name(self, path: str, covering: bool = False) -> str:
        """The protected path that this one is, is below, or (`covering`) contains; else ''."""
        covering = covering and not path.startswith(UNKNOWN)
        for way in _ways(path, self.root):
            found = self._named(way, covering) or self._of_another_loop(way, covering)
            if found:
                return self._shown(found)
        return self._shown(self._linked(path))

    def add_project(self, top: str) -> None:
        self.files.append(f"{top}/{paths.MARKER}")
        self.trees.append(f"{top}/{paths.DOT_FOLDER}")
        self.open += [f"{top}/{path}" for path in _writable(self.ralph_dir)]
        if not self.same_session:
            self.files += [f"{top}/{self.ralph_dir}/{name}" for name in _PLAN]
            self.beginnings.append(f"{top}/.claude/settings")

    def merged(self, source: str, target: str) -> str:
        """A protected file that a copy of a whole folder would bring along."""
        for path in [*self.files, *self.beginnings]:
            for way in _ways(target, self.root):
                if _is_below(path, way):
                    inside = os.path.join(source, path[len(way) + 1 :])
                    if os.path.lexists(inside) or os.path.lexists(inside + ".json"):
                        return self._shown(path)
        return ""

    def _of_another_loop(self, way: str, covering: bool) -> str:
        """One that is on the disk; by its names also where none has begun yet."""
        if _is_below(way, self.root) or not _is_below(way, self.repository):
            return ""
        for folder in _folders(self.repository, way):
            if os.path.lexists(f"{folder}/{paths.DOT_FOLDER}"):
                other = ProtectedPaths(self.root, self.ralph_dir, self.same_session)
                other.add_project(folder)
                found = other._named(way, covering)
                if found:
                    return found
        return way if self._has_its_name(way) else ""

    def _has_its_name(self, way: str) -> bool:
        if globs.is_glob(way) or not known(way):
            return False
        steps = _folded(way[len(self.repository) :]).split("/")
        if steps[-1] == paths.MARKER or paths.DOT_FOLDER in steps:
            return True
        plan = _folded(self.ralph_dir).split("/")
        is_plan = steps[-1] in _PLAN and steps[-1 - len(plan) : -1] == plan
        settings = (below for name, below in zip(steps, steps[1:]) if name == ".claude")
        is_steering = is_plan or any(name.startswith("settings") for name in settings)
        return is_steering and not self.same_session

    def _named(self, way: str, covering: bool) -> str:
        way = _folded(way)
        if way in map(_folded, self.open):
            return ""
        for tree in self.trees:
            if _is_below(way, tree) or _fits(way, tree, below=True):
                return tree
        for beginning in self.beginnings:
            if way.startswith(_folded(beginning)) or _fits(way, beginning + "*"):
                return beginning + "*"
        for file in self.files:
            if way == _folded(file) or _fits(way, file):
                return file
        if covering:
            for path in [*self.trees, *self.beginnings, *self.files]:
                if _covers(way, _folded(path)):
                    return path
        return ""

    def _linked(self, path: str) -> str:
        """A second name of a protected file."""
        try:
            status = os.stat(path)
        except (OSError, ValueError):
            return ""
        if status.st_nlink < 2 or not stat.S_ISREG(status.st_mode):
            return ""
        for name in self._all_files():
            try:
                if os.path.samestat(os.stat(name), status):
                    return name
            except OSError:
                continue
        return ""

    def _all_files(self) -> Iterator[str]:
        yield from self.files
        for top in self.trees:
            left = _MOST_LINKED
            for folder, _, names in os.walk(top):
                yield from (os.path.join(folder, name) for name in names[:left])
                left -= len(names)
                if left <= 0:
                    break

    def _shown(self, path: str) -> str:
        below = path.startswith(self.root + "/")
        return path[len(self.root) + 1 :] if below else path


def of_loop(
    root: str, ralph_dir: str, same_session: bool, environment: Mapping[str, str]
) -> ProtectedPaths:
    """Also by the name that the project was started with, if a link leads to it."""
    real = os.path.realpath(root)
    found = ProtectedPaths(real, ralph_dir, same_session)
    found.repository = repository(real)
    for top in dict.fromkeys([real, os.path.abspath(root)]):
        found.add_project(top)
    home = environment.get("HOME")
    if home and not same_session:
        found.beginnings.append(f"{os.path.realpath(home)}/.claude/settings")
    found.trees += _of_the_loop_itself(real, environment)
    # A repository that is made around this one would make all that lies in it the project.
    found.files += [os.path.join(folder, ".git") for folder in _around(found.repository)]
    for folder in git_folders(real):
        found.trees.append(f"{folder}/hooks")
        found.files += [f"{folder}/{name}" for name in ("config", "config.worktree")]
        found.files.append(f"{folder}/info/attributes")
    found.files += [path for start in found.beginnings for path in _beginning_with(start)]
    # What a link in the project leads to is as protected as the link.
    for names in (found.files, found.trees):
        names += [path for path in map(os.path.realpath, list(names)) if path not in names]
    return found


def _beginning_with(start: str) -> list[str]:
    folder, name = os.path.split(start)
    try:
        return [f"{folder}/{entry}" for entry in os.listdir(folder) if entry.startswith(name)]
    except OSError:
        return []


def _writable(ralph_dir: str) -> list[str]:
    names = ("tasks.json", "progress.txt", "guardrails.md", *paths.SIGNALS)
    return [f"{ralph_dir}/{name}" for name in names]


def _of_the_loop_itself(root: str, environment: Mapping[str, str]) -> list[str]:
    """The plugin, unless that is what is being worked on; the runner's state; the environments."""
    trees = [] if (root + "/").startswith(PLUGIN + "/") else [PLUGIN]
    state = requests.state_base(environment)
    cache = environment.get("XDG_CACHE_HOME") or (
        os.path.join(environment["HOME"], ".cache") if environment.get("HOME") else ""
    )
    trees += [os.path.realpath(state)] if state else []
    return trees + ([os.path.realpath(os.path.join(cache, "ralph"))] if cache else [])


def repository(root: str) -> str:
    """The top folder of the repository that holds this one; without one, the folder itself."""
    top = root
    while not os.path.lexists(os.path.join(top, ".git")):
        if top == os.path.dirname(top):
            return root
        top = os.path.dirname(top)
    return top


def _folders(top: str, path: str) -> Iterator[str]:
    """From the top down to it, as far as they are on the disk."""
    folder = top
    for step in path[len(top) :].split("/"):
        folder = os.path.join(folder, step) if step else folder
        if not os.path.isdir(folder):
            return
        yield folder


def _around(folder: str) -> list[str]:
    outer = os.path.dirname(folder)
    return [] if outer == folder else [outer, *_around(outer)]


def git_folders(root: str) -> list[str]:
    """The repository's own folders: .git, and for a linked worktree both of its places."""
    top = repository(root)
    named = os.path.join(top, ".git")
    if os.path.isdir(named):
        return list(dict.fromkeys([named, os.path.realpath(named)]))
    folder = _line(top, ".git").removeprefix("gitdir:").strip()
    folder = os.path.realpath(os.path.join(top, folder)) if folder else named
    common = _line(folder, "commondir")
    return [folder, *([os.path.realpath(os.path.join(folder, common))] if common else [])]


def _line(folder: str, name: str) -> str:
    try:
        return os.fsdecode(files.read_bytes(folder, name, 4096)).strip()
    except files.FileFault:
        return ""


def _ways(path: str, root: str) -> list[str]:
    """As written and as the disk has it; without a known folder, as if it were the project."""
    if path.startswith(UNKNOWN):
        rest = path.lstrip(UNKNOWN)
        path = f"{root}{rest}" if rest.startswith("/") else f"{root}/{path}"
    path = os.path.join(root, path)
    plain = os.path.normpath(path)
    if "\0" in path:
        return [plain]
    return list(dict.fromkeys([plain, os.path.realpath(path)]))


def _is_below(path: str, folder: str) -> bool:
    """Or the folder itself."""
    return (_folded(path) + "/").startswith(_folded(folder) + "/")


def _folded(path: str) -> str:
    """A disk may not tell capitals from small letters; we never do."""
    return path.casefold()


def _fits(way: str, path: str, below: bool = False) -> bool:
    """A pattern that the shell or find would fill in with this path."""
    if not globs.is_glob(way) and known(way):
        return False
    pattern, steps = way.split("/"), _folded(path).split("/")
    if UNKNOWN in pattern:
        # Any number of folders, for what lies there by a name of its own.
        at = pattern.index(UNKNOWN)
        is_there = pattern[:at] == steps[:at] and len(pattern) == at + 2 and not below
        return is_there and globs.matches(pattern[-1], steps[-1]) and os.path.lexists(path)
    if below:
        pattern = pattern[: len(steps)]
    return len(pattern) == len(steps) and all(map(_step, pattern, steps))


def _step(pattern: str, name: str) -> bool:
    """A star of the shell passes over names with a dot."""
    hidden = name.startswith(".") and not pattern.startswith(".")
    return not hidden and globs.matches(pattern, name)


def _covers(way: str, path: str) -> bool:
    steps = path.split("/")
    pattern = way.rstrip("/").split("/")
    inside = len(pattern) < len(steps)
    return inside and all(map(_step, pattern, steps[: len(pattern)]))
