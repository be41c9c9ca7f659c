"""Calls of a microVM command line: each with a deadline, none with a terminal or an answer."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from typing import Any, NamedTuple

from ..failure import Failure
from .dialect import Dialect

_SECONDS = 60.0
_KEPT = 4 * 1024 * 1024
# What the program says, and what that means for a person.
_MEANINGS = (
    (
        ("unknown command: docker sandbox", "is not a docker command"),
        "this docker has no `sandbox` plugin (Docker Desktop 4.58 to 4.79 have it)",
    ),
    (
        ("not authenticated to Docker",),
        "you are not signed in to Docker (sign in there, in Docker Desktop or by its login)",
    ),
    (
        ("Cannot connect to the Docker daemon", "daemon is not running"),
        "Docker does not run (start Docker Desktop)",
    ),
    (
        ("policy init", "default network policy"),
        "its network policy is not chosen yet (run `sbx policy init balanced` once)",
    ),
)
_UNKNOWN_FLAG = 125
_NONE = "No sandboxes found"
_UNSTARTED = "could not be started"


class Answer(NamedTuple):
    """code None: no answer in time, or it could not be started."""

    code: int | None
    text: str

    @property
    def last_line(self) -> str:
        lines = self.text.strip().splitlines()
        return lines[-1].strip()[:200] if lines else ""


class Client:
    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect

    def lack(self) -> str:
        """'' where its daemon answers; nothing is made or started."""
        if shutil.which(self._dialect.program[0]) is None:
            return self._dialect.absent
        for words in (["version"], ["ls", "--json"]):
            answer = self.call(words)
            if answer.code != 0:
                return self.meaning(words, answer)
        return ""

    def call(self, words: Sequence[str], seconds: float = _SECONDS, stdin: bytes = b"") -> Answer:
        """Files, not pipes: a daemon that it starts may hold those open for ever."""
        argv = [*self._dialect.program, *words]
        with tempfile.TemporaryFile() as told, tempfile.TemporaryFile() as said:
            told.write(stdin)
            told.seek(0)
            try:
                child = subprocess.Popen(
                    argv, cwd="/", stdin=told, stdout=said, stderr=said, start_new_session=True
                )
            except OSError as error:
                return Answer(None, f"{_UNSTARTED}: {error.strerror}")
            code = _code(child, seconds)
            said.seek(0)
            return Answer(code, said.read(_KEPT).decode("utf-8", "replace"))

    def send(self, words: Sequence[str]) -> None:
        """Nobody waits for its end."""
        null = subprocess.DEVNULL
        argv = [*self._dialect.program, *words]
        try:
            subprocess.Popen(
                argv, cwd="/", stdin=null, stdout=null, stderr=null, start_new_session=True
            )
        except OSError:
            pass

    def listed(self) -> dict[str, str]:
        """Status by whole name; a Failure where it does not tell."""
        words = ["ls", "--json"]
        answer = self.call(words)
        if answer.code != 0:
            raise Failure(f"{self._dialect.name}: {self.meaning(words, answer)}")
        found = _object_in(answer.text, self._dialect.listed)
        if found is None and answer.text.strip() and _NONE not in answer.text:
            raise Failure(f"`{self._dialect.words} ls --json` says what cannot be read")
        entries = (found or {}).get(self._dialect.listed)
        machines = [e for e in entries if isinstance(e, dict)] if isinstance(entries, list) else []
        return {str(e.get("name")): str(e.get("status")) for e in machines}

    def meaning(self, words: Sequence[str], answer: Answer) -> str:
        for signs, meaning in _MEANINGS:
            if any(sign in answer.text for sign in signs):
                return meaning
        if self._dialect.name == "docker" and answer.code == _UNKNOWN_FLAG:
            return _MEANINGS[0][1]
        called = f"`{self._dialect.words} {words[0]}`"
        if answer.code is None and answer.text.startswith(_UNSTARTED):
            return f"{called} {answer.text}"
        if answer.code is None:
            return f"{called} did not answer (call it in a terminal: it may have a question)"
        return f"{called} failed with exit code {answer.code}: {answer.last_line or 'no word'}"


def _code(child: subprocess.Popen[bytes], seconds: float) -> int | None:
    """None at the deadline; nothing of it stays, whatever ends the wait."""
    try:
        return child.wait(seconds)
    except subprocess.TimeoutExpired:
        return None
    finally:
        if child.returncode is None:
            # Not waited for yet, so the number is still the child's.
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()


def _object_in(text: str, key: str) -> dict[str, Any] | None:
    """The first JSON object with that key: a banner may stand before it, and words behind."""
    decoder, at = json.JSONDecoder(), text.find("{")
    while at >= 0:
        try:
            found = decoder.raw_decode(text, at)[0]
        except (ValueError, RecursionError):
            found = None
        if isinstance(found, dict) and key in found:
            return found
        at = text.find("{", at + 1)
    return None
