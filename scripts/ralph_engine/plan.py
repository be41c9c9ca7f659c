"""`plan`: what /ralph-plan has to do here. This decides, the skill only explains."""

from __future__ import annotations

import argparse
import shlex

from . import check, own_checks, run_options, running_loop, starter
from .core import files, paths
from .core.own_command import RALPH
from .failure import Failure
from .harmless import harmless
from .plugin_folder import PLUGIN

FULL, DERIVATION = "full", "derivation"
_STARTER = "replace its story, name project and branchName after the feature, keep the other fields"
_LIMIT = 1024 * 1024


def add_arguments(parser: argparse.ArgumentParser) -> None:
    run_options.add_project_argument(parser)
    parser.add_argument(
        "--ralph-dir", default=paths.DEFAULT_RALPH_DIR, metavar="PATH", help="below the project"
    )


def main(options: argparse.Namespace) -> int:
    root = run_options.project_folder(options.project_dir)
    ralph_dir = run_options.ralph_folder(options.ralph_dir)
    _expect_room(root, ralph_dir)
    kind, why = _kind(root, paths.prd(ralph_dir))
    listed = _list_words(root, paths.tasks(ralph_dir))
    commands = "; ".join(own_checks.of(root)) or "none found; look for some, or ask"
    lines = (f"planning: {kind}; {why}", f"list: {listed}", f"verifyCommands: {commands}")
    print(harmless("\n".join(lines)))
    return 0


def _expect_room(root: str, ralph_dir: str) -> None:
    if files.kind(root, ralph_dir) != "folder":
        init = shlex.quote(str(PLUGIN / "scripts" / "ralph-init.sh"))
        raise Failure(f"there is no folder {ralph_dir}/ in {root}", f"run init first: {init}")
    # What changes under a loop that works is taken for its agent's doing, and undone.
    if running_loop.is_running(root) and not running_loop.stands(running_loop.find(root)):
        raise Failure(f"a loop runs in {root}", f"{RALPH} pause or {RALPH} cancel, then plan")


def _kind(root: str, path: str) -> tuple[str, str]:
    try:
        text = files.read_bytes(root, path, _LIMIT).decode("utf-8", "replace")
    except files.Missing:
        return FULL, f"{path} is missing"
    if starter.untouched_prd(text):
        return FULL, f"{path} is still the template"
    return DERIVATION, f"{path} has content and stays byte for byte as it is"


def _list_words(root: str, path: str) -> str:
    if files.kind(root, path) == "absent":
        return f"{path} is missing"
    document, found = check.judge(root, path)
    if document is None:
        return f"{path} has faults ({len(found)}); ask before you replace it"
    if starter.untouched_list(document):
        return f"{path} is still the starter; {_STARTER}"
    states = check.tally(check.states(document)) or "none"
    return f"{path} has stories ({states}); ask before you change or remove any"
