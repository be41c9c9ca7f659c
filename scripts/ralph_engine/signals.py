"""Files by which agent and person tell the loop to stop: DONE, WAIT, WAIT_WITHOUT_RESTART."""

from __future__ import annotations

from . import ask
from .core import files, paths, requests
from .core.own_command import RALPH
from .failure import Failure
from .run_state import Run
from .stops import INTERRUPTED, WAITING, Stop

_LIMIT = 65536


def asked_to_stop(run: Run) -> Stop | None:
    if requests.stands(str(run.state), requests.CANCEL):
        return Stop(INTERRUPTED, "cancelled on request", f"{RALPH} resume goes on")
    if run.stop_asked():
        return Stop(INTERRUPTED, "interrupted", f"{RALPH} resume goes on")
    return waits_for_person(run)


def waits_for_person(run: Run) -> Stop | None:
    for path in paths.signals(run.ralph_dir, paths.WAITS):
        if files.kind(run.root, path) != "absent":
            why = f"{path} says: {_content(run.root, path)}"
            return Stop(WAITING, why, f"answer it, then {RALPH} resume (it removes the file)")
    return None


def refuse_old(root: str, ralph_dir: str) -> None:
    """What stood there before the run was meant for another one."""
    old = [p for p in paths.signals(ralph_dir) if files.kind(root, p) != "absent"]
    if old and ask.yes(f"{', '.join(old)}: older than this run. Remove it?"):
        for path in old:
            files.remove(root, path)
    elif old:
        raise Failure(f"{', '.join(old)} is older than this run", f"rm {' '.join(old)}")


def answered(run: Run) -> None:
    """A person resumes: what the loop waited for is settled."""
    for path in paths.signals(run.ralph_dir, paths.WAITS):
        if files.kind(run.root, path) != "absent":
            run.say(f"{path} said: {_content(run.root, path)}")
            files.remove(run.root, path)


def _content(root: str, path: str) -> str:
    try:
        return files.read_bytes(root, path, _LIMIT).decode("utf-8", "replace").strip() or "wait"
    except files.FileFault as fault:
        return str(fault)
