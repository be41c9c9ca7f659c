"""The guard's last word on a text that it could not read: does it smell of a shell, or of ours?"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

# The client's tools that run a command line.
SHELLS = ("Bash", "Monitor")
_SHELLS = frozenset("sh bash zsh dash ksh mksh ash fish csh tcsh".split())
_NAMES = (".ralph-active", ".ralph/", ".ralph ", ".git/hooks", ".git/config", "hooks.env")
_FRESH_NAMES = ("prd.md", "prompt.md", ".claude/settings")
_APART = str.maketrans(dict.fromkeys("();&<>`{}\n\t", " "))


_DENIED = (
    "Ralph's guard could not read this call to its end, and it {what}. Instead: write it as one"
    " plain command after the other, without loops or substitutions."
)


def reason_to_deny(sent: dict[str, Any], same_session: bool, environment: Mapping[str, str]) -> str:
    given = sent.get("tool_input")
    given = given if isinstance(given, dict) else {}
    is_shell = sent.get("tool_name") in SHELLS
    keys = ("command",) if is_shell else ("file_path", "notebook_path")
    text = " ".join(str(given.get(key) or "") for key in keys)
    if sent.get("tool_name") != "Read" and names_protected(text, same_session, environment):
        return _DENIED.format(what="names a file of the loop")
    return _DENIED.format(what="feeds a shell") if is_shell and feeds_shell(text) else ""


def feeds_shell(text: str) -> bool:
    """| sh, sh -c, eval, source <(...), with or without wrappers before them."""
    if "eval" in text.translate(_APART).split() or "<(" in text:
        return True
    for part in text.split("|")[1:]:
        if any(os.path.basename(word) in _SHELLS for word in part.translate(_APART).split()[:4]):
            return True
    words = text.translate(_APART).replace("|", " ").split()
    for word, after in zip(words, [*words[1:], ""]):
        is_shell = os.path.basename(word.strip("'\"\\")) in _SHELLS
        if is_shell and after[:1] == "-" and "c" in after:
            return True
    return False


def names_protected(text: str, same_session: bool, environment: Mapping[str, str]) -> bool:
    plain = text.casefold()
    for quote in ("'", '"', "\\"):
        plain = plain.replace(quote, "")
    names = list(_NAMES if same_session else (*_NAMES, *_FRESH_NAMES))
    names.append(environment.get("CLAUDE_PLUGIN_ROOT", "").rstrip("/").casefold() or ".ralph/")
    return any(name in plain + " " for name in names)
