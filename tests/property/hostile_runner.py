"""An agent that does anything, against the real runner: a process, its disk, its history."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import event
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule
from property import actions, hostile_lists, judge, lists
from property.driven_loop import DrivenLoop
from property.hostile_lists import STANDS, done, lost
from property.judge import Terms
from property.truth_table import legal
from ralph_engine.core import review, tasks, transitions

Json = dict[str, Any]
COMPLETE, WAITING = 0, 42
COMMIT = "git add -A; git commit -q -m work"
GONE = (
    "rm ralph/tasks.json",
    "rm ralph/tasks.json; mkdir ralph/tasks.json",
    ": > ralph/tasks.json",
)
DEEDS = (
    *[COMMIT] * 6,
    "git commit -q -a -m list; echo left > stray.txt",
    "echo '# more' >> app.py; git commit -q -a -m code",
    "git commit -q -a --amend -m another",
    "git reset -q --hard HEAD~1",
    "touch broken",
    "rm -f broken stray.txt",
    "echo more >> ralph/prd.md; git commit -q -a -m plan",
    "touch ralph/DONE",
    "rm .ralph-active",
    "echo '{}' > .ralph-active",
)
WORDS = ("worked", "<promise>COMPLETE</promise>")
ENDINGS = ("exit 0", "exit 0", "exit 0", "exit 1", "exit 42", "kill -9 $$")


class HostileRunner(RuleBasedStateMachine):
    """`base` is the list that the waiting agent found, on the terms of the runner's marker."""

    @initialize(
        document=lists.documents(min_size=1),
        cap=st.integers(1, 3),
        at_cap=st.sampled_from(["approve", "hold"]),
    )
    def start(self, document: Json, cap: int, at_cap: str) -> None:
        document["branchName"] = "main"
        self.folder = tempfile.TemporaryDirectory()
        options = ["--trust-approved", "--review-cap", str(cap), "--at-cap", at_cap]
        self.loop = DrivenLoop(Path(self.folder.name), document, *options)
        self.trusted, self.approved, self.seen = done(document), set[str](), 0
        self.versions = [document]
        self.base: Json | None = None
        self._until_the_next_agent()

    @rule()
    def behave(self) -> None:
        """Without this few stories would ever be approved."""
        if self.base is not None:
            written = actions.canonical(self.base, self.terms.mode, str(self.terms.picked))
            self.loop.agent_does("\n".join(["echo worked", self._write(written), COMMIT]), "exit 0")
            self._until_the_next_agent()

    @rule(data=st.data())
    def iteration(self, data: st.DataObject) -> None:
        if self.base is not None:
            self.loop.agent_does(self._deeds(data), data.draw(st.sampled_from(ENDINGS)))
            self._until_the_next_agent()

    @rule(data=st.data())
    def kill(self, data: st.DataObject) -> None:
        """What was half done is judged by the run that goes on."""
        if self.base is not None:
            self.loop.kill_after(self._deeds(data))
            self.loop.resume()
            self._until_the_next_agent()

    def teardown(self) -> None:
        if hasattr(self, "loop"):
            self.loop.end()
            self.folder.cleanup()

    def _deeds(self, data: st.DataObject) -> str:
        assert self.base is not None
        written = data.draw(hostile_lists.versions(self.base, self.terms, self.versions))
        deed = data.draw(st.sampled_from(GONE)) if written is None else self._write(written)
        words = data.draw(st.sampled_from(WORDS))
        return "\n".join([f"echo '{words}'", deed, data.draw(st.sampled_from(DEEDS))])

    def _write(self, document: Json) -> str:
        (self.loop.project.outside / "next").write_text(json.dumps(document))
        return 'cp "$OUTSIDE/next" ralph/tasks.json'

    def _until_the_next_agent(self) -> None:
        """A loop that waits for a person gets one who says: go on."""
        while not (comes := self.loop.agent_comes()):
            if self.loop.runner.returncode != WAITING:
                break
            event("waited for a person")
            self._judged()
            self.base = None
            self.loop.resume()
        self._judged()
        self.base = None
        if comes:
            self._begin()
        else:
            self._complete()

    def _begin(self) -> None:
        marker = self.loop.marker()
        self.base = self.loop.document()
        self.terms = Terms(
            marker["iterationMode"], marker["story"], marker["reviewCap"], marker["atCap"]
        )
        self.versions.append(self.base)

    def _judged(self) -> None:
        result = self.loop.document()
        assert tasks.faults(result) == []
        if self.base is not None:
            self.approved = {*self.approved & done(self.base), *self._approved_now(result)}
            self._check(self.base, result)
        assert done(result) <= self.approved | self.trusted, self.loop.screen()
        assert {s["id"] for s in result["userStories"] if s["passes"]} == done(result)
        self._check_ledger(result)

    def _check(self, base: Json, result: Json) -> None:
        assert lost(base, result) == []
        if self._own_rewrites():
            event("reopened, or reviewed again")
            return
        marker = judge.marker_for(base, self.terms)
        assert review.invariants(result, marker) == []
        left = {violation.rule for violation in transitions.violations(result, marker)}
        assert left <= STANDS
        assert left or legal(base, result, *self.terms), self.loop.screen()

    def _own_rewrites(self) -> list[str]:
        """Since the last look: the runner may send back what no edit may."""
        events = self.loop.events()
        new, self.seen = events[self.seen :], len(events)
        rewritten = [e["why"] for e in new if e["event"] == "tasks-rewritten"]
        return [why for why in rewritten if not why.startswith("undo: ")]

    def _approved_now(self, result: Json) -> set[str]:
        """Written without the judge: one story, in review, counted once more."""
        picked = self.terms.picked
        if self.terms.mode != "review" or picked not in done(result):
            return set()
        assert self.base is not None and picked is not None
        was, now = actions.story_of(self.base, picked), actions.story_of(result, picked)
        assert was["reviewStatus"] == "needs_review"
        assert now["reviewCount"] == was["reviewCount"] + 1
        return {picked}

    def _check_ledger(self, result: Json) -> None:
        last = {entry["story"]: entry["event"] for entry in self.loop.project.verdicts()}
        assert {last.get(name) for name in done(result)} <= {"approved", "trusted"}

    def _complete(self) -> None:
        screen = self.loop.screen()
        assert self.loop.runner.returncode == COMPLETE, screen
        event("complete")
        assert judge.all_pass(self.loop.document()), screen
        assert not (self.loop.project.root / "broken").exists(), screen
        assert self.loop.project.git("status", "--porcelain") == "", screen
        assert not (self.loop.project.root / ".ralph-active").exists()
