"""Audits in the real client: typed in a session, and headless by their launcher."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from e2e import claude_client
from e2e.claude_client import MARK, REPOSITORY, client_path
from e2e.conversation import SECONDS, WORK, Talker, until
from e2e.loop_project import shell
from ralph_engine.scripted_model import ScriptedModel, say

NONE_LEFT = "RALPH_AUDIT_COMPLETE_NO_FINDINGS"
AUDIT = "# Mission\nFind bugs\n\n## Validation Commands\n```sh\n{}\n```\n"
# An environment that is this interpreter: a real one takes long and needs the network.
UV_STAND_IN = """#!/bin/sh
[ "$1" = venv ] || exit 0
mkdir -p "$4/bin"
printf '#!/bin/sh\\nexec {python} "$@"\\n' >"$4/bin/python"
chmod +x "$4/bin/python"
"""


@pytest.fixture
def talker(tmp_path: Path) -> Talker:
    talker = Talker(tmp_path)
    (talker.root / "ralph").mkdir()
    (talker.root / "ralph" / "audit.md").write_text(AUDIT.format("test -e fixed"))
    (talker.root / "ralph" / "guardrails.md").write_text("# Guardrails\n")
    return talker


def left(count: int) -> str:
    return f"I looked.\nRALPH_ITERATION_COMPLETE: {count} findings remain"


def test_findings_decide(talker: Talker) -> None:
    stuck = [part for _ in range(3) for part in (WORK, say(left(5)))]
    drop = shell("echo 'Other words.' > ralph/audit.md")
    refused = [WORK, say(left(5)), WORK, say(left(3)), drop, say(NONE_LEFT)]
    completes = [shell("touch fixed"), say(f"{left(0)}\n{NONE_LEFT}"), say(left(0)), say(NONE_LEFT)]
    played = talker.play([*stuck, *refused, *completes], "/ralph-audit", "/ralph:ralph-audit")
    _, first, _, second = played.told
    assert first == (
        "Ralph: STALLED after 2 iterations, 0 min: the findings did not change for 3 turns"
    )
    assert second == (
        "Ralph: AUDIT_COMPLETE after 5 iterations, 0 min: no findings are left, 4 tool calls, "
        "1 check passed"
    )
    assert "The audit (ralph/audit.md):\n# Mission\nFind bugs" in played.heard[0]
    assert all("Read ralph/guardrails.md first" in text for text in played.blocks)
    *_, three, failed, both, zero = played.blocks
    assert "3 findings remain: go on with them." in three and "Find bugs" in three
    assert "the check `test -e fixed` failed: exit code 1." in failed
    assert failed.count("The audit (ralph/audit.md):\nOther words.") > 0
    assert "You said both that nothing is left and that findings remain" in both
    assert f"look once more, then print {NONE_LEFT} instead" in zero


class Launched:
    """scripts/ralph-audit.sh with a cache of its own."""

    def __init__(self, talker: Talker, model: ScriptedModel, *options: str) -> None:
        tools = talker.outside / "tools"
        tools.mkdir()
        (tools / "uv").write_text(UV_STAND_IN.format(python=shlex.quote(sys.executable)))
        (tools / "uv").chmod(0o755)
        base = os.path.realpath(getattr(sys, "_base_executable", "") or sys.executable)
        environment = {
            **claude_client._offline_environment(model, talker.outside, talker.home),
            "PATH": f"{tools}:{os.environ['PATH']}",
            "XDG_CACHE_HOME": str(talker.outside / "cache"),
            "RALPH_PYTHON": base,
        }
        self.mark = environment[MARK]
        launcher = str(REPOSITORY / "scripts" / "ralph-audit.sh")
        self.process = subprocess.Popen(
            [launcher, "--agent", str(client_path()), *options],
            cwd=talker.root,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def end(self) -> tuple[int, list[str], str]:
        out, err = self.process.communicate(timeout=SECONDS)
        return self.process.returncode, out.splitlines(), err

    def left(self) -> list[int]:
        return claude_client._marked_processes(self.mark)


@contextmanager
def launched(talker: Talker, model: ScriptedModel, *options: str) -> Iterator[Launched]:
    started = Launched(talker, model, *options)
    try:
        yield started
    finally:
        claude_client._kill(started.process, started.mark)


def ended(talker: Talker) -> dict[str, object]:
    [path] = (talker.root / ".ralph" / "sessions" / "ended").glob("*.json")
    state: dict[str, object] = json.loads(path.read_text())
    return state


def test_the_launcher_audits_headless_with_a_uv_stand_in(talker: Talker) -> None:
    active = shell('test "$RALPH_ACTIVE" = 1 && touch fixed')
    script = [WORK, say(left(2)), active, say(f"\x1b[31mClean.\n{NONE_LEFT}")]
    options = ["--max-iterations", "3", "--verify", 'test "$RALPH_ACTIVE" = 0 # it\'s a check']
    with ScriptedModel(script) as model, launched(talker, model, *options) as run:
        code, out, err = run.end()
    assert code == 0, err
    assert out == [
        "\\x1b[31mClean.",
        NONE_LEFT,
        "Ralph: AUDIT_COMPLETE after 1 iteration, 0 min: no findings are left, 2 tool calls, "
        "2 checks passed",
    ]
    assert (len(model.requests), model.answers_past_the_end) == (4, 0)
    assert ended(talker)["status"] == "AUDIT_COMPLETE"


def test_a_launcher_that_is_ended_takes_all_with_it_with_a_uv_stand_in(talker: Talker) -> None:
    endless = shell("echo $$ > part; mv part pid; sleep 300")
    with ScriptedModel([endless]) as model, launched(talker, model) as run:
        until(lambda: (talker.root / "pid").exists() or run.process.poll() is not None)
        run.process.send_signal(signal.SIGTERM)
        code, out, err = run.end()
        assert run.left() == []
    assert code == 130, err
    assert out[-1] == "Ralph: CANCELLED after 0 iterations, 0 min: interrupted"
    assert "Received signal, shutting down... (still running: the audit's client" in err
    assert ended(talker)["status"] == "CANCELLED"
    assert not list((talker.root / ".ralph" / "sessions").glob("*.json"))
