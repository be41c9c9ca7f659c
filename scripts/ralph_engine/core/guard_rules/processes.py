"""Processes of others: ended by name, by a number, or with the whole machine."""

from __future__ import annotations

import os

from ..file_effects import has, operands, value
from ..shell.values import HERE, name_of
from .rule import Rule, never

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..place import Place
    from ..shell.values import Command

_OWN = ("RALPH_RUN_ID", "CLAUDE_CODE_SESSION_ID")
_MOST_ENVIRONMENT = 1 << 20


def _by_name(command: Command, _: Place) -> bool:
    name, words = name_of(command.words), command.words[1:]
    if name in ("killall", "skill", "xkill", "killall5"):
        return not has(words, "l", "--list", "--version", "--help")
    if name == "kill":
        return bool(command.behind & {"ps", "pgrep", "pidof"})
    if name == "fuser":
        return has(words, "k", "--kill") and has(words, "m", "--mount")
    return name == "pkill" and not value(words, "-P", "--parent") and not has(words, "", "--help")


def _by_number(command: Command, place: Place) -> bool:
    if name_of(command.words) != "kill" or command.where != HERE:
        return False
    words = command.words[1:]
    if has(words, "l", "--list") or "-0" in words:
        return False
    return any(_is_foreign(number, place) for number in _numbers(words))


def _numbers(words: list[str]) -> list[str]:
    """Without the signal, which may look like one."""
    if words[:1] and words[0] in ("-s", "-n"):
        words = words[2:]
    elif words[:1] and words[0].startswith("-") and len(words) > 1:
        words = words[1:]
    return [word for word in words if word.lstrip("-").isdigit()]


def _is_foreign(number: str, place: Place) -> bool:
    """Everything, the first process, or one that runs and was not started by this loop."""
    pid = number.lstrip("-")
    if number in ("-1", "0", "1") or len(pid) > 9:
        return len(pid) <= 9
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            given = file.read(_MOST_ENVIRONMENT).split(b"\0")
    except PermissionError:
        return True
    except OSError:  # it is gone, or there is no /proc here
        return False
    ours = [f"{name}={place.environment.get(name)}" for name in _OWN]
    return not any(os.fsencode(word) in given for word in [*ours, f"{_OWN[1]}={place.session}"])


def _machine(command: Command, _: Place) -> bool:
    name, words = name_of(command.words), command.words[1:]
    if name in ("shutdown", "reboot", "halt", "poweroff"):
        return not has(words, "", "--help", "--version")
    if name in ("init", "telinit"):
        return words[:1] in (["0"], ["6"], ["1"])
    verbs = ("poweroff", "reboot", "halt", "suspend", "hibernate", "rescue", "kexec")
    return name == "systemctl" and any(word in verbs for word in operands(words)[:1])


RULES = (
    Rule(
        name="kill-by-name",
        reason="it ends every process of that name, also those of others",
        instead="end what you started by its number: `server & pid=$!; ...; kill $pid`",
        matches=_by_name,
        denied=(
            *("killall node", "pkill -f python", "pkill -9 -u me", "sudo killall -9 nginx"),
            *(
                "fuser -km /",
                "kill $(pgrep node)",
                "ps aux | grep x | awk '{print $2}' | xargs kill",
            ),
        ),
        allowed=("pkill -P $$", "pgrep -f node", "ps aux | grep node", "fuser -v 3000/tcp"),
    ),
    Rule(
        name="kill-foreign",
        reason="it ends a process that this loop did not start",
        instead="end only what you started: `server & pid=$!; ...; kill $pid`",
        matches=_by_number,
        denied=(
            "kill -9 -1",
            "kill 1",
            "kill -TERM -1",
            "kill -9 $PPID",
            "sudo kill -9 1",
            "kill -s KILL 1",
        ),
        allowed=(
            *("kill %1", "kill $!", 'kill "$PID"', "kill -l", "kill $(lsof -ti:3000)"),
            *("kill -0 $pid", "lsof -ti:3000 | xargs kill -9"),
        ),
    ),
    Rule(
        name="stop-machine",
        reason="it stops the whole machine",
        instead="end your own work; the machine is not the loop's",
        matches=_machine,
        denied=("shutdown -h now", "sudo reboot", "systemctl poweroff", "init 0", "halt -f"),
        allowed=("uptime", "systemctl status", "shutdown --help"),
    ),
    Rule(
        name="fork-bomb",
        reason="it starts itself again and again until the machine stands still",
        instead="start a known number of processes",
        matches=never,
        denied=(":(){ :|:& };:", "bomb() { bomb | bomb & }; bomb", "f(){ f & f & }; f"),
        allowed=("f() { g & wait; }; f", "walk() { for d in */; do walk $d; done; }; walk"),
    ),
)
