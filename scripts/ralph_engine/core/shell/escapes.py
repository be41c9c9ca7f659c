"""Backslash escapes of $'...', echo -e and printf."""

from __future__ import annotations

_PLAIN = {
    **{"a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r"},
    **{"t": "\t", "v": "\v", "\\": "\\", "'": "'", '"': '"', "?": "?"},
}
_HEX = {"x": 2, "u": 4, "U": 8}
_OCTAL = "01234567"
_HEXADECIMAL = "0123456789abcdefABCDEF"


def ansi_c(text: str) -> str:
    return _decoded(text, octal_zero=False)


def echo_e(text: str) -> str:
    """As echo -e and printf '%b' do: octal numbers have a leading zero, too."""
    return _decoded(text, octal_zero=True)


def _decoded(text: str, octal_zero: bool) -> str:
    if "\\" not in text:
        return text
    done: list[str] = []
    at = 0
    while at < len(text):
        slash = text.find("\\", at)
        if slash < 0 or slash + 1 == len(text):
            done.append(text[at:])
            break
        done.append(text[at:slash])
        piece, at = _one(text, slash + 1, octal_zero)
        done.append(piece)
    return "".join(done)


def _one(text: str, at: int, octal_zero: bool) -> tuple[str, int]:
    letter = text[at]
    if letter in _HEX:
        return _number(text, at + 1, _HEX[letter], _HEXADECIMAL, 16, letter)
    if letter in _OCTAL:
        skip = 1 if octal_zero and letter == "0" else 0
        return _number(text, at + skip, 3, _OCTAL, 8, letter)
    if letter == "c" and not octal_zero:
        return chr(ord(text[at + 1]) & 31) if at + 1 < len(text) else "", at + 2
    return _PLAIN.get(letter, "\\" + letter), at + 1


def _number(text: str, at: int, most: int, digits: str, base: int, letter: str) -> tuple[str, int]:
    end = at
    while end < len(text) and end - at < most and text[end] in digits:
        end += 1
    if end == at:
        return ("\0" if letter == "0" else "\\" + letter), at
    code = int(text[at:end], base)
    return "?" if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF else chr(code), end
