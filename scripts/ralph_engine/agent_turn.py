"""One agent process: started, read line by line, ended, classified."""

from __future__ import annotations

import os
import shlex
import time
from typing import Any, NamedTuple

from . import costs, fallback, interrupts, processes
from .agents import choose
from .agents.adapter import StreamParser
from .agents.brief import brief
from .agents.endings import EMPTY, SIGNAL, TIMEOUT, Ended
from .agents.events import Event, ToolEnd, ToolStart, as_json
from .agents.lines import Line, Splitter
from .agents.request import Launch, Request
from .core import files, review
from .hook_events import HookEvents
from .kept_output import KeptOutput
from .plugin_folder import PLUGIN
from .redact import redacted
from .roles import Chosen
from .run_state import Run

_CAUSES = {
    processes.TIMED_OUT: TIMEOUT,
    processes.IDLE: TIMEOUT,
    processes.STOPPED: SIGNAL,
}
_LINGER = 300.0
_NAMING = 65536
_MOST_OPEN = 1_000
_NOTHING_DUE = {"charged": 0.0, "estimated": False}
_READ, _TOLD = 2_000, 300
_MOST_NOTED = 16 * 1024 * 1024


class Turn(NamedTuple):
    ended: Ended
    answer: str
    cost: float | None


def take(run: Run, who: Chosen, prompt: str, session: str) -> Turn:
    """The agent's work on one prompt, shown and recorded as it happens."""
    adapter = choose(who.agent.command)
    launch = adapter.launch(request(run, who, prompt, session))
    parser = adapter.Parser()
    stream = _Stream(run, parser, session)
    shown = _shown(launch, prompt)
    run.journal.write("agent-started", command=shown, session=session)
    run.detail(f"agent: {shown}")
    run.detail(f"prompt: {prompt[:200]}")
    job = _job(run, launch)._replace(is_busy=stream.is_busy, linger=lambda: _linger(run))
    with interrupts.job("the agent"):
        done = run.confinement.run(job, stream.take, run.stop_asked, run.mark)
    stream.close()
    if done.left:
        run.journal.write("left-running", pids=list(done.left))
    cause = _CAUSES[done.cause] if done.cause else None
    ended = adapter.ended(parser, done.code, cause)
    if done.problem:
        ended = ended._replace(detail=done.problem)
    if done.outside:
        ended = Ended(EMPTY, done.outside)
    if parser.result and parser.result.context_window:
        run.context_window = parser.result.context_window
    cost = parser.result.cost_usd if parser.result else None
    due = charge(run, cost) if adapter.REPORTS_COST else _NOTHING_DUE
    told = {"cost": cost, "answer": _beginning(parser.final_text), **due}
    run.journal.write("agent-ended", kind=ended.kind, detail=ended.detail, **told)
    return Turn(ended, parser.final_text, cost)


def _beginning(answer: str) -> str:
    return redacted(" ".join(answer[:_READ].split()))[:_TOLD]


def charge(run: Run, reported: float | None) -> dict[str, Any]:
    """What one attempt adds to the bill; without a figure it counts as the dearest so far."""
    due = costs.charge(reported, run.highest_cost)
    run.cost += due.usd
    run.highest_cost = max(run.highest_cost, due.usd)
    run.cost_estimated = run.cost_estimated or due.estimated
    return {"charged": due.usd, "estimated": due.estimated}


def ask_plainly(run: Run, prompt: str) -> str:
    """A short question outside the loop (a commit message): its answer, or ''."""
    who = fallback.choose(run, review.IMPLEMENT)
    launch = choose(who.agent.command).plain_launch(request(run, who, prompt, ""))
    kept = bytearray()

    def keep(name: str, data: bytes) -> None:
        if name == "stdout" and len(kept) < 65536:
            kept.extend(data)

    with interrupts.job("the agent, asked for a commit message"):
        done = run.confinement.run(_job(run, launch), keep, run.stop_asked, run.mark)
    return kept.decode("utf-8", "replace") if done.code == 0 and done.cause is None else ""


def command_line(run: Run, mode: str) -> str:
    who = fallback.choose(run, mode)
    launch = choose(who.agent.command).launch(request(run, who, "PROMPT", "SESSION-ID"))
    return _shown(launch, "PROMPT")


def _shown(launch: Launch, prompt: str) -> str:
    """Some take the prompt as an argument; it is kept in a file of its own."""
    return redacted(shlex.join("PROMPT" if word == prompt else word for word in launch.argv))


def request(run: Run, who: Chosen, prompt: str, session: str) -> Request:
    return Request(
        command=who.agent.command,
        flags=who.agent.flags,
        prompt=prompt,
        run_id=run.run_id,
        session_id=session,
        plugin_dir=str(PLUGIN),
        model=who.model,
        budget_usd=run.dollars_left(),
    )


def _job(run: Run, launch: Launch) -> processes.Job:
    environment = {**os.environ, **launch.environment}
    seconds = min(run.settings.iteration_timeout, run.seconds_left())
    idle = run.settings.idle_timeout
    return processes.Job(launch.argv, run.root, environment, launch.stdin, seconds, idle)


def _linger(run: Run) -> float:
    """An agent that wrote DONE may have left its last work to its children."""
    says_done = files.kind(run.root, f"{run.ralph_dir}/DONE") not in ("absent", "folder")
    return min(_LINGER, run.seconds_left()) if says_done else 0.0


class _Stream:
    """What the agent prints: kept for people, parsed, recorded."""

    def __init__(self, run: Run, parser: StreamParser, session: str) -> None:
        name = f"agent-{run.iteration}-{session[:8]}"
        self._hooks = HookEvents(run.root, session, run.journal)
        self._run, self._parser = run, parser
        self._splitter = Splitter()
        self._open_calls: set[str] = set()
        self._noted = 0
        self._kept = {
            "stdout": KeptOutput(run.root, f"{run.people_folder}/{name}.out"),
            "stderr": KeptOutput(run.root, f"{run.people_folder}/{name}.err"),
        }

    def take(self, name: str, data: bytes) -> None:
        self._kept[name].take(data)
        if name == "stdout":
            for line in self._splitter.feed(data):
                self._read(line)

    def is_busy(self) -> bool:
        """A tool call is open: silence is no sign of a hang."""
        return bool(self._open_calls)

    def close(self) -> None:
        for line in self._splitter.close():
            self._read(line)
        self._hooks.finish()
        for kept in self._kept.values():
            kept.close()

    def _read(self, line: Line) -> None:
        if line.cut:
            self._forget_calls(line.data[:_NAMING])
        for event in self._parser.feed(line.data):
            event = brief(event)._replace(at=time.time())
            self._follow(event)
            # A guard has denied a call before the client tells that it failed.
            self._hooks.look(at_once=isinstance(event, ToolEnd) and not event.ok)
            self._note(as_json(event))

    def _note(self, document: dict[str, Any]) -> None:
        """A flood of short lines would otherwise fill the disk, and whoever reads the journal."""
        if self._noted > _MOST_NOTED:
            return
        self._noted += len(str(document))
        self._run.journal.note("agent", **document)
        if self._noted > _MOST_NOTED:
            self._run.journal.note("agent-flood", text="what the agent says from here is left out")

    def _forget_calls(self, start: bytes) -> None:
        """A line too long to read that names an open call is its result, e.g. a large picture."""
        self._open_calls -= {
            call for call in self._open_calls if call.encode("utf-8", "replace") in start
        }

    def _follow(self, event: Event) -> None:
        if isinstance(event, ToolStart) and len(self._open_calls) < _MOST_OPEN:
            self._open_calls.add(event.id)
        elif isinstance(event, ToolEnd):
            self._open_calls.discard(event.id)
