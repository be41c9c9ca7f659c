"""Before the first token: everything that would make the run fail later, told at once."""

from __future__ import annotations

import os
import shutil
from typing import NamedTuple

from . import agent_key, agent_version, ask, check, git, roles
from .agents import choose
from .agents.request import Request
from .confined import Confinement
from .core import clean_tree, fingerprint, paths, review, shape
from .core.own_command import RALPH
from .core.tasks import Document
from .failure import Failure
from .run_options import RunOptions
from .settings import Entries, Settings

_MOST_PATHS = 10_000
_NO_REVIEWER = "--strict-tests needs a reviewer; leave out --skip-review"
_OF_STORIES = ("redFirst", "strictTests")
_LEAST_FREE = 50 * 1024 * 1024
_SET = {
    roles.WRITER: "--agent",
    roles.REVIEWER: "--review-agent",
    roles.STAND_IN: "agent.fallback in the settings",
}


class Ready(NamedTuple):
    document: Document
    baseline: dict[str, str]


def task_list(settings: Settings, options: RunOptions, confinement: Confinement) -> Ready:
    root, folder = options.project_dir, options.ralph_dir
    found = [*_agent_faults(settings, confinement), *_disk_faults(root), *_repository_faults(root)]
    document, faults = check.read(root, paths.tasks(folder))
    found += [shape.sentence(fault) for fault in faults]
    if document is None:
        raise _failure(found)
    found += _review_faults(settings, options, document)
    found += _list_faults(root, folder, document) + _branch_faults(root, document)
    baseline, dirty = _baseline(root, folder)
    if dirty and not (options.allow_dirty or ask.yes(f"Uncommitted: {', '.join(dirty)}. Go on?")):
        found.append(f"uncommitted changes in {', '.join(dirty[:10])}; commit, or --allow-dirty")
    found += _scm_faults(settings, dirty)
    if found:
        raise _failure(found)
    return Ready(document, baseline)


def _review_faults(settings: Settings, options: RunOptions, document: Document) -> list[str]:
    if settings.skip_review:
        return _without_reviewer(settings)
    broken = review.invariants(document, {})
    skipped = [v.story for v in broken if v.rule == review.PASSES_UNAPPROVED]
    found = [v.message for v in broken if v.rule != review.PASSES_UNAPPROVED]
    question = f"{', '.join(skipped)} passed without a review. Review them now?"
    if skipped and not (options.review_skipped or ask.yes(question)):
        found.append(f"{', '.join(skipped)} passed without a review; --review-skipped reviews them")
    return found


def _without_reviewer(settings: Settings) -> list[str]:
    return [_NO_REVIEWER] if settings.strict_tests and settings.skip_review else []


def prompt(
    settings: Settings, options: RunOptions, confinement: Confinement, flags: Entries
) -> Ready:
    found = [*_without_stories(flags), *_agent_faults(settings, confinement)]
    baseline, dirty = _baseline(options.project_dir, options.ralph_dir)
    found += _scm_faults(settings, dirty)
    if found:
        raise _failure(found)
    return Ready({}, baseline)


def _without_stories(flags: Entries) -> list[str]:
    """Only what was typed: the settings of a project serve its task list too."""
    typed = [flags[key].origin for key in _OF_STORIES if key in flags]
    return [f"{flag} is for the stories of a task list; leave it out" for flag in typed]


def again(
    settings: Settings,
    options: RunOptions,
    document: Document,
    confinement: Confinement,
    flags: Entries,
) -> None:
    """For a run that goes on: its list and baseline are known."""
    root = options.project_dir
    found = [*_agent_faults(settings, confinement), *_disk_faults(root)]
    if document:
        found += _without_reviewer(settings)
        found += [*_repository_faults(root), *_branch_faults(root, document)]
    else:
        found += _without_stories(flags)
    if found:
        raise _failure(found)


def _scm_faults(settings: Settings, dirty: list[str]) -> list[str]:
    """`commit -a` would sweep a person's change into the agent's commit."""
    if not (settings.scm and dirty):
        return []
    return [f"uncommitted changes in {', '.join(dirty[:10])} and scm exclude each other; commit"]


def _failure(found: list[str]) -> Failure:
    if len(found) == 1:
        return Failure(found[0])
    return Failure("\n  ".join([f"{len(found)} things must be put right first:", *found]))


def _agent_faults(settings: Settings, confinement: Confinement) -> list[str]:
    if confinement.fault:
        return [confinement.fault]
    everyone = roles.everyone(settings)
    found = [fault for who in everyone for fault in _faults_of(who, settings, confinement)]
    return found + [fault for who in everyone for fault in _refused_flags(who)]


def _refused_flags(who: roles.Chosen) -> list[str]:
    """By the agent's own module; a reviewer would else be found out after the first story."""
    command, flags, model = who.agent.command, who.agent.flags, who.model
    try:
        choose(command).launch(Request(command, "", "", "", "", flags, model))
    except Failure as failure:
        return [f"{who.role} {command}: {failure}; {failure.hint}"]
    return []


def _faults_of(who: roles.Chosen, settings: Settings, confinement: Confinement) -> list[str]:
    program = who.agent.command
    missing = _missing(program, confinement)
    if missing:
        return [f"the {who.role} {program} {missing} or set {_SET[who.role]}"]
    if settings.max_cost_usd is not None and not choose(program).REPORTS_COST:
        return [f"--max-cost needs an agent that reports its cost; {program} does not"]
    confined = confinement.sandbox or os.environ.get("IS_SANDBOX") == "1"
    if choose(program).NAME == "claude" and os.geteuid() == 0 and not confined:
        return ["Claude Code refuses to work as root outside a sandbox; use an ordinary user"]
    if confinement.sandbox and confinement.sandbox.OWN_PROGRAMS:
        return []
    keyless = agent_key.fault(program, os.environ)
    return [keyless] if keyless else _flag_faults(program)


def _missing(program: str, confinement: Confinement) -> str:
    sandbox = confinement.sandbox
    if sandbox and sandbox.OWN_PROGRAMS:
        # Only looked at, it may not be there yet.
        found = confinement.only_looked_at or sandbox.has_program(program)
        return "" if found else f"is not in the sandbox; install it in `{RALPH} sandbox shell`"
    return "" if shutil.which(program) else "is not installed or not on PATH; install it"


def _flag_faults(program: str) -> list[str]:
    version, adapter = agent_version.ask(program), choose(program)
    if not version.unknown_flags or adapter.TESTED is None:
        return []
    flags = ", ".join(version.unknown_flags)
    oldest, newest = adapter.TESTED
    return [f"{version.words} does not know {flags}; install a version from {oldest} to {newest}"]


def _disk_faults(root: str) -> list[str]:
    free = shutil.disk_usage(root).free
    if free >= _LEAST_FREE:
        return []
    return [f"only {free // 2**20} MiB are free on the disk of {root}; make room"]


def _repository_faults(root: str) -> list[str]:
    answer = git.ask(root, "rev-parse", "--is-inside-work-tree")
    if answer.code == 127:
        return ["git is not installed; install it"]
    if answer.text != "true":
        return [f"{root} is not in a git repository; git init && git add -A && git commit"]
    return [] if git.head(root) else ["the repository has no commit yet; git add -A && git commit"]


def _list_faults(root: str, folder: str, document: Document) -> list[str]:
    path = paths.tasks(folder)
    if git.is_ignored(root, path):
        return [f"{path} is ignored by git; take it out of .gitignore"]
    if not document["userStories"]:
        return [f"{path} has no stories; write some with /ralph-plan"]
    return check.unwritten(document, path)


def _branch_faults(root: str, document: Document) -> list[str]:
    wanted, here = document["branchName"], git.branch(root)
    if wanted == here:
        return []
    if git.ask(root, "check-ref-format", "--branch", wanted).code:
        return [f"branchName {wanted!r} is no valid branch name; correct it in the task list"]
    if git.has_branch(root, wanted):
        words = f"the branch is {here or 'detached'}, the list wants {wanted}; git switch {wanted}"
        return [f"{words}, or give branchName another name in the task list"]
    return []


def go_to_branch(root: str, wanted: str) -> None:
    """A branch that is missing is made at HEAD, which moves no file."""
    answer = git.make_branch(root, wanted) if git.branch(root) != wanted else None
    if answer and answer.code:
        raise Failure(f"the branch {wanted} cannot be made: {answer.error}", "make it by hand")


def _baseline(root: str, folder: str) -> tuple[dict[str, str], list[str]]:
    """Paths that are uncommitted now, and those of them that git tracks."""
    names = clean_tree.look(root, folder, {}).uncommitted
    if len(names) > _MOST_PATHS:
        top = names[0].split("/")[0]
        raise Failure(f"{len(names)} uncommitted paths", f"ignore them: echo {top}/ >> .gitignore")
    untracked = git.ask(root, "ls-files", "--others", "--exclude-standard", "-z").output
    loose = set(untracked.decode("utf-8", "surrogateescape").split("\0"))
    words = {name: fingerprint.of(root, name) for name in names}
    return words, [name for name in names if name not in loose]
