"""How tests look in each language: where one begins, what skips it, what it asserts."""

from __future__ import annotations

import re
from re import Pattern
from typing import NamedTuple


class Language(NamedTuple):
    """`test` names a test where it begins, `marked` one that begins behind a `mark`.

    `module` names the file that a line makes part of the tests, or what stands there instead.
    `comment` begins a line that is no code, `blocks` open more of them that `CLOSING` closes; what
    it finds without a group is passed over: quotes in it open nothing.
    Of the classes that `group` finds, nobody collects the tests of those that `idle` finds.
    """

    test: Pattern[str] | None
    skip: Pattern[str]
    assertion: Pattern[str]
    vacuous: Pattern[str]
    comment: Pattern[str]
    blocks: Pattern[str]
    mark: Pattern[str] | None = None
    marked: Pattern[str] | None = None
    module: Pattern[str] | None = None
    group: Pattern[str] | None = None
    idle: Pattern[str] | None = None


def _any(*patterns: str) -> Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns))


# A build constraint looks like a comment and switches a whole file off.
_SLASHES = re.compile(r"\s*//(?!go:build|\s*\+build)")
_HASH = re.compile(r"\s*#")
# In the middle of a line it may be part of a text, such as a pattern of file names.
_STARS = r"^\s*(?P<stars>/\*)"
_STRINGS = r"'(?:\\.|[^'\\])*(?:'|\\?$)|\"(?:\\.|[^\"\\])*(?:\"|\\?$)"
_REST = rf"{_STRINGS}|//.*"
# A slash there divides nothing.
_PATTERN = r"(?<=[(\[=,:!&|?])\s*/(?![/*])(?:\\.|[^/\\])+/"
_UNESCAPED = r"(?<!\\)(?:\\\\)*"
# By the name of the group; another one is the line that closes a block.
CLOSING = {
    "stars": re.compile(r"\*/"),
    "raw": re.compile("`"),
    "tick": re.compile(f"{_UNESCAPED}`"),
    "double": re.compile(f'{_UNESCAPED}"""'),
    "single": re.compile(f"{_UNESCAPED}'''"),
    "begin": re.compile("=end"),
}
_SAME = r"([\w.'\"]+)"

_ARGUMENTS = r"(?:'[^']*'|\"[^\"]*\"|\([^()]*\)|\[[^][]*\])"
PYTHON = Language(
    test=re.compile(r"^[ \t]*(?:async[ \t]+)?def[ \t]+(?P<name>test\w*)"),
    skip=_any(
        r"\bmark\.(?:skipif|skip|xfail)\b",
        r"(?<=pytest\.)(?:skip|xfail|importorskip)\b(?=\()",
        r"^\s*(?:skip|xfail)\b(?=\()",
        r"unittest\.(?:skipIf|skipUnless|skip|expectedFailure)\b",
        r"\braise\s+(?:\w+\.)?SkipTest\b",
        r"@(?:skipIf|skipUnless|skip|expectedFailure)\b",
        r"\.skipTest\b(?=\()",
        r"\bcollect_ignore(?:_glob)?\b(?=\s*(?::[^=]*)?=)",
        r"\bpytest_(?:ignore_collect|collection_modifyitems)\b",
        # They decide what runs and how it ended.
        r"\bpytest_(?:runtest_\w+|pyfunc_call|sessionfinish|unconfigure|cmdline_main)\b(?=\s*[(=])",
        r"\.exitstatus\b(?=\s*=\s*0)",
        r"\.outcome\b(?=\s*=\s*['\"]passed)",
        # Not where a test gives it to another program.
        r"^(?:\s*os\._exit|sys\.exit)\b(?=\(\s*0?\s*\))",
        r"\bload_tests\b(?=\()",
        rf"\bparametrize\b(?=\(\s*{_ARGUMENTS}\s*,\s*(?:\[\s*\]|\(\s*\))\s*[,)])",
        r"__test__\s*=\s*False",
    ),
    assertion=_any(
        r"^\s*assert\b",
        r"\bself\.(?:assert\w+|fail)\(",
        r"\bpytest\.(?:raises|warns|fail)\(",
        r"\.assert_\w+\(",
    ),
    vacuous=_any(
        r"^\s*assert\s*\(?\s*(?:True|1|not False|'[^']*'|\"[^\"]*\")\s*\)?\s*(?:,.*|#.*)?$",
        r"^\s*assert\b.*\bor\s+(?:True|1|not False)\s*\)?\s*(?:,.*|#.*)?$",
        r"^\s*assert\s*\(?\s*(?:True|1|not False)\s+or\b",
        rf"^\s*assert\s+{_SAME}\s*(?:==|is)\s*\1\s*(?:,.*|#.*)?$",
        r"\bself\.assert(?:True\(\s*True|False\(\s*False)\s*[,)]",
    ),
    comment=_HASH,
    blocks=re.compile(rf"(?P<double>\"\"\")|(?P<single>''')|{_STRINGS}|#.*"),
    group=re.compile(r"\s*class\s"),
    idle=re.compile(r"\s*class\s+(?!Test)\w+\s*(?:\(\s*(?:object)?\s*\))?\s*:"),
)
_EACH = r"(?:\.\w+)*"
_QUOTED = r"\(\s*(?P<quote>['\"`])(?P<name>.*?)(?P=quote)"
JAVASCRIPT = Language(
    test=re.compile(rf"^\s*(?:(?:[xf]?it|[xf]?test){_EACH}(?:\(.*\))?|[\])`]\s*\)?)\s*{_QUOTED}"),
    skip=_any(
        r"\b(?:it|test|describe|suite|context)\.(?:\w+\.)*(?:skipIf|skip|todo|fixme|failing|fails)\b",
        r"\b(?:it|test|describe|suite|context)\.(?:\w+\.)*(?:runIf|only)\b",
        r"^\s*(?:xit|xtest|xdescribe|fit|fdescribe)(?=\(|\.)",
        r"\b(?:this|ctx|t)\.skip\b(?=\()",
        r"\b(?:skip|todo)\b(?=:\s*true\b)",
        r"\bskip\b(?=:\s*['\"])",
        r"^\s*process\.exit\b(?=\(\s*0?\s*\))",
    ),
    assertion=_any(r"\bexpect(?:TypeOf)?\s*[(.]", r"\bassert(?:\.\w+)*\(", r"\.should\b"),
    vacuous=_any(
        rf"\bexpect\(\s*{_SAME}\s*\)\.to(?:Be|Equal|StrictEqual)\(\s*\1\s*\)",
        r"\bexpect\(\s*(?:true|1)\s*\)\.(?:toBeTruthy|toBeDefined)\(",
        r"\bassert(?:\.ok)?\(\s*(?:true|1)\s*[,)]",
    ),
    comment=_SLASHES,
    blocks=re.compile(rf"{_STARS}|(?P<tick>`)|{_PATTERN}|{_REST}"),
)
_TESTIFY = (
    "Condition|Contains|DirExists|ElementsMatch|Empty|Equal|Error|Eventually|Exactly|Fail|FileExists"
    "|Greater|HTTP|Implements|In(?:Delta|Epsilon)|Is|JSONEq|Len|Less|Negative|Never|Nil|No|Panics"
    "|Positive|Regexp|Same|Subset|True|Within|YAMLEq|Zero"
)
GO = Language(
    test=re.compile(r"^func\s+(?:\([^)]*\)\s*)?(?P<name>(?:Test|Fuzz|Example|Benchmark)\w*)\s*\("),
    skip=_any(
        r"\b[tbf]\.Skip(?:f|Now)?\b(?=\()",
        r"^//go:build\b",
        r"^//\s*\+build\b",
        # It decides whether the tests of its package run, and what their end means.
        r"^func\s+TestMain\b",
        r"\bos\.Exit\b(?=\(\s*0\s*\))",
    ),
    assertion=_any(
        r"\bm\.Run\(",
        r"\b[tbf]\.(?:Errorf|Error|Fatalf|Fatal|FailNow|Fail)\(",
        r"\b(?:assert|require|is|qt)\.\w+\(",
        r"\.(?:Require|Assert)\(\)\.\w+\(",
        rf"\b(?:s|ts|\w*[sS]uite)\.(?:{_TESTIFY})\w*\(",
    ),
    vacuous=_any(
        r"\b(?:assert|require)\.True\(\s*t\s*,\s*true\s*[,)]",
        rf"\b(?:assert|require)\.Equal\(\s*t\s*,\s*{_SAME}\s*,\s*\1\s*[,)]",
    ),
    comment=_SLASHES,
    blocks=re.compile(rf"{_STARS}|(?P<raw>`)|{_REST}"),
)
RUST = Language(
    test=None,
    skip=_any(
        r"#\[ignore\b",
        r"#\[cfg_attr\([^]]*\bignore\b",
        r"#\[cfg\(any\(\)\)\]",
        r"(?<=#!\[)cfg\b(?!\(test\)\])",
    ),
    assertion=_any(r"\b(?:assert|assert_\w+|prop_assert\w*|panic|unreachable)!\s*[(\[{]"),
    vacuous=_any(r"\bassert!\(\s*true\s*[,)]", rf"\bassert_eq!\(\s*{_SAME}\s*,\s*\1\s*[,)]"),
    comment=_SLASHES,
    blocks=re.compile(_STARS),
    mark=re.compile(r"#\[(?:\w+::)*(?:test|rstest|test_case|proptest|quickcheck)\b"),
    marked=re.compile(r"\bfn\s+(?P<name>\w+)"),
    module=re.compile(r"\s*(?:pub(?:\([^)]*\))?\s+)?(?P<name>mod\s+\w*tests?)\s*(?P<end>[;{])"),
)
RUBY = Language(
    test=re.compile(
        r"^\s*(?:(?:[xf]?it|[xf]?specify|[xf]?example|scenario|test)[ (]\s*"
        r"(?P<quote>['\"])(?P<name>.*?)(?P=quote)|def\s+(?P<method>test_\w+[?!]?))"
    ),
    skip=_any(
        r"^\s*(?:xit|xspecify|xexample|xdescribe|xcontext|fit|fspecify|fdescribe|fcontext)\b",
        r"^\s*(?:skip|pending)\b(?!\s*=)",
        r"[,(]\s*:(?:skip|pending|focus)\b",
        r"\b(?:skip|pending|focus):\s*(?!false|nil)",
    ),
    assertion=_any(
        r"\bexpect\s*[({]",
        r"\bis_expected\b",
        r"^\s*(?:assert|refute|flunk)\w*\b",
        r"\.(?:should|must_\w+|wont_\w+)\b",
    ),
    vacuous=_any(
        r"\bexpect\(\s*(?:true|1)\s*\)\.to\s+(?:be\s*\(?\s*true|be_truthy|eq\s*\(?\s*(?:true|1))",
        r"^\s*assert[ (]\s*true\b",
    ),
    comment=_HASH,
    blocks=re.compile(
        r"^(?P<begin>=begin)|<<[~-](['\"]?)(?P<word>\w+)\2"
        # Directly behind a value it shifts.
        rf"|(?<![\w)\]])<<(['\"]?)(?P<bare>[A-Z]\w*)\4|{_STRINGS}|#.*"
    ),
)
OTHER = Language(
    test=re.compile(
        r"^\s*@test\s+(?P<quote>['\"])(?P<name>.*?)(?P=quote)"
        r"|^\s*test\s+(?P<quote2>['\"])(?P<name2>.*?)(?P=quote2)\s*(?:,.*)?\bdo\b"
        r"|\b(?:void|fun|func|function|Task)\s+`?(?P<method>[tT]est\w*)"
    ),
    skip=_any(
        r"@(?:Disabled|Ignore|Ignored|DisabledOn\w+)\b",
        r"\[(?:Ignore|Skip)\b",
        r"\bSkip\s*=\s*(?=\")",
        r"\bmarkTest(?:Skipped|Incomplete)\b",
        r"\b(?:XCTSkip\w*|GTEST_SKIP|assumeTrue|assumeFalse)\b(?=\()",
        r"@tag\s+:?skip\b",
        r"^\s*skip\b(?!\s*=)",
    ),
    assertion=_any(r"\b(?:[Aa]ssert|XCTAssert|EXPECT_|ASSERT_|expect|require|should)\w*\b"),
    vacuous=_any(r"\b[Aa]ssertTrue\(\s*true\s*[,)]", r"\bassert\s+true\b"),
    comment=re.compile(r"\s*(?://|#(?!\[|(?:expect|require)\())"),
    blocks=re.compile(_STARS),
    mark=re.compile(
        r"@(?:Parameterized|Repeated)?Test\b|\[(?:Fact|Theory|Test|TestMethod|TestCase)\b"
    ),
    marked=re.compile(r"\b(?:void|fun|func|function|Task)\s+(?:`(?P<name>[^`]+)`|(?P<word>\w+))"),
)

_SCRIPTS = ("js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts", "vue", "svelte")
_BY_ENDING = {
    **dict.fromkeys(_SCRIPTS, JAVASCRIPT),
    **{"py": PYTHON, "go": GO, "rs": RUST, "rb": RUBY},
}


def of(path: str) -> Language:
    return _BY_ENDING.get(path.rpartition(".")[2].lower(), OTHER)
