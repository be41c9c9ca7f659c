"""When a story may vanish: it was to do, and new stories carry all of it on."""

from __future__ import annotations

from . import snapshot
from .review import TO_DO, Violation
from .shape import name_shown, names_shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .tasks import Story

    Stories = dict[str, Story]
    Snapshot = dict[str, dict[str, Any]]


def vanished(stories: Stories, before: Snapshot) -> list[Violation]:
    """A violation for each story that is gone without a legal split."""
    gone = [name for name in before if name not in stories]
    if not gone:
        return []
    parts = {name: _parts(name, stories, before) for name in gone}
    found = []
    for name in gone:
        fault = _fault(before[name], parts[name]) or _not_replaced(name, stories, before, parts)
        if fault:
            found.append(Violation("vanished", name, f"Story {name_shown(name)} is gone. {fault}"))
    return found


def _parts(name: str, stories: Stories, before: Snapshot) -> list[Story]:
    return [s for key, s in stories.items() if key not in before and s.get("splitFrom") == name]


def _fault(old: dict[str, Any], parts: list[Story]) -> str:
    if old["passes"] or old["reviewStatus"] is not TO_DO:
        return "A submitted or finished story may not vanish: put it back."
    if not parts:
        return "Put it back, or split it: new stories whose splitFrom names it."
    for field, key in (("acceptanceCriteria", "criteria"), ("verify", "verify")):
        kept = {digest for part in parts for digest in snapshot.digests(part.get(field, ()))}
        lost = set(old.get("frozen", {}).get(key, ())) - kept
        if lost:
            return f"{len(lost)} of its {field} stand in none of its parts: copy them verbatim."
    return ""


def _not_replaced(
    name: str, stories: Stories, before: Snapshot, parts: dict[str, list[Story]]
) -> str:
    """Whoever waited for the story must now wait for all of its parts."""
    wanted = {part["id"] for part in parts[name]}
    for other, old in before.items():
        if name not in old.get("dependsOn", ()):
            continue
        heirs = [stories[other]] if other in stories else parts[other]
        waits_for = {entry for heir in heirs for entry in heir.get("dependsOn", ())}
        if not wanted <= waits_for:
            heirs_shown = names_shown(sorted(wanted))
            return f"{name_shown(other)} depended on it: let it depend on {heirs_shown}."
    return ""
