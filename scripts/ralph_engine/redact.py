"""Hides what looks like a key, a token or a password."""

from __future__ import annotations

import re
from collections.abc import Iterable

HIDDEN = "[redacted]"

_SHAPES = (
    r"\bsk-[\w-]{6,}",
    r"\bgh[a-z]_\w{6,}",
    r"\bgithub_pat_\w{6,}",
    r"\bglpat-[\w-]{6,}",
    r"\bxox[a-z]-[\w-]{6,}",
    r"\b(?:hf|npm)_\w{16,}",
    r"\bAKIA[0-9A-Z]{12,}",
    r"\bAIza[\w-]{20,}",
    r"\beyJ[\w-]+\.[\w-]+\.[\w-]*",
)
_WORDS = "token|secret|passw(?:or)?d|passphrase|credentials?|(?:api|access|private)[-_]?key"
# No letter may follow the word: --max-tokens and tokenizer hide nothing.
_NAME = rf"(?i:{_WORDS})(?![A-Za-z])[\w-]{{0,40}}"
_FLAG = rf"--?[\w-]{{0,40}}?{_NAME}"
# A quote left open hides all that follows.
_VALUE = r"""(?:"[^"]*(?:"|$)|'[^']*(?:'|$)|[^\s"'])+"""
_RULES = (
    (re.compile("|".join(_SHAPES)), HIDDEN),
    (re.compile(r"(?i)(authorization\s*[:=]\s*)[^\"'\n]+"), rf"\1{HIDDEN}"),
    (re.compile(rf"(?i)\b(bearer\s+){_VALUE}"), rf"\1{HIDDEN}"),
    (re.compile(r"(://[^\s/:@]{0,100}:)[^\s/@]+@"), rf"\1{HIDDEN}@"),
    (re.compile(rf"((?:{_NAME}|[A-Z0-9]_KEY)[\"']?\s?[:=]\s?){_VALUE}"), rf"\1{HIDDEN}"),
    (re.compile(rf"({_FLAG}\s+){_VALUE}"), rf"\1{HIDDEN}"),
)


def names_a_secret(name: str) -> bool:
    return re.search(_NAME, name) is not None


def redacted(text: str) -> str:
    for pattern, replacement in _RULES:
        text = pattern.sub(replacement, text)
    return text


def redacted_words(words: Iterable[str]) -> list[str]:
    """A command line in pieces: a secret may stand in the piece after its flag."""
    result, after_flag = [], False
    for word in words:
        result.append(HIDDEN if after_flag else redacted(word))
        after_flag = bool(re.fullmatch(_FLAG, word))
    return result
