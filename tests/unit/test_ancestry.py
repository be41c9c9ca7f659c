"""The processes this one descends from, read from /proc or asked of ps."""

from __future__ import annotations

import builtins
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from ralph_engine.core import ancestry

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
SECONDS = 60
ASK = """
import sys
sys.path.insert(0, sys.argv[1])
from ralph_engine.core import ancestry
if sys.argv[2] == "ps":
    ancestry.open = lambda *_: (_ for _ in ()).throw(FileNotFoundError())
print(*ancestry.of_this_process())
"""


def started(way: str, *through: str) -> list[int]:
    command = [*through, sys.executable, "-I", "-S", "-c", ASK, str(SCRIPTS), way]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=True)
    return [int(pid) for pid in done.stdout.split()]


@pytest.mark.parametrize("way", ["proc", "ps"])
def test_a_parent_is_an_ancestor_and_its_parents_are(way: str) -> None:
    assert started(way)[:2] == [os.getpid(), os.getppid()]


@pytest.mark.parametrize("way", ["proc", "ps"])
def test_a_process_between_is_counted(way: str) -> None:
    """The shell stays, because something follows."""
    found = started(way, "/bin/sh", "-c", '"$@"; :', "sh")
    assert found[1] == os.getpid() and found[0] not in (os.getpid(), 0, 1)


def test_both_ways_agree() -> None:
    assert started("proc") == started("ps")


def test_a_process_is_not_its_own_ancestor() -> None:
    assert os.getpid() not in ancestry.of_this_process()


def test_no_process_has_the_number_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    """Inside a container the first process has the parent 0, which is no process."""
    monkeypatch.setattr(ancestry, "_parent", lambda pid: 0)
    assert 0 not in ancestry.of_this_process()


def test_a_child_is_not_an_ancestor() -> None:
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as child:
        assert child.pid not in ancestry.of_this_process()
        assert child.stdin
        child.stdin.close()
        child.wait(timeout=SECONDS)


def test_a_circle_of_parents_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ancestry, "_parent", lambda pid: 1000 + pid % 2)
    assert len(ancestry.of_this_process()) < 100


@pytest.mark.parametrize("name", ["a) b (c", ") 7 8", "x y"])
def test_a_name_with_brackets_and_blanks_is_read_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    status = tmp_path / "stat"
    status.write_text(f"4711 ({name}) S 42 4711 4711 0 -1")
    real = open
    monkeypatch.setattr(builtins, "open", lambda *_: real(status, "rb"))
    assert ancestry._parent(4711) == 42


@pytest.mark.parametrize("output", ["", "rubbish", "4711 (x) S", "4711 (x) S x 1"])
def test_a_status_that_cannot_be_read_leads_to_ps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, output: str
) -> None:
    status = tmp_path / "stat"
    status.write_text(output)
    real = open
    monkeypatch.setattr(ancestry, "open", lambda *_: real(status, "rb"), raising=False)
    assert ancestry._parent(os.getppid()) == grandparent()


def grandparent() -> int:
    command = ["ps", "-o", "ppid=", "-p", str(os.getppid())]
    return int(subprocess.run(command, capture_output=True, timeout=SECONDS).stdout)


def test_a_process_that_is_gone_has_no_parent() -> None:
    child = subprocess.Popen([sys.executable, "-I", "-S", "-c", ""])
    child.wait(timeout=SECONDS)
    assert ancestry._parent(child.pid) == 0


def test_without_ps_there_is_no_parent(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def missing(*_: Any) -> None:
        raise FileNotFoundError

    monkeypatch.setattr(ancestry, "open", missing, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert ancestry._parent(os.getppid()) == 0
