"""Which commands an audit's file names, and what a block of several lines means."""

from __future__ import annotations

from pathlib import Path

import pytest
from ralph_engine.core import check_script, validation_commands, verify_commands

TEMPLATE = Path(__file__).resolve().parents[2] / "templates" / "audit.md"
AUDIT = """# Mission
- `rm this is not a command`
```sh
not this either
```
## Validation Commands
Words, and `code` in them.
- `make lint`
* `make "a b"` (slow)
```sh
# a comment

make test
make lint
```
~~~
echo `x` $(y)
~~~
---
## Findings log
- `ls`
"""


def test_the_validation_commands_of_an_audit() -> None:
    assert validation_commands.of(AUDIT) == [
        *("make lint", 'make "a b"', "# a comment\n\nmake test\nmake lint", "echo `x` $(y)"),
    ]
    assert validation_commands.of("") == []
    assert validation_commands.united(["a", "b"], ["c", "b"]) == ["a", "b", "c"]


@pytest.mark.parametrize(
    "heading",
    [
        "## Validation Commands",
        "## 4. Validation Commands",
        "# VALIDATION  commands:",
        "## Validation Commands (all must pass)",
        "## Validation Commands ##",
        "## Validation Commands\n### Python\n#### Tests",
    ],
)
def test_the_heading_is_known_by_its_words(heading: str) -> None:
    assert validation_commands.of(f"{heading}\n- `pytest`\n# Scope\n- `ls`\n") == ["pytest"]


@pytest.mark.parametrize("heading", ["## Validation", "Validation Commands", "## Commands"])
def test_other_headings_name_no_commands(heading: str) -> None:
    assert validation_commands.of(f"{heading}\n- `pytest`\n") == []


@pytest.mark.parametrize(
    ("content", "command"),
    [
        ("1. `pytest -q`", "pytest -q"),
        ("12) `pytest -q`", "pytest -q"),
        ("- [ ] `pytest -q`", "pytest -q"),
        ("  * [x] `pytest -q` must pass", "pytest -q"),
        ("+ `pytest -q`", "pytest -q"),
        ("- **Tests**: `pytest -q`", "pytest -q"),
        ("- ``echo `date` ``", "echo `date`"),
        ("- pytest -q", "pytest -q"),
        ("- [ ] pytest -q", "pytest -q"),
        ("- pytest \\\n  -q", "pytest -q"),
        ("- Tests:\n  ```sh\n  pytest -q\n  ```", "pytest -q"),
        ("- ```\n  pytest -q\n  ```", "pytest -q"),
        ("````\npytest -q\n````", "pytest -q"),
        ("```sh\npytest \\\n-q\n```", "pytest -q"),
        ("```\npytest -q", "pytest -q"),
        ("<!-- - `old` -->\n<!--\n- `older`\n-->\n- `pytest -q` <!-- slow -->", "pytest -q"),
        ("- `grep -c '<!--' page`", "grep -c '<!--' page"),
        ("  ```\n  if true; then\n    false\n  fi\n  ```", "if true; then\n  false\nfi"),
    ],
)
def test_each_form_of_a_command(content: str, command: str) -> None:
    text = f"## Validation Commands\n\n{content}\n"
    assert validation_commands.of(text) == [command]
    assert not validation_commands.are_misread(text)


@pytest.mark.parametrize(
    "content",
    ["Run pytest.", "    pytest -q", "> - `pytest`", "| `pytest` |", "```pytest```", "- Tests:"],
)
def test_content_that_names_no_command_is_misread(content: str) -> None:
    text = f"# Mission\n- `ls`\n## Validation Commands\n{content}\n"
    assert validation_commands.of(text) == []
    assert validation_commands.are_misread(text)


@pytest.mark.parametrize("content", ["", "---", "<!-- `make test` -->", "```\n# make test\n```"])
def test_nothing_is_no_content(content: str) -> None:
    text = f"## Validation Commands\n{content}\n## Scope\nAll of it.\n"
    assert validation_commands.of(text) == []
    assert not validation_commands.are_misread(text)


def test_the_template_names_no_command_and_is_not_misread() -> None:
    text = TEMPLATE.read_text(encoding="utf-8")
    assert validation_commands.of(text) == []
    assert not validation_commands.are_misread(text)
    uncommented = text.replace("# make", "make")
    assert validation_commands.of(uncommented) == ["make test\nmake lint"]


@pytest.mark.parametrize(
    "check",
    [
        "true\ntrue",
        "cd sub\ntest -e here",
        "x=1\n# it's a comment \\\ntest $x = 1",
        "if true; then\n  true\nfi\ntrue",
        "for x in a b; do test $x; done\ntrue",
        "cat <<END | grep -q '# b'\na\n# b\nEND\ntrue",
        "true &&\n  true",
        "test 'a\nb' = 'a\nb'\ntrue",
        "check() {\n  true\n}\ncheck",
        "true \\\n  or \\\n  not",
        "! false\nfalse || true",
    ],
)
def test_a_block_passes_where_all_of_it_does(tmp_path: Path, check: str) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "here").touch()
    assert verify_commands.first_failure(str(tmp_path), [check], 60) is None


@pytest.mark.parametrize(
    "check",
    [
        "false\ntrue",
        "false && true\ntrue",
        "! true\ntrue",
        "false # it's late\ntrue",
        "# a comment \\\nfalse\ntrue",
        "if true; then\n  false\nfi\ntrue",
        "for x in a; do false; done\ntrue",
        "cat <<END\na\nEND\nfalse\ntrue",
        "echo 'open\ntrue",
        "true\nno-such-program",
    ],
)
def test_a_block_fails_where_a_part_of_it_does(tmp_path: Path, check: str) -> None:
    failure = verify_commands.first_failure(str(tmp_path), [check], 60)
    assert failure is not None and failure.why.startswith("exit code ")


def test_the_line_of_a_block_that_failed_is_named(tmp_path: Path) -> None:
    check = "echo first\ntest 'a\"b' = \"c'd\" # \\n\necho third"
    failure = verify_commands.first_failure(str(tmp_path), [check], 60)
    assert failure is not None
    assert failure.why == "exit code 1"
    assert failure.output == "first\nfailed: test 'a\"b' = \"c'd\" # \\n"


def test_a_block_is_shown_by_its_first_line() -> None:
    assert check_script.shown("make test") == "make test"
    assert check_script.shown("# all\nmake \\\ntest\nmake lint") == "make test ..."
