"""A report, section by section: pure, from facts alone."""

from __future__ import annotations

import shlex

from ..core.own_command import RALPH
from . import charts, events, hooks, needs, proofs
from .blocks import (
    BAD,
    GOOD,
    PLAIN,
    WARN,
    Block,
    Cell,
    Charts,
    Command,
    Commands,
    Figure,
    Page,
    Points,
    Section,
    Table,
    Toned,
    Words,
    text_of,
    tone_of,
)
from .facts import PAUSED, UNFINISHED, WAITING, Facts, Iteration
from .timeline import rows
from .words import (
    NOTHING,
    commit,
    duration,
    moment,
    money,
    outcome,
    reason,
    reviews,
    short,
    state,
)

_TONES = {"complete": GOOD, "error": BAD, PAUSED: PLAIN, WAITING: PLAIN, UNFINISHED: PLAIN}
_OPEN = {
    PAUSED: f"A person paused the loop; {RALPH} resume goes on.",
    WAITING: "The loop waits for its provider.",
    UNFINISHED: f"No end is recorded: the loop still runs, or was killed. {RALPH} status tells.",
}
_LONGEST_TITLE, _LONGEST_WORDS = 120, 200
_FIGURES = frozenset({"#", "Reviews", "Iterations", "Time", "Cost"})
_NAMES = frozenset({"Story", "State", "Commit", "When (UTC)"})


def compose(facts: Facts) -> Page:
    ending = facts.ending
    sections = [
        Section("What needs a person", [_points(needs.a_person(facts), "Nothing.")]),
        *_stories(facts),
        *proofs.section(facts.events),
        *_plots(facts),
        Section("Timeline", [_timeline(facts)]),
        Section("Claims against evidence", _claims(facts)),
        Section("How to go on", _onwards(facts)),
        Section("How to undo", _undo(facts)),
    ]
    return Page(
        title=f"Ralph: {short(facts.project, _LONGEST_TITLE) or facts.run}",
        verdict=short(ending.status, 40) or "ended",
        tone=_TONES.get(ending.status, WARN),
        why=_OPEN.get(ending.status) or short(reason(ending.status, ending.why), 500),
        figures=_figures(facts),
        sections=sections,
    )


def _figures(facts: Facts) -> list[Figure]:
    done = sum(story.listed.passes for story in facts.stories)
    found = [Figure("stories done", f"{done} of {len(facts.stories)}")] if facts.stories else []
    found.append(Figure("iterations", str(len(facts.iterations))))
    found.append(Figure("time", duration(facts.seconds)))
    if facts.cost.known:
        found.append(Figure("cost", money(facts.cost)))
    found.append(Figure("begun (UTC)", moment(facts.begun)))
    found.append(Figure("run", facts.run))
    if facts.branch:
        found.append(Figure("branch", short(facts.branch, 60)))
    return found


def _points(items: list[str], otherwise: str) -> Block:
    return Points(items) if items else Words(otherwise)


def _stories(facts: Facts) -> list[Section]:
    if not facts.stories:
        return []
    heads = ("Story", "Title", "State", "Reviews", "Iterations", "Time", "Cost", "Commit")
    found = [
        (
            short(story.listed.name, 40),
            short(story.listed.title, _LONGEST_TITLE),
            state(story),
            reviews(story.listed),
            str(story.iterations),
            duration(story.seconds) if story.iterations else NOTHING,
            money(story.cost),
            commit(story.commit),
        )
        for story in facts.stories
    ]
    return [Section("Stories", [Table(heads, found, _FIGURES, _NAMES)])]


def _plots(facts: Facts) -> list[Section]:
    found = charts.of(facts)
    return [Section("Plots", [Charts(found)])] if found else []


def _timeline(facts: Facts) -> Block:
    heads = ("When (UTC)", "#", "What", "Outcome", "Time", "Cost")
    return Table(heads, rows(facts), _FIGURES, _NAMES)


def _claims(facts: Facts) -> list[Block]:
    heads = ("#", "The agent said", "The runner saw")
    said = [one for one in facts.iterations if one.endings]
    found = [(str(one.number), _said(one), _seen(one)) for one in said]
    return [Points(_totals(facts)), Table(heads, found, _FIGURES, _NAMES)]


def _totals(facts: Facts) -> list[str]:
    false = [e for e in events.of(facts.events, "notice") if e.text("rule") == "false-promise"]
    claims = sum(one.claimed for one in facts.iterations)
    checks = events.of(facts.events, "check")
    red = sum(event.number("code") != 0 for event in checks)
    verdicts = [event.text("verdict") for event in events.of(facts.events, "verdict")]
    sent_back = sum(verdict == "changes_requested" for verdict in verdicts)
    undone = len(events.of(facts.events, "violation"))
    return [
        f"Promises of completion: {claims}, false: {len(false)}",
        f"Verdicts of reviews: {len(verdicts)}, sent back: {sent_back}",
        f"Checks run by the runner: {len(checks)}, red: {red}",
        f"Edits undone: {undone}",
        *hooks.totals(facts),
    ]


def _said(iteration: Iteration) -> str:
    words = short(iteration.answer, _LONGEST_WORDS) or "(nothing)"
    return f"{words} [promises completion]" if iteration.claimed else words


def _seen(iteration: Iteration) -> Cell:
    told = outcome(iteration)
    red = [check for check in iteration.checks if check.code != 0]
    parts = [text_of(told)]
    if iteration.checks:
        passed = len(iteration.checks) - len(red)
        parts.append(f"{passed} of {len(iteration.checks)} checks passed")
    parts += [f"red: {short(check.command, 60)}" for check in red[:3]]
    parts += [short(e.text("text"), 160) for e in (*iteration.undone, *iteration.notices)][:4]
    bad = iteration.undone or iteration.notices or red
    return Toned("; ".join(parts), BAD if bad else tone_of(told))


def _onwards(facts: Facts) -> list[Block]:
    ending = facts.ending
    if ending.status == "complete" and not facts.stories:
        since = facts.head[:12] if commit(facts.head) != NOTHING else "HEAD"
        lines = [Command("see all that changed, and judge it", f"git diff {since}")]
    elif ending.status == "complete":
        lines = [
            Command("see what each story rests on, without a model", f"{RALPH} verify"),
            Command("put the plan, the log and this report away", f"{RALPH} archive"),
        ]
    elif ending.status == UNFINISHED:
        lines = [Command("does it still run?", f"{RALPH} status")]
        lines.append(Command("go on with it, if it does not", f"{RALPH} resume"))
    else:
        lines = [Command(short(ending.hint, _LONGEST_WORDS) or "go on", f"{RALPH} resume")]
    return [Commands(lines)]


def _undo(facts: Facts) -> list[Block]:
    """Nothing here rewrites history or drops uncommitted work."""
    if commit(facts.head) == NOTHING:
        return [Words("The run began without a commit: git cannot take its work back.")]
    start, pins = facts.head[:12], f"refs/ralph/{shlex.quote(facts.run)}"
    if not _committed(facts):
        return [Words("The run made no commit: there is none to take back."), *_lost(facts, pins)]
    lines = [
        Command("see all that changed", f"git diff {start} HEAD"),
        Command("take all of it back, in a new commit", _revert(f"{start}..HEAD")),
    ]
    last = facts.iterations[-1].number if facts.iterations else 0
    if last > 1:
        one = f"{pins}/{last - 1}..{pins}/{last}"
        lines.append(Command(f"take back iteration {last} alone", _revert(one)))
    return [Commands(lines), *_lost(facts, pins)]


def _committed(facts: Facts) -> bool:
    """False only where it is known that no commit came."""
    heads = {one.head for one in facts.iterations}
    return bool(heads - {facts.head} or events.of(facts.events, "scm"))


def _revert(area: str) -> str:
    return f"git revert --no-commit {area} && git commit -m 'Take back work of a Ralph loop'"


def _lost(facts: Facts, pins: str) -> list[Block]:
    rules = [event.text("rule") for event in events.of(facts.events, "violation")]
    if "history-rewritten" not in rules:
        return []
    return [Commands([Command("commits that an agent dropped", f"git for-each-ref {pins}")])]
