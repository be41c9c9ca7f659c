"""Profiles: a fixed, quick one for every run, a random, long one for development.

Choose with HYPOTHESIS_PROFILE=dev; one property can be run alone with pytest -k. `mutants` is for
bench/mutation.py, which only asks whether anything fails.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, Phase, settings

# Lists are built from many small draws: on a busy machine that alone looks slow.
_PATIENT = [HealthCheck.too_slow, HealthCheck.data_too_large]

settings.register_profile(
    "ci",
    max_examples=200,
    stateful_step_count=12,
    derandomize=True,
    deadline=None,
    suppress_health_check=_PATIENT,
)
settings.register_profile(
    "dev",
    max_examples=5000,
    stateful_step_count=25,
    derandomize=False,
    deadline=None,
    print_blob=True,
    suppress_health_check=_PATIENT,
)
settings.register_profile(
    "mutants",
    max_examples=100,
    derandomize=True,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=_PATIENT,
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))
