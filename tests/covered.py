"""Branch coverage of what ships: runs the suites that are measured, then judges by the gates.

They run with a Python of its own: whoever is started with it is measured, and so are the processes
that it starts with its own sys.executable, whatever their environment; that of anybody else is not
touched. RALPH_HOOK_PYTHON is for the hooks, which otherwise start without site packages.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# What reaches everything in the shortest time; scripts/test.sh runs the rest unmeasured.
SUITES = {
    "unit": "",
    "reports": "",
    "hooks": "guard session_loop",
    "runner": "approvals_of_the_past archive beside_the_work checks committed_junk control"
    " live_view microvm notify red_first report sandbox_choice signs stop_conditions tamper_radar"
    " users_things verbose",
    "shell": "audit doctor init init_dialogue link plan rehearse router sandbox_setup session_verbs"
    " tdd",
}
JUDGES = [f"scripts/ralph_engine/core/{name}.py" for name in ("review", "tasks", "promise")]
# The demo and what runs inside a sandbox are run by suites that are not measured.
LEFT_OUT = ["demo*.py", "offline_claude.py", "sandboxes/inside_bridge.py"]
LEFT_OUT += ["sandboxes/trial_inside.py", "scripted_model/*"]
GATES = {
    "the judging modules": (JUDGES, 100.0),
    "all": (["hooks/*", "scripts/ralph_engine/*"], 90.0),
}
BEGIN = """import atexit, os, sys

def begin():
    if any("/tests/fixtures/" in word for word in getattr(sys, "orig_argv", ())):
        return
    try:
        import coverage
        os.environ["COVERAGE_PROCESS_START"] = {0!r}
        measured = coverage.process_startup()
        atexit.unregister(measured._atexit)
        atexit.register(end, measured)
    except Exception:
        pass
    finally:
        os.environ.pop("COVERAGE_PROCESS_START", None)

def end(measured):
    try:
        measured.stop()
        measured.save()
    except Exception:
        pass
"""
HOOK = """#!/bin/sh
# Without -S, which would leave the measuring out.
shift 2
exec '{0}' -I "$@"
"""


def measured() -> list[Path]:
    found = []
    for folder, names in SUITES.items():
        place = ROOT / "tests" / folder
        found += [place / f"test_{name}.py" for name in names.split()] or [place]
    return found


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        python = make(folder)
        words = ["-m", "pytest", "-n", "auto", "--dist", "worksteal", *map(str, measured())]
        hooks = {**os.environ, "RALPH_HOOK_PYTHON": str(folder / "hook-python")}
        code = subprocess.run([str(python), *words], cwd=ROOT, env=hooks).returncode
        return code or judge(folder)


def make(folder: Path) -> Path:
    import coverage

    venv.create(folder / "venv", symlinks=True)
    python = folder / "venv" / "bin" / "python"
    for program in Path(sys.executable).parent.iterdir():
        link = python.parent / program.name
        if not link.exists():
            link.symlink_to(program)
    (folder / "data").mkdir()
    settings = folder / "coverage.ini"
    settings.write_text(_settings(folder))
    version = "python{}.{}".format(*sys.version_info)
    packages = folder / "venv" / "lib" / version / "site-packages"
    (packages / "begin_measuring.py").write_text(BEGIN.format(str(settings)))
    lines = [
        str(Path(coverage.__file__).parents[1]),
        "import begin_measuring; begin_measuring.begin()",
    ]
    (packages / "covered.pth").write_text("\n".join(lines) + "\n")
    hook = folder / "hook-python"
    hook.write_text(HOOK.format(python))
    hook.chmod(0o755)
    return python


def _settings(folder: Path) -> str:
    omitted = "".join(f"\n  {ROOT}/scripts/ralph_engine/{name}" for name in LEFT_OUT)
    return f"""[run]
branch = true
parallel = true
data_file = {folder}/data/part
source =
  {ROOT}/hooks
  {ROOT}/scripts/ralph_engine
omit = {omitted}
disable_warnings = no-data-collected, module-not-imported, module-not-measured
[report]
exclude_also =
  if TYPE_CHECKING:
  if __name__ == .__main__.:
"""


def judge(folder: Path) -> int:
    from coverage import Coverage

    measured = Coverage(config_file=str(folder / "coverage.ini"))
    measured.combine([str(folder / "data")])
    met = True
    for name, (patterns, least) in GATES.items():
        files = [f"{ROOT}/{pattern}" for pattern in patterns]
        reached = measured.report(include=files, skip_covered=True, file=sys.stdout)
        print(f"branch coverage of {name}: {reached:.1f} % (gate {least:g} %)")
        met = met and reached >= least
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
