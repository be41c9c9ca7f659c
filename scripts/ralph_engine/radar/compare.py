"""What a set of changes does to the tests and checks of a project: pure."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence, Set

from . import configured, kinds, languages, tests_in, weakened_tests
from .change import CI, CONFIGURATION, EXPECTED, SCRIPT, Change, Finding
from .started import MAKEFILES

_NAMED = 3
# What Jest and Vitest expect of one test; another spelling of a name may outdo an entry.
_ENTRY = re.compile(r"^exports\[`([^`\\$]*)`\] = `((?:\\.|[^`\\])*)`;$", re.MULTILINE)
_WHOLE = {kinds.CI: CI, kinds.SCRIPT: SCRIPT, kinds.EXPECTED: EXPECTED}


def concerns(path: str, named: Set[str]) -> bool:
    """Is a change of this file worth a look?"""
    return bool(kinds.of(path, named)) or kinds.may_hold_tests(path)


def findings(changes: Sequence[Change], named: Set[str]) -> list[Finding]:
    """`named` are the files behind the project's own checks."""
    tests = [_as_test(change, named) for change in changes if _is_test(change.old_path, named)]
    tests += [c for c in changes if _is_test(c.path, named) and not _is_test(c.old_path, named)]
    others = [finding for change in changes for finding in _of_other(change, named)]
    return sorted({*weakened_tests.findings(tests), *others})


def _is_test(path: str, named: Set[str]) -> bool:
    return kinds.of(path, named) == kinds.TEST or kinds.may_hold_tests(path)


def _as_test(change: Change, named: Set[str]) -> Change:
    """Under a name that is no test's nobody runs it any more."""
    return change if _is_test(change.path, named) else change._replace(after=None)


def _of_other(change: Change, named: Set[str]) -> Iterator[Finding]:
    kind = _kind(change, named)
    if kind != kinds.CONFIGURATION and kinds.of(change.path) == kinds.CONFIGURATION:
        yield from _configuration(change._replace(old_path=change.path, before=None), named)
    if kind == kinds.CONFIGURATION:
        yield from _configuration(change, named)
    elif change.before is None:
        if kind == kinds.SCRIPT and posixpath.basename(change.path) in MAKEFILES:
            yield Finding(change.path, SCRIPT, "new")
    elif kind in _WHOLE:
        if change.after is None or change.path != change.old_path:
            yield Finding(change.old_path, _WHOLE[kind], "the file is gone")
        elif not _kept(change.before, change.after):
            yield Finding(change.path, _WHOLE[kind], "changed")


def _kept(before: str, after: str) -> bool:
    """A new entry of expected outputs takes nothing away."""
    old, new = (dict(_ENTRY.findall(text)) for text in (before, after))
    rest, new_rest = (configured.significant(_ENTRY.sub("", text)) for text in (before, after))
    return old.items() <= new.items() and rest == new_rest


def _kind(change: Change, named: Set[str]) -> str:
    """A file in a folder of tests may be what starts them."""
    path = change.old_path
    kind = kinds.of(path, named)
    if kind != kinds.TEST or path not in named:
        return kind
    return kind if tests_in.read(change.before or "", languages.of(path)).tests else kinds.SCRIPT


def _configuration(change: Change, named: Set[str]) -> Iterator[Finding]:
    if change.after is None or change.path != change.old_path:
        yield Finding(change.old_path, CONFIGURATION, "the file is gone")
        return
    after = configured.parts(change.path, change.after, named)
    if change.before is None:
        # A new manifest is the beginning of a project; a new file of one tool may outdo another.
        if "" in after:
            yield Finding(change.path, CONFIGURATION, "new")
        return
    names = configured.changed(configured.parts(change.path, change.before, named), after)
    if names:
        words = ", ".join(filter(None, names[:_NAMED]))
        yield Finding(change.path, CONFIGURATION, f"changed: {words}" if words else "changed")
