"""May a fresh-context iteration end? What the Stop hook answers."""

from __future__ import annotations

from . import (
    background,
    clean_tree,
    files,
    fingerprint,
    gate,
    hook_io,
    hook_log,
    paths,
    shape,
    tasks,
    transitions,
)
from .marker import ralph_dir

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .marker import Marker

# Below Claude Code's own cap of 8, after which it lets the turn end without a word.
MOST_BLOCKS = 6
_REASON_LIMIT = 4000
_SHOWN_PATHS = 20


def reason_to_block(root: str, marker: Marker, session: str, sent: dict[str, Any]) -> str | None:
    if _free_to_go(root, marker, sent):
        return None
    group, lines = _first_failing(root, marker)
    known = {"session": session, "run": marker.get("runId"), "iteration": marker.get("iteration")}
    if not lines:
        hook_log.record(root, "gate-passed", **known)
        return None
    if not hook_log.count_block(root, session, MOST_BLOCKS):
        hook_log.record(root, "gate-exhausted", group=group, **known)
        return None
    hook_log.record(root, "gate-blocked", group=group, **known)
    return _fitted([*lines, "Then stop again."])


def _free_to_go(root: str, marker: Marker, sent: dict[str, Any]) -> bool:
    if marker.get("goal") == "prompt" or background.running(sent):
        return True
    waits = paths.signals(ralph_dir(marker), paths.WAITS)
    return any(files.kind(root, path) != "absent" for path in waits)


def _first_failing(root: str, marker: Marker) -> tuple[str, list[str]]:
    path = paths.tasks(ralph_dir(marker))
    document, faults = _read_tasks(root, path)
    if document is None:
        return "schema", gate.schema(faults, path)
    broken = gate.invariants(document, marker)
    if broken:
        return "invariants", broken
    if not transitions.judgeable(marker):
        hook_log.record(root, "transitions-skipped", why="the marker has no snapshot or mode")
    touched = fingerprint.changed(root, marker.get("digests", {}))
    illegal = gate.iteration(document, marker, touched)
    if illegal:
        return "transitions", illegal
    return "uncommitted", _uncommitted(root, marker)


def _read_tasks(root: str, path: str) -> tuple[tasks.Document | None, list[shape.Fault]]:
    try:
        return tasks.parse(files.read_bytes(root, path, tasks.SIZE_LIMIT), path)
    except files.FileFault as fault:
        return None, [shape.Fault(path, "", fault.problem, fault.fix)]


def _uncommitted(root: str, marker: Marker) -> list[str]:
    folder = ralph_dir(marker)
    tree = clean_tree.look(root, folder, marker.get("baseline", {}))
    if not tree.known:
        hook_log.record(root, "clean-tree-skipped", why="git gave no status here")
    if not tree.uncommitted:
        return []
    reviewing = marker.get("iterationMode") == "review"
    advice = _for_reviewers(folder) if reviewing else _for_workers(folder)
    alone = f"Leave these, they were here before the run: {_names(tree.left_alone, 10)}."
    listed = [f"- {_name(path)}" for path in tree.uncommitted[:_SHOWN_PATHS]]
    more = len(tree.uncommitted) - len(listed)
    rest = [f"... and {more} more"] if more else []
    return ["Not committed:", *listed, *rest, advice, *([alone] if tree.left_alone else [])]


def _for_workers(folder: str) -> str:
    return (
        f"Append to {folder}/progress.txt what was done and learned; consider whether a lasting "
        "rule belongs in CLAUDE.md or .claude/rules/; commit what you changed, including "
        f"{folder}/progress.txt and {folder}/tasks.json."
    )


def _for_reviewers(folder: str) -> str:
    *some, last = paths.reviewer_files(folder)
    return (
        f"Commit only {', '.join(some)} and {last}. What your test runs made or changed: "
        "remove it or `git restore` it, never commit it."
    )


def _names(names: list[str], most: int) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(_name(name) for name in names[:most]) + more


def _name(path: str) -> str:
    text = hook_io.sendable(path if path.isprintable() else shape.shown(path))
    return text if len(text) <= 150 else text[:70] + "..." + text[-70:]


def _fitted(lines: list[str]) -> str:
    """Whole lines from the top, and always the last one."""
    lines = [hook_io.sendable(line) for line in lines]
    room = _REASON_LIMIT - len(lines[-1]) - 1
    kept: list[str] = []
    for line in lines[:-1]:
        room -= len(line) + 1
        if room < 0:
            break
        kept.append(line)
    return "\n".join([*kept, lines[-1]])
