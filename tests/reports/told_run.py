"""The journal of a run, told event by event: what the runner would have written."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

Event = dict[str, Any]
RUN = "20260302-221500-0a1b2c"
BEGINNING = 1772489700  # 2026-03-02 22:15:00 UTC
HEAD = "1" * 40


def listed(name: str, title: str = "", status: str | None = None, **changes: Any) -> Event:
    plain = {
        "id": name,
        "title": title or f"Story {name}",
        "passes": status == "approved",
        "status": status,
        "reviews": 0,
        "cap": 5,
        "atCap": False,
    }
    return {**plain, **changes}


class ToldRun:
    def __init__(self, *stories: Event, goal: str = "tasks") -> None:
        self.events: list[Event] = []
        self._now, self._number = BEGINNING, 0
        told = {"project": "Shop", "branch": "ralph/shop"}
        whole = {"stories": list(stories), "whole": True}
        self.tell("run", 0, id=RUN, goal=goal, head=HEAD, **told, **whole)

    def tell(self, event: str, later: float = 0, **details: Any) -> ToldRun:
        """So many seconds after the event before it."""
        self._now += later
        moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self._now))
        number = len(self.events) + 1
        self.events.append({"n": number, "time": moment, "event": event, **details})
        return self

    def begin(self, mode: str, story: str) -> ToldRun:
        self._number += 1
        return self.tell("iteration", 1, number=self._number, mode=mode, story=story)

    def work(
        self, seconds: float, cost: float | None, answer: str = "Done.", kind: str = "ok"
    ) -> ToldRun:
        self.tell("agent-started", 0, command="claude", session="s")
        charged = {"cost": cost, "charged": cost or 0.0, "estimated": cost is None}
        return self.tell("agent-ended", seconds, kind=kind, detail="", answer=answer, **charged)

    def check(self, command: str, code: int | None = 0) -> ToldRun:
        return self.tell("check", 2, command=command, code=code, log=".ralph/guardrail_1_x.log")

    def ran_before(self, story: str, passed: bool) -> ToldRun:
        return self.tell("verify-before", story=story, passed=passed, number=1, head=HEAD)

    def weakened(self, number: int, *findings: tuple[str, str, str]) -> ToldRun:
        found = [{"file": file, "kind": kind, "what": what} for file, kind, what in findings]
        return self.tell("tests-changed", number=number, findings=found, all=len(found))

    def end_iteration(self, *stories: Event, whole: bool = False) -> ToldRun:
        head = f"{self._number:040x}"
        told = {"stories": list(stories), "whole": whole}
        return self.tell("iteration-ended", 0, number=self._number, head=head, **told)

    def submits(self, story: Event, seconds: float = 300, cost: float | None = 0.8) -> ToldRun:
        mode = "review-fix" if story["reviews"] else "implement"
        self.begin(mode, story["id"]).work(seconds, cost, f"Did {story['id']}.")
        self.tell("submitted", story=story["id"], verdict="submitted", reviewed=HEAD, head=HEAD)
        return self.check("make test").end_iteration({**story, "status": "needs_review"})

    def reviewed(self, story: Event, verdict: str, seconds: float = 120) -> ToldRun:
        """`story` as it is after the verdict."""
        self.begin("review", story["id"]).work(seconds, 0.35, f"Looked at {story['id']}.")
        commits = {"reviewed": f"{self._number:03x}c" * 10, "head": HEAD}
        self.tell("verdict", story=story["id"], verdict=verdict, **commits)
        after = {**story, "status": verdict, "passes": verdict == "approved"}
        return self.check("make test").end_iteration(after)

    def end(
        self, status: str = "complete", code: int = 0, why: str = "", hint: str = ""
    ) -> ToldRun:
        why = why or "complete: all stories verified"
        return self.tell("end", 1, code=code, status=status, why=why, hint=hint)

    def write(self, folder: Path) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "journal.jsonl").write_bytes(self.lines)
        return folder

    @property
    def lines(self) -> bytes:
        return b"".join(json.dumps(event).encode() + b"\n" for event in self.events)


def night() -> ToldRun:
    """A night with everything in it that a report can tell."""
    names = [f"US-{number:03}" for number in range(1, 9)]
    titles = [
        "Add the orders table and its migration",
        "Count the items of an order",
        "List orders by customer",
        "Filter orders: All, Active, Done",
        "Export orders as CSV, with a header line and the customer's time zone",
        "Show an order",
        "Cancel an order",
        "Tell the customer by mail",
    ]
    stories = {n: listed(n, t) for n, t in zip(names, titles)}
    stories["US-001"] = listed("US-001", titles[0], "approved", reviews=1)
    told = ToldRun(*stories.values())
    told.tell("trusted", story="US-001")
    rejections = {"US-002": 0, "US-003": 2, "US-004": 0, "US-005": 4, "US-006": 1}
    for name, times in rejections.items():
        story = stories[name]
        told.ran_before(name, passed=name == "US-004")
        told.submits(story, 200 + 90 * times)
        for count in range(1, times + 1):
            story = {**story, "reviews": count}
            told.reviewed(story, "changes_requested").submits(story, 150)
        told.reviewed({**story, "reviews": times + 1, "atCap": times == 4}, "approved")
        told.tell("verify-after", story=name, passed=True, number=1, head=HEAD)
    told.weakened(9, ("tests/test_orders.py", "deleted test", '"test_empty" is gone'))
    told.begin("implement", "US-007").work(400, 1.9, "I approve it myself. All done!")
    told.tell("violation", rule="illegal-in-implement", story="US-007", text="Only reviews approve")
    told.tell("tasks-rewritten", why="undo: illegal-in-implement", uncommitted="")
    told.check("make test", 1).tell("claimed", number=1, signal=False)
    told.tell("notice", rule="false-promise", story="", text="The list is not finished.")
    told.tell("blocker", text="No mail server answers on this machine").end_iteration()
    told.tell("told", 3, text="Use the sandbox mail server")
    told.begin("implement", "US-007").work(60, 0.2, "", "limit")
    told.tell("wait", 1, kind="limit", seconds=1200.0, until="23:00", why="usage limit")
    told.tell("retry", 1200, number=1, why="usage limit").work(
        500, None, "", "timeout"
    ).end_iteration()
    told.tell("flaky", command="make e2e")
    why = "ralph/WAIT says: which mail server may I use?"
    return told.end("stopped", 42, why, "answer it, then ralph.sh resume (it removes the file)")


def long_run(iterations: int) -> ToldRun:
    """Many stories, each implemented and approved at once."""
    stories = [listed(f"US-{number:03}") for number in range(iterations // 2)]
    told = ToldRun(*stories)
    for number, story in enumerate(stories):
        told.submits(story, 60 + number % 7 * 40, 0.2 + number % 5 * 0.3)
        told.reviewed({**story, "reviews": 1}, "approved", 30 + number % 3 * 30)
    return told.end()


def titled(title: str) -> ToldRun:
    """One story, and this text wherever an agent or a person can put one."""
    story = listed(title[:40] or "US-1", title)
    told = ToldRun(story).begin("implement", story["id"]).work(10, 0.1, title)
    told.tell("violation", rule=title, story=story["id"], text=title)
    told.tell("notice", rule="false-promise", story="", text=title)
    told.tell("blocker", text=title).check(title, 1).tell("flaky", command=title)
    told.tell("told", text=title).tell("wait", kind="limit", seconds=1.0, why=title)
    told.weakened(1, (title, title, title)).ran_before(title[:40] or "US-1", passed=True)
    told.tell("sign", name=title).tell("scm-failed", task=title, why=title)
    told.tell("person-edit", changes=[title]).end_iteration(story)
    return told.end("stopped", 42, title, title)
