"""The client's settings in a copy: what leads to the person's provider, or opens it, is not there.

What they put in the environment counts more there than the environment of the process.
"""

from __future__ import annotations

import json
import os
from typing import Any

from ..core import files, strict_json
from ..failure import Failure

FILES = (".claude/settings.json", ".claude/settings.local.json")
_HELPERS = (
    *("apiKeyHelper", "proxyAuthHelper", "otelHeadersHelper", "awsAuthRefresh"),
    *("awsCredentialExport", "gcpAuthRefresh", "forceLoginMethod", "forceLoginOrgUUID"),
)
_OURS = "RALPH_"
_SIZE_LIMIT = 2**20


def disarm(folder: str) -> None:
    for name in FILES:
        # A link in a copy leads to a file of the copy.
        place, base = os.path.split(os.path.realpath(os.path.join(folder, name)))
        try:
            found = strict_json.parse(files.read_bytes(place, base, _SIZE_LIMIT))
        except files.Missing:
            continue
        except files.FileFault as fault:
            raise Failure(f"{name} {fault.problem}", fault.fix) from fault
        except strict_json.NotJson as error:
            raise Failure(f"{name} {error}") from error
        if not isinstance(found, dict):
            raise Failure(f"{name} is no JSON object; repair it")
        files.replace_bytes(place, base, json.dumps(disarmed(found), indent=2).encode())


def disarmed(settings: dict[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in settings.items() if key not in _HELPERS}
    env = kept.pop("env", None)
    if isinstance(env, dict):
        kept["env"] = {name: value for name, value in env.items() if name.startswith(_OURS)}
    return kept
