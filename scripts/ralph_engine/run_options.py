"""The options of `run`: which exist, what they accept, which settings they override."""

from __future__ import annotations

import argparse
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, NamedTuple

from . import schema
from .core import paths
from .core.shape import shown
from .failure import Failure
from .redact import redacted
from .settings import Entry, number, unbalanced

_EPILOG = (
    "Durations: 90s, 15m, 8h. One loop per folder: for features in parallel, give each a git"
    " worktree of its own."
)


@dataclass(frozen=True)
class RunOptions:
    """What a run is told beyond its settings; folder and file are absolute, ralph_dir is not."""

    project_dir: str
    ralph_dir: str
    prompt: str | None
    prompt_file: str | None
    trust_approved: bool
    review_skipped: bool
    allow_plan_edits: bool
    allow_dirty: bool
    dry_run: bool
    json: bool
    verbose: bool

    @property
    def any_switch(self) -> bool:
        given = (getattr(self, names[-1][2:].replace("-", "_")) for names, _, _ in _SWITCHES)
        return any(given)


def add_arguments(
    parser: argparse.ArgumentParser, everything: bool = False, with_goal: bool = True
) -> None:
    """All are accepted; the help shows the everyday ones, or everything."""
    parser.allow_abbrev = False
    parser.epilog = _EPILOG
    parser.set_defaults(prompt=None, prompt_file=None)
    for names, metavar, read, text in _GOALS if with_goal else ():
        parser.add_argument(*names, action=_Goal, read=read, metavar=metavar, help=text)
    add_setting_arguments(parser, everything)
    add_project_argument(parser)
    parser.add_argument(
        "--ralph-dir",
        default=paths.DEFAULT_RALPH_DIR,
        metavar="PATH",
        help=_help("folder of the task list, below the project (ralph)", everything),
    )
    for names, text, everyday in _SWITCHES:
        parser.add_argument(*names, action="store_true", help=_help(text, everything or everyday))
    parser.add_argument("--help-all", action=_HelpAll, nargs=0, help="show every option")


def add_setting_arguments(parser: argparse.ArgumentParser, everything: bool = True) -> None:
    parser.set_defaults(overrides={})
    for flag in _FLAGS:
        text = _help(flag.help, everything or flag.everyday)
        parser.add_argument(*flag.names, action=_Override, flag=flag, help=text)


def add_project_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-d", "--project-dir", default=".", metavar="PATH", help="project root")


def overrides(namespace: argparse.Namespace) -> dict[str, Entry]:
    """Settings by their key, each with the flag that was typed."""
    return dict(namespace.overrides)


def options(namespace: argparse.Namespace) -> RunOptions:
    given = {name: getattr(namespace, name) for name in RunOptions.__dataclass_fields__}
    given["project_dir"] = project_folder(namespace.project_dir)
    given["ralph_dir"] = ralph_folder(namespace.ralph_dir)
    return RunOptions(**given)


def project_folder(text: str) -> str:
    # Not Path.is_dir: it raises on a name that is too long.
    if not os.path.isdir(text):
        raise Failure(f"--project-dir is {shown(text)}; give a folder that exists")
    return str(Path(text).resolve())


def ralph_folder(text: str) -> str:
    folder = os.path.normpath(text)
    if not paths.stays_below(folder):
        raise Failure(f"--ralph-dir is {shown(text)}; give a relative path below the project")
    return folder


def _help(text: str, visible: bool) -> str:
    return text if visible else argparse.SUPPRESS


class _HelpAll(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        full = argparse.ArgumentParser(prog=parser.prog, description=parser.description)
        add_arguments(full, everything=True, with_goal="resume" not in parser.prog)
        full.print_help()
        parser.exit()


class _Goal(argparse.Action):
    def __init__(self, read: Callable[[str, str], str], **rest: Any) -> None:
        super().__init__(**rest)
        self.read = read

    def __call__(
        self, _: object, namespace: argparse.Namespace, text: Any, typed: str | None = None
    ) -> None:
        if namespace.prompt is not None or namespace.prompt_file is not None:
            raise Failure(f"{typed} is a second prompt; give one -p or one -f")
        setattr(namespace, self.dest, self.read(text, str(typed)))


class _Override(argparse.Action):
    def __init__(self, flag: _Flag, **rest: Any) -> None:
        own = {"dest": argparse.SUPPRESS, "default": argparse.SUPPRESS}
        arity: dict[str, Any] = {"metavar": flag.metavar} if flag.metavar else {"nargs": 0}
        if flag.unnamed:
            arity.update(nargs="?", const=flag.unnamed)
        super().__init__(**{**rest, **own, **arity})
        self.flag = flag

    def __call__(
        self, _: object, namespace: argparse.Namespace, text: Any, typed: str | None = None
    ) -> None:
        where, key = str(typed), self.flag.key
        value = self.flag.read(text, where) if self.flag.metavar else self.flag.value
        wanted = schema.setting_wanted(key, value)
        if wanted:
            raise Failure(f"{where} is {shown(text)}; give {wanted}")
        namespace.overrides = {**namespace.overrides, key: Entry(value, where)}


def _text(text: str, _: str) -> str:
    return text


def _number(text: str, _: str) -> int | float | str:
    return number(text)


def _model(text: str, where: str) -> str:
    if re.fullmatch("[+-]?[0-9]+", text):
        raise Failure(f"{where} is {shown(text)}, but takes the name of a model; did you mean -n?")
    return text


def _agent(text: str, where: str) -> str:
    if unbalanced(text):
        raise Failure(f"{where} is {shown(redacted(text))}; close its open quote or backslash")
    return text


def _prompt(text: str, where: str) -> str:
    if not text.strip():
        raise Failure(f"{where} is blank; give the text of the prompt")
    return text


def _prompt_file(text: str, where: str) -> str:
    # Not Path.is_file: it raises on a name that is too long, such as a whole prompt.
    if not os.path.isfile(text) or not os.path.getsize(text):
        raise Failure(f"{where} is {shown(text)}; give a file that exists and is not empty")
    return str(Path(text).absolute())


class _Flag(NamedTuple):
    names: tuple[str, ...]
    key: str
    metavar: str
    help: str
    read: Callable[[str, str], Any] = _text
    everyday: bool = False
    value: bool | str = True
    unnamed: str = ""


_GOALS: tuple[tuple[tuple[str, ...], str, Callable[[str, str], str], str], ...] = (
    (("-p", "--prompt"), "TEXT", _prompt, "work on this prompt instead of the task list"),
    (("-f", "--prompt-file"), "FILE", _prompt_file, "the same, read again each iteration"),
)
_FLAGS = (
    _Flag(
        ("-n", "--max-iterations", "--maximum-iterations"),
        "maximumIterations",
        "N",
        "iterations before giving up (15; with -p or -f 10)",
        _number,
        True,
    ),
    _Flag(("-m", "--model"), "model", "MODEL", "model of the agent", _model, True),
    _Flag(
        ("--agent",),
        "agent.command",
        "COMMAND",
        "claude, codex, amp, gemini or any command line (claude)",
        _agent,
        True,
    ),
    _Flag(
        ("--review-agent",),
        "reviewAgent.command",
        "COMMAND",
        "another one for the reviews (the agent itself)",
        _agent,
    ),
    _Flag(("--review-model",), "reviewModel", "MODEL", "model for the reviews", _model),
    _Flag(("--max-cost",), "maxCostUsd", "USD", "stop at this cost", _number, True),
    _Flag(("--max-duration",), "maxDuration", "D", "stop after this time", everyday=True),
    _Flag(("--skip-review",), "skipReview", "", "no review iterations", everyday=True),
    _Flag(("--review-cap",), "reviewCap", "N", "reviews of one story (5)", _number),
    _Flag(("--at-cap",), "atCap", "approve|hold", "what the last review may do (approve)"),
    _Flag(("--red-first",), "redFirst", "", "stop where a story's verify passes before its work"),
    _Flag(
        ("--strict-tests",),
        "strictTests",
        "",
        "no approval of weakened tests or checks without the reviewer's reason",
    ),
    _Flag(
        ("-c", "--completion-response"),
        "completionResponse",
        "WORD",
        "answer that ends a prompt goal (DONE)",
    ),
    _Flag(("--stream-agent-output",), "streamAgentOutput", "", "show the agent's work (default)"),
    _Flag(("--no-stream-agent-output",), "streamAgentOutput", "", "do not show it", value=False),
    _Flag(("--iteration-timeout",), "iterationTimeout", "D", "end an iteration after (60m)"),
    _Flag(("--idle-timeout",), "idleTimeout", "D", "end a silent agent after (15m)"),
    _Flag(("--delay",), "delay", "D", "pause between iterations (1s)"),
    _Flag(
        ("--no-wait-on-limit",),
        "waitOnLimit",
        "",
        "stop at a usage limit instead of waiting for its reset",
        value=False,
    ),
    _Flag(
        ("--breaker",),
        "breaker",
        "N",
        "stop after N iterations without progress (3; with -p or -f 5; 0: never)",
        _number,
    ),
    _Flag(
        ("--sandbox",),
        "sandbox.backend",
        "NAME",
        "confine the agent, or do not run (without it: the best that works here)",
        unnamed="any",
    ),
    _Flag(("--no-sandbox",), "sandbox.backend", "", "do not confine the agent", value="none"),
)
_SWITCHES: tuple[tuple[tuple[str, ...], str, bool], ...] = (
    (("--dry-run",), "show plan, budget and agent command; run nothing", True),
    (("--trust-approved",), "take approvals this runner never saw as they are", False),
    (("--review-skipped",), "review stories that passed without one", False),
    (("--allow-plan-edits",), "let the agent change acceptance criteria and checks", False),
    (("--allow-dirty",), "start with uncommitted changes", False),
    (("-V", "--verbose"), "say on stderr what is loaded and run", False),
    (("--json",), "events on stdout", False),
)
