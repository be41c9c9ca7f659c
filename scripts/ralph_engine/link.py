"""`link`: a launcher in ~/.local/bin that starts the newest installed version."""

from __future__ import annotations

import argparse
import os
import shlex
import sys

from .core import files
from .core.own_command import LINKED, MADE_BY_LINK
from .failure import Failure
from .harmless import harmless
from .plugin_folder import PLUGIN

_FOLDER = ".local/bin"
_LIMIT = 65536


def add_arguments(parser: argparse.ArgumentParser) -> None:
    pass


def main(_: argparse.Namespace) -> int:
    home = os.environ.get("HOME", "")
    if not os.path.isdir(home):
        raise Failure("HOME is not set to a folder", "set it, then run link again")
    folder = os.path.join(home, _FOLDER)
    path = os.path.join(folder, LINKED)
    try:
        done = _write(home, folder, launcher(str(PLUGIN)))
    except files.FileFault as fault:
        raise Failure(f"{path} {fault.problem}", f"{fault.fix}, then run link again") from fault
    print(harmless(f"{done} {path}: it starts the newest Ralph that is installed"))
    if not _on_path(folder):
        words = f'{folder} is not on PATH: add export PATH="{folder}:$PATH" to your shell profile'
        print(harmless(f"hint: {words}"), file=sys.stderr)
    return 0


def launcher(linked: str) -> bytes:
    text = (PLUGIN / "scripts" / "launcher.sh").read_bytes()
    return text.replace(b"linked=''", b"linked=" + os.fsencode(shlex.quote(linked)), 1)


def _write(home: str, folder: str, wanted: bytes) -> str:
    # A person's ~/.local or ~/.local/bin may be a link to wherever they keep such things.
    there = os.path.isdir(folder)
    root, name = (os.path.realpath(folder), LINKED) if there else (home, f"{_FOLDER}/{LINKED}")
    found = files.kind(root, name)
    old = files.read_bytes(root, name, _LIMIT) if found == "file" else b""
    if found != "absent" and MADE_BY_LINK not in old:
        raise files.FileFault(name, "is not a launcher of ours", "move it away")
    if old == wanted and os.access(os.path.join(root, name), os.X_OK):
        return "kept"
    files.replace_bytes(root, name, wanted, 0o755)
    return "updated" if old else "made"


def _on_path(folder: str) -> bool:
    listed = os.environ.get("PATH", "").split(os.pathsep)
    return os.path.realpath(folder) in {os.path.realpath(entry) for entry in listed if entry}
