"""The table of the seeds in tests/README.md names only files and tests that exist."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
TESTS = REPOSITORY / "tests"
SECTION = (TESTS / "README.md").read_text(encoding="utf-8").partition("\n## The seeds\n")[2]
ROWS = [
    [cell.strip() for cell in line.strip("|").split(" | ")]
    for line in SECTION.splitlines()
    if line.startswith("| ") and "`" in line
]


@cache
def functions_in(path: str) -> set[str]:
    nodes = ast.walk(ast.parse((TESTS / path).read_text(encoding="utf-8")))
    return {node.name for node in nodes if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0][:60])
def test_what_a_row_names_is_there(row: list[str]) -> None:
    _, lives, shown = row
    for place in re.findall(r"`([^`]+)`", lives):
        tops = (REPOSITORY, REPOSITORY / "scripts" / "ralph_engine")
        assert any((top / place).exists() for top in tops), place
    named = re.findall(r"`([^`]+)`", shown)
    assert named
    for name in named:
        path, _, test = name.partition("::")
        assert path.endswith(".py") and (not test or test in functions_in(path)), name


def test_the_table_has_rows() -> None:
    assert len(ROWS) > 40
