"""The verbs of ralph.sh, one module each."""

from __future__ import annotations

import argparse
import difflib
import importlib
import json
import os
import signal
import sys
from pathlib import Path
from typing import NoReturn

if __package__ in (None, ""):
    # Started by path with -I: nothing but this line puts the engine on sys.path.
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from ralph_engine import outputs  # noqa: E402
from ralph_engine.core.files import FileFault  # noqa: E402
from ralph_engine.core.own_command import RALPH  # noqa: E402
from ralph_engine.core.shape import shown  # noqa: E402
from ralph_engine.failure import Failure  # noqa: E402
from ralph_engine.plugin_folder import PLUGIN  # noqa: E402

_NAME = "ralph.sh"
_VERBS = {
    "run": "work through the task list, or a prompt, until it is verifiably done",
    "init": "make the files of a loop: ralph/ from templates, an entry in .gitignore",
    "plan": "say what /ralph-plan has to do here: full planning, or stories for ralph/prd.md",
    "check": "judge ralph/tasks.json and estimate the iterations it takes",
    "resume": "go on with a paused loop, or with the last run, whatever ended it",
    "pause": "let the loop stand after its iteration, so that the plan can be edited",
    "cancel": "end the loop of this folder; its work is judged and saved",
    "tell": "put a word into the next prompt of the loop",
    "reset": "move what a loop left behind to a backup, never the ledger",
    "status": "tell whether a loop runs here, and how the last one ended",
    "watch": "follow the loop of this folder from another terminal; only reads",
    "report": "write what a run came to, as Markdown and as one HTML file",
    "verify": "say what each story rests on, and run the checks again, without a model",
    "config": "show the merged settings and where each comes from",
    "archive": "put plan, log and report of a loop away, commit them, leave fresh templates",
    "audit": "work through ralph/audit.md in one headless session (/ralph-audit)",
    "router": "say what comes next in an audit whose rounds a session hands to subagents",
    "tdd": "hold scenarios to their order: a test seen red, then the same one seen green",
    "signs": "list the Signs in ralph/guardrails.md and name malformed ones",
    "doctor": "look for what would keep a loop from working here, each with its fix",
    "link": "make ~/.local/bin/ralph, which starts the newest installed version",
    "sandbox": "look after what confines the agent: set it up, try it, stop it, remove it",
    "rehearse": "try bad agents against your own set-up, in a scratch copy: what stops each?",
    "demo": "watch a loop work, and catch a cheating agent: nothing is needed, nothing is kept",
}
_OF_THE_WHOLE = ("-h", "--help", "-v", "--version")


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise Failure(message.replace("\n", "\\n"), self.prog.replace(_NAME, RALPH, 1) + " --help")


def main(arguments: list[str]) -> int:
    # Whoever ends us politely is answered as Ctrl-C is.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        return _run(_with_verb(arguments))
    except Failure as failure:
        outputs.last(str(failure), failure.hint)
        return 2
    except FileFault as fault:
        outputs.last(f"{fault.path} {fault.problem}", fault.fix)
        return 2
    except BrokenPipeError:
        # Whoever read our output has left; Python would complain once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        from ralph_engine import bug_report

        outputs.last(bug_report.write(error, arguments), "")
        return 2


def _run(arguments: list[str]) -> int:
    verb = arguments[0]
    _expect_verb(verb)
    options, unknown = _parser(verb).parse_known_args(arguments)
    if unknown:
        words = " ".join(unknown).replace("\n", "\\n")
        raise Failure(f"unrecognized arguments: {words}", f"{RALPH} {verb} --help")
    code = int(options.verb(options))
    if sys.stdout is not None:  # None where the caller closed it
        sys.stdout.flush()
    return code


def _with_verb(arguments: list[str]) -> list[str]:
    """`run` may be left out: ralph.sh -n 5."""
    if not arguments or arguments[0].startswith("-") and arguments[0] not in _OF_THE_WHOLE:
        return ["run", *arguments]
    return arguments


def _expect_verb(word: str) -> None:
    if word in _VERBS or word in _OF_THE_WHOLE:
        return
    near = difflib.get_close_matches(word[:60].lower(), _VERBS, 1)
    known = f"did you mean {near[0]}?" if near else f"known are {', '.join(_VERBS)}"
    raise Failure(f"{shown(word)} is not a verb; {known}", f"{RALPH} --help")


def _parser(chosen: str) -> argparse.ArgumentParser:
    """Only the chosen verb is imported: the others' packages take their time."""
    parser = _Parser(prog=_NAME, description="Loops that end on evidence.")
    parser.add_argument("-v", "--version", action="version", version=_version())
    verbs = parser.add_subparsers(metavar="VERB", required=True)
    for name, words in _VERBS.items():
        verb = verbs.add_parser(name, help=words, description=words)
        if name == chosen:
            module = importlib.import_module(f"ralph_engine.{name}")
            module.add_arguments(verb)
            verb.set_defaults(verb=module.main)
    return parser


def _version() -> str:
    manifest = PLUGIN / ".claude-plugin" / "plugin.json"
    return f"ralph {json.loads(manifest.read_text(encoding='utf-8'))['version']}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
