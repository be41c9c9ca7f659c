"""Starts a hook in a project below a temporary folder and sees what it printed and wrote."""

from __future__ import annotations

import hashlib
import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

PLUGIN = Path(__file__).resolve().parents[2]
PYTHON = os.path.realpath(getattr(sys, "_base_executable", "") or sys.executable)
# Where hooks are measured, too (see covered.py), another one is pinned.
PINNED = os.environ.get("RALPH_HOOK_PYTHON") or PYTHON
SECONDS = 60
SESSION = "5e551011-0000-4000-8000-000000000001"
RUN = "run-1"

EVENTS = {
    "stop": "Stop",
    "session": "SessionStart",
    "prompt_command": "UserPromptExpansion",
    "context_monitor": "PostToolUse",
    "guard": "PreToolUse",
}

# Kept by hand: what a hook may print, by event.
BLOCK_KEYS = {"decision", "reason"}
CONTEXT_KEYS = {"hookEventName", "additionalContext"}
DENY_KEYS = {"hookEventName", "permissionDecision", "permissionDecisionReason"}


class Answer(NamedTuple):
    code: int
    stdout: bytes
    stderr: bytes

    @property
    def silent(self) -> bool:
        return self == (0, b"", b"")

    @property
    def reason(self) -> str:
        """Why the stop was blocked; empty where it was not."""
        self.assert_polite()
        return str(json.loads(self.stdout)["reason"]) if self.stdout else ""

    @property
    def context(self) -> str:
        self.assert_polite()
        answer = json.loads(self.stdout) if self.stdout else {}
        return str(answer.get("hookSpecificOutput", {}).get("additionalContext", ""))

    @property
    def denial(self) -> str:
        """Why the tool call does not run; empty where it does."""
        self.assert_polite()
        said = json.loads(self.stdout)["hookSpecificOutput"] if self.stdout else {}
        return str(said.get("permissionDecisionReason", ""))

    def assert_polite(self) -> None:
        """Exit 0, nothing on stderr, nothing or exactly one decision on stdout."""
        assert (self.code, self.stderr) == (0, b"")
        if not self.stdout:
            return
        assert self.stdout.endswith(b"\n") and self.stdout.count(b"\n") == 1
        answer = json.loads(self.stdout)
        assert not has_half_pairs(json.dumps(answer, ensure_ascii=False))
        if "hookSpecificOutput" in answer:
            assert set(answer) == {"hookSpecificOutput"}
            said = answer["hookSpecificOutput"]
            if said["hookEventName"] == "PreToolUse":
                assert set(said) == DENY_KEYS and said["permissionDecision"] == "deny"
            else:
                assert set(said) == CONTEXT_KEYS
        else:
            assert set(answer) == BLOCK_KEYS and answer["decision"] == "block"
            assert 0 < len(answer["reason"]) <= 4000


class Place:
    """A project, and beside it all that the hook could wrongly touch."""

    def __init__(self, tmp_path: Path, name: str = "project") -> None:
        self.tmp = tmp_path
        self.root = tmp_path / name
        self.plugin, self.parser = PLUGIN, ""
        self.temporary = tmp_path / "temporary"
        for folder in (self.root / "ralph", self.temporary, tmp_path / "home"):
            folder.mkdir(parents=True)
        self.pin(PINNED)
        self.env = {
            "PATH": os.environ["PATH"],
            "HOME": str(tmp_path / "home"),
            "XDG_CACHE_HOME": str(tmp_path / "cache"),
            "TMPDIR": str(self.temporary),
            "CLAUDE_PROJECT_DIR": str(self.root),
            "CLAUDE_CODE_SESSION_ID": SESSION,
            "RALPH_ACTIVE": "1",
            "RALPH_RUN_ID": RUN,
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
        }

    def pin(self, interpreter: str, folder: str = "cache", shfmt: str = "") -> None:
        pinned = self.tmp / folder / "ralph" / "hooks.env"
        pinned.parent.mkdir(parents=True, exist_ok=True)
        pinned.write_text(f"{interpreter}\n{shfmt}\n")

    def write(self, relative: str, content: Any) -> Path:
        """Text and bytes as they are, everything else as JSON."""
        path = self.root / relative
        path.parent.mkdir(parents=True, exist_ok=True)
        if not isinstance(content, (str, bytes)):
            content = json.dumps(content)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def git(self, *arguments: str) -> None:
        who = ("-c", "user.name=T", "-c", "user.email=t@example.invalid")
        command = ["git", *who, *arguments]
        subprocess.run(
            command,
            cwd=self.root,
            env=self.env,
            check=True,
            timeout=SECONDS,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def repository(self) -> None:
        """Everything that is here, committed."""
        self.git("init", "-q", "-b", "main")
        self.git("add", "-A", "-f", "--", ".", ":!.ralph-active")
        self.git("commit", "-q", "-m", "start")

    def start(
        self,
        hook: str = "stop",
        sent: Any = None,
        alone: bool = False,
        cwd: Path | None = None,
        env: dict[str, str | None] | None = None,
        wrap: str = "",
        **options: Any,
    ) -> Answer:
        """`sent`: bytes as they are, else JSON; an `env` value of None removes the name;
        `wrap`: a line of shell that starts "$@"."""
        changed = {**self.env, "CLAUDE_PLUGIN_ROOT": str(self.plugin), **(env or {})}
        data = sent if isinstance(sent, bytes) else json.dumps(self.event(hook, sent)).encode()
        if "stdin" not in options:
            options["input"] = data
        if "stdout" not in options:
            options["stdout"] = subprocess.PIPE
        command = command_of(self.plugin, hook, alone)
        done = subprocess.run(
            ["/bin/sh", "-c", wrap, "sh", *command] if wrap else command,
            cwd=cwd or self.root,
            env={name: value for name, value in changed.items() if value is not None},
            stderr=subprocess.PIPE,
            timeout=SECONDS,
            **options,
        )
        return Answer(done.returncode, done.stdout or b"", done.stderr)

    def event(self, hook: str, sent: Any) -> dict[str, Any]:
        """What the client sends, as far as hooks look at it."""
        name = EVENTS[hook]
        known: dict[str, Any] = {"session_id": SESSION, "hook_event_name": name}
        if hook == "session":
            known["source"] = "startup"
        if hook == "context_monitor":
            known["transcript_path"] = str(self.tmp / "transcript.jsonl")
        return {**known, **(sent or {})}

    def outside(self) -> dict[str, object]:
        """All that is not the project, with its state."""
        return listing(self.tmp, self.root)

    def inside(self) -> dict[str, object]:
        return listing(self.root)


def has_half_pairs(text: str) -> bool:
    """Half a surrogate pair is refused by the model's API."""
    return any("\ud800" <= character <= "\udfff" for character in text)


def command_of(plugin: Path, hook: str, alone: bool) -> list[str]:
    """The client's way, by hooks.json, or the Python file alone."""
    if alone:
        return [PYTHON, "-I", "-S", str(plugin / "hooks" / f"{hook}.py")]
    declared = json.loads((plugin / "hooks" / "hooks.json").read_text())["hooks"]
    return ["/bin/sh", "-c", declared[EVENTS[hook]][0]["hooks"][0]["command"]]


def listing(top: Path, without: Path | None = None) -> dict[str, object]:
    found: dict[str, object] = {}
    for folder, folders, names in os.walk(top):
        if without is not None:
            folders[:] = [name for name in folders if Path(folder, name) != without]
        for name in [*folders, *names]:
            path = os.path.join(folder, name)
            if without is None or path != str(without):
                found[os.path.relpath(path, top)] = _state(path)
    return found


def _state(path: str) -> object:
    status = os.lstat(path)
    if stat.S_ISLNK(status.st_mode):
        return os.readlink(path)
    if not stat.S_ISREG(status.st_mode):
        return stat.S_IFMT(status.st_mode)
    if status.st_size > 1 << 20:
        return status.st_size, status.st_mtime_ns
    return hashlib.sha256(Path(path).read_bytes()).hexdigest(), status.st_mtime_ns


def a_story(name: str = "US-001", **fields: Any) -> dict[str, Any]:
    return {
        "id": name,
        "title": "Title",
        "description": "Text",
        "acceptanceCriteria": ["It works"],
        "priority": 1,
        "passes": False,
        "reviewStatus": None,
        "reviewCount": 0,
        "reviewFeedback": "",
        "notes": "",
        "dependsOn": [],
        "splitFrom": "US-000",
        "verify": ["true"],
        **fields,
    }


def a_list(*stories: Any, **fields: Any) -> dict[str, Any]:
    return {
        "$schema": "tasks.schema.json",
        "project": "P",
        "branchName": "main",
        "description": "D",
        "verifyCommands": ["true"],
        "userStories": list(stories) or [a_story()],
        **fields,
    }


def a_marker(**fields: Any) -> dict[str, Any]:
    """Binds SESSION of RUN; a value of ... leaves the field out."""
    marker = {
        "timestamp": "2026-01-01T00:00:00Z",
        "pid": 1,
        "max_iterations": 10,
        "mode": "direct",
        "runId": RUN,
        "sessionId": SESSION,
        **fields,
    }
    return {name: value for name, value in marker.items() if value is not ...}


def a_loop(**fields: Any) -> dict[str, Any]:
    """The state of a same-session loop that has just begun, written out by hand."""
    counts = dict.fromkeys(
        ("iteration", "pausedSeconds", "unchangedFindings", "toolCalls", "turnsWithoutTools")
        + ("sameFailures", "offset", "maxDuration"),
        0,
    )
    return {
        **{"version": 1, "session": SESSION, "kind": "ralph-loop", "status": "ACTIVE"},
        **{"task": "Fix it", "file": "", "promise": "DONE", "policy": "reject"},
        **{"maxIterations": 25, "minToolCalls": 1, "verify": [], "verifyTimeout": 600},
        **{"startedAt": "2026-01-01T00:00:00Z", "lastRunAt": "2026-01-01T00:00:00Z"},
        **{"pausedAt": "", "verifyingSince": "", "lastFailure": "", "lastFindingsCount": None},
        **{"queued": [], "decisions": []},
        **counts,
        **fields,
    }


def reference_marker(pid: int, **fields: Any) -> dict[str, Any]:
    return a_marker(pid=pid, runId=..., sessionId=..., **fields)
