"""Programs in Docker's microVMs: each entered by exec, heard between two marks, ended for sure."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from ..core import files, paths
from ..failure import Failure
from ..streams import OnOutput
from . import network, visit
from .backend import Place
from .client import Answer
from .dialect import Dialect
from .machine import Machine
from .synced import Synced, packed

# Past this, what goes in by stdin may be cut.
_LONGEST = 100_000
# By the agent's user, not root's: the agent must be able to write what it finds.
_UNPACK = 'rm -f -- "$@" && tar --no-same-owner -xpzf - -C / && echo "$0"'


class MicroVM:
    NAME: str
    DIALECT: Dialect
    PYTHON = "python3"
    OWN_PROGRAMS = True
    HOLDS_GIT = False

    def __init__(self, place: Place) -> None:
        self.machine = Machine(place, self.DIALECT)
        self._place = place
        self._synced: Synced | None = None
        self._ready = False
        self._remarks: list[str] = []
        self._mark, self._input = "", ""
        self._hearing: visit.Hearing | None = None

    def glance(self) -> str:
        return self.machine.client.lack()

    def available(self) -> str:
        lack = self.glance()
        if lack:
            return lack
        try:
            self.ensure()
        except Failure as failure:
            return f"{failure} ({failure.hint})" if failure.hint else str(failure)
        return ""

    def ensure(self) -> None:
        if self._ready:
            return
        if not self.DIALECT.live:
            self._synced = Synced(self.machine.workspaces.writable)
            self._synced.in_step()
        self.machine.have()
        self.machine.set_up()
        self.machine.apply_network()
        self._ready = True

    def has_program(self, program: str) -> bool:
        """Where nothing is heard of it, the program's own start will tell."""
        mark = visit.new_mark(self.machine.name)
        script = 'command -v "$1" >/dev/null || lack=" lacks it"; echo "$0$lack"'
        argv = ["sh", "-c", script, mark, program]
        answer = self.machine.call_inside(argv, "-w", self._place.root, says=mark)
        return f"{mark} lacks it" not in answer.text

    def hand_over(self, argv: list[str], stdin: bytes) -> tuple[list[str], bytes]:
        self.ensure()
        self._mark, self._input = visit.new_mark(self.machine.name), ""
        if len(stdin) > _LONGEST:
            self._input = f"{paths.DOT_FOLDER}/prompt-{os.urandom(6).hex()}"
            files.replace_bytes(self._place.root, self._input, stdin, 0o600)
        self._bring_in_step()
        about = [self._below(self._input), str(len(stdin))] if self._input else ["", "0"]
        return [*about, *argv], b"" if self._input else stdin

    def wrap(self, argv: list[str], cwd: str, env: Mapping[str, str]) -> list[str]:
        given = [word for name, value in env.items() for word in ("-e", f"{name}={value}")]
        active = env.get("RALPH_ACTIVE") == "1"
        done = self._below(f"{self._place.ralph_dir}/DONE") if active else ""
        file, size, *program = argv
        inside = ["sh", "-c", visit.SCRIPT, self._mark, file, size, done, *program]
        start = [*self.DIALECT.program, "exec", *given, "-i", "-w", cwd]
        return [*start, self.machine.name, *inside]

    def _below(self, name: str) -> str:
        return os.path.join(self._place.root, name)

    def listen(self, on_output: OnOutput) -> OnOutput:
        self._hearing = visit.Hearing(self._mark, on_output)
        return self._hearing.take

    def exit_code(self, code: int | None) -> int | None:
        if self._cut_off and code == 0:
            return 1
        heard = self._hearing.code if self._hearing else None
        return code if heard is None else heard

    @property
    def _cut_off(self) -> bool:
        """It began, and its end was not heard: it may still be at work."""
        return bool(self._hearing and self._hearing.began and self._hearing.code is None)

    def never_began(self, code: int | None) -> str:
        if self._hearing is None:
            return ""
        self._hearing.close()
        if self._hearing.began:
            return ""
        self._ready = False
        if code == 0:
            return f"exec in {self.machine.name} gave exit code 0 and no word"
        return self.machine.client.meaning(["exec"], Answer(code, self._hearing.words_before))

    def after_run(self, by_itself: bool) -> list[str]:
        if self._input and files.kind(self._place.root, self._input) != "absent":
            files.remove(self._place.root, self._input)
        self._input = ""
        left = self._hearing is not None and self._hearing.left
        if left:
            words = "is stopped: something in it was still at work after its program"
            self._remarks.append(f"the sandbox {self.machine.name} {words}")
        if not by_itself or self._cut_off or left:
            self._end_all()
        if self._synced:
            self._synced.settle()
        told = [*self.machine.remarks, *self._remarks]
        self.machine.remarks, self._remarks = [], []
        return told

    def _end_all(self) -> None:
        """The client is gone, and what it started inside may still be at work."""
        try:
            self.stop()
        except Failure as failure:
            self._remarks.append(f"{failure}: what runs in it may still be at work")

    def _bring_in_step(self) -> None:
        """What the host wrote since the last program, which the copy would not take by itself."""
        written, gone = self._synced.changes() if self._synced else ([], [])
        if not written and not gone:
            return
        data, mark = packed(written), visit.new_mark(self.machine.name)
        if len(data) + sum(map(len, gone)) > _LONGEST:
            return self._restart()
        argv = ["sh", "-c", _UNPACK, mark, *gone]
        if mark not in self.machine.call_inside(argv, "-i", says=mark, stdin=data).text:
            self._restart()

    def after_host_edit(self, paths: Iterable[str]) -> None:
        """A copy takes a person's edits only at its start."""
        if self._synced and not list(paths):
            self._restart()

    def _restart(self) -> None:
        self.stop()
        self.ensure()

    def stop(self) -> None:
        self._ready = False
        self.machine.stop()

    def abandon(self) -> None:
        self.machine.client.send(["stop", self.machine.name])

    def leave(self) -> None:
        """It stays for the next run."""

    def remove(self) -> None:
        self._ready = False
        self.machine.remove()

    def status(self) -> str:
        return self.machine.state()

    def refusals(self) -> str:
        return self.machine.refusals()

    def inside(self, argv: list[str], env: Mapping[str, str]) -> list[str]:
        """With a mark of its own: it is nothing that a program left behind."""
        marked = {**env, visit.MARKED: visit.new_mark(self.machine.name)}
        given = [word for name, value in marked.items() for word in ("-e", f"{name}={value}")]
        words = ["exec", *given, "-i", "-t", "-w", self._place.root, self.machine.name]
        return [*self.DIALECT.program, *words, *argv]

    def describe(self) -> str:
        inside = network.of_own_machine(self._place)
        reach = "open" if inside.network == "open" else network.sentence(inside)
        return f"a microVM of its own, {self.machine.name}; network: {reach}"
