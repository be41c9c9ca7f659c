"""An HTTP server on 127.0.0.1 that leaves no thread and no connection behind."""

from __future__ import annotations

import contextlib
import socket
import socketserver
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

POLL_SECONDS = 0.02


class LoopbackServer(ThreadingHTTPServer):
    daemon_threads = False  # server_close() joins only the others
    request_queue_size = 128

    def __init__(self, handler: type[BaseHTTPRequestHandler]) -> None:
        self.closing = threading.Event()
        self.errors: list[Exception] = []
        self._connections: set[socket.socket] = set()
        self._lock = threading.Lock()
        super().__init__(("127.0.0.1", 0), handler)
        self._acceptor = threading.Thread(target=self.serve_forever, args=(POLL_SECONDS,))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def start(self) -> None:
        self._acceptor.start()

    def close(self) -> None:
        self.closing.set()
        self.shutdown()
        self._acceptor.join()
        self._hang_up()
        self.server_close()

    def _hang_up(self) -> None:
        with self._lock:
            for connection in self._connections:
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)

    def server_bind(self) -> None:
        # HTTPServer's own looks the host's name up, which takes seconds on some machines.
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = "127.0.0.1", self.server_address[1]

    def process_request(self, request: Any, client_address: Any) -> None:
        with self._lock:
            self._connections.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        # The inherited one says a polite goodbye first, and a reset would not be a reset.
        with self._lock:
            self._connections.discard(request)
        self.close_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        error = sys.exc_info()[1]
        if isinstance(error, Exception) and not isinstance(error, OSError):
            self.errors.append(error)
