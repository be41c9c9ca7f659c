"""Every rule by its own examples, and the tables of dangerous and of everyday commands."""

from __future__ import annotations

from collections import Counter

import pytest
from guarded import ALLOWED, a_place, judged, rows
from ralph_engine.core import guard_rules

RULES = {rule.name: rule for rule in guard_rules.every()}
DANGEROUS = rows("guard/dangerous.tsv")
EVERYDAY = [row[0] for row in rows("guard/everyday.txt")]
CASES = rows("guard-cases.tsv")


@pytest.mark.parametrize("name", RULES)
def test_a_rule_denies_its_examples_and_no_neighbours(name: str) -> None:
    rule = RULES[name]
    assert len(rule.denied) > 1 and len(rule.allowed) > 1
    assert {text: judged(text).rule for text in rule.denied} == dict.fromkeys(rule.denied, name)
    assert {text: judged(text) for text in rule.allowed} == dict.fromkeys(rule.allowed, ALLOWED)


@pytest.mark.parametrize("name", RULES)
def test_a_rule_says_why_and_what_instead(name: str) -> None:
    rule = RULES[name]
    assert rule.reason.startswith(("it ", "a force push ")) and not rule.reason.endswith(".")
    assert len(rule.instead) > 15 and not rule.instead.endswith(".")
    assert len(rule.reason) + len(rule.instead) < 250 and "\n" not in rule.reason + rule.instead


def test_names_of_rules_are_unique() -> None:
    names = [rule.name for rule in guard_rules.every()]
    assert Counter(names).most_common(1)[0][1] == 1


@pytest.mark.parametrize(("verdict", "text", "_"), CASES, ids=[row[1] for row in CASES])
def test_what_public_guards_agree_on(verdict: str, text: str, _: str) -> None:
    found = judged(text)
    assert found.complete
    assert ("deny" if found.rule else "allow") == verdict, found


@pytest.mark.parametrize(("rule", "text"), DANGEROUS, ids=[row[1] for row in DANGEROUS])
def test_a_dangerous_command_is_denied_by_its_rule(rule: str, text: str) -> None:
    assert judged(text) == (rule, True)


@pytest.mark.parametrize("text", EVERYDAY)
def test_an_everyday_command_passes(text: str) -> None:
    assert judged(text) == ALLOWED


@pytest.mark.parametrize(
    "command",
    [
        *('git restore "note?/mine.txt"', 'git restore "[n]otes/mine.txt"'),
        *("git restore notes/min?.txt", "git restore $(git diff --name-only)"),
        *("git diff --name-only | xargs git restore", "git ls-files -m | xargs git checkout --"),
        *("git checkout -f", "git checkout -f main", "git -C notes checkout -f HEAD -- a.txt"),
        *("git restore --pathspec-from-file=l", "git checkout --pathspec-from-file l"),
        "cd $(cat l); git restore mine.txt",
    ],
)
def test_a_reviewer_puts_nothing_back_that_may_be_the_persons(command: str) -> None:
    place = a_place(reviewing=True, baseline=["notes/mine.txt"])
    assert judged(command, place) == ("git-discard-changes", True)


@pytest.mark.parametrize(
    "command",
    ["git restore src/app.py", "git checkout HEAD -- src 'out x.txt'", "cd src && git restore ."],
)
def test_a_reviewer_puts_back_what_its_tests_changed(command: str) -> None:
    assert judged(command, a_place(reviewing=True, baseline=["notes/mine.txt"])) == ALLOWED
    assert judged("git checkout -f && git restore '*'", a_place(reviewing=True)) == ALLOWED


def test_the_tables_are_large_and_reach_every_rule() -> None:
    assert len(CASES) == 251 and len(DANGEROUS) >= 120 and len(EVERYDAY) >= 150
    assert {rule for rule, _ in DANGEROUS} == {*RULES} - {"too-long"}, "too long for a table"


def test_the_index_of_programs_leads_to_modules_with_rules() -> None:
    named = {*guard_rules.PROGRAMS, *guard_rules.ON_FILES, *guard_rules.ON_REDIRECTS}
    assert all(guard_rules.rules(module) for module in named)
