"""Commands that git is told to run: aliases, editors, --exec, bisect run."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .state import Shell

_VARIABLES = frozenset(
    "GIT_SSH_COMMAND GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_PAGER GIT_ASKPASS GIT_EXTERNAL_DIFF"
    " GIT_PROXY_COMMAND EDITOR VISUAL PAGER".split()
)
_KEYS = frozenset(
    "core.sshcommand core.editor core.pager core.fsmonitor sequence.editor diff.external"
    " core.askpass credential.helper gpg.program".split()
)


def follow(shell: Shell, words: list[str], name: str, assigns: dict[str, str]) -> None:
    from . import shells

    texts = [value for key, value in assigns.items() if key in _VARIABLES]
    if name == "git":
        texts += _of_settings(words) + _of_arguments(words)
    for text in texts:
        shells.script(shell.child(), text, None, frozenset())


def _of_settings(words: list[str]) -> list[str]:
    """git -c alias.x='!rm ...' x"""
    found = []
    for at, word in enumerate(words[:-1]):
        if word != "-c" and word != "--config":
            continue
        key, _, value = words[at + 1].partition("=")
        key = key.lower()
        if key.startswith("alias.") and value.startswith("!"):
            found.append(value[1:])
        elif key.startswith("alias."):
            found.append(f"git {value}")
        elif key in _KEYS or key.startswith("filter.") or key.endswith((".textconv", ".command")):
            found.append(value.lstrip("!"))
    return found


def _of_arguments(words: list[str]) -> list[str]:
    for at, word in enumerate(words[:-1]):
        if word in ("--exec", "-x") and "rebase" in words:
            return [words[at + 1]]
        if word.startswith("--exec=") and "rebase" in words:
            return [word.partition("=")[2]]
        if word == "foreach" and "submodule" in words:
            rest = [entry for entry in words[at + 1 :] if not entry.startswith("--")]
            return [" ".join(rest)]
        if word == "run" and "bisect" in words:
            return [" ".join(words[at + 1 :])]
    return []
