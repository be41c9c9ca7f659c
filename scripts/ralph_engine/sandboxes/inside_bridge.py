"""The inner end of a closed network: `inside_bridge.py SOCKET PROXY_PORT PORTS PROGRAM ARGUMENT...`

Standard library only and started by path: it runs in the sandbox, on the pinned Python.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading

_BLOCK = 65536


def main(path: str, proxy: str, ports: str, *argv: str) -> int:
    kinds = {int(proxy): b"proxy\n"}
    kinds.update({int(port): b"port %d\n" % int(port) for port in ports.split(",") if port})
    listeners = [(_listen(port), first) for port, first in kinds.items()]
    child = os.fork()
    if child == 0:
        _become(listeners, argv)
    # The program gets the same signals, and decides about them.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_IGN)
    for stream in (0, 1, 2):
        # Held open here, they would look to the runner as if the program still spoke.
        os.dup2(os.open(os.devnull, os.O_RDWR), stream)
    for listener, first in listeners:
        threading.Thread(target=_serve, args=(listener, first, path), daemon=True).start()
    status = os.waitpid(child, 0)[1]
    return os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status)


def _become(listeners: list[tuple[socket.socket, bytes]], argv: tuple[str, ...]) -> None:
    for listener, _ in listeners:
        listener.close()
    # Python ignores this one, and an ignored signal stays so in the program.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        os.execvp(argv[0], argv)
    except OSError as error:
        sys.stderr.write(f"{argv[0]}: {error.strerror}\n")
        sys.stderr.flush()
        os._exit(127)


def _listen(port: int) -> socket.socket:
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", port))
    listener.listen(64)
    return listener


def _serve(listener: socket.socket, first: bytes, path: str) -> None:
    while True:
        near = listener.accept()[0]
        threading.Thread(target=_visit, args=(near, first, path), daemon=True).start()


def _visit(near: socket.socket, first: bytes, path: str) -> None:
    with near, socket.socket(socket.AF_UNIX) as far:
        try:
            far.connect(path)
            far.sendall(first)
        except OSError:
            return
        join(near, far)


def join(near: socket.socket, far: socket.socket) -> None:
    """Both ways until both are done."""
    back = threading.Thread(target=_copy, args=(far, near), daemon=True)
    back.start()
    _copy(near, far)
    back.join()


def _copy(source: socket.socket, target: socket.socket) -> None:
    try:
        while True:
            block = source.recv(_BLOCK)
            if not block:
                break
            target.sendall(block)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        for end in (source, target):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
