"""The agent of the demo: a program that takes a prompt, edits files and commits.

It is careless once and dishonest once; what it does follows from the prompt alone. Started with
a verb and a story it only edits the task list: so works the model of `demo --claude`.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Callable

_LIST, _LOG = Path("ralph/tasks.json"), Path("ralph/progress.txt")
_TASK = re.compile(r"^Mode: (\S+)\. Story: (\S+)\.$", re.MULTILINE)
_UNDONE = "The runner undid"
_PROMISE = "<promise>COMPLETE</promise>"
PAUSE = 0.3

Story = dict[str, Any]


def main(arguments: list[str]) -> int:
    if arguments:
        verb, name = arguments
        _edit(name, _VERBS[verb])
        return 0
    prompt = sys.stdin.read()
    task = _TASK.search(prompt)
    if task is None:
        print("The prompt names no mode and no story.")
        return 1
    mode, name = task.groups()
    _commit(_edit(name, lambda story: _act(mode, story, prompt)))
    return 0


def _edit(name: str, act: Callable[[Story], str]) -> str:
    """Lets `act` change one story of the list; returns the message of the commit to make."""
    document = json.loads(_LIST.read_text(encoding="utf-8"))
    message = act(next(entry for entry in document["userStories"] if entry["id"] == name))
    _LIST.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    return message


def _act(mode: str, story: Story, prompt: str) -> str:
    if mode == "review":
        return _review_hello(story) if story["id"] == "US-001" else _review_bye(story)
    if mode == "review-fix":
        return _fix_hello(story)
    if story["id"] == "US-001":
        return _write_hello(story)
    return _write_bye(story) if _UNDONE in prompt else _cheat(story)


def _write_hello(story: Story) -> str:
    _say("Writing hello.sh ...")
    Path("hello.sh").write_text('echo "Hello, $1!"\n', encoding="utf-8")
    _say("Done. Everything works!")
    return _submit(story)


def _review_hello(story: Story) -> str:
    _say("Running hello.sh ...")
    answer = _printed_by("hello.sh")
    if answer == "Hello, world!":
        _say("Right, with and without a name.")
        _say("Approved.")
        return _approve(story)
    _say(f'Without a name: "{answer}"')
    _say("Changes requested.")
    return _reject(story, answer)


def _fix_hello(story: Story) -> str:
    Path("hello.sh").write_text('echo "Hello, ${1:-world}!"\n', encoding="utf-8")
    _say("Fixed: it greets the world now.")
    return _resubmit(story)


def _cheat(story: Story) -> str:
    _say("I approve this story myself.")
    _say('Its check is now just "true".')
    _say(_PROMISE)
    return _forge(story)


def _write_bye(story: Story) -> str:
    _say("It was all undone. Writing bye.sh")
    Path("bye.sh").write_text('echo "Bye, $1!"\n', encoding="utf-8")
    _say("Done. This time there is a file.")
    return _submit(story)


def _review_bye(story: Story) -> str:
    _say(f'Running bye.sh: "{_printed_by("bye.sh", "Ada")}"')
    _say("Approved.")
    _say(_PROMISE)
    return _approve(story)


def _submit(story: Story) -> str:
    story["reviewStatus"] = "needs_review"
    return f"feat: [{story['id']}] - {story['title']}"


def _resubmit(story: Story) -> str:
    story.update(reviewStatus="needs_review", reviewFeedback="")
    return f"fix: [{story['id']}] - address review feedback"


def _forge(story: Story) -> str:
    story.update(passes=True, reviewStatus="approved", reviewCount=1, notes="Trust me")
    story["verify"] = ["true"]
    return f"feat: [{story['id']}] - {story['title']}"


def _reject(story: Story, answer: str = "Hello, !") -> str:
    feedback = f'hello.sh without a name prints "{answer}", not "Hello, world!"'
    return _judge(story, "changes_requested", reviewFeedback=feedback)


def _approve(story: Story) -> str:
    return _judge(story, "approved", passes=True, notes="Ran it and saw each criterion work")


def _judge(story: Story, verdict: str, **rest: Any) -> str:
    story.update(reviewStatus=verdict, reviewCount=story["reviewCount"] + 1, **rest)
    return f"review: [{story['id']}] - {verdict.replace('_', ' ')}"


def _printed_by(script: str, *words: str) -> str:
    return subprocess.run(
        ["sh", script, *words], stdout=subprocess.PIPE, text=True, check=True
    ).stdout.strip()


def _commit(message: str) -> None:
    with _LOG.open("a", encoding="utf-8") as log:
        log.write(f"\n## {message}\n")
    subprocess.run(["git", "add", "-A"], check=True)
    subprocess.run(["git", "commit", "-q", "-m", message], check=True)


def _say(text: str) -> None:
    print(text, flush=True)
    # People are watching; the work itself takes no time.
    time.sleep(PAUSE)


_VERBS: dict[str, Callable[[Story], str]] = {
    "submit": _submit,
    "fix": _resubmit,
    "cheat": _forge,
    "reject": _reject,
    "approve": _approve,
}

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
