"""git: published history, unreachable commits, and work that no commit holds."""

from __future__ import annotations

import os

from ..file_effects import has, operands, value
from ..shell import globs
from ..shell.state import joined
from ..shell.values import known
from . import git_words
from .rule import Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..place import Place
    from ..shell.values import Command

_PUSH_VALUED = "-o --push-option --repo --receive-pack --exec"


def _git(command: Command) -> tuple[str, list[str]]:
    _, name, rest = git_words.split(command.words[1:])
    return name, rest


def _forces(command: Command, _: Place) -> bool:
    name, rest = _git(command)
    if name != "push":
        return False
    forced = has(rest, "f", "--force", "--force-with-lease", "--mirror", "--force-if-includes")
    forced = forced or any(word.startswith("--force-with-lease=") for word in rest)
    return forced or any(ref.startswith("+") for ref in operands(rest, _PUSH_VALUED)[1:])


def _deletes_remote(command: Command, _: Place) -> bool:
    name, rest = _git(command)
    if name != "push":
        return False
    deletes = has(rest, "d", "--delete", "--prune")
    return deletes or any(ref.startswith(":") for ref in operands(rest, _PUSH_VALUED)[1:])


def _rewrites(command: Command, _: Place) -> bool:
    name, rest = _git(command)
    words = set(rest)
    if name in ("filter-branch", "filter-repo", "fast-import"):
        return True
    if name == "reflog":
        return bool(words & {"expire", "delete"})
    if name == "gc":
        return "--prune=now" in words or "--prune=all" in words or "--aggressive" in words
    if name == "update-ref":
        return "-d" in words or "--stdin" in words
    return name == "prune" or (name == "replace" and bool(words) and "-l" not in words)


def _drops(command: Command, _: Place) -> bool:
    name, rest = _git(command)
    if name == "stash":
        return rest[:1] in (["drop"], ["clear"])
    if name == "branch":
        return has(rest, "D") or (has(rest, "d", "--delete") and has(rest, "f", "--force"))
    return name == "worktree" and rest[:1] == ["remove"] and has(rest, "f", "--force")


def _discards(command: Command, place: Place) -> bool:
    name, rest = _git(command)
    if name == "reset":
        return has(rest, "", "--hard", "--merge", "--keep")
    if name == "clean":
        return has(rest, "f", "--force") and not has(rest, "n", "--dry-run")
    if name == "switch":
        return has(rest, "f", "--discard-changes", "--force")
    if name == "read-tree":
        return "-u" in rest and "--reset" in rest
    if name == "checkout-index":
        return has(rest, "f", "--force")
    if name == "rm":
        return any(path in (".", "*", "./", ":/") for path in operands(rest)) and (
            "--cached" not in rest
        )
    if name not in ("checkout", "restore"):
        return False
    return _puts_back(command, name, rest) and not _may_put_back(command, place)


def _puts_back(command: Command, name: str, rest: list[str]) -> bool:
    """Files that get an older content; `git checkout NAME` may be a branch or a file."""
    flags = _flags(rest)
    if "p" in flags or has(rest, "", "--patch"):
        return False
    if name == "restore" or "--" in rest or value(rest, "--pathspec-from-file"):
        return any(effect.path for effect in git_words.effects(command.words[1:]))
    forces = "f" in flags or has(rest, "", "--force")
    if forces or has(rest, "", "--ours", "--theirs"):
        return forces
    if has(rest, "", "--orphan", "--detach", "--track") or flags & set("bdt"):
        return False
    found = operands(rest)
    return len(found) > 1 or any(_is_path(word, command) for word in found)


def _flags(rest: list[str]) -> set[str]:
    """The short ones of a checkout, also in a bundle; what stands behind -b is a name."""
    found: set[str] = set()
    for word in rest:
        if word[:1] == "-" and word[1:2] != "-":
            before, branch, _ = word[1:].replace("B", "b").partition("b")
            found |= {*before, branch}
    return found


def _is_path(word: str, command: Command) -> bool:
    """No name of a branch, or on the disk: a branch by that name is for `git switch`."""
    if word.startswith((".", ":")) or globs.is_glob(word):
        return True
    if not word.strip("/"):  # "$REMOTE/$BRANCH": no repository begins there
        return False
    folder = git_words.split(command.words[1:])[0]
    path = joined(joined(command.cwd, folder) if folder else command.cwd, word)
    return path.startswith("/") and os.path.lexists(path)


def _may_put_back(command: Command, place: Place) -> bool:
    """The Stop hook tells a reviewer to restore what a test run changed, but nothing else."""
    if not place.reviewing or not place.baseline:
        return place.reviewing
    touched = [effect.path for effect in git_words.effects(command.words[1:])]
    if not touched or has(command.words, "f", "--force"):
        return False
    kept = [os.path.join(place.root, path) for path in place.baseline]
    return not any(_is_below(path, top, command) for path in kept for top in touched)


def _is_below(path: str, top: str, command: Command) -> bool:
    """What has magic in it, or is not known, may be anything."""
    whole = os.path.normpath(joined(command.cwd, top))
    if globs.is_glob(top) or ":" in top or not known(top) or not whole.startswith("/"):
        return True
    return (path + "/").startswith(whole.rstrip("/") + "/")


RULES = (
    Rule(
        name="git-force-push",
        reason="a force push rewrites what others have",
        instead="push new commits with a plain `git push`, or to a new branch",
        matches=_forces,
        denied=(
            *("git push --force", "git push -f origin main", "git push origin +main"),
            *("git push --mirror origin", "git push --force-with-lease", "git -C . push -uf o x"),
            *("git push --forc origin x", "git -c a.b=c push -f"),
        ),
        allowed=(
            *(
                "git push",
                "git push -u origin feature",
                "git push --follow-tags",
                "git push --dry-run",
            ),
            *("git commit -m 'git push --force'", "git push origin HEAD:refs/heads/x"),
        ),
    ),
    Rule(
        name="git-delete-remote-branch",
        reason="it deletes a branch or tag that others may use",
        instead="leave branches on the remote to a person",
        matches=_deletes_remote,
        denied=(
            *("git push origin --delete feature", "git push origin :feature", "git push -d o x"),
            "git push --prune origin",
        ),
        allowed=("git branch -d merged", "git push origin main", "git fetch --prune"),
    ),
    Rule(
        name="git-rewrite-history",
        reason="it rewrites or drops commits for good",
        instead="add a commit, e.g. `git revert COMMIT`",
        matches=_rewrites,
        denied=(
            *("git filter-branch --all", "git filter-repo --force", "git gc --prune=now"),
            *("git reflog expire --expire=now --all", "git update-ref -d refs/heads/main"),
        ),
        allowed=(
            *("git rebase main", "git commit --amend --no-edit", "git reflog", "git gc"),
            *("git revert HEAD", "git cherry-pick abc123", "git reset --soft HEAD~1"),
        ),
    ),
    Rule(
        name="git-drop-work",
        reason="it drops commits that nothing else holds",
        instead="keep it, or use the form that refuses to lose work, e.g. `git branch -d`",
        matches=_drops,
        denied=(
            *("git stash drop", "git stash clear", "git branch -D feature"),
            *("git branch --delete --force x", "git worktree remove --force ../x"),
        ),
        allowed=(
            *("git stash", "git stash pop", "git stash list", "git branch -d x", "git tag -d v1"),
            "git worktree remove ../x",
        ),
    ),
    Rule(
        name="git-discard-changes",
        reason="it discards changes that no commit holds",
        instead="set them aside with `git stash push -- PATH`, or commit them first;"
        " to a branch goes `git switch NAME`",
        matches=_discards,
        denied=(
            *("git reset --hard", "git reset --merge", "git checkout -- .", "git checkout ."),
            *("git checkout HEAD -- a.txt", "git restore a.txt", "git restore -SW a.txt"),
            *("git clean -fd", "git clean -xfd", "git switch --discard-changes main"),
            *("git checkout -f main", "git restore --worktree a.txt", "git rm -rf ."),
            "git reset --har HEAD~1",
        ),
        allowed=(
            *("git reset HEAD", "git reset HEAD~1", "git restore --staged .", "git clean -n"),
            *("git checkout main", "git checkout -b x", "git switch -c x", "git checkout -"),
            *("git clean --dry-run -fd", "git rm --cached a.txt", "git checkout -b x origin/x"),
        ),
    ),
)
