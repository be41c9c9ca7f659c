"""Record what the pinned clients print: RALPH_TEST_CLIENTS=... tests/record.py FOLDER [NAME...]

Each scenario is one session of the real program, started as the runner starts it, against the
scripted model. FOLDER/AGENT/VERSION/NAME.jsonl holds its standard output, with the home and the
project folder called /home/dev and /home/dev/project.
"""

from __future__ import annotations

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

from e2e import claude_client, codex_client  # noqa: E402
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
VERSIONS = {"codex": "0.169.0", "claude": "2.1.326"}
RESET = 1893513845  # 2030-01-01, 16:04:05 UTC
PATCH = "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: a.txt\n+one\n*** End Patch\nEOF"
PLAN = ("completed", "in_progress", "pending")


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


_USAGE = {"input": 300, "cache_read": 2000, "cache_creation": 50, "output": 40}
_LIMIT = {"type": "usage_limit_reached", "plan_type": "pro", "resets_at": RESET}
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
        with ScriptedModel(scenario.script) as model:
            done = _run(scenario, project, _environment(scenario, folder, model))
        asked = (len(model.requests), model.answers_past_the_end)
        assert asked == (len(scenario.script), 0), (scenario.name, asked, done)
        assert done.returncode == scenario.code, (scenario.name, done)
        return done.stdout.replace(str(folder).encode(), b"/home/dev")


def _environment(scenario: Scenario, folder: Path, model: ScriptedModel) -> dict[str, str]:
    own = claude_client._offline_environment(model, folder / "scratch", folder)
    own.update(codex_client.environment(folder, model.url), TZ="UTC")
    own.pop(scenario.without, None)
    return own


def _run(
    scenario: Scenario, project: Path, environment: dict[str, str]
) -> subprocess.CompletedProcess[bytes]:
    clients = {"codex": codex_client.codex_path, "claude": claude_client.client_path}
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
