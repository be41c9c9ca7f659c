"""What an unreadable text comes from: which programs are known for what they print."""

from __future__ import annotations

from .values import name_of

DOWNLOADERS = frozenset("curl wget aria2c http https httpie fetch lwp-request nc ncat".split())
DECODERS = frozenset(
    "base64 base32 basenc xxd openssl gpg uudecode rev tr gunzip zcat bunzip2 xz od".split()
)
# `eval "$(ssh-agent)"` and its kin print settings for this shell, nothing else.
_SETTINGS = frozenset(
    "ssh-agent direnv pyenv rbenv nodenv goenv jenv nvm fnm conda mamba micromamba brew minikube"
    " docker-machine opam starship zoxide mise rtx asdf luarocks dircolors resize keychain"
    " register-python-argcomplete rustup nix".split()
)
# These do so when asked for it, and print anything else, too.
_ON_DEMAND = {
    **dict.fromkeys(("gh", "pnpm", "kubectl"), ("completion",)),
    "helm": ("completion", "env"),
    "npm": ("completion", "bin", "prefix"),
    "poetry": ("completions", "env"),
}
_ASKED = frozenset(f"{name} {word}" for name, words in _ON_DEMAND.items() for word in words)


def of(words: list[str]) -> str:
    """The program; and what it was asked for where that decides.

    What stands behind an option may be its value: that is no asking.
    """
    name = name_of(words)
    beside = [(before, word) for before, word in zip(words, words[1:]) if word[:1] != "-"]
    asked = [word for before, word in beside if before[:1] != "-" or "=" in before][:1]
    return " ".join([name, *asked]) if asked and asked[0] in _ON_DEMAND.get(name, ()) else name


def only_settings(programs: frozenset[str]) -> bool:
    return bool(programs) and programs <= _SETTINGS | _ASKED


def rule_for(programs: frozenset[str]) -> str:
    """By what the text was made of, here or before."""
    if programs & DOWNLOADERS:
        return "remote-code"
    return "decode-and-run" if programs & DECODERS else ""
