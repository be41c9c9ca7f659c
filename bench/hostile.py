"""The hostile agent against the real runner, for hours: `bench/hostile.py [EXAMPLES] [SEED]`.

The long form of tests/property/test_hostile_runner.py: 5,000 examples by itself, each a project of
its own with a runner that is fooled, killed and resumed; other ones with every seed. It fails at
the first broken rule. Run it with the environment that scripts/test.sh made.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# Without bench itself, whose runner.py would hide the tests' runner folder.
sys.path[:1] = [str(ROOT / "tests"), str(ROOT / "scripts")]

from hypothesis import HealthCheck, Phase, seed, settings  # noqa: E402
from hypothesis.stateful import run_state_machine_as_test  # noqa: E402
from property.hostile_runner import HostileRunner  # noqa: E402

EXAMPLES, STEPS = 5000, 8
SEEN: Counter[str] = Counter()


class Counted(HostileRunner):
    def teardown(self) -> None:
        if hasattr(self, "loop"):
            SEEN.update(["runs"], **Counter(e["event"] for e in self.loop.events()))
        super().teardown()


def main(examples: int, chosen: int) -> None:
    print(f"{examples} examples of up to {STEPS} steps, seed {chosen}", flush=True)
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
    told = ("runs", "iteration", "resumed", "violation", "submitted", "verdict", "tasks-rewritten")
    print(", ".join(f"{name}: {SEEN[name]}" for name in told) + ": no rule was broken")


if __name__ == "__main__":
    given = [int(word) for word in sys.argv[1:]]
    main(*given, *[EXAMPLES, random.randrange(1 << 32)][len(given) :])
