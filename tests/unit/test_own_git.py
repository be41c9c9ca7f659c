"""What steers git is the runner's: whatever an agent does to it, it is as before."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Callable

import pytest
from ralph_engine.failure import Failure
from ralph_engine.own_git import OwnGit

MADE = ("-c", "user.name=A", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "x")


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True)
    return done.stdout.decode().strip()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = tmp_path / "project"
    made.mkdir()
    git(made, "init", "-q", "-b", "main")
    (made / ".git" / "hooks" / "pre-commit").write_text("#!/bin/sh\nexit 0\n")
    (made / ".git" / "hooks" / "pre-commit").chmod(0o750)
    (made / "team.config").write_text("[alias]\n\tst = status\n")
    git(made, "config", "include.path", "../team.config")
    git(made, "config", "--add", "include.path", "../not there yet")
    git(made, *MADE)
    return made.resolve()


def state(root: Path) -> dict[str, tuple[int, bytes]]:
    paths = [root / "team.config", *(p for p in (root / ".git").rglob("*") if p.is_file())]
    return {str(p): (p.stat().st_mode, p.read_bytes()) for p in paths}


def put_back(known: OwnGit) -> tuple[list[str], dict[str, bytes]]:
    kept: dict[str, bytes] = {}

    def keep(path: str, data: bytes) -> str:
        kept[os.path.basename(path)] = data
        return "KEPT"

    return list(known.put_back(keep)), kept


def replace_config(root: Path) -> None:
    (root / ".git/config").unlink()
    (root / ".git/config").write_text("[core]\n\tfsmonitor = ./trap\n")


def link_config(root: Path) -> None:
    (root / "mine").write_text("[core]\n\tfsmonitor = ./trap\n")
    (root / ".git/config").unlink()
    (root / ".git/config").symlink_to("../mine")


def remove_config(root: Path) -> None:
    (root / ".git/config").unlink()


def folder_for_config(root: Path) -> None:
    (root / ".git/config").unlink()
    (root / ".git/config").mkdir()


def change_hook(root: Path) -> None:
    (root / ".git/hooks/pre-commit").write_text("#!/bin/sh\n./trap\n")


def hook_runs_no_more(root: Path) -> None:
    (root / ".git/hooks/pre-commit").chmod(0o600)


def add_hook(root: Path) -> None:
    (root / ".git/hooks/post-index-change").write_text("#!/bin/sh\n./trap\n")


def hooks_elsewhere(root: Path) -> None:
    (root / ".git/hooks").rename(root / ".git/old")
    (root / "mine").mkdir()
    (root / ".git/hooks").symlink_to("../mine")


def add_attributes(root: Path) -> None:
    (root / ".git/info").mkdir(exist_ok=True)
    (root / ".git/info/attributes").write_text("* filter=trap\n")


def lead_elsewhere(root: Path) -> None:
    (root / ".git/commondir").write_text("../mine\n")


def change_included(root: Path) -> None:
    (root / "team.config").write_text("[core]\n\tfsmonitor = ./trap\n")


def make_included(root: Path) -> None:
    (root / "not there yet").write_text("[core]\n\tfsmonitor = ./trap\n")


@pytest.mark.parametrize(
    ("deed", "told"),
    [
        (replace_config, ".git/config"),
        (link_config, ".git/config"),
        (remove_config, ".git/config"),
        (folder_for_config, ".git/config"),
        (change_hook, ".git/hooks/pre-commit"),
        (hook_runs_no_more, ".git/hooks/pre-commit"),
        (add_hook, ".git/hooks/post-index-change"),
        (hooks_elsewhere, ".git/hooks"),
        (add_attributes, ".git/info/attributes"),
        (lead_elsewhere, ".git/commondir"),
        (change_included, "team.config"),
        (make_included, "not there yet"),
    ],
)
def test_a_changed_file_is_put_back_and_told(
    root: Path, deed: Callable[[Path], None], told: str
) -> None:
    known, before = OwnGit(str(root)), state(root)
    deed(root)
    sentences, _ = put_back(known)
    words = f"{told} may not change during a run: it can run programs here"
    assert [s for s in sentences if s.startswith(words)], sentences
    after = state(root)
    assert {path: after.get(path) for path in before} == before
    assert git(root, "config", "alias.st") == "status"
    assert subprocess.run(["git", "config", "core.fsmonitor"], cwd=root).returncode == 1
    assert put_back(known) == ([], {})


def test_the_agents_version_is_kept(root: Path) -> None:
    known = OwnGit(str(root))
    add_attributes(root)
    [sentence], kept = put_back(known)
    assert kept == {"attributes": b"* filter=trap\n"}
    assert sentence.endswith("; the agent's version is in KEPT.")


def test_nothing_is_said_of_work(root: Path) -> None:
    known = OwnGit(str(root))
    (root / "a").write_text("a")
    git(root, "add", "a")
    git(root, *MADE)
    git(root, "branch", "other")
    assert put_back(known) == ([], {})


def test_a_folder_that_was_moved_is_moved_back(root: Path) -> None:
    known, head = OwnGit(str(root)), git(root, "rev-parse", "HEAD")
    (root / "sub").mkdir()
    (root / ".git").rename(root / "sub" / "theirs")
    git(root, "init", "-q")
    git(root, "config", "core.fsmonitor", "./trap")
    [sentence], _ = put_back(known)
    aside = [path.name for path in root.glob(".git.of-the-agent-*")]
    assert sentence == f".git was moved away: it is back, and that is now {aside[0]}."
    assert git(root, "rev-parse", "HEAD") == head
    assert put_back(known) == ([], {})


def test_a_folder_that_is_gone_is_an_error_and_the_other_one_is_not_used(root: Path) -> None:
    known = OwnGit(str(root))
    (root / ".git").rename(root.parent / "far away")
    git(root, "init", "-q")
    with pytest.raises(Failure) as caught:
        put_back(known)
    assert str(caught.value).startswith(f"{root}/.git is gone: the agent moved or removed it; what")
    assert not (root / ".git").exists() and list(root.glob(".git.of-the-agent-*"))


def test_a_new_repository_is_taken_over_where_its_configuration_runs_nothing(
    tmp_path: Path,
) -> None:
    known = OwnGit(str(tmp_path))
    assert put_back(known) == ([], {})
    git(tmp_path, "init", "-q")
    git(tmp_path, "config", "user.name", "An Agent")
    assert put_back(known) == ([], {})
    git(tmp_path, "config", "core.fsmonitor", "./trap")
    [sentence], _ = put_back(known)
    assert sentence.startswith(".git/config may not change during a run")
    assert git(tmp_path, "config", "user.name") == "An Agent"


@pytest.mark.parametrize(
    ("key", "value"),
    [("core.fsmonitor", "./trap"), ("filter.x.clean", "./trap"), ("include.path", "../mine")]
    + [("core.worktree", "/"), ("diff.external", "./trap"), ("remote.o.uploadpack", "./trap")],
)
def test_a_new_repository_that_could_run_programs_is_moved_aside(
    tmp_path: Path, key: str, value: str
) -> None:
    known = OwnGit(str(tmp_path))
    git(tmp_path, "init", "-q")
    git(tmp_path, "config", key, value)
    [sentence], _ = put_back(known)
    assert sentence.startswith(f".git was made with {key}, which can run programs here: moved to ")
    assert not (tmp_path / ".git").exists() and list(tmp_path.glob(".git.of-the-agent-*"))


def test_what_a_killed_run_knew_is_still_known(root: Path, tmp_path: Path) -> None:
    before = state(root)
    OwnGit(str(root)).save(tmp_path)
    replace_config(root)
    add_hook(root)
    known = OwnGit(str(root))
    assert put_back(known) == ([], {})
    known.take_saved(tmp_path)
    assert len(put_back(known)[0]) == 2
    assert state(root) == before


def test_a_linked_worktree_keeps_its_way_to_the_repository(root: Path, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    git(root, "worktree", "add", "-q", str(tree))
    known = OwnGit(str(tree.resolve()))
    (tree / ".git").write_text("gitdir: /nowhere\n")
    (root / ".git" / "worktrees" / "tree" / "commondir").write_text("/nowhere\n")
    replace_config(root)
    assert len(put_back(known)[0]) == 3
    assert git(tree, "rev-parse", "--is-inside-work-tree") == "true"
    assert git(root, "config", "alias.st") == "status"
