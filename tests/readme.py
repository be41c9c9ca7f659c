"""The README as commands: those in its blocks, in its tables and between its words."""

from __future__ import annotations

import re
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
TEXT = (REPOSITORY / "README.md").read_text(encoding="utf-8")
_PROGRAMS = r"ralph|claude|scripts/[\w-]+\.sh|bench/run|/[\w-]*(?:ralph|ulw)[\w-]*"
_TYPED = re.compile(rf"(?:{_PROGRAMS})(?: |$)")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)


def typed_in_blocks(language: str) -> list[str]:
    lines = [line for block in blocks(language) for line in block.splitlines()]
    return [line.partition("  #")[0].strip() for line in lines]


def first_column(title: str) -> list[str]:
    """What is set as code in the first column of the tables whose first column has this title."""
    tables = re.findall(rf"^\| {title} \|.*\n\|---.*\n((?:\|.*\n)+)", TEXT, re.MULTILINE)
    cells = [row.replace(r"\|", "/").split("|")[1] for rows in tables for row in rows.splitlines()]
    return [code for cell in cells for code in _code(cell)]


def commands() -> set[str]:
    outside = re.sub(r"^```.*?^```$", "", TEXT, flags=re.DOTALL | re.MULTILINE)
    found = {code for code in _code(outside) if _TYPED.match(code) and code != "claude"}
    found |= {f"ralph {row}" for row in first_column("verb")} | set(first_column("command"))
    return found.union(*map(typed_in_blocks, ("sh", "text")))


def _code(text: str) -> list[str]:
    return re.findall(r"`([^`]+)`", text.replace("\n", " "))
