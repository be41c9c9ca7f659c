"""A same-session loop as its hooks see it: prompts, turns, a transcript that grows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hooks.starting import SESSION, Answer, Place

OFF: dict[str, str | None] = {"RALPH_ACTIVE": None, "RALPH_RUN_ID": None}


class Session:
    """Types commands, takes turns; what hooks print is read as the client would."""

    def __init__(self, tmp_path: Path) -> None:
        self.place = Place(tmp_path)
        self.root = self.place.root
        self.transcript = tmp_path / "transcript.jsonl"
        self.transcript.touch()
        self.messages = 0
        self.env: dict[str, str | None] = dict(OFF)
        self.wrap = ""

    def typed(self, command: str, arguments: str = "", session: str = SESSION) -> dict[str, Any]:
        sent = {
            "hook_event_name": "UserPromptExpansion",
            "command_name": command,
            "command_args": arguments,
            "transcript_path": str(self.transcript),
            "session_id": session,
        }
        return answer_of(self.place.start("prompt_command", sent, env=self.env, wrap=self.wrap))

    def writes(self, prompt: str) -> dict[str, Any]:
        sent = {"hook_event_name": "UserPromptSubmit", "prompt": prompt}
        return answer_of(self.place.start("prompt_command", sent, env=self.env))

    def add(self, kind: str, **fields: Any) -> None:
        with self.transcript.open("a") as file:
            file.write(json.dumps({"type": kind, **fields}) + "\n")

    def blocks(self, *blocks: dict[str, Any]) -> None:
        """One message of the model: an entry for each block."""
        self.messages += 1
        for block in blocks:
            self.add("assistant", message={"id": f"m{self.messages}", "content": [block]})

    def works(self) -> None:
        self.blocks({"type": "tool_use", "id": "t", "name": "Bash", "input": {}})
        self.add("user", message={"content": [{"type": "tool_result"}]})

    def stops(self, *texts: str, **sent: Any) -> dict[str, Any]:
        """A turn that ends with a message of these text blocks; the hook gets the last one."""
        self.blocks(*({"type": "text", "text": text} for text in texts))
        last = {"last_assistant_message": texts[-1]} if texts else {}
        known = {"transcript_path": str(self.transcript), "background_tasks": [], **last, **sent}
        answer = answer_of(self.place.start("stop", known, env=self.env, wrap=self.wrap))
        if "reason" in answer:
            self.add("user", isMeta=True, message={"content": answer["reason"]})
        return answer

    @property
    def state(self) -> dict[str, Any] | None:
        return self._read(f".ralph/sessions/{SESSION}.json")

    @property
    def ended(self) -> dict[str, Any]:
        assert self.state is None, "the loop has not ended"
        return self._read(f".ralph/sessions/ended/{SESSION}.json") or {}

    def _read(self, path: str) -> dict[str, Any] | None:
        file = self.root / path
        return json.loads(file.read_text()) if file.exists() else None


def answer_of(answer: Answer) -> dict[str, Any]:
    """The one JSON object on stdout; {} where nothing was printed."""
    assert (answer.code, answer.stderr) == (0, b""), answer
    return json.loads(answer.stdout) if answer.stdout else {}
