"""Runs what an agent is or wrote: in the chosen sandbox, or directly."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import NamedTuple

from . import git, processes
from .core import clean_tree
from .core.own_command import RALPH
from .failure import Failure
from .own_git import OwnGit
from .sandboxes import BACKENDS
from .sandboxes.backend import Place, Sandbox
from .streams import OnOutput

AUTO, ANY, NONE = "auto", "any", "none"
DIRECT, SANDBOX = "direct", "sandbox"
ACTIVE = "RALPH_ACTIVE"
UNCONFINED = "unconfined: the agent can reach all that you can"
_NO_IDENTITY = ("Ralph Loop", "ralph@localhost")
_ENTRANCES = 3
# Not of the host: inside they are not inherited everywhere.
_GIVEN = (ACTIVE, "RALPH_RUN_ID")


class Report(NamedTuple):
    """Who is told what a program inside tried: something undone, a remark, a version to keep."""

    undone: Callable[[str], None]
    remark: Callable[[str], None]
    keep: Callable[[str, bytes], str]


class Confinement:
    """Without a sandbox it only runs programs; with a fault it should run none."""

    def __init__(
        self, sandbox: Sandbox | None = None, words: str = UNCONFINED, fault: str = ""
    ) -> None:
        self.sandbox, self.words, self.fault = sandbox, words, fault
        self.only_looked_at = False
        self.own_git: OwnGit | None = None
        self.report = Report(lambda _: None, lambda _: None, lambda _, __: "")
        self._added: dict[str, str] = {}

    @property
    def mode(self) -> str:
        return SANDBOX if self.sandbox else DIRECT

    def begin(self, root: str) -> None:
        """Before the first program; from now on what steers git is the runner's."""
        if self.sandbox:
            self.sandbox.ensure()
            clean_tree.leave_submodules = True
            self.own_git = OwnGit(root)
            self._added = added(root)

    def run(
        self,
        job: processes.Job,
        on_output: OnOutput,
        stop_asked: Callable[[], bool],
        mark: str,
    ) -> processes.Ended:
        if self.sandbox is None:
            return processes.run(job, on_output, stop_asked, mark)
        for _ in range(_ENTRANCES):
            ended = self._enter(self.sandbox, job, on_output, stop_asked, mark)
            if not ended.outside or ended.code == 0 and job.environment.get(ACTIVE) == "1":
                return ended
        words = f"nothing can be run in the sandbox: {ended.outside}"
        raise Failure(words, f"{RALPH} sandbox stop, then again")

    def _enter(
        self,
        sandbox: Sandbox,
        job: processes.Job,
        on_output: OnOutput,
        stop_asked: Callable[[], bool],
        mark: str,
    ) -> processes.Ended:
        """An agent that may have worked unheard is judged before it is tried again."""
        inside = self._inside(sandbox, job)
        ended = processes.run(inside, sandbox.listen(on_output), stop_asked, mark)
        by_itself = ended.cause is None
        outside = sandbox.never_began(ended.code) if by_itself and not ended.problem else ""
        code = sandbox.exit_code(ended.code) if by_itself else ended.code
        remarks = sandbox.after_run(by_itself)
        self.put_git_back()
        for text in remarks:
            self.report.remark(text)
        return ended._replace(code=code, outside=outside)

    def _inside(self, sandbox: Sandbox, job: processes.Job) -> processes.Job:
        environment = {**job.environment, **self._added}
        given = {*_GIVEN, *self._added}
        other = {n: v for n, v in environment.items() if n in given or os.environ.get(n) != v}
        argv, stdin = sandbox.hand_over(job.argv, job.stdin)
        wrapped = sandbox.wrap(argv, job.cwd, other)
        return job._replace(argv=wrapped, stdin=stdin, environment=environment, confined=True)

    def put_git_back(self) -> None:
        """Before the host's git looks at the repository again."""
        for text in self.own_git.put_back(self.report.keep) if self.own_git else []:
            self.report.undone(text)

    def end(self) -> None:
        if self.sandbox:
            self.sandbox.leave()


def choose(wanted: str, place: Place, only_look: bool = False) -> Confinement:
    """The best that works here; `any` and a name take nothing less."""
    if wanted == NONE:
        return Confinement()
    if wanted == AUTO and os.environ.get("IS_SANDBOX") == "1":
        return Confinement(None, "confined from outside, as IS_SANDBOX=1 says")
    names = list(BACKENDS) if wanted in (AUTO, ANY) else [wanted]
    lacks = {}
    for name in names:
        sandbox = BACKENDS[name](place)
        lacks[name] = sandbox.glance() if only_look else sandbox.available()
        if not lacks[name]:
            found = Confinement(sandbox, f"sandbox {name}: {sandbox.describe()}{_left(lacks)}")
            found.only_looked_at = only_look
            return found
    why = "; ".join(f"{name}: {lack}" for name, lack in lacks.items())
    fault = "" if wanted == AUTO else f"no sandbox, no run: {why}; --no-sandbox runs without"
    return Confinement(None, f"{UNCONFINED} ({why})", fault)


def added(root: str) -> dict[str, str]:
    """What every program inside gets."""
    return {"IS_SANDBOX": "1", **_identity(root)}


def _left(lacks: Mapping[str, str]) -> str:
    """Of back-ends that were tried before: what a person has to clear away."""
    found = [f" ({name}: {lack})" for name, lack in lacks.items() if "half-made" in lack]
    return "".join(found)


def _identity(root: str) -> Mapping[str, str]:
    """Of the person, whose own configuration is not there inside."""
    asked = [git.ask(root, "config", f"user.{what}") for what in ("name", "email")]
    name, email = (a.text or none for a, none in zip(asked, _NO_IDENTITY))
    found = {}
    for who in ("AUTHOR", "COMMITTER"):
        found[f"GIT_{who}_NAME"] = os.environ.get(f"GIT_{who}_NAME") or name
        found[f"GIT_{who}_EMAIL"] = os.environ.get(f"GIT_{who}_EMAIL") or email
    return found
