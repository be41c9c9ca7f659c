"""What `sandbox test` tries: by any way to a proxy, and what a microVM should give."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from ralph_engine import sandbox_trial
from ralph_engine.sandboxes import bwrap, sbx, trial_inside


@pytest.fixture
def proxy() -> Iterator[int]:
    """Says yes to each."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            with server.accept()[0] as near:
                near.recv(1000)
                near.sendall(b"HTTP/1.1 200 OK\r\n\r\n")

        threading.Thread(target=serve, daemon=True).start()
        yield server.getsockname()[1]


SCENE = {"model": ["model.test", 443], "near": False}


@pytest.mark.parametrize(
    "form", ["http://127.0.0.1:{}", "http://u:p@127.0.0.1:{}/", "127.0.0.1:{}"]
)
def test_the_model_is_reached_through_a_proxy(
    proxy: int, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", form.format(proxy))
    assert trial_inside.tried(trial_inside.reach_model, SCENE)


@pytest.mark.parametrize("named", ["127.0.0.1:none", "x://[", "socks5://127.0.0.1", "http://"])
def test_a_proxy_that_makes_no_sense_is_a_no(named: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", named)
    assert not trial_inside.tried(trial_inside.reach_model, SCENE)


def test_other_ports_of_this_machine_are_never_wanted_in_a_microvm() -> None:
    row = next(row for row in sandbox_trial.ROWS if row.name == "reach_other_port")
    assert sandbox_trial.fit(row, sbx.Sandbox.OWN_PROGRAMS).open == "no"
    assert sandbox_trial.fit(row, bwrap.Sandbox.OWN_PROGRAMS) == row


def test_a_socket_is_made_by_its_whole_path_where_there_is_no_shorter_one(tmp_path: Path) -> None:
    folder = os.open(tmp_path, os.O_RDONLY)
    assert os.path.samefile(sandbox_trial.short(folder, "/absent"), tmp_path)
    os.close(folder)
    assert sandbox_trial.short(folder, "/its own path") == "/its own path"
