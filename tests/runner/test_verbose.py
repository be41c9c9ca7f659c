"""What -V tells beyond the rest: where settings come from, what is sent, run and looked for."""

from __future__ import annotations

import json
import re
from pathlib import Path

from runner.hostile_project import HostileProject, story

SAYS_DONE_AT_LAST = """
cat > /dev/null
echo x >> count
[ "$(wc -l < count)" = 2 ] && echo '<response>DONE</response>' || echo 'Not yet.'
"""


def test_verbose(tmp_path: Path) -> None:
    project = HostileProject(tmp_path, story("US-1"))
    guardrails = [{"command": "test -f app.py", "failAction": "APPEND"}]
    shared, local = {"guardrails": guardrails}, {"outputTruncateChars": 100}
    (project.root / ".ralph/settings.json").write_text(json.dumps(shared))
    (project.root / ".ralph/settings.local.json").write_text(json.dumps(local))
    project.git("commit", "-qam", "settings")
    program = project.outside / "agent.sh"
    program.write_text(SAYS_DONE_AT_LAST)
    options = ("-p", "Go on. " * 100, "-V")
    ended = project.run(f"sh '{program}' --api-key=sk-abcdefgh", *options)
    assert ended.code == 0, ended.screen
    told = [line[len("[ralph] ") :] for line in ended.screen.splitlines() if line[:1] == "["]
    assert f"guardrails = {json.dumps(guardrails)} (.ralph/settings.json)" in told
    assert "outputTruncateChars = 100 (.ralph/settings.local.json)" in told
    assert 'completionResponse = "DONE" (default)' in told
    assert f"agent: sh {program} --api-key=[redacted]" in told
    assert "sk-abcdefgh" not in ended.screen
    assert f"prompt: {('Go on. ' * 100)[:200]}".rstrip() in [line.rstrip() for line in told]
    timed = r"exit code 0 after \d+\.\d s, log \.ralph/guardrail_1_test_f_app_py\.log"
    assert sum(bool(re.fullmatch(timed, line)) for line in told) == 1
    found = [line for line in told if line.startswith("completion: ")]
    tag = "completion: <response>DONE</response>"
    assert found == [f"{tag} not found", f"{tag} found"]


def test_without_it_nothing_of_that_is_told(tmp_path: Path) -> None:
    project = HostileProject(tmp_path, story("US-1"))
    ended = project.run("sh -c 'cat > /dev/null; echo \"<response>DONE</response>\"'", "-p", "Go.")
    assert ended.code == 0, ended.screen
    for word in ("prompt: ", "completion: ", "(default)", "exit code 0 after"):
        assert word not in ended.screen
