"""The Messages, the Responses and the Gemini API on loopback, answered from one script."""

from __future__ import annotations

import json
import socket
import struct
from collections.abc import Iterable
from http.server import BaseHTTPRequestHandler
from types import TracebackType
from typing import Any

from ralph_engine.scripted_model import amp_server, generate_content, responses
from ralph_engine.scripted_model.loopback import LoopbackServer
from ralph_engine.scripted_model.reply import error_body, event_stream, message
from ralph_engine.scripted_model.request import Request
from ralph_engine.scripted_model.script import Script, ScriptEntry
from ralph_engine.scripted_model.turns import Turn

IDLE_SECONDS = 600
MOST_BODY_BYTES = 64 * 1024 * 1024
RESET_ON_CLOSE = struct.pack("ii", 1, 0)
JSON = "application/json"
RESPONSES = "/v1/responses"
MESSAGES = ("/v1/messages", amp_server.MESSAGES)


class ScriptedModel:
    """Serves inside its `with` block; what went wrong in a callable turn is raised at its end."""

    def __init__(self, script: Iterable[ScriptEntry]) -> None:
        self._script = Script(script)

    def __enter__(self) -> ScriptedModel:
        self._server = MessagesServer(self._script)
        self._server.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.close()
        errors = self._script.errors + self._server.errors
        if errors and error is None:
            raise errors[0]

    @property
    def url(self) -> str:
        return self._server.url

    @property
    def requests(self) -> list[Request]:
        return self._script.requests

    @property
    def answers_past_the_end(self) -> int:
        return self._script.answers_past_the_end


class MessagesServer(LoopbackServer):
    def __init__(self, script: Script) -> None:
        self.script = script
        super().__init__(MessagesHandler)


class MessagesHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    timeout = IDLE_SECONDS
    server: MessagesServer

    def do_POST(self) -> None:
        try:
            body = self._read_body()
        except ValueError as error:
            self._refuse(400, str(error))
            return
        path = self.path.partition("?")[0]
        if path in (*MESSAGES, RESPONSES) or generate_content.model_in(path):
            self._play(self.server.script.answer(Request(body)), body, path)
        elif path == amp_server.PATH:
            self._send_json(amp_server.answer(body))
        elif path == "/v1/messages/count_tokens":
            self._send_json({"input_tokens": len(json.dumps(body)) // 4})
        else:
            self._refuse(404, f"no such path: {path}")

    def do_GET(self) -> None:
        self._refuse(404, f"no such path: {self.path}")

    do_HEAD = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = do_GET

    def _read_body(self) -> dict[str, Any]:
        length = int(self.headers.get("Content-Length", "-1"))
        if not 0 <= length <= MOST_BODY_BYTES:
            raise ValueError(f"a body of 0 to {MOST_BODY_BYTES} bytes is needed, with its length")
        body = json.loads(self.rfile.read(length))
        if not isinstance(body, dict):
            raise ValueError("the body is not a JSON object")
        return body

    def _play(self, turn: Turn, body: dict[str, Any], path: str) -> None:
        if self.server.closing.wait(turn.get("after", 0)):
            self.close_connection = True
        elif "drop" in turn:
            self._reset()
        elif "fail" in turn:
            self._send(turn["fail"], JSON, _error(turn, path), turn.get("headers", {}))
        elif path == RESPONSES:
            answer = responses.response(turn, body.get("model", ""))
            stream = responses.event_stream(answer, turn.get("breaks", ""))
            self._send(200, "text/event-stream", stream, {})
        elif path not in MESSAGES:
            self._generate(turn, path)
        else:
            self._send_message(turn, message(turn, body.get("model", "")), bool(body.get("stream")))

    def _send_message(self, turn: Turn, message: dict[str, Any], streamed: bool) -> None:
        if streamed:
            stream = event_stream(message, turn.get("breaks", ""))
            self._send(200, "text/event-stream", stream, {})
        else:
            self._send_json(message)

    def _generate(self, turn: Turn, path: str) -> None:
        answer = generate_content.response(turn, str(generate_content.model_in(path)))
        if generate_content.is_streamed(path):
            self._send(200, "text/event-stream", generate_content.event_stream(answer), {})
        else:
            self._send_json(answer)

    def _reset(self) -> None:
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET_ON_CLOSE)
        self.close_connection = True

    def _refuse(self, status: int, text: str) -> None:
        self.close_connection = True
        self._send(status, JSON, error_body(status, text), {"Connection": "close"})

    def _send_json(self, data: dict[str, Any]) -> None:
        self._send(200, JSON, json.dumps(data).encode(), {})

    def _send(self, status: int, kind: str, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": len(body), **headers}.items():
            self.send_header(name, str(value))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        pass


def _error(turn: Turn, path: str) -> bytes:
    text = turn.get("message", "")
    if path == RESPONSES:
        return responses.error_body(text, turn.get("error", {}))
    if path not in MESSAGES:
        return generate_content.error_body(turn["fail"], text, turn.get("error", {}))
    return error_body(turn["fail"], text)
