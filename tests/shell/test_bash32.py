"""macOS ships bash 3.2 and BSD tools: no shell file may use what they lack."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]

# What is newer than bash 3.2 or absent from macOS -> examples that must be found.
TRAPS = {
    r"\b(declare|local|typeset)\s+-\w*[Anlug]": ["declare -A map", "local -n ref=x"],
    r"\$\{!?\w+(\[[^]]*\])?(\^|,)": ["${name,,}", "${name^^}", "${list[0]^}"],
    r"\$\{\w+(\[[^]]*\])?@[A-Za-z]\}": ["${name@Q}", "${list[@]@A}"],
    r"\b(mapfile|readarray|coproc)\b": ["mapfile -t lines", "readarray x", "coproc cat"],
    r"\|&": ["make |& cat"],
    r"&>>": ["make &>>log"],
    r";;?&(?!\d)": ["a) b ;;&", "a) b ;&"],
    r"\$\{\w+:\s*-?\w+\s*:\s*-\d+\}": ["${name:1:-1}"],
    r"\[-\d+\]": ["${list[-1]}"],
    r"\[\[?\s+-v\s|\btest\s+-v\s": ["[[ -v name ]]", "[ -v name ]", "test -v name"],
    r"\b(BASHPID|EPOCHSECONDS|EPOCHREALTIME|SRANDOM|BASH_ARGV0)\b": ["$BASHPID", "$EPOCHSECONDS"],
    r"\bprintf\s+(-v\s+\S+\s+)?['\"][^'\"]*%\([^)]*\)T": ["printf '%(%s)T'"],
    r"\bwait\s+-[nfp]": ["wait -n"],
    r"\bread\s[^|;&]*-t\s*\d*\.\d": ["read -t 0.5 x"],
    r"\bread\s+-\w*[iN]": ["read -N 3 x", "read -ei text x"],
    r"\{[^{}\s]*\.\.[^{}\s]*\.\.[^{}\s]*\}": ["{1..9..2}"],
    r"\{0\d+\.\.": ["{01..12}"],
    r"\bexec\s+\{\w+\}|\{\w+\}[<>]": ["exec {fd}<file", "cat {fd}>x"],
    r"\bshopt\s[^|;&]*(globstar|lastpipe|inherit_errexit|assoc_expand_once|localvar)": [
        "shopt -s globstar",
        "shopt -s inherit_errexit",
    ],
    r"\\u[0-9a-fA-F]{4}|\\U[0-9a-fA-F]{8}": ["$'\\u00e9'"],
    # An empty array counts as unset under set -u before 4.4.
    r"(?<!\+)(?<!\+\")\$\{\w+\[[@*]\]\}": ['run "${list[@]}"', "for x in ${list[*]}; do"],
    r"\breadlink\s+(-\w*[fem]|--)": ["readlink -f x", "readlink --canonicalize x"],
    r"\brealpath\b": ["realpath x"],
    r"\bsed\s+(-\w+\s+)*-\w*[ir]": ["sed -i s/a/b/ f", "sed -r s/a/b/", "sed -n -i x"],
    r"\bgrep\s+(-\w+\s+)*-\w*P": ["grep -P x", "grep -oP x"],
    r"\bdate\s+(-\w+\s+)*(-d|--)|\bdate\s+\+\S*%N": ["date -d now", "date +%s%N"],
    r"\bstat\s+(-c|--)": ["stat -c %s f"],
    r"\bmktemp\s+[^|;)]*(--|-p\s)": ["mktemp --tmpdir x", "mktemp -p . x"],
    r"\b(mv|cp)\s+-\w*[T]|\bcp\s+-\w*--|\b(mv|cp)\s+--[a-z]": ["mv -T a b", "cp --reflink a b"],
    r"\bxargs\s+[^|]*(-r\b|-d\b|--no-run)": ["xargs -r rm", "xargs -d x"],
    r"(^|[|;&(]\s*)(timeout|setsid|flock|nproc|tac|sha256sum|md5sum|gsed)\s": [
        "timeout 5 x",
        "a | tac x",
        "(flock 9 )",
    ],
    r"\b(head|tail)\s+-[nc]\s*-\d": ["head -n -1"],
    r"\bbase64\s+(-w|--)": ["base64 -w0"],
    r"\bsort\s+(-\w+\s+)*-\w*V": ["sort -V"],
    r"\bln\s+-\w*[rT]": ["ln -sr a b"],
}

# Fine on any of them, and near a trap.
FINE = [
    "local name=$1 other",
    "${name%/*}",
    "${name:-x,y}",
    "${#list[@]}",
    "make >log 2>&1",
    "a) b ;;",
    "read -r -d '' file",
    "printf '%s\\n' x",
    "for i in {1..9}; do",
    '"${list[@]+"${list[@]}"}"',
    "readlink \"$self\"",
    "sed -n 1p",
    "mktemp -d",
    "date +%s",
    "xargs -0 cmd",
    "exec \"$x\" <\"$file\"",
    "type -aP python3",
    "sed -e 's/-i/-r/'",
]


def shell_files():
    listed = subprocess.run(
        ["git", "ls-files", "-coz", "--exclude-standard"],
        cwd=REPOSITORY,
        capture_output=True,
        check=True,
        timeout=60,
    )
    for name in listed.stdout.decode().split("\0"):
        path = REPOSITORY / name
        if name and path.is_file() and (name.endswith(".sh") or has_shell_line(path)):
            yield path


def has_shell_line(path):
    with path.open("rb") as file:
        return re.match(rb"#!.*[/ ](ba)?sh\b", file.readline(200)) is not None


def code_lines(path):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        yield number, re.sub(r"(^|\s)#\s.*", "", line)


@pytest.mark.parametrize("pattern", TRAPS)
def test_each_trap_finds_its_examples(pattern):
    assert TRAPS[pattern], "a pattern that nothing was ever found by proves nothing"
    for example in TRAPS[pattern]:
        assert re.search(pattern, example), example


def test_portable_code_is_not_reported():
    assert [(p, line) for p in TRAPS for line in FINE if re.search(p, line)] == []


def test_shell_files_are_portable():
    files = list(shell_files())
    names = {str(path.relative_to(REPOSITORY)) for path in files}
    assert {"scripts/python.sh", "scripts/ralph.sh", "scripts/test.sh", ".ci/run"} <= names
    found = [
        f"{path.relative_to(REPOSITORY)}:{number}: {line.strip()}  ({pattern})"
        for path in files
        for number, line in code_lines(path)
        for pattern in TRAPS
        if re.search(pattern, line)
    ]
    assert found == []
