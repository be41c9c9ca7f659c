"""The move into the archive and its commit: both, or neither."""

from __future__ import annotations

import uuid

from . import archive_move, descendants, git, interrupts, processes
from .archive_move import Place, Plan
from .failure import Failure

_HOOK_SECONDS = 600.0
_HEARD, _SAID = 65536, 600


class Interrupted(Exception):
    """Asked to stop; everything is as it was."""


def put_away(place: Place, plan: Plan, target: str) -> str:
    """The commit; or an exception, and everything is as it was."""
    root = place.root
    mark = f"RALPH_RUN_ID=archive-{uuid.uuid4()}"
    interrupts.leave_if_asked()
    interrupts.begin(mark, lambda: None)
    descendants.adopt_orphans()
    intended: list[str] = []
    done = False
    try:
        archive_move.put_away(place, plan, target)
        wanted = [f"{target}/{name}" for name in (*plan.old, *plan.added)]
        wanted += map(place.own, plan.new)
        intended = git.untracked(root, wanted)
        _intend(root, intended)
        _commit(root, wanted, f"ralph: archive {target.rpartition('/')[2]}", mark)
        done = True
    finally:
        if not done:
            git.forget_intent(root, intended)
            archive_move.take_back(place, plan, target)
    return git.head(root)


def _intend(root: str, names: list[str]) -> None:
    answer = git.intend_to_add(root, names)
    if answer.code:
        raise _refused(answer.error)


def _commit(root: str, wanted: list[str], message: str, mark: str) -> None:
    """Whatever git and its hooks say at the end: what counts is whether HEAD holds it."""
    if interrupts.asked():
        raise Interrupted
    before, said = git.head(root), bytearray()

    def hear(_: str, data: bytes) -> None:
        said.extend(data[: max(0, _HEARD - len(said))])

    argv, environment = git.hooked_commit(wanted, message)
    own = {"RALPH_RUN_ID": mark.partition("=")[2], "RALPH_ACTIVE": "0"}
    job = processes.Job(argv, root, {**environment, **own}, b"", _HOOK_SECONDS, merged=True)
    with interrupts.job("git commit"):
        ended = processes.run(job, hear, interrupts.asked, mark)
    if git.head(root) != before and git.holds(root, "HEAD", wanted[0]):
        return
    if interrupts.asked():
        raise Interrupted
    late = ended.cause == processes.TIMED_OUT
    why = f"it took more than {_HOOK_SECONDS:g} s" if late else said.decode("utf-8", "replace")
    raise _refused(ended.problem or why)


def _refused(why: str) -> Failure:
    words = " ".join(why.split())[:_SAID]
    return Failure(
        f"git did not commit the archive: {words or 'it gave no reason'}",
        "put that right, then archive again; everything is as it was",
    )
