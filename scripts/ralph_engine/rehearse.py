"""`rehearse`: bad agents against the user's own set-up, in a scratch copy, with a scorecard."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import signal
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from . import descendants, offline_claude, outputs, run_options, settings, throw_away
from .checks import Check
from .confined import Confinement
from .core import paths
from .failure import Failure
from .harmless import harmless
from .rehearsal import (
    attack,
    check_trials,
    judge,
    scorecard,
    staging,
    users_tree,
    weak_setups,
)
from .rehearsal.attack import Attack
from .rehearsal.bout import Cast, Stop
from .rehearsal.check_trials import Trial, Trials
from .rehearsal.judge import Verdict
from .rehearsal.rounds import Rounds
from .rehearsal.scorecard import Card
from .rehearsal.weak_setups import Weakness
from .settings import Settings
from .stops import INTERRUPTED

_PURPOSE = "rehearsal"
_FAST = 5.0
_SLOW = "Your checks take long: they were tried by themselves, not again in every attack."
_NOT_RUINED = "Your checks were not tried on ruined files: nothing confines them here."
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_EPILOG = (
    "Exit code: 0 all stopped, or left to a review that can still say no; 1 something got through"
    " or the set-up is weak; 2 an error, or an attack was cut short, or none showed anything. One"
    " that came to nothing though nobody stopped it, as where its command fails, shows nothing. It"
    " works on a copy of what git lists in your tree, with stories of its own beside yours; ignored"
    " files are not in it. No key, no tokens; your tree is compared before and after."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    run_options.add_project_argument(parser)
    parser.add_argument(
        "--ralph-dir", default=paths.DEFAULT_RALPH_DIR, metavar="PATH", help="below the project"
    )
    parser.add_argument("--list", action="store_true", help="name the attacks; try none")
    parser.add_argument(
        "--only", action="append", default=[], metavar="NAME", help="this attack (may be repeated)"
    )
    parser.add_argument(
        "--attacks", metavar="DIR", help="the attacks of this folder in place of ours"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout")


def main(given: argparse.Namespace) -> int:
    folder = Path(given.attacks) if given.attacks else attack.FOLDER
    attacks = attack.chosen(attack.load(folder), given.only)
    if given.list:
        for one in attacks:
            print(harmless(f"{one.name}: {one.title}"))
        return 0
    if shutil.which("git") is None:
        raise Failure("a rehearsal needs git, which is not on PATH: install it")
    root = run_options.project_folder(given.project_dir)
    rehearsal = _Rehearsal(root, run_options.ralph_folder(given.ralph_dir), given.json)
    card = rehearsal.hold(attacks)
    if card is None:
        return INTERRUPTED
    told = (
        [json.dumps(scorecard.document(card), indent=2)] if given.json else scorecard.ending(card)
    )
    _print(told)
    return card.exit_code


class _Rehearsal:
    def __init__(self, root: str, ralph_dir: str, quiet: bool) -> None:
        self._root, self._ralph_dir, self._quiet = root, ralph_dir, quiet
        self._stop = Stop()
        self._remarks: list[str] = []

    def hold(self, attacks: Sequence[Attack]) -> Card | None:
        """None where it was interrupted; nothing of it is left then either."""
        for number in _SIGNALS:
            if signal.getsignal(number) != signal.SIG_IGN:
                signal.signal(number, self._stop.ask)
        before = users_tree.look(self._root)
        throw_away.sweep(_PURPOSE)
        folder = throw_away.make(_PURPOSE)
        try:
            card = self._in(folder, attacks)
        except Failure as failure:
            changed = users_tree.differences(before, users_tree.look(self._root))
            words = f"; {scorecard.of_tree(changed)}" if changed else ""
            raise Failure(f"{failure}{words}", failure.hint) from failure
        finally:
            self._discard(folder)
        changed = users_tree.differences(before, users_tree.look(self._root))
        return None if self._stop.asked else card._replace(changed=changed)

    def _discard(self, folder: str) -> None:
        """What was found out is worth more than a clean exit; the next rehearsal tries again."""
        try:
            throw_away.remove(folder)
        except Failure as failure:
            self._remarks.append(f"{str(failure)[:1].upper()}{str(failure)[1:]}.")

    def _in(self, folder: str, attacks: Sequence[Attack]) -> Card:
        lock = throw_away.hold(folder)
        chosen = settings.read(self._root, os.environ, {})
        found = check_trials.walls(self._root, self._ralph_dir, folder, chosen)
        weak, fast = self._weaknesses(folder, chosen, found)
        place = os.path.join(folder, "plan")
        plan = staging.plan(self._root, self._ralph_dir, place, with_checks=fast)
        rounds = Rounds(plan, folder, self._cast(folder, found, chosen), self._stop, lock)
        verdicts = [*self._verdicts(rounds, attacks)]
        order = {one.name: place for place, one in enumerate(attacks)}
        verdicts.sort(key=lambda verdict: order[verdict.attack.name])
        return Card(verdicts, weak, self._remarks, ())

    def _weaknesses(
        self, folder: str, chosen: Settings, found: Confinement
    ) -> tuple[list[Weakness], bool]:
        """And whether the checks are fast enough to run again in every bout."""
        document = staging.document(self._root, self._ralph_dir)
        checks = check_trials.all_checks(document, chosen)
        trials = self._try_checks(folder, chosen, checks, check_trials.confines(found))
        self._remarks += weak_setups.remarks(trials, weak_setups.to_come(document))
        fast = sum(trial.seconds for trial in trials) < _FAST
        self._remarks += [] if fast else [_SLOW]
        weak = [
            *weak_setups.of_walls(self._root, found, os.environ),
            *weak_setups.of_settings(chosen, checks),
            *weak_setups.of_checks(trials),
        ]
        return weak, fast

    def _try_checks(
        self, folder: str, chosen: Settings, checks: Sequence[Check], ruined: bool
    ) -> list[Trial]:
        if not checks:
            return []
        self._remarks += [] if ruined else [_NOT_RUINED]
        states = ": as they are, on nothing, on nonsense" if ruined else ""
        self._say(f"Trying your {len(checks)} checks{states} ...")
        descendants.adopt_orphans()
        place = os.path.join(folder, "checks")
        stop = self._stop
        trials = Trials(place, self._root, self._ralph_dir, chosen, lambda: stop.asked)
        return trials.run(checks, ruined)

    def _cast(self, folder: str, found: Confinement, chosen: Settings) -> Cast:
        confined_here = found.sandbox is not None
        words = () if confined_here else ("--no-sandbox",)
        # The client refuses to work for root outside of one.
        variables = {} if confined_here else {"IS_SANDBOX": "1"}
        program = shutil.which(offline_claude.PROGRAM) or ""
        who = "Claude Code is not installed: the built-in agent plays, and no hook is in play."
        if program:
            own = offline_claude.environment(os.path.join(folder, "asked"), os.environ)
            version = offline_claude.version(program, folder, own)
            who = f"Played by your Claude Code {version} with this plugin and a scripted model."
        self._say(f"{who} {found.words[:1].upper()}{found.words[1:]}.")
        program = os.path.abspath(program) if program else ""
        return Cast(program, confined_here, not chosen.skip_review, words, variables)

    def _verdicts(self, rounds: Rounds, attacks: Sequence[Attack]) -> Iterator[Verdict]:
        untried = {one.name: judge.not_tried(one, rounds.cast) for one in attacks}
        for verdict in filter(None, untried.values()):
            yield self._told(verdict)
        for verdict in rounds.play([one for one in attacks if untried[one.name] is None]):
            yield self._told(verdict)

    def _told(self, verdict: Verdict) -> Verdict:
        if not self._quiet and not self._stop.asked:
            _print(scorecard.of_verdict(verdict))
        return verdict

    def _say(self, text: str) -> None:
        if not self._quiet:
            with contextlib.suppress(OSError):
                outputs.line(text, sys.stderr)


def _print(lines: Sequence[str]) -> None:
    print(harmless("\n".join(lines)), flush=True)
