"""What reading a stream costs: `bench/run streams [ROUNDS]` fails above its aim."""

from __future__ import annotations

import json
import sys
from pathlib import Path

REPO = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(REPO / "scripts"), str(REPO / "bench")]

from ralph_engine.agents import KNOWN, choose  # noqa: E402
from ralph_engine.agents.lines import Splitter  # noqa: E402
from ratios import Act, measure, rounds, tell  # noqa: E402

CASSETTES = REPO / "tests" / "cassettes"
ROUNDS = 20
BYTES = 5_000_000
CHUNK = 65536
AIM = 1.8


def main() -> int:
    met = [_fast_enough(agent) for agent in KNOWN]
    return 0 if all(met) else 1


def _fast_enough(agent: str) -> bool:
    paths = sorted((CASSETTES / agent).rglob("*.jsonl"))
    recorded = b"\n".join(line for path in paths for line in _lines(path)) + b"\n"
    stream = recorded * (BYTES // len(recorded))
    lines = stream.splitlines()
    acts: dict[str, Act] = {
        "json.loads per line": lambda: _load(lines),
        "Splitter and Parser": lambda: _read(agent, stream),
    }
    print(f"{agent}: {len(lines)} lines, {len(stream) / 1e6:.1f} MB")
    return tell(measure(acts, rounds(ROUNDS)), "Splitter and Parser", "json.loads per line", AIM)


def _lines(path: Path) -> list[bytes]:
    """Without the long init event, which a stream has once."""
    return [line for line in path.read_bytes().splitlines() if b'"subtype":"init"' not in line]


def _load(lines: list[bytes]) -> None:
    for line in lines:
        # Not kept: a list of all of them would cost more than the parsing.
        json.loads(line)


def _read(agent: str, stream: bytes) -> None:
    splitter, parser = Splitter(), choose(agent).Parser()
    for start in range(0, len(stream), CHUNK):
        for line in splitter.feed(stream[start : start + CHUNK]):
            parser.feed(line.data)


if __name__ == "__main__":
    sys.exit(main())
