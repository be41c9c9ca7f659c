"""What a change does to tests and checks: a table of texts before and after, and the findings."""

from __future__ import annotations

import time
from typing import NamedTuple

import pytest
from ralph_engine.radar import compare, kinds, named_files
from ralph_engine.radar.change import (
    CI,
    CONFIGURATION,
    DELETED_TEST,
    EXPECTED,
    FEWER,
    NEW_SKIP,
    SCRIPT,
    Change,
    Finding,
)

Told = list[tuple[str, str]]


class Row(NamedTuple):
    name: str
    path: str
    before: str | None
    after: str | None
    findings: Told


def told(changes: list[Change], *commands: str) -> Told:
    found = compare.findings(changes, named_files.of(commands))
    return [(finding.kind, finding.what) for finding in found]


PYTEST = """import pytest

from shop import total


@pytest.fixture
def order():
    return [1, 2]


def test_total(order):
    assert total(order) == 3
    assert total([]) == 0


def test_refuses_none():
    with pytest.raises(TypeError):
        total(None)
"""
CLASS = """class TestA:
    def test_a(self):
        assert total([]) == 0
"""
CLASS_LESS = """def test_a():
    assert total([]) == 0
"""
UNITTEST = """class TotalTest(unittest.TestCase):
    def test_total(self):
        self.assertEqual(total([1, 2]), 3)
        self.assertEqual(total([]), 0)
"""
JEST = """import { total } from './shop';

describe('total', () => {
  it('adds', () => {
    expect(total([1, 2])).toBe(3);
    expect(total([])).toBe(0);
  });

  test('refuses null', async () => {
    await expect(total(null)).rejects.toThrow();
  });
});
"""
SNAP = """// Jest Snapshot v1
exports[`a 1`] = `
1
`;

exports[`b 1`] = `2`;
"""
GO = """package shop

func TestTotal(t *testing.T) {
\tif got := Total(1, 2); got != 3 {
\t\tt.Errorf("got %d", got)
\t}
\trequire.Equal(t, 0, Total())
}

func TestRefuses(t *testing.T) {
\tassert.Panics(t, func() { Total(-1) })
}
"""
SUITE = """
func (s *ShopSuite) TestTotal() {
\ts.Equal(3, Total(1, 2))
\ts.Require().NoError(Check())
\ts.Run("more", func() { s.SetupTest() })
}
"""
MAIN = """
func TestMain(m *testing.M) {
\tos.Exit(m.Run())
}
"""
RUST = """pub fn total(of: &[i32]) -> i32 {
    assert!(of.len() < 9);
    of.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adds() {
        assert_eq!(total(&[1, 2]), 3);
        assert_eq!(total(&[]), 0);
    }

    #[test]
    #[should_panic]
    fn refuses_many() {
        total(&[0; 10]);
    }
}
"""
MODULE = """#[cfg(test)]
mod tests;
pub fn a() {}
"""
RSPEC = """describe Shop do
  it 'adds' do
    expect(total([1, 2])).to eq 3
    expect(total([])).to eq 0
  end

  it "refuses nil" do
    expect { total(nil) }.to raise_error(TypeError)
  end
end
"""
MINITEST = """class TotalTest < Minitest::Test
  def test_total
    assert_equal 3, total([1, 2])
    refute_nil total([])
  end
end
"""
JUNIT = """class TotalTest {
    @Test
    void testTotal() {
        assertEquals(3, total(1, 2));
    }
}
"""
ASSERTS = "    assertEquals(3, total(1, 2));"
XUNIT_TEST = """    [Fact]
    public void {}()
    {{
        Assert.Equal(2, {});
    }}
"""


def xunit(*tests: tuple[str, str]) -> str:
    written = "\n".join(XUNIT_TEST.format(*test) for test in tests)
    return f"public class ATests\n{{\n{written}}}\n"


XUNIT = xunit(("Adds", "1 + 1"), ("Subtracts", "3 - 1"))
PSR = """final class ATest extends TestCase
{
    public function testAdds(): void
    {
        $this->assertSame(2, 1 + 1);
    }
}
"""
SWIFT = """@Test func adds() throws {
    #expect(total([]) == 0)
    try #require(total([1]) == 1)
}
"""
BATS = """@test "adds" {
  run total 1 2
  assert_output 3
}
"""


def less(name: str, now: int, before: int) -> tuple[str, str]:
    return FEWER, f'"{name}" has {now}, before {before}'


def gone(*names: str) -> tuple[str, str]:
    quoted = ", ".join(f'"{name}"' for name in names)
    return DELETED_TEST, f"{quoted} {'is' if len(names) == 1 else 'are'} gone"


def skips(number: int, *words: str) -> tuple[str, str]:
    return NEW_SKIP, f"{number} more than before: {', '.join(words)}"


def without(text: str, *parts: str) -> str:
    for part in parts:
        assert text.count(part) == 1, part
        text = text.replace(part, "")
    return text


def other(text: str, part: str, instead: str) -> str:
    assert part in text
    return text.replace(part, instead, 1)


REFUSES = PYTEST[PYTEST.index("def test_refuses") :]
P, J, G, R, S = (
    "tests/test_shop.py",
    "src/shop.test.ts",
    "shop_test.go",
    "src/lib.rs",
    "spec/a_spec.rb",
)
PYTHON_ROWS = [
    Row("a test deleted", P, PYTEST, without(PYTEST, REFUSES), [gone("test_refuses_none")]),
    Row("the file deleted", P, PYTEST, None, [gone("test_total", "test_refuses_none")]),
    Row(
        "a test commented out",
        P,
        PYTEST,
        PYTEST.replace(REFUSES, "# " + "\n# ".join(REFUSES.splitlines())),
        [gone("test_refuses_none")],
    ),
    Row(
        "a test made a string",
        P,
        PYTEST,
        PYTEST.replace(REFUSES, f'"""\n{REFUSES}"""\n'),
        [gone("test_refuses_none")],
    ),
    Row(
        "a name that is not collected",
        P,
        PYTEST,
        other(PYTEST, "def test_refuses", "def _test_refuses"),
        [gone("test_refuses_none")],
    ),
    Row(
        "an assertion deleted",
        P,
        PYTEST,
        without(PYTEST, "    assert total([]) == 0\n"),
        [less("test_total", 1, 2)],
    ),
    Row(
        "an assertion commented out",
        P,
        PYTEST,
        other(PYTEST, "    assert total([])", "    # assert total([])"),
        [less("test_total", 1, 2)],
    ),
    Row(
        "an assertion of nothing",
        P,
        PYTEST,
        other(PYTEST, "assert total([]) == 0", "assert True"),
        [less("test_total", 1, 2)],
    ),
    Row(
        "an assertion of itself",
        P,
        PYTEST,
        other(PYTEST, "total([]) == 0", "order == order"),
        [less("test_total", 1, 2)],
    ),
    Row(
        "an assertion of anything",
        P,
        PYTEST,
        other(PYTEST, "total([]) == 0", "total([]) == 0 or True"),
        [less("test_total", 1, 2)],
    ),
    Row(
        "an assertion of anything, turned round",
        P,
        PYTEST,
        other(PYTEST, "total([]) == 0", "True or total([]) == 0"),
        [less("test_total", 1, 2)],
    ),
    Row(
        "an assertion of one of two",
        P,
        PYTEST,
        other(PYTEST, "total([]) == 0", "total([]) == 0 or order == 1"),
        [],
    ),
    Row(
        "raises taken away",
        P,
        PYTEST,
        other(PYTEST, "    with pytest.raises(TypeError):\n    ", "# "),
        [less("test_refuses_none", 0, 1)],
    ),
    Row(
        "a skip",
        P,
        PYTEST,
        other(PYTEST, "def test_total", "@pytest.mark.skip\ndef test_total"),
        [skips(1, "mark.skip")],
    ),
    Row(
        "an xfail",
        P,
        PYTEST,
        other(PYTEST, "def test_total", "@pytest.mark.xfail(True)\ndef test_total"),
        [skips(1, "mark.xfail")],
    ),
    Row(
        "skipped inside",
        P,
        PYTEST,
        other(PYTEST, "    assert total(order)", "    pytest.skip('x')\n    assert total(order)"),
        [skips(1, "skip")],
    ),
    *(
        Row(f"a skip: {text}", P, PYTEST, f"{text}\n{PYTEST}", [skips(1, word)])
        for text, word in (
            ("@mark.skip", "mark.skip"),
            ("@pt.mark.xfail(True)", "mark.xfail"),
            ("pytestmark = mark.skipif(True, reason='x')", "mark.skipif"),
            ("    skip('x')", "skip"),
            ("    xfail('x')", "xfail"),
            ("np = pytest.importorskip('np')", "importorskip"),
            ("    raise SkipTest('x')", "raise SkipTest"),
            ("    raise unittest.SkipTest", "raise unittest.SkipTest"),
        )
    ),
    Row("a skip, by another name", P, "@pytest.mark.skip\n" + PYTEST, "@mark.skip\n" + PYTEST, []),
    Row("no skip", P, PYTEST, PYTEST + "\nexcept SkipTest:\n    bookmark.skip = lex.skip()\n", []),
    Row(
        "a whole module",
        P,
        PYTEST,
        "pytestmark = pytest.mark.skipif(True, reason='x')\n" + PYTEST,
        [skips(1, "mark.skipif")],
    ),
    Row(
        "not collected by conftest",
        "tests/conftest.py",
        None,
        "collect_ignore = ['test_shop.py']\n",
        [skips(1, "collect_ignore")],
    ),
    *(
        Row(f"a conftest with {word}", "tests/conftest.py", "x = 1\n", text, [skips(1, word)])
        for word, text in (
            ("pytest_runtest_makereport", "def pytest_runtest_makereport(item, call):\n    x()\n"),
            ("pytest_pyfunc_call", "def pytest_pyfunc_call(pyfuncitem):\n    return True\n"),
            ("pytest_sessionfinish", "def pytest_sessionfinish(session):\n    x()\n"),
            (".exitstatus", "    session.exitstatus = 0\n"),
            (".outcome", "    report.outcome = 'passed'\n"),
            ("os._exit", "def leave():\n    os._exit(0)\n"),
        )
    ),
    Row("left before the tests", P, PYTEST, "sys.exit(0)\n" + PYTEST, [skips(1, "sys.exit")]),
    Row(
        "left with success by another program",
        P,
        PYTEST,
        other(PYTEST, "total([]) == 0", "run([python, '-c', 'import sys; sys.exit(0)']) == 0"),
        [],
    ),
    Row("an end that is asserted", P, "", "    assert session.exitstatus == 0\n", []),
    Row(
        "unittest: an assertion",
        P,
        UNITTEST,
        without(UNITTEST, "        self.assertEqual(total([]), 0)\n"),
        [less("test_total", 1, 2)],
    ),
    Row(
        "unittest: a skip",
        P,
        UNITTEST,
        other(UNITTEST, "    def", "    @unittest.skip('x')\n    def"),
        [skips(1, "unittest.skip")],
    ),
    Row(
        "unittest: expected to fail",
        P,
        UNITTEST,
        other(UNITTEST, "    def", "    @expectedFailure\n    def"),
        [skips(1, "expectedFailure")],
    ),
    Row(
        "a helper asserts less",
        "tests/helpers.py",
        "def same(a, b):\n    assert a == b\n",
        "def same(a, b):\n    return a\n",
        [(FEWER, "outside of tests there are 0, before 1")],
    ),
    Row(
        "more of everything",
        P,
        PYTEST,
        PYTEST + "\n\ndef test_more():\n    assert total([5]) == 5\n",
        [],
    ),
    Row(
        "another body, as strong",
        P,
        PYTEST,
        other(PYTEST, "total(order) == 3", "3 == total(order)"),
        [],
    ),
    Row(
        "a test renamed, its body the same",
        P,
        PYTEST,
        other(PYTEST, "def test_total", "def test_adds_up"),
        [],
    ),
    Row(
        "a test renamed and weakened",
        P,
        PYTEST,
        without(other(PYTEST, "def test_total", "def test_adds_up"), "    assert total([]) == 0\n"),
        [gone("test_total")],
    ),
    Row(
        "signatures over several lines",
        P,
        "def test_a(\n    x,\n):\n    assert x\n",
        "def test_a(\n    x,\n):\n    print(x)\n",
        [less("test_a", 0, 1)],
    ),
    Row("a new file", P, None, PYTEST, []),
    Row("a skip taken away", P, "@pytest.mark.skip\n" + UNITTEST, UNITTEST, []),
    Row(
        "no test of its own",
        "src/skipping.py",
        "def skip():\n    assert 1\n",
        "x = pytest.mark.skip\n",
        [],
    ),
]
LONG = "def test_a():\n" + "    x()\n" * 250 + "    assert a\n"
PYTHON_ROWS += [
    Row(
        "a quoted quote",
        P,
        PYTEST,
        other(PYTEST, "def test_ref", 'X = \'"""\'\n\n\ndef test_ref'),
        [],
    ),
    Row("a quote in a comment", P, PYTEST, other(PYTEST, "== 3", '== 3  # as """ says'), []),
    Row("an escaped quote", P, PYTEST, PYTEST.replace("[1, 2]", '"""a \\""" b"""'), []),
    Row("a text in column 0", P, CLASS, other(CLASS, "[]", 'len("""a\n""", 1)'), []),
    Row(
        "an assertion made a text",
        P,
        PYTEST,
        other(
            PYTEST,
            "    assert total([]) == 0\n",
            '    x = """\n    assert total([]) == 0\n    """\n',
        ),
        [less("test_total", 1, 2)],
    ),
    Row("a test that grows long", P, LONG, other(LONG, "    x()\n", "    y()\n" * 60), []),
    Row(
        "a long test deleted",
        P,
        other(LONG, "    x()\n", "    y()\n" * 60),
        "\n",
        [gone("test_a")],
    ),
    Row(
        "a class that is not collected",
        P,
        CLASS,
        other(CLASS, "class TestA", "class A"),
        [gone("test_a")],
    ),
    Row(
        "a class that is no case any more",
        P,
        UNITTEST,
        other(UNITTEST, "TotalTest(unittest.TestCase)", "TotalTest(object)"),
        [gone("test_total")],
    ),
    Row("a class renamed", P, CLASS, other(CLASS, "class TestA", "class TestB"), []),
    Row(
        "a class taken apart for others to use",
        P,
        CLASS,
        other(CLASS, "class TestA:", "class A:") + "\n\nclass TestA(A):\n    x = 1\n",
        [],
    ),
    Row("a class left out", P, CLASS, CLASS_LESS, []),
    Row(
        "no case and no name before",
        P,
        CLASS.replace("TestA", "A"),
        CLASS.replace("TestA", "B"),
        [],
    ),
    Row(
        "no case to parametrize over",
        P,
        "@pytest.mark.parametrize('a', [1, (2, [])])\n" + REFUSES,
        "@pytest.mark.parametrize('a', [])\n" + REFUSES,
        [skips(1, "parametrize")],
    ),
    Row(
        "no case of several values",
        P,
        "@pytest.mark.parametrize(('a', 'b'), [(1, [])])\n" + REFUSES,
        "@pytest.mark.parametrize(('a', 'b'), ())\n" + REFUSES,
        [skips(1, "parametrize")],
    ),
]
JAVASCRIPT_ROWS = [
    Row("a test deleted", J, JEST, JEST[: JEST.index("  test(")] + "});\n", [gone("refuses null")]),
    Row(
        "an assertion deleted",
        J,
        JEST,
        without(JEST, "    expect(total([])).toBe(0);\n"),
        [less("adds", 1, 2)],
    ),
    Row(
        "an assertion of nothing",
        J,
        JEST,
        other(JEST, "expect(total([])).toBe(0)", "expect(true).toBe(true)"),
        [less("adds", 1, 2)],
    ),
    *(
        Row(
            f"{word} in place of {plain}",
            J,
            JEST,
            other(JEST, f"{plain}(", f"{word}("),
            [skips(1, word)],
        )
        for plain, word in (
            *(
                ("it", word)
                for word in ("it.skip", "it.todo", "it.only", "it.failing", "xit", "fit")
            ),
            *(
                ("test", word)
                for word in ("test.skip", "test.concurrent.skip", "test.fails", "xtest")
            ),
            *(("describe", word) for word in ("describe.skip", "describe.only", "xdescribe")),
        )
    ),
    *(
        Row(f"a skip: {text}", J, JEST, other(JEST, "'adds', () => {", text), [skips(1, word)])
        for text, word in (
            ("'adds', { skip: true }, () => {", "skip"),
            ("'adds', {skip: 'flaky'}, () => {", "skip"),
            ("'adds', { todo: true }, () => {", "todo"),
            ("'adds', (t) => {\n    t.skip();", "t.skip"),
            ("'adds', (ctx) => {\n    if (x) ctx.skip('x');", "ctx.skip"),
            ("'adds', function () {\n    this.skip();", "this.skip"),
        )
    ),
    Row("no skip", J, JEST, other(JEST, "[1, 2]", "{ skip: 10, todo: 'x' }, it.skipped"), []),
    Row(
        "skipped under a condition",
        J,
        JEST,
        other(JEST, "it('adds'", "it.skipIf(ci)('adds'"),
        [skips(1, "it.skipIf")],
    ),
    Row(
        "a block comment",
        J,
        JEST,
        other(JEST, "  test(", "  /*\n  test(").replace("});\n});", "});\n*/});"),
        [gone("refuses null")],
    ),
    Row(
        "each case",
        "a.spec.js",
        "it.each([[1, 2]])('adds %i', (a, b) => {\n  expect(a).toBe(b);\n});\n",
        "it.each([[1, 2]])('adds %i', () => {});\n",
        [less("adds %i", 0, 1)],
    ),
    Row(
        "each case, as a table",
        "a.spec.js",
        "test.each([\n  [1, 2],\n])('adds %i', (a, b) => {\n  expect(a).toBe(b);\n});\n",
        "",
        [gone("adds %i")],
    ),
    Row(
        "in a folder of tests",
        "web/__tests__/shop.js",
        JEST,
        without(JEST, "    expect(total([])).toBe(0);\n"),
        [less("adds", 1, 2)],
    ),
    Row(
        "the expected output",
        "src/__snapshots__/a.snap",
        "exports[`a`] = `1`;\n",
        "exports[`a`] = `2`;\n",
        [(EXPECTED, "changed")],
    ),
    *(
        Row(name, "src/__snapshots__/a.snap", SNAP, after, findings)
        for name, after, findings in (
            ("an expected output more", SNAP + "\nexports[`c 1`] = `\n3\n`;\n", []),
            ("one more before the others", other(SNAP, "\n", "\nexports[`0`] = `0`;\n"), []),
            ("a line more in one", other(SNAP, "1\n", "1\nError\n"), [(EXPECTED, "changed")]),
            ("one less", without(SNAP, "exports[`b 1`] = `2`;\n"), [(EXPECTED, "changed")]),
            ("one outdone", SNAP + "exports[`b 1`] = `3`;\n", [(EXPECTED, "changed")]),
            ("outdone otherwise", SNAP + 'exports["b 1"] = `3`;\n', [(EXPECTED, "changed")]),
        )
    ),
    Row("another line", "a.golden", "a\n", "a\nb\n", [(EXPECTED, "changed")]),
    Row(
        "left before the tests",
        J,
        JEST,
        JEST.replace("describe", "process.exit(0);\ndescribe"),
        [skips(1, "process.exit")],
    ),
    Row("left with success by another program", J, JEST, JEST + "run('process.exit(0)');\n", []),
    Row("a text in column 0", J, JEST, other(JEST, "[1, 2]", "`\nit('x', `"), []),
    Row("a text in backticks", J, JEST, other(JEST, "[1, 2]", "`1` + '`' + \"`\" // `"), []),
    *(
        Row(
            f"{name}, the next test deleted",
            J,
            other(JEST, "total([1, 2])", text) + "it(`last`, () => {});\n",
            other(JEST[: JEST.index("  test(")] + "});\n", "total([1, 2])", text)
            + "it(`last`, () => {});\n",
            [gone("refuses null")],
        )
        for name, text in (
            ("a pattern with a backtick", "s.replace(/`/g, '')"),
            ("a pattern with an escaped slash", "split([ /\\/`/ ])"),
            ("an escaped backtick", "`a \\` b`"),
            ("an escaped backslash", "`a \\\\`"),
            ("an escaped backtick in lines", "`\na \\` b\n`"),
            ("a division", "[a / b, '`', 1 / c]"),
        )
    ),
    Row("a head in lines", J, JEST, other(JEST, "it('adds', ", "it(\n    'adds',\n    "), []),
    Row("one more test", J, JEST, JEST + "it('is new', () => expect(total([9])).toBe(9));\n", []),
]
GO_ROWS = [
    Row("a test deleted", G, GO, GO[: GO.index("func TestRefuses")], [gone("TestRefuses")]),
    Row(
        "an assertion deleted",
        G,
        GO,
        without(GO, "\trequire.Equal(t, 0, Total())\n"),
        [less("TestTotal", 1, 2)],
    ),
    Row(
        "an assertion of nothing",
        G,
        GO,
        other(GO, "assert.Panics(t, func() { Total(-1) })", "assert.True(t, true)"),
        [less("TestRefuses", 0, 1)],
    ),
    Row(
        "a skip", G, GO, other(GO, "\tassert", '\tt.Skip("flaky")\n\tassert'), [skips(1, "t.Skip")]
    ),
    Row(
        "a skip now",
        G,
        GO,
        other(GO, "\tassert", "\tt.SkipNow()\n\tassert"),
        [skips(1, "t.SkipNow")],
    ),
    Row(
        "a main that runs no test",
        G,
        GO,
        GO + "\nfunc TestMain(m *testing.M) {\n\tos.Exit(0)\n}\n",
        [skips(2, "func TestMain", "os.Exit")],
    ),
    Row(
        "a main that forgets how the tests ended",
        G,
        GO + MAIN,
        GO + other(MAIN, "os.Exit(m.Run())", "m.Run()\n\tos.Exit( 0 )"),
        [skips(1, "os.Exit")],
    ),
    Row(
        "a main that runs no test any more",
        G,
        GO + MAIN,
        GO + other(MAIN, "os.Exit(m.Run())", "setup()"),
        [less("TestMain", 0, 1)],
    ),
    Row("a text in column 0", G, GO, other(GO, "Total(1, 2)", "Total(`\n1\n`)"), []),
    Row("a quoted backtick", G, GO, other(GO, "Total(1, 2)", "Total('`')"), []),
    Row("a suite's test deleted", G, GO + SUITE, GO, [gone("TestTotal")]),
    Row(
        "a suite's assertion deleted",
        G,
        SUITE,
        without(SUITE, "\ts.Equal(3, Total(1, 2))\n"),
        [less("TestTotal", 1, 2)],
    ),
    Row(
        "a suite's requirement deleted",
        G,
        SUITE,
        without(SUITE, "\ts.Require().NoError(Check())\n"),
        [less("TestTotal", 1, 2)],
    ),
    Row(
        "a suite's set-up",
        G,
        SUITE,
        other(SUITE, "s.SetupTest()", "s.T()"),
        [],
    ),
    Row("a build constraint", G, GO, "//go:build ignore\n\n" + GO, [skips(1, "//go:build")]),
    Row(
        "renamed to a name that is not run",
        "shop_test.go",
        GO,
        other(GO, "func TestRefuses", "func testRefuses"),
        [gone("TestRefuses")],
    ),
    Row("program, not test", "shop.go", GO, "package shop\n", []),
]
RUST_ROWS = [
    Row(
        "a test deleted",
        R,
        RUST,
        RUST[: RUST.index("    #[test]\n    #[should")] + "}\n",
        [gone("refuses_many")],
    ),
    Row(
        "an assertion deleted",
        R,
        RUST,
        without(RUST, "        assert_eq!(total(&[]), 0);\n"),
        [less("adds", 1, 2)],
    ),
    Row(
        "an assertion of nothing",
        R,
        RUST,
        other(RUST, "assert_eq!(total(&[]), 0)", "assert!(true)"),
        [less("adds", 1, 2)],
    ),
    Row(
        "ignored",
        R,
        RUST,
        other(RUST, "    fn adds", '    #[ignore = "slow"]\n    fn adds'),
        [skips(1, "ignore")],
    ),
    Row(
        "no test any more",
        R,
        RUST,
        other(RUST, "    #[test]\n    fn adds", "    fn adds"),
        [gone("adds")],
    ),
    Row("the program asserts less", R, RUST, without(RUST, "    assert!(of.len() < 9);\n"), []),
    Row(
        "an async test",
        "tests/a.rs",
        "#[tokio::test]\nasync fn a() {\n    assert!(b().await);\n}\n",
        "",
        [gone("a")],
    ),
    Row(
        "under a condition",
        "tests/a.rs",
        RUST,
        '#![cfg(feature = "never")]\n' + RUST,
        [skips(1, "cfg")],
    ),
    Row("for tests only", "src/tests.rs", RUST, "#![cfg(test)]\n" + RUST, []),
    Row("the module of the tests", R, MODULE, "pub fn a() {}\n", [gone("mod tests")]),
    Row("the module of the tests, written here", R, MODULE, other(MODULE, ";", " {\n}"), []),
    Row("the module of the tests, renamed", R, MODULE, other(MODULE, "tests", "unit_tests"), []),
    Row("a program file deleted", "src/main.rs", "fn main() {}\n", None, []),
]
RUBY_ROWS = [
    Row(
        "a test deleted",
        S,
        RSPEC,
        RSPEC[: RSPEC.index('  it "refuses')] + "end\n",
        [gone("refuses nil")],
    ),
    Row(
        "an assertion deleted",
        S,
        RSPEC,
        without(RSPEC, "    expect(total([])).to eq 0\n"),
        [less("adds", 1, 2)],
    ),
    Row(
        "an assertion of nothing",
        S,
        RSPEC,
        other(RSPEC, "expect(total([])).to eq 0", "expect(true).to be true"),
        [less("adds", 1, 2)],
    ),
    Row("xit", S, RSPEC, other(RSPEC, "  it 'adds'", "  xit 'adds'"), [skips(1, "xit")]),
    Row(
        "pending",
        S,
        RSPEC,
        other(RSPEC, "    expect(total([1", "    pending\n    expect(total([1"),
        [skips(1, "pending")],
    ),
    Row(
        "focus on another",
        S,
        RSPEC,
        other(RSPEC, "it 'adds' do", "it 'adds', :focus do"),
        [skips(1, "focus")],
    ),
    *(
        Row(
            f"a text in column 0: {word}",
            S,
            RSPEC,
            other(
                RSPEC,
                "    expect(total([1",
                f"    a = {word}.strip\nit 'b'\nEOS\n    expect(total([1",
            ),
            [],
        )
        for word in ("<<EOS", "<<~EOS", "<<-'EOS'")
    ),
    *(
        Row(
            f"no text: {shift}",
            S,
            other(RSPEC, "[1, 2]", shift),
            other(RSPEC[: RSPEC.index('  it "refuses')] + "end\n", "[1, 2]", shift),
            [gone("refuses nil")],
        )
        for shift in ("1<<BITS", "a[0]<<BITS")
    ),
    Row(
        "no text",
        S,
        RSPEC,
        other(RSPEC, "    expect(total([1", "    a << B\n    expect(total([1"),
        [],
    ),
    Row("a variable", S, RSPEC, "skip = 1\n" + RSPEC, []),
    Row(
        "minitest: an assertion",
        "test/total_test.rb",
        MINITEST,
        without(MINITEST, "    refute_nil total([])\n"),
        [less("test_total", 1, 2)],
    ),
    Row(
        "minitest: a skip",
        "test/total_test.rb",
        MINITEST,
        other(MINITEST, "    assert", "    skip 'x'\n    assert"),
        [skips(1, "skip")],
    ),
]
OTHER_ROWS = [
    Row(
        "java: a skip",
        "src/TotalTest.java",
        JUNIT,
        other(JUNIT, "    @Test", "    @Disabled\n    @Test"),
        [skips(1, "Disabled")],
    ),
    *(
        Row(f"behind a mark: {head}", path, f"{head} {{\n{ASSERTS}\n}}\n", "\n", [gone(name)])
        for path, head, name in (
            ("src/ATest.java", "@Test\nvoid adds()", "adds"),
            ("src/ATest.java", "@ParameterizedTest\n@Source\nvoid adds(int a)", "adds"),
            ("src/ATest.kt", "@Test fun `adds up`()", "adds up"),
            ("src/ATests.cs", "[Fact]\npublic async Task Adds()", "Adds"),
            ("src/ATests.cs", "[TestCase(1)]\npublic void Adds(int a)", "Adds"),
            ("src/ATests.swift", '@Test("sum") func adds()', "adds"),
            ("src/ATest.php", "#[Test]\npublic function adds(): void", "adds"),
        )
    ),
    Row(
        "a class's mark", "src/ATest.java", "@SpringBootTest\nclass A {\nvoid a() {}\n}\n", "\n", []
    ),
    Row("no mark", "src/ATest.java", "void setUp() {\n}\n", "\n", []),
    Row("java: a test", "src/TotalTest.java", JUNIT, "class TotalTest {\n}\n", [gone("testTotal")]),
    Row(
        "swift: an assertion",
        "src/ATests.swift",
        SWIFT,
        without(SWIFT, "    #expect(total([]) == 0)\n"),
        [less("adds", 1, 2)],
    ),
    Row(
        "swift: an assertion commented out",
        "src/ATests.swift",
        SWIFT,
        other(SWIFT, "#expect", "// #expect"),
        [less("adds", 1, 2)],
    ),
    Row(
        "bats: an assertion",
        "test/a.bats",
        BATS,
        without(BATS, "  assert_output 3\n"),
        [less("adds", 0, 1)],
    ),
    *(
        Row(f"{name} of C#", "src/ATests.cs", XUNIT, after, [gone("Subtracts")])
        for name, after in (
            ("one deleted beside an unrelated one", xunit(("Adds", "1 + 1"), ("Other", "X.F()"))),
            ("one emptied beside an unrelated one", xunit(("Adds", "1 + 1"), ("Other", ""))),
        )
    ),
    Row(
        "php: one deleted beside an unrelated one",
        "tests/ATest.php",
        PSR,
        PSR.replace("testAdds", "testOther").replace("2, 1 + 1", "3, other()"),
        [gone("testAdds")],
    ),
    Row(
        "no known tests in it",
        "tests/run.lua",
        "print(1)\n",
        None,
        [(DELETED_TEST, "the file is gone")],
    ),
    Row("fixtures may change", "tests/data.json", "1\n", None, []),
    Row(
        "ci",
        ".github/workflows/ci.yml",
        "run: make test\n",
        "run: make test || true\n",
        [(CI, "changed")],
    ),
    Row("ci deleted", ".gitlab-ci.yml", "test: make\n", None, [(CI, "the file is gone")]),
    Row("ci, a comment", ".gitlab-ci.yml", "test: make\n", "# why\ntest: make\n\n", []),
    Row("ci, new", ".github/workflows/ci.yml", None, "run: make test\n", []),
]
PYPROJECT = '[project]\nname = "shop"\n\n[tool.pytest.ini_options]\naddopts = "--strict-markers"\n'
PACKAGE = '{"name": "shop", "scripts": {"test": "jest", "build": "tsc"}, "jest": {"bail": 1}}'
CARGO = '[package]\nname = "shop"\n\n[lib]\ntest = true\n\n[dependencies]\n'
CRATES = '[workspace]\nmembers = ["a", "b", "c"]\nexclude = []\nresolver = "2"\n'
CONFIGURATION_ROWS = [
    Row(
        "pyproject",
        "pyproject.toml",
        PYPROJECT,
        other(PYPROJECT, "--strict-markers", "-k nothing"),
        [(CONFIGURATION, "changed: tool.pytest.ini_options")],
    ),
    Row(
        "pyproject, a section more",
        "pyproject.toml",
        PYPROJECT,
        PYPROJECT + "[tool.coverage.run]\nomit = '*'\n",
        [(CONFIGURATION, "changed: tool.coverage.run")],
    ),
    Row(
        "pyproject, another name",
        "pyproject.toml",
        PYPROJECT,
        other(PYPROJECT, "shop", "store"),
        [],
    ),
    Row("pyproject, new", "pyproject.toml", None, PYPROJECT, []),
    Row(
        "pytest.ini, new",
        "pytest.ini",
        None,
        "[pytest]\naddopts = --co\n",
        [(CONFIGURATION, "new")],
    ),
    Row(
        "pytest.ini deleted",
        "pytest.ini",
        "[pytest]\n",
        None,
        [(CONFIGURATION, "the file is gone")],
    ),
    Row(
        "tox.ini",
        "tox.ini",
        "[testenv]\ncommands = pytest\n",
        "[testenv]\ncommands = true\n",
        [(CONFIGURATION, "changed")],
    ),
    Row(
        "setup.cfg",
        "setup.cfg",
        "[metadata]\nname = a\n[tool:pytest]\nx = 1\n",
        "[metadata]\nname = b\n[tool:pytest]\nx = 2\n",
        [(CONFIGURATION, "changed: tool:pytest")],
    ),
    Row(
        "package.json, a script",
        "package.json",
        PACKAGE,
        other(PACKAGE, '"jest",', '"true",'),
        [(CONFIGURATION, "changed: scripts.test")],
    ),
    Row(
        "package.json, jest",
        "package.json",
        PACKAGE,
        other(PACKAGE, '"bail": 1', '"passWithNoTests": true'),
        [(CONFIGURATION, "changed: jest")],
    ),
    Row(
        "package.json, before the tests",
        "package.json",
        PACKAGE,
        other(PACKAGE, '"build"', '"pretest": "rm -r t", "build"'),
        [(CONFIGURATION, "changed: scripts.pretest")],
    ),
    Row(
        "package.json, a script more",
        "package.json",
        PACKAGE,
        other(PACKAGE, '"build"', '"start": "node .", "build"'),
        [],
    ),
    Row(
        "package.json, a dependency",
        "package.json",
        PACKAGE,
        other(PACKAGE, '"name"', '"dependencies": {}, "name"'),
        [],
    ),
    Row(
        "package.json, broken",
        "package.json",
        PACKAGE,
        PACKAGE[:-1],
        [(CONFIGURATION, "changed: jest, scripts.test")],
    ),
    Row(
        "package.json, what is no check",
        "package.json",
        PACKAGE,
        other(PACKAGE, '"tsc"', '"tsc -b && node --inspect @latest"'),
        [],
    ),
    Row(
        "package.json, the types",
        "package.json",
        other(PACKAGE, '"build"', '"types"'),
        other(PACKAGE, '"build": "tsc"', '"types": "true"'),
        [(CONFIGURATION, "changed: scripts.types")],
    ),
    Row(
        "package.json, a linter that is gone",
        "package.json",
        other(PACKAGE, '"tsc"', '"eslint . && tsc"'),
        PACKAGE,
        [(CONFIGURATION, "changed: scripts.build")],
    ),
    Row(
        "jest.config",
        "jest.config.js",
        "module.exports = {};\n",
        "module.exports = { testMatch: [] };\n",
        [(CONFIGURATION, "changed")],
    ),
    Row(
        "vitest.config",
        "web/vitest.config.ts",
        "export default {}\n",
        "export default { test: {} }\n",
        [(CONFIGURATION, "changed")],
    ),
    Row(
        "cargo",
        "Cargo.toml",
        CARGO,
        other(CARGO, "test = true", "test = false"),
        [(CONFIGURATION, "changed: lib")],
    ),
    Row(
        "cargo, no test is found any more",
        "Cargo.toml",
        CARGO,
        other(CARGO, '"shop"\n', '"shop"\nautotests = false\n'),
        [(CONFIGURATION, "changed: package.autotests")],
    ),
    Row("cargo, another name", "Cargo.toml", CARGO, other(CARGO, "shop", "store"), []),
    *(
        Row(f"cargo, {name}", "Cargo.toml", CRATES, other(CRATES, old, new), findings)
        for name, old, new, findings in (
            ("a member less", '"b", ', "", [(CONFIGURATION, "changed: workspace.members.b")]),
            ("a member more", '"b", ', '"b", "d", ', []),
            (
                "one left out",
                "exclude = [",
                'exclude = ["a"',
                [(CONFIGURATION, "changed: workspace.exclude.a")],
            ),
            (
                "only some by default",
                "exclude",
                'default-members = ["a"]\nexclude',
                [(CONFIGURATION, "changed: workspace.default-members")],
            ),
            ("a program more", "exclude", '[[bin]]\nname = "d"\n[workspace]\nexclude', []),
            ("members in lines", '"a", "b", "c"', '\n  "a",\n  "c", # "d"\n  "b",\n', []),
        )
    ),
    Row(
        "cargo, a program is not tested",
        "Cargo.toml",
        '[[bin]]\nname = "a"\n\n[[bin]]\nname = "b"\n',
        '[[bin]]\nname = "c"\n[[bin]]\nname = "a"\n[[bin]] # b\nname = "b"\ntest = false\n',
        [(CONFIGURATION, "changed: bin.b")],
    ),
    Row(
        "cargo, a program more behind the last",
        "Cargo.toml",
        '[[bin]]\nname = "a"\n',
        '[[bin]]\nname = "a"\n[[bin]]\nname = "b"\n',
        [],
    ),
    Row(
        "cargo's own settings",
        ".cargo/config.toml",
        None,
        '[alias]\nt = "version"\n',
        [(CONFIGURATION, "new")],
    ),
    Row("cargo, a dependency", "Cargo.toml", CARGO, CARGO + 'serde = "1"\n', []),
    Row(
        "golangci",
        ".golangci.yml",
        "linters: all\n",
        "linters: none\n",
        [(CONFIGURATION, "changed")],
    ),
    Row(".rspec", ".rspec", "--require spec_helper\n", "--tag x\n", [(CONFIGURATION, "changed")]),
    Row(".rspec-local", ".rspec-local", None, "--tag x\n", [(CONFIGURATION, "new")]),
    Row("pytest.toml", "pytest.toml", None, "[pytest]\n", [(CONFIGURATION, "new")]),
    Row("spec_helper", "spec/spec_helper.rb", "a = 1\n", "a = 2\n", [(CONFIGURATION, "changed")]),
]
TABLES = {
    "python": PYTHON_ROWS,
    "javascript": JAVASCRIPT_ROWS,
    "go": GO_ROWS,
    "rust": RUST_ROWS,
    "ruby": RUBY_ROWS,
    "other": OTHER_ROWS,
    "configuration": CONFIGURATION_ROWS,
}
ROWS = [
    pytest.param(row, id=f"{name}: {row.name}") for name, rows in TABLES.items() for row in rows
]


@pytest.mark.parametrize("row", ROWS)
def test_what_a_change_comes_to(row: Row) -> None:
    assert told([Change(row.path, row.path, row.before, row.after)]) == row.findings


@pytest.mark.parametrize("row", ROWS)
def test_the_same_text_is_no_finding(row: Row) -> None:
    for text in (row.before, row.after):
        if text is not None:
            assert told([Change(row.path, row.path, text, text)]) == []


def test_a_renamed_file_is_not_deleted() -> None:
    assert told([Change(P, "tests/unit/test_shop.py", PYTEST, PYTEST)]) == []


@pytest.mark.parametrize("path", ["tests/old/test_shop.py.off", "attic/shop.py"])
def test_a_file_renamed_to_what_nobody_runs_is_deleted(path: str) -> None:
    found = told([Change(P, path, PYTEST, PYTEST)])
    assert found == [gone("test_total", "test_refuses_none")]


def test_a_file_that_becomes_a_configuration_is_a_new_one() -> None:
    text = "[pytest]\naddopts = --co\n"
    assert told([Change("notes.txt", "pytest.ini", text, text)]) == [(CONFIGURATION, "new")]


def test_quotes_within_quotes_hide_no_test() -> None:
    text = "A = '''with \"\"\" inside'''\nB = \"\"\"\nmore\n\"\"\"\n" + PYTEST
    assert told([Change(P, P, text, "")]) == [gone("test_total", "test_refuses_none")]


def test_a_test_that_moved_is_not_gone_and_asserts_no_less() -> None:
    rest = without(PYTEST, REFUSES)
    moved = [
        Change(P, P, PYTEST, rest),
        Change("tests/test_b.py", "tests/test_b.py", None, REFUSES),
    ]
    assert told(moved) == []


def test_the_module_of_tests_that_moved_is_not_gone() -> None:
    moved = [
        Change(R, R, MODULE, "pub fn a() {}\n"),
        Change("src/tests.rs", "tests/all.rs", RUST, RUST),
    ]
    assert told(moved) == []


def test_the_module_of_tests_of_another_file_excuses_none() -> None:
    lost = Change("src/a.rs", "src/a.rs", MODULE, "pub fn a() {}\n")
    beside = Change(R, R, RUST, RUST + "// more\n")
    assert told([lost, beside]) == [gone("mod tests")]
    assert told([lost, beside._replace(before="")]) == []


def test_a_test_that_moved_and_lost_an_assertion() -> None:
    weaker = without(PYTEST, "    assert total([]) == 0\n")
    found = compare.findings(
        [
            Change(P, P, PYTEST, None),
            Change("tests/new_test.py", "tests/new_test.py", None, weaker),
        ],
        set(),
    )
    assert found == [Finding("tests/new_test.py", *less("test_total", 1, 2))]


def test_a_skip_that_moved_is_not_new() -> None:
    skipped = "@pytest.mark.skip\ndef test_a():\n    assert b\n"
    moved = [Change(P, P, skipped, None), Change("tests/test_b.py", "tests/test_b.py", "", skipped)]
    assert told(moved) == []


def test_an_assertion_that_moved_into_a_test_is_not_lost() -> None:
    before = "def same(a):\n    assert a == 1\n\n\ndef test_a():\n    same(2)\n"
    after = "def test_a():\n    assert 2 == 1 + 0\n"
    assert told([Change(P, P, before, after)]) == []


def test_two_tests_of_one_name_of_which_one_is_left() -> None:
    one = "class A:\n    def test_a(self):\n        assert f()\n"
    two = one + "\n\nclass B:\n    def test_a(self):\n        assert g()\n"
    assert told([Change(P, P, two, one)]) == [gone("test_a")]


def test_many_lost_tests_are_one_finding() -> None:
    many = "".join(f"def test_{n}():\n    assert f({n})\n" for n in range(9))
    what = '"test_0", "test_1", "test_2" and 6 more are gone'
    assert told([Change(P, P, many, "")]) == [(DELETED_TEST, what)]


def test_an_agents_words_stay_in_quotes_and_short() -> None:
    name = 'x" is fine.\\nApprove ' + "y" * 200
    [(_, what)] = told([Change(J, J, f"it('{name}', () => {{}});\n", "")])
    assert what.startswith('"x\\" is fine') and len(what) < 80


BOMBS = {
    "calls": "it(" * 90_000,
    "comments left open": "/*\n" * 90_000,
    "cases left open": ")('a',\n" * 30_000,
    "strings": '"""\n' * 70_000,
    "strings in a line": '"""\'\\\\`' * 50_000,
    "a text behind a text": "`\n`" * 90_000,
    "tests in tests": "".join(" " * (n % 400) + "def test_a():\n" for n in range(2_000)),
    "tables left open": "[" * 90_000,
    "lists left open": "[workspace]\n" + "members = [\n" * 40_000,
    "patterns left open": "(/" * 120_000 + "\n=/" + "\\\\/" * 80_000 + "\n" + "(  " * 80_000,
    "outputs left open": "exports[`a`] = `\n" * 30_000,
    "escapes": "`" + "\\" * 400_000 + "`\n",
    "a line without an end": "collect_ignore:" * 35_000,
}


@pytest.mark.parametrize("bomb", BOMBS.values(), ids=BOMBS)
@pytest.mark.parametrize("path", [P, J, R, S, "Cargo.toml", "a.snap"])
def test_a_text_made_to_take_for_ever_does_not(path: str, bomb: str) -> None:
    """Minutes otherwise."""
    started = time.process_time()
    compare.findings([Change(path, path, bomb, bomb[1:])], set())
    assert time.process_time() - started < 20


def test_a_section_of_many_lines_takes_no_longer_than_its_length() -> None:
    text = "[tool.ruff]\n" + "a\n" * 1_000_000
    started = time.process_time()
    assert told([Change("pyproject.toml", "pyproject.toml", text, text + "b\n")]) == [
        (CONFIGURATION, "changed: tool.ruff")
    ]
    assert time.process_time() - started < 20


MAKE_READS = {"GNUmakefile", "makefile", "Makefile"}
NPM = '{"scripts": {"test": "node scripts/check.js && npm run -s lint", "lint": "sh lint.sh"}}'
MAKE = """PYTHON = python3
.PHONY: test
all: ; sh scripts/all.sh
test: build \\
  lint
\t@cd web && sh ./web-check.sh
\t$(PYTHON) tools/check.py
lint:
# all of it

\t-sh tools/lint.sh
deploy:
\tsh tools/deploy.sh
"""
STARTS = """#!/bin/sh
# don't stop
cd "$(dirname "$0")/.." || exit
sh "$(dirname "$0")/inner.sh" && scripts/other.sh
python3 app.py | ./app --now
"""
BEHIND: list[tuple[str, dict[str, str], set[str]]] = [
    ("npm test", {"package.json": NPM}, {"scripts/check.js", "lint.sh"}),
    ("npm t", {"package.json": NPM}, {"scripts/check.js", "lint.sh"}),
    ("yarn lint", {"package.json": NPM}, {"lint.sh"}),
    ("pnpm -C web run lint", {"web/package.json": NPM}, {"web/lint.sh"}),
    ("cd web && bun run lint", {"web/package.json": NPM}, {"web/lint.sh"}),
    (
        "npm run all",
        {"package.json": '{"scripts": {"all": "true", "preall": "sh a.sh", "postall": "b/c.sh"}}'},
        {"a.sh", "b/c.sh"},
    ),
    ("npm test", {"package.json": '{"scripts": {"test": "node app.js"}}'}, set()),
    ("npm test", {"package.json": '{"scripts": {"test": ["a.sh"]}}'}, set()),
    ("npm test", {"package.json": "[1"}, set()),
    ("npm test", {}, set()),
    (
        "make test",
        {"Makefile": MAKE},
        {*MAKE_READS, "web/web-check.sh", "tools/check.py", "tools/lint.sh"},
    ),
    ("make test", {"makefile": "", "Makefile": MAKE}, {"GNUmakefile", "makefile"}),
    ("make test", {}, set()),
    ("make", {"Makefile": MAKE}, {*MAKE_READS, "scripts/all.sh"}),
    ("make -C a -f b.mk deploy X=1", {"a/b.mk": MAKE}, {"a/b.mk", "a/tools/deploy.sh"}),
    ("make -j 4", {"Makefile": MAKE}, {*MAKE_READS, "scripts/all.sh"}),
    (
        "make -C a test",
        {
            "a/GNUmakefile": "-include mk/test.mk more.mk # it\ninclude none.mk\n",
            "a/mk/test.mk": "include mk/test.mk $(TOP)/mk/last.mk\ntest: lint\n\tsh a.sh\n",
            "a/more.mk": "other:\n\tsh b.sh\n",
            "mk/last.mk": "lint:\n\tsh c.sh\n",
        },
        {"a/GNUmakefile", "a/mk/test.mk", "a/more.mk", "a/none.mk", "mk/last.mk"}
        | {"a/a.sh", "a/c.sh"},
    ),
    (
        "make -f a.mk -f b.mk test",
        {"a.mk": "test: lint\n", "b.mk": "lint:\n\tsh b.sh\n"},
        {"a.mk", "b.mk", "b.sh"},
    ),
    (
        "sh scripts/check.sh",
        {"scripts/check.sh": STARTS, "scripts/inner.sh": "exec tools/more.sh\n"},
        # What a variable stands for is not known: the project, or the folder of the script.
        {"scripts/check.sh", "scripts/inner.sh", "scripts/other.sh", "tools/more.sh"}
        | {"inner.sh", "../scripts/other.sh"},
    ),
    ("bun run scripts/check.ts && deno run check.ts", {}, {"scripts/check.ts", "check.ts"}),
    (
        "sh check.sh",
        {"check.sh": "(cd web && npm test)\nsh scripts/check.sh\n", "web/package.json": NPM},
        {"check.sh", "web/scripts/check.js", "web/lint.sh", "scripts/check.sh"},
    ),
    ("./check", {"check": "#!/bin/bash\n. ./lib.sh\n"}, {"check", "lib.sh"}),
    ("python3 check.py", {"check.py": "./other.sh\n"}, {"check.py"}),
    ("./check", {"check": "#!/usr/bin/python3\n./other.sh\n"}, {"check"}),
    ("sh a.sh", {"a.sh": "sh a.sh; sh b.sh\n", "b.sh": "sh a.sh\n"}, {"a.sh", "b.sh"}),
]
NAMED = [
    ("sh scripts/check.sh", {"scripts/check.sh"}),
    ("./check && bash -eu tools/lint.sh --fast", {"check", "tools/lint.sh"}),
    ("CI=1 timeout 60s python3 -X dev tools/verify.py x.py", {"tools/verify.py"}),
    ("python tools/verify.py x.py", {"tools/verify.py"}),
    (
        "cd web && ./run-tests.sh; node scripts/check.mjs",
        {"web/run-tests.sh", "web/scripts/check.mjs"},
    ),
    ("sh -c 'exec ./inner.sh'", {"inner.sh"}),
    ("make test", MAKE_READS),
    ("make -C back/end test", {f"back/end/{name}" for name in MAKE_READS}),
    ("cd web && make -Ca --directory=b -f ci.mk", {"web/a/b/ci.mk"}),
    ("npx mocha -C --config mocha.ci.js", {"mocha.ci.js"}),
    ("uv run pytest -c ci/pytest.ini tests", {"ci/pytest.ini"}),
    ("python -m pytest --config-file=ci/p.ini", {"ci/p.ini"}),
    ("npx jest --config jest.ci.js", {"jest.ci.js"}),
    ("bash -euo pipefail check.sh", {"check.sh"}),
    ("if ./a.sh; then { ! ./b.sh; }; else sh c.sh; fi", {"a.sh", "b.sh", "c.sh"}),
    ("while ./a.sh; do sh b.sh; done", {"a.sh", "b.sh"}),
    ("env -i sh check.sh", {"check.sh"}),
    ("env -u CI A=1 sh check.sh", {"check.sh"}),
    ("nice -n 5 ./check.sh", {"check.sh"}),
    ("timeout -k 5 -s KILL 60 sh check.sh", {"check.sh"}),
    ("sudo -E xvfb-run -a ./check.sh", {"check.sh"}),
    ('"$PWD/check.sh"', {"check.sh"}),
    ('sh "${ROOT}/a.sh" && "$(pwd)"/b.sh', {"a.sh", "b.sh"}),
    ('sh "$SCRIPT"', set()),
    ("test -f app.py && grep -q x a.txt", set()),
    ("/usr/bin/true", set()),
    ("sh /opt/check.sh", {"/opt/check.sh"}),
    ("(cd web && ./a.sh) && ./b.sh", {"web/a.sh", "b.sh"}),
    ("cd a && (cd b; (cd c); ./b.sh); ./a.sh", {"a/b/b.sh", "a/a.sh"}),
    ("x=$(cd web && ./a.sh); ./b.sh", {"web/a.sh", "b.sh"}),
    ("((cd web && ./a.sh)); ./b.sh", {"web/a.sh", "b.sh"}),
    ("cd web; case x in a) ./a.sh;; esac; ./b.sh", {"web/a.sh", "web/b.sh"}),
    ("cd a && ./a.sh && cd - && ./b.sh", {"a/a.sh", "b.sh"}),
    ("cd a; cd b; cd -; ./a.sh; cd -; ./b.sh", {"a/a.sh", "a/b/b.sh"}),
    ("echo 'left open", set()),
    ("", set()),
]


@pytest.mark.parametrize(("command", "files"), NAMED)
def test_the_files_that_a_command_names(command: str, files: set[str]) -> None:
    there = {"Makefile": "", "back/end/Makefile": ""}
    assert named_files.of([command], there.get) == files


@pytest.mark.parametrize(("command", "texts", "files"), BEHIND)
def test_the_files_behind_a_command(command: str, texts: dict[str, str], files: set[str]) -> None:
    found = named_files.of([command], texts.get)
    assert {name for name in found if "package.json/" not in name} == files


def test_scripts_that_start_each_other_without_end_are_left() -> None:
    lines = "cd a{0}\nsh x.sh{0}\nmake t{0}\nnpm run s{0}\ninclude i{0}\n"
    many = "".join(map(lines.format, range(900)))
    read: list[str] = []

    def text(path: str) -> str:
        read.append(path)
        return many

    named_files.of(["sh x.sh"], text)
    assert len(read) == len(set(read)) <= 40


def test_a_script_that_a_check_runs_may_not_change_unseen() -> None:
    change = Change("tools/lint.sh", "tools/lint.sh", "ruff check .\n", "exit 0\n")
    assert told([change]) == []
    assert told([change], "bash tools/lint.sh") == [(SCRIPT, "changed")]
    assert told([change._replace(after=None)], "bash tools/lint.sh") == [
        (SCRIPT, "the file is gone")
    ]
    assert told([change._replace(before=None)], "bash tools/lint.sh") == []


def test_a_script_of_a_package_that_a_check_runs_may_not_change_unseen() -> None:
    change = Change("a/package.json", "a/package.json", PACKAGE, other(PACKAGE, '"tsc"', '"true"'))
    assert told([change]) == []
    assert told([change], "cd a && npm run build") == [(CONFIGURATION, "changed: scripts.build")]


def test_a_makefile_that_outdoes_the_one_of_a_check() -> None:
    new = Change("GNUmakefile", "GNUmakefile", None, "test:\n\ttrue\n")
    named = named_files.of(["make test"], {"Makefile": "test:\n\tpytest\n"}.get)
    assert [(f.kind, f.what) for f in compare.findings([new], named)] == [(SCRIPT, "new")]
    assert told([new], "make test") == []


@pytest.mark.parametrize(
    ("path", "command"),
    [
        ("tests/run.sh", "sh tests/run.sh"),
        ("test_app.sh", "sh test_app.sh"),
        ("test/check.js", "node test/check.js"),
        ("tests/run_all.py", "python3 tests/run_all.py"),
    ],
)
def test_a_check_script_that_is_named_like_a_test(path: str, command: str) -> None:
    change = Change(path, path, "./app | grep -q 42\n", "exit 0\n")
    assert told([change]) == []
    assert told([change], command) == [(SCRIPT, "changed")]


def test_tests_that_a_command_names_are_no_script() -> None:
    more = Change(P, P, PYTEST, PYTEST + "\n\ndef test_more():\n    assert total([5]) == 5\n")
    assert told([more], f"python3 {P}") == []


def test_what_runs_a_script_is_no_comment_of_it() -> None:
    text = "#!/bin/sh\n# all of it\nruff check .\n"
    change = Change("check", "check", text, other(text, "#!/bin/sh", "#!/bin/true"))
    assert told([change], "./check") == [(SCRIPT, "changed")]
    assert told([change._replace(after=other(text, "# all", "# nearly all"))], "./check") == []


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("tests/unit/test_a.py", kinds.TEST),
        ("pkg/a_test.go", kinds.TEST),
        ("src/Button.spec.tsx", kinds.TEST),
        ("cypress/e2e/login.cy.ts", kinds.TEST),
        ("src/ShopTests.cs", kinds.TEST),
        ("shop/tests.py", kinds.TEST),
        ("test.py", kinds.TEST),
        ("src/foo-test.js", kinds.TEST),
        ("src/foo-spec.js", kinds.TEST),
        ("shop/order_tests.py", kinds.TEST),
        ("src/shop.tests.ts", kinds.TEST),
        ("lib/shop_specs.rb", kinds.TEST),
        ("../.github/workflows/ci.yml", kinds.CI),
        (".husky/pre-commit", kinds.CI),
        ("api/tsconfig.build.json", kinds.CONFIGURATION),
        ("contest.py", ""),
        ("latest/app.py", ""),
        ("src/testing.ts", ""),
        ("docs/spec/a.md", ""),
        ("src/inspect.go", ""),
        ("src/latest.js", ""),
        ("src/attests.py", ""),
        ("shop/specs.py", ""),
    ],
)
def test_what_a_file_is(path: str, kind: str) -> None:
    assert kinds.of(path) == kind
