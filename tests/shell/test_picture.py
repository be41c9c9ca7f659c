"""The picture of the live view, as the command in bench/ makes it."""

from __future__ import annotations

import html
import re
import subprocess
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]


def rows(picture: Path) -> list[str]:
    """Its texts by their height; no letters, marks or colours are compared."""
    found: dict[str, str] = {}
    text = picture.read_text(encoding="utf-8")
    for y, words in re.findall(r'<text[^>]* y="([0-9.]+)"[^>]*>([^<]*)</text>', text):
        found[y] = found.get(y, "") + html.unescape(words).replace("\u00a0", " ")
    # A further event in the journal is no reason for another picture.
    rows = [re.sub(r"elapsed \w+", "elapsed", row.rstrip()) for row in found.values()]
    return [row for row in rows if row]


def test_the_picture_in_the_repository_shows_what_the_code_shows(tmp_path: Path) -> None:
    made = tmp_path / "live.svg"
    done = subprocess.run(
        [REPOSITORY / "bench" / "run", "picture", made],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.returncode, done.stdout) == (0, f"{made}\n"), done.stderr
    kept = REPOSITORY / "bench" / "pictures" / "live.svg"
    hint = "bench/run picture, and commit bench/pictures/live.svg"
    assert rows(made) == rows(kept), hint
    assert any("undone: " in row for row in rows(kept))
    assert any("last output 4s ago" in row for row in rows(kept))
    assert "url(http" not in kept.read_text(encoding="utf-8")
