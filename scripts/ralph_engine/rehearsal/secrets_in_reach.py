"""Secrets that an agent could read here: files by their names, variables by theirs."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterator, Mapping

from .. import committed_junk, git
from ..core.guard_rules import credentials
from ..redact import names_a_secret

_OF_AGENTS = ("ANTHROPIC_", "CLAUDE_", "OPENAI_", "CODEX_", "GEMINI_", "GOOGLE_API_", "AMP_")
_OF_AGENTS_AT_HOME = (".claude", ".codex/", ".gemini/", ".local/share/amp/")
_KEY = re.compile(r"\.netrc|id_(rsa|dsa|ecdsa|ed25519)|.*\.p12", re.DOTALL)
# Names of certificates, slides and settings too, which projects share.
_PERHAPS = re.compile(r".*\.(pem|key|tfvars)|\.npmrc|\.envrc|.*credentials.*\.json", re.DOTALL)
_EXAMPLES = ("example", "sample", "template", "dist")
_OF_TESTS = {"test", "tests", "__tests__", "spec", "specs", "e2e", "example", "examples"}


def at_home(home: str) -> list[str]:
    """Those that the guard knows, but for the agent's own way in, which it needs."""
    folders = [name for name in credentials.FOLDERS.names if _there(home, name)]
    told = (*_OF_AGENTS_AT_HOME, *(f"{folder}/" for folder in folders))
    return [f"~/{name}" for name in (*folders, *_files_at_home(home, told))]


def _files_at_home(home: str, told: tuple[str, ...]) -> Iterator[str]:
    """Where many have one pattern, the pattern."""
    known = set[str]()
    for pattern in credentials.FILES.names:
        there = {name for name in _there(home, pattern) if not name.startswith(told)} - known
        known |= there
        if there:
            yield min(there) if len(there) == 1 else pattern


def _there(home: str, pattern: str) -> list[str]:
    found = glob.glob(os.path.join(glob.escape(home), pattern)) if home else []
    return [os.path.relpath(path, home) for path in found]


def in_project(root: str) -> list[str]:
    listed = git.ask(root, "ls-files", "-z").output.split(b"\0")
    tracked = {os.fsdecode(name) for name in listed}
    return [path for path in _files(root) if _names_one(path, path in tracked)]


def _files(root: str) -> Iterator[str]:
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(n for n in folders if n != ".git" and not committed_junk.is_made(n))
        yield from (os.path.relpath(os.path.join(folder, name), root) for name in sorted(names))


def _names_one(path: str, tracked: bool) -> bool:
    """What git tracks is shared on purpose, unless it is named as a key and is no test's."""
    *parents, name = path.split("/")
    if any(word in name for word in _EXAMPLES):
        return False
    of_tests = not _OF_TESTS.isdisjoint(parents) or not committed_junk.GIVEN.isdisjoint(parents)
    is_key = bool(_KEY.fullmatch(name)) or credentials.is_env_file(name)
    if tracked:
        return is_key and not of_tests
    return is_key or bool(_PERHAPS.fullmatch(name))


def in_environment(environment: Mapping[str, str]) -> list[str]:
    """But for the agent's own way in, which it needs."""
    found = (name for name, value in sorted(environment.items()) if value)
    names = [name for name in found if names_a_secret(name) and not name.startswith(_OF_AGENTS)]
    return [f"${name}" for name in names]
