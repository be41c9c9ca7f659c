"""Who belongs to a program, who is ended, and who is not: by /proc and by ps."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator

import pytest
from ralph_engine import descendants, proc_table, ps_table
from ralph_engine.process_tree import Process, kin, line_of

# Its parent ends at once, so it is nobody's child; it says when it is ready.
ORPHAN = """
import os, signal, sys
if os.fork():
    os._exit(0)
os.setsid()
for number in map(int, sys.argv[2].split()):
    signal.signal(number, signal.SIG_IGN)
signal.alarm(90)
print(os.getpid(), flush=True)
os.close(1)
os.close(2)
while True:
    signal.pause()
"""


@pytest.fixture(params=[proc_table, ps_table], ids=["proc", "ps"])
def table(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> descendants.Table:
    monkeypatch.setattr(descendants, "table", request.param)
    found: descendants.Table = request.param
    return found


@pytest.fixture
def mark() -> str:
    return f"RALPH_RUN_ID={uuid.uuid4()}"


class Orphans:
    def __init__(self) -> None:
        self._pids: list[int] = []

    def start(self, marked: str = "", argument: str = "", deaf: str = "") -> int:
        name, _, value = marked.partition("=")
        environment = {**os.environ, **({name: value} if name else {})}
        argv = [sys.executable, "-c", ORPHAN, argument, deaf]
        done = subprocess.run(argv, env=environment, check=True, capture_output=True, timeout=30)
        self._pids.append(int(done.stdout))
        return self._pids[-1]

    def end(self) -> None:
        for pid in filter(lives, self._pids):
            os.kill(pid, signal.SIGKILL)


@pytest.fixture
def orphans() -> Iterator[Orphans]:
    found = Orphans()
    yield found
    found.end()


def lives(pid: int) -> bool:
    return any(row.pid == pid and not row.dead for row in proc_table.rows())


def row_of(table: descendants.Table, pid: int) -> Process:
    return next(row for row in table.rows() if row.pid == pid)


@pytest.mark.parametrize(("older", "spared"), [(0.0, False), (3600.0, True)])
def test_a_number_that_belongs_to_another_process_now_is_not_signalled(
    table: descendants.Table, orphans: Orphans, mark: str, older: float, spared: bool
) -> None:
    pid = orphans.start()
    watch = descendants.Watch(mark)
    row = row_of(table, pid)
    watch._known = [row._replace(start=row.start - older)]
    assert watch.sweep() == []
    assert lives(pid) == spared


@pytest.mark.parametrize(("older", "spared"), [(0.0, False), (3600.0, True)])
def test_the_start_is_looked_at_right_before_the_signal(
    table: descendants.Table, orphans: Orphans, older: float, spared: bool
) -> None:
    row = row_of(table, orphans.start())
    found = list(table.still([row._replace(start=row.start - older)]))
    assert bool(found) != spared


def test_the_group_of_a_program_that_nobody_saw_alive_is_ended(
    table: descendants.Table, mark: str
) -> None:
    """Its child has no mark and no parent that is known."""
    watch = descendants.Watch(mark)
    leaves = "env -i sleep 90 >&- 2>&- & echo $!"
    leader = subprocess.Popen(
        ["sh", "-c", leaves], stdout=subprocess.PIPE, start_new_session=True
    )
    watch.follow(leader.pid)
    left = int(leader.communicate(timeout=30)[0])
    assert lives(left)
    watch.exited()
    assert watch.sweep() == []
    assert not lives(left)


@pytest.mark.parametrize("deaf", ["", f"{int(signal.SIGTERM)} {int(signal.SIGINT)}"])
def test_orphans_with_the_mark_are_ended_and_no_others(
    table: descendants.Table, orphans: Orphans, mark: str, deaf: str
) -> None:
    ours = orphans.start(mark, deaf=deaf)
    stopped = orphans.start(mark)
    os.kill(stopped, signal.SIGSTOP)
    others = [
        orphans.start(),
        orphans.start(argument=mark),
        orphans.start(mark + "0"),
        orphans.start("X_" + mark),
    ]
    assert descendants.end_marked(mark) == []
    assert not lives(ours) and not lives(stopped)
    assert all(map(lives, others))


@pytest.mark.parametrize("nothing", ["", "RALPH_RUN_ID="])
def test_a_mark_that_says_nothing_is_nobodys(table: descendants.Table, nothing: str) -> None:
    """Looked for, it would be found in every process of the machine; nothing is signalled here."""
    assert descendants._marked(nothing, table.rows()) == []


def test_neither_ourselves_nor_our_ancestors_are_ended(mark: str) -> None:
    """A program with the mark asks, below another with the mark; it says so when it has lived."""
    asks = (
        "import sys; sys.path.insert(0, sys.argv[1]);"
        "from ralph_engine import descendants; print(descendants.end_marked(sys.argv[2]))"
    )
    scripts = os.path.dirname(os.path.dirname(descendants.__file__))
    name, _, value = mark.partition("=")
    argv = ["sh", "-c", '"$@"; echo and the parent', "sh", sys.executable, "-c", asks]
    argv += [scripts, mark]
    done = subprocess.run(
        argv, env={**os.environ, name: value}, capture_output=True, text=True, timeout=30
    )
    assert done.stdout == "[]\nand the parent\n"


def test_both_tables_know_the_same_of_a_process() -> None:
    ours = row_of(proc_table, os.getpid())
    theirs = row_of(ps_table, os.getpid())
    assert ours[:4] == theirs[:4] == (os.getpid(), os.getppid(), os.getpgrp(), os.geteuid())
    assert not ours.dead and not theirs.dead
    assert 0 <= time.time() - theirs.start < 24 * 3600


def test_a_dead_process_that_nobody_waited_for_is_known_as_such() -> None:
    child = subprocess.Popen(["true"], stdout=subprocess.PIPE)
    assert child.stdout is not None
    with child.stdout as pipe:
        pipe.read()
    deadline = time.monotonic() + 10
    while not row_of(proc_table, child.pid).dead and time.monotonic() < deadline:
        pass
    assert row_of(proc_table, child.pid).dead and row_of(ps_table, child.pid).dead
    child.wait()


@pytest.mark.parametrize(
    ("line", "row"),
    [
        (
            "    7     1     7   501 Ss   Thu Jan  1 00:01:05 1970",
            Process(7, 1, 7, 501, 65.0),
        ),
        ("7 1 7 0 Z+ Thu Jan  1 00:00:00 1970", Process(7, 1, 7, 0, 0.0, True)),
        ("7 1 7 0 S - ", None),
        ("PID PPID", None),
        ("", None),
    ],
)
def test_a_row_of_ps(line: str, row: Process | None) -> None:
    assert ps_table.parsed(line) == row


def tree(*edges: tuple[int, int, int]) -> list[Process]:
    return [Process(pid, parent, group, 0, 1.0) for pid, parent, group in edges]


def test_kin_are_those_below_and_those_in_groups_that_they_lead() -> None:
    rows = tree((1, 0, 1), (5, 1, 5), (6, 5, 6), (7, 6, 6), (8, 1, 6), (9, 8, 9), (10, 1, 5))
    assert {row.pid for row in kin(rows, [6], {1, 5})} == {6, 7, 8, 9}
    assert {row.pid for row in kin(rows, [6, 99], {8})} == {6, 7}
    assert kin(rows, [], set()) == []


def test_the_line_of_a_process_ends_where_nobody_is_known() -> None:
    rows = tree((1, 0, 1), (5, 1, 5), (6, 5, 6), (7, 6, 6))
    assert line_of(rows, 6) == {6, 5, 1}
    assert line_of(tree((3, 4, 3), (4, 3, 3)), 3) == {3, 4}
