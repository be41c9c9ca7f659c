"""Programs that run another command: where in their words that command is."""

from __future__ import annotations

from collections import namedtuple

from .words import is_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple

    class Wrapper(NamedTuple):
        """Options that take the next word as their value; words before the command; A=b, too."""

        valued: frozenset[str]
        skipped: int
        assigns: bool
else:
    Wrapper = namedtuple("Wrapper", "valued skipped assigns")


def wrapper(valued: str = "", skipped: int = 0, assigns: bool = True) -> Wrapper:
    return Wrapper(frozenset(valued.split()), skipped, assigns)


WRAPPERS = {
    "sudo": wrapper(
        "-u -g -h -p -C -D -R -T -r -t -U --user --group --host --prompt --chdir --chroot"
        " --close-from --role --type --other-user --command-timeout"
    ),
    "doas": wrapper("-u -C"),
    "pkexec": wrapper("--user"),
    "env": wrapper("-u --unset -C --chdir"),
    "command": wrapper(),
    "builtin": wrapper(),
    "exec": wrapper("-a"),
    "nohup": wrapper(),
    "time": wrapper("-f -o --format --output"),
    "gtime": wrapper("-f -o --format --output"),
    "nice": wrapper("-n --adjustment"),
    "ionice": wrapper("-c -n --class --classdata"),
    "chrt": wrapper("", 1),
    "taskset": wrapper("", 1),
    "setsid": wrapper(),
    "stdbuf": wrapper("-i -o -e --input --output --error"),
    "timeout": wrapper("-k -s --kill-after --signal", 1),
    "gtimeout": wrapper("-k -s --kill-after --signal", 1),
    "chroot": wrapper("", 1),
    "unshare": wrapper("-S -G --setuid --setgid --root --wd"),
    "nsenter": wrapper("-t -S -G --target --setuid --setgid"),
    "strace": wrapper("-o -e -p -s -E -a -b -O -S -P -u -I"),
    "ltrace": wrapper("-o -e -p -s -a -n -u"),
    "valgrind": wrapper(),
    "fakeroot": wrapper("-l -s -i -b"),
    "firejail": wrapper(),
    "torsocks": wrapper(),
    "proxychains": wrapper("-f"),
    "proxychains4": wrapper("-f"),
    "chronic": wrapper(),
    "unbuffer": wrapper(),
    "eatmydata": wrapper(),
    "caffeinate": wrapper("-t -w"),
    "systemd-run": wrapper("-p -u -t --property --unit --slice --description"),
    "dbus-run-session": wrapper(),
    "xvfb-run": wrapper("-e -f -n -p -s -w --server-num --server-args"),
    "busybox": wrapper(),
    "toybox": wrapper(),
    "cross-env": wrapper(),
    "dotenv": wrapper("-e -f"),
    "dotenvx": wrapper("-f"),
    "noglob": wrapper(),
    "nocorrect": wrapper(),
    "npx": wrapper("-p --package -c --call"),
    "bunx": wrapper(),
    "pipx": wrapper("--spec"),
    "uvx": wrapper("--from --with -p --python"),
    "runuser": wrapper("-u -g -G"),
}
_FOLDERS = {
    "env": ("C", "--chdir"),
    "sudo": ("D", "--chdir"),
    "unshare": ("", "--wd"),
    "systemd-run": ("", "--working-directory"),
}
# The same, behind a word that says so.
SUBCOMMANDS = {
    ("uv", "run"): wrapper("--with --python -p --package --extra --group --env-file --project"),
    ("poetry", "run"): wrapper(),
    ("pipenv", "run"): wrapper(),
    ("pdm", "run"): wrapper(),
    ("hatch", "run"): wrapper(),
    ("pipx", "run"): wrapper("--spec"),
    ("rye", "run"): wrapper(),
    ("bundle", "exec"): wrapper(),
    ("npm", "exec"): wrapper("-p --package -c --call -w --workspace"),
    ("npm", "x"): wrapper("-p --package -c --call -w --workspace"),
    ("pnpm", "exec"): wrapper(),
    ("pnpm", "dlx"): wrapper("--package"),
    ("yarn", "exec"): wrapper(),
    ("yarn", "dlx"): wrapper("-p --package"),
    ("conda", "run"): wrapper("-n --name -p --prefix"),
    ("mamba", "run"): wrapper("-n --name -p --prefix"),
    ("mise", "exec"): wrapper(),
    ("mise", "x"): wrapper(),
    ("asdf", "exec"): wrapper(),
    ("direnv", "exec"): wrapper("", 1),
    ("rustup", "run"): wrapper("", 1),
    ("op", "run"): wrapper("--env-file"),
    ("doppler", "run"): wrapper("-p -c --project --config"),
    ("aws-vault", "exec"): wrapper("", 1),
}


def find(name: str, words: list[str]) -> tuple[Wrapper, int] | None:
    """The wrapper and where its own words end."""
    if name in ("command", "builtin") and words[1:2] and words[1] in ("-v", "-V"):
        return None
    if len(words) > 1 and (name, words[1]) in SUBCOMMANDS:
        return SUBCOMMANDS[name, words[1]], 2
    return (WRAPPERS[name], 1) if name in WRAPPERS else None


def inner(kind: Wrapper, at: int, words: list[str]) -> tuple[list[str], dict[str, str]]:
    """The command inside, and the variables that it is given."""
    assigns: dict[str, str] = {}
    while at < len(words):
        word = words[at]
        if word == "--":
            at += 1
            break
        name, equals, value = word.partition("=")
        if word.startswith("-") and len(word) > 1:
            at += 2 if _takes_next(word, kind.valued) else 1
        elif equals and kind.assigns and is_name(name):
            assigns[name] = value
            at += 1
        else:
            break
    return words[at + kind.skipped :], assigns


def _takes_next(word: str, valued: frozenset[str]) -> bool:
    """-u NAME, -iu NAME, but not -uNAME."""
    if word in valued or word[:2] == "--":
        return word in valued
    taking = [at for at, letter in enumerate(word) if f"-{letter}" in valued]
    return bool(taking) and taking[0] == len(word) - 1


def folder(name: str, own: list[str]) -> str:
    """Where the command inside runs, if the wrapper's own words say so: env -C DIR."""
    short, *names = _FOLDERS.get(name, ("", ""))
    glued = [word[2:] for word in own if short and word[:2] == f"-{short}" and len(word) > 2]
    return "".join(glued[:1]) or option(own, short, *names) or ""


def option(words: list[str], short: str, *names: str) -> str | None:
    """The value of an option, however it is written: -c X, -qc X, --command X, --command=X."""
    for at, word in enumerate(words):
        if word in names or (
            word.startswith("-") and not word.startswith("--") and word.endswith(short) and short
        ):
            return words[at + 1] if at + 1 < len(words) else None
        for name in names:
            if word.startswith(name + "="):
                return word[len(name) + 1 :]
    return None
