"""One session of the real client in a throw-away project, to see this plugin's hooks act."""

from __future__ import annotations

import json
import os
import time
import uuid
from collections.abc import Mapping
from typing import NamedTuple

from .. import demo_folder, descendants, offline_claude, processes
from ..agents import claude
from ..agents.request import Request
from ..core import files, paths
from ..failure import Failure
from ..plugin_folder import PLUGIN
from ..scripted_model import Request as Asked
from ..scripted_model import ScriptedModel, call, say

SECONDS = 60.0
_STRAY = "stray.txt"
_REFUSAL = "Stop hook feedback"
_HINT = f"see whether claude works by itself; if not: {offline_claude.INSTALL}"
_DENIAL = "protected-path"
# Where nothing denies the first call, it does no harm.
# The second stop must be refused no more: the hook lets go, too.
_SCRIPT = (
    call("Bash", command=f"touch {paths.MARKER}", description="touch the marker"),
    say("Done."),
    call("Bash", command="git add -A && git commit -qm tidy", description="commit"),
    say("Done."),
)


class Seen(NamedTuple):
    """Which hooks acted, by what reached the model; `trouble` is a hook's own error."""

    acts: dict[str, bool]
    trouble: str
    seconds: float


def run(
    program: str, folder: str, environment: Mapping[str, str], seconds: float = SECONDS
) -> Seen:
    """In `folder`, by the surroundings that offline_claude made there."""
    own = {**demo_folder.environment(folder, environment), **environment}
    demo_folder.make_project(folder, own)
    project = os.path.join(folder, demo_folder.PROJECT)
    request = Request(
        command=program,
        prompt="Stop.",
        run_id=f"doctor-{uuid.uuid4()}",
        session_id=str(uuid.uuid4()),
        plugin_dir=str(PLUGIN),
    )
    _begin_iteration(project, request)
    with ScriptedModel(_SCRIPT) as model:
        started = time.monotonic()
        _start(request, project, {**own, **offline_claude.model(model.url)}, seconds)
        taken = time.monotonic() - started
    return Seen(_acts(model.requests), _trouble(project), taken)


def _begin_iteration(project: str, request: Request) -> None:
    """As the runner does, with a file that is not committed."""
    marker = {
        "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "pid": os.getpid(),
        "max_iterations": 1,
        "mode": "direct",
        "runId": request.run_id,
        "sessionId": request.session_id,
        "iteration": 1,
        "goal": "tasks",
    }
    files.replace_bytes(project, paths.MARKER, json.dumps(marker).encode("ascii"))
    files.replace_bytes(project, _STRAY, b"")


def _start(request: Request, project: str, environment: dict[str, str], seconds: float) -> None:
    launch = claude.launch(request)
    said = bytearray()

    def keep(name: str, data: bytes) -> None:
        said.extend(data)
        del said[:-4000]

    descendants.adopt_orphans()
    job = processes.Job(
        launch.argv, project, {**environment, **launch.environment}, launch.stdin, seconds
    )
    done = processes.run(job, keep, lambda: False, f"RALPH_RUN_ID={request.run_id}")
    if done.cause:
        raise Failure(f"Claude Code did not end a short session in {seconds:g} s", _HINT)
    if done.code != 0:
        last = said.decode("utf-8", "replace").strip().split("\n")[-1]
        raise Failure(f"Claude Code ended with {done.code}: {done.problem or last[-400:]}", _HINT)


def _acts(requests: list[Asked]) -> dict[str, bool]:
    told = [request.new_text for request in requests]
    return {
        "SessionStart": any("Ralph loop: iteration 1 of 1" in text for text in told[:1]),
        "PreToolUse (denying)": any(_DENIAL in text for text in told[1:2]),
        "Stop (refusing)": any(_REFUSAL in text and _STRAY in text for text in told[2:3]),
        "Stop (allowing)": len(told) <= len(_SCRIPT),
    }


def _trouble(project: str) -> str:
    try:
        lines = files.read_tail(project, paths.HOOK_ERRORS, 4000).decode("utf-8", "replace")
    except files.FileFault:
        return ""
    return next((line for line in reversed(lines.split("\n")) if line.strip()), "")[:400]
