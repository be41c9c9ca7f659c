"""One agent process: started, read line by line, ended, classified."""

from __future__ import annotations

import os
import shlex
import subprocess
import time
from typing import NamedTuple

from . import line_view, processes
from .agents import choose
from .agents.adapter import StreamParser
from .agents.endings import OK, SIGNAL, TIMEOUT, Ended
from .agents.events import Event, ToolEnd, ToolStart, as_json
from .agents.lines import Splitter
from .agents.request import Launch, Request
from .kept_output import KeptOutput
from .plugin_folder import PLUGIN
from .redact import redacted
from .run_state import Run

_CAUSES = {
    processes.TIMED_OUT: TIMEOUT,
    processes.IDLE: TIMEOUT,
    processes.STOPPED: SIGNAL,
}


class Turn(NamedTuple):
    ended: Ended
    answer: str
    cost: float | None


def take(run: Run, prompt: str, session: str) -> Turn:
    """The agent's work on one prompt, shown and recorded as it happens."""
    adapter = choose(run.settings.agent.command)
    launch = adapter.launch(request(run, prompt, session))
    parser = adapter.Parser()
    stream = _Stream(run, parser, line_view.View(), f"agent-{run.iteration}-{session[:8]}")
    shown = redacted(shlex.join(launch.argv))
    run.journal.write("agent-started", command=shown, session=session)
    run.detail(f"agent: {shown}")
    run.detail(f"prompt: {prompt[:200]}")
    job = _job(run, launch)._replace(is_busy=stream.is_busy)
    done = processes.run(job, stream.take, run.stop_asked, run.mark)
    stream.close()
    cause = _CAUSES[done.cause] if done.cause else None
    ended = adapter.ended(parser, done.code, cause)
    if done.problem:
        ended = ended._replace(detail=done.problem)
    if ended.kind != OK:
        run.say(f"agent {ended.kind}: {ended.detail}")
    cost = parser.result.cost_usd if parser.result else None
    run.journal.write("agent-ended", kind=ended.kind, detail=ended.detail, cost=cost)
    return Turn(ended, parser.final_text, cost)


def ask_plainly(run: Run, prompt: str) -> str:
    """A short question outside the loop (a commit message): its answer, or ''."""
    adapter = choose(run.settings.agent.command)
    launch = adapter.plain_launch(request(run, prompt, ""))
    kept = bytearray()

    def keep(name: str, data: bytes) -> None:
        if name == "stdout" and len(kept) < 65536:
            kept.extend(data)

    done = processes.run(_job(run, launch), keep, run.stop_asked, run.mark)
    return kept.decode("utf-8", "replace") if done.code == 0 and done.cause is None else ""


def command_line(run: Run) -> str:
    launch = choose(run.settings.agent.command).launch(request(run, "", "SESSION-ID"))
    return redacted(shlex.join(launch.argv))


def version(run: Run) -> str:
    """What the agent says of itself, where it is one that we know how to ask."""
    program = run.settings.agent.command
    if choose(program).NAME == "command":
        return program
    try:
        asked = subprocess.run(
            [program, "--version"], stdin=subprocess.DEVNULL, capture_output=True, timeout=30
        )
    except (OSError, subprocess.TimeoutExpired):
        return f"{program}, version unknown"
    return asked.stdout.decode("utf-8", "replace").strip() or f"{program}, version unknown"


def request(run: Run, prompt: str, session: str) -> Request:
    agent = run.settings.agent
    return Request(
        command=agent.command,
        flags=agent.flags,
        prompt=prompt,
        run_id=run.run_id,
        session_id=session,
        plugin_dir=str(PLUGIN),
        model=run.settings.model,
        budget_usd=run.dollars_left(),
    )


def _job(run: Run, launch: Launch) -> processes.Job:
    environment = {**os.environ, **launch.environment}
    seconds = min(run.settings.iteration_timeout, run.seconds_left())
    idle = run.settings.idle_timeout
    return processes.Job(launch.argv, run.root, environment, launch.stdin, seconds, idle)


class _Stream:
    """What the agent prints: kept for people, parsed, recorded, shown."""

    def __init__(self, run: Run, parser: StreamParser, view: line_view.View, name: str) -> None:
        self._run, self._parser, self._view = run, parser, view
        self._splitter = Splitter()
        self._open_calls: set[str] = set()
        self._kept = {
            "stdout": KeptOutput(run.root, f"{run.people_folder}/{name}.out"),
            "stderr": KeptOutput(run.root, f"{run.people_folder}/{name}.err"),
        }

    def take(self, name: str, data: bytes) -> None:
        self._kept[name].take(data)
        if name == "stdout":
            for line in self._splitter.feed(data):
                self._read(line.data)

    def is_busy(self) -> bool:
        """A tool call is open: silence is no sign of a hang."""
        return bool(self._open_calls)

    def close(self) -> None:
        for line in self._splitter.close():
            self._read(line.data)
        for kept in self._kept.values():
            kept.close()

    def _read(self, line: bytes) -> None:
        for event in self._parser.feed(line):
            event = event._replace(at=time.time())
            self._follow(event)
            self._run.journal.note("agent", **as_json(event))
            if self._run.settings.stream_agent_output:
                for text in self._view.lines(event):
                    self._run.say(text)

    def _follow(self, event: Event) -> None:
        if isinstance(event, ToolStart):
            self._open_calls.add(event.id)
        elif isinstance(event, ToolEnd):
            self._open_calls.discard(event.id)
