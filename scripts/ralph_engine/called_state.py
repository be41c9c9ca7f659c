"""The state of a loop whose agent calls us: judged when read, replaced whole, by one at a time."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from . import lock, schema, state_folder
from .core import dot_folder, files, strict_json
from .core.own_command import RALPH
from .failure import Failure

State = dict[str, Any]
_LIMIT = 64 * 1024 * 1024
_FIX = f"put it right, or `{RALPH} reset` moves it to a backup"


@contextmanager
def held(root: str, path: str) -> Iterator[None]:
    """While it is read and written; never while a command of the project runs."""
    beside = state_folder.lock_path(root, os.environ)
    name = f"{beside.stem}-{os.path.basename(path)[: -len('.json')]}.lock"
    with lock.briefly(beside.with_name(name), path):
        yield


def read(root: str, path: str, kind: str) -> State | None:
    """None where there is none; one that nobody of ours wrote is named and left as it is."""
    try:
        value = strict_json.parse(files.read_bytes(root, path, _LIMIT))
    except files.Missing:
        return None
    except files.FileFault as fault:
        raise Failure(f"{path} {fault.problem}", _FIX) from fault
    except strict_json.NotJson as error:
        raise Failure(f"{path} {str(error).partition('; ')[0]}", _FIX) from error
    refuse(schema.faults(kind, value, path))
    return dict(value)


def refuse(faults: list[str]) -> None:
    if faults:
        raise Failure(faults[0], _FIX)


def write(root: str, path: str, state: State) -> None:
    # Half a surrogate pair has no UTF-8: escaped it survives the round trip.
    data = json.dumps(state, indent=1).encode("ascii")
    if len(data) > _LIMIT:
        what = f"{path} would be larger than {_LIMIT} bytes"
        raise Failure(what, f"`{RALPH} reset` moves it to a backup")
    dot_folder.ensure(root)
    files.replace_bytes(root, path, data, 0o600)
