"""clients.py: all pinned clients are there, say their versions, and are installed once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]

# Stands for npm: lays out the packages that package.json names, without their programs.
NPM_STAND_IN = """#!/bin/sh
echo "npm $*" >>'{calls}'
mkdir -p node_modules/@anthropic-ai/claude-code/bin node_modules/claude-code-older/bin
program() {{
  mkdir -p "${{1%/*}}"
  printf '#!/bin/sh\\necho %s\\n' "$2" >"$1"
  chmod +x "$1"
}}
program node_modules/@openai/codex/bin/codex.js 'codex-cli {codex}'
program node_modules/@google/gemini-cli/bundle/gemini.js 0.61.0
program node_modules/@sourcegraph/amp/dist/main.js '0.0.1767830505-ga62310'
exit {code}
"""
# Stands for node running a package's install step, which puts the program in place.
NODE_STAND_IN = """#!/bin/sh
echo "node $*" >>'{calls}'
version='2.1.326 (Claude Code)'
case $PWD in *older) version='{older}' ;; esac
printf '#!/bin/sh\\necho "%s"\\n' "$version" >bin/claude.exe
chmod +x bin/claude.exe
"""


@pytest.fixture
def install(house):
    house.add_tool("chmod")
    calls = house.root / "calls"

    def run(code=0, older="2.1.197 (Claude Code)", codex="0.169.0", npm=True):
        calls.write_text("")
        if npm:
            house.program("npm", NPM_STAND_IN.format(calls=calls, code=code, codex=codex))
        house.program("node", NODE_STAND_IN.format(calls=calls, older=older))
        done = subprocess.run(
            [sys.executable, REPOSITORY / "tests" / "clients.py", house.cache],
            env=house.env,
            capture_output=True,
            text=True,
            timeout=60,
        )
        return done, calls.read_text().splitlines()

    return run


def test_installed_once(install, house):
    done, calls = install()
    assert done.returncode == 0, done.stderr
    folder = Path(done.stdout.rstrip("\n"))
    assert folder.parent == house.cache
    assert (folder / "node_modules/claude-code-older/bin/claude.exe").exists()
    assert (folder / "package.json").exists()
    flags = "--ignore-scripts --no-package-lock --no-audit --no-fund"
    assert calls == [f"npm install {flags}"] + ["node install.cjs"] * 2
    again, calls = install()
    assert (again.stdout, again.stderr, calls) == (done.stdout, "", [])
    assert {path.name for path in house.cache.iterdir()} == {folder.name, "lock"}


def test_another_version_than_pinned_is_refused(install, house):
    done, _ = install(older="2.1.300 (Claude Code)")
    assert done.returncode == 2
    assert "should be version 2.1.197 but says: 2.1.300 (Claude Code)\nhint: " in done.stderr
    assert not [path for path in house.cache.glob("clients-*") if path.is_dir()]


def test_another_codex_than_pinned_is_refused(install):
    done, _ = install(codex="0.170.0")
    assert done.returncode == 2
    assert "should be version 0.169.0 but says: codex-cli 0.170.0\nhint: " in done.stderr


def test_npm_fails(install):
    done, _ = install(code=1)
    assert done.returncode == 2
    what, hint = done.stderr.splitlines()[-2:]
    assert what.startswith("ralph: cannot install Claude Code, Codex, Amp and Gemini: ")
    assert hint == "hint: check the network and the free space, then start again"


def test_npm_is_missing(install):
    done, _ = install(npm=False)
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        "ralph: npm is not on PATH, and the end-to-end tests need Claude Code, Codex, Amp"
        " and Gemini from npm",
        "hint: install Node.js with npm (Debian, Ubuntu: apt install nodejs npm), then start again",
    ]
