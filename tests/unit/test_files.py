"""The door to the disk: all or nothing, bounded, and nothing followed below the root."""

from __future__ import annotations

import errno
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any, Callable

import pytest
from ralph_engine.core import files

SECONDS = 60
SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
NAMES = [
    "two words",
    'it\'s "quoted"',
    "line\nbreak",
    "\N{PILE OF POO}",
    "-rf",
    "*",
    "..x",
    ".hidden",
    os.fsdecode(b"\xff"),
    "x" * 200,
]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    root.mkdir()
    return root


def names(folder: Path) -> list[str]:
    return sorted(os.listdir(folder))


def raising(number: int) -> Callable[..., Any]:
    def fail(*_: Any, **__: Any) -> None:
        raise OSError(number, os.strerror(number))

    return fail


@pytest.mark.parametrize("relative", ["a", "deep/er/a"])
def test_what_was_written_is_read(root: Path, relative: str) -> None:
    files.replace_bytes(str(root), relative, b"one")
    files.replace_bytes(str(root), relative, b"two")
    assert files.read_bytes(str(root), relative, 3) == b"two"
    assert names((root / relative).parent) == ["a"]


def test_an_empty_file_is_written_and_read(root: Path) -> None:
    files.replace_bytes(str(root), "a", b"")
    assert files.read_bytes(str(root), "a", 0) == b""


@pytest.mark.parametrize("call", ["rename", "fsync", "write"])
def test_a_crash_before_the_rename_leaves_the_old_content(
    root: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    files.replace_bytes(str(root), "a", b"old")
    monkeypatch.setattr(os, call, raising(errno.ENOSPC))
    with pytest.raises(files.FileFault, match="^a cannot be used"):
        files.replace_bytes(str(root), "a", b"new")
    monkeypatch.undo()
    assert (root / "a").read_bytes() == b"old"
    assert names(root) == ["a"]


def test_the_content_is_synced_before_the_rename_and_the_folder_after(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []
    sync, rename = os.fsync, os.rename

    def seen_sync(fd: int) -> None:
        calls.append("sync folder" if os.path.isdir(f"/dev/fd/{fd}") else "sync file")
        sync(fd)

    def seen_rename(*args: Any, **options: Any) -> None:
        calls.append("rename")
        rename(*args, **options)

    monkeypatch.setattr(os, "fsync", seen_sync)
    monkeypatch.setattr(os, "rename", seen_rename)
    files.replace_bytes(str(root), "a", b"new")
    assert calls == ["sync file", "rename", "sync folder"]


def test_a_write_in_pieces_is_completed(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.write
    monkeypatch.setattr(os, "write", lambda fd, data: write(fd, bytes(data[:3])))
    files.replace_bytes(str(root), "a", b"0123456789")
    assert (root / "a").read_bytes() == b"0123456789"


def test_a_new_file_has_the_mode_that_was_asked_for(root: Path) -> None:
    before = os.umask(0)
    try:
        files.replace_bytes(str(root), "a", b"", 0o600)
        files.append(str(root), "b", b"", 0o600)
    finally:
        os.umask(before)
    assert [(root / name).stat().st_mode & 0o777 for name in "ab"] == [0o600, 0o600]


def test_no_descriptor_is_left_open(root: Path) -> None:
    (root / "link").symlink_to(root)
    open_now = names(Path("/dev/fd"))
    for relative in ("a/b", "link/a", "missing/x/y", "a\0b", "x\0y/z"):
        for act in (reading, writing, appending, moving, looking):
            try:
                act(str(root), relative)
            except (files.FileFault, ValueError):
                pass
    assert names(Path("/dev/fd")) == open_now


def reading(root: str, relative: str) -> object:
    return files.read_bytes(root, relative, 100)


def tailing(root: str, relative: str) -> object:
    return files.read_tail(root, relative, 100)


def in_blocks(root: str, relative: str) -> object:
    return b"".join(files.blocks(root, relative))


def writing(root: str, relative: str) -> object:
    return files.replace_bytes(root, relative, b"x")


def appending(root: str, relative: str) -> object:
    return files.append(root, relative, b"x")


def moving(root: str, relative: str) -> object:
    return files.move(root, relative, "moved")


def looking(root: str, relative: str) -> object:
    return files.kind(root, relative)


READERS = [reading, tailing, in_blocks]
Act = Callable[[str, str], object]


@pytest.mark.parametrize(("size", "fits"), [(0, True), (9, True), (10, True), (11, False)])
def test_the_cap_is_exact(root: Path, size: int, fits: bool) -> None:
    (root / "a").write_bytes(b"x" * size)
    if fits:
        assert files.read_bytes(str(root), "a", 10) == b"x" * size
    else:
        with pytest.raises(files.FileFault, match="^a is larger than 10 bytes; make it smaller$"):
            files.read_bytes(str(root), "a", 10)


def test_a_file_beyond_the_cap_is_not_read(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / "a").write_bytes(b"x" * 11)
    monkeypatch.setattr(os, "read", raising(errno.EIO))
    with pytest.raises(files.FileFault, match="is larger"):
        files.read_bytes(str(root), "a", 10)


def test_a_file_that_grows_while_it_is_read_meets_the_cap(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "a").write_bytes(b"x" * 5)
    read, sizes = os.read, []

    def growing(fd: int, size: int) -> bytes:
        with (root / "a").open("ab") as file:
            file.write(b"x" * 5)
        block = read(fd, min(size, 5))
        sizes.append(len(block))
        return block

    monkeypatch.setattr(os, "read", growing)
    with pytest.raises(files.FileFault, match="is larger"):
        files.read_bytes(str(root), "a", 10)
    assert sum(sizes) == 11


@pytest.mark.parametrize(
    ("content", "size", "tail"),
    [
        (b"", 4, b""),
        (b"ab", 4, b"ab"),
        (b"abcd", 4, b"abcd"),
        (b"abcdef", 4, b"cdef"),
        (b"abcdef", 0, b""),
        (b"x" * 200_000 + b"end", 100_000, b"x" * 99_997 + b"end"),
    ],
)
def test_the_tail_is_the_end_of_the_file(
    root: Path, content: bytes, size: int, tail: bytes
) -> None:
    (root / "a").write_bytes(content)
    assert files.read_tail(str(root), "a", size) == tail


@pytest.mark.parametrize("size", [0, 1, 65_536, 65_537, 200_000])
def test_the_blocks_are_the_file(root: Path, size: int) -> None:
    content = os.urandom(size)
    (root / "a").write_bytes(content)
    found = list(files.blocks(str(root), "a"))
    assert b"".join(found) == content
    assert all(0 < len(block) <= 65_536 for block in found)


def directory(root: Path, _: Path) -> None:
    (root / "a").mkdir()


def fifo(root: Path, _: Path) -> None:
    os.mkfifo(root / "a")


def bound_socket(root: Path, _: Path) -> None:
    here = os.getcwd()
    os.chdir(root)  # a socket's path may have some hundred bytes only
    try:
        with socket.socket(socket.AF_UNIX) as end:
            end.bind("a")
    finally:
        os.chdir(here)


def link(root: Path, elsewhere: Path) -> None:
    (root / "a").symlink_to(elsewhere / "file")


def link_inside(root: Path, _: Path) -> None:
    (root / "b").write_text("")
    (root / "a").symlink_to("b")


def dangling(root: Path, elsewhere: Path) -> None:
    (root / "a").symlink_to(elsewhere / "nothing")


def hard_link(root: Path, elsewhere: Path) -> None:
    os.link(elsewhere / "file", root / "a")


ODD = {
    directory: "is a directory",
    fifo: "is not a regular file",
    bound_socket: "cannot be used",
    link: "is reached through a link or a file",
    link_inside: "is reached through a link or a file",
    dangling: "is reached through a link or a file",
    hard_link: "is a hard link, shared with another name",
}


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    (folder / "file").write_bytes(b"theirs")
    return folder


def test_a_digest_may_be_taken_of_a_file_with_a_second_name(root: Path, elsewhere: Path) -> None:
    hard_link(root, elsewhere)
    assert in_blocks(str(root), "a") == b"theirs"


@pytest.mark.parametrize(
    ("act", "make"),
    [(act, make) for act in READERS for make in ODD if (act, make) != (in_blocks, hard_link)],
)
def test_only_a_file_of_its_own_is_read(
    root: Path, elsewhere: Path, act: Act, make: Callable[[Path, Path], None]
) -> None:
    make(root, elsewhere)
    with pytest.raises(files.FileFault) as caught:
        act(str(root), "a")
    assert caught.value.path == "a" and ODD[make] in caught.value.problem
    assert not isinstance(caught.value, files.Missing)


@pytest.mark.parametrize("make", ODD)
def test_only_a_file_of_its_own_is_appended_to(
    root: Path, elsewhere: Path, make: Callable[[Path, Path], None]
) -> None:
    make(root, elsewhere)
    with pytest.raises(files.FileFault):
        files.append(str(root), "a", b"x")
    assert (elsewhere / "file").read_bytes() == b"theirs"
    assert names(elsewhere) == ["file"]


@pytest.mark.parametrize("make", [link, link_inside, dangling, hard_link, fifo, bound_socket])
def test_a_replacement_takes_the_place_and_leaves_what_was_named(
    root: Path, elsewhere: Path, make: Callable[[Path, Path], None]
) -> None:
    make(root, elsewhere)
    files.replace_bytes(str(root), "a", b"ours")
    assert files.read_bytes(str(root), "a", 10) == b"ours"
    assert (elsewhere / "file").read_bytes() == b"theirs"
    assert names(elsewhere) == ["file"]


def test_a_folder_is_not_replaced(root: Path) -> None:
    (root / "a").mkdir()
    with pytest.raises(files.FileFault, match="^a cannot be used"):
        files.replace_bytes(str(root), "a", b"x")
    assert names(root) == ["a"] and (root / "a").is_dir()


@pytest.mark.parametrize("level", ["a", "a/b", "a/b/c"])
@pytest.mark.parametrize("act", [*READERS, writing, appending, moving])
def test_no_link_is_followed_at_any_level(
    root: Path, elsewhere: Path, act: Act, level: str
) -> None:
    (elsewhere / "a" / "b" / "c").mkdir(parents=True)
    (elsewhere / "a" / "b" / "c" / "f").write_bytes(b"theirs")
    (root / level).parent.mkdir(parents=True, exist_ok=True)
    (root / level).symlink_to(elsewhere / level)
    with pytest.raises(files.FileFault, match="is reached through a link"):
        act(str(root), "a/b/c/f")
    assert (elsewhere / "a" / "b" / "c" / "f").read_bytes() == b"theirs"
    assert names(elsewhere / "a" / "b" / "c") == ["f"]
    assert files.kind(str(root), "a/b/c/f") == "absent"


@pytest.mark.parametrize("act", [*READERS, writing, appending, moving])
def test_a_file_is_no_folder(root: Path, act: Act) -> None:
    (root / "a").write_text("")
    with pytest.raises(files.FileFault, match="^a/b is reached through a link or a file; "):
        act(str(root), "a/b")


@pytest.mark.parametrize("act", [*READERS, moving])
@pytest.mark.parametrize("relative", ["a", "a/b"])
def test_what_is_missing_is_said_and_not_made(root: Path, act: Act, relative: str) -> None:
    with pytest.raises(files.Missing, match=f"^{relative} is missing; create it$"):
        act(str(root), relative)
    assert names(root) == []


@pytest.mark.parametrize("act", [*READERS, writing, appending])
def test_a_root_that_is_gone_is_not_made(tmp_path: Path, act: Act) -> None:
    with pytest.raises(files.Missing):
        act(str(tmp_path / "gone"), "a")
    assert names(tmp_path) == []


def test_the_root_itself_may_be_reached_by_a_link(root: Path, tmp_path: Path) -> None:
    (tmp_path / "short").symlink_to(root)
    files.replace_bytes(str(tmp_path / "short"), "a", b"x")
    assert (root / "a").read_bytes() == b"x"


def test_append_returns_the_new_length(root: Path) -> None:
    assert files.append(str(root), "deep/a", b"12345") == 5
    assert files.append(str(root), "deep/a", b"") == 5
    assert files.append(str(root), "deep/a", b"678") == 8
    assert (root / "deep" / "a").read_bytes() == b"12345678"


def test_half_an_append_is_a_fault(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.write
    monkeypatch.setattr(os, "write", lambda fd, data: write(fd, data[:3]))
    with pytest.raises(files.FileFault, match="^a took only part of a line; "):
        files.append(str(root), "a", b"12345")


def test_an_append_that_fails_is_a_fault(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "write", raising(errno.ENOSPC))
    with pytest.raises(files.FileFault, match="^a cannot be used"):
        files.append(str(root), "a", b"12345")


APPENDING = """
import sys
sys.path.insert(0, sys.argv[1])
from ralph_engine.core import files
sys.stdin.read()
for number in range(100):
    files.append(sys.argv[2], "a", f"{sys.argv[3]} {number} {'x' * 500}\\n".encode())
"""


def test_appends_of_eight_processes_keep_their_lines_whole(root: Path) -> None:
    commands = [
        [sys.executable, "-I", "-S", "-c", APPENDING, str(SCRIPTS), str(root), str(who)]
        for who in range(8)
    ]
    children = [subprocess.Popen(command, stdin=subprocess.PIPE) for command in commands]
    for child in children:  # all are waiting at their input: let them go together
        assert child.stdin
        child.stdin.close()
    assert [child.wait(timeout=SECONDS) for child in children] == [0] * 8
    lines = (root / "a").read_text().splitlines()
    expected = [f"{who} {number} {'x' * 500}" for who in range(8) for number in range(100)]
    assert sorted(lines) == sorted(expected)


def test_two_writers_leave_one_of_their_files(root: Path) -> None:
    code = APPENDING.replace(
        'files.append(sys.argv[2], "a", ', 'files.replace_bytes(sys.argv[2], "a", '
    )
    commands = [
        [sys.executable, "-I", "-S", "-c", code, str(SCRIPTS), str(root), str(who)]
        for who in range(3)
    ]
    children = [subprocess.Popen(command, stdin=subprocess.PIPE) for command in commands]
    for child in children:
        assert child.stdin
        child.stdin.close()
    assert [child.wait(timeout=SECONDS) for child in children] == [0] * 3
    assert (root / "a").read_text() in [f"{who} 99 {'x' * 500}\n" for who in range(3)]
    assert names(root) == ["a"]


def test_a_move_makes_the_folder_it_needs(root: Path) -> None:
    (root / "a").write_text("x")
    files.move(str(root), "a", "deep/er/b")
    assert names(root) == ["deep"] and (root / "deep" / "er" / "b").read_text() == "x"


def test_a_move_takes_a_link_and_not_what_it_names(root: Path, elsewhere: Path) -> None:
    (root / "a").symlink_to(elsewhere / "file")
    files.move(str(root), "a", "b")
    assert os.readlink(root / "b") == str(elsewhere / "file")
    assert (elsewhere / "file").read_bytes() == b"theirs"


def test_a_move_does_not_follow_the_target(root: Path, elsewhere: Path) -> None:
    (root / "a").write_text("x")
    (root / "b").symlink_to(elsewhere)
    with pytest.raises(files.FileFault):
        files.move(str(root), "a", "b/c")
    assert names(elsewhere) == ["file"] and (root / "a").exists()


def test_a_move_of_nothing_makes_nothing(root: Path) -> None:
    (root / "from").mkdir()
    with pytest.raises(files.Missing):
        files.move(str(root), "from/a", "to/a")
    assert names(root) == ["from"]


@pytest.mark.parametrize("name", NAMES)
def test_any_name_works(root: Path, name: str) -> None:
    relative = f"{name}/{name}"
    files.replace_bytes(str(root), relative, b"one")
    assert files.append(str(root), relative, b"two") == 6
    assert files.read_bytes(str(root), relative, 10) == b"onetwo"
    assert files.kind(str(root), relative) == "file"
    files.move(str(root), relative, f"{name}/other")
    assert names(root / name) == ["other"]


@pytest.mark.parametrize("name", ["a\0b", "\ud800", "a\0b/c"])
@pytest.mark.parametrize("act", [reading, writing, appending, moving])
def test_a_name_that_no_file_can_have_is_a_fault(root: Path, act: Act, name: str) -> None:
    with pytest.raises(files.FileFault):
        act(str(root), name)
    assert files.kind(str(root), name) == "absent"


def test_what_is_removed_is_the_name_and_not_what_it_leads_to(root: Path, elsewhere: Path) -> None:
    (root / "a").write_text("")
    (root / "b").symlink_to(elsewhere / "file")
    for name in "ab":
        files.remove(str(root), name)
    assert names(root) == [] and names(elsewhere) == ["file"]


def test_a_folder_is_moved_aside_and_not_emptied(root: Path) -> None:
    (root / "a").mkdir()
    (root / "a" / "kept").write_text("")
    files.remove(str(root), "a")
    assert [names(root / name) for name in names(root)] == [["kept"]] and names(root) != ["a"]


def test_what_is_missing_cannot_be_removed(root: Path) -> None:
    with pytest.raises(files.Missing):
        files.remove(str(root), "a")


def test_a_folder_that_cannot_be_moved_aside_is_a_fault(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "a").mkdir()
    monkeypatch.setattr(os, "rename", raising(errno.EACCES))
    with pytest.raises(files.FileFault):
        files.remove(str(root), "a")


KINDS = {
    directory: "folder",
    fifo: "other",
    bound_socket: "other",
    link: "link",
    dangling: "link",
    hard_link: "file",
}


@pytest.mark.parametrize("make", KINDS)
def test_the_kind_is_said_without_following(
    root: Path, elsewhere: Path, make: Callable[[Path, Path], None]
) -> None:
    make(root, elsewhere)
    assert files.kind(str(root), "a") == KINDS[make]


def test_the_kind_of_nothing_is_absent(root: Path) -> None:
    assert files.kind(str(root), "a") == files.kind(str(root), "a/b") == "absent"
    assert files.kind(str(root / "gone"), "a") == "absent"


def test_a_fault_says_what_why_and_what_to_do() -> None:
    fault = files.FileFault("a/b", "is odd", "even it out")
    assert str(fault) == "a/b is odd; even it out"
    assert (fault.path, fault.problem, fault.fix) == ("a/b", "is odd", "even it out")


def test_only_a_killed_writers_own_leftovers_are_forgotten(tmp_path: Path) -> None:
    (tmp_path / "ralph").mkdir()
    ours = tmp_path / "ralph" / ".tasks.json.0123456789ab.tmp"
    others = [".tasks.json.short.tmp", ".other.0123456789ab.tmp", "tasks.json.0123456789ab.tmp"]
    for name in others:
        (tmp_path / "ralph" / name).touch()
    ours.touch()
    files.forget_unfinished(str(tmp_path), "ralph/tasks.json")
    files.forget_unfinished(str(tmp_path), "absent/tasks.json")
    assert sorted(p.name for p in (tmp_path / "ralph").iterdir()) == sorted(others)
