"""Install the agents' clients that package.json pins, once, and print their folder.

Started by scripts/test.sh: clients.py CACHE
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PINS = Path(__file__).with_name("package.json")
sys.path.insert(0, str(PINS.parent.parent / "scripts"))

from environment import Failed, make_once, say  # noqa: E402

LIMIT_SECONDS = 900
ALL = "Claude Code, Codex, Amp and Gemini"
# Where a package has its program; Claude Code's is put there by its install step.
CLAUDE = "bin/claude.exe"
PROGRAMS = {
    "@openai/codex": "bin/codex.js",
    "@google/gemini-cli": "bundle/gemini.js",
    "@sourcegraph/amp": "dist/main.js",
}


def main(cache: str) -> int:
    folder = Path(cache).absolute() / f"clients-{key()}"
    log = folder.with_suffix(".log")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        make_once(str(folder), lambda made: build(Path(made), log))
    except Failed as failed:
        say(f"{failed}\nhint: {failed.hint}")
        return 2
    print(folder)
    return 0


def key() -> str:
    system = os.uname()
    parts = f"{system.sysname} {system.machine}\n{PINS.read_text()}"
    return hashlib.sha256(parts.encode()).hexdigest()[:16]


def build(made: Path, log: Path) -> None:
    npm = shutil.which("npm")
    if not npm:
        raise Failed(
            f"npm is not on PATH, and the end-to-end tests need {ALL} from npm",
            "install Node.js with npm (Debian, Ubuntu: apt install nodejs npm), then start again",
        )
    say(f"installing {ALL} into {log.with_suffix('')} (once, with npm)")
    made.mkdir()
    shutil.copy(PINS, made)
    log.write_text("")
    flags = ["--no-package-lock", "--no-audit", "--no-fund"]
    # Newer npm runs no install scripts of packages that nobody approved: run them ourselves.
    run([npm, "install", "--ignore-scripts", *flags], made, log)
    for name, pin in json.loads(PINS.read_text())["dependencies"].items():
        package = made / "node_modules" / name
        program = PROGRAMS.get(name, CLAUDE)
        if program == CLAUDE:
            run(["node", "install.cjs"], package, log)
        check_version(package / program, pin.rpartition("@")[2])
    log.unlink()


def run(command: list[str], folder: Path, log: Path) -> None:
    with log.open("ab") as output:
        code = subprocess.call(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            timeout=LIMIT_SECONDS,
        )
    if code:
        raise Failed(
            f"cannot install {ALL}: '{' '.join(command)}' in {folder} ended with"
            f" {code} (log: {log})",
            "check the network and the free space, then start again",
        )


def check_version(client: Path, version: str) -> None:
    with tempfile.TemporaryDirectory() as home:
        done = subprocess.run(
            [client, "--version"],
            env={"HOME": home, "PATH": os.environ["PATH"], "DISABLE_AUTOUPDATER": "1"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
        )
    # 2.1.326 (Claude Code); codex-cli 0.169.0; 0.61.0
    if version not in done.stdout.split():
        raise Failed(
            f"{client} should be version {version} but says: {done.stdout}{done.stderr}".rstrip(),
            f"correct {PINS}, or start again with an empty npm cache (npm cache clean --force)",
        )


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
