"""A check of several lines: how a shell runs it so that each line counts, how it is shown."""

from __future__ import annotations

_PAIRS = {"if": "fi", "for": "done", "while": "done", "until": "done", "case": "esac"}
_INNER = ("then", "else", "elif", "fi", "do", "done", "esac", "{", "}", "(", ")")
_OPEN_ENDS = ("|", "&&", "{", "(", " do", " then", " else", " in")


def lines(check: str) -> list[str]:
    """As a shell counts them: joined by backslashes, without blank ones and comments."""
    found, begun = [], ""
    for line in check.splitlines():
        if not begun and line.lstrip()[:1] in ("", "#"):
            continue
        begun += line
        if (len(begun) - len(begun.rstrip("\\"))) % 2:
            begun = begun[:-1]
        else:
            found.append(begun.strip())
            begun = ""
    return [line for line in [*found, begun.strip()] if line]


def text(check: str) -> str:
    """For sh -c. One line is judged by its own exit code.

    `set -e` looks away where `a && b` or `! a` fails, so it serves only those checks whose
    lines cannot be parted. Parted wrongly they are no shell, and fail.
    """
    parted = lines(check)
    if len(parted) < 2:
        return check
    if all(_stands_alone(line) for line in parted):
        return "\n".join(_counted(line) for line in parted)
    return f"set -e\n{check}"


def _counted(line: str) -> str:
    """In the same shell, so that a `cd` holds for the lines behind it."""
    from shlex import quote

    said = f"printf '%s\\n' {quote(f'failed: {line}')}"
    return f"{{ {line}\n}} || {{ code=$?; {said}; exit $code; }}"


def shown(check: str) -> str:
    parted = lines(check) or [check]
    return parted[0] + " ..." * (len(parted) > 1)


def _stands_alone(line: str) -> bool:
    first, last = line.split()[0], line.split()[-1]
    if first in _PAIRS:
        return last == _PAIRS[first]
    if first in _INNER or line.endswith(_OPEN_ENDS) or "<<" in line:
        return False
    even = line.count("(") == line.count(")") and line.count("{") == line.count("}")
    return even and line.count("`") % 2 == 0 and _closes_quotes(line)


def _closes_quotes(line: str) -> bool:
    import shlex

    try:
        shlex.split(line, comments=True)
    except ValueError:
        return False
    return True
