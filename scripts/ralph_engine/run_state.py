"""What the runner holds in memory during a run: its own truth, whatever the project says."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import approvals, git, interrupts, repair
from .agents.endings import Ended
from .breaker import Breaker
from .checks import Check, Result, Runner, distinct, failure_text
from .confined import Confinement
from .core import clean_tree, files, fingerprint, paths, requests
from .core.tasks import Document, Story
from .failure import Failure
from .frozen_files import FrozenFiles
from .journal import Journal
from .ledger import Ledger
from .outcome import Outcome
from .prompt import CheckFailure
from .roles import Chosen
from .run_options import RunOptions
from .settings import Entries, Settings

_KEPT = 64 * 1024 * 1024


@dataclass
class Run:
    root: str
    ralph_dir: str
    run_id: str
    settings: Settings
    options: RunOptions
    journal: Journal
    ledger: Ledger
    state: Path
    say: Callable[[str], None]
    detail: Callable[[str], None]
    stop_asked: Callable[[], bool]
    show_as: Callable[[Settings], None]
    frozen: FrozenFiles
    document: Document = field(default_factory=dict)
    list_bytes: bytes = b""
    baseline: dict[str, str] = field(default_factory=dict)
    start_head: str = ""
    hidden_before: set[str] = field(default_factory=set)
    iteration: int = 0
    remarks: list[str] = field(default_factory=list)
    failures: list[CheckFailure] = field(default_factory=list)
    prompt_text: str = ""
    agents_prompt: str | None = None
    max_iterations: int = 0
    breaker: Breaker = field(default_factory=lambda: Breaker(0))
    caps: dict[str, int] = field(default_factory=dict)
    cost: float = 0.0
    highest_cost: float = 0.0
    cost_estimated: bool = False
    held_back: tuple[Chosen, Ended] | None = None
    fallback_until: float = 0.0
    limits_met: int = 0
    context_window: int | None = None
    lost: int = 0
    history_changed: bool = False
    goal_kind: str = ""
    flags: Entries = field(default_factory=dict)
    red_guardrails: dict[str, int] = field(default_factory=dict)
    recorded: dict[str, Any] = field(default_factory=dict)
    blockers: list[str] = field(default_factory=list)
    to_finish: tuple[Any, Outcome] | None = None
    seconds_before: float = 0.0
    started: float = field(default_factory=time.monotonic)
    confinement: Confinement = field(default_factory=Confinement)

    @property
    def tasks_path(self) -> str:
        return paths.tasks(self.ralph_dir)

    @property
    def branch(self) -> str:
        return str(self.document["branchName"])

    @property
    def mark(self) -> str:
        """Stands in the environment of all that the run starts."""
        return f"RALPH_RUN_ID={self.run_id}"

    def pause_asked(self) -> bool:
        return requests.stands(str(self.state), requests.PAUSE)

    def story(self, name: str) -> Story | None:
        return next((s for s in self.document["userStories"] if s["id"] == name), None)

    def done(self) -> int:
        return sum(bool(story["passes"]) for story in self.document["userStories"])

    def cap(self, name: str) -> int:
        return self.caps.get(name, self.settings.review_cap)

    def guardrails(self) -> list[Check]:
        return [
            Check(g.command, g.fail_action, g.hint, g.timeout) for g in self.settings.guardrails
        ]

    def verify_commands(self) -> list[Check]:
        return [Check(command) for command in self.document.get("verifyCommands", [])]

    def story_checks(self) -> list[Check]:
        stories = self.document["userStories"]
        return [Check(command) for story in stories for command in story.get("verify", [])]

    def has_checks(self) -> bool:
        return bool(self.guardrails() or self.verify_commands() or self.story_checks())

    def check(self, check: Check) -> Result:
        if self.stop_asked():
            # Each one started only to be ended would take its time.
            return Result(check, None, "", "", 0.0)
        result = self.try_out(check)
        known = {"command": check.command, "action": check.action, "log": result.log}
        self.journal.write("check", code=result.code, **known)
        return result

    def try_out(self, check: Check) -> Result:
        """How it ends, for whoever asks."""
        keep = self.settings.output_truncate_chars
        runner = Runner(self.root, self.run_id, keep, self.stop_asked, self.confinement)
        with interrupts.job(f"the check {check.command}"):
            result = runner.run(check, self.iteration)
        self.detail(f"exit code {result.code} after {result.seconds:.1f} s, log {result.log}")
        return result

    def check_all(self, wanted: list[Check]) -> list[Result]:
        """Runs them and keeps the failures for the next prompt."""
        if not wanted:
            self.failures = []
            return []
        results = self.tidily(lambda: [self.check(check) for check in distinct(wanted)])
        keep = self.settings.output_truncate_chars
        red = [result for result in results if not result.passed]
        self.failures = [CheckFailure(r.check.action, failure_text(r, keep)) for r in red]
        return results

    def uncommitted(self) -> list[str]:
        """Beyond the baseline; a tree that git cannot judge is not clean."""
        tree = clean_tree.look(self.root, self.ralph_dir, self.baseline)
        if not tree.known:
            return [".git (git status fails)"]
        hidden = git.hidden(self.root) - self.hidden_before
        return tree.uncommitted + [f"{path} (hidden from git status)" for path in sorted(hidden)]

    def tidily(self, checks: Callable[[], list[Result]]) -> list[Result]:
        before = set(self._untidy())
        results = checks()
        self._forgive(sorted(set(self._untidy()) - before))
        return results

    def _untidy(self) -> list[str]:
        return clean_tree.look(self.root, self.ralph_dir, self.baseline).uncommitted

    def _forgive(self, made: list[str]) -> None:
        """What only checks create is nobody's uncommitted work."""
        for path in made:
            if git.is_tracked(self.root, path):
                self.say(f"a check changed {path}, which git tracks: that is uncommitted work")
                continue
            self.baseline[path] = fingerprint.ANY
            self.say(f"a check made {path}: add it to .gitignore")

    def violation(self, rule: str, story: str, message: str) -> None:
        """Something that was undone."""
        self.journal.write("violation", rule=rule, story=story, text=message)
        self.remarks.append(f"The runner undid what the last iteration did: {message}")

    def notice(self, rule: str, story: str, message: str) -> None:
        """Something that is wrong, but has nothing to undo."""
        self.journal.write("notice", rule=rule, story=story, text=message)
        self.remarks.append(f"The runner noticed: {message}")

    def keep_prompt(self, text: str) -> None:
        name = f"{self.people_folder}/prompt-{self.iteration}.md"
        try:
            files.replace_bytes(self.root, name, text.encode("utf-8", "replace"))
        except files.FileFault:
            self.say(f"the prompt could not be kept in {name}")

    def take_signal(self, name: str) -> bool:
        """Is the file there? It is removed once judged."""
        path = f"{self.ralph_dir}/{name}"
        found = files.kind(self.root, path)
        if found == "folder":
            raise Failure(f"{path} is a directory", f"remove it; {name} is a file")
        if found != "absent":
            files.remove(self.root, path)
        return found != "absent"

    def seconds_left(self) -> float:
        limit = self.settings.max_duration
        return float("inf") if limit is None else limit - self.seconds_spent()

    def seconds_spent(self) -> float:
        """By the steady clock: one that is set anew neither ends a run early nor prolongs it."""
        return self.seconds_before + time.monotonic() - self.started

    def dollars_left(self) -> float | None:
        limit = self.settings.max_cost_usd
        return None if limit is None else limit - self.cost

    def on_branch(self) -> bool:
        """A prompt goal has no branch to leave."""
        return not self.document or git.branch(self.root) == self.branch

    def behind(self) -> dict[str, approvals.Entry]:
        """The ledger's entry behind each done story, where its commit is still in HEAD."""
        head = git.head(self.root)
        return approvals.standing(
            self.ledger.entries, self.document, lambda old: git.is_ancestor(self.root, old, head)
        )

    def rewrite(self, document: Document, why: str) -> None:
        """A write of the runner to the task list."""
        data = self.list_bytes if document == self.document else repair.text_of(document)
        left = repair.write(self.root, self.ralph_dir, data, f"ralph: {why}")
        self.take_list(document, data)
        known = {"path": self.tasks_path, "why": why, "uncommitted": left}
        self.journal.write("tasks-rewritten", **known, done=self.done())

    def take_list(self, document: Document, data: bytes) -> None:
        """From now on this is the list as last judged."""
        self.document, self.list_bytes = document, data

    def put_back_frozen(self) -> None:
        """The files that no agent may change, each version of its own kept for people."""
        changed = self.frozen.changed()
        for name in changed:
            saved = self.keep_agents_version(name)
            self.frozen.put_back(name)
            self.violation("frozen-file", "", f"{name} is read-only during a run.")
            self.say(f"the agent's version is in {saved} (was this you?)")
        # What was uncommitted before the run stays so.
        ours = [n for n in changed if n not in self.baseline and git.is_tracked(self.root, n)]
        if ours:
            repair.commit(self.root, ours, "ralph: undo: frozen-file")

    def keep_agents_version(self, path: str) -> str:
        """As the agent left it, for people: its name there, or what hinders it."""
        stamp = f"undone-{self.iteration}-{int(time.time() * 1000)}"
        name = f"{self.people_folder}/{stamp}-{path.rpartition('/')[2]}"
        try:
            self._keep_version(path, name)
        except files.FileFault as fault:
            return f"(not kept: {fault})"
        return name

    def _keep_version(self, path: str, name: str) -> None:
        try:
            data = files.read_bytes(self.root, path, _KEPT)
        except files.Missing:
            raise
        except files.FileFault:
            # A folder, link or FIFO is kept as what it is, and followed by nobody.
            files.move(self.root, path, name)
        else:
            files.restore_bytes(self.root, name, data)

    @property
    def people_folder(self) -> str:
        return f"{paths.DOT_FOLDER}/runs/{self.run_id}"
