"""What would outlive the loop: scheduled jobs, services, start-up files, a person's settings."""

from __future__ import annotations

import os

from ..file_effects import LINK, MODE, PERHAPS, WRITE, has, of, operands
from ..home_files import HomeFiles
from ..shell.values import HERE, name_of
from . import git_words
from .rule import Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..place import Place
    from ..shell.values import Command

_FILES = HomeFiles(
    ".bashrc .bash_profile .bash_login .bash_logout .profile .zshrc .zshenv .zprofile .zlogin"
    " .zlogout .kshrc .cshrc .tcshrc .login .inputrc .xinitrc .xprofile .xsession .pam_environment"
    " .config/fish/config.fish .config/fish/conf.d/* .config/autostart/* .config/systemd/user/*"
    " .config/systemd/user/*/* .ssh/authorized_keys .ssh/config .ssh/rc .ssh/known_hosts .gitconfig"
    " .config/git/config .config/git/hooks/* Library/LaunchAgents/* .vimrc .tmux.conf"
    " .config/nvim/init.* .npmrc .pypirc .config/pip/pip.conf .curlrc .wgetrc .netrc .aws/*"
    " .kube/config .docker/config.json .local/bin/* .git-templates/*/*"
)
_SYSTEM = (
    *("/etc/", "/usr/", "/bin/", "/sbin/", "/lib/", "/lib64/", "/boot/", "/sys/", "/proc/"),
    *("/Library/", "/System/", "/var/spool/cron", "/var/lib/", "/opt/"),
)


def _startup_file(command: Command, place: Place) -> bool:
    return command.where == HERE and any(
        effect.kind in (WRITE, LINK, MODE, PERHAPS) and _FILES.has(effect.path, place.home)
        for effect in of(command)
    )


def _system_file(command: Command, place: Place) -> bool:
    return command.where == HERE and any(
        effect.kind == WRITE and _is_system(effect.path, place) for effect in of(command)
    )


def _is_system(path: str, place: Place) -> bool:
    return os.path.realpath(path).startswith(_SYSTEM) and place.zone(path) == "system"


def _schedules(command: Command, _: Place) -> bool:
    name, words = name_of(command.words), command.words[1:]
    if name == "crontab":
        return not has(words, "l", "--help") or bool(operands(words, "-u"))
    return name in ("at", "batch") and not (has(words, "l") or has(words, "V"))


def _services(command: Command, _: Place) -> bool:
    name, words = name_of(command.words), command.words[1:]
    found = operands(words, "-H -M -t -p -n")
    verb = "".join(found[:1])
    if name == "systemctl":
        changing = (
            "enable disable mask unmask edit link set-default preset stop kill isolate revert"
        )
        return verb in changing.split() or verb == "daemon-reload"
    if name == "service":
        return found[1:2] == ["stop"]
    if name == "launchctl":
        return verb in "load bootstrap enable disable unload bootout submit".split()
    if name == "loginctl":
        return verb in "enable-linger terminate-user kill-user terminate-session".split()
    return name in ("chkconfig", "update-rc.d", "rc-update", "ssh-copy-id") and bool(found)


def _settings(command: Command, _: Place) -> bool:
    name, words = name_of(command.words), command.words[1:]
    if name == "defaults":
        return words[:1] in (["write"], ["delete"], ["import"])
    if name != "git":
        return False
    verb, rest = git_words.split(words)[1:]
    return verb == "config" and git_words.writes_global_config(rest)


RULES = (
    Rule(
        name="startup-file",
        reason="it changes a start-up file or a setting of the person's own account",
        instead="set it for this command only, e.g. `PATH=$PWD/bin:$PATH make`",
        matches=_startup_file,
        denied=(
            "echo 'export A=1' >> ~/.bashrc",
            "cp rc ~/.zshrc",
            "tee -a ~/.profile < x",
            "cat key >> ~/.ssh/authorized_keys",
            "sed -i s/a/b/ ~/.gitconfig",
            "ln -s x ~/.local/bin/x",
            "cd && echo x >> .bash_profile",
        ),
        allowed=(
            *("cat ~/.bashrc", "echo x >> .bashrc.example", "cp ~/.zshrc /tmp/x"),
            "echo x > .profile",
        ),
    ),
    Rule(
        name="system-file",
        reason="it changes a file of this machine",
        instead="keep configuration in the project, and say in its README what a person installs",
        matches=_system_file,
        denied=(
            "echo x >> /etc/hosts",
            "sudo tee /etc/systemd/system/x.service < x",
            "cp x /usr/bin/x",
            "ln -sf /tmp/x /usr/local/bin/x",
            "curl -o /usr/local/bin/x https://x.io/x",
        ),
        allowed=("cat /etc/hosts", "cp /etc/hosts .", "ls /usr/bin", "sudo apt-get install -y jq"),
    ),
    Rule(
        name="scheduled-job",
        reason="it schedules something that outlives the loop",
        instead="run it now, or describe the job in the project's documentation",
        matches=_schedules,
        denied=(
            *("crontab -r", "crontab new.cron", "(crontab -l; echo x) | crontab -"),
            *("at now < x", "echo x | at 5pm"),
        ),
        allowed=("crontab -l", "crontab --help"),
    ),
    Rule(
        name="change-services",
        reason="it changes which services run on this machine",
        instead="start what you need as a child of your command and end it with it",
        matches=_services,
        denied=(
            *("systemctl enable x", "sudo systemctl stop docker", "launchctl load x.plist"),
            *("systemctl --user enable --now x", "ssh-copy-id me@x.io", "service nginx stop"),
        ),
        allowed=("systemctl status x", "sudo service postgresql start", "launchctl list"),
    ),
    Rule(
        name="global-settings",
        reason="it changes settings of the person's own account",
        instead="change them for this repository only, e.g. `git config user.email me@x.io`",
        matches=_settings,
        denied=(
            *("git config --global user.name x", "git config --system core.editor vi"),
            *("defaults write com.apple.x y -bool true", "git config --global --unset a.b"),
        ),
        allowed=(
            *("git config --global user.name", "git config user.name x"),
            "git config --global --list",
        ),
    ),
)
