"""What two commits have differently, in a real repository whose settings are the agent's."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from ralph_engine import commit_files, git

LONG = "".join(f"line {n}\n" for n in range(30))


class Repository:
    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir()
        self.git("init", "-q")

    def git(self, *arguments: str) -> str:
        who = ["-c", "user.name=a", "-c", "user.email=a@localhost"]
        done = subprocess.run(
            ["git", *who, *arguments], cwd=self.root, check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    def commit(self, **texts: str | None) -> str:
        """Files by name, `__` for a slash; None deletes."""
        for name, text in texts.items():
            path = self.root / name.replace("__", "/")
            path.parent.mkdir(exist_ok=True, parents=True)
            path.unlink() if text is None else path.write_text(text)
        self.git("add", "-A")
        self.git("commit", "-qm", "x", "--allow-empty")
        return self.git("rev-parse", "HEAD")


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "repository")


def changed(repository: Repository, old: str, new: str, inside: str = "") -> dict[str, object]:
    """The paths, and both contents."""
    root = str(repository.root / inside)
    found = commit_files.differences(root, old, new)
    assert found is not None
    blobs = [blob for one in found for blob in (one.old, one.new)]
    texts = {"": None, **commit_files.contents(root, blobs, 10_000, 100_000)}
    return {f"{d.old_path} {d.path}": (texts.get(d.old), texts.get(d.new)) for d in found}


def test_new_changed_deleted_and_renamed(repository: Repository) -> None:
    old = repository.commit(a="1\n", b="2\n", long=LONG)
    new = repository.commit(a="one\n", b=None, c="3\n", long=None, moved=LONG + "more\n")
    assert changed(repository, old, new) == {
        "a a": (b"1\n", b"one\n"),
        "b b": (b"2\n", None),
        "c c": (None, b"3\n"),
        "long moved": (LONG.encode(), (LONG + "more\n").encode()),
    }
    assert changed(repository, new, new) == {}


def test_settings_of_the_repository_change_nothing(repository: Repository) -> None:
    old = repository.commit(long=LONG)
    touched = repository.root / "touched"
    for name in ("diff.external", "diff.x.command", "diff.x.textconv", "filter.x.smudge"):
        repository.git("config", name, f"touch {touched}")
    repository.git("config", "diff.renames", "false")
    repository.git("config", "diff.noprefix", "true")
    repository.git("config", "core.abbrev", "7")
    (repository.root / ".git" / "info" / "attributes").write_text("* diff=x filter=x\n")
    new = repository.commit(long=None, other=LONG)
    assert list(changed(repository, old, new)) == ["long other"]
    assert not touched.exists()


def test_a_link_is_no_ordinary_file(repository: Repository) -> None:
    old = repository.commit(a="1\n")
    (repository.root / "a").unlink()
    os.symlink("/etc/hostname", repository.root / "a")
    assert changed(repository, old, repository.commit()) == {"a a": (b"1\n", None)}


def test_names_are_those_of_the_project_in_a_larger_repository(repository: Repository) -> None:
    old = repository.commit(sub__a="1\n", b="2\n")
    new = repository.commit(sub__a="3\n", b="4\n")
    assert set(changed(repository, old, new, "sub")) == {"a a", "../b ../b"}


def test_strange_names(repository: Repository) -> None:
    name = 'tab\tnew\nline "é"'
    old = repository.commit()
    assert list(changed(repository, old, repository.commit(**{name: "1"}))) == [f"{name} {name}"]


def test_what_is_too_large_is_left_out(repository: Repository) -> None:
    old = repository.commit(a="1\n", b="2\n")
    new = repository.commit(a="x" * 10_001, b="x" * 10_000)
    found = changed(repository, old, new)
    assert found == {"a a": (b"1\n", None), "b b": (b"2\n", b"x" * 10_000)}


def test_one_file_by_its_path(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of a large one: six hundred megabytes were a gigabyte of memory."""
    commit = repository.commit(a="x" * 10_001, d__b="x" * 10_000)
    answers: list[git.Answer] = []
    ask = git.ask

    def noted(root: str, *arguments: str) -> git.Answer:
        answers.append(ask(root, *arguments))
        return answers[-1]

    monkeypatch.setattr(git, "ask", noted)
    inside = str(repository.root / "d")
    found = [commit_files.content(inside, commit, n, 10_000) for n in ("../a", "b", "none", ".")]
    assert found == [b"", b"x" * 10_000, None, None]
    assert max(len(answer.output) for answer in answers) == 10_000


def test_all_together_have_a_limit(repository: Repository) -> None:
    repository.commit(**{f"f{n}": str(n) * 9_000 for n in range(9)})
    blobs = repository.git("ls-tree", "HEAD", "--format=%(objectname)").split()
    found = commit_files.contents(str(repository.root), blobs, 10_000, 30_000)
    assert [len(text) for text in found.values()] == [9_000] * 3


def test_git_that_cannot_tell(repository: Repository) -> None:
    commit = repository.commit()
    assert commit_files.differences(str(repository.root), "0" * 40, commit) is None
