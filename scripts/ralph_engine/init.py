"""`init`: the files of a loop, and its settings where a person can be asked for them."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from typing import Any

from . import ask, git, init_files, init_rename, init_settings, init_words, own_checks, starter
from .core import files
from .core.own_command import RALPH
from .failure import Failure
from .harmless import harmless

_NO_TERMINAL = f"write {init_settings.FILE} by hand; {RALPH} config shows every key"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-d", "--project-dir", default=".", metavar="PATH", help="project root")
    parser.add_argument("--name", metavar="FEATURE", help="default: the project folder's name")
    parser.add_argument("--no-input", action="store_true", help="ask nothing")
    parser.add_argument("--settings", action="store_true", help="only ask for the settings")
    parser.add_argument("--audit", action="store_true", help="make ralph/audit.md too")


def main(options: argparse.Namespace) -> int:
    asking = _may_ask(options)
    root = _project(options.project_dir)
    name = _name(os.path.basename(root) or "project" if options.name is None else options.name)
    try:
        if options.settings:
            lines = _only_settings(root)
        else:
            new = name if options.name is not None else None
            lines = _everything(root, name, options.audit, asking, init_rename.of(root, new))
    except files.FileFault as fault:
        where = os.path.join(root, fault.path)
        raise Failure(f"{where} {fault.problem}", f"{fault.fix}, then run init again") from fault
    print(harmless("\n".join(lines)))
    return 0


def _everything(
    root: str, name: str, audit: bool, asking: bool, renamed: dict[str, str]
) -> list[str]:
    """All that is asked comes before all that is written."""
    commands = own_checks.of(root)
    made = starter.contents(name, date.today(), audit, commands)
    init_files.look(root, made)
    init_files.expect_writable(root, [*renamed])
    begins, settings = False, None
    if asking:
        with _leaving_nothing():
            begins = not init_words.repository(root) and _wants_repository(root)
            settings = _settings(root)
    lines = [_git_init(root)] if begins else []
    lines += [*init_files.make(root, made, renamed), init_files.ignore(root)]
    lines += [init_settings.write(root, settings)] if settings else []
    return [*lines, *init_words.checks(root, commands), "", *init_words.next_steps(root)]


def _only_settings(root: str) -> list[str]:
    with _leaving_nothing():
        settings = _settings(root)
    return [init_settings.write(root, settings)] if settings else [f"kept {init_settings.FILE}"]


@contextmanager
def _leaving_nothing() -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        ask.say("\nNothing was written.")
        raise


def _settings(root: str) -> dict[str, Any] | None:
    """None where those that are there stay."""
    init_files.expect_files(root, [init_settings.FILE])
    if not init_settings.may_be_written(root):
        return None
    init_files.expect_writable(root, [init_settings.FILE])
    return init_settings.asked_for()


def _wants_repository(root: str) -> bool:
    ask.say(f"{root} is not a git repository, and a loop needs one.")
    return ask.is_yes(ask.line("Run git init? (y/N): "))


def _git_init(root: str) -> str:
    answer = git.ask(root, "init", "--quiet")
    if answer.code:
        hint = "no file was made; repair it, then run init again"
        raise Failure(f"git init failed in {root}: {answer.error}", hint)
    return "made a git repository"


def _may_ask(options: argparse.Namespace) -> bool:
    if options.settings and options.no_input:
        raise Failure("--settings asks and --no-input does not", "give one of them")
    asking = ask.at_terminal() and not options.no_input
    if options.settings and not asking:
        raise Failure("--settings asks questions, and there is no terminal", _NO_TERMINAL)
    return asking


def _name(text: str) -> str:
    name = harmless(" ".join(text.split()))
    if not name:
        raise Failure("--name is empty", "give the feature a name, for example --name login")
    return name


def _project(text: str) -> str:
    if not os.path.isdir(text):
        raise Failure(f"project folder {text} is not a folder", "give one with --project-dir")
    return os.path.realpath(text)
