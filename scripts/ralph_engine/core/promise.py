"""What counts as a promise: made, merely mentioned, or absent."""

from __future__ import annotations

MADE, MENTIONED, ABSENT = "made", "mentioned", "absent"

# No comma, colon or semicolon: the sentence goes on behind them, so nothing was promised yet.
_CLOSING = " \t.!?)]}*_~…。！？）】"
_INVISIBLE = "\u200b\u200c\u200d\u200e\u200f\u2060\ufeff"
_PAIRS = {"“": "”", "«": "»", "„": "“"}


def marker(token: str) -> str:
    return f"<promise>{token}</promise>"


def judge(text: str, token: str) -> str:
    wanted = _visible(marker(token))
    found = ABSENT
    for paragraph in paragraphs(text):
        whole = "\n".join(paragraph.lines)
        start = 0
        for line in paragraph.lines:
            if wanted in line:
                place = start + line.rindex(wanted)
                quoted = paragraph.quoted or _inside(whole, place, place + len(wanted))
                if _ends_line(line, wanted) and not quoted:
                    return MADE
                found = MENTIONED
            start += len(line) + 1
    return found


def lines(text: str) -> list[str]:
    """The lines outside code fences and quotations, without trailing blanks."""
    return [
        line.rstrip()
        for paragraph in paragraphs(text)
        if not paragraph.quoted
        for line in paragraph.lines
    ]


class _Paragraph:
    """Lines without an empty one between them, all in a fence or quotation, or none."""

    def __init__(self, quoted: bool) -> None:
        self.quoted, self.lines = quoted, [""][:0]


def paragraphs(text: str) -> list[_Paragraph]:
    found = [_Paragraph(False)]
    fence = ""
    for line in _visible(text).split("\n"):
        opened = fence or _opening(line)
        quoted = bool(opened) or line.lstrip().startswith(">")
        if not line.strip() or quoted != found[-1].quoted:
            found.append(_Paragraph(quoted))
        found[-1].lines.append(line)
        fence = "" if fence and _closes(line, fence) else opened
    return found


def _ends_line(line: str, wanted: str) -> bool:
    return not line.rpartition(wanted)[2].strip(_CLOSING)


def _inside(text: str, start: int, end: int) -> bool:
    """Quotes and backticks may open and close on other lines of the paragraph."""
    before, after = text[:start], text[end:]
    for mark in ('"', "`"):
        if before.count(mark) % 2 and mark in after:
            return True
    return any(
        before.rfind(opening) > before.rfind(closing) and closing in after
        for opening, closing in _PAIRS.items()
    )


def _opening(line: str) -> str:
    """The fence that a line opens: three or more backticks or tildes."""
    bare = line.lstrip(" \t>")
    for mark in ("`", "~"):
        length = len(bare) - len(bare.lstrip(mark))
        # Backticks further on make it inline code, which ends on that line.
        if length >= 3 and (mark == "~" or mark not in bare[length:]):
            return mark * length
    return ""


def _closes(line: str, fence: str) -> bool:
    bare = line.strip(" \t>")
    return bare.startswith(fence) and not bare.strip(fence[0])


def _visible(text: str) -> str:
    """Without what a terminal does not show; a lone CR ends a line as well."""
    text = _uncoloured(text).replace("\r\n", "\n").replace("\r", "\n")
    return "".join(c for c in text if c in "\n\t" or not _hidden(c))


def _uncoloured(text: str) -> str:
    """The letters of a terminal's sequences would be words behind the promise."""
    first, *rest = text.split("\x1b[")
    pieces = (piece.lstrip("0123456789;?") for piece in rest)
    return first + "".join(piece[1:] if piece[:1].isalpha() else piece for piece in pieces)


def _hidden(character: str) -> bool:
    return character < " " or "\x7f" <= character <= "\x9f" or character in _INVISIBLE
