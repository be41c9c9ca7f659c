"""After green checks: commit with the agent's own message, then the other tasks in order."""

from __future__ import annotations

import os
import re
import shlex

from . import agent_turn, git, interrupts, processes, tamper_radar
from .run_state import Run

_ASK = (
    "Write a short imperative commit message (one line, at most 72 characters) for the changes "
    "below. Answer with <response>the message</response> and nothing else.\n\n"
)
_SECONDS = 600.0
_KEPT = 500


def run(run: Run, may_commit: bool) -> None:
    """After a review nothing is committed: what a reviewer left lying about nobody reviewed."""
    if run.settings.scm is None:
        return
    for task in run.settings.scm.tasks:
        if task == "commit" and not may_commit:
            continue
        problem = _commit(run) if task == "commit" else _task(run, shlex.split(task))
        if problem:
            run.journal.write("scm-failed", task=task, why=problem)
            return


def message_in(answer: str) -> str:
    """The tag, or the first line that is not empty."""
    tagged = re.search(r"<response>(.*?)</response>", answer, re.IGNORECASE | re.DOTALL)
    lines = (tagged.group(1) if tagged else answer).strip().splitlines()
    return lines[0].strip() if lines else ""


def _commit(run: Run) -> str:
    _name_untracked(run)
    changed = git.ask(run.root, "status", "--porcelain", "--untracked-files=no").text
    if not changed:
        return ""
    shown = git.ask(run.root, "diff", "--no-ext-diff", "--stat", "HEAD").text
    message = message_in(agent_turn.ask_plainly(run, _ASK + shown[:8000]))
    if not message:
        return "the agent gave no commit message"
    before = git.head(run.root)
    problem = _task(run, ["commit", "-am", message])
    tamper_radar.record(run, before)
    return problem


def _name_untracked(run: Run) -> None:
    left_out = git.ask(run.root, "ls-files", "--others", "--exclude-standard").text.splitlines()
    if left_out:
        run.say(f"scm: not committed, because not tracked: {', '.join(left_out[:10])}")


def _task(run: Run, words: list[str]) -> str:
    assert run.settings.scm is not None
    argv = [*shlex.split(run.settings.scm.command), *words]
    kept = bytearray()
    environment = {**os.environ, "GIT_TERMINAL_PROMPT": "0", "GIT_EDITOR": "true", "PAGER": "cat"}
    environment |= {"RALPH_ACTIVE": "0", "RALPH_RUN_ID": run.run_id}
    job = processes.Job(argv, run.root, environment, b"", _SECONDS, merged=True)

    def keep(_: str, data: bytes) -> None:
        kept.extend(data[: max(0, _KEPT - len(kept))])

    with interrupts.job(f"scm {words[0]}"):
        done = run.confinement.run(job, keep, run.stop_asked, run.mark)
    run.journal.write("scm", argv=argv, code=done.code)
    if done.code == 0 and done.cause is None:
        return ""
    return done.problem or kept.decode("utf-8", "replace").strip() or "no output"
