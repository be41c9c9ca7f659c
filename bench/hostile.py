"""The hostile agent against the real runner, for hours: `bench/run hostile [EXAMPLES] [SEED]`.

The long form of tests/property/test_hostile_runner.py: 5,000 examples by itself, each a project of
its own with a runner that is fooled, killed and resumed. Every core plays shares of them, each with
the next seed: `bench/run hostile 100 SEED` plays one share again. Fails where a rule is broken.
"""

from __future__ import annotations

import os
import random
import sys
import traceback
from collections import Counter
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# Without bench itself, whose runner.py would hide the tests' runner folder.
sys.path[:1] = [str(ROOT / "tests"), str(ROOT / "scripts")]

from hypothesis import HealthCheck, Phase, seed, settings  # noqa: E402
from hypothesis.stateful import run_state_machine_as_test  # noqa: E402
from property.hostile_runner import HostileRunner  # noqa: E402

EXAMPLES, SHARE, STEPS = 5000, 100, 8
TOLD = ("runs", "iteration", "resumed", "violation", "submitted", "verdict", "tasks-rewritten")


def main(examples: int, first: int) -> int:
    print(f"{examples} examples of up to {STEPS} steps, seed {first}", flush=True)
    shares = [min(SHARE, examples - begun) for begun in range(0, examples, SHARE)]
    seen: Counter[str] = Counter()
    broken = 0
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        played = {pool.submit(play, n, first + k): first + k for k, n in enumerate(shares)}
        for number, future in enumerate(as_completed(played), 1):
            error = future.exception()
            broken += error is not None
            seen += Counter() if error else future.result()
            told = f"BROKEN: {_whole(error)}" if error else "no rule was broken"
            print(
                f"share {number} of {len(shares)}, seed {played[future]}: {told}", file=sys.stderr
            )
    ending = f"a rule was broken in {broken} shares" if broken else "no rule was broken"
    print(", ".join(f"{name}: {seen[name]}" for name in TOLD) + f": {ending}")
    return 1 if broken else 0


def _whole(error: BaseException) -> str:
    """With what the other process said of it."""
    return "".join(traceback.format_exception(type(error), error, error.__traceback__))


def play(examples: int, chosen: int) -> Counter[str]:
    """What the runners of these examples did, by the events of their journals."""
    seen: Counter[str] = Counter()

    class Counted(HostileRunner):
        def teardown(self) -> None:
            if hasattr(self, "loop"):
                seen.update(["runs"], **Counter(e["event"] for e in self.loop.events()))
            super().teardown()

    run_state_machine_as_test(
        seed(chosen)(Counted),
        settings=settings(
            max_examples=examples,
            stateful_step_count=STEPS,
            deadline=None,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        ),
    )
    return seen


if __name__ == "__main__":
    given = [int(word) for word in sys.argv[1:]]
    sys.exit(main(*given, *[EXAMPLES, random.randrange(1 << 32)][len(given) :]))
