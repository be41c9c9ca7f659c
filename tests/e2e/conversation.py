"""Headless sessions of the real client: what is typed, what person and model are told."""

from __future__ import annotations

import json
import subprocess
import time
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from e2e import claude_client
from e2e.claude_client import MARK, REPOSITORY, ClientRun
from e2e.loop_project import shell
from ralph_engine import schema
from ralph_engine.scripted_model import ScriptedModel
from ralph_engine.scripted_model.script import ScriptEntry

Event = dict[str, Any]
State = dict[str, Any]

DONE = "<promise>DONE</promise>"
WORK = shell("true")
SECONDS = 60.0
_STREAMED = ["--input-format", "stream-json"]


class Played(NamedTuple):
    run: ClientRun
    model: ScriptedModel

    @property
    def told(self) -> list[str]:
        """What our hooks told the person; the older client shows it only on a screen."""
        return told(self.run.events)

    @property
    def heard(self) -> list[str]:
        """What the model was told, one text for each of its turns."""
        return [request.new_text for request in self.model.requests]

    @property
    def results(self) -> list[str]:
        return [event["result"] for event in self.run.of_type("result")]

    @property
    def blocks(self) -> list[str]:
        return [text for text in self.heard if "Stop hook feedback" in text]


class Talker:
    """A folder and a home in which sessions are held; `session` is the id of the one to come."""

    def __init__(self, folder: Path) -> None:
        self.root, self.home, self.outside = (folder / n for n in ("project", "home", "outside"))
        for path in (self.root, self.home, self.outside):
            path.mkdir()
        self.session = str(uuid.uuid4())

    def play(
        self, script: Iterable[ScriptEntry], *prompts: str, args: Sequence[str] = (), **options: Any
    ) -> Played:
        """All is typed at once; the session must end well and use up its script."""
        entries = list(script)
        with ScriptedModel(entries) as model:
            run = claude_client.run_claude(
                model,
                self.root,
                "".join(line_of(prompt) for prompt in prompts),
                session_id=self.session,
                home=self.home,
                args=[*_STREAMED, *args],
                **options,
            )
        played = Played(run, model)
        assert (run.exit_code, model.answers_past_the_end) == (0, 0), (run.stderr, played.heard)
        assert len(model.requests) == len(entries), played.heard
        return played

    def active(self, session: str = "") -> State | None:
        return self._state(f".ralph/sessions/{session or self.session}.json")

    def ended(self, session: str = "") -> State:
        assert self.active(session) is None, "the loop has not ended"
        state = self._state(f".ralph/sessions/ended/{session or self.session}.json")
        assert state is not None, "no loop has ended here"
        return state

    def decisions(self) -> list[str]:
        """By the log that all sessions of the folder share."""
        log = self.root / ".ralph" / "hook-events.jsonl"
        events = [json.loads(line) for line in log.read_text().splitlines()]
        assert all(schema.accepts("hook-event", event) for event in events), events
        return [event["decision"] for event in events if event["event"] == "session-loop"]

    def transcript(self) -> str:
        [path] = self.home.glob(f".claude/projects/*/{self.session}.jsonl")
        return path.read_text()

    def _state(self, path: str) -> State | None:
        file = self.root / path
        if not file.exists():
            return None
        state: State = json.loads(file.read_text())
        assert schema.accepts("session", state), state
        return state


class Conversation:
    """One session that is spoken to while it works."""

    def __init__(
        self,
        talker: Talker,
        model: ScriptedModel,
        *args: str,
        env: Mapping[str, str] | None = None,
        version: str = "newest",
    ) -> None:
        scratch = talker.outside / f"client-{uuid.uuid4()}"
        scratch.mkdir()
        self._out = scratch / "stdout"
        environment = {
            **claude_client._offline_environment(model, scratch, talker.home),
            **(env or {}),
        }
        self._mark = environment[MARK]
        arguments = [*_STREAMED, *args]
        command = claude_client._command(version, REPOSITORY, talker.session, arguments)
        with self._out.open("wb") as out, (scratch / "stderr").open("wb") as err:
            self.client = subprocess.Popen(
                command,
                cwd=talker.root,
                env=environment,
                stdin=subprocess.PIPE,
                stdout=out,
                stderr=err,
                start_new_session=True,
            )

    def type(self, prompt: str) -> None:
        assert self.client.stdin is not None
        self.client.stdin.write(line_of(prompt).encode())
        self.client.stdin.flush()

    @property
    def events(self) -> list[Event]:
        """Also while a line is being written."""
        return [json.loads(line) for line in self._out.read_bytes().split(b"\n")[:-1]]

    def results(self, number: int) -> list[Event]:
        """Waits until so many turns have come to their end."""

        def found() -> list[Event]:
            return [event for event in self.events if event["type"] == "result"]

        until(lambda: len(found()) >= number, lambda: f"{self.events[-3:]}")
        return found()

    def end(self) -> ClientRun:
        assert self.client.stdin is not None
        self.client.stdin.close()
        code = self.client.wait(SECONDS)
        return ClientRun(code, self.events, "")

    def __enter__(self) -> Conversation:
        return self

    def __exit__(self, *_: object) -> None:
        assert self.client.stdin is not None
        self.client.stdin.close()
        claude_client._kill(self.client, self._mark)


def told(events: list[Event]) -> list[str]:
    notes = [e["content"] for e in events if e.get("subtype") == "informational"]
    heads = [note.partition("\n\nOriginal prompt:")[0] for note in notes]
    return [head.partition("says: ")[2] or head.partition("by hook:\n")[2] for head in heads]


def line_of(prompt: str) -> str:
    message = {"role": "user", "content": prompt}
    return json.dumps({"type": "user", "message": message}) + "\n"


def until(true: Callable[[], bool], said: Callable[[], str] = str) -> None:
    end = time.monotonic() + SECONDS
    while not true():
        assert time.monotonic() < end, f"it never came to that: {said()}"
        time.sleep(0.02)
