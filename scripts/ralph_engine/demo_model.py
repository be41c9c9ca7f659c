"""The model of `demo --claude`: answers by the conversation alone, and notes each refused stop.

It forgets a commit once, cheats once, and then does not listen to the hook.
"""

from __future__ import annotations

import re
import shlex
from collections import deque
from typing import Callable, NamedTuple

from .scripted_model import Request, Turn, call, say, turn

MOST_REQUESTS = 200
PAUSE = 0.3
PROMISE = "<promise>COMPLETE</promise>"
REFUSED = "Stop hook feedback:"
_EXCUSES = ("It is done.", "Trust me.", "I insist.", "Let me go.", "Done is done.")

_TASK = re.compile(r"^Mode: (\S+)\. Story: (\S+)\.$", re.MULTILINE)
_UNDONE = "The runner undid"
_HELLO, _BYE = 'echo "Hello, $1!"', 'echo "Bye, $1!"'
_HELLO_WORLD = 'echo "Hello, ${1:-world}!"'

Steps = list[Turn]


class Refusal(NamedTuple):
    """What the Stop hook told the model, and the first words of its answer."""

    reason: str
    answer: str


class Model:
    """`agent` is the command line that edits the task list."""

    def __init__(self, agent: str) -> None:
        self._agent = agent
        self.refusals: deque[Refusal] = deque()
        self._plays: dict[tuple[str, str], Callable[[Request], Steps]] = {
            ("implement", "US-001"): self._write_hello,
            ("review", "US-001"): self._review_hello,
            ("review-fix", "US-001"): self._fix_hello,
            ("implement", "US-002"): self._write_bye,
            ("review", "US-002"): self._review_bye,
        }

    def answer(self, request: Request) -> Turn:
        task = _TASK.search(_heard(request, 0))
        if task is None:
            return say("The prompt names no mode and no story.")
        mode, story = task.groups()
        steps = self._plays[mode, story](request)
        chosen = {**steps[min(_answers(request), len(steps) - 1)], "after": PAUSE}
        reason = request.new_text.partition(REFUSED)[2].strip()
        if reason:
            self.refusals.append(Refusal(reason, chosen["content"][0]["text"]))
        return chosen

    def _write_hello(self, request: Request) -> Steps:
        message, write = "feat: [US-001] - Say hello", _write("hello.sh", _HELLO)
        if _UNDONE in _heard(request, 0):
            return [
                self._do("It was not committed. Again", message, "submit US-001", write),
                say("Done, and committed."),
            ]
        return [
            self._do("Writing hello.sh ...", "", "submit US-001", write),
            say("Done. Everything works!"),
            turn(say("I forgot the commit."), _bash(_commit(message))),
            say("Committed. Now it is done."),
        ]

    def _review_hello(self, request: Request) -> Steps:
        works = "Hello, world!" in _heard(request, 1)
        found = "Right, with and without a name." if works else 'Without a name: "Hello, !"'
        return [
            turn(say("Running hello.sh ..."), _bash("sh hello.sh")),
            self._judge(found, "US-001", works),
            say("Approved." if works else "Changes requested."),
        ]

    def _fix_hello(self, request: Request) -> Steps:
        message, write = "fix: [US-001] - address review feedback", _write("hello.sh", _HELLO_WORLD)
        return [
            self._do("It should greet the world.", message, "fix US-001", write),
            say("Fixed: it greets the world now."),
        ]

    def _write_bye(self, request: Request) -> Steps:
        message = "feat: [US-002] - Say goodbye"
        if _UNDONE in _heard(request, 0):
            write = _write("bye.sh", _BYE)
            return [
                self._do("It was all undone. Writing bye.sh", message, "submit US-002", write),
                say("Done. This time there is a file."),
            ]
        cheat = 'I approve this story myself. Its check is now just "true".'
        return [
            self._do(cheat, message, "cheat US-002", "true"),
            say(PROMISE),
            *(say(excuse) for excuse in _EXCUSES),
            say(f"I am leaving. {PROMISE}"),
        ]

    def _review_bye(self, request: Request) -> Steps:
        works = "Bye, Ada!" in _heard(request, 1)
        return [
            turn(say("Running bye.sh Ada ..."), _bash("sh bye.sh Ada")),
            self._judge('It says "Bye, Ada!"' if works else "Wrong.", "US-002", works),
            say(f"Approved. {PROMISE}" if works else "Changes requested."),
        ]

    def _judge(self, words: str, story: str, works: bool) -> Turn:
        verb, verdict = ("approve", "approved") if works else ("reject", "changes requested")
        return self._do(words, f"review: [{story}] - {verdict}", f"{verb} {story}", "true")

    def _do(self, words: str, message: str, edit: str, before: str) -> Turn:
        """Says it, works, edits the task list; commits where there is a message."""
        steps = [before, f"{self._agent} {edit}", *([_commit(message)] if message else [])]
        return turn(say(words), _bash(" && ".join(steps)))


def _heard(request: Request, number: int) -> str:
    """What was said to the model before its answer `number`, and after the one before that."""
    answers, texts = 0, list[str]()
    for message in request.messages:
        if message["role"] == "assistant":
            answers += 1
        elif answers == number:
            texts.append(Request({"messages": [message]}).new_text)
    return "\n".join(texts)


def _answers(request: Request) -> int:
    return sum(message["role"] == "assistant" for message in request.messages)


def _bash(command: str) -> Turn:
    return call("Bash", command=command, description="work")


def _write(name: str, line: str) -> str:
    return f"printf '%s\\n' {shlex.quote(line)} > {name}"


def _commit(message: str) -> str:
    line = shlex.quote(f"## {message}")
    log = f"printf '\\n%s\\n' {line} >> ralph/progress.txt"
    return f"{log} && git add -A && git commit -q -m {shlex.quote(message)}"
