"""Would a test notice? `bench/run mutation [EVERY [MODULE]]` breaks the judging modules everywhere.

The operators are cosmic-ray's; its own runner starts the whole test program anew for each of the
500 mutants, ours forks a warm one: minutes, not hours. Mutants of type hints are no code and are
left out. Fails below 90 % killed, or where a survivor has no reason in survivors.tsv.
"""

from __future__ import annotations

import ast
import difflib
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import Any, NamedTuple

import hypothesis.stateful  # noqa: F401, warm for those that are forked
import pytest

ROOT = Path(__file__).resolve().parents[1]

try:
    from cosmic_ray.mutating import mutate_code
    from cosmic_ray.plugins import get_operator, operator_names
except ImportError:
    # Thirty packages that only this measurement needs: in an environment of uv's own.
    uv = str(Path(sys.executable).parent / "uv")
    wanted = [
        "--with-requirements",
        str(ROOT / "tests/requirements.txt"),
        "--with",
        "cosmic-ray==8.7.0",
    ]
    python = ["--no-project", "--quiet", "--python", os.path.realpath(sys.executable)]
    os.execv(uv, [uv, "run", *python, *wanted, "python", __file__, *sys.argv[1:]])

CORE = "scripts/ralph_engine/core"
MODULES = ("promise", "tasks", "review")
COPIED = ("scripts", "hooks", "skills", "templates", "tests", ".claude-plugin", "pyproject.toml")
# The quick ones first: most mutants fall there.
TESTS = {
    "review": ("rules", "verdict_logic", "next_iteration", "verdicts", "no_deadlock"),
    "tasks": ("circles", "rules", "check", "same_documents"),
    "promise": ("promise",),
}
# They ask how long it takes, or about other modules: seconds each, for every mutant that lives.
SLOW = ("ten_thousand", "nobody_reads", "leaves_early", "session_loop", "nearly_valid_markers")
REASONS = ROOT / "bench" / "survivors.tsv"
LEAST = 0.9
FEW = 50
SECONDS = 300


class Mutant(NamedTuple):
    module: str
    number: int
    change: str
    source: str


def main(every: int, *modules: str) -> int:
    found = [mutant for module in modules or MODULES for mutant in mutants(module)][::every]
    with tempfile.TemporaryDirectory() as folder:
        copies: SimpleQueue[Path] = SimpleQueue()
        for number in range(os.cpu_count() or 1):
            copies.put(_copy(Path(folder) / str(number)))
        for module in {mutant.module for mutant in found}:
            assert not _killed(copies, Mutant(module, 0, "", _source(module))), module
        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            fates = list(_told(pool.map(lambda mutant: _killed(copies, mutant), found), found))
    survivors = [mutant for mutant, killed in zip(found, fates) if not killed]
    return _tell(found, survivors)


def _told(fates: Iterator[bool], found: list[Mutant]) -> Iterator[bool]:
    for number, (killed, mutant) in enumerate(zip(fates, found), 1):
        told = "killed" if killed else f"lives: {mutant.module} {mutant.change}"
        print(f"{number} of {len(found)}: {told}", file=sys.stderr, flush=True)
        yield killed


def mutants(module: str) -> Iterator[Mutant]:
    source = _source(module)
    code = _code(source)
    for name in sorted(operator_names()):
        operator = get_operator(name)
        if operator.arguments():
            continue
        number = 0
        while (changed := mutate_code(source, operator(), number)) is not None:
            number += 1
            if _code(changed) != code:
                yield Mutant(module, number, _change(source, changed), changed)


def _source(module: str) -> str:
    return (ROOT / CORE / f"{module}.py").read_text(encoding="utf-8")


def _code(source: str) -> str:
    """What is left without type hints, which nobody evaluates."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        for hint in ("annotation", "returns"):
            if hasattr(node, hint):
                setattr(node, hint, None)
    return ast.dump(tree)


def _change(old: str, new: str) -> str:
    lines = [
        line[:2] + line[2:].strip()
        for line in difflib.ndiff(old.splitlines(), new.splitlines())
        if line[:2] in ("- ", "+ ")
    ]
    return " ".join(lines)


def _copy(folder: Path) -> Path:
    for name in COPIED:
        place = folder / name
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, place, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, place)
    return folder


def _killed(copies: SimpleQueue[Path], mutant: Mutant) -> bool:
    """By a failing test, or by not ending."""
    copy = copies.get()
    try:
        path = copy / CORE / f"{mutant.module}.py"
        path.write_text(mutant.source, encoding="utf-8")
        child = os.fork()
        if child == 0:
            _leave_with(_test, copy, TESTS[mutant.module])
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        path.write_text(_source(mutant.module), encoding="utf-8")
        return code != 0
    finally:
        copies.put(copy)


def _leave_with(test: Callable[[Path, tuple[str, ...]], int], *given: Any) -> None:
    """Whatever happens: a child that went on would clear away its parent's folder."""
    code = 1
    try:
        code = test(*given)
    finally:
        os._exit(code)


def _test(copy: Path, names: tuple[str, ...]) -> int:
    signal.alarm(SECONDS)
    os.chdir(copy)
    sys.dont_write_bytecode = True
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.dup2(silence, 2)
    os.environ["HYPOTHESIS_PROFILE"] = "mutants"
    paths = [str(path) for name in names for path in copy.glob(f"tests/*/test_{name}.py")]
    options = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--rootdir", str(copy)]
    options += ["-k", " and ".join(f"not {name}" for name in SLOW)]
    options += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]  # that of the warm hypothesis
    return int(pytest.main([*options, *paths]))


def _tell(found: list[Mutant], survivors: list[Mutant]) -> int:
    known = [line.split("\t") for line in REASONS.read_text(encoding="utf-8").splitlines()[1:]]
    reasons = {(module, change): reason for module, change, reason in known}
    unexplained = 0
    for mutant in survivors:
        reason = reasons.get((mutant.module, mutant.change), "")
        unexplained += not reason
        print(f"{mutant.module}\t{mutant.change}\t{reason or 'NO REASON'}")
    killed = len(found) - len(survivors)
    few = ", too few to judge" if len(found) < FEW else ""
    share = killed / len(found)
    print(f"{killed} of {len(found)} mutants killed: {share:.1%} (aim >= {LEAST:.0%}{few})")
    if few:
        return 0
    return 0 if share >= LEAST and not unexplained else 1


if __name__ == "__main__":
    sys.exit(main(int((sys.argv[1:] or ["1"])[0]), *sys.argv[2:]))
