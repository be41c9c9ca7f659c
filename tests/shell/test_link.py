"""`ralph.sh link`: one launcher in ~/.local/bin, which starts the newest installed version."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
ENGINE = REPOSITORY / "scripts" / "ralph_engine" / "__main__.py"
# Plays a version of ours: says which one it is and what it was given.
RALPH = '#!/bin/sh\nprintf "%s\\n" "{version}" "$@"\nexit 7\n'


class Home:
    """A person's home; `link` runs as they would run it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.folder = root / ".local" / "bin"
        self.launcher = self.folder / "ralph"
        self.env = {"PATH": f"{self.folder}:{os.environ['PATH']}", "HOME": str(root)}
        root.mkdir(parents=True)

    def link(self, engine: Path = ENGINE, **env: str) -> subprocess.CompletedProcess[str]:
        return self._run([sys.executable, "-I", "-X", "utf8", str(engine), "link"], env)

    def start(self, *words: str, **env: str) -> subprocess.CompletedProcess[str]:
        return self._run([str(self.launcher), *words], env)

    def _run(self, command: list[str], env: dict[str, str]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            env={**self.env, **env},
            cwd=self.root,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
        )

    def install(self, version: str, name: str = "", market: str = "market") -> Path:
        return installed(self.root / ".claude/plugins/cache" / market / "ralph", version, name)


def installed(folder: Path, version: str, name: str = "") -> Path:
    plugin = folder / (name or version)
    for part in ("scripts", ".claude-plugin"):
        (plugin / part).mkdir(parents=True)
    manifest = {"name": "ralph", "version": version}
    (plugin / ".claude-plugin" / "plugin.json").write_text(json.dumps(manifest, indent=2))
    (plugin / "scripts" / "ralph.sh").write_text(RALPH.format(version=version))
    (plugin / "scripts" / "ralph.sh").chmod(0o755)
    return plugin


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "it's a home 🙂")


def linked_from(home: Home, plugin: Path) -> None:
    """As `link` of that plugin would: only the place differs."""
    assert home.link().returncode == 0
    text = home.launcher.read_text()
    assert f"linked={REPOSITORY}\n" in text
    here = f"linked={shlex.quote(str(plugin))}\n"
    home.launcher.write_text(text.replace(f"linked={REPOSITORY}\n", here))


def test_it_is_made_once_and_kept(home: Home) -> None:
    first, second = home.link(), home.link()
    words = f"{home.launcher}: it starts the newest Ralph that is installed\n"
    assert (first.returncode, first.stdout, first.stderr) == (0, f"made {words}", "")
    assert (second.returncode, second.stdout, second.stderr) == (0, f"kept {words}", "")
    assert os.access(home.launcher, os.X_OK)
    assert [path.name for path in home.folder.iterdir()] == ["ralph"]


def test_an_older_launcher_of_ours_is_updated(home: Home) -> None:
    linked_from(home, Path("/elsewhere"))
    assert home.link().stdout.startswith("updated ")
    assert f"linked={REPOSITORY}\n" in home.launcher.read_text()
    home.launcher.chmod(0o644)
    assert home.link().stdout.startswith("updated ")
    assert os.access(home.launcher, os.X_OK)


def a_script(home: Home) -> None:
    home.launcher.write_text("#!/bin/sh\necho mine\n")


def empty(home: Home) -> None:
    home.launcher.touch()


def a_folder(home: Home) -> None:
    home.launcher.mkdir()


def a_link(home: Home) -> None:
    home.launcher.symlink_to(REPOSITORY / "scripts" / "ralph.sh")


def dangling(home: Home) -> None:
    home.launcher.symlink_to("nowhere")


@pytest.mark.parametrize("make", [a_script, empty, a_folder, a_link, dangling])
def test_what_is_not_ours_is_never_overwritten(home: Home, make) -> None:  # type: ignore[no-untyped-def]
    home.folder.mkdir(parents=True)
    make(home)
    before = state(home.launcher)
    done = home.link()
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"ralph: {home.launcher} is not a launcher of ours\n"
        "hint: move it away, then run link again\n"
    )
    assert state(home.launcher) == before


def state(path: Path) -> tuple[int, ...]:
    found = os.lstat(path)
    return found.st_ino, found.st_mode, found.st_size, found.st_mtime_ns


def test_a_folder_that_is_not_on_path_is_named(home: Home) -> None:
    done = home.link(PATH="/usr/bin:/bin")
    assert done.returncode == 0
    assert done.stderr == (
        f"hint: {home.folder} is not on PATH: "
        f'add export PATH="{home.folder}:$PATH" to your shell profile\n'
    )


def test_a_folder_that_is_a_link_is_the_persons_choice(home: Home) -> None:
    (home.root / "dotfiles").mkdir()
    (home.root / ".local").mkdir()
    home.folder.symlink_to(home.root / "dotfiles")
    assert home.link().returncode == 0
    assert (home.root / "dotfiles" / "ralph").is_file()


@pytest.mark.parametrize("value", ["", "/nowhere/at/all"])
def test_without_a_home_it_says_so(home: Home, value: str) -> None:
    done = home.link(HOME=value)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "ralph: HOME is not set to a folder\nhint: set it, then run link again\n"
    )


def test_a_file_in_place_of_the_folder_is_named(home: Home) -> None:
    (home.root / ".local").write_text("")
    done = home.link()
    assert done.returncode == 2
    assert done.stderr.startswith(f"ralph: {home.launcher} is reached through a link or a file\n")


def test_the_newest_installed_version_is_started(home: Home) -> None:
    """By numbers, not by letters, in any marketplace; what is no plugin of ours is passed over."""
    linked_from(home, Path("/gone"))
    home.install("0.9.0")
    home.install("0.10.0", market="another one's")
    home.install("0.2.99")
    (home.root / ".claude/plugins/cache/market/ralph/9.9.9").mkdir()
    done = home.start("run", "two words", "", "*")
    assert (done.returncode, done.stderr) == (7, "")
    assert done.stdout.split("\n") == ["0.10.0", "run", "two words", "", "*", ""]
    home.install("1.0.0-beta.2", name="unknown")
    assert home.start().stdout.startswith("1.0.0-beta.2\n")


def test_where_it_was_linked_from_counts_too(home: Home) -> None:
    """A directory marketplace runs in place: it is in no cache."""
    plugin = installed(home.root / "a $place", "0.3.0")
    linked_from(home, plugin)
    assert home.start().stdout == "0.3.0\n"
    home.install("0.2.0")
    assert home.start().stdout == "0.3.0\n"
    home.install("0.3.1")
    assert home.start().stdout == "0.3.1\n"


def test_another_configuration_folder_of_the_client_is_looked_into(home: Home) -> None:
    linked_from(home, Path("/gone"))
    installed(home.root / "config/plugins/cache/m/ralph", "0.4.0")
    assert home.start(CLAUDE_CONFIG_DIR=str(home.root / "config")).stdout == "0.4.0\n"


def test_without_any_version_it_says_where_it_looked(home: Home) -> None:
    linked_from(home, Path("/gone"))
    done = home.start()
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "ralph: no Ralph is installed, neither in /gone nor in "
        f"{home.root}/.claude/plugins/cache\n"
        "hint: install the plugin in Claude Code again, or remove this launcher\n"
    )


def test_it_leads_to_the_plugin_whose_link_was_asked(home: Home) -> None:
    """Whose name needs quoting."""
    plugin = home.root / "it's $HOME"
    shutil.copytree(REPOSITORY / "scripts", plugin / "scripts")
    shutil.copytree(REPOSITORY / ".claude-plugin", plugin / ".claude-plugin")
    assert home.link(plugin / "scripts" / "ralph_engine" / "__main__.py").returncode == 0
    (plugin / "scripts" / "ralph.sh").write_text(RALPH.format(version="this one"))
    assert home.start("x").stdout == "this one\nx\n"


def test_the_launcher_is_short_and_strict() -> None:
    lines = (REPOSITORY / "scripts" / "launcher.sh").read_text().splitlines()
    assert lines[:2] == ["#!/usr/bin/env bash", "set -euo pipefail"]
    assert len(lines) <= 30
