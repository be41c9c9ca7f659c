"""What a sandbox shows of a hidden home: programs with what they need, and nothing beside them."""

from __future__ import annotations

import os
import socket
import time
from pathlib import Path

import pytest
from ralph_engine.sandboxes import agent_home, mounts, programs
from ralph_engine.sandboxes.backend import Place


@pytest.fixture
def home(tmp_path: Path) -> Path:
    made = tmp_path / "home"
    made.mkdir()
    return made


def program(path: Path, first_line: str = "#!/bin/sh") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{first_line}\n")
    path.chmod(0o755)
    return path


def place(home: Path, *agent: str, name: str = "command", **environment: str) -> Place:
    project = home / "work"
    project.mkdir(exist_ok=True)
    env = {"HOME": str(home), "PATH": "/usr/bin:/bin", **environment}
    state, plugin = str(home / ".local/state/ralph/work"), str(home / "plugin")
    return Place(str(project), "ralph", state, plugin, (agent or ("true",),), (name,), env)


def shown(home: Path, *agent: str, **environment: str) -> set[str]:
    """Of the home, by their paths in it."""
    given = place(home, *agent, **environment)
    found = programs.needed(given.agents, given.environment)
    return {os.path.relpath(p, home) for p in found if p.startswith(f"{home}/")}


def test_a_program_behind_links_is_shown_with_each_of_them(home: Path) -> None:
    real = program(home / ".local/share/claude/versions/2.1.0")
    (home / ".local/bin").mkdir()
    (home / "bin").mkdir()
    (home / ".local/bin/claude").symlink_to(real)
    (home / "bin/agent").symlink_to("../.local/bin/claude")
    assert shown(home, str(home / "bin/agent")) == {
        "bin/agent",
        ".local/bin/claude",
        ".local/share/claude/versions/2.1.0",
    }


def test_a_program_of_node_is_shown_with_node_and_all_packages(home: Path) -> None:
    version = home / ".nodes/v22"
    script = "lib/node_modules/@anthropic-ai/claude-code/cli.js"
    program(version / script, "#!/usr/bin/env node")
    program(version / "bin/node")
    (version / "bin/claude").symlink_to(f"../{script}")
    path = f"{version}/bin:/usr/bin:/bin"
    found = shown(home, "claude", PATH=path)
    assert {".nodes/v22", ".nodes/v22/lib/node_modules", ".nodes/v22/bin/node"} <= found
    assert all(name.startswith(".nodes/v22") for name in found)


def test_a_virtual_environment_on_path_is_shown_whole_but_not_all_of_local(home: Path) -> None:
    program(home / "venv/bin/tool")
    (home / "venv/lib").mkdir()
    program(home / ".local/bin/other")
    (home / ".local/lib").mkdir()
    path = f"{home}/venv/bin:{home}/.local/bin:relative"
    assert shown(home, "true", PATH=path) == {"venv", ".local/bin"}


def test_only_the_files_an_agents_command_names_are_shown(home: Path) -> None:
    program(home / "agent/main.py")
    (home / "agent/secret").write_text("secret")
    words = ("python3", str(home / "agent/main.py"), str(home / "agent"), "agent/secret")
    assert shown(home, *words) == {"agent/main.py"}


def test_the_pinned_programs_of_the_hooks_are_shown(home: Path) -> None:
    python = program(home / "pythons/3.12/bin/python3")
    (home / "pythons/3.12/lib").mkdir()
    (home / ".cache/ralph").mkdir(parents=True)
    shfmt = program(home / ".cache/ralph/env-1/bin/shfmt")
    (home / ".cache/ralph/hooks.env").write_text(f"{python}\n{shfmt}\n")
    wanted = {".cache/ralph/hooks.env", "pythons/3.12", ".cache/ralph/env-1/bin/shfmt"}
    assert wanted <= shown(home)


def test_a_link_stays_a_link_and_nothing_is_mounted_twice(home: Path) -> None:
    program(home / "tools/bin/agent")
    (home / "tools/lib").mkdir()
    (home / "link").symlink_to("tools/bin/agent")
    given = place(home, str(home / "link"))
    words = mounts.arguments(given, None)
    at = words.index("tools/bin/agent")
    assert words[at - 1 : at + 2] == ["--symlink", "tools/bin/agent", str(home / "link")]
    assert words.count(str(home / "tools")) == 2 and str(home / "tools/bin/agent") not in words


def test_the_project_is_mounted_behind_what_hides_it(home: Path) -> None:
    words = mounts.arguments(place(home), None)
    project = str(home / "work")
    assert words.index("/") < words.index(str(home)) < words.index(project)
    assert words[words.index(project) - 1] == "--bind"


def test_a_token_is_the_only_thing_of_an_agents_folder(home: Path) -> None:
    (home / ".claude").mkdir()
    (home / ".claude/.credentials.json").write_text("{}")
    (home / ".claude/settings.json").write_text("{}")
    folder, token = str(home / ".claude"), str(home / ".claude/.credentials.json")
    wanted = ["--tmpfs", folder, "--bind", token, token]
    assert agent_home.mounts(place(home, "claude", name="claude")) == wanted
    assert agent_home.mounts(place(home, "sh")) == []


def test_another_folder_of_the_agents_is_found_by_its_variable(home: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    given = place(home, "claude", name="claude", CLAUDE_CONFIG_DIR=str(other))
    assert agent_home.mounts(given) == ["--tmpfs", str(other)]


def test_the_runners_files_in_the_project_are_read_only(home: Path) -> None:
    given = place(home)
    for name in (".ralph-active", ".ralph/settings.json", "ralph/prd.md", ".ralph/runs/x"):
        (home / "work" / name).parent.mkdir(parents=True, exist_ok=True)
        (home / "work" / name).write_text("x")
    (home / "work/ralph/prompt.md").symlink_to("/etc/passwd")
    words = mounts.arguments(given, None)
    behind = words[words.index(given.root) :]
    found = [behind[i + 1] for i, word in enumerate(behind) if word == "--ro-bind"]
    wanted = (".ralph-active", ".ralph/runs", "ralph/prd.md", ".ralph/settings.json")
    assert found == [f"{given.root}/{name}" for name in wanted]


@pytest.mark.parametrize("root", ["/", "the home", "above the home"])
def test_a_project_that_holds_the_home_cannot_be_confined(home: Path, root: str) -> None:
    path = {"/": "/", "the home": str(home), "above the home": str(home.parent)}[root]
    found = mounts.problem(place(home)._replace(root=path), None)
    assert found.startswith(f"the project's {path} holds /")
    assert found.endswith(", which must stay hidden")


@pytest.mark.parametrize(
    ("inode", "path"),
    [
        ("193038", "/opt/daemon/its socket "),
        ("  1600", "/opt/daemon/its socket "),
        (" 24811", "@/no/file"),
        ("  1599", ""),
    ],
)
def test_where_a_socket_is_bound_is_read_whatever_its_inode(inode: str, path: str) -> None:
    line = f"00000000a677239a: 00000002 00000000 00010000 0001 01 {inode}"
    assert mounts.bound_to(f"{line} {path}\n" if path else f"{line}\n") == path


@pytest.mark.parametrize(("age", "masked"), [(3600, True), (0, False)])
def test_a_daemons_socket_is_masked_once_it_has_stood_a_while(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, age: int, masked: bool
) -> None:
    # The temporary folder stands for a part of the machine that is not hidden anyway.
    monkeypatch.setattr(mounts, "_PRIVATE", ())
    path = str(tmp_path / "d")
    with socket.socket(socket.AF_UNIX) as daemon:
        daemon.bind(path)
        daemon.listen()
        os.utime(path, (time.time() - age, time.time() - age))
        words = mounts.arguments(place(home), None)
    at = words.index(path) if path in words else 0
    assert (words[at - 2 : at] == ["--ro-bind", "/dev/null"]) is masked


def test_every_agent_of_a_run_is_shown_with_its_own_sign_in(home: Path) -> None:
    program(home / "a" / "one")
    program(home / "b" / "two")
    for path in (home / ".claude/.credentials.json", home / ".codex/auth.json"):
        path.parent.mkdir()
        path.touch()
    both = place(home)._replace(
        agents=((str(home / "a/one"),), (str(home / "b/two"),)), agent_names=("claude", "codex")
    )
    found = programs.needed(both.agents, both.environment)
    assert {str(home / "a/one"), str(home / "b/two")} <= set(found)
    words = agent_home.mounts(both)
    assert [words[n + 1] for n, word in enumerate(words) if word == "--bind"] == [
        str(home / ".claude/.credentials.json"),
        str(home / ".codex/auth.json"),
    ]
