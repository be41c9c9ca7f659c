"""Record what the pinned clients print: RALPH_TEST_CLIENTS=... tests/record.py FOLDER [NAME...]

Each scenario is one session of the real program, started as the runner starts it, against the
scripted model. FOLDER/AGENT/VERSION/NAME.jsonl holds its standard output, with the home and the
project folder called /home/dev and /home/dev/project.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "scripts")]

from e2e import amp_client, claude_client, codex_client, gemini_client  # noqa: E402
from ralph_engine.agents import choose  # noqa: E402
from ralph_engine.agents.request import Request  # noqa: E402
from ralph_engine.scripted_model import (  # noqa: E402
    ScriptedModel,
    Turn,
    break_off,
    call,
    drop,
    empty,
    fail,
    say,
    think,
    turn,
)

SECONDS = 60
VERSIONS = {
    "codex": "0.169.0",
    "claude": "2.1.326",
    "amp": "0.0.1767830505",
    "gemini": "0.61.0",
}
RESET = 1893513845  # 2030-01-01, 16:04:05 UTC
PATCH = "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: a.txt\n+one\n*** End Patch\nEOF"
PLAN = ("completed", "in_progress", "pending")
FOLDER = "/home/dev"


class Scenario(NamedTuple):
    agent: str
    name: str
    script: Sequence[Turn]
    code: int
    without: str = ""
    flags: tuple[str, ...] = ()


def _sh(command: str) -> Turn:
    return call("exec_command", cmd=command)


def _task(subject: str) -> Turn:
    return call("TaskCreate", subject=subject, description=subject)


def _task_is(status: str) -> Turn:
    return call("TaskUpdate", taskId="1", status=status)


def _plan(*states: str, names: Sequence[str] = ("Step 1", "Step 2", "Step 3")) -> Turn:
    steps = [{"step": name, "status": state} for name, state in zip(names, states)]
    return call("update_plan", plan=steps)


def _bash(command: str) -> Turn:
    return call("Bash", command=command, description="work")


def _amp_sh(command: str) -> Turn:
    return call("Bash", cmd=command)


def _amp_steps(*states: str) -> Turn:
    steps = [{"id": f"{n}", "content": f"Step {n}", "status": s} for n, s in enumerate(states, 1)]
    return call("todo_write", todos=steps)


def _gemini_sh(command: str) -> Turn:
    return call("run_shell_command", command=command, description="work")


def _gemini_steps(*states: str) -> Turn:
    steps = [{"description": f"Step {n}", "status": s} for n, s in enumerate(states, 1)]
    return call("write_todos", todos=steps)


_USAGE = {"input": 300, "cache_read": 2000, "cache_creation": 50, "output": 40}
_LIMIT = {"type": "usage_limit_reached", "plan_type": "pro", "resets_at": RESET}
_DAILY = {
    "status": "RESOURCE_EXHAUSTED",
    "details": [
        {
            "@type": "type.googleapis.com/google.rpc.QuotaFailure",
            "violations": [{"quotaId": "GenerateRequestsPerDayPerProjectPerModel"}],
        }
    ],
}
_RESETS = "You have exhausted your capacity on this model. Your quota will reset after 2h3m4s."
_NOT_FOUND = "models/gemini-9 is not found for API version v1beta"
_MODEL = "The model `gpt-9` does not exist or you do not have access to it."
# Letters of one, two and no column; a long line, then more lines than are shown.
_HELLO = "日本語の題名を読む 🚀\n\nFirst a list."
_WIDE = (
    "printf '漢字かな %.0s' $(seq 30); echo; for n in $(seq 8);"
    " do printf '%d\\t項目 ✅ cafe\u0301\\n' $n; done"
)
_SLOW, _BAD = "sleep 0.5; echo 遅い", "echo 失敗 >&2; exit 3"
_NAMES = ("題名を読む 📖", "Run the tests")
_WIDE_PATCH = PATCH.replace("a.txt", "日本.txt")
_LAST = "完了 🎉 all done."
_TASKS = ("--tools", "Bash,Read,TaskCreate,TaskUpdate")
SCENARIOS = [
    Scenario("codex", "work", [
        turn(think("Let me see."), say("I look first."), _sh("echo one; echo two")),
        turn(_sh("exit 3"), _sh("echo parallel"), usage=_USAGE),
        _sh(PATCH),
        say("All done."),
    ], 0),
    Scenario("codex", "steps", [
        _plan(*PLAN), _plan("completed", *PLAN[:2]), _plan(*["completed"] * 3), say("Done."),
    ], 0),
    Scenario("codex", "empty", [empty()], 0),
    Scenario("codex", "limit", [fail(429, error=_LIMIT)], 1),
    Scenario("codex", "drop", [drop()] * 4, 1),
    Scenario("codex", "capacity", [break_off("Half a", "server_is_overloaded")], 1),
    Scenario("codex", "http404", [fail(404, _MODEL, error={"code": "model_not_found"})], 1),
    Scenario("codex", "no-key", [], 1, codex_client.KEY),
    Scenario("claude", "wide", [
        turn(say(_HELLO), *map(_task, _NAMES)),
        turn(_task_is("in_progress"), _bash(_WIDE), usage=_USAGE),
        turn(_bash(_SLOW), _bash(_BAD)),
        turn(_task_is("completed"), call("Read", file_path="無い.txt")),
        say(_LAST),
    ], 0, flags=_TASKS),
    Scenario("codex", "wide", [
        turn(say(_HELLO), _plan("in_progress", "pending", names=_NAMES)),
        turn(_sh(_WIDE), usage=_USAGE),
        turn(_sh(_SLOW), _sh(_BAD)),
        turn(_plan("completed", "in_progress", names=_NAMES), _sh(_WIDE_PATCH)),
        say(_LAST),
    ], 0),
    Scenario("claude", "work", [
        turn(think("Let me see."), say("I look first."), _bash("echo one; echo two")),
        turn(_bash("exit 3"), _bash("echo parallel"), usage=_USAGE),
        say("All done."),
    ], 0),
    Scenario("amp", "work", [
        turn(think("Let me see."), say("I look first."), _amp_sh("echo one; echo two")),
        turn(_amp_sh("exit 3"), _amp_sh("echo parallel"), usage=_USAGE),
        call("create_file", path=f"{FOLDER}/project/a.txt", content="one\n"),
        say("All done."),
    ], 0),
    Scenario("amp", "steps", [_amp_steps("completed", "in-progress", "todo"), say("Done.")], 0),
    Scenario("amp", "empty", [empty()], 0),
    Scenario("amp", "drop", [drop()], 0),
    Scenario("amp", "http401", [fail(401, "no such key")], 0),
    Scenario("amp", "http404", [fail(404, "no such model")], 0),
    Scenario("amp", "http429", [fail(429, "slow down")], 0),
    Scenario("amp", "http500", [fail(500, "out of order")], 0),
    Scenario("amp", "http529", [fail(529, "overloaded")], 0),
    Scenario("gemini", "work", [
        turn(think("Let me see."), say("I look first."), _gemini_sh("echo one; echo two")),
        turn(_gemini_sh("exit 3"), _gemini_sh("echo parallel"), usage=_USAGE),
        call("write_file", file_path=f"{FOLDER}/project/a.txt", content="one\n"),
        call("write_file", file_path="/elsewhere/a.txt", content="one\n"),
        say("All done."),
    ], 0),
    Scenario("gemini", "steps", [_gemini_steps(*PLAN), say("Done.")], 0),
    Scenario("gemini", "empty", [empty()], 0),
    Scenario("gemini", "drop", [drop()], 1),
    Scenario("gemini", "http401", [fail(401, "no such key")], 145),
    Scenario("gemini", "http404", [fail(404, _NOT_FOUND)], 1),
    Scenario("gemini", "http500", [fail(500, "out of order")], 244),
    Scenario("gemini", "limit", [fail(429, _RESETS)], 173),
    Scenario("gemini", "limit-of-a-day", [fail(429, "no more", error=_DAILY)], 173),
    Scenario("gemini", "no-key", [], 41, gemini_client.KEY),
]  # fmt: skip


def main(folder: str, *names: str) -> int:
    for scenario in SCENARIOS:
        name = f"{scenario.agent}/{scenario.name}"
        if not names or name in names:
            version = VERSIONS[scenario.agent]
            target = Path(folder, scenario.agent, version, f"{scenario.name}.jsonl")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(record(scenario))
            print(target)
    return 0


def record(scenario: Scenario) -> bytes:
    with tempfile.TemporaryDirectory(prefix="ralph-record-") as scratch:
        folder = Path(scratch).resolve()
        project = folder / "project"
        project.mkdir()
        subprocess.run(["git", "init", "-q", str(project)], check=True)
        with ScriptedModel([_in(folder, entry) for entry in scenario.script]) as model:
            done = _run(scenario, project, _environment(scenario, folder, model))
        asked = (len(model.requests), model.answers_past_the_end)
        assert asked == (len(scenario.script), 0), (scenario.name, asked, done)
        assert done.returncode == scenario.code, (scenario.name, done)
        return done.stdout.replace(str(folder).encode(), FOLDER.encode())


def _in(folder: Path, entry: Turn) -> Turn:
    found: Turn = json.loads(json.dumps(entry).replace(f"{FOLDER}/", f"{folder}/"))
    return found


def _environment(scenario: Scenario, folder: Path, model: ScriptedModel) -> dict[str, str]:
    own = claude_client._offline_environment(model, folder / "scratch", folder)
    own.update(codex_client.environment(folder, model.url), TZ="UTC")
    own.update(amp_client.environment(model.url), **gemini_client.environment(folder, model.url))
    own.pop(scenario.without, None)
    return own


def _run(
    scenario: Scenario, project: Path, environment: dict[str, str]
) -> subprocess.CompletedProcess[bytes]:
    clients = {
        "codex": codex_client.codex_path,
        "claude": claude_client.client_path,
        "amp": amp_client.amp_path,
        "gemini": gemini_client.gemini_path,
    }
    program = clients[scenario.agent]()
    request = Request(
        command=str(program),
        prompt="Go on.",
        flags=scenario.flags,
        run_id="recorded",
        session_id=str(uuid.uuid4()),
        plugin_dir=str(project),
    )
    launch = choose(str(program)).launch(request)
    return subprocess.run(
        launch.argv,
        cwd=project,
        env={**environment, **launch.environment},
        input=launch.stdin,
        capture_output=True,
        timeout=SECONDS,
    )


if __name__ == "__main__":
    os.environ.setdefault("RALPH_TEST_CLIENTS", "")
    sys.exit(main(*sys.argv[1:]))
