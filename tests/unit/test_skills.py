"""The skills that call a verb call it in ways that it takes."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from ralph_engine.__main__ import _parser

SKILLS = Path(__file__).resolve().parents[2] / "skills"
CALL = re.compile(r'`"\$\{CLAUDE_PLUGIN_ROOT\}/scripts/ralph\.sh" ([^`]+)`')
CALLS = [
    (path.parent.name, words)
    for path in sorted(SKILLS.glob("*/SKILL.md"))
    for words in CALL.findall(path.read_text(encoding="utf-8"))
]


# A person's own permissions decide over whatever these are told to run.
ASKED_FOR = ("run", "tdd red", "tdd green", "tdd refactored")


@pytest.mark.parametrize(("skill", "words"), CALLS)
def test_every_call_is_understood_and_allowed(skill: str, words: str) -> None:
    verb = words.split()[0]
    _parser(verb).parse_args(shlex.split(words))
    head = (SKILLS / skill / "SKILL.md").read_text(encoding="utf-8").split("---")[1]
    [allowed] = re.findall(r"^allowed-tools: (.+)$", head, re.MULTILINE) or [""]
    rules = re.findall(r'ralph\.sh" ([^)]+)\)', allowed)
    fits = any(words == rule or rule[-2:] == ":*" and words.startswith(rule[:-2]) for rule in rules)
    assert fits != words.startswith(ASKED_FOR)


def test_the_calling_skills_are_found() -> None:
    assert {skill for skill, _ in CALLS} == {"ralph-plan", "ralph-router", "ralph-tdd"}
