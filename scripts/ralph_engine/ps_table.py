"""The processes of any Unix machine, asked of `ps`."""

from __future__ import annotations

import calendar
import os
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator

from .process_tree import Process

_COLUMNS = "pid=,ppid=,pgid=,uid=,stat=,lstart="
# BSD's and procps' `e` is another option with Apple.
_WITH_ENVIRONMENT = "-AEww" if sys.platform == "darwin" else "axeww"
_SECONDS = 5.0
# Some compute the start anew each time, from the time and the uptime.
_SLACK = 1.0


def rows() -> list[Process]:
    """None at all: ps failed, for we ourselves are always there."""
    return [row for line in _ask("-A", "-o", _COLUMNS) if (row := parsed(line))]


def same(one: Process, other: Process) -> bool:
    return one.pid == other.pid and abs(one.start - other.start) <= _SLACK


def still(known: Iterable[Process]) -> Iterator[Process]:
    """Those that live, all looked at in one call: one each would take longer than it is true."""
    wanted = {process.pid: process for process in known}
    now = _ask("-o", _COLUMNS, "-p", ",".join(map(str, wanted))) if wanted else []
    for row in filter(None, map(parsed, now)):
        if row.pid in wanted and same(row, wanted[row.pid]) and not row.dead:
            yield row


def marked(mark: str) -> list[int]:
    """Those whose environment holds the NAME=value; one in the arguments does not count."""
    lines = _ask(_WITH_ENVIRONMENT, "-o", "pid=,command=")
    behind = {_pid(line): _text(line) for line in lines if mark in line}
    if not behind:
        return []
    listed = ",".join(map(str, behind))
    words = {_pid(line): _text(line) for line in _ask("-ww", "-o", "pid=,command=", "-p", listed)}
    return [
        pid
        for pid, text in behind.items()
        if pid in words
        and text.startswith(words[pid])
        and mark in text[len(words[pid]) :].split(" ")
    ]


def parsed(line: str) -> Process | None:
    """Of a row in `_COLUMNS`, e.g. `7 1 7 501 Ss Wed Nov 18 11:05:59 2026`."""
    fields = line.split()
    try:
        pid, parent, group, user = map(int, fields[:4])
        start = calendar.timegm(time.strptime(" ".join(fields[5:10]), "%a %b %d %H:%M:%S %Y"))
    except ValueError:
        return None
    return Process(pid, parent, group, user, float(start), fields[4].startswith("Z"))


def _pid(line: str) -> int:
    """0 where there is none: a command may hold the end of a line."""
    first = line.split(None, 1)[0]
    return int(first) if first.isdecimal() else 0


def _text(line: str) -> str:
    return line.lstrip().partition(" ")[2].strip()


def _ask(*options: str) -> list[str]:
    """Its lines, without that of ps itself; none where it fails."""
    environment = {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C", "TZ": "UTC0"}
    quiet = subprocess.DEVNULL
    try:
        asked = subprocess.Popen(
            ["ps", *options], stdin=quiet, stdout=subprocess.PIPE, stderr=quiet, env=environment
        )
    except OSError:
        return []
    with asked:
        try:
            output, _ = asked.communicate(timeout=_SECONDS)
        except subprocess.TimeoutExpired:
            asked.kill()
            return []
    lines = output.decode("utf-8", "replace").split("\n")
    return [line for line in lines if line.strip() and _pid(line) != asked.pid]
