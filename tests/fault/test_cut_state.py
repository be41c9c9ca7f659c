"""Every other file of state cut at every byte: it counts whole or not at all, and nobody falls."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Callable, NamedTuple

import pytest
from ralph_engine import archive, checkpoint, lock, own_git, past_run, settings
from ralph_engine.core import (
    alerts,
    loop_command,
    marker,
    requests,
    runner_request,
    session_events,
    session_state,
    tasks,
)
from ralph_engine.core.shell import shfmt
from ralph_engine.failure import Failure
from runner.hostile_project import HostileProject, story

SESSION = "5e551011-0000-4000-8000-000000000001"
# Ends once its marker, its lock's word and its checkpoint were copied.
AGENT = (
    'cp .ralph-active "$OUTSIDE/marker"; cp "$XDG_STATE_HOME"/ralph/locks/*.owner "$OUTSIDE"/owner'
)


class Cut(NamedTuple):
    """`read` gives what is taken from the file, falsy where it is none."""

    path: Path
    read: Callable[[], Any]


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> HostileProject:
    made = HostileProject(tmp_path_factory.mktemp("lived"), story("US-1"))
    for sample in made.root.glob(".git/hooks/*.sample"):
        sample.unlink()
    assert made.run(f"sh -c '{AGENT}; echo worked'", "--breaker", "0", iterations=1).code == 1
    return made


def state(made: HostileProject) -> Path:
    [folder] = made.state.glob("ralph/project-*")
    return folder


def the_checkpoint(made: HostileProject, _: Path) -> Cut:
    return Cut(state(made) / checkpoint.NAME, lambda: past_run.read(state(made)))


def the_marker(made: HostileProject, _: Path) -> Cut:
    path = made.root / ".ralph-active"
    path.write_bytes((made.outside / "marker").read_bytes())
    return Cut(path, lambda: marker.read(str(made.root)))


def the_list(made: HostileProject, folder: Path) -> Cut:
    path = folder / "tasks.json"
    path.write_text(made.before)
    return Cut(path, lambda: tasks.parse(path.read_bytes(), "tasks.json")[0])


def the_locks_word(made: HostileProject, _: Path) -> Cut:
    [path] = [p.with_suffix(".owner") for p in made.state.glob("ralph/locks/*.lock")]
    path.write_bytes((made.outside / "owner").read_bytes())
    base = str(made.state / "ralph")

    def read() -> Any:
        known = lock._read(path.with_suffix(".lock"))
        assert (runner_request._run_of_lock(str(made.root), base) != "") == (known is not None)
        return known

    return Cut(path, read)


def the_settings(_: HostileProject, folder: Path) -> Cut:
    path = folder / ".ralph/settings.local.json"
    path.parent.mkdir()
    path.write_text(json.dumps({"guardrails": [{"command": "é", "failAction": "APPEND"}]}))

    def read() -> Any:
        try:
            return settings.read(str(folder), {}, {}).guardrails
        except Failure as failure:
            assert ".ralph/settings.local.json" in str(failure)
            return None

    return Cut(path, read)


def the_session(_: HostileProject, folder: Path) -> Cut:
    chosen = loop_command.parse("ralph-loop", "Fix it é", {})
    session_state.write(str(folder), session_state.new(SESSION, "ralph-loop", chosen, 0.0, 0))

    def read() -> Any:
        try:
            return session_state.read(str(folder), SESSION)
        except session_state.Unusable as fault:
            assert str(fault)
            return None

    return Cut(folder / f".ralph/sessions/{SESSION}.json", read)


def the_ended_session(made: HostileProject, folder: Path) -> Cut:
    the_session(made, folder)
    ended = session_state.read(str(folder), SESSION)
    assert ended is not None
    session_state.end(str(folder), ended)
    path = folder / f".ralph/sessions/ended/{SESSION}.json"
    return Cut(path, lambda: session_state.ended(str(folder), SESSION))


def the_git_of_a_sandboxed_run(made: HostileProject, folder: Path) -> Cut:
    known: Any = own_git.OwnGit(str(made.root))
    known.save(folder)

    def read() -> Any:
        known._known = None
        known.take_saved(folder)
        return known._known

    return Cut(folder / own_git.NAME, read)


WHOLE_OR_NOTHING = [
    the_checkpoint,
    the_marker,
    the_list,
    the_locks_word,
    the_settings,
    the_session,
    the_ended_session,
    the_git_of_a_sandboxed_run,
]


@pytest.mark.parametrize("make", WHOLE_OR_NOTHING, ids=lambda make: make.__name__)
def test_it_counts_whole_or_not_at_all(
    lived: HostileProject, tmp_path: Path, make: Callable[[HostileProject, Path], Cut]
) -> None:
    path, read = make(lived, tmp_path)
    whole = path.read_bytes()
    assert len(whole) > 30 and read()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        # White space at the end says nothing.
        assert bool(read()) == (whole[:length].strip() == whole.strip()), whole[:length]
    path.write_bytes(whole)
    assert read()


def words(_: Path, folder: Path) -> Cut:
    requests.tell(str(folder), "use the other parser, é")
    [name] = requests.told(str(folder))
    return Cut(folder / name, lambda: requests.told(str(folder))[name])


def the_note_of_a_cleared_session(_: Path, folder: Path) -> Cut:
    path = folder / ".ralph/sessions/cleared"
    path.parent.mkdir(parents=True)
    path.write_text("Ralph: the loop has ended, é\nmore")
    return Cut(path, lambda: session_events.note_of_cleared(str(folder)))


def an_alert(_: Path, folder: Path) -> Cut:
    with alerts.Alerts(SESSION, str(folder)) as given:
        assert given.claim("warning", 123456)

    def read() -> Any:
        with alerts.Alerts(SESSION, str(folder)) as given:
            return given.given(["warning"])

    return Cut(folder / f"claude-context-alerts-{SESSION}" / "warning", read)


def the_archived_runs(_: Path, folder: Path) -> Cut:
    path = folder / archive._KNOWN
    path.write_text("20260101-000000-abcdef\n20260102-000000-abcdef\n")
    return Cut(path, lambda: archive._archived(folder))


def the_hooks_programs(_: Path, folder: Path) -> Cut:
    path = folder / "ralph/hooks.env"
    path.parent.mkdir()
    path.write_text("/usr/bin/python3\n/bin/sh\n")
    return Cut(path, lambda: shfmt.path({"XDG_CACHE_HOME": str(folder)}) in ("", "/bin/sh"))


LINES = [
    words,
    the_note_of_a_cleared_session,
    an_alert,
    the_archived_runs,
    the_hooks_programs,
]


@pytest.mark.parametrize("make", LINES, ids=lambda make: make.__name__)
def test_what_is_left_of_a_text_is_taken(tmp_path: Path, make: Callable[[Path, Path], Cut]) -> None:
    path, read = make(tmp_path, tmp_path)
    whole = path.read_bytes()
    assert len(whole) > 5
    for length in range(len(whole) + 1):
        path.write_bytes(whole[:length])
        os.chmod(path, 0o600)
        taken = read()
        if isinstance(taken, str):
            left = whole[:length].decode("utf-8", "replace")
            assert taken == left.partition("\n")[0]
        else:
            assert taken or not whole[:length].strip()
