"""The task list: what tasks.json must look like, with every fault named."""

from __future__ import annotations

from . import shape, strict_json
from .shape import Fault, Field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Story = dict[str, Any]
    Document = dict[str, Any]
else:
    Story = Document = dict

SIZE_LIMIT = 32 * 1024 * 1024
SHOWN_FAULTS = 20
STATUSES = (None, "needs_review", "changes_requested", "approved")

_TEXTS = "a list of non-empty strings"
TOP_FIELDS = (
    Field("$schema", shape.is_string, "a string", False),
    Field("project", shape.is_string, "a string", True),
    Field("branchName", shape.is_string, "a string", True),
    Field("description", shape.is_string, "a string", True),
    Field("verifyCommands", shape.is_texts, f"{_TEXTS} (shell commands)", False),
    Field("userStories", lambda value: type(value) is list, "a list of stories", True),
)
STORY_FIELDS = (
    Field("id", shape.is_text, "a non-empty string", True),
    Field("title", shape.is_string, "a string", True),
    Field("description", shape.is_string, "a string", False),
    Field("acceptanceCriteria", shape.is_some_texts, f"{_TEXTS}, at least one", True),
    Field("priority", shape.is_number, "a number (1 is the most urgent)", True),
    Field("passes", shape.is_boolean, "true or false", True),
    Field(
        "reviewStatus",
        lambda value: value is None or value in STATUSES[1:],
        'null, "needs_review", "changes_requested" or "approved"',
        True,
    ),
    Field("reviewCount", shape.is_count, "an integer of 0 or more", True),
    Field("reviewFeedback", shape.is_string, "a string", True),
    Field("notes", shape.is_string, "a string", False),
    Field("dependsOn", shape.is_texts, f"{_TEXTS} (ids of stories)", False),
    Field("splitFrom", shape.is_text, "a non-empty string (the id of a story)", False),
    Field("verify", shape.is_texts, f"{_TEXTS} (shell commands)", False),
)


def parse(data: bytes, path: str) -> tuple[Document | None, list[Fault]]:
    """Check 1: the document and no faults, or None and all of them in document order."""
    try:
        document = strict_json.parse(data)
    except strict_json.NotJson as error:
        return None, [unreadable(path, error)]
    found = faults(document, path)
    return (None if found else document), found


def unreadable(path: str, error: strict_json.NotJson) -> Fault:
    problem, _, fix = str(error).rpartition("; ")
    return Fault(path, "", problem, fix)


def faults(document: Any, path: str = "tasks.json") -> list[Fault]:
    return in_order(structure_faults(document, path) + meaning_faults(document))


def structure_faults(document: Any, path: str) -> list[Fault]:
    """What the published schema says too."""
    if type(document) is not dict:
        return [shape.wrong(path, "", document, "an object")]
    found = shape.faults(document, TOP_FIELDS, "", "")
    for index, story in enumerate(_stories(document)):
        place = f"userStories[{index}]"
        if type(story) is dict:
            found += shape.faults(story, STORY_FIELDS, f"{place}.", name_of(story))
        else:
            found.append(shape.wrong(place, "", story, "an object"))
    return found


def meaning_faults(document: Any) -> list[Fault]:
    """What a schema cannot say; judged only where the structure allows it."""
    stories = _stories(document)
    positions: dict[str, int] = {}
    found: list[Fault] = []
    for index, story in enumerate(stories):
        name = name_of(story)
        if name and positions.setdefault(name, index) != index:
            found.append(_repeated_id(name, index, positions[name]))
        if name and story.get("passes") is True:
            found += _unexplained_pass(story, index)
    return found + _dependency_faults(stories, positions)


def in_order(found: list[Fault]) -> list[Fault]:
    return sorted(found, key=_story_index)


def name_of(story: Any) -> str:
    name = story.get("id") if type(story) is dict else None
    return name if type(name) is str else ""


def depends_on(story: Story) -> list[str]:
    entries = story.get("dependsOn")
    return entries if entries is not None and shape.is_texts(entries) else []


def _stories(document: Any) -> list[Any]:
    stories = document.get("userStories") if type(document) is dict else None
    return stories if type(stories) is list else []


def _story_index(fault: Fault) -> int:
    head, bracket, rest = fault.place.partition("[")
    return int(rest.partition("]")[0]) if bracket and head == "userStories" else -1


def _repeated_id(name: str, index: int, first: int) -> Fault:
    problem = f"is also the id of userStories[{first}]"
    return Fault(f"userStories[{index}].id", name, problem, "give every story an id of its own")


def _unexplained_pass(story: Story, index: int) -> list[Fault]:
    notes = story.get("notes", "")
    if type(notes) is not str or notes.strip():
        return []
    place = f"userStories[{index}].notes"
    return [Fault(place, story["id"], "is empty while passes is true", "write what was done")]


def _dependency_faults(stories: list[Any], positions: dict[str, int]) -> list[Fault]:
    graph = {name: depends_on(stories[index]) for name, index in positions.items()}
    found = []
    for name, wanted in graph.items():
        for number, other in enumerate(wanted):
            if other not in graph:
                place = f"userStories[{positions[name]}].dependsOn[{number}]"
                problem = f"names {shape.shown(other)}, which is not in the list"
                found.append(Fault(place, name, problem, "name a story that is"))
    for circle in _circles(graph):
        place = f"userStories[{positions[circle[0]]}].dependsOn"
        problem = f"goes in a circle: {_way(circle)}"
        found.append(Fault(place, circle[0], problem, "remove one of these"))
    return found


def _way(circle: list[str]) -> str:
    names = [shape.name_shown(name) for name in circle]
    return " -> ".join(names if len(names) <= 6 else [*names[:4], "...", names[-1]])


def _circles(graph: dict[str, list[str]]) -> list[list[str]]:
    """Depth first without recursion: a chain may be ten thousand stories long.

    No more than are ever shown: a dense list has more circles than memory has room for.
    """
    found, finished = [], set()
    for start in graph:
        trail: dict[str, None] = {}
        stack = [(start, False)]
        while stack:
            name, leaving = stack.pop()
            if leaving:
                trail.popitem()
                finished.add(name)
            elif name in trail:
                steps = list(trail)
                found.append([*steps[steps.index(name) :], name])
                if len(found) == SHOWN_FAULTS:
                    return found
            elif name not in finished:
                trail[name] = None
                stack.append((name, True))
                stack.extend((other, False) for other in graph[name] if other in graph)
    return found
