"""Credentials: keys, tokens and passwords that would end in a transcript."""

from __future__ import annotations

import os

from ..file_effects import has, operands
from ..home_files import HomeFiles
from ..shell.code import MAY_READ
from ..shell.state import joined
from ..shell.values import UNKNOWN, name_of
from .rule import Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..place import Place
    from ..shell.values import Command

FILES = HomeFiles(
    ".ssh/id_* .ssh/*.pem .ssh/*_rsa .ssh/*_ed25519 .ssh/*_ecdsa .aws/credentials .aws/config"
    " .aws/sso/cache/* .netrc _netrc .npmrc .pypirc .pgpass .git-credentials"
    " .config/git/credentials .config/gh/hosts.yml .docker/config.json .kube/config"
    " .config/gcloud/*.json .config/gcloud/*.db .azure/*.json .gnupg/* .gnupg/*/*"
    " .password-store/* .my.cnf .vault-token"
    " .cargo/credentials* .gem/credentials .terraform.d/credentials* .config/op/* .bash_history"
    " .zsh_history .local/share/keyrings/* Library/Keychains/* .claude/.credentials.json"
    " .claude.json .config/*/credentials* .s3cfg .boto .codex/auth.json .mozilla/firefox/*/*"
    " .local/share/amp/secrets.json .gemini/oauth_creds.json"
)
FOLDERS = HomeFiles(
    ".ssh .aws .gnupg .kube .azure .password-store .config/gh .config/gcloud .config/op"
    " .local/share/keyrings Library/Keychains"
)
_TAKES_FOLDERS = frozenset("cp mv tar zip rsync scp grep egrep rg ag ditto".split())
_KEYS = ("id_rsa", "id_ed25519", "id_ecdsa", "id_dsa")
_ANYWHERE = ("/etc/shadow", "/etc/gshadow", "/etc/sudoers", "/etc/master.passwd")
_PUBLIC = (".pub", "known_hosts", "authorized_keys")
_ENV_EXAMPLES = ("example", "sample", "template", "dist", "defaults", "schema", "test", "ci")
# They name a file, but print nothing that is in it.
_ONLY_NAMES = (
    "cp",
    "mv",
    "ln",
    "tee",
    "install",
    "sha256sum",
    "vi",
    "vim",
    "nano",
    "emacs",
    "nvim",
)
_TELLERS = {
    "aws": (
        ("configure", "get"),
        ("configure", "export-credentials"),
        ("secretsmanager", "get-secret-value"),
    ),
    "gcloud": (("auth", "print-access-token"), ("secrets", "versions")),
    "gh": (("auth", "token"),),
    "security": (("find-generic-password",), ("find-internet-password",), ("dump-keychain",)),
    "secret-tool": (("lookup",), ("search",)),
    "pass": (("show",),),
    "gpg": (("--export-secret-keys",), ("--export-secret-subkeys",)),
}
_SECRET = ("TOKEN", "SECRET", "PASSWORD", "PASSWD", "API_KEY", "PRIVATE_KEY", "CREDENTIAL")


def names_credentials(path: str, place: Place) -> bool:
    """A path from the root, with or without patterns in it."""
    name = os.path.basename(path)
    if name.endswith(_PUBLIC):
        return False
    if (UNKNOWN in path and name in _KEYS) or os.path.normpath(path) in _ANYWHERE:
        return True
    return FILES.has(path, place.home)


def is_env_file(path: str) -> bool:
    name = os.path.basename(path)
    kind = name.removeprefix(".env").lstrip(".").lower()
    return (
        name.startswith(".env")
        and name[4:5] in ("", ".")
        and not any(word in kind for word in _ENV_EXAMPLES)
    )


def _reads(command: Command, place: Place) -> bool:
    if command.where == "container":
        return False
    words = [word.partition("=")[2] if word[:2] == "if" else word for word in command.words[1:]]
    named = [word.lstrip("@") for word in words if not word.startswith("-")]
    named += [word.rpartition("@")[2] for word in words if "@" in word]
    named += [entry.target for entry in command.redirects if entry.op == "<"]
    named = [place.home + word[1:] if word[:2] == "~/" else word for word in named]
    paths = [joined(command.cwd, word) for word in named if word]
    takes_folders = name_of(command.words) in _TAKES_FOLDERS
    return any(
        names_credentials(path, place) or (takes_folders and FOLDERS.has(path, place.home))
        for path in paths
    )


def _shows_env(command: Command, place: Place) -> bool:
    name, words = name_of(command.words), command.words[1:]
    if name in _ONLY_NAMES or name == MAY_READ or command.where == "container":
        return False
    if name in ("grep", "egrep", "rg", "ag") and has(words, "q", "--quiet", "--silent"):
        return False
    if name in ("grep", "egrep", "rg", "ag") and (has(words, "c") or has(words, "l")):
        return False
    if name in ("sed", "perl") and has(words, "i", "--in-place"):
        return False
    named = [word.partition("@")[2] or word for word in operands(words)]
    named += [entry.target for entry in command.redirects if entry.op == "<" and name]
    return any(is_env_file(word) for word in named)


def _asks(command: Command, _: Place) -> bool:
    name, words = name_of(command.words), command.words[1:]
    if name == "printenv":
        return any(secret in word.upper() for word in words for secret in _SECRET)
    found = [word for word in words if not word.startswith("-") or word.startswith("--export")]
    return any(tuple(found[: len(start)]) == start for start in _TELLERS.get(name, ()))


RULES = (
    Rule(
        name="read-credentials",
        reason="it reads keys, tokens or passwords of the person who runs this loop",
        instead="use the tool that needs them (`git push`, `aws s3 ls`): it finds them by itself",
        matches=_reads,
        denied=(
            *("cat ~/.ssh/id_rsa", "cat ~/.aws/credentials", "cat ~/.netrc", "head -5 /etc/shadow"),
            *(
                "cp ~/.ssh/id_ed25519 .",
                "base64 < ~/.ssh/id_rsa",
                "cat ~/.ssh/id_*",
                "tar cz ~/.ssh/id_rsa",
            ),
            *("cp -r ~/.ssh /tmp", "grep -r . ~/.aws/", "find / -name id_rsa -exec cat {} +"),
            *("grep token ~/.npmrc", "cd ~/.aws && cat credentials", "cat ~/.s*/id_rsa"),
            "python3 -c \"print(open('/root/.ssh/id_rsa').read())\"",
        ),
        allowed=(
            *("cat ~/.ssh/id_rsa.pub", "ls ~/.ssh", "cat ~/.gitconfig", "cat .npmrc", "aws s3 ls"),
            *("ssh-keygen -t ed25519 -f ./key", "cat /etc/hosts", "grep -rn 'id_rsa' src"),
        ),
    ),
    Rule(
        name="show-env-file",
        reason="it prints the secrets of an .env file",
        instead="name its variables with `cut -d= -f1 .env`, or load it with `set -a; . ./.env`",
        matches=_shows_env,
        denied=(
            "cat .env",
            "head .env.production",
            "grep KEY .env.local",
            "base64 .env",
            "cat < .env",
        ),
        allowed=(
            *("cat .env.example", "cp .env.example .env", "cut -d= -f1 .env", ". ./.env"),
            *("grep -q KEY .env", "docker run --env-file .env x", "echo A=1 >> .env", "ls .env"),
            *("sed -i s/a/b/ .env", "cat .envrc.md", "cat .env.test"),
        ),
    ),
    Rule(
        name="ask-for-secret",
        reason="it prints a secret into the transcript",
        instead="let the program that needs the secret read it by itself",
        matches=_asks,
        denied=(
            *("gh auth token", "printenv GITHUB_TOKEN", "aws configure get aws_secret_access_key"),
            *(
                "security find-generic-password -w -s x",
                "pass show mail",
                "gpg --export-secret-keys",
            ),
        ),
        allowed=(
            "gh auth status",
            "printenv PATH",
            "aws configure list",
            "printenv",
            "gpg --list-keys",
        ),
    ),
)
