"""The goal 'task list': which story comes next, and what an iteration on it achieved."""

from __future__ import annotations

from typing import Any, NamedTuple

from . import (
    approvals,
    beside_the_work,
    committed_junk,
    completion,
    git,
    host_gate,
    prompt,
    red_first,
    review_range,
    tamper_radar,
)
from .agent_turn import Turn
from .agents.endings import OK
from .checks import Check, Result
from .core import files, review, snapshot, tasks
from .core.own_command import RALPH
from .outcome import Outcome
from .response import promises
from .run_state import Run
from .stops import ERROR, WAITING, Stop

KIND = "tasks"
DEFAULT_ITERATIONS, DEFAULT_BREAKER = 15, 3


class Plan(NamedTuple):
    mode: str
    story: str
    head: str
    marker: dict[str, Any]


def plan(run: Run) -> Plan | Stop:
    """The next iteration, or the end of the loop."""
    _as_last_judged(run)
    if all_pass(run):
        done = completion.judge(run)
        if done:
            return done
    skip = run.settings.skip_review
    mode = review.mode_of(run.document, skip)
    story = review.pick(run.document, mode, skip)
    if story is None:
        return Stop(ERROR, "stories remain but none of them can be started", "look at dependsOn")
    return Plan(mode, story["id"], git.head(run.root), _marker(run, mode, story["id"]))


def about(run: Run, plan: Plan) -> prompt.Iteration:
    judged = plan.mode == review.REVIEW
    return prompt.Iteration(
        number=run.iteration,
        maximum=run.max_iterations,
        mode=plan.mode,
        story=plan.story,
        review_cap=plan.marker["reviewCap"],
        review_range=review_range.words(run, plan.story, plan.head) if judged else "",
        skip_review=run.settings.skip_review,
    )


def before_work(run: Run, plan: Plan) -> Stop | None:
    stop = red_first.before_work(run, plan)
    story = run.story(plan.story)
    if stop is None and story and plan.mode == review.IMPLEMENT:
        review_range.remember(run, story, plan.head)
    return stop


def remarks(run: Run, plan: Plan) -> list[str]:
    holds = plan.mode == review.REVIEW and run.settings.at_cap == "hold"
    found = [prompt.HOLDS_AT_CAP] if holds else []
    return [*found, *red_first.remarks(run, plan), *_on_the_work(run, plan)]


def _on_the_work(run: Run, plan: Plan) -> list[str]:
    """For a reviewer."""
    if plan.mode != review.REVIEW:
        return []
    base = review_range.base(run)
    looks = (tamper_radar, committed_junk, beside_the_work)
    return [text for look in looks for text in look.remarks(run, base, plan.head)]


def text(run: Run, about: prompt.Iteration) -> str:
    path = f"{run.ralph_dir}/prompt.md"
    template = files.read_bytes(run.root, path, tasks.SIZE_LIMIT).decode("utf-8", "replace")
    return prompt.from_template(template, about, path)


def judge(run: Run, plan: Plan, turn: Turn) -> Outcome:
    """After every agent process, before any retry."""
    if not run.on_branch():
        # Another branch holds another list: nothing is judged or written there.
        return Outcome()
    tamper_radar.record(run, plan.head)
    reached = host_gate.judge(run, plan.marker, plan.head, turn.ended.kind == OK)
    _record(run, plan, reached)
    if run.history_changed:
        host_gate.send_back_unreachable(run)
        run.history_changed = False
    return reached


def checks(run: Run, plan: Plan, reached: Outcome) -> list[Check]:
    """The agent may have taken another story than the picked one."""
    names = dict.fromkeys([plan.story, reached.submitted, reached.passed])
    stories = [story for story in map(run.story, names) if story]
    own = [Check(command) for story in stories for command in story.get("verify", [])]
    return [*run.guardrails(), *run.verify_commands(), *own]


def claims(run: Run, answer: str) -> bool:
    return promises(answer)


def settle(
    run: Run, plan: Plan, claimed: bool, results: list[Result], reached: Outcome
) -> Stop | None:
    """What the runner's own checks and the agent's claims come to."""
    red_first.after_work(run, results, reached)
    committed_junk.record(run, plan.head)
    story = run.story(plan.story)
    own = set(story.get("verify", [])) if story else set()
    red = [r for r in results if not r.passed and r.check.command in own]
    if reached.verdict == review.APPROVED and red:
        completion.reopen(run, plan.story, red[0])
    held = _held_at_cap(run, plan, reached)
    if held:
        return held
    if all_pass(run):
        return completion.judge(run)
    if claimed:
        answer_false_promise(run)
    return None


def done_signal(run: Run) -> Stop | None:
    """DONE from outside an iteration: a claim like any other."""
    if not all_pass(run):
        answer_false_promise(run)
    return None


def answer_false_promise(run: Run) -> None:
    run.notice("false-promise", "", "Completion was promised, but the list is not finished.")


def all_pass(run: Run) -> bool:
    return all(story["passes"] for story in run.document["userStories"])


def progressed(run: Run, plan: Plan, reached: Outcome) -> bool:
    if plan.mode == review.REVIEW:
        return bool(reached.verdict)
    changed = git.changed_between(run.root, plan.head, git.head(run.root))
    work = any(not path.startswith(f"{run.ralph_dir}/") for path in changed or [])
    return reached.counts or reached.split or work


def submits(plan: Plan, reached: Outcome) -> bool | None:
    return None if plan.mode == review.REVIEW else reached.counts


def _as_last_judged(run: Run) -> None:
    """Between iterations nobody may edit the list; a person pauses the loop first."""
    try:
        data = files.read_bytes(run.root, run.tasks_path, tasks.SIZE_LIMIT)
        current = tasks.parse(data, run.tasks_path)[0]
    except files.FileFault:
        current = None
    if current == run.document:
        return
    saved = run.keep_agents_version(run.tasks_path)
    text = f"{run.tasks_path} changed between two iterations"
    run.journal.write("violation", rule="edited-between", story="", text=text, kept=saved)
    run.rewrite(run.document, "undo: edited-between")


def _marker(run: Run, mode: str, story: str) -> dict[str, Any]:
    frozen = not run.options.allow_plan_edits
    extra: dict[str, Any] = {}
    if frozen:
        extra["verifyCommands"] = snapshot.digests(run.document.get("verifyCommands", []))
    return {
        "skipReview": run.settings.skip_review,
        "reviewCap": run.cap(story),
        "iterationMode": mode,
        "preIterationSnapshot": snapshot.of_stories(run.document, frozen),
        "story": story,
        "atCap": run.settings.at_cap,
        "digests": run.frozen.digests,
        **extra,
    }


def _record(run: Run, plan: Plan, reached: Outcome) -> None:
    """Verdicts and submissions that count go to the ledger."""
    head = git.head(run.root)
    known = {"run": run.run_id, "iteration": run.iteration, "head": head}
    for name, event in ((reached.submitted, "submitted"), (plan.story, reached.verdict)):
        story = run.story(name)
        where = (event, name, run.run_id, run.iteration)
        if name and event and story and not approvals.is_recorded(run.ledger.entries, *where):
            entry = approvals.entry_for(story, run.branch)
            area = [review_range.base(run), plan.head] if event != "submitted" else []
            why = {"tests": tamper_radar.reason(story)} if area else {}
            run.ledger.append(event, **entry, reviewed=plan.head, range=area, **known, **why)
            told = {"story": name, "verdict": event, "done": run.done()}
            commits = {"reviewed": plan.head, "head": head, **why}
            run.journal.write("verdict" if area else "submitted", **told, **commits)
    if reached.passed and not reached.verdict:
        run.journal.write("passed", story=reached.passed)
    if reached.split:
        run.journal.write("split")


def _held_at_cap(run: Run, plan: Plan, reached: Outcome) -> Stop | None:
    story = run.story(plan.story)
    if reached.verdict != review.REJECTED or story is None:
        return None
    if story["reviewCount"] < run.cap(plan.story):
        return None
    why = f"{plan.story} was sent back by review {story['reviewCount']}, its cap"
    return Stop(WAITING, why, f"look at its reviewFeedback, then {RALPH} resume")
