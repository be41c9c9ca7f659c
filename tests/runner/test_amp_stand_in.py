"""A stand-in for a later Amp, which cannot be here: it prints what its documentation shows."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

from runner.hostile_project import REPOSITORY, HostileProject, story

AGENTS = REPOSITORY / "tests" / "fixtures" / "agents"
DOCUMENTED = REPOSITORY / "tests" / "cassettes" / "amp" / "documented"
VERSION = "0.0.1790712063-gb89205 (released 2026-09-30)"
# As the real one does without a key, it waits for a person.
PROGRAM = """#!/bin/sh
case $* in
--version) echo '{version}'; exit ;;
--help) echo '-x, --execute --stream-json --help'; exit ;;
esac
echo "$AMP_API_KEY $*" >>'{asked}'
test -n "$AMP_API_KEY" || exec sleep 300
{honest} </dev/null >/dev/null
cat '{recording}'
"""


def stand_in(project: HostileProject) -> str:
    program = project.outside / "amp"
    honest = shlex.join([sys.executable, str(AGENTS / "honest.py")])
    words = {"version": VERSION, "asked": project.outside / "asked", "honest": honest}
    program.write_text(PROGRAM.format(recording=DOCUMENTED / "tool.jsonl", **words))
    program.chmod(0o755)
    return shlex.quote(str(program))


def test_a_stand_in_for_a_later_amp_goes_through_a_loop(tmp_path: Path) -> None:
    project = HostileProject(tmp_path, story("US-1"))
    ended = project.run(stand_in(project), env={"AMP_API_KEY": "sgamp_test"})
    assert ended.code == 0, ended.screen
    assert f"[ralph] agent: {VERSION}: newer than the newest that Ralph was" in ended.screen
    kept = [entry["event"] for entry in project.ledger()]
    assert kept == ["verify-before", "submitted", "approved", "verify-after"]
    ends = [entry for entry in project.journal() if entry["event"] == "agent-ended"]
    assert [(e["kind"], e["answer"], e["cost"]) for e in ends] == [("ok", "Done.", None)] * 2
    started = [e["command"] for e in project.journal() if e["event"] == "agent-started"]
    assert all(s.endswith("amp --stream-json --dangerously-allow-all -x PROMPT") for s in started)
    [first, *_] = (project.outside / "asked").read_text().splitlines()
    assert first.startswith("sgamp_test --stream-json --dangerously-allow-all -x Work on US-1 in ")
    told = [e for e in project.journal() if e["event"] == "agent" and e["kind"] == "tool_start"]
    assert [(tool["name"], tool["summary"]) for tool in told] == [("Bash", "echo hi")] * 2


def test_a_stand_in_for_amp_is_not_started_without_a_key(tmp_path: Path) -> None:
    project = HostileProject(tmp_path, story("US-1"))
    program = stand_in(project)
    ended = project.run(program)
    assert (ended.code, ended.screen.splitlines()[-1]) == (
        2,
        f"ralph: {program} has no key and would wait for a person; set AMP_API_KEY,"
        " or sign in by hand",
    )
    assert not (project.outside / "asked").exists()
