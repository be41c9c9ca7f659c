"""Follows a script statement by statement, every branch of it, and runs nothing."""

from __future__ import annotations

from . import assigning, calls, expand
from .values import EMPTY, NO_PROGRAMS, UNKNOWN, Command, Feed, Redirect, capped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    from .state import Shell
    from .values import Node

    Runner = Callable[[Shell, Node, "Feed | None", list[Redirect]], Feed]

_MOST_ROUNDS = 4


def statements(shell: Shell, nodes: list[Node], feed: Feed | None) -> Feed:
    """What they print together."""
    texts: list[str] = []
    programs: set[str] = set()
    for node in nodes:
        out = _statement(shell, node, feed)
        texts.append(out.text)
        programs |= out.programs
    return Feed(capped("".join(texts)), frozenset(programs))


def _statement(shell: Shell, node: Node, feed: Feed | None) -> Feed:
    shell.budget.step()
    redirects: list[Redirect] = []
    diverted = ""
    for entry in node.get("Redirs") or []:
        redirect, behind = shell.noting(_redirect, entry)
        if redirect.op in ("<<", "<<-", "<<<"):
            feed = Feed(redirect.target, behind)
            continue
        redirects.append(redirect)
        if redirect.op == "<":
            feed = _file_feed(shell, redirect.target)
        elif _takes_output(entry, redirect):
            diverted = redirect.target
    command = node.get("Cmd")
    if command is None:
        _note(shell, redirects, feed)
        return feed if feed and redirects else EMPTY
    out = _RUNNERS.get(command["Type"], _other)(shell, command, feed, redirects)
    return _kept(shell, diverted, out) if diverted else out


def _redirect(shell: Shell, entry: Node) -> Redirect:
    op = entry["Op"]
    if op in ("<<", "<<-"):
        body = expand.document(shell, entry.get("Hdoc") or {})
        if op == "<<-":
            body = "\n".join(line.lstrip("\t") for line in body.split("\n"))
        return Redirect(op, body)
    target = expand.text(shell, entry["Word"])
    return Redirect(op, target + "\n" if op == "<<<" else target)


def _takes_output(entry: Node, redirect: Redirect) -> bool:
    number = (entry.get("N") or {}).get("Value", "1")
    return ">" in redirect.op and number in ("1", "") and not is_number(redirect)


def is_number(redirect: Redirect) -> bool:
    """2>&1 names no file."""
    return redirect.op in (">&", "<&") and (redirect.target.isdigit() or redirect.target == "-")


def _file_feed(shell: Shell, target: str) -> Feed:
    return shell.written(target) or Feed(UNKNOWN, NO_PROGRAMS)


def _kept(shell: Shell, target: str, out: Feed) -> Feed:
    """The output went to a file, which a later line may run."""
    shell.write(target, out)
    return Feed("", out.programs)


def _note(shell: Shell, redirects: list[Redirect], feed: Feed | None) -> None:
    """A redirection around something that is no simple command."""
    if redirects:
        shell.budget.command()
        found = Command([], {}, redirects, feed, shell.cwd, shell.where, NO_PROGRAMS)
        shell.shared.commands.append(found)


def _call(shell: Shell, node: Node, feed: Feed | None, redirects: list[Redirect]) -> Feed:
    (words, assigned), behind = shell.noting(_put_together, node)
    if words:
        given = {name: value for name, value in assigned.items() if isinstance(value, str)}
        return calls.run(shell, words, feed, given, redirects, behind)
    shell.variables.update(assigned)
    _note(shell, redirects, feed)
    return Feed("", behind)


def _put_together(shell: Shell, node: Node) -> tuple[list[str], dict[str, str | list[str]]]:
    words = [field for word in node.get("Args") or [] for field in expand.fields(shell, word)]
    return words, assigning.assigned(shell, node.get("Assigns") or [])


def _declare(shell: Shell, node: Node, feed: Feed | None, redirects: list[Redirect]) -> Feed:
    args = node.get("Args") or []
    for arg in args:
        if arg.get("Naked") and arg.get("Value"):
            expand.text(shell, arg["Value"])
    shell.variables.update(assigning.assigned(shell, [arg for arg in args if not arg.get("Naked")]))
    _note(shell, redirects, feed)
    return EMPTY


def _binary(shell: Shell, node: Node, feed: Feed | None, redirects: list[Redirect]) -> Feed:
    _note(shell, redirects, feed)
    if node["Op"] in ("|", "|&"):
        out = _statement(shell.child(), node["X"], feed)
        return _statement(shell.child(), node["Y"], out)
    return statements(shell, [node["X"], node["Y"]], feed)


def _block(shell: Shell, node: Node, feed: Feed | None, redirects: list[Redirect]) -> Feed:
    _note(shell, redirects, feed)
    return statements(shell, node.get("Stmts") or [], feed)


def _subshell(shell: Shell, node: Node, feed: Feed | None, redirects: list[Redirect]) -> Feed:
    return _block(shell.child(), node, feed, redirects)


def _if(shell: Shell, node: Node, feed: Feed | None, redirects: list[Redirect]) -> Feed:
    _note(shell, redirects, feed)
    nodes = [*(node.get("Cond") or []), *(node.get("Then") or [])]
    out = statements(shell, nodes, feed)
    if not node.get("Else"):
        return out
    other = _if(shell, node["Else"], feed, [])
    return Feed(capped(out.text + other.text), out.programs | other.programs)


def _while(shell: Shell, node: Node, feed: Feed | None, redirects: list[Redirect]) -> Feed:
    _note(shell, redirects, feed)
    return statements(shell, [*(node.get("Cond") or []), *(node.get("Do") or [])], feed)


def _for(shell: Shell, node: Node, feed: Feed | None, redirects: list[Redirect]) -> Feed:
    _note(shell, redirects, feed)
    loop, body = node["Loop"], node.get("Do") or []
    if loop["Type"] != "WordIter":
        expand.nested(shell, loop)
        return statements(shell, body, feed)
    name = loop["Name"]["Value"]
    values = [field for word in loop.get("Items") or [] for field in expand.fields(shell, word)]
    values = values if "Items" in loop else shell.positional
    if len(values) > _MOST_ROUNDS:
        shell.variables[name] = values
        shell.each |= {name}
        return statements(shell, body, feed)
    shell.each -= {name}
    outs = [EMPTY]
    for value in values:
        shell.variables[name] = value
        outs.append(statements(shell, body, feed))
    return Feed(
        capped("".join(out.text for out in outs)),
        frozenset().union(*(out.programs for out in outs)),
    )


def _case(shell: Shell, node: Node, feed: Feed | None, redirects: list[Redirect]) -> Feed:
    _note(shell, redirects, feed)
    expand.text(shell, node["Word"])
    bodies = [entry for item in node.get("Items") or [] for entry in item.get("Stmts") or []]
    return statements(shell, bodies, feed)


def _function(shell: Shell, node: Node, feed: Feed | None, redirects: list[Redirect]) -> Feed:
    name = (node.get("Name") or {}).get("Value", "")
    if not name:
        return _statement(shell, node["Body"], feed)
    shell.functions[name] = node["Body"]
    if _calls_to(name, node["Body"]) > 1 and _calls_to(name, node["Body"], "Background"):
        shell.is_feeding("fork-bomb", f"{name}()")
    return EMPTY


def _calls_to(name: str, node: object, below: str = "") -> int:
    """How often a function calls itself, or how often below a node with that mark."""
    if isinstance(node, list):
        return sum(_calls_to(name, child, below) for child in node)
    if not isinstance(node, dict):
        return 0
    below = "" if below and node.get(below) else below
    own = node.get("Type") == "CallExpr" and _first_word(node) == name and not below
    return own + sum(_calls_to(name, child, below) for child in node.values())


def _first_word(node: Node) -> str:
    parts = [part for word in (node.get("Args") or [])[:1] for part in word.get("Parts") or []]
    return "".join(str(part.get("Value", "")) for part in parts)


def _inner(shell: Shell, node: Node, feed: Feed | None, redirects: list[Redirect]) -> Feed:
    _note(shell, redirects, feed)
    return _statement(shell, node["Stmt"], feed) if node.get("Stmt") else EMPTY


def _other(shell: Shell, node: Node, feed: Feed | None, redirects: list[Redirect]) -> Feed:
    """[[ ]], (( )), let: only what they substitute counts."""
    _note(shell, redirects, feed)
    expand.nested(shell, node)
    return EMPTY


_RUNNERS: dict[str, Runner] = {
    "CallExpr": _call,
    "DeclClause": _declare,
    "BinaryCmd": _binary,
    "Block": _block,
    "Subshell": _subshell,
    "IfClause": _if,
    "WhileClause": _while,
    "ForClause": _for,
    "CaseClause": _case,
    "FuncDecl": _function,
    "TimeClause": _inner,
    "CoprocClause": _inner,
}
