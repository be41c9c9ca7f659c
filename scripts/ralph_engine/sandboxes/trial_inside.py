"""Tries, from inside a sandbox and as an agent could, what can be reached: `trial_inside.py SCENE`

SCENE is a JSON object of paths and numbers. Nothing of the machine's is changed where a wall is
missing: files are opened and not written, the signal is the empty one. Standard library only.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from typing import Any, Callable
from urllib.parse import urlsplit

Scene = dict[str, Any]
_SECONDS = 5
_PROXY_PORT = {"": 80, "http": 80, "https": 443}


def write_project(scene: Scene) -> None:
    _make(scene["root"])


def write_home(scene: Scene) -> None:
    """Left there: whether it is a person's home or a private one shows outside."""
    os.close(os.open(os.path.join(scene["home"], scene["left"]), os.O_WRONLY | os.O_CREAT, 0o600))


def write_system(scene: Scene) -> None:
    _make("/usr")


def read_home(scene: Scene) -> None:
    assert [name for name in scene["home_names"] if _has_content(scene["home"], name)]


def read_system(scene: Scene) -> None:
    _read("/etc/passwd")


def read_passwords(scene: Scene) -> None:
    _read("/etc/shadow")


def remount(scene: Scene) -> None:
    argv = ["mount", "-o", "remount,rw,bind", "/"]
    subprocess.run(argv, check=True, capture_output=True, timeout=_SECONDS)


def steer_kernel(scene: Scene) -> None:
    _open_to_write("/proc/sys/kernel/core_pattern")


def see_processes(scene: Scene) -> None:
    with open(f"/proc/{scene['pid']}/cmdline", "rb") as opened:
        assert scene["command"].encode() in opened.read()


def write_plugin(scene: Scene) -> None:
    _open_to_write(os.path.join(scene["plugin"], "hooks", "stop.py"))


def read_state(scene: Scene) -> None:
    assert os.listdir(scene["state"])


def write_git_config(scene: Scene) -> None:
    _open_to_write(os.path.join(scene["git"], "config"))


def write_git_hooks(scene: Scene) -> None:
    _make(os.path.join(scene["git"], "hooks"))


def move_git(scene: Scene) -> None:
    os.rename(scene["git"], scene["git"] + ".moved")
    os.rename(scene["git"] + ".moved", scene["git"])


def reach_model(scene: Scene) -> None:
    host, port = scene["model"]
    if os.environ.get("HTTPS_PROXY") and not scene["near"]:
        return _through_proxy(host, port)
    socket.create_connection((host, port), _SECONDS).close()


def reach_other_port(scene: Scene) -> None:
    socket.create_connection(("127.0.0.1", scene["port"]), _SECONDS).close()


def reach_sockets(scene: Scene) -> None:
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(_SECONDS)
        client.connect(scene["socket"])


def use_keys(scene: Scene) -> None:
    assert os.path.exists(os.environ["SSH_AUTH_SOCK"])


def _make(folder: str) -> None:
    path = os.path.join(folder, ".ralph-sandbox-trial")
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    os.unlink(path)


def _read(path: str) -> None:
    with open(path, "rb") as opened:
        assert opened.read(1)


def _has_content(folder: str, name: str) -> bool:
    path = os.path.join(folder, name)
    return os.path.isfile(path) and os.path.getsize(path) > 0


def _open_to_write(path: str) -> None:
    os.close(os.open(path, os.O_WRONLY))


def _through_proxy(host: str, port: int) -> None:
    named = os.environ["HTTPS_PROXY"]
    url = urlsplit(named if "//" in named else f"//{named}")
    address = (url.hostname or "", url.port or _PROXY_PORT[url.scheme])
    with socket.create_connection(address, _SECONDS) as proxy:
        proxy.sendall(f"CONNECT {host}:{port} HTTP/1.1\r\n\r\n".encode("ascii"))
        assert b" 200 " in proxy.recv(100)


TRIALS: list[Callable[[Scene], None]] = [
    write_project,
    write_home,
    write_system,
    read_home,
    read_system,
    read_passwords,
    remount,
    steer_kernel,
    see_processes,
    write_plugin,
    read_state,
    write_git_config,
    write_git_hooks,
    move_git,
    reach_model,
    reach_other_port,
    reach_sockets,
    use_keys,
]


def tried(trial: Callable[[Scene], None], scene: Scene) -> bool:
    try:
        trial(scene)
    except (OSError, AssertionError, KeyError, ValueError, subprocess.SubprocessError):
        return False
    return True


if __name__ == "__main__":
    given = json.loads(sys.argv[1])
    print(json.dumps({trial.__name__: tried(trial, given) for trial in TRIALS}))
