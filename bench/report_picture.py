"""The picture of the report: `bench/run report_picture [FILE]` writes bench/pictures/report.png.

The report of the demo's loop, on the same made-up clock as the picture of the live view, seen by
headless Chromium.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from picture import REPO, demo_events, timed  # also puts the engine on sys.path
from ralph_engine.core import own_command

# As on the machine of a reader who has linked it.
own_command.RALPH = own_command.LINKED

from ralph_engine.report_files import compose  # noqa: E402
from ralph_engine.reports.facts import gather  # noqa: E402

RUN = "20270115-080000-a1b2c3"
WIDTH, HEIGHT = 1000, 1250
QUIET = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)


def main(target: Path) -> int:
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        print("chromium is not on PATH: install it", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder, "report.html")
        page.write_text(report(), encoding="utf-8")
        seen = [f"--user-data-dir={folder}/profile", f"--window-size={WIDTH},{HEIGHT}"]
        subprocess.run(
            [browser, *QUIET, *seen, f"--screenshot={target}", page.as_uri()],
            check=True,
            capture_output=True,
            timeout=120,
        )
    print(target)
    return 0


def report() -> str:
    steps = [event for event in timed(demo_events()) if event["event"] != "agent"]
    for step in steps:
        if step["event"] in ("run", "resumed"):
            step["id"] = RUN
    return compose(gather(RUN, steps, 0)).html


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else REPO / "bench/pictures/report.png"))
