"""What is typed behind /ralph-loop: words and quotes as in a shell, and no shell."""

from __future__ import annotations

import shlex
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ralph_engine.core import loop_command

DEFAULTS = {
    "maxIterations": 25,
    "promise": "DONE",
    "minToolCalls": 1,
    "policy": "reject",
    "verify": [],
    "verifyTimeout": 600,
    "maxDuration": 0,
}


def parsed(raw: str, name: str = "ralph-loop", **environment: str) -> dict[str, Any]:
    return loop_command.parse(name, raw, environment)


def refusal(raw: str, name: str = "ralph-loop", **environment: str) -> str:
    with pytest.raises(loop_command.Refused) as refused:
        parsed(raw, name, **environment)
    text = str(refused.value)
    assert "\n" not in text and f"; usage: /{name} " in text
    return text.partition("; usage:")[0]


HARD = "don't `rm` $(x); \"a\" & | > \\ \n\n  two  blanks\ttab 👩‍💻 é"


@pytest.mark.parametrize(
    ("raw", "task"),
    [
        ("fix it", "fix it"),
        ('"fix it"', "fix it"),
        ("'fix it'", "fix it"),
        ("  fix  the\n\nthing ", "fix  the\n\nthing"),
        ("don't stop; it's $(x) `y`", "don't stop; it's $(x) `y`"),
        ("'don't do this'", "don't do this"),
        ('"it\'s 5 o\'clock"', "it's 5 o'clock"),
        ('"say \\"hi\\" \\\\ \\n"', 'say "hi" \\ \\n'),
        ("'a'\"'\"'b'", "a'b"),
        ('"open', '"open'),
        ("it's open 'still", "it's open 'still"),
        ('say "hi" twice', 'say "hi" twice'),
        ('"--max-iterations 0"', "--max-iterations 0"),
        ("C:\\new\\dir -- now", "C:\\new\\dir -- now"),
        ("a\n---\nb --- --5 --= c", "a\n---\nb --- --5 --= c"),
        (HARD, HARD),
        (shlex.quote(HARD), HARD),
        ("word " * 10_000 + "end", "word " * 10_000 + "end"),
        ("'a " * 20_000, ("'a " * 20_000).rstrip()),
        ('"a ' * 20_000 + 'b"', '"a ' * 20_000 + 'b"'),
        ('"Fix "Save", "Load" and "Exit""', 'Fix "Save", "Load" and "Exit"'),
        ("'it's the users' turn'.", "'it's the users' turn'."),
    ],
)
def test_the_task_arrives_as_it_was_typed(raw: str, task: str) -> None:
    assert parsed(raw) == {**DEFAULTS, "task": task}
    assert parsed(f"--max-iterations 3 {raw}") == {**DEFAULTS, "maxIterations": 3, "task": task}


@given(st.text().filter(str.strip), st.lists(st.text().filter(str.strip)))
def test_what_a_shell_quotes_is_read_back(task: str, commands: list[str]) -> None:
    quoted = " ".join(f"--verify {_quoted(command)}" for command in commands)
    assert parsed(f"{_quoted(task)} {quoted}") == {**DEFAULTS, "task": task, "verify": commands}


def _quoted(text: str) -> str:
    """In quotes even where a shell would need none."""
    return "'" + text.replace("'", "'\"'\"'") + "'"


@pytest.mark.parametrize("form", ["{} {}", "{}={}"])
def test_every_option(form: str) -> None:
    options = {
        "--max-iterations": "7",
        "--completion-promise": '"ALL GOOD"',
        "--min-tool-calls": "'2'",
        "--on-promise-no-work": "warn",
        "--verify": '"make \\"a\\""',
        "--verify-timeout": "50m",
        "--max-duration": "8h",
    }
    raw = " ".join(form.format(name, value) for name, value in options.items())
    assert parsed(f"{raw} task") == {
        "task": "task",
        "maxIterations": 7,
        "promise": "ALL GOOD",
        "minToolCalls": 2,
        "policy": "warn",
        "verify": ['make "a"'],
        "verifyTimeout": 3000,
        "maxDuration": 28800,
    }


def test_apostrophes_inside_words_hide_no_option() -> None:
    chosen = parsed("don't stop --max-iterations 3 it's fine")
    assert (chosen["task"], chosen["maxIterations"]) == ("don't stop it's fine", 3)


QUOTATIONS = """\
Rename "foo", please
"Make tests pass",
Fix the "Save".
Why does "x"?
Fix (see "a")
Fix "a b"; then "c":
["a b"] and {"c"}!
Fix 'a b', too
Move the "Save"-button
Fix all "TODO"s
"a b"/"c d"
"a b"\u2014now
"a","b c"
Show "a: ", "b: ". Then "c"
Document "--all", too
Add a " here
The " key and the " sign
6" and 5" pipes
say "open
a "lone. "pair" here
'tis about the users', it's theirs
Move 'em all
rock 'n' roll"""


@pytest.mark.parametrize("task", QUOTATIONS.splitlines())
@pytest.mark.parametrize(
    "check", ["--verify 'npm test'", '--verify "npm test"', "--verify='npm test'"]
)
def test_no_quotation_in_the_task_swallows_an_option(task: str, check: str) -> None:
    wanted = {**DEFAULTS, "task": task, "verify": ["npm test"]}
    assert parsed(f"{task} {check}") == wanted
    assert parsed(f"{task} --max-iterations 5 {check}") == {**wanted, "maxIterations": 5}


CHECKS = """\
test "$(cat x)" = "y"
python -c 'print("x")'
{"a":"b c","d":1}
ls "./a b"
test -n "$X"
grep -q '"a b"' f"""


@pytest.mark.parametrize("check", CHECKS.splitlines())
def test_a_check_may_quote_within_its_quotes(check: str) -> None:
    chosen = parsed(f'--verify "{check}" task --verify "b c"')
    assert (chosen["task"], chosen["verify"]) == ("task", [check, "b c"])


BEHIND = """\
--verify "npm test", then
x (see y --verify='npm test')
fix it --verify 'sh -c "npm test"', then stop
fix it --verify "sh -c 'npm test'"."""


@pytest.mark.parametrize("raw", BEHIND.splitlines())
def test_nothing_may_stand_behind_the_quotes_of_a_value(raw: str) -> None:
    assert "behind its closing quote, leave it out" in refusal(raw)


def test_options_may_stand_anywhere_and_repeat() -> None:
    raw = "one --verify a --max-iterations=2 two --verify='b c' three"
    chosen = parsed(raw)
    assert (chosen["task"], chosen["verify"]) == ("one two three", ["a", "b c"])


@pytest.mark.parametrize("value", ["0", "08", "-1", "1e9", "1000000", "", "x", "1.5", "+1", "٣"])
@pytest.mark.parametrize("option", ["--max-iterations", "--min-tool-calls"])
def test_a_bad_number_is_refused(option: str, value: str) -> None:
    words = "give a whole number from 1 to 999999"
    assert words in refusal(f"{option}={value} task")
    assert words in refusal(f"{option} '{value}' task")


@pytest.mark.parametrize("value", ["5", "m", "0s", "05m", "1d", "-1m", "1.5h", "", "9" * 7 + "s"])
def test_a_bad_duration_is_refused(value: str) -> None:
    said = refusal(f"--max-duration '{value}' task")
    assert said.startswith("--max-duration is ") and "90s, 15m or 8h" in said


@pytest.mark.parametrize("value", ["51m", "3001s", "1h"])
def test_checks_may_take_fifty_minutes_at_most(value: str) -> None:
    assert refusal(f"--verify-timeout {value} x").endswith(f'is "{value}", give at most 50m')


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        ("", "the task is missing"),
        ("  \n", "the task is missing"),
        ("''", "the task is missing"),
        ("--max-iterations 3", "the task is missing"),
        ("task --max-iterations", "--max-iterations needs a value"),
        ("task --verify --max-iterations 3", "--verify needs a value"),
        ("task --verify ''", "--verify is empty"),
        ("task --completion-promise ' '", "--completion-promise is empty"),
        ("task --on-promise-no-work maybe", "give reject, warn or accept"),
        ("task --max-iteration 3", '"--max-iteration" is no option'),
        ("fix the --verbose flag", '"--verbose" is no option'),
    ],
)
def test_what_is_refused(raw: str, said: str) -> None:
    assert said in refusal(raw)


def test_a_promise_is_one_line() -> None:
    assert "one line of text" in refusal("task --completion-promise 'a\nb'")


def test_the_environment_gives_defaults() -> None:
    assert parsed("x", RALPH_MAX_ITERATIONS="3")["maxIterations"] == 3
    assert parsed("x --max-iterations 4", RALPH_MAX_ITERATIONS="3")["maxIterations"] == 4
    assert "RALPH_MAX_ITERATIONS is" in refusal("x", RALPH_MAX_ITERATIONS="many")


def test_an_audit_needs_no_task_and_has_a_signal() -> None:
    assert parsed("", "ralph-audit")["promise"] == "RALPH_AUDIT_COMPLETE_NO_FINDINGS"
    assert parsed("", "ralph-audit", RALPH_COMPLETION_SIGNAL="OVER")["promise"] == "OVER"
    assert parsed("a.md --max-iterations 2", "ralph-audit")["task"] == "a.md"
