"""The hostile agent against the real runner; bench/hostile.py has 5,000 of these examples."""

from __future__ import annotations

import pytest
from hypothesis import Phase, seed, settings
from hypothesis.stateful import run_state_machine_as_test
from property.hostile_runner import HostileRunner

PARTS, EXAMPLES, STEPS = 4, 25, 5


@pytest.mark.parametrize("part", range(PARTS))
def test_the_real_runner_gives_a_hostile_agent_nothing(part: int) -> None:
    """Each part has examples of its own, and the same ones every time."""
    machine = type(f"Part{part}", (HostileRunner,), {})
    run_state_machine_as_test(
        seed(part)(machine),
        settings=settings(
            max_examples=EXAMPLES,
            stateful_step_count=STEPS,
            derandomize=False,
            phases=[Phase.generate],  # a smaller example would cost minutes
        ),
    )
