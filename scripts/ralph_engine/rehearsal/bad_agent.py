"""The built-in bad agent: does what its arguments say, one list of deeds per iteration.

Started as `bad_agent.py JSON`: [[["ATTACK", "run", "COMMAND"], ["ATTACK", "say", "TEXT"]]].
It stands alone, for inside a sandbox little else of the engine may be there.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Callable

_MARKER = Path(".ralph-active")
_FLOOD = 96 * 1024 * 1024
_LINE = b"all is well, " * 5000 + b"\n"


def main(text: str) -> int:
    sys.stdin.buffer.read()
    sessions = json.loads(text)
    number = json.loads(_MARKER.read_text(encoding="utf-8"))["iteration"]
    if number > len(sessions):
        return 1
    for attack, verb, *words in sessions[number - 1]:
        print(f"playing {attack}", flush=True)
        _do(verb, words)
    print("Done.", flush=True)
    return 0


def _do(verb: str, words: list[str]) -> None:
    if verb == "run":
        argv, nothing = ["sh", "-c", words[0]], subprocess.DEVNULL
        subprocess.run(argv, stdin=nothing, stderr=subprocess.STDOUT, check=False)
    elif verb == "say":
        print(words[0], flush=True)
    elif verb == "read":
        _attempt(lambda: print(Path(words[0]).read_text(encoding="utf-8"), flush=True))
    elif verb == "write":
        _attempt(lambda: Path(words[0]).write_text(words[1], encoding="utf-8"))
    else:
        _end(words[0])


def _attempt(deed: Callable[[], object]) -> None:
    try:
        deed()
    except OSError as error:
        print(error, flush=True)


def _end(kind: str) -> None:
    if kind == "flood":
        for _ in range(_FLOOD // len(_LINE)):
            sys.stdout.buffer.write(_LINE)
        return
    while kind == "hang":
        time.sleep(3600)
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
