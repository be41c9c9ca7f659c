"""Whatever an agent writes into tests: no exception, no false alarm, no deletion unseen."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from ralph_engine.radar import compare, named_files
from ralph_engine.radar.change import DELETED_TEST, Change

PATHS = ["tests/test_a.py", "b.test.ts", "c_test.go", "src/d.rs", "spec/e_spec.rb", "tests/f.sh"]
PATHS += ["package.json", "pyproject.toml", "Cargo.toml", ".github/workflows/ci.yml", "check.sh"]
WORDS = ["def test_a():", "it('x', () => {", "#[test]", "fn a() {", "}", "assert x", "# ", "/*"]
WORDS += ["func TestA(t) {", "it 'x' do", "end", '"""', "@pytest.mark.skip", "[tool.pytest]", "  "]
texts = st.one_of(
    st.text(max_size=200),
    st.lists(st.sampled_from(WORDS), max_size=20).map("\n".join),
)
maybe = st.one_of(st.none(), texts)
changes = st.builds(Change, st.sampled_from(PATHS), st.sampled_from(PATHS), maybe, maybe)
NAMED = {"check.sh"}


@given(st.lists(changes, max_size=5))
def test_any_change_has_short_findings_and_no_exception(found: list[Change]) -> None:
    for finding in compare.findings(found, NAMED):
        assert finding.kind and 0 < len(finding.what) < 300


@given(st.sampled_from(PATHS), texts)
def test_the_same_text_is_no_finding(path: str, text: str) -> None:
    assert compare.findings([Change(path, path, text, text)], NAMED) == []


STARTS = ["sh a.sh", "./a.sh", "make a", "npm test", "cd b", "a: b", "\t@sh c.sh", "$(dirname $0)/"]
STARTS += ['{"scripts": {"test": "sh a.sh"}}', "#!/bin/sh", "bash -c '", "$X/a.sh", "-C ..", "\\\n"]
scripts = st.one_of(
    st.text(max_size=80), st.lists(st.sampled_from(STARTS), max_size=9).map("\n".join)
)


@given(st.lists(scripts, max_size=4), st.one_of(st.none(), scripts))
def test_any_command_and_any_script_can_be_read(commands: list[str], script: str | None) -> None:
    found = named_files.of(commands, lambda path: script)
    assert all(isinstance(name, str) and name for name in found)


TESTS = [f"def test_{n}():\n    assert f({n}) == {n}\n\n\n" for n in range(8)]
FILES = ["tests/test_a.py", "tests/test_b.py", "tests/test_c.py"]
places = st.lists(st.sampled_from(FILES), min_size=8, max_size=8)


def spread(where: list[str], tests: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for path, test in zip(where, tests):
        found[path] = found.get(path, "") + test
    return found


def moved(before: dict[str, str], after: dict[str, str]) -> list[Change]:
    return [Change(path, path, before.get(path), after.get(path)) for path in {**before, **after}]


@given(places, places, st.permutations(TESTS))
def test_tests_that_only_moved_are_no_finding(
    before: list[str], after: list[str], order: list[str]
) -> None:
    assert compare.findings(moved(spread(before, TESTS), spread(after, order)), set()) == []


@given(places, places, st.integers(0, 7))
def test_a_test_that_is_gone_is_found_wherever_the_others_moved(
    before: list[str], after: list[str], lost: int
) -> None:
    kept = TESTS[:lost] + TESTS[lost + 1 :]
    [finding] = compare.findings(moved(spread(before, TESTS), spread(after, kept)), set())
    assert (finding.file, finding.kind) == (before[lost], DELETED_TEST)
    assert finding.what == f'"test_{lost}" is gone'
