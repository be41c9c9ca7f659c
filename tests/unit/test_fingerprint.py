"""A word for the state of a path: the same word exactly while nothing changed."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Callable

import pytest
from ralph_engine.core import fingerprint


def test_a_file_is_its_digest(tmp_path: Path) -> None:
    content = os.urandom(200_000)
    (tmp_path / "a").write_bytes(content)
    expected = "sha256:" + hashlib.sha256(content).hexdigest()
    assert fingerprint.of(str(tmp_path), "a") == expected


def absent(path: Path) -> None:
    pass


def empty(path: Path) -> None:
    path.write_bytes(b"")


def one(path: Path) -> None:
    path.write_bytes(b"1")


def two(path: Path) -> None:
    path.write_bytes(b"2")


def link(path: Path) -> None:
    path.symlink_to("target")


def other_link(path: Path) -> None:
    path.symlink_to("target2")


def link_named_like_content(path: Path) -> None:
    path.symlink_to("1")


def folder(path: Path) -> None:
    path.mkdir()


def fifo(path: Path) -> None:
    os.mkfifo(path)


STATES = [absent, empty, one, two, link, other_link, link_named_like_content, folder, fifo]


def word_of(root: Path, make: Callable[[Path], None]) -> str:
    root.mkdir()
    make(root / "a")
    return fingerprint.of(str(root), "a")


def test_different_states_have_different_words(tmp_path: Path) -> None:
    words = [word_of(tmp_path / str(number), make) for number, make in enumerate(STATES)]
    assert len(set(words)) == len(STATES)
    assert fingerprint.ANY not in words


@pytest.mark.parametrize("make", STATES)
def test_the_same_state_has_the_same_word(tmp_path: Path, make: Callable[[Path], None]) -> None:
    assert word_of(tmp_path / "1", make) == word_of(tmp_path / "2", make)


def test_nothing_is_absent(tmp_path: Path) -> None:
    assert fingerprint.of(str(tmp_path), "a") == fingerprint.ABSENT
    assert fingerprint.of(str(tmp_path), "a/b/c") == fingerprint.ABSENT


def test_a_file_with_a_second_name_changes_its_word_with_its_content(tmp_path: Path) -> None:
    """A hard link is no file to write to, but a person may well have one."""
    (tmp_path / "a").write_text("1")
    os.link(tmp_path / "a", tmp_path / "b")
    before = fingerprint.of(str(tmp_path), "a")
    (tmp_path / "a").write_text("2")
    assert fingerprint.of(str(tmp_path), "a") != before


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "target").write_text("1")
    link(tmp_path / "a")
    before = fingerprint.of(str(tmp_path), "a")
    (tmp_path / "target").write_text("2")
    assert fingerprint.of(str(tmp_path), "a") == before


def test_what_changed_is_named_in_order(tmp_path: Path) -> None:
    for name in "abcd":
        (tmp_path / name).write_text("1")
    before = {name: fingerprint.of(str(tmp_path), name) for name in "abcde"}
    before["d"] = fingerprint.ANY
    assert fingerprint.changed(str(tmp_path), before) == []
    (tmp_path / "c").write_text("2")
    (tmp_path / "a").unlink()
    (tmp_path / "d").unlink()
    (tmp_path / "e").write_text("new")
    assert fingerprint.changed(str(tmp_path), before) == ["a", "c", "e"]


@pytest.mark.parametrize("name", ["two words", "line\nbreak", "\N{SNOWMAN}", os.fsdecode(b"\xff")])
def test_any_name_works(tmp_path: Path, name: str) -> None:
    one(tmp_path / name)
    assert fingerprint.of(str(tmp_path), name).startswith("sha256:")
    (tmp_path / name).unlink()
    (tmp_path / name).symlink_to(name)
    assert fingerprint.of(str(tmp_path), name).startswith("link:")


@pytest.mark.parametrize("name", ["a\0b", "\ud800", "", "/etc/passwd"])
def test_a_name_that_no_file_can_have_is_absent(tmp_path: Path, name: str) -> None:
    assert fingerprint.of(str(tmp_path), name) == fingerprint.ABSENT
