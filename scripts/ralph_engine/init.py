"""`init`: the files of a loop, made from the templates and never overwritten."""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import unicodedata
from datetime import date
from pathlib import Path

from .core import dot_folder, files, paths
from .failure import Failure
from .harmless import harmless
from .plugin_folder import PLUGIN, TEMPLATES
from .prompt import fill

_SCHEMA = Path(__file__).resolve().parent / "schemas" / "tasks.schema.json"
_TEMPLATES = ("prd.md", "tasks.json", "progress.txt", "prompt.md", "guardrails.md")
_AUDIT = ("audit.md",)
_IGNORE = ".gitignore"
_IGNORE_LIMIT = 16 * 1024 * 1024
_FOLDERS = (paths.DEFAULT_RALPH_DIR, paths.DOT_FOLDER)
_KINDS = {"file": "a file", "folder": "a folder", "link": "a symbolic link"}
# A branch is a file below .git/refs: 255 bytes, four for a character, and git adds '.lock'.
_LONGEST_BRANCH = 60


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-d", "--project-dir", default=".", metavar="PATH", help="project root")
    parser.add_argument("--name", metavar="FEATURE", help="default: the project folder's name")
    parser.add_argument("--audit", action="store_true", help="make ralph/audit.md too")


def main(options: argparse.Namespace) -> int:
    root = _project(options.project_dir)
    name = _name(os.path.basename(root) or "project" if options.name is None else options.name)
    try:
        lines = _make(root, contents(name, date.today(), options.audit))
    except files.FileFault as fault:
        where = os.path.join(root, fault.path)
        raise Failure(f"{where} {fault.problem}", f"{fault.fix}, then run init again") from fault
    print(harmless("\n".join([*lines, "", *_next_steps(root)])))
    return 0


def contents(name: str, today: date, audit: bool = False) -> dict[str, str]:
    """What each new file holds, by its path in the project."""
    made = {}
    for file in (*_TEMPLATES, *_AUDIT[: int(audit)]):
        values = {"DATE": today.isoformat(), "PROJECT_NAME": name, "BRANCH_NAME": branch(name)}
        if file.endswith(".json"):
            values = {key: _inside_json(value) for key, value in values.items()}
        text = (TEMPLATES / file).read_text(encoding="utf-8")
        made[f"{paths.DEFAULT_RALPH_DIR}/{file}"] = fill(text, values)
    # Only a path inside the project serves editors on every machine, without a network.
    made[f"{paths.DOT_FOLDER}/{_SCHEMA.name}"] = _SCHEMA.read_text(encoding="utf-8")
    return made


def branch(name: str) -> str:
    """What `git check-ref-format` accepts behind ralph/."""
    text = unicodedata.normalize("NFC", name)[:_LONGEST_BRANCH]
    steps = [_branch_step(step) for step in text.split("/")]
    return "/".join(step for step in steps if step) or "feature"


def _branch_step(text: str) -> str:
    plain = re.sub(r"[^\w.]+|\.{2,}", "-", text).strip("-.")
    return re.sub(r"\.lock$", "-lock", plain)


def ignore_addition(old: bytes) -> bytes:
    """What .gitignore lacks; nothing where the marker stands in it already."""
    marker = paths.MARKER.encode()
    lines = [line.strip(b" \t/") for line in old.removeprefix(b"\xef\xbb\xbf").splitlines()]
    if marker in lines:
        return b""
    end = b"\r\n" if b"\r\n" in old else b"\n"
    return (b"" if old.endswith(b"\n") or not old else end) + marker + end


def _make(root: str, made: dict[str, str]) -> list[str]:
    """Looks at everything before the first write; one line for each file."""
    wanted = [*made, paths.DOT_IGNORE]
    _expect_kinds(root, [*wanted, _IGNORE])
    kept = [path for path in (*wanted, _IGNORE) if files.kind(root, path) == "file"]
    old = files.read_bytes(root, _IGNORE, _IGNORE_LIMIT) if _IGNORE in kept else b""
    missing = [path for path in wanted if path not in kept]
    _expect_writable(root, missing + [_IGNORE] * bool(ignore_addition(old)))
    for path in missing:
        if path in made:
            files.replace_bytes(root, path, made[path].encode("utf-8"))
    dot_folder.ensure(root)
    lines = [f"{'kept' if path in kept else 'made'} {path}" for path in wanted]
    return [*lines, _ignore(root, old, _IGNORE in kept)]


def _ignore(root: str, old: bytes, there: bool) -> str:
    addition = ignore_addition(old)
    if not addition:
        return f"kept {_IGNORE}"
    files.append(root, _IGNORE, addition)
    return f"added {paths.MARKER} to {_IGNORE}" if there else f"made {_IGNORE}"


def _expect_kinds(root: str, wanted: list[str]) -> None:
    for path, kind in [*((f, "folder") for f in _FOLDERS), *((p, "file") for p in wanted)]:
        found = files.kind(root, path)
        if found not in ("absent", kind):
            words = _KINDS.get(found, "neither a file nor a folder")
            raise Failure(
                f"{os.path.join(root, path)} is {words}, and {_KINDS[kind]} is needed there",
                "move it away, then run init again; nothing was changed",
            )


def _expect_writable(root: str, missing: list[str]) -> None:
    for folder in dict.fromkeys(_nearest(root, path) for path in missing):
        if not os.access(folder, os.W_OK | os.X_OK):
            raise Failure(
                f"{folder} cannot be written by this user",
                "change its permissions, then run init again; nothing was changed",
            )


def _nearest(root: str, path: str) -> str:
    """The folder that exists and will get the file, or the file's folder."""
    folder = os.path.join(root, os.path.dirname(path))
    return folder.rstrip("/") if os.path.isdir(folder) else root


def _next_steps(root: str) -> list[str]:
    here = root == os.path.realpath(os.getcwd())
    place = "" if here else f" -d {shlex.quote(root)}"
    git = "git" if here else f"git -C {shlex.quote(root)}"
    ralph = shlex.quote(str(PLUGIN / "scripts" / "ralph.sh"))
    added = f"{paths.DEFAULT_RALPH_DIR} {paths.DOT_FOLDER} {_IGNORE}"
    return [
        *_repository_words(root, git),
        "Next:",
        "  plan the feature   /ralph-plan in Claude Code, or edit ralph/prd.md, ralph/tasks.json",
        f"  check the plan     {ralph} check{place}",
        f"  commit it          {git} add {added} && {git} commit -m 'Plan a Ralph loop' {added}",
        f"  start the loop     {ralph} run{place}",
        f"  get a short name   {ralph} link",
    ]


def _repository_words(root: str, git: str) -> list[str]:
    top = _repository(root)
    if top is None:
        return [f"{root} is not a git repository, and a loop needs one: {git} init", ""]
    if top == root:
        return []
    words = f"{root} is a folder of the repository {top}: the loop's project is that folder alone."
    return [words, ""]


def _repository(root: str) -> str | None:
    for folder in (Path(root), *Path(root).parents):
        if os.path.lexists(folder / ".git"):
            return str(folder)
    return None


def _inside_json(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]


def _name(text: str) -> str:
    name = harmless(" ".join(text.split()))
    if not name:
        raise Failure("--name is empty", "give the feature a name, for example --name login")
    return name


def _project(text: str) -> str:
    if not os.path.isdir(text):
        raise Failure(f"project folder {text} is not a folder", "give one with --project-dir")
    return os.path.realpath(text)
