"""What an archived loop came to, on one page: pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from . import approvals
from .core.counted import counted
from .core.tasks import Document, Story
from .reports.facts import Cost, Facts
from .reports.markdown import plain
from .reports.words import STATES, duration, moment, money, reason, short

_LONGEST = 120


class Runs(NamedTuple):
    """All runs of a plan, taken together."""

    number: int
    begun: str
    last: str
    iterations: int
    seconds: float
    cost: Cost


def together(runs: Sequence[Facts]) -> Runs:
    costs = [run.cost for run in runs]
    return Runs(
        number=len(runs),
        begun=min((run.begun for run in runs), default=""),
        last=max((run.last for run in runs), default=""),
        iterations=sum(len(run.iterations) for run in runs),
        seconds=sum(run.seconds for run in runs),
        cost=Cost(
            sum(cost.usd for cost in costs),
            any(cost.known for cost in costs),
            any(cost.estimated for cost in costs),
        ),
    )


def write(document: Document, runs: Sequence[Facts], today: str) -> str:
    lines = [
        f"# {plain(short(document['project'], _LONGEST)) or 'Ralph loop'}",
        "",
        f"- branch: {plain(short(document['branchName'], _LONGEST))}",
        f"- stories done: {plain(stories_done(document))}",
        *_of_runs(runs),
        f"- archived: {today}",
        "",
        "| Story | Title | State | Reviews |",
        "| --- | --- | --- | --: |",
        *(_row(story) for story in document["userStories"]),
    ]
    return "\n".join(lines) + "\n"


def stories_done(document: Document) -> str:
    stories = document["userStories"]
    done = sum(story["passes"] for story in stories)
    at_cap = len(approvals.accepted_at_cap(document))
    words = f"{done} of {len(stories)}"
    return f"{words}, {at_cap} of them accepted at cap" if at_cap else words


def _of_runs(runs: Sequence[Facts]) -> list[str]:
    if not runs:
        return ["- runs: none on record"]
    all_of_them = together(runs)
    last = runs[-1].ending
    how = ": ".join(filter(None, (last.status, reason(last.status, last.why))))
    return [
        f"- from {moment(all_of_them.begun)} to {moment(all_of_them.last)} (UTC)",
        f"- runs: {all_of_them.number}, the last one ended {plain(short(how, 300))}",
        f"- iterations: {all_of_them.iterations}",
        f"- time: {duration(all_of_them.seconds)}",
        f"- cost: {plain(_cost(all_of_them.cost))}",
    ]


def _cost(cost: Cost) -> str:
    return money(cost) if cost.known else "not told by the agent"


def _row(story: Story) -> str:
    state = "done" if story["passes"] else STATES[story["reviewStatus"] or ""]
    if approvals.is_at_cap(story):
        state = "accepted at cap"
    cells = (short(story["id"], 40), short(story["title"], _LONGEST), state)
    return f"| {' | '.join(map(plain, cells))} | {counted(story['reviewCount'], 'review')} |"
