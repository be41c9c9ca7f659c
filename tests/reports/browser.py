"""Headless Chromium, driven through its debugging pipe; it can reach nobody."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

SECONDS = 60.0
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--disable-dev-shm-usage", "--remote-debugging-pipe"),
    "--host-resolver-rules=MAP * ~NOTFOUND",
)
Message = dict[str, Any]


class Browser:
    def __init__(self, folder: Path) -> None:
        program = shutil.which("chromium") or shutil.which("chromium-browser")
        assert program, "the tests need Chromium: scripts/test.sh installs it"
        self.seen: list[Message] = []
        self._number, self._rest = 0, b""
        (theirs, self._out), (self._in, theirs_too) = os.pipe(), os.pipe()
        # It reads commands from 3 and answers at 4, whatever numbers these have here.
        shell = f'exec "$@" 3<&{theirs} 4>&{theirs_too}'
        argv = [program, *FLAGS, f"--user-data-dir={folder / 'profile'}", "about:blank"]
        self._process = subprocess.Popen(
            ["bash", "-c", shell, "bash", *argv],
            env={**os.environ, "HOME": str(folder)},
            pass_fds=(theirs, theirs_too),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(theirs)
        os.close(theirs_too)
        target = self._ask("Target.createTarget", {"url": "about:blank"})["targetId"]
        attached = self._ask("Target.attachToTarget", {"targetId": target, "flatten": True})
        self._session = attached["sessionId"]
        for name in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{name}.enable")

    def open(self, page: Path, width: int, height: int, scheme: str) -> None:
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self.ask("Emulation.setDeviceMetricsOverride", size)
        wanted = [{"name": "prefers-color-scheme", "value": scheme}]
        self.ask("Emulation.setEmulatedMedia", {"features": wanted})
        self.seen.clear()
        self.ask("Page.navigate", {"url": page.as_uri()})
        while not any(message["method"] == "Page.loadEventFired" for message in self.seen):
            self._next()

    def value(self, expression: str) -> Any:
        asked = {"expression": expression, "returnByValue": True}
        answer = self.ask("Runtime.evaluate", asked)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def picture(self, path: Path) -> None:
        asked = {"captureBeyondViewport": True, "format": "png"}
        path.write_bytes(base64.b64decode(self.ask("Page.captureScreenshot", asked)["data"]))

    def requests(self) -> list[str]:
        sent = [m["params"] for m in self.seen if m["method"] == "Network.requestWillBeSent"]
        return [params["request"]["url"] for params in sent]

    def complaints(self) -> list[Message]:
        kinds = ("Log.entryAdded", "Runtime.consoleAPICalled", "Runtime.exceptionThrown")
        return [message for message in self.seen if message["method"] in kinds]

    def ask(self, method: str, params: Mapping[str, Any] | None = None) -> Message:
        return self._ask(method, params, sessionId=self._session)

    def _ask(self, method: str, params: Mapping[str, Any] | None = None, **more: Any) -> Message:
        self._number += 1
        asked = {"id": self._number, "method": method, "params": params or {}, **more}
        os.write(self._out, json.dumps(asked).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._number:
                assert "result" in answer, answer
                result: Message = answer["result"]
                return result

    def _next(self) -> Message:
        deadline = time.monotonic() + SECONDS
        while b"\0" not in self._rest:
            left = max(0.0, deadline - time.monotonic())
            assert select.select([self._in], [], [], left)[0], "Chromium does not answer"
            block = os.read(self._in, 1 << 20)
            assert block, "Chromium has ended"
            self._rest += block
        line, _, self._rest = self._rest.partition(b"\0")
        message: Message = json.loads(line)
        if "method" in message:
            self.seen.append(message)
        return message

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, *_: object) -> None:
        """It ends when nobody is at the other end of the pipe."""
        os.close(self._out)
        os.close(self._in)
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
