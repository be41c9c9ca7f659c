"""Where a loop stands: its project, home and temporary folders, and in which of them a path is."""

from __future__ import annotations

import os

from . import protected_paths
from .shell import globs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

PROJECT, TEMPORARY, HOME, SYSTEM, NOWHERE = "project", "temporary", "home", "system", "nowhere"
_TEMPORARY = ("/tmp", "/var/tmp", "/private/tmp", "/private/var/tmp", "/var/folders", "/dev/shm")


class Place:
    def __init__(
        self,
        root: str,
        environment: Mapping[str, str],
        protected: protected_paths.ProtectedPaths,
        session: str = "",
    ) -> None:
        self.root, self.environment = os.path.realpath(root), environment
        self.protected, self.session = protected, session
        self.sandboxed = False
        self.reviewing = False
        self.baseline: list[str] = []
        self.home = os.path.realpath(environment.get("HOME") or "/nonexistent")
        temporary = [*_TEMPORARY, environment.get("TMPDIR") or "/tmp"]
        temporary += [environment.get("CLAUDE_CODE_TMPDIR") or "/tmp"]
        known = {os.path.realpath(folder): TEMPORARY for folder in temporary}
        known.update({self.home: HOME, self.root: PROJECT, "/": SYSTEM})
        # A home may be a repository, too, and stays a home.
        known.setdefault(protected_paths.repository(self.root), PROJECT)
        # The innermost folder decides: a home below /tmp is a home.
        self._zones = sorted(known.items(), key=lambda entry: -len(entry[0]))

    def real(self, path: str, follow: bool = True) -> str:
        """`follow` the last step too; without it a link is itself, as for rm."""
        path = os.path.normpath(path) if "\0" in path else path
        if follow or path.endswith("/"):
            return os.path.realpath(path)
        folder, name = os.path.split(os.path.normpath(path))
        return os.path.join(os.path.realpath(folder), name)

    def zone(self, path: str, follow: bool = True) -> str:
        """Of a path from the root; one that nobody can place is nowhere."""
        if not path.startswith("/"):
            return NOWHERE
        real = self.real(path, follow)
        for folder, zone in self._zones:
            if (real + "/").startswith(folder.rstrip("/") + "/"):
                return zone
        return SYSTEM

    def holds_everything(self, path: str) -> bool:
        """A whole zone, all that is in it, or something that contains one."""
        if not path.startswith("/"):
            return is_all(path.rstrip("/"))
        real = self.real(path, follow=False)
        folder, name = os.path.split(real)
        if is_all(name):
            real = folder
        return any((zone + "/").startswith(real.rstrip("/") + "/") for zone, _ in self._zones)

    def git_path(self, path: str) -> bool:
        """Inside a .git of the project."""
        steps = self.real(path, follow=False).casefold().split("/")
        return ".git" in steps and self.zone(path, follow=False) != TEMPORARY


def is_all(name: str) -> bool:
    """*, ?*, .*, .[!.]*: nothing in them but magic."""
    return name in (".", "..") or (
        globs.is_glob(name) and not name.strip("*?.[]!^-") and "*" in name
    )
