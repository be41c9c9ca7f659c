"""The microVM of one project: made once, started, set up, its network closed, stopped, removed."""

from __future__ import annotations

import hashlib
import os
import re
from typing import NamedTuple

from .. import ask
from ..core import files
from ..core.own_command import RALPH
from ..failure import Failure
from . import network, visit
from .backend import Place
from .client import Answer, Client
from .dialect import Dialect
from .git_folders import find
from .record import Record

ENTERING = 120.0
_MAKING, _STOPPING = 900.0, 120.0
_STATE = ".dclaude_state"
_TRIES = 3
_TEMPLATES = ("claude", "codex", "copilot", "gemini")
_SET_UP, _NO_WORD = "ralph-setup: ", "no word from it"
_BY_HAND = f"{RALPH} sandbox stop, then again; else {RALPH} sandbox rm"


class Workspaces(NamedTuple):
    """What it has of the host, each at its own path; the plugin only to read."""

    writable: list[str]
    state: str
    plugin: str

    @property
    def words(self) -> list[str]:
        return [*self.writable, self.state, f"{self.plugin}:ro"]


class Machine:
    """`remarks`: what a person should know of what was found."""

    def __init__(self, place: Place, dialect: Dialect) -> None:
        self.name = name_of(place.root)
        self.client = Client(dialect)
        self.remarks: list[str] = []
        self._place, self._dialect = place, dialect
        self._record = Record(place.state, dialect.name)
        self._known: Workspaces | None = None

    @property
    def workspaces(self) -> Workspaces:
        self._known = self._known or _workspaces(self._place)
        return self._known

    def status(self) -> str:
        """'' where there is none."""
        return self.client.listed().get(self.name, "")

    def state(self) -> str:
        """For a person."""
        status = self.status()
        if status and self._record.half_made:
            return f"half-made; {RALPH} sandbox rm removes it"
        return status or f"not made yet; a run or {RALPH} sandbox setup makes it"

    def have(self) -> None:
        """One that `true` ran in; a Failure else, and no half of one is left unmentioned."""
        status = self.status()
        if status and self._record.half_made:
            self._remove_half("an earlier start was cut off while it was being made")
            self.remarks.append(f"the half-made sandbox {self.name} was removed and made again")
            status = ""
        made = self._make() if not status else self._start(status)
        problem = self._cannot_enter()
        if problem and made:
            self._remove_half(problem)
            raise Failure(problem)
        if problem:
            raise Failure(problem, _BY_HAND)
        if made:
            self._record.keep(self.name, self._place.network, [])

    def _make(self) -> bool:
        """Is it new? A failed `create` may leave the name taken: by nothing, or by half of one.

        One that stopped by itself may be missing in the list, and is whole.
        """
        _begin_state(self.workspaces.state)
        whole, before = self._record.whole, self._record.facts
        self._record.begin(self.name)
        ask.say(f"making the sandbox {self.name}: this can take minutes")
        answer = self._create()
        taken = answer.code != 0 and "already exists" in answer.text
        if taken and self._is_there():
            self._record.restore(before)
            return False
        if taken and not whole:
            self.client.call([*self._dialect.remove, self.name], _STOPPING)
            answer = self._create()
        if answer.code != 0:
            words = self.client.meaning(["create"], answer)
            if whole:
                self._record.restore(before)
                raise Failure(words, _BY_HAND)
            self._remove_half(words)
            raise Failure(words)
        return True

    def _is_there(self) -> bool:
        status = self.status()
        self._start(status)
        return bool(status) or not self._cannot_enter()

    def _create(self) -> Answer:
        closed = self._dialect.create_closed if self._place.network == "deny" else ()
        known = [name for name in self._place.agent_names if name in _TEMPLATES]
        words = ["create", "--name", self.name, *closed, *(known or _TEMPLATES)[:1]]
        return self.client.call([*words, *self.workspaces.words], _MAKING)

    def _remove_half(self, why: str) -> None:
        self.client.call([*self._dialect.remove, self.name], _STOPPING)
        if self.status():
            by_hand = f"{self._dialect.words} {' '.join(self._dialect.remove)} {self.name}"
            raise Failure(f"{why}; the half-made sandbox {self.name} cannot be removed", by_hand)
        self._record.forget()

    def _start(self, status: str) -> bool:
        """A copy takes the host's edits only at its start; a loop of ours is not stopped for it."""
        if not self._dialect.live and self._place.alone and status == "running":
            self.stop()
            status = "stopped"
        words = self._dialect.start(self.name)
        if words and status != "running":
            self.client.call(words, ENTERING)
        return False

    def _cannot_enter(self) -> str:
        mark = visit.new_mark(self.name)
        answer = self.call_inside(["sh", "-c", 'true && echo "$0"', mark], says=mark)
        if mark in answer.text:
            return ""
        why = _NO_WORD if answer.code == 0 else self.client.meaning(["exec"], answer)
        return f"`true` did not run inside {self.name}: {why}"

    def set_up(self) -> None:
        """The script leaves at once where its mark inside says that it is done."""
        script = os.path.join(self.workspaces.plugin, "sandbox", "setup.sh")
        argv = ["bash", script, self.workspaces.state]
        answer = self.call_inside(argv, "-u", "root", says=_SET_UP)
        if f"{_SET_UP}ready" not in answer.text:
            why = answer.last_line or (_NO_WORD if answer.code == 0 else f"exit code {answer.code}")
            raise Failure(
                f"the sandbox {self.name} could not be set up: {why}",
                f"put that right in `{RALPH} sandbox shell`, or {RALPH} sandbox rm",
            )

    def call_inside(self, argv: list[str], *options: str, says: str, stdin: bytes = b"") -> Answer:
        """Old clients lose what is said inside: tried again until that is heard."""
        answer = Answer(None, "")
        for _ in range(_TRIES):
            answer = self.client.call(["exec", *options, self.name, *argv], ENTERING, stdin)
            if says in answer.text or answer.code is None:
                break
        return answer

    def apply_network(self) -> None:
        """Deny by default, with what is allowed; or open again what was closed."""
        wanted, now = self._place.network, self._record.network
        if wanted == "deny" and self._dialect.closed_when_made and now != "deny":
            raise Failure(
                f"the sandbox {self.name} was made with an open network",
                f"{RALPH} sandbox rm, then again: it is made anew, closed",
            )
        hosts = network.hosts(network.of_own_machine(self._place)) if wanted == "deny" else []
        for words in self._changes_of_network(hosts):
            self._expect(words)
        self._record.keep(self.name, wanted, hosts)

    def _changes_of_network(self, hosts: list[str]) -> list[list[str]]:
        if self._place.network == "open":
            return [self._dialect.open_up(self.name)] if self._record.network == "deny" else []
        gone = [host for host in self._record.hosts if host not in hosts]
        found = [
            self._dialect.take_back(self.name, gone),
            self._dialect.close_but(self.name, hosts),
        ]
        return [words for words in found if words]

    def refusals(self) -> str:
        """As the back-end tells them; where it tells those of all sandboxes, only ours."""
        words = self._dialect.log(self.name)
        lines = self._expect(words).text.strip().splitlines()
        return "\n".join(line for line in lines if self.name in words or self.name in line)

    def _expect(self, words: list[str]) -> Answer:
        answer = self.client.call(words)
        if answer.code != 0:
            raise Failure(f"{self._dialect.name}: {self.client.meaning(words, answer)}")
        return answer

    def stop(self) -> None:
        if self.status() in ("", "stopped"):
            return
        answer = self.client.call(["stop", self.name], _STOPPING)
        if answer.code != 0:
            why = self.client.meaning(["stop"], answer)
            raise Failure(f"the sandbox {self.name} could not be stopped ({why})")

    def remove(self) -> None:
        if self.status():
            answer = self.client.call([*self._dialect.remove, self.name], _STOPPING)
            if self.status():
                why = self.client.meaning(self._dialect.remove, answer)
                raise Failure(f"the sandbox {self.name} could not be removed ({why})")
        self._record.forget()


def name_of(root: str) -> str:
    """Two paths that differ only in punctuation have different names."""
    real = os.path.realpath(root)
    slug = re.sub("[^A-Za-z0-9]+", "-", os.path.basename(real)).strip("-")[:40].strip("-")
    return f"ralph-{slug or 'project'}-{hashlib.sha256(os.fsencode(real)).hexdigest()[:10]}"


def _workspaces(place: Place) -> Workspaces:
    """git needs all of its repository: from its top, and where a linked worktree has the rest."""
    repository = find(place.root)
    writable = [place.root]
    if repository and place.root.startswith(f"{repository.top}/"):
        writable = [repository.top]
    if repository and not repository.common.startswith(f"{writable[0]}/"):
        writable.append(repository.common)
    home = place.environment.get("HOME") or os.path.expanduser("~")
    state, plugin = (os.path.realpath(p) for p in (os.path.join(home, _STATE), place.plugin))
    for folder in writable:
        if f"{plugin}/".startswith(f"{folder}/"):
            words = f"the plugin lies in {folder}, which a microVM can write"
            raise Failure(words, "install it elsewhere, or --sandbox=bwrap")
    return Workspaces(writable, state, plugin)


def _begin_state(folder: str) -> None:
    """`{}`: an empty file is no JSON, and the agent would not start."""
    above, name = os.path.split(folder)
    if files.kind(folder, ".claude.json") == "absent":
        files.replace_bytes(above, f"{name}/.claude.json", b"{}\n", 0o600)
