"""The marker .ralph-active: a loop's word to its hooks, and whose session it binds."""

from __future__ import annotations

from . import files, paths, shape, strict_json
from .review import MODES
from .shape import Field
from .tasks import STATUSES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    Marker = dict[str, Any]
else:
    Marker = dict

SIZE_LIMIT = 32 * 1024 * 1024


def _is_status(value: Any) -> bool:
    return value is None or value in STATUSES[1:]


def _is_words(value: Any) -> bool:
    return type(value) is dict and all(type(word) is str for word in value.values())


def _is_snapshot(value: Any) -> bool:
    return type(value) is dict and all(_is_entry(entry) for entry in value.values())


def _is_entry(value: Any) -> bool:
    return type(value) is dict and not shape.faults(value, ENTRY_FIELDS, "", "")


def _is_frozen(value: Any) -> bool:
    return type(value) is dict and not shape.faults(value, FROZEN_FIELDS, "", "")


FROZEN_FIELDS = (
    Field("criteria", shape.is_strings, "a list of digests", True),
    Field("verify", shape.is_strings, "a list of digests", True),
    Field("whole", shape.is_string, "a digest", False),
)
ENTRY_FIELDS = (
    Field("passes", shape.is_boolean, "true or false", True),
    Field("reviewStatus", _is_status, "a review status", True),
    Field("reviewCount", shape.is_count, "an integer of 0 or more", True),
    Field("reviewFeedback", shape.is_string, "a string", False),
    Field("dependsOn", shape.is_strings, "a list of ids", False),
    Field("frozen", _is_frozen, "an object of digests", False),
)
FIELDS = (
    Field("timestamp", shape.is_string, "a string", True),
    Field("pid", shape.is_count, "a process id", True),
    Field("max_iterations", shape.is_count, "an integer of 0 or more", True),
    Field("mode", lambda value: value in ("direct", "sandbox"), '"direct" or "sandbox"', True),
    Field("skipReview", shape.is_boolean, "true or false", False),
    Field("reviewCap", shape.is_count, "an integer of 0 or more", False),
    Field("iterationMode", lambda value: value in MODES, "an iteration mode", False),
    Field("preIterationSnapshot", _is_snapshot, "an object of snapshots", False),
    Field("runId", shape.is_text, "a non-empty string", False),
    Field("sessionId", shape.is_string, "a string", False),
    Field("iteration", shape.is_count, "an integer of 0 or more", False),
    Field("story", shape.is_string, "the id of a story", False),
    Field("goal", lambda value: value in ("tasks", "prompt"), '"tasks" or "prompt"', False),
    Field("ralphDir", shape.is_string, "a folder below the project", False),
    Field("atCap", lambda value: value in ("approve", "hold"), '"approve" or "hold"', False),
    Field("contextWindow", shape.is_count, "an integer of 0 or more", False),
    Field("verifyCommands", shape.is_strings, "a list of digests", False),
    Field("digests", _is_words, "an object of fingerprints", False),
    Field("baseline", _is_words, "an object of fingerprints", False),
    Field("host", shape.is_string, "a string", False),
)


def parse(data: bytes) -> Marker | None:
    """The marker, or None where it is broken; absent fields stay absent."""
    try:
        value = strict_json.parse(data)
    except strict_json.NotJson:
        return None
    if type(value) is not dict or shape.faults(value, FIELDS, "", ""):
        return None
    return value if paths.stays_below(ralph_dir(value)) else None


def binds(marker: Marker, session: str, environment: Mapping[str, str]) -> bool:
    """Is this the session that the loop behind the marker started?"""
    if "runId" in marker:
        ours = marker["runId"] == environment.get("RALPH_RUN_ID")
        return ours and session != "" and marker.get("sessionId") == session
    if marker["mode"] == "sandbox":
        # The runner's pid means nothing in here; only its own sessions are in here.
        return "1" in (environment.get("IS_SANDBOX"), environment.get("RALPH_ACTIVE"))
    from . import ancestry

    return int(marker["pid"]) in ancestry.of_this_process()


def ralph_dir(marker: Marker) -> str:
    return str(marker.get("ralphDir", paths.DEFAULT_RALPH_DIR))


def read(root: str) -> Marker | None:
    """None where there is none, or none that can be used."""
    try:
        return parse(files.read_bytes(root, paths.MARKER, SIZE_LIMIT))
    except files.FileFault:
        return None
