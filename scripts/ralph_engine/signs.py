"""`signs`: what earlier failures taught, listed from ralph/guardrails.md."""

from __future__ import annotations

import argparse
import re
from typing import NamedTuple

from . import run_options
from .core import files, paths
from .core.own_command import RALPH
from .failure import Failure
from .harmless import harmless

_LABELS = ("Trigger", "Instruction", "Added after")
_HEAD = re.compile(r"^###\s+Sign:(.*)$", re.MULTILINE)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_LIMIT = 16 * 1024 * 1024


class Sign(NamedTuple):
    name: str
    values: dict[str, str]

    @property
    def faults(self) -> list[str]:
        missing = [f"{label} is missing" for label in _LABELS if not self.values.get(label)]
        return (["the name is missing"] if not self.name else []) + missing


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-d", "--project-dir", default=".", metavar="PATH", help="project root")


def main(options: argparse.Namespace) -> int:
    root = run_options.project_folder(options.project_dir)
    path = f"{paths.DEFAULT_RALPH_DIR}/guardrails.md"
    try:
        text = files.read_bytes(root, path, _LIMIT).decode("utf-8", "replace")
    except files.Missing as fault:
        raise Failure(f"{path} is missing", f"`{RALPH} init` makes it") from fault
    found = parse(text)
    print(harmless("\n".join(words(found)) or f"no signs in {path} yet"))
    return 1 if any(sign.faults for sign in found) else 0


def parse(text: str) -> list[Sign]:
    """In the order of the file; what is commented out is an example."""
    _, *pieces = _HEAD.split(_COMMENT.sub("", text))
    return [_sign(head, body) for head, body in zip(pieces[::2], pieces[1::2])]


def words(signs: list[Sign]) -> list[str]:
    lines = []
    for number, sign in enumerate(signs, 1):
        lines.append(f"{number}. {sign.name or '(no name)'}")
        lines += [f"   {label}: {value}" for label, value in sign.values.items() if value]
        lines += [f"   malformed: {fault}" for fault in sign.faults]
    return lines


def compose(name: str, trigger: str, instruction: str, added_after: str) -> str:
    """A Sign to append to guardrails.md; each part on its line, whatever it holds."""
    values = zip(_LABELS, (trigger, instruction, added_after))
    lines = [f"### Sign: {_one_line(name)}", *(_entry(*value) for value in values)]
    return "\n" + "\n".join(lines) + "\n"


def _sign(head: str, body: str) -> Sign:
    own = re.split(r"^#{1,3}\s", body, maxsplit=1, flags=re.MULTILINE)[0]
    return Sign(head.strip(), {label: _value(own, label) for label in _LABELS})


def _value(body: str, label: str) -> str:
    pattern = rf"^[-*]\s+(?:\*\*)?{label}(?:\*\*)?\s*:(?:\*\*)?[ \t]*(.*)$"
    found = re.search(pattern, body, re.MULTILINE | re.IGNORECASE)
    return found[1].strip() if found else ""


def _entry(label: str, value: str) -> str:
    return f"- **{label}**: {_one_line(value)}"


def _one_line(text: str) -> str:
    # An opened comment would hide this Sign and all behind it.
    return " ".join(text.replace("<!--", "< !--").split())
