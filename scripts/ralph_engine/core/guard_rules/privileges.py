"""Privileges and permissions: who may do what on this machine."""

from __future__ import annotations

from .. import place as places
from ..file_effects import MODE, has, of, operands, value
from ..shell.values import CONTAINER, name_of
from .rule import Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..place import Place
    from ..shell.values import Command

_ACCOUNTS = frozenset(
    "visudo passwd chpasswd useradd usermod userdel adduser deluser groupadd groupmod gpasswd chsh"
    " setcap csrutil spctl dscl".split()
)
_SHELLS = ("sh", "bash", "zsh", "fish", "dash", "ksh", "su")
_KERNEL = ("modprobe", "insmod", "rmmod", "mount", "umount")


def _opens_to_all(command: Command, _: Place) -> bool:
    if name_of(command.words) != "chmod" or command.where == CONTAINER:
        return False
    mode = (operands(command.words[1:]) or [""])[0]
    digits = mode.lstrip("=")
    if digits.isdigit():
        number = digits[-4:].zfill(4)
        return number[3] in "2367" or number[0] in "4567"
    return any(_grants(clause) for clause in mode.split(","))


def _grants(clause: str) -> bool:
    """o+w, a+w, +s, u+s: written by everybody, or run as somebody else."""
    for sign in "+=":
        who, found, what = clause.partition(sign)
        if found and who.strip("ugoa") == "":
            return "s" in what or ("w" in what and bool(set(who) & set("oa")))
    return False


def _outside(command: Command, place: Place) -> bool:
    if command.where == CONTAINER:
        return False
    effects = [effect for effect in of(command) if effect.kind == MODE]
    far = [place.zone(effect.path) in (places.HOME, places.SYSTEM) for effect in effects]
    return any(far) or any(effect.path == "/" for effect in effects)


def _becomes_root(command: Command, _: Place) -> bool:
    name, words = name_of(command.words), command.words[1:]
    if name == "su":
        return not has(words, "c", "--command", "--help", "--version")
    if name not in ("sudo", "doas"):
        return False
    rest = operands(words, "-u -g -h -p -C -D -R -T -r -t -U --user --group")
    if not rest:
        return has(words, "i", "--login") or has(words, "s", "--shell")
    return len(rest) == 1 and name_of(rest) in _SHELLS and command.feed is None


def _accounts(command: Command, _: Place) -> bool:
    name, words = name_of(command.words), command.words[1:]
    return name in _ACCOUNTS and not has(words, "", "--help", "--version", "--status")


def _system(command: Command, _: Place) -> bool:
    name, words = name_of(command.words), command.words[1:]
    if name in ("iptables", "ip6tables"):
        return not (has(words, "L", "--list") or has(words, "S", "--list-rules"))
    if name in ("nft", "firewall-cmd"):
        return bool(words) and words[0] not in ("list", "--list-all", "--state", "monitor")
    if name == "ufw":
        return words[:1] != ["status"]
    if name == "sysctl":
        return has(words, "w", "--write", "--system") or any("=" in word for word in words)
    if name in _KERNEL:
        return bool(operands(words)) and not value(words, "--help")
    return name == "setenforce"


RULES = (
    Rule(
        name="open-permissions",
        reason="it lets every user write the file, or run it as another user",
        instead="give only what is needed, e.g. `chmod u+x FILE` or `chmod 755 FILE`",
        matches=_opens_to_all,
        denied=(
            *("chmod 777 run.sh", "chmod -R 777 .", "chmod a+rwx x", "chmod o+w x", "chmod u+s x"),
            *("chmod 4755 x", "chmod 0666 x", "find . -type f -exec chmod 777 {} +", "chmod +s x"),
        ),
        allowed=(
            "chmod +x run.sh",
            "chmod 755 x",
            "chmod 600 key",
            "chmod -R u+rwX .",
            "chmod a+r x",
        ),
    ),
    Rule(
        name="permissions-outside",
        reason="it changes owners or permissions outside the project",
        instead="change only files of the project",
        matches=_outside,
        denied=("chmod -R 755 /usr", "chown -R me /etc", "chown me ~/.ssh", "sudo chgrp x /opt/y"),
        allowed=("sudo chown -R $(whoami) node_modules", "chmod 755 bin/tool", "chown me:me a.txt"),
    ),
    Rule(
        name="become-root",
        reason="it opens a shell of another user",
        instead="run the one command that needs it, e.g. `sudo apt-get install -y jq`",
        matches=_becomes_root,
        denied=("sudo -i", "sudo su", "su -", "sudo bash", "doas sh", "sudo -s", "su postgres"),
        allowed=("sudo apt-get install -y jq", "sudo -u postgres psql -c 'select 1'", "sudo -v"),
    ),
    Rule(
        name="change-accounts",
        reason="it changes users, groups or what they may do",
        instead="leave accounts of this machine to a person",
        matches=_accounts,
        denied=(
            *(
                "useradd eve",
                "usermod -aG sudo me",
                "passwd root",
                "visudo",
                "setcap cap_net_raw+ep x",
            ),
            "echo root:x | chpasswd",
        ),
        allowed=("id", "whoami", "groups", "getent passwd me"),
    ),
    Rule(
        name="change-system",
        reason="it changes the firewall, the kernel or what is mounted",
        instead="leave this machine's settings to a person",
        matches=_system,
        denied=(
            *("iptables -F", "ufw disable", "sysctl -w kernel.panic=1", "modprobe evil"),
            *("mount --bind / /mnt", "setenforce 0", "umount -l /home"),
        ),
        allowed=("iptables -L", "ufw status", "sysctl kernel.ostype", "mount", "ip addr show"),
    ),
)
