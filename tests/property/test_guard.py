"""The guard on any text: wrapped dangers stay denied, harmless work passes, every text ends."""

from __future__ import annotations

import shlex
from typing import Callable

from guarded import ALLOWED, ENVIRONMENT, ROOT, SHFMT, a_place, judged
from hypothesis import given, settings
from hypothesis import strategies as st
from ralph_engine.core.shell import shfmt, values, walk, words
from ralph_engine.core.shell.follow import follow
from ralph_engine.core.shell.state import Shared, Shell

Wrap = Callable[[str], str]

# Each is denied by a rule that no wrapper can bring about by itself.
DANGEROUS = [
    "rm -rf /etc",
    "git push --force origin main",
    "git reset --hard HEAD~1",
    "dd if=/dev/zero of=/dev/sda",
    "chmod -R 777 .",
    "cat /home/dev/.ssh/id_rsa",
    "npm publish",
    "kubectl delete namespace prod",
    "psql -c 'drop table users'",
    "killall node",
    "rm .ralph-active",
    "tee ralph/prd.md",
    "docker run --privileged alpine",
    "scp -r src host.example.com:/srv",
    "crontab -r",
]
HARMLESS = [
    "ls -la",
    "git status --short",
    "npm test",
    "grep -rn 'rm -rf /' docs",
    "echo 'git push --force'",
    "rm -rf build/cache",
    "git commit -m 'drop table users'",
    "python3 -m pytest -q",
    "cat ralph/prd.md",
    "curl -s http://localhost:3000/health",
]
# What stands before a simple command.
BEFORE = (
    "sudo|sudo -E -u root|env|env -i A=1 B=2|env -u X --|env -S 'A=1 nice'|nohup|nice -n 5"
    "|timeout 10|timeout -k 5 -s KILL 1m|setsid|stdbuf -oL|ionice -c 3|command|builtin|time|exec"
    "|A=b|A=b C='d e'|xargs|xargs -n 1 -P 4|busybox|doas|chronic|find . -name x -exec|uv run|npx"
    "|flock /tmp/lock|strace -f -o /tmp/t"
).split("|")
AFTER = {"find . -name x -exec": r" \;"}


def before(words_before: str) -> Wrap:
    return lambda text: f"{words_before} {text}{AFTER.get(words_before, '')}"


def quoted(form: str) -> Wrap:
    return lambda text: form.format(shlex.quote(text))


def plain(form: str) -> Wrap:
    return lambda text: form.replace("@", text)


def python_literal(text: str) -> str:
    return f"python3 -c {shlex.quote(f'import os; os.system({text!r})')}"


def node_literal(text: str) -> str:
    code = f"require('child_process').execSync({text!r})"
    return f"node -e {shlex.quote(code)}"


# They take any text, not only a simple command; what they make is a simple command or a list.
SIMPLE_OUT: list[Wrap] = [
    *map(quoted, ["bash -c {}", "sh -ec {}", "zsh -lc {}", "eval {}", "su -c {}", "watch -n 1 {}"]),
    *map(quoted, ["script -qc {} /dev/null", "trap {} EXIT", "git -c alias.z='!'{} z"]),
    *map(quoted, ["bash -c 'eval \"$1\"' _ {}"]),
    *(python_literal, node_literal),
]
ANY_OUT: list[Wrap] = [
    *map(plain, ["true && { @\n}", "(@\n)", "{ @\n} 2>&1", "if true; then @\nfi", "! { @\n}"]),
    *map(plain, ["for i in 1 2; do @\ndone", "while :; do @\ndone", "until @\ndo :; done"]),
    *map(plain, ["case x in x) @\n;; esac", "f() { @\n}; f", "echo $(@\n)", 'echo "$(@\n)" | cat']),
    *map(plain, ["cat <(@\n)", "{ @\n} | cat", "{ @\n} &", "[[ -n $(@\n) ]]", "x=$(@\n)"]),
    *map(plain, ["bash <<'END'\n@\nEND", "cat <<'END' | sh\n@\nEND", "export Y=$(@\n)"]),
    *map(quoted, ["bash <<< {}", "echo {} | bash", "printf %s {} | sh", "bash <(echo {})"]),
    *map(quoted, ["source <(printf '%s\\n' {})", 'V={}; eval "$V"', 'V={}; bash -c "$V"']),
    *map(quoted, ["echo {} > /tmp/s.sh; bash /tmp/s.sh", "read -rd '' V <<< {}; eval \"$V\""]),
]


@st.composite
def wrapped(draw: st.DrawFn, inner: list[str]) -> str:
    """Any composition: words before it while it is simple, then into shells and around again."""
    text = draw(st.sampled_from(inner))
    is_simple = True
    for _ in range(draw(st.integers(1, 4))):
        choices = [*SIMPLE_OUT, *ANY_OUT, *([before(entry) for entry in BEFORE] * is_simple)]
        wrap = draw(st.sampled_from(choices))
        # The delimiter of a here-document is found in no text but its own.
        text = (
            wrap(text)
            if "END" not in text or wrap not in ANY_OUT
            else f"bash -c {shlex.quote(text)}"
        )
        is_simple = (is_simple or wrap in SIMPLE_OUT) and wrap not in ANY_OUT
    return text


@settings(max_examples=settings.default.max_examples // 2)
@given(wrapped(DANGEROUS))
def test_a_danger_stays_denied_in_any_composition_of_wrappers(text: str) -> None:
    assert judged(text).rule != ""


@settings(max_examples=settings.default.max_examples // 2)
@given(wrapped(HARMLESS))
def test_harmless_work_passes_in_any_composition_of_wrappers(text: str) -> None:
    assert judged(text) == ALLOWED


# Without `[`, for which shfmt takes `*b=c[` for an assignment, other than bash.
PIECES = [
    *("a", "b=c", "-x", "/", "~", " ", " ", "  ", ";", "&&", "||", "|", "&", "\n", "'q r'"),
    *('"d $e"', "$f", "${g}", "\\ ", "\\\n", ">", ">>", "2>&1", "<", "#", "{h,i}", "*", "!"),
    *("$", '"', "'", "(", ")", "`", "=", "0", "é", "]", "\\", "{}", "=(", "<<", "$'", ";;"),
]


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_what_the_quick_reader_takes_on_means_the_same_to_shfmt(text: str) -> None:
    quick = words.parse(text)
    slow = shfmt.parse(SHFMT, text) if quick is not None else None
    if quick is not None and slow is not None:
        seen = []
        for nodes in (quick, slow):
            shared = Shared(ROOT, ENVIRONMENT, SHFMT)
            walk.statements(Shell(shared, ROOT), nodes, None)
            seen.append((shared.commands, shared.problems))
        assert seen[0] == seen[1]


KEYWORDS = [
    *("rm -rf ", "bash -c ", "eval ", "| sh", "$(", ")", "<<E\n", "\nE\n", "for i in ", "; do "),
    *("; done", "if ", "; then ", "; fi", "case ", " in ", ") ", ";; esac", "f() {", "}", "[[ "),
    *(" ]]", "((", "))", "${x", ":-", "##*/}", "%", "//a/b}", "[@]}", "$'\\x", "<(", "{1..9}"),
    *("find . -exec ", "xargs ", "python3 -c '", "git -c a=b ", ".ralph-active", "function ", "["),
]
ANYTHING = st.lists(st.sampled_from([*PIECES, *KEYWORDS]) | st.text(max_size=5), max_size=40)


@given(ANYTHING.map("".join))
def test_any_text_gets_an_answer(text: str) -> None:
    assert judged(text).complete in (True, False)


@settings(max_examples=settings.default.max_examples // 10)
@given(
    st.lists(st.sampled_from([*PIECES, *KEYWORDS]), min_size=1, max_size=3), st.integers(1, 10**5)
)
def test_any_text_of_100_kb_is_answered_with_bounded_work(pieces: list[str], count: int) -> None:
    piece = "".join(pieces)
    text = (piece * (1 + count // len(piece)))[:100_000]
    spent = follow(text, ROOT, ROOT, ENVIRONMENT, SHFMT)[0].budget
    assert spent.steps <= values.MOST_STEPS + len(text)
    assert spent.commands <= values.MOST_COMMANDS + 1
    assert spent.parses <= values.MOST_PARSES + 1
    judged(text, a_place())
