"""Every command of the README does what a reader expects of it."""

from __future__ import annotations

import json
import os
import re
import shlex
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from ralph_engine.__main__ import _VERBS
from runner.hostile_project import IDENTITY, REPOSITORY, HostileProject, story

README = (REPOSITORY / "README.md").read_text(encoding="utf-8")
HONEST = shlex.join([sys.executable, str(REPOSITORY / "tests/fixtures/agents/honest.py")])
SECONDS = 300


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)


DEMO, TESTS, WALK = blocks("sh")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A reader's home, and a project in which a program of ours plays the agent."""
    project = tmp_path / "it's mine"
    (project / ".ralph").mkdir(parents=True)
    local = {"agent": {"command": HONEST}, "delay": "0s"}
    (project / ".ralph" / "settings.local.json").write_text(json.dumps(local))
    (tmp_path / "home").mkdir()
    bash(project, "git init -q && git commit -q --allow-empty -m 'Begin'")
    return project


def bash(project: Path, script: str) -> str:
    home = project.parent / "home"
    plan = json.dumps([{**story("US-1", verify=["test -f US-1.txt"]), "title": "Say hello"}])
    editor = (
        f"{sys.executable} -c 'import json, sys; path = sys.argv[2]; "
        f"plan = json.load(open(path)); plan[\"userStories\"] = json.loads(sys.argv[-1]); "
        f"json.dump(plan, open(path, \"w\"))'"
    )
    environment = {
        **IDENTITY,
        "PATH": f"{home}/.local/bin:{os.environ['PATH']}",
        "HOME": str(home),
        "XDG_CACHE_HOME": os.environ.get("XDG_CACHE_HOME", os.path.expanduser("~/.cache")),
        "PLAN": plan,
        "LANG": "C.UTF-8",
    }
    script = script.replace("/path/to/ralph", shlex.quote(str(REPOSITORY)))
    script = re.sub(r"^\$EDITOR (.*?)( +#.*)?$", rf'{editor} \1 "$PLAN"', script, flags=re.M)
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=project,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=SECONDS,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


def test_the_first_two_commands_are_those_of_the_other_tests() -> None:
    """test_demo.py and test_test_sh.py run them."""
    assert (DEMO, TESTS) == ("scripts/ralph.sh demo\n", "scripts/test.sh\n")


def test_the_walk_through_a_project(place: Path) -> None:
    # What the doctor finds here depends on the machine; test_doctor.py judges its words.
    script = re.sub(r"^ralph doctor.*$", "ralph doctor || [ $? = 1 ]", WALK, flags=re.M)
    assert script != WALK
    said = bash(place, script)
    assert "no faults; 1 story: 1 to do" in said
    assert "complete: 1 of 1 stories verified" in said
    assert "US-1 Say hello: approved by the review of" in said
    [archive] = (place / "ralph-archive").iterdir()
    assert archive.name.endswith("-ralph-my-feature")


def test_every_verb_is_in_the_table() -> None:
    named = set(re.findall(r"^\| `([a-z]+)[` ]", README, re.MULTILINE))
    assert named >= set(_VERBS)


def test_every_typed_command_is_a_skill() -> None:
    typed = {word for block in blocks("text") for word in re.findall(r"^/([a-z-]+)", block, re.M)}
    named = set(re.findall(r"`/([a-z-]*(?:ralph|ulw)[a-z-]*)", README))
    skills = {folder.name for folder in (REPOSITORY / "skills").iterdir()}
    assert (typed | named) - {"plugin"} == skills


def test_every_option_of_run_is_in_the_table() -> None:
    command = [sys.executable, "-I", str(REPOSITORY / "scripts/ralph_engine/__main__.py")]
    done = subprocess.run(
        [*command, "run", "--help-all"], capture_output=True, text=True, timeout=60, check=True
    )
    options = set(re.findall(r"^ +.*?(--[a-z-]+)", done.stdout, re.MULTILINE))
    known = README.replace("--[no-]", "--no-")
    short = {"--prompt", "--prompt-file", "--model", "--max-iterations", "--completion-response"}
    short |= {"--project-dir", "--verbose", "--stream-agent-output", "--help"}
    assert {option for option in options if option not in known} <= short


def test_the_settings_are_accepted(place: Path) -> None:
    [settings] = blocks("json")
    (place / ".ralph" / "settings.json").write_text(settings)
    command = [sys.executable, "-I", str(REPOSITORY / "scripts/ralph_engine/__main__.py")]
    done = subprocess.run(
        [*command, "config"], cwd=place, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert "display.emoji = false (.ralph/settings.json)" in done.stdout


def test_every_file_that_it_names_is_there() -> None:
    named = re.findall(r"(?:\(|`|python3 |, `)((?:bench|scripts|tests)/[\w/.-]+\w)", README)
    assert len(named) > 10
    assert [name for name in named if not (REPOSITORY / name).exists()] == []


def tried(project: HostileProject, network: str) -> dict[str, str]:
    """What `sandbox test` finds, with a model on loopback and something to find in the home."""
    (project.home / ".profile").write_text("mine\n")
    settings = {"sandbox": {"network": network, "backend": "bwrap"}}
    (project.root / ".ralph" / "settings.json").write_text(json.dumps(settings))
    command = [sys.executable, "-I", str(REPOSITORY / "scripts/ralph_engine/__main__.py")]
    with socket.create_server(("127.0.0.1", 0)) as model:
        url = f"http://127.0.0.1:{model.getsockname()[1]}"
        done = subprocess.run(
            [*command, "sandbox", "test", "--json"],
            cwd=project.root,
            env={**project.environment, "ANTHROPIC_BASE_URL": url},
            capture_output=True,
            text=True,
            timeout=60,
        )
    assert done.returncode == 0, done.stdout + done.stderr
    return {row["can"]: row["result"] for row in json.loads(done.stdout)["rows"]}


def test_the_safety_table_is_what_sandbox_test_finds(tmp_path: Path) -> None:
    project = HostileProject(tmp_path)
    both = tried(project, "open"), tried(project, "deny")
    table = README.split("| from inside, an agent can | |\n|---|---|\n")[1].split("\n\n")[0]
    written = dict(line.strip("| ").split(" | ") for line in table.splitlines())
    found = {
        words: one if one == other else f"network open: {one}; deny: {other}"
        for (words, one), other in zip(both[0].items(), both[1].values())
    }
    assert written == found
