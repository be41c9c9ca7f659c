"""The launcher finds what the real client has installed, where the client puts it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from e2e.claude_client import REPOSITORY, manage_plugins

ENGINE = REPOSITORY / "scripts" / "ralph_engine" / "__main__.py"
ADDRESS = "https://marketplace.invalid/ralph.git"


class Market:
    """A marketplace with a plugin of our name, known to this home's git under an address."""

    def __init__(self, folder: Path, home: Path) -> None:
        self.folder = folder
        home.mkdir()
        (home / ".gitconfig").write_text(
            f'[url "file://{folder}"]\n\tinsteadOf = {ADDRESS}\n'
            '[protocol "file"]\n\tallow = always\n'
        )
        for name in (".claude-plugin", "scripts"):
            (folder / name).mkdir(parents=True)
        plugin = {"name": "ralph", "source": "./", "description": "d"}
        market = {"name": "m", "owner": {"name": "o"}, "plugins": [plugin]}
        (folder / ".claude-plugin" / "marketplace.json").write_text(json.dumps(market))
        self._git("init", "-q", "-b", "main")

    def publish(self, version: str) -> None:
        manifest = {"name": "ralph", "version": version, "description": "d"}
        path = self.folder / ".claude-plugin" / "plugin.json"
        path.write_text(json.dumps(manifest, indent=2))
        script = self.folder / "scripts" / "ralph.sh"
        script.write_text(f'#!/bin/sh\necho {version} "$@"\n')
        script.chmod(0o755)
        self._git("add", "-A")
        self._git("-c", "user.name=O", "-c", "user.email=o@localhost", "commit", "-qm", version)

    def _git(self, *arguments: str) -> None:
        subprocess.run(["git", *arguments], cwd=self.folder, check=True, timeout=60)


def test_an_update_of_the_plugin_is_what_the_launcher_starts(tmp_path: Path) -> None:
    home = tmp_path / "home"
    market = Market(tmp_path / "market", home)
    market.publish("90.9.0")
    manage_plugins(home, "marketplace", "add", ADDRESS)
    manage_plugins(home, "install", "ralph@m")
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(home)}
    link = [sys.executable, "-I", str(ENGINE), "link"]
    subprocess.run(link, env=environment, check=True, capture_output=True, timeout=60)
    assert said(home, environment) == "90.9.0 status"
    market.publish("90.10.0")
    manage_plugins(home, "marketplace", "update", "m")
    manage_plugins(home, "update", "ralph@m")
    assert said(home, environment) == "90.10.0 status"


def said(home: Path, environment: dict[str, str]) -> str:
    launcher = [str(home / ".local" / "bin" / "ralph"), "status"]
    done = subprocess.run(
        launcher, env=environment, check=True, capture_output=True, text=True, timeout=60
    )
    return done.stdout.strip()
