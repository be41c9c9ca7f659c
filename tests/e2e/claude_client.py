"""Runs the real Claude Code client headless, offline, against a scripted model."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import tempfile
import threading
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ralph_engine.scripted_model import ScriptedModel

Event = dict[str, Any]

REPOSITORY = Path(__file__).resolve().parents[2]
PACKAGES = {"newest": "@anthropic-ai/claude-code", "older": "claude-code-older"}
MARK = "RALPH_TEST_CLIENT_RUN"
_SILENT = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_TELEMETRY": "1",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_ERROR_REPORTING": "1",
}


class ClientRun(NamedTuple):
    exit_code: int
    events: list[Event]
    stderr: str

    @property
    def result(self) -> Event:
        results = self.of_type("result")
        assert results, f"no result event; exit code {self.exit_code}; stderr: {self.stderr}"
        return results[-1]

    def of_type(self, kind: str) -> list[Event]:
        return [event for event in self.events if event["type"] == kind]


def client_path(version: str = "newest") -> Path:
    packages = Path(os.environ["RALPH_TEST_CLIENTS"], "node_modules")
    path = packages / PACKAGES[version] / "bin" / "claude.exe"
    assert path.is_file(), f"no client at {path}: run the tests by scripts/test.sh"
    return path


def run_claude(
    model: ScriptedModel,
    project: Path,
    prompt: str = "Go on.",
    *,
    plugin: Path | None = REPOSITORY,
    session_id: str | None = None,
    home: Path | None = None,
    env: Mapping[str, str] | None = None,
    args: Sequence[str] = (),
    inside: Sequence[str] = (),
    version: str = "newest",
    deadline: float = 60,
) -> ClientRun:
    """`plugin=None` loads none; give `home` to keep the transcript or to resume a session;
    `inside` is a sandbox's command line that the client's is put behind."""
    with tempfile.TemporaryDirectory(prefix="ralph-client-") as scratch:
        environment = {**_offline_environment(model, Path(scratch), home), **(env or {})}
        command = _command(version, plugin, session_id or str(uuid.uuid4()), args)
        command = [*inside, *command]
        return _run(command, project, environment, prompt, Path(scratch), deadline)


def converse(
    model: ScriptedModel,
    project: Path,
    prompts: Sequence[str],
    *,
    env: Mapping[str, str] | None = None,
    version: str = "newest",
    deadline: float = 60,
) -> ClientRun:
    """One session; each prompt is sent when the answer to the one before it is complete."""
    with tempfile.TemporaryDirectory(prefix="ralph-client-") as scratch:
        environment = {**_offline_environment(model, Path(scratch), None), **(env or {})}
        command = _command(version, REPOSITORY, str(uuid.uuid4()), ["--input-format=stream-json"])
        err = Path(scratch, "stderr")
        with err.open("wb") as stderr:
            client = subprocess.Popen(
                command,
                cwd=project,
                env=environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
                start_new_session=True,
            )
            timer = threading.Timer(deadline, client.kill)
            timer.start()
            try:
                events = [event for prompt in prompts for event in _asked(client, prompt)]
                client.communicate()
            finally:
                timer.cancel()
                _kill(client, environment[MARK])
        return ClientRun(client.returncode, events, err.read_text())


def _asked(client: subprocess.Popen[bytes], prompt: str) -> Iterator[Event]:
    assert client.stdin and client.stdout
    message = {"type": "user", "message": {"role": "user", "content": prompt}}
    client.stdin.write(json.dumps(message).encode() + b"\n")
    client.stdin.flush()
    for line in client.stdout:
        event = json.loads(line)
        yield event
        if event["type"] == "result":
            return
    raise AssertionError(f"the client ended, or was ended, before it answered {prompt!r}")


def manage_plugins(home: Path, *arguments: str, version: str = "newest") -> str:
    """`claude plugin ...` with a home of its own."""
    done = subprocess.run(
        [client_path(version), "plugin", *arguments],
        env={"PATH": os.environ["PATH"], "HOME": str(home), **_SILENT},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def _offline_environment(model: ScriptedModel, scratch: Path, home: Path | None) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home or scratch),
        "CLAUDE_CODE_TMPDIR": str(scratch),
        "IS_SANDBOX": "1",  # lets root use --dangerously-skip-permissions
        "ANTHROPIC_BASE_URL": model.url,
        "ANTHROPIC_API_KEY": "sk-ant-test",
        **_SILENT,
        MARK: str(uuid.uuid4()),
    }


def _command(version: str, plugin: Path | None, session_id: str, args: Sequence[str]) -> list[str]:
    command = [str(client_path(version)), "-p", "--verbose", "--output-format", "stream-json"]
    command += [] if "--permission-mode" in args else ["--dangerously-skip-permissions"]
    command += ["--plugin-dir", str(plugin)] if plugin else []
    command += [] if "--resume" in args else ["--session-id", session_id]
    return [*command, *args]


def _run(
    command: list[str],
    project: Path,
    environment: dict[str, str],
    prompt: str,
    scratch: Path,
    deadline: float,
) -> ClientRun:
    # Files, not pipes: a process left behind by the agent would keep a pipe open.
    out, err = scratch / "stdout", scratch / "stderr"
    with out.open("wb") as stdout, err.open("wb") as stderr:
        client = subprocess.Popen(
            command,
            cwd=project,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=stdout,
            stderr=stderr,
            start_new_session=True,
        )
        try:
            client.communicate(prompt.encode(), timeout=deadline)
        except subprocess.TimeoutExpired:
            raise AssertionError(
                f"the client did not end within {deadline} s;"
                f" its last output: {out.read_text()[-2000:]} {err.read_text()[-2000:]}"
            ) from None
        finally:
            _kill(client, environment[MARK])
    return ClientRun(client.returncode, _events(out), err.read_text())


def _events(out: Path) -> list[Event]:
    return [json.loads(line) for line in out.read_text().splitlines() if line]


def _kill(client: subprocess.Popen[bytes], mark: str) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(client.pid, signal.SIGKILL)
    client.wait()
    give_up = time.monotonic() + 10
    while marked := _marked_processes(mark):
        assert time.monotonic() < give_up, f"these processes cannot be killed: {marked}"
        for pid in marked:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def _marked_processes(mark: str) -> list[int]:
    """The client's hooks and tools make sessions of their own: no group holds them all."""
    wanted, found = f"{MARK}={mark}".encode(), []
    for pid in filter(str.isdigit, os.listdir("/proc")):  # a glob fails on one that just ended
        with contextlib.suppress(OSError):
            if wanted in Path("/proc", pid, "environ").read_bytes():
                found.append(int(pid))
    return found
