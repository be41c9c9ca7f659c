"""What the runner knows of a sandbox: whether it was finished, and what its network allows."""

from __future__ import annotations

import json
from typing import Any

from ..core import files

_LIMIT = 65536


class Record:
    def __init__(self, state: str, backend: str) -> None:
        self._state, self._file = state, f"sandbox-{backend}.json"

    @property
    def half_made(self) -> bool:
        return self.facts.get("made") is False

    @property
    def whole(self) -> bool:
        return self.facts.get("made") is True

    @property
    def network(self) -> str:
        """'' where nobody knows: it was not made here."""
        return str(self.facts.get("network", ""))

    @property
    def hosts(self) -> list[str]:
        found = self.facts.get("hosts")
        return [str(host) for host in found] if isinstance(found, list) else []

    def begin(self, name: str) -> None:
        self.restore({"name": name, "made": False})

    def keep(self, name: str, network: str, hosts: list[str]) -> None:
        self.restore({"name": name, "made": True, "network": network, "hosts": hosts})

    def forget(self) -> None:
        if files.kind(self._state, self._file) != "absent":
            files.remove(self._state, self._file)

    def restore(self, facts: dict[str, Any]) -> None:
        files.replace_bytes(self._state, self._file, json.dumps(facts).encode("ascii"), 0o600)

    @property
    def facts(self) -> dict[str, Any]:
        try:
            found = json.loads(files.read_bytes(self._state, self._file, _LIMIT))
        except (files.FileFault, ValueError):
            return {}
        return found if isinstance(found, dict) else {}
