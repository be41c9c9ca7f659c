"""What the scripted model answers to one request: a turn, as plain JSON data.

A turn has exactly one of the keys `content`, `fail` and `drop`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Turn = dict[str, Any]
Shape = dict[str, tuple[type, ...]]

NUMBER = (int, float)
TURN_SHAPES: dict[str, Shape] = {
    "content": {
        "content": (list,),
        "usage": (dict,),
        "model": (str,),
        "after": NUMBER,
        "breaks": (str,),
    },
    "fail": {
        "fail": (int,),
        "message": (str,),
        "headers": (dict,),
        "error": (dict,),
        "after": NUMBER,
    },
    "drop": {"drop": (bool,), "after": NUMBER},
}
BLOCK_SHAPES: dict[str, Shape] = {
    "text": {"type": (str,), "text": (str,)},
    "thinking": {"type": (str,), "thinking": (str,)},
    "tool_use": {"type": (str,), "name": (str,), "input": (dict,)},
}
USAGE_SHAPE: Shape = dict.fromkeys(("input", "cache_read", "cache_creation", "output"), (int,))


def say(text: str) -> Turn:
    return {"content": [{"type": "text", "text": text}]}


def think(text: str) -> Turn:
    return {"content": [{"type": "thinking", "thinking": text}]}


def call(tool: str, /, **arguments: Any) -> Turn:
    return {"content": [{"type": "tool_use", "name": tool, "input": arguments}]}


def turn(
    *parts: Turn,
    usage: dict[str, int] | None = None,
    model: str | None = None,
    after: float | None = None,
) -> Turn:
    content = [block for part in parts for block in part["content"]]
    return _given(content=content, usage=usage, model=model, after=after)


def empty() -> Turn:
    return turn()


def break_off(text: str, error: str) -> Turn:
    """A stream that has begun to say `text` when the provider reports an error."""
    return {**say(text), "breaks": error}


def fail(
    status: int,
    message: str | None = None,
    headers: dict[str, str] | None = None,
    after: float | None = None,
    error: dict[str, Any] | None = None,
) -> Turn:
    """`error` is what the error object of the Responses API holds beside its message."""
    return _given(fail=status, message=message, headers=headers, after=after, error=error)


def drop(after: float | None = None) -> Turn:
    return _given(drop=True, after=after)


def _given(**keys: Any) -> Turn:
    return {key: value for key, value in keys.items() if value is not None}


def faults(turn: object) -> Iterator[str]:
    """Everything that is wrong with a turn, as sentences."""
    if not isinstance(turn, dict):
        yield f"a turn is an object, not {turn!r}"
        return
    kinds = [kind for kind in TURN_SHAPES if kind in turn]
    if len(kinds) != 1:
        yield f"a turn has one of content, fail and drop; this one has the keys {_names(turn)}"
        return
    yield from _misfits("the turn", turn, TURN_SHAPES[kinds[0]])
    yield from _misfits("usage", turn.get("usage"), USAGE_SHAPE)
    for block in turn.get("content") or []:
        yield from _block_faults(block)


def _block_faults(block: object) -> Iterator[str]:
    kind = block.get("type") if isinstance(block, dict) else None
    if not isinstance(block, dict) or not isinstance(kind, str) or kind not in BLOCK_SHAPES:
        yield f"a block's type is one of {_names(BLOCK_SHAPES)}, not {kind!r}"
        return
    yield from _misfits(f"the {kind} block", block, BLOCK_SHAPES[kind])
    missing = BLOCK_SHAPES[kind].keys() - block.keys()
    if missing:
        yield f"the {kind} block lacks {_names(missing)}"


def _misfits(where: str, data: object, shape: Shape) -> Iterator[str]:
    if not isinstance(data, dict):
        return
    unknown = [key for key in data if key not in shape]
    if unknown:
        yield f"{where} has unknown keys: {_names(unknown)}"
    for key, value in data.items():
        if key in shape and not isinstance(value, shape[key]):
            yield f"{where} has a bad {key}: {value!r}"


def _names(keys: Any) -> str:
    return ", ".join(sorted(map(str, keys)))
