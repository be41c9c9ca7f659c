"""The guard in the real client: what it denies does not run, and the model reads why."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from e2e.claude_client import REPOSITORY, client_path, run_claude
from e2e.loop_project import LoopProject, iterate, shell, story
from e2e.runner_life import Life
from guarded import SHFMT
from hooks.starting import PYTHON
from ralph_engine.scripted_model import ScriptedModel, Turn, call, say
from ralph_engine.scripted_model.request import Request
from runner.hostile_project import HostileProject

RULES = ("git-force-push", "protected-path")
FORCE = "touch ran-{} && git push --force nowhere main"
TOLD = (
    "Ralph's guard denied `git push --force nowhere main`: a force push rewrites what others have"
    " (rule git-force-push). Instead: push new commits with a plain `git push`, or to a new branch."
)


@pytest.fixture
def project(tmp_path: Path) -> LoopProject:
    """An iteration whose goal is a prompt: it ends when it likes."""
    project = LoopProject(tmp_path, story("US-1"))
    project.mark("implement", goal="prompt")
    pinned = tmp_path / "cache" / "ralph" / "hooks.env"
    pinned.parent.mkdir(parents=True)
    pinned.write_text(f"{PYTHON}\n{SHFMT}\n")
    return project


def in_loop(project: LoopProject) -> dict[str, str]:
    return project.environment(XDG_CACHE_HOME=str(project.outside.parent / "cache"))


def ran(project: LoopProject) -> list[str]:
    return sorted(path.name for path in project.root.glob("ran-*"))


@pytest.mark.parametrize("version", ["newest", "older"])
def test_what_is_denied_does_not_run_and_the_model_reads_why_and_what_instead(
    project: LoopProject, version: str
) -> None:
    marker = project.root / ".ralph-active"
    before = marker.read_text()
    turns = [
        shell(FORCE.format(1)),
        shell("for f in ran-2; do touch $f; echo '{}' > .ralph-active; done"),
        call("Read", file_path=str(marker)),
        call("Write", file_path=str(marker), content="{}"),
        shell("for f in ran-4; do touch $f; done && git status --short"),
        say("Done."),
    ]
    run, model = iterate(project, turns, env=in_loop(project), version=version)
    assert run.result["result"] == "Done."
    assert ran(project) == ["ran-4"]
    assert marker.read_text() == before
    told = [request.new_text for request in model.requests]
    assert TOLD in told[1]
    for text in (told[2], told[4]):
        assert "Ralph's guard denied `.ralph-active`: it changes a file that steers" in text
        assert "Instead: leave it as it is" in text
    assert "guard" not in told[5]
    rules = [event["rule"] for event in project.hook_events() if event["event"] == "guard-denied"]
    assert rules == ["git-force-push", "protected-path", "protected-path"]


def test_a_subagent_is_denied_the_same(project: LoopProject) -> None:
    heard: list[str] = []

    def answer(request: Request) -> Turn:
        """The subagent works in the background: who asks is known by what it was asked."""
        if "PUSH FOR ME" not in str(request.messages[0]["content"]):
            is_first = len(request.messages) < 3
            return push_for_me() if is_first else say("Waiting.")
        heard.append(request.new_text)
        return shell(FORCE.format(1)) if len(heard) == 1 else say("I could not.")

    with ScriptedModel([answer] * 8) as model:
        run = run_claude(model, project.root, session_id=project.session, env=in_loop(project))
    assert run.exit_code == 0, run.stderr
    assert len(heard) == 2 and TOLD in heard[1]
    assert ran(project) == []


def push_for_me() -> Turn:
    words = {"description": "push", "prompt": "PUSH FOR ME", "subagent_type": "general-purpose"}
    return call("Agent", run_in_background=False, **words)


def test_outside_the_loop_the_same_commands_run(project: LoopProject) -> None:
    """A person's own session in the same folder."""
    turns = [
        shell(FORCE.format(1)),
        shell("touch ran-2 && echo '{}' > .ralph-active"),
        say("Done."),
    ]
    _, model = iterate(project, turns, env={})
    assert ran(project) == ["ran-1", "ran-2"]
    assert all("guard" not in request.new_text for request in model.requests)


def test_a_guard_that_crashes_denies_only_shells_and_the_loops_own_files(
    project: LoopProject, tmp_path: Path
) -> None:
    plugin = broken_plugin(tmp_path / "plugin")
    turns = [
        shell("touch ran-1 && git status"),
        shell("touch ran-2 && echo true | sh"),
        shell("touch ran-3 && cp /dev/null .ralph-active"),
        call("Write", file_path=str(project.root / "ran-4"), content="x"),
        say("Done."),
    ]
    _, model = iterate(project, turns, env=in_loop(project), plugin=plugin)
    assert ran(project) == ["ran-1", "ran-4"]
    assert "it feeds a shell" in model.requests[2].new_text
    assert "it names a file of the loop" in model.requests[3].new_text
    assert "RuntimeError" in (project.root / ".ralph/hook-errors.log").read_text()


def broken_plugin(folder: Path) -> Path:
    for name in ("hooks", "scripts", ".claude-plugin", "skills"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(REPOSITORY / name, folder / name, ignore=ignored)
    verdict = folder / "scripts/ralph_engine/core/guard_verdict.py"
    verdict.write_text(verdict.read_text() + "\nraise RuntimeError('broken')\n")
    return folder


def test_a_monitor_is_denied_the_same(project: LoopProject) -> None:
    """The newest client's other tool that runs a command line, loaded on demand."""
    watch = {"description": "watch", "timeout_ms": 5000, "persistent": False}
    turns = [
        call("ToolSearch", query="select:Monitor", max_results=1),
        call("Monitor", command=FORCE.format(1), **watch),
        say("Done."),
    ]
    _, model = iterate(project, turns, env=in_loop(project))
    assert TOLD in model.requests[2].new_text
    assert ran(project) == []


@pytest.mark.parametrize("version", ["newest", "older"])
def test_every_tool_of_the_client_that_takes_a_command_or_a_file_is_guarded(
    project: LoopProject, version: str
) -> None:
    """A new one shows up here, loaded or named among those that load on demand."""
    _, model = iterate(project, [say("Done.")], env=in_loop(project), version=version)
    [request] = model.requests
    takes = {"command", "file_path", "notebook_path"}
    found = {
        tool["name"]
        for tool in request.body["tools"]
        if takes & {*tool["input_schema"]["properties"]}
    }
    assert found <= GUARDED and {"Bash", "Write", "Edit", "Read"} <= found
    _, _, later = request.new_text.partition("before calling them:\n")
    deferred = set(later.partition("\n\n")[0].split())
    assert deferred <= GUARDED | HARMLESS
    assert ("Monitor" in deferred) == (version == "newest")


def test_a_person_sees_what_the_guard_denied(tmp_path: Path) -> None:
    """On the screen, in the journal, in the report and by status."""
    life = Life(tmp_path, "US-1")
    life.begin()
    turns = [shell(FORCE.format(1)), shell("rm .ralph-active"), say("Hm.")]
    ran = life.run(turns, "-p", "Go on.", "-n", "1")
    denied = [{"what": "guard-denied", "rule": rule, "tool": "Bash"} for rule in RULES]
    assert [{name: e.get(name) for name in denied[0]} for e in ran.of("hook")] == denied
    told = [f"[ralph] hook: the guard denied Bash (rule {rule})" for rule in RULES]
    assert [line for line in ran.screen if "hook:" in line] == told
    kinds = [e.get("kind") or e["event"] for e in ran.of("agent", "hook")]
    assert kinds.index("hook") < kinds.index("tool_end"), "it is told as it happens"
    [report] = life.root.glob(".ralph/runs/*/report.md")
    rules = ", ".join(RULES)
    assert f"Hooks, by their own log: 2 calls denied; rules: {rules}\n" in report.read_text()
    engine = [sys.executable, "-I", str(REPOSITORY / "scripts/ralph_engine/__main__.py")]
    env = {**os.environ, "XDG_STATE_HOME": str(life.state)}
    done = subprocess.run([*engine, "status"], cwd=life.root, env=env, capture_output=True)
    assert "hooks: 2 calls denied" in done.stdout.decode().splitlines()


@pytest.mark.parametrize("has_parser", [True, False])
def test_before_the_first_token_a_person_is_told_that_the_parser_is_missing(
    tmp_path: Path, has_parser: bool
) -> None:
    project = HostileProject(tmp_path)
    pinned = project.home / ".cache" / "ralph" / "hooks.env"
    pinned.parent.mkdir(parents=True)
    pinned.write_text(f"{PYTHON}\n{SHFMT}\n" if has_parser else f"{PYTHON}\n")
    ended = project.run(str(client_path()), "--dry-run", env={"IS_SANDBOX": "1"})
    assert ended.code == 0, ended.screen
    told = (
        "no shfmt, so the guard reads only simple commands: of the others it denies what feeds a"
        " shell or names the loop's files; install shfmt and start again with ralph.sh"
    )
    assert (told in ended.screen) is not has_parser
    assert "shfmt" not in project.run("true", "--dry-run").screen, "an agent without hooks"


GUARDED = {"Bash", "Monitor", "Read", "Write", "Edit", "MultiEdit", "NotebookEdit"}
# None of these runs a command line or writes a file of the agent's choice.
HARMLESS = {"CronCreate", "CronDelete", "CronList", "EnterWorktree", "ExitWorktree", "SendMessage"}
HARMLESS |= {"TaskStop", "WebFetch", "WebSearch"}
