"""What reading a stream costs: `python3 bench/streams.py` fails above its aim."""

from __future__ import annotations

import json
import sys
from pathlib import Path

REPO = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(REPO / "scripts"), str(REPO / "bench")]

from ralph_engine.agents.claude import Parser  # noqa: E402
from ralph_engine.agents.lines import Splitter  # noqa: E402
from ratios import Act, measure, tell  # noqa: E402

CASSETTES = REPO / "tests" / "cassettes" / "claude"
ROUNDS = 20
REPEATED = 100
CHUNK = 65536


def main() -> int:
    recorded = [line for path in sorted(CASSETTES.rglob("*.jsonl")) for line in _lines(path)]
    stream = b"\n".join(recorded * REPEATED) + b"\n"
    lines = stream.splitlines()
    acts: dict[str, Act] = {
        "json.loads per line": lambda: _load(lines),
        "Splitter and Parser": lambda: _read(stream),
    }
    print(f"{len(lines)} lines, {len(stream) / 1e6:.1f} MB")
    times = measure(acts, ROUNDS)
    return 0 if tell(times, "Splitter and Parser", "json.loads per line", 1.6) else 1


def _lines(path: Path) -> list[bytes]:
    """Without the long init event, which a stream has once."""
    return [line for line in path.read_bytes().splitlines() if b'"subtype":"init"' not in line]


def _load(lines: list[bytes]) -> None:
    for line in lines:
        # Not kept: a list of all of them would cost more than the parsing.
        json.loads(line)


def _read(stream: bytes) -> None:
    splitter, parser = Splitter(), Parser()
    for start in range(0, len(stream), CHUNK):
        for line in splitter.feed(stream[start : start + CHUNK]):
            parser.feed(line.data)


if __name__ == "__main__":
    sys.exit(main())
