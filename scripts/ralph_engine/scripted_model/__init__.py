"""A model that answers from a script, for driving the real client without a network."""

from ralph_engine.scripted_model.request import Request
from ralph_engine.scripted_model.script import SCRIPT_OVER
from ralph_engine.scripted_model.server import ScriptedModel
from ralph_engine.scripted_model.turns import (
    Turn,
    break_off,
    call,
    drop,
    empty,
    fail,
    say,
    think,
    turn,
)

__all__ = [
    "SCRIPT_OVER",
    "Request",
    "ScriptedModel",
    "Turn",
    "break_off",
    "call",
    "drop",
    "empty",
    "fail",
    "say",
    "think",
    "turn",
]
