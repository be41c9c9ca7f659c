"""Simple commands as a tree of shfmt's shape, without starting shfmt; None for all else."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .values import Node

_BLANK = " \t"
_ENDS_WORD = " \t\n;&|<>()"
_SPECIAL = "?!#@*$-0123456789"
# What begins something else than a simple command; `time` and `export` have shapes of their own.
RESERVED = frozenset(
    "if then else elif fi for while until do done case esac function select time coproc { } ! [["
    " export declare typeset local readonly nameref let".split()
)
_REDIRECTS = ("&>>", "&>", ">>", ">|", ">&", "<&", ">", "<")
_BETWEEN = ("&&", "||", "|&", "|", ";", "\n", "&")


class _NotSimple(Exception):
    pass


def parse(text: str) -> list[Node] | None:
    """The statements, or None where only a whole parser can tell."""
    try:
        return _Reader(text).statements()
    except _NotSimple:
        return None


class _Reader:
    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0

    def statements(self) -> list[Node]:
        done: list[Node] = []
        while not self._is_over():
            done.append(self._chain())
            if self._operator(("&",)):
                done[-1] = {**done[-1], "Background": True}
            elif not self._operator((";", "\n")) and not self._is_over():
                raise _NotSimple
        return done

    def _chain(self) -> Node:
        left = self._pipeline()
        while True:
            op = self._operator(("&&", "||"))
            if not op:
                return left
            self._skip(_BLANK + "\n")
            left = _binary(op, left, self._pipeline())

    def _pipeline(self) -> Node:
        left = self._command()
        while True:
            op = self._operator(("|&", "|"))
            if not op:
                return left
            self._skip(_BLANK + "\n")
            left = _binary(op, left, self._command())

    def _command(self) -> Node:
        assigns: list[Node] = []
        args: list[Node] = []
        redirects: list[Node] = []
        while True:
            self._skip(_BLANK)
            redirect = self._redirect()
            if redirect:
                redirects.append(redirect)
                continue
            start = self.at
            word = self._word()
            if word is None:
                break
            assign = None if args else _assign(word)
            if assign:
                assigns.append(assign)
                continue
            # Only the very first word can be one of these.
            first = not (args or assigns or redirects)
            if first and self.text[start : self.at] in RESERVED:
                raise _NotSimple
            args.append(word)
        return _statement(assigns, args, redirects)

    def _redirect(self) -> Node | None:
        start = self.at
        while self._peek().isdigit():
            self.at += 1
        number = self.text[start : self.at]
        op = self._at_one_of(_REDIRECTS)
        if not op or (number and op.startswith("&")):
            self.at = start
            return None
        self.at += len(op)
        if self._peek() in ("<", ">", "("):
            raise _NotSimple
        self._skip(_BLANK)
        word = self._word()
        if word is None:
            raise _NotSimple
        return {"Op": op, "Word": word, **({"N": {"Value": number}} if number else {})}

    def _word(self) -> Node | None:
        """None at an operator or the end; a word may be empty quotes."""
        parts: list[Node] = []
        literal = ""
        while self.at < len(self.text) and self._peek() not in _ENDS_WORD:
            mark = self._peek()
            if mark == "\\":
                literal += self._escaped()
            elif mark in "'\"$":
                parts += _literal(literal) + [self._quoted_or_named(mark)]
                literal = ""
            elif mark == "`":
                raise _NotSimple
            else:
                literal += mark
                self.at += 1
        if self._peek() in ("(", ")"):
            raise _NotSimple
        parts += _literal(literal)
        return {"Parts": parts} if parts else None

    def _quoted_or_named(self, mark: str) -> Node:
        self.at += 1
        if mark == "'":
            return {"Type": "SglQuoted", "Value": self._until("'")}
        return self._double() if mark == '"' else self._dollar("'\"")

    def _double(self) -> Node:
        parts: list[Node] = []
        literal = ""
        while self._peek() != '"':
            mark = self._peek()
            if mark in ("", "`"):
                raise _NotSimple
            if mark == "\\":
                literal += self._escaped()
            elif mark == "$":
                self.at += 1
                parts += [*_literal(literal), self._dollar("")]
                literal = ""
            else:
                literal += mark
                self.at += 1
        self.at += 1
        return {"Type": "DblQuoted", "Parts": parts + _literal(literal)}

    def _dollar(self, opens: str) -> Node:
        """Behind the dollar sign: a plain name, one special letter, or the sign itself."""
        mark = self._peek()
        braced = mark == "{"
        self.at += braced
        name = self._name()
        if (braced and self._until("}") != "") or self.text.startswith("\\\n", self.at):
            raise _NotSimple
        if name:
            return {"Type": "ParamExp", "Short": not braced, "Param": {"Value": name}}
        if braced or (mark and mark in "([" + opens):
            raise _NotSimple
        return {"Type": "Lit", "Value": "$"}

    def _name(self) -> str:
        start = self.at
        if self._peek() and self._peek() in _SPECIAL:
            self.at += 1
        else:
            while self._peek() == "_" or (self._peek().isascii() and self._peek().isalnum()):
                self.at += 1
        return self.text[start : self.at]

    def _escaped(self) -> str:
        pair = self.text[self.at : self.at + 2]
        if len(pair) < 2:
            raise _NotSimple
        self.at += 2
        return "" if pair == "\\\n" else pair

    def _until(self, mark: str) -> str:
        end = self.text.find(mark, self.at)
        if end < 0:
            raise _NotSimple
        found = self.text[self.at : end]
        self.at = end + 1
        return found

    def _operator(self, wanted: tuple[str, ...]) -> str:
        """Taken if it is the next one; the longest that stands there decides."""
        self._skip(_BLANK)
        op = self._at_one_of(_BETWEEN)
        if op not in wanted or self.text.startswith((";;", ";&", "&>"), self.at):
            return ""
        self.at += len(op)
        return op

    def _is_over(self) -> bool:
        self._skip(_BLANK + "\n")
        return self.at >= len(self.text)

    def _skip(self, blanks: str) -> None:
        while True:
            mark = self._peek()
            if mark == "#":
                end = self.text.find("\n", self.at)
                self.at = len(self.text) if end < 0 else end
            elif self.text.startswith("\\\n", self.at):
                self.at += 2
            elif mark and mark in blanks:
                self.at += 1
            else:
                return

    def _at_one_of(self, marks: tuple[str, ...]) -> str:
        for mark in marks:
            if self.text.startswith(mark, self.at):
                return mark
        return ""

    def _peek(self) -> str:
        return self.text[self.at : self.at + 1]


def _literal(text: str) -> list[Node]:
    return [{"Type": "Lit", "Value": text}] if text else []


def _assign(word: Node) -> Node | None:
    first = word["Parts"][0]
    name, equals, rest = first.get("Value", "").partition("=")
    append = name.endswith("+")
    name = name[:-1] if append else name
    if first["Type"] != "Lit" or not equals or not is_name(name):
        return None
    value = {"Parts": _literal(rest) + word["Parts"][1:]}
    return {"Name": {"Value": name}, "Value": value, "Append": append}


def is_name(text: str) -> bool:
    return text.isidentifier() and text.isascii()


def _statement(assigns: list[Node], args: list[Node], redirects: list[Node]) -> Node:
    if not (assigns or args or redirects):
        raise _NotSimple
    call = {"Type": "CallExpr", "Assigns": assigns, "Args": args}
    return {"Redirs": redirects, **({"Cmd": call} if assigns or args else {})}


def _binary(op: str, left: Node, right: Node) -> Node:
    return {"Cmd": {"Type": "BinaryCmd", "Op": op, "X": left, "Y": right}}
