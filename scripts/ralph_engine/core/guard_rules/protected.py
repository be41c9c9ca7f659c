"""The loop's own files, however they are written."""

from __future__ import annotations

from ..file_effects import DELETE, MOVE, of
from ..shell.values import HERE, name_of
from . import git_words
from .rule import Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..place import Place
    from ..shell.values import Command


def named(command: Command, place: Place) -> str:
    """The protected path that a command would change; '' where there is none."""
    if command.where != HERE:
        return ""
    for effect in of(command):
        found = place.protected.name(effect.path, covering=effect.kind in (DELETE, MOVE))
        if not found and effect.source:
            found = place.protected.merged(effect.source, effect.path)
        if found:
            return found
    return ".git/config" if _configures(command, place) else ""


def _configures(command: Command, place: Place) -> bool:
    if name_of(command.words) != "git" or place.zone(command.cwd) == "temporary":
        return False
    _, name, rest = git_words.split(command.words[1:])
    return name == "config" and git_words.writes_config(rest)


def _matches(command: Command, place: Place) -> bool:
    return named(command, place) != ""


RULES = (
    Rule(
        name="protected-path",
        reason="it changes a file that steers or judges this loop",
        instead="leave it as it is; what you have to say goes into progress.txt",
        matches=_matches,
        denied=(
            *("rm .ralph-active", "echo '{}' > .ralph-active", "mv .ralph x", "rm -rf ralph"),
            *("sed -i s/a/b/ ralph/prd.md", "cd ralph && tee prompt.md < x", "rm .ralph-act*"),
            *("cp x .claude/settings.json", "touch .ralph/sessions/x.json", "rm .RALPH-active"),
            *("cp x .git/hooks/pre-commit", "git config core.hooksPath x", "chmod 000 .ralph"),
            *("git mv ralph/prd.md x", "ln .ralph-active x", "git rm ralph/prd.md"),
            *("truncate -s0 ralph/../.ralph-active", "dd of=.ralph-active if=x"),
            *("sed -i -E s/a/b/ .ralph-active", "sed --in-place=.bak s/a/b/ ralph/prd.md"),
            *("python3 -c \"open('.ralph-active','w')\"", "echo x >> .git/config"),
        ),
        allowed=(
            *("cat .ralph-active", "cat ralph/prd.md", "git add ralph/tasks.json", "ls .ralph"),
            *("echo done >> ralph/progress.txt", "cp new.json ralph/tasks.json"),
            *("touch ralph/DONE", "sed -i s/a/b/ ralph/guardrails.md", "git config user.name x"),
            *("git diff ralph/prd.md", "echo 'see ralph/prd.md' > notes.txt"),
            *("mkdir -p .claude/rules", "cp a .claude/commands/b"),
            *("sed -i -E s/a/b/ src/app.py", "sed -E s/a/b/ .ralph-active"),
        ),
    ),
)
