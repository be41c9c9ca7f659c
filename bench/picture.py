"""The picture of the live view: `bench/run picture [FILE]` writes bench/pictures/live.svg.

The demo's loop runs for real; its clock and its run id are made up, so that the same code gives
the same picture.
"""

from __future__ import annotations

import io
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

REPO = Path(__file__).resolve().parent.parent
ENGINE = REPO / "scripts" / "ralph_engine"
sys.path.insert(0, str(ENGINE.parent))

from ralph_engine import demo_folder, live  # noqa: E402
from ralph_engine.core import clock  # noqa: E402
from ralph_engine.event_lines import EventLines  # noqa: E402
from ralph_engine.line_view import NO_OUTPUT  # noqa: E402
from ralph_engine.paint import Look, Painter  # noqa: E402
from rich.console import Console  # noqa: E402
from rich.text import Text  # noqa: E402

COLUMNS, LINES = 96, 30
START, STEP, LOOKED_AFTER = 1_800_000_000.0, 11.0, 4.0
# After the cheat was caught, while the next iteration is at work.
MOMENT = "It was all undone. Writing bye.sh"
PYTHON = [sys.executable, "-I", "-X", "utf8"]

Event = dict[str, Any]


def main(target: Path) -> int:
    events = timed(demo_events())
    at = next(i for i, event in enumerate(events) if event.get("text", "").startswith(MOMENT))
    rows = view(events[: at + 1])
    target.parent.mkdir(exist_ok=True)
    target.write_text(drawn(rows), encoding="utf-8")
    print(target)
    return 0


def demo_events() -> list[Event]:
    agent = shlex.join([*PYTHON, str(ENGINE / "demo_agent.py")])
    run = [*PYTHON, str(ENGINE / "__main__.py"), "run", "--json", "--delay", "0s", "--agent", agent]
    with tempfile.TemporaryDirectory() as folder:
        environment = demo_folder.environment(folder, os.environ)
        demo_folder.make_project(folder, environment)
        project = Path(folder, demo_folder.PROJECT)
        done = subprocess.run(
            run, cwd=project, env=environment, stdout=subprocess.PIPE, check=True, text=True
        )
    return [json.loads(line) for line in done.stdout.splitlines()]


def timed(events: list[Event]) -> list[Event]:
    """As slow as a real agent, and at the same time on every machine."""
    return [{**e, "time": clock.text(START + STEP * n)} for n, e in enumerate(events)]


def view(events: list[Event]) -> list[Text]:
    painter = Painter(Look(colour=True, fine=True, emoji=True, timestamps=False), COLUMNS)
    lines, status = EventLines(NO_OUTPUT), live.Status()
    above: list[Text] = []
    for event in events:
        status = live.after(status, event)
        above += [row for line in lines.of(event) for row in painter.line(line, START)]
    now = START + STEP * (len(events) - 1) + LOOKED_AFTER
    below = painter.status(*live.words(status, now), LINES)
    return [*above[-(LINES - len(below)) :], *below]


def drawn(rows: list[Text]) -> str:
    nobody = io.StringIO()
    console = Console(record=True, width=COLUMNS, file=nobody, force_terminal=True, highlight=False)
    for row in rows:
        console.print(row, soft_wrap=True)
    made = console.export_svg(title="ralph.sh run")
    # Whoever looks at a picture asks no other host for its letters.
    return re.sub(r"@font-face \{.*?\}\s*", "", made, flags=re.DOTALL)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else REPO / "bench/pictures/live.svg"))
