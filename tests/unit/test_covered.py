"""The coverage gate sees what other processes ran, and fails where that is too little."""

from __future__ import annotations

import subprocess
from pathlib import Path

import covered
import pytest

MODULE = "scripts/ralph_engine/harmless.py"
PLAIN = "import sys; sys.path.insert(0, 'scripts'); from ralph_engine.harmless import one_line;"
EVERY = f"{PLAIN} one_line('a\\x1b\\u3000\\u2003')"


@pytest.mark.parametrize(("code", "met"), [(PLAIN, False), (EVERY, True)])
def test_too_little_fails(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    code: str,
    met: bool,
) -> None:
    monkeypatch.setattr(covered, "GATES", {"one module": ([MODULE], 100.0)})
    python = covered.make(tmp_path)
    subprocess.run([python, "-I", "-c", code], cwd=covered.ROOT, env={}, check=True, timeout=60)
    assert covered.judge(tmp_path) == (0 if met else 1)
    reached = capsys.readouterr().out.splitlines()[-1]
    assert reached.startswith("branch coverage of one module: ")
    assert ("100.0 %" in reached) == met


def test_every_suite_is_there() -> None:
    assert [path for path in covered.measured() if not path.exists()] == []
