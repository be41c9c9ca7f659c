"""All bouts of a rehearsal, some at a time, each on a stage of its own."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

from .. import throw_away
from ..failure import Failure
from . import attack, bout, judge
from .attack import Attack
from .bout import Cast, Seen, Stop
from .judge import Verdict
from .staging import Plan

_AT_ONCE = min(4, max(2, os.cpu_count() or 2))


class Rounds:
    """`lock` is a descriptor that keeps the folder from being swept away as given up."""

    def __init__(self, plan: Plan, folder: str, cast: Cast, stop: Stop, lock: int) -> None:
        self._plan, self._folder, self.cast = plan, folder, cast
        self._stop, self._lock = stop, lock

    def play(self, attacks: Sequence[Attack]) -> Iterator[Verdict]:
        """In the order of the bouts; none where it was asked to stop."""
        groups = attack.bouts(attacks)
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            futures = [pool.submit(self._judged, n, group) for n, group in enumerate(groups)]
            finished = False
            try:
                for future in futures:
                    yield from future.result()
                finished = True
            finally:
                if not finished:
                    self._stop.ask()

    def _judged(self, number: int, attacks: list[Attack]) -> list[Verdict]:
        place = os.path.join(self._folder, f"bout-{number}")
        seen = self._seen(place, attacks)
        if seen and len(seen.played) < len(attacks):
            # On a busy machine the time of an iteration may be over before all are tried.
            seen = self._seen(place, attacks)
        if seen is None or self._stop.asked:
            return []
        if seen.code == 2 and not seen.played:
            why = " ".join(seen.screen.strip().split("\n")[-3:])
            raise Failure(f"the runner did not start: {why[-400:]}")
        if self.cast.program and not seen.prompts:
            raise Failure(
                f"{self.cast.program} never asked the scripted model: nothing was tried",
                "look whether settings of this machine (managed-settings.json) lead it elsewhere",
            )
        return [judge.of(one, seen, self.cast.confined) for one in attacks]

    def _seen(self, place: str, attacks: list[Attack]) -> Seen | None:
        throw_away.remove(place)
        if self._stop.asked:
            return None
        return bout.play(self._plan, place, attacks, self.cast, self._stop, self._lock)
