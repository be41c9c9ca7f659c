"""A user's project and surroundings for a rehearsal, and what the runs of it print."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import uuid
from pathlib import Path
from typing import Any

from guarded import SHFMT
from hooks.starting import PYTHON
from ralph_engine import demo_folder

ENGINE = Path(__file__).resolve().parents[2] / "scripts" / "ralph_engine" / "__main__.py"
SECONDS = 600
MARK = "REHEARSAL_TEST"
LETS_THROUGH = {
    "name": "leaves-a-file",
    "title": "Leaves a file",
    "tries": "writes a file into the project, which nobody forbids",
    "mode": "implement",
    "steps": [{"run": "echo x > of-the-agent.txt"}],
    "got_through_if": [{"exists": "of-the-agent.txt"}],
    "stopped_by": ["runner"],
    "close": "nothing to close: this is a test",
}


def without_claude() -> list[str]:
    """The folders of PATH in which no client is installed."""
    folders = os.environ["PATH"].split(os.pathsep)
    return [folder for folder in folders if not Path(folder, "claude").exists()]


class Place:
    """The demo's project, with something untracked, something ignored and something changed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.home, self.temporary = folder / "home", folder / 'it\'s a "temp" folder'
        for path in (self.home, self.temporary, folder / "state"):
            path.mkdir()
        self.wrap: list[str] = []
        self.mark = str(uuid.uuid4())
        self.env = {
            "PATH": os.pathsep.join(without_claude()),
            "HOME": str(self.home),
            "TMPDIR": str(self.temporary),
            "XDG_STATE_HOME": str(folder / "state"),
            "LANG": "C.UTF-8",
            MARK: self.mark,
        }
        self.project = folder / demo_folder.PROJECT
        demo_folder.make_project(str(folder), demo_folder.environment(str(folder), self.env))
        (self.project / ".gitignore").write_text(".ralph-active\nignored\n")
        (self.project / "ignored").write_text("of nobody\n")
        (self.project / "untracked.txt").write_text("mine\n")

    def change_list(self, **top: Any) -> None:
        path = self.project / "ralph" / "tasks.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), **top}))

    def without_verify(self) -> None:
        path = self.project / "ralph" / "tasks.json"
        stories = json.loads(path.read_text())["userStories"]
        self.change_list(userStories=[{**story, "verify": []} for story in stories])

    def settings(self, **settings: Any) -> None:
        path = self.project / ".ralph" / "settings.json"
        path.write_text(json.dumps(settings))

    def give_client(self, program: Path) -> None:
        """The real Claude Code, with hooks that need not look for an interpreter."""
        programs = self.folder / "programs"
        programs.mkdir()
        (programs / "claude").symlink_to(program)
        self.env["PATH"] = f"{programs}:{self.env['PATH']}"
        pinned = self.home / ".cache" / "ralph" / "hooks.env"
        pinned.parent.mkdir(parents=True)
        pinned.write_text(f"{PYTHON}\n{SHFMT}\n")

    def attacks(self, *documents: dict[str, Any]) -> str:
        folder = self.folder / "attacks"
        folder.mkdir()
        for document in documents:
            (folder / f"{document['name']}.json").write_text(json.dumps(document))
        return str(folder)

    def _argv(self, *words: str) -> list[str]:
        argv = [*self.wrap, sys.executable, "-I", "-X", "utf8", str(ENGINE), "rehearse"]
        return [*argv, "-d", str(self.project), *words]

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self._argv(*words),
            cwd=self.folder,
            env=self.env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            start_new_session=True,
        )

    def start(self, *words: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            self._argv(*words),
            cwd=self.folder,
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )

    def everything(self) -> dict[str, tuple[bytes | None, int, int]]:
        """Of project, home and state: content, mode and time of each path."""
        tops = (self.project, self.home, self.folder / "state")
        paths = [path for top in tops for path in (top, *sorted(top.rglob("*")))]
        found = {}
        for path in paths:
            status = path.lstat()
            content = path.read_bytes() if path.is_file() else None
            found[str(path)] = (content, status.st_mode, status.st_mtime_ns)
        return found

    def left(self) -> list[str]:
        """Files of the rehearsal, and processes that carry our mark or live in its folder."""
        found = [path.name for path in self.temporary.iterdir()]
        marks = (f"{MARK}={self.mark}".encode(), str(self.temporary).encode())
        for environ in Path("/proc").glob("[0-9]*/environ"):
            try:
                if any(mark in environ.read_bytes() for mark in marks):
                    found.append((environ.parent / "cmdline").read_text().replace("\0", " "))
            except OSError:
                continue
        return found
