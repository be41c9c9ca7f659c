"""A number and its noun, as a person writes them."""

from __future__ import annotations


def counted(number: int, noun: str, nouns: str = "") -> str:
    return f"{number} {noun if number == 1 else nouns or noun + 's'}"
