"""The host's end of a closed network: a proxy that connects only where it is allowed to."""

from __future__ import annotations

import os
import socket
import socketserver
import threading
from urllib.parse import urlsplit

from ..core import files
from .inside_bridge import join
from .network import Allowed

_NAME = "bridge-"
_HEAD = 65536
_BLOCK = 65536
_PATIENCE = 30.0
_MOST = 256


class Bridge:
    """Listens at a socket of ours; its threads end with us."""

    def __init__(self, allowed: Allowed, folder: str) -> None:
        self._allowed, self._folder = allowed, folder
        self._name = f"{_NAME}{os.getpid()}"
        self._server: _Server | None = None
        self._refused: list[str] = []

    @property
    def path(self) -> str:
        return os.path.join(self._folder, self._name)

    def start(self) -> None:
        self._forget_old()
        folder = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            # A socket's path has at most 107 bytes: a state folder may be deeper than that.
            short = f"/proc/self/fd/{folder}/{self._name}"
            self._server = _Server(short, self._allowed, self._refused)
        finally:
            os.close(folder)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def _forget_old(self) -> None:
        """Of runners that were killed; one that lives has its number still."""
        for name in os.listdir(self._folder):
            number = name[len(_NAME) :]
            if name.startswith(_NAME) and number.isdigit() and not _lives(int(number)):
                files.remove(self._folder, name)

    def refused(self) -> list[str]:
        """Each host and port once, in the order of the first attempt."""
        return list(dict.fromkeys(self._refused))

    def stop(self) -> None:
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            files.remove(self._folder, self._name)
            self._server = None


class _Server(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def __init__(self, path: str, allowed: Allowed, refused: list[str]) -> None:
        self.allowed, self.refused = allowed, refused
        self.room = threading.BoundedSemaphore(_MOST)
        super().__init__(path, _Visit)

    def refuse(self, target: str) -> None:
        if len(self.refused) < 10_000:
            self.refused.append(target)


class _Visit(socketserver.BaseRequestHandler):
    """One connection. Its first line comes from inside_bridge.py, or from whoever plays it."""

    server: _Server

    def handle(self) -> None:
        with self.server.room:
            self.request.settimeout(_PATIENCE)
            try:
                self._serve()
            except (OSError, ValueError, UnicodeError):
                # The other side left, or said what no client says.
                pass

    def _serve(self) -> None:
        kind, _, rest = _line(self.request).partition(b" ")
        if kind == b"port":
            self._forward(int(rest))
        elif kind == b"proxy":
            self._proxy()

    def _forward(self, port: int) -> None:
        if port not in self.server.allowed.loopback:
            return self.server.refuse(f"127.0.0.1:{port}")
        with socket.create_connection(("127.0.0.1", port), _PATIENCE) as far:
            _join(self.request, far)

    def _proxy(self) -> None:
        head = _head(self.request)
        method, target, version = head.split(b"\r\n", 1)[0].decode("ascii").split(" ")
        tunnel = method == "CONNECT"
        url = urlsplit(f"//{target}" if tunnel else target)
        host, port = url.hostname or "", url.port or (443 if tunnel else 80)
        if not self.server.allowed.reaches(host, port):
            self.server.refuse(f"{host}:{port}")
            self.request.sendall(_answer("403 Forbidden", f"{host}:{port} is not allowed"))
            return
        with socket.create_connection((host, port), _PATIENCE) as far:
            if tunnel:
                self.request.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
            else:
                path = url._replace(scheme="", netloc="").geturl() or "/"
                line = f"{method} {path} {version}".encode("ascii")
                far.sendall(line + b"\r\n" + head.split(b"\r\n", 1)[1])
            _join(self.request, far)


def _lives(pid: int) -> bool:
    return pid != os.getpid() and os.path.exists(f"/proc/{pid}")


def _answer(status: str, text: str) -> bytes:
    body = f"ralph: {text}; sandbox.allowHosts names what may be reached\n".encode()
    head = f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    return head.encode("ascii") + body


def _line(near: socket.socket) -> bytes:
    """Byte by byte: what follows belongs to another reader."""
    found = bytearray()
    while not found.endswith(b"\n") and len(found) < 100:
        block = near.recv(1)
        if not block:
            break
        found += block
    return bytes(found).strip()


def _head(near: socket.socket) -> bytes:
    found = bytearray()
    while b"\r\n\r\n" not in found:
        block = near.recv(_BLOCK)
        if not block or len(found) > _HEAD:
            raise ValueError("no request")
        found += block
    return bytes(found)


def _join(near: socket.socket, far: socket.socket) -> None:
    """From here on each may be silent as long as it likes."""
    near.settimeout(None)
    far.settimeout(None)
    join(near, far)
