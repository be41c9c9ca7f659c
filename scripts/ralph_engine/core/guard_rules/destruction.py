"""Files destroyed: outside the project, all of it, or git's own."""

from __future__ import annotations

import os

from .. import place as places
from ..file_effects import DELETE, MODE, MOVE, WRITE, has, of
from ..shell.values import CONTAINER, HERE, REMOTE, UNKNOWN, name_of
from .rule import Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..place import Place
    from ..shell.values import Command

_GONE = (DELETE, MOVE)
# People write there themselves.
_HARMLESS = ("/.git/info/exclude", "/.git/COMMIT_EDITMSG")
# Made by git while it works, and left behind when it is killed.
_LOCKS = ".lock"


def _everything(command: Command, place: Place) -> bool:
    if command.where != HERE:
        return False
    return any(
        effect.kind in _GONE and place.holds_everything(effect.path) for effect in of(command)
    )


def _outside(command: Command, place: Place) -> bool:
    if command.where == CONTAINER:
        return False
    effects = [effect for effect in of(command) if effect.kind in _GONE]
    if command.where == REMOTE:
        return bool(effects)
    zones = [place.zone(effect.path, follow=False) for effect in effects]
    return any(zone in (places.HOME, places.SYSTEM) for zone in zones)


def _git_folder(command: Command, place: Place) -> bool:
    if command.where != HERE:
        return False
    recursive = has(command.words, "r", "--recursive")
    for effect in of(command):
        if effect.kind not in (*_GONE, WRITE, MODE) or not place.git_path(effect.path):
            continue
        if effect.kind in _GONE and (recursive or not effect.path.endswith(_LOCKS)):
            return True
        if effect.kind not in _GONE and not _may_be_written(effect.path, place):
            return True
    return False


def _may_be_written(path: str, place: Place) -> bool:
    """What steers git has a rule of its own."""
    return path.endswith(_HARMLESS) or place.protected.name(path, covering=False) != ""


def _overwrites(command: Command, place: Place) -> bool:
    """Outside, what is new there hurts nobody; what was there is lost."""
    if command.where != HERE:
        return False
    name = name_of(command.words)
    if name in ("touch", "mkdir") or (name == "tee" and has(command.words, "a", "--append")):
        return False
    appends = {entry.target for entry in command.redirects if entry.op in (">>", "&>>")}
    return any(
        effect.kind == WRITE
        and place.zone(effect.path) in (places.HOME, places.SYSTEM)
        and effect.path not in appends
        and UNKNOWN not in effect.path
        and os.path.isfile(effect.path)
        and not _is_note(effect.path, place)
        for effect in of(command)
    )


def _is_note(path: str, place: Place) -> bool:
    """A plan or a memory: the client tells its model to keep them there."""
    top = os.path.realpath(f"{place.home}/.claude")
    steps = os.path.relpath(place.real(path), top).split(os.sep)
    return steps[0] == "plans" or (steps[0] == "projects" and steps[2:3] == ["memory"])


RULES = (
    Rule(
        name="delete-everything",
        reason="it deletes or moves a whole project, home or disk",
        instead="name what is to go, e.g. `rm -rf build/` or `rm -rf dist/*`",
        matches=_everything,
        denied=(
            *("rm -rf /", "rm -rf /*", "rm -rf *", "rm -rf .", "rm -rf ~", 'rm -rf "$HOME"/'),
            *("rm -rf $PWD", "rm -rf ../project", "find . -delete", "mv ~ /tmp/x", "rimraf ."),
            *("cd .. && rm -rf *", "rm -r --force -- .[!.]*", "rm -rf $NOWHERE/*"),
        ),
        allowed=(
            *("rm -rf node_modules", "rm -rf dist/*", "rm -f *.log", "cd /tmp/x && rm -rf *"),
            *("find . -name '*.pyc' -delete", "rm -rf ./build .cache", "mv src lib"),
            *("cd build && rm -rf *", 'rm -rf "${BUILD_DIR:?}"/*', "echo 'rm -rf /'"),
        ),
    ),
    Rule(
        name="delete-outside",
        reason="it deletes or moves files outside the project",
        instead="work inside the project or in /tmp, and leave the rest to a person",
        matches=_outside,
        denied=(
            *(
                "rm -rf /etc",
                "rm ~/notes.txt",
                "rm -rf ../other",
                "mv ~/notes.txt .",
                "rmdir /opt/x",
            ),
            *(
                "find /var -name '*.log' -delete",
                "find ~ -name x | xargs rm -f",
                "shred /etc/hosts",
            ),
            *("ssh host rm -rf build", "cd /opt && rm -f tool", "rsync -a --delete empty/ ~/docs/"),
        ),
        allowed=(
            *("rm -rf /tmp/test-dir", "rm old.txt", "mv a.txt b.txt", "find ~ -name x"),
            *('d=$(mktemp -d); rm -rf "$d"', "docker exec web rm -rf /var/cache/app"),
            "rm -rf ../" + "a/" * 5000,
        ),
    ),
    Rule(
        name="delete-git",
        reason="it destroys the repository's history",
        instead="leave .git alone; a stale lock goes with `rm -f .git/index.lock`",
        matches=_git_folder,
        denied=(
            *("rm -rf .git", "rm -r .git/objects", "mv .git /tmp/x", "rm -rf vendor/lib/.git"),
            *("find .git -name '*.pack' -delete", "rm -rf .git/*", "rm -rf .GIT"),
            *("echo x > .git/HEAD", "truncate -s0 .git/index", "chmod -R 000 .git"),
        ),
        allowed=(
            *("rm -f .git/index.lock", "rm .gitignore", "rm -rf /tmp/clone/.git", "ls .git"),
            *("echo build >> .git/info/exclude", "git commit -F .git/COMMIT_EDITMSG"),
        ),
    ),
    Rule(
        name="overwrite-outside",
        reason="it overwrites a file outside the project",
        instead="write to a file in the project or in /tmp",
        matches=_overwrites,
        denied=("echo x > /etc/hosts", "cp a.txt /etc/passwd", "truncate -s 0 /etc/passwd"),
        allowed=("echo x > out.txt", "npm test > /tmp/log 2>&1", "make >/dev/null"),
    ),
)
