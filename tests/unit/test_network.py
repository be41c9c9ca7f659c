"""Which hosts a closed network reaches, and the bridge that holds to it."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from ralph_engine.sandboxes import network
from ralph_engine.sandboxes.backend import Place
from ralph_engine.sandboxes.bridge import Bridge
from ralph_engine.sandboxes.network import Allowed, Rule


def place(agent: str = "claude", *hosts: str, **environment: str) -> Place:
    return Place("/p", "ralph", "/s", "/plugin", ((agent,),), (agent,), environment, "deny", hosts)


@pytest.mark.parametrize(
    ("hosts", "host", "port", "wanted"),
    [
        (["example.com"], "example.com", 443, True),
        (["example.com"], "EXAMPLE.com.", 80, True),
        (["example.com"], "example.com", 22, False),
        (["example.com"], "sub.example.com", 443, False),
        (["example.com"], "notexample.com", 443, False),
        (["*.example.com"], "a.b.example.com", 443, True),
        (["*.example.com"], "example.com", 443, False),
        (["*.example.com"], "badexample.com", 443, False),
        (["example.com:8443"], "example.com", 8443, True),
        (["example.com:8443"], "example.com", 443, False),
        ([], "api.anthropic.com", 443, True),
        ([], "127.0.0.1", 443, False),
        (["127.0.0.1:5432"], "127.0.0.1", 5432, False),
    ],
)
def test_a_host_is_reached_by_its_name(
    hosts: list[str], host: str, port: int, wanted: bool
) -> None:
    assert network.allowed(place("claude", *hosts)).reaches(host, port) is wanted


def test_another_endpoint_takes_the_place_of_the_providers_own() -> None:
    found = network.allowed(place("claude", ANTHROPIC_BASE_URL="https://gateway.test:8443/v1"))
    assert found == Allowed((Rule("gateway.test", 8443),), ())


def test_an_endpoint_on_this_machine_is_one_port_and_no_host() -> None:
    here = place("claude", "127.0.0.1:5432", ANTHROPIC_BASE_URL="http://127.0.0.1:4000")
    assert network.allowed(here) == Allowed((), (4000, 5432))
    assert network.sentence(here) == "only 127.0.0.1:4000, 127.0.0.1:5432"


def test_an_unknown_agent_reaches_what_a_person_named_and_nothing_else() -> None:
    assert network.sentence(place("command")) == "none"
    assert network.sentence(place("command", "a.test", "b.test:1")) == "only a.test, b.test:1"


def test_an_endpoint_of_another_agent_takes_nothing_away() -> None:
    here = place("claude", OPENAI_BASE_URL="http://localhost:11434")
    assert network.allowed(here) == network.allowed(place("claude"))
    both = here._replace(agent_names=("claude", "codex"))
    assert network.allowed(both) == Allowed(network.allowed(here).rules, (11434,))
    assert network.allowed(place("command", **here.environment)) == Allowed((), (11434,))


def test_a_microvm_has_no_endpoint_and_no_loopback_of_the_hosts() -> None:
    here = place("claude", "127.0.0.1:5432", "a.test", ANTHROPIC_BASE_URL="http://127.0.0.1:4000")
    inside = network.of_own_machine(here)
    assert network.allowed(inside) == network.allowed(place("claude", "a.test"))


class Echo:
    """Answers each connection with what came first."""

    def __init__(self) -> None:
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port = self._server.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                near = self._server.accept()[0]
            except OSError:
                return
            with near:
                near.sendall(b"echo " + near.recv(65536))

    def close(self) -> None:
        self._server.close()


@pytest.fixture
def echo() -> Iterator[Echo]:
    made = Echo()
    yield made
    made.close()


def told(bridge: Bridge, data: bytes) -> bytes:
    folder = os.open(os.path.dirname(bridge.path), os.O_RDONLY)
    try:
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(10)
            client.connect(f"/proc/self/fd/{folder}/{os.path.basename(bridge.path)}")
            client.sendall(data)
            client.shutdown(socket.SHUT_WR)
            return b"".join(iter(lambda: client.recv(65536), b""))
    except ConnectionResetError:
        # It left without reading all of ours.
        return b""
    finally:
        os.close(folder)


@pytest.fixture
def bridge(tmp_path: Path, echo: Echo) -> Iterator[Bridge]:
    # Deeper than a socket's path may be long.
    folder = tmp_path / ("deep" * 30)
    folder.mkdir()
    (folder / "bridge-999999999").touch()
    made = Bridge(Allowed((Rule("127.0.0.1", echo.port),), (echo.port,)), str(folder))
    made.start()
    yield made
    made.stop()
    assert list(folder.iterdir()) == []


def test_the_bridge_forwards_an_allowed_port(bridge: Bridge, echo: Echo) -> None:
    assert told(bridge, b"port %d\nhello" % echo.port) == b"echo hello"


def test_the_bridge_makes_a_tunnel_to_an_allowed_host(bridge: Bridge, echo: Echo) -> None:
    request = b"proxy\nCONNECT 127.0.0.1:%d HTTP/1.1\r\n\r\n" % echo.port
    assert told(bridge, request).startswith(b"HTTP/1.1 200 Connection established\r\n\r\n")


def test_the_bridge_passes_a_plain_request_on_as_the_host_expects_it(
    bridge: Bridge, echo: Echo
) -> None:
    request = b"proxy\nGET http://127.0.0.1:%d/a?b=c HTTP/1.1\r\nHost: x\r\n\r\n" % echo.port
    assert told(bridge, request) == b"echo GET /a?b=c HTTP/1.1\r\nHost: x\r\n\r\n"


def test_the_bridge_refuses_all_else_and_remembers_it(bridge: Bridge, echo: Echo) -> None:
    other = socket.create_server(("127.0.0.1", 0))
    port = other.getsockname()[1]
    body = b"ralph: 127.0.0.1:%d is not allowed; sandbox.allowHosts names what may be reached\n"
    for _ in range(2):
        answer = told(bridge, b"proxy\nCONNECT 127.0.0.1:%d HTTP/1.1\r\n\r\n" % port)
        assert answer.startswith(b"HTTP/1.1 403 Forbidden\r\n")
        assert answer.endswith(b"\r\n\r\n" + body % port)
        assert told(bridge, b"port %d\nhello" % port) == b""
    assert bridge.refused() == [f"127.0.0.1:{port}"]
    other.settimeout(0.1)
    with pytest.raises(TimeoutError):
        other.accept()
    other.close()


@pytest.mark.parametrize(
    "data",
    [b"", b"\n", b"port\n", b"port x\n", b"port -1\n", b"what\n", b"proxy\n", b"proxy\nGET\r\n\r\n"]
    + [b"proxy\nCONNECT [ HTTP/1.1\r\n\r\n", b"proxy\n\xff \xff \xff\r\n\r\n", b"x" * 200],
)
def test_nonsense_ends_one_connection_and_no_more(bridge: Bridge, echo: Echo, data: bytes) -> None:
    assert b"200" not in told(bridge, data)
    assert told(bridge, b"port %d\nhello" % echo.port) == b"echo hello"


def test_every_agent_of_a_run_reaches_its_own_model() -> None:
    both = place()._replace(agent_names=("claude", "codex"))
    known = network.allowed(both)
    assert known.reaches("api.anthropic.com", 443) and known.reaches("api.openai.com", 443)
    assert not network.allowed(place()).reaches("api.openai.com", 443)


def test_an_endpoint_of_one_agent_counts_where_that_agent_works() -> None:
    elsewhere = {"GOOGLE_GEMINI_BASE_URL": "https://models.example.org"}
    one = place()._replace(environment=elsewhere, agent_names=("claude",))
    assert network.allowed(one).reaches("api.anthropic.com", 443)
    other = one._replace(agent_names=("gemini",))
    assert network.allowed(other).reaches("models.example.org", 443)
    assert not network.allowed(one).reaches("models.example.org", 443)
