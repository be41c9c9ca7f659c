"""Programs that run another command: where in their words that command is."""

from __future__ import annotations

from collections import namedtuple

from .words import is_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple

    class Wrapper(NamedTuple):
        """Options that take the next word as their value, and words before the command."""

        valued: frozenset[str]
        skipped: int
else:
    Wrapper = namedtuple("Wrapper", "valued skipped")


def _wrapper(valued: str = "", skipped: int = 0) -> Wrapper:
    return Wrapper(frozenset(valued.split()), skipped)


WRAPPERS = {
    "sudo": _wrapper(
        "-u -g -h -p -C -D -R -T -r -t -U --user --group --host --prompt --chdir --chroot"
        " --close-from --role --type --other-user --command-timeout"
    ),
    "doas": _wrapper("-u -C"),
    "pkexec": _wrapper("--user"),
    "env": _wrapper("-u --unset -C --chdir"),
    "command": _wrapper(),
    "builtin": _wrapper(),
    "exec": _wrapper("-a"),
    "nohup": _wrapper(),
    "time": _wrapper("-f -o --format --output"),
    "gtime": _wrapper("-f -o --format --output"),
    "nice": _wrapper("-n --adjustment"),
    "ionice": _wrapper("-c -n --class --classdata"),
    "chrt": _wrapper("", 1),
    "taskset": _wrapper("", 1),
    "setsid": _wrapper(),
    "stdbuf": _wrapper("-i -o -e --input --output --error"),
    "timeout": _wrapper("-k -s --kill-after --signal", 1),
    "gtimeout": _wrapper("-k -s --kill-after --signal", 1),
    "chroot": _wrapper("", 1),
    "unshare": _wrapper("-S -G --setuid --setgid --root --wd"),
    "nsenter": _wrapper("-t -S -G --target --setuid --setgid"),
    "strace": _wrapper("-o -e -p -s -E -a -b -O -S -P -u -I"),
    "ltrace": _wrapper("-o -e -p -s -a -n -u"),
    "valgrind": _wrapper(),
    "fakeroot": _wrapper("-l -s -i -b"),
    "firejail": _wrapper(),
    "torsocks": _wrapper(),
    "proxychains": _wrapper("-f"),
    "proxychains4": _wrapper("-f"),
    "chronic": _wrapper(),
    "unbuffer": _wrapper(),
    "eatmydata": _wrapper(),
    "caffeinate": _wrapper("-t -w"),
    "systemd-run": _wrapper("-p -u -t --property --unit --slice --description"),
    "dbus-run-session": _wrapper(),
    "xvfb-run": _wrapper("-e -f -n -p -s -w --server-num --server-args"),
    "busybox": _wrapper(),
    "toybox": _wrapper(),
    "cross-env": _wrapper(),
    "dotenv": _wrapper("-e -f"),
    "dotenvx": _wrapper("-f"),
    "noglob": _wrapper(),
    "nocorrect": _wrapper(),
    "npx": _wrapper("-p --package -c --call"),
    "bunx": _wrapper(),
    "pipx": _wrapper("--spec"),
    "uvx": _wrapper("--from --with -p --python"),
    "runuser": _wrapper("-u -g -G"),
}
# The same, behind a word that says so.
SUBCOMMANDS = {
    ("uv", "run"): _wrapper("--with --python -p --package --extra --group --env-file --project"),
    ("poetry", "run"): _wrapper(),
    ("pipenv", "run"): _wrapper(),
    ("pdm", "run"): _wrapper(),
    ("hatch", "run"): _wrapper(),
    ("pipx", "run"): _wrapper("--spec"),
    ("rye", "run"): _wrapper(),
    ("bundle", "exec"): _wrapper(),
    ("npm", "exec"): _wrapper("-p --package -c --call -w --workspace"),
    ("npm", "x"): _wrapper("-p --package -c --call -w --workspace"),
    ("pnpm", "exec"): _wrapper(),
    ("pnpm", "dlx"): _wrapper("--package"),
    ("yarn", "exec"): _wrapper(),
    ("yarn", "dlx"): _wrapper("-p --package"),
    ("conda", "run"): _wrapper("-n --name -p --prefix"),
    ("mamba", "run"): _wrapper("-n --name -p --prefix"),
    ("mise", "exec"): _wrapper(),
    ("mise", "x"): _wrapper(),
    ("asdf", "exec"): _wrapper(),
    ("direnv", "exec"): _wrapper("", 1),
    ("rustup", "run"): _wrapper("", 1),
    ("op", "run"): _wrapper("--env-file"),
    ("doppler", "run"): _wrapper("-p -c --project --config"),
    ("aws-vault", "exec"): _wrapper("", 1),
}


def find(name: str, words: list[str]) -> tuple[Wrapper, int] | None:
    """The wrapper and where its own words end."""
    if name in ("command", "builtin") and words[1:2] and words[1] in ("-v", "-V"):
        return None
    if len(words) > 1 and (name, words[1]) in SUBCOMMANDS:
        return SUBCOMMANDS[name, words[1]], 2
    return (WRAPPERS[name], 1) if name in WRAPPERS else None


def inner(wrapper: Wrapper, words: list[str], at: int) -> tuple[list[str], dict[str, str]]:
    """The command inside, and the variables that it is given."""
    assigns: dict[str, str] = {}
    while at < len(words):
        word = words[at]
        if word == "--":
            at += 1
            break
        name, equals, value = word.partition("=")
        if word.startswith("-") and len(word) > 1:
            at += 2 if word in wrapper.valued else 1
        elif equals and is_name(name):
            assigns[name] = value
            at += 1
        else:
            break
    return words[at + wrapper.skipped :], assigns


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
