"""What an agent's final answer claims: a claim, never evidence."""

from __future__ import annotations

import re

PROMISE = "<promise>COMPLETE</promise>"
_RESPONSE = re.compile(r"<response>(.*?)</response>", re.IGNORECASE | re.DOTALL)


def says_done(answer: str, word: str) -> bool:
    """The first tag wins; its content must be the word, whatever the case."""
    found = _RESPONSE.search(answer)
    return found is not None and found.group(1).strip().casefold() == word.strip().casefold()


def promises(answer: str) -> bool:
    return PROMISE in answer
