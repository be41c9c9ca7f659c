"""Every ratio of every measurement in one table: `bench/run all [ROUNDS]`.

Each measurement runs as it does alone, one after the other; with ROUNDS each of them has so few.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
NAMES = ("hooks", "session", "guard", "context", "streams", "report", "sandbox", "runner", "soak")
# Of two rounds the noise may be larger than what is measured: such a ratio is below zero.
RATIO = re.compile(r"(?P<what>.*?) +(?P<ratio>-?[\d.]+) x (?P<base>.*) \(aim <= (?P<aim>[\d.]+);")
# Late next to early; the one that has no base of its own.
GROWTH = re.compile(r"(?P<what>.*): .* late, (?P<ratio>[\d.]+) x \(")
MOST_GROWTH = "1.1"


class Row(NamedTuple):
    bench: str
    what: str
    ratio: str
    base: str
    aim: str
    judged: str


def main(rounds: list[str]) -> int:
    rows, failed = [], []
    for name in NAMES:
        done = subprocess.run(
            [sys.executable, str(HERE / f"{name}.py"), *rounds], capture_output=True, text=True
        )
        found = list(read(name, done.stdout))
        rows += found
        if done.returncode and not any(row.judged == "missed" for row in found):
            failed.append(f"{name} failed: {done.stderr.strip()[-500:]}")
    print("\n".join(table(rows)))
    print("\n".join(failed), file=sys.stderr)
    return 1 if failed or any(row.judged == "missed" for row in rows) else 0


def read(bench: str, said: str) -> Iterator[Row]:
    about = ""
    for line in said.splitlines():
        found = RATIO.match(line) or GROWTH.match(line)
        if not found:
            about = line.partition(":")[0] if ":" in line else ""
            continue
        told = {"base": "early", "aim": MOST_GROWTH, **found.groupdict()}
        what = f"{told['what'].strip()} ({about})" if about else told["what"].strip()
        judged = "met" if float(told["ratio"]) <= float(told["aim"]) else "missed"
        if "too few to judge" in line:
            judged = "too few"
        yield Row(bench, what, told["ratio"], told["base"], told["aim"], judged)


def table(rows: list[Row]) -> Iterator[str]:
    head = Row("bench", "what", "ratio", "next to", "aim <=", "")
    widths = [max(len(row[column]) for row in [head, *rows]) for column in range(len(head))]
    for row in [head, *rows]:
        yield "  ".join(text.ljust(width) for text, width in zip(row, widths)).rstrip()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
