"""Tests that are gone, skipped or assert less, over all changed files together.

Together, because a test that moved to another file is not gone.
"""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ..core.shape import names_shown, shown
from . import kinds, languages, tests_in
from .change import DELETED_TEST, FEWER, NEW_SKIP, Change, Finding
from .tests_in import NOTHING, Found

_NAMED = 3


class _Pair(NamedTuple):
    change: Change
    before: Found
    after: Found


def findings(changes: Sequence[Change]) -> list[Finding]:
    pairs = [_pair(change) for change in changes]
    return [*_gone(pairs), *_skipped(pairs), *_asserting_less(pairs), *_helpers(pairs)]


def _pair(change: Change) -> _Pair:
    before, after = _read(change.old_path, change.before), _read(change.path, change.after)
    if after.classes < before.classes:
        # Where there are as many, what is no class of tests may serve one.
        idle = {test.name for test in before.tests if test.idle}
        tests = [test for test in after.tests if not test.idle or test.name in idle]
        after = after._replace(tests=tests)
    return _Pair(change, before, after)


def _read(path: str, text: str | None) -> Found:
    if text is None:
        return NOTHING
    found = tests_in.read(text, languages.of(path))
    # In a file of the program only its tests are ours to judge.
    return found if kinds.of(path) == kinds.TEST else found._replace(outside=0)


def _gone(pairs: Sequence[_Pair]) -> Iterator[Finding]:
    before, after = _names(p.before for p in pairs), _names(p.after for p in pairs)
    lost = before - after
    for name in _elsewhere(pairs):
        del lost[name]
    renamed = Counter(t.body for p in pairs for t in p.after.tests if not before[t.name])
    for change, old, new in pairs:
        here, names = _names([old]) - _names([new]), []
        for test in old.tests:
            if here[test.name] and lost[test.name]:
                here[test.name] -= 1
                lost[test.name] -= 1
                if renamed[test.body]:
                    renamed[test.body] -= 1
                else:
                    names.append(test.name)
        yield from _deleted(change, names, bool(old.tests))


def _elsewhere(pairs: Sequence[_Pair]) -> Iterator[str]:
    """Modules of which the tests are here now, or whose file tells of them itself."""
    for change, old, new in pairs:
        yield from new.modules - old.modules
        if change.after is None or change.path != change.old_path:
            name = change.old_path.replace("/mod.rs", ".rs")
            yield f"mod {posixpath.basename(name).partition('.')[0]}"


def _deleted(change: Change, names: list[str], had_tests: bool) -> Iterator[Finding]:
    verb = "is" if len(names) == 1 else "are"
    if names:
        gone = names_shown([shown(name) for name in names], _NAMED)
        yield Finding(change.old_path, DELETED_TEST, f"{gone} {verb} gone")
    elif change.after is None and not had_tests and kinds.of(change.old_path) == kinds.TEST:
        yield Finding(change.old_path, DELETED_TEST, "the file is gone")


def _skipped(pairs: Sequence[_Pair]) -> Iterator[Finding]:
    new: Counter[str] = Counter()
    for pair in pairs:
        new.update(pair.after.skips)
    for pair in pairs:
        new.subtract(pair.before.skips)
    for change, old, now in pairs:
        here = (now.skips - old.skips) & new
        new = new - here
        if here:
            words = ", ".join(sorted(here)[:_NAMED])
            yield Finding(change.path, NEW_SKIP, f"{sum(here.values())} more than before: {words}")


def _asserting_less(pairs: Sequence[_Pair]) -> Iterator[Finding]:
    before, after = _asserted(p.before for p in pairs), _asserted(p.after for p in pairs)
    # Where there are fewer tests of a name, that is told already.
    fewer_tests = _names(p.before for p in pairs) - _names(p.after for p in pairs)
    told = set(fewer_tests)
    for change, _, now in pairs:
        for name in [test.name for test in now.tests]:
            if after[name] < before[name] and name not in told:
                told.add(name)
                what = f"{shown(name)} has {after[name]}, before {before[name]}"
                yield Finding(change.path, FEWER, what)


def _helpers(pairs: Sequence[_Pair]) -> Iterator[Finding]:
    """Outside of tests; assertions that moved into tests which were there are not lost."""
    kept = _names(p.before for p in pairs) & _names(p.after for p in pairs)
    if sum(_total(p.after, kept) - _total(p.before, kept) for p in pairs) >= 0:
        return
    for change, old, now in pairs:
        if change.after is not None and now.outside < old.outside:
            what = f"outside of tests there are {now.outside}, before {old.outside}"
            yield Finding(change.path, FEWER, what)


def _total(found: Found, names: Counter[str]) -> int:
    return found.outside + sum(test.assertions for test in found.tests if names[test.name])


def _asserted(found: Iterable[Found]) -> Counter[str]:
    total: Counter[str] = Counter()
    for one in found:
        for test in one.tests:
            total[test.name] += test.assertions
    return total


def _names(found: Iterable[Found]) -> Counter[str]:
    return Counter(test.name for one in found for test in one.tests)
