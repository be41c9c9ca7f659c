"""The quick reader of simple commands: what it takes on, and that shfmt would say the same."""

from __future__ import annotations

from typing import Any

import pytest
from guarded import ENVIRONMENT, ROOT, SHFMT, rows
from ralph_engine.core import guard_rules
from ralph_engine.core.shell import shfmt, walk, words
from ralph_engine.core.shell.state import Shared, Shell

RULES = [rule for rule in guard_rules.every() if rule.name != "too-long"]
TEXTS = [
    *(row[-1] for row in rows("guard/dangerous.tsv")),
    *(row[0] for row in rows("guard/everyday.txt")),
    *(row[1] for row in rows("guard-cases.tsv")),
    *(text for rule in RULES for text in (*rule.denied, *rule.allowed)),
]
SIMPLE = [text for text in TEXTS if words.parse(text) is not None]


def commands(nodes: list[dict[str, Any]] | None) -> list[Any]:
    assert nodes is not None, "shfmt cannot read it"
    shared = Shared(ROOT, ENVIRONMENT, SHFMT)
    walk.statements(Shell(shared, ROOT), nodes, None)
    return [*shared.commands, *shared.problems]


def test_most_commands_need_no_parser() -> None:
    assert len(SIMPLE) > len(TEXTS) * 0.7


def test_both_readers_see_the_same_commands() -> None:
    for text in SIMPLE:
        assert commands(words.parse(text)) == commands(shfmt.parse(SHFMT, text)), text


@pytest.mark.parametrize(
    "text",
    [
        *("a $(b)", "a `b`", "a <<< b", "a <<E\nE", "a <(b)", "(a)", "{ a; }"),
        *("for a in b; do c; done", "! a", "[[ a ]]", "a() { b; }", "${a:-b}", "$'a'"),
        *("time a", "export a=b", "a=(b)", "a ;; b", "case a in b) c;; esac", "a \\"),
        *("a > ", "$((1))", "a &> (b)", 'a "$(b)"', "function a { b; }", 'a "b', "a 'b"),
        *("a |", "&& a", "if a; then b; fi"),
    ],
)
def test_all_else_is_left_to_shfmt(text: str) -> None:
    assert words.parse(text) is None
