"""The scripted model at the level of HTTP."""

from __future__ import annotations

import http.client
import json
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from ralph_engine.scripted_model import (
    SCRIPT_OVER,
    Request,
    ScriptedModel,
    Turn,
    call,
    drop,
    empty,
    fail,
    say,
    think,
    turn,
)

Json = dict[str, Any]
MAIN: Json = {"model": "claude-x", "tools": [{"name": "Bash"}], "messages": []}


class Answer:
    def __init__(self, response: http.client.HTTPResponse) -> None:
        self.status = response.status
        self.headers = response.headers
        self.body = response.read()

    @property
    def json(self) -> Json:
        parsed: Json = json.loads(self.body)
        return parsed

    @property
    def text(self) -> str:
        return "".join(block.get("text", "") for block in self.json["content"])

    @property
    def events(self) -> Iterator[Json]:
        for event in self.body.decode().strip().split("\n\n"):
            name, data = event.split("\n")
            parsed = json.loads(data[len("data: ") :])
            assert name == f"event: {parsed['type']}"
            yield parsed


def connect(model: ScriptedModel) -> http.client.HTTPConnection:
    return http.client.HTTPConnection(model.url[len("http://") :], timeout=10)


def post(model: ScriptedModel, body: Any, path: str = "/v1/messages?beta=true") -> Answer:
    connection = connect(model)
    connection.request("POST", path, json.dumps(body))
    try:
        return Answer(connection.getresponse())
    finally:
        connection.close()


class Delay:
    """A turn that takes an hour, and says when that hour has begun."""

    def __init__(self) -> None:
        self.begun = threading.Event()

    def __call__(self, request: Request) -> Turn:
        self.begun.set()
        return turn(say("late"), after=3600)

    def begin(self, model: ScriptedModel) -> http.client.HTTPConnection:
        connection = connect(model)
        connection.request("POST", "/v1/messages", json.dumps(MAIN))
        assert self.begun.wait(10)
        return connection


def test_stream_of_every_kind_of_block_in_order() -> None:
    blocks = turn(think("hm"), say("Let's see"), call("Bash", command="ls"))
    with ScriptedModel([blocks]) as model:
        answer = post(model, {**MAIN, "stream": True})
    events = list(answer.events)
    assert answer.headers["Content-Type"] == "text/event-stream"
    assert [event["type"] for event in events] == [
        "message_start",
        *["content_block_start", *["content_block_delta"] * 2, "content_block_stop"],
        *["content_block_start", "content_block_delta", "content_block_stop"] * 2,
        "message_delta",
        "message_stop",
    ]
    assert [e["index"] for e in events if "index" in e] == [0, 0, 0, 0, 1, 1, 1, 2, 2, 2]
    deltas = [e["delta"] for e in events if e["type"] == "content_block_delta"]
    assert deltas[0] == {"type": "thinking_delta", "thinking": "hm"}
    assert deltas[1]["type"] == "signature_delta"
    assert deltas[2] == {"type": "text_delta", "text": "Let's see"}
    assert json.loads(deltas[3]["partial_json"]) == {"command": "ls"}
    assert events[-2]["delta"]["stop_reason"] == "tool_use"


def test_stream_starts_with_empty_blocks() -> None:
    with ScriptedModel([turn(say("text"), call("Bash", command="ls"))]) as model:
        answer = post(model, {**MAIN, "stream": True})
    starts = [e["content_block"] for e in answer.events if e["type"] == "content_block_start"]
    assert starts[0] == {"type": "text", "text": ""}
    assert starts[1]["input"] == {}
    assert starts[1]["id"].startswith("toolu_")


def test_usage_in_the_stream() -> None:
    usage = {"input": 1, "cache_read": 2, "cache_creation": 3, "output": 4}
    with ScriptedModel([turn(say("x"), usage=usage)]) as model:
        events = list(post(model, {**MAIN, "stream": True}).events)
    expected = {
        "input_tokens": 1,
        "cache_read_input_tokens": 2,
        "cache_creation_input_tokens": 3,
        "output_tokens": 4,
    }
    assert events[-2]["usage"] == expected
    assert events[0]["message"]["usage"] == expected


def test_plain_json_without_stream() -> None:
    with ScriptedModel([say("one"), turn(say("two"), model="claude-y")]) as model:
        first, second = post(model, MAIN), post(model, MAIN)
    assert first.headers["Content-Type"] == "application/json"
    assert first.json["content"] == [{"type": "text", "text": "one"}]
    assert (first.json["role"], first.json["stop_reason"]) == ("assistant", "end_turn")
    assert (first.json["model"], second.json["model"]) == ("claude-x", "claude-y")
    assert first.json["id"] != second.json["id"]


def test_empty_turn_has_no_content() -> None:
    with ScriptedModel([empty()]) as model:
        events = list(post(model, {**MAIN, "stream": True}).events)
    assert [e["type"] for e in events] == ["message_start", "message_delta", "message_stop"]


def test_failure_has_status_headers_and_error_body() -> None:
    with ScriptedModel([fail(529, "too busy", {"retry-after": "7"}), fail(418)]) as model:
        busy, odd = post(model, MAIN), post(model, MAIN)
    assert (busy.status, busy.headers["retry-after"]) == (529, "7")
    error = {"type": "overloaded_error", "message": "too busy"}
    assert busy.json == {"type": "error", "error": error}
    assert odd.json["error"] == {"type": "api_error", "message": "api_error"}


def test_drop_resets_the_connection() -> None:
    with ScriptedModel([drop(), say("after it")]) as model:
        with pytest.raises(ConnectionResetError) as caught:
            post(model, MAIN)
        assert post(model, MAIN).text == "after it"
    assert caught.type is ConnectionResetError  # not RemoteDisconnected, its polite child


def test_side_calls_do_not_consume_the_script() -> None:
    with ScriptedModel([say("main")]) as model:
        side = post(model, {"model": "small", "messages": []})
        main = post(model, MAIN)
    assert side.status == 200
    assert side.text not in ("", "main")
    assert main.text == "main"
    assert len(model.requests) == 1


def test_answers_past_the_end_are_counted_and_bounded() -> None:
    with ScriptedModel([say("only")]) as model:
        texts = [post(model, MAIN).text for _ in range(3)]
        assert texts == ["only", SCRIPT_OVER, SCRIPT_OVER]
        assert model.answers_past_the_end == 2
        statuses = [post(model, MAIN).status for _ in range(100)]
    assert statuses == [200] * 98 + [400] * 2
    assert len(model.requests) == 101


def test_a_script_is_plain_json() -> None:
    script = [turn(say("x"), call("Bash", a=1), usage={"input": 1}, after=0), fail(500), drop(0)]
    assert json.loads(json.dumps(script)) == script


def test_a_callable_turn_gets_the_request() -> None:
    def echo(request: Request) -> Turn:
        return say(request.body["model"] + "!")

    with ScriptedModel([echo]) as model:
        assert post(model, MAIN).text == "claude-x!"


def test_an_error_in_a_callable_turn_is_raised_at_the_end() -> None:
    def refuse(request: Request) -> Turn:
        raise AssertionError("not what I expected")

    with pytest.raises(AssertionError, match="not what I expected"), ScriptedModel([refuse]) as m:
        answer = post(m, MAIN)
    assert answer.status == 400
    assert "not what I expected" in answer.json["error"]["message"]


def test_a_bad_turn_made_by_a_callable_is_named() -> None:
    def misspell(request: Request) -> Turn:
        return {"content": [], "aftr": 1}

    with pytest.raises(ValueError, match="unknown keys: aftr"), ScriptedModel([misspell]) as model:
        post(model, MAIN)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"content": [], "aftr": 1, "usge": {}}, "the turn has unknown keys: aftr, usge"),
        ({"fail": 529, "content": []}, "one of content, fail and drop"),
        ({}, "one of content, fail and drop"),
        ("text", "a turn is an object, not 'text'"),
        ({"content": "text"}, "the turn has a bad content: 'text'"),
        ({"content": ["text"]}, "a block's type is one of text, thinking, tool_use, not None"),
        ({"content": [{"type": "image"}]}, "not 'image'"),
        ({"content": [{"type": []}]}, "not []"),
        ({"content": [{"type": "text"}]}, "the text block lacks text"),
        ({"content": [{"type": "text", "text": "", "txt": ""}]}, "unknown keys: txt"),
        ({"content": [], "usage": {"inputs": 3}}, "usage has unknown keys: inputs"),
        ({"content": [], "usage": {"input": "3"}}, "usage has a bad input: '3'"),
        ({"content": [], "after": "1"}, "the turn has a bad after: '1'"),
        ({"fail": "529"}, "the turn has a bad fail: '529'"),
    ],
)
def test_bad_turns_are_named_at_construction(bad: Any, message: str) -> None:
    with pytest.raises(ValueError) as caught:
        ScriptedModel([say("fine"), bad])
    assert str(caught.value).startswith("turn 2: ")
    assert message in str(caught.value)


def test_readers_of_a_request() -> None:
    result = {"type": "tool_result", "content": [{"type": "text", "text": "output"}]}
    reminder = {"type": "text", "text": "<system-reminder>mind</system-reminder>"}
    messages = [
        {"role": "user", "content": "old"},
        {"role": "assistant", "content": [{"type": "text", "text": "reply"}]},
        {"role": "user", "content": [{"type": "tool_result", "content": "first"}]},
        {"role": "user", "content": [result, reminder, {"type": "image", "source": {}}]},
        {"role": "system", "content": "aside"},
    ]
    request = Request({"messages": messages})
    assert request.last_user_text == f"output\n{reminder['text']}"
    assert request.new_text == f"first\noutput\n{reminder['text']}\naside"


def test_readers_of_a_request_without_messages() -> None:
    assert (Request({}).last_user_text, Request({}).new_text) == ("", "")


def test_count_tokens() -> None:
    with ScriptedModel([]) as model:
        answer = post(model, MAIN, "/v1/messages/count_tokens?beta=true")
    assert answer.json["input_tokens"] > 0
    assert model.requests == []


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "PATCH", "POST"])
def test_anything_else_is_not_found(method: str) -> None:
    with ScriptedModel([]) as model:
        connection = connect(model)
        connection.request(method, "/api/hello", "{}")
        assert connection.getresponse().status == 404
        connection.close()


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"\xff"])
def test_a_bad_body_is_refused(body: bytes) -> None:
    with ScriptedModel([say("unused")]) as model:
        connection = connect(model)
        connection.request("POST", "/v1/messages", body)
        assert connection.getresponse().status == 400
        connection.close()
        assert model.requests == []


@pytest.mark.parametrize("length", ["-1", "many", str(10**12)])
def test_a_bad_length_is_refused_unread(length: str) -> None:
    with ScriptedModel([]) as model:
        connection = connect(model)
        connection.putrequest("POST", "/v1/messages")
        connection.putheader("Content-Length", length)
        connection.endheaders()
        assert connection.getresponse().status == 400
        connection.close()


def test_one_connection_serves_many_requests() -> None:
    with ScriptedModel([say("one"), fail(500), say("three")]) as model:
        connection, statuses = connect(model), []
        for _ in range(3):
            connection.request("POST", "/v1/messages", json.dumps(MAIN))
            statuses.append(Answer(connection.getresponse()).status)
        connection.close()
    assert statuses == [200, 500, 200]


def test_concurrent_requests_get_each_turn_once() -> None:
    names = [str(number) for number in range(200)]
    with ScriptedModel(map(say, names)) as model, ThreadPoolExecutor(50) as pool:
        answers = list(pool.map(lambda _: post(model, MAIN).text, names))
    assert sorted(answers) == sorted(names)
    assert (len(model.requests), model.answers_past_the_end) == (200, 0)


def test_a_delay_holds_up_only_its_own_request() -> None:
    with ScriptedModel([(wait := Delay()), say("prompt")]) as model:
        waiting = wait.begin(model)
        assert post(model, MAIN).text == "prompt"
        waiting.close()


def test_a_client_that_hangs_up_leaves_no_trace(capfd: pytest.CaptureFixture[str]) -> None:
    about_to_answer, hung_up = threading.Event(), threading.Event()

    def wait_until_hung_up(request: Request) -> Turn:
        about_to_answer.set()
        assert hung_up.wait(10)
        return say("x" * 10_000_000)

    with ScriptedModel([wait_until_hung_up, say("still here")]) as model:
        connection = connect(model)
        connection.request("POST", "/v1/messages", json.dumps(MAIN))
        assert about_to_answer.wait(10)
        connection.close()
        hung_up.set()
        assert post(model, MAIN).text == "still here"
    assert capfd.readouterr() == ("", "")


def test_half_a_request_leaves_no_trace(capfd: pytest.CaptureFixture[str]) -> None:
    with ScriptedModel([]) as model:
        host, port = model.url[len("http://") :].split(":")
        with socket.create_connection((host, int(port))) as raw:
            raw.sendall(b"POST /v1/messages HTTP/1.1\r\nContent-Length: 100\r\n\r\n{")
        assert post(model, MAIN).text == SCRIPT_OVER
    assert capfd.readouterr() == ("", "")


def test_closing_leaves_no_thread_and_waits_for_no_one() -> None:
    before = set(threading.enumerate())
    with ScriptedModel([(wait := Delay())]) as model:
        idle, delayed = connect(model), wait.begin(model)
        idle.request("POST", "/v1/messages/count_tokens", "{}")
        Answer(idle.getresponse())
        assert set(threading.enumerate()) > before
    assert set(threading.enumerate()) == before
    with pytest.raises(ConnectionRefusedError):
        post(model, MAIN)
    idle.close()
    delayed.close()


GENERATE = "/v1beta/models/gemini-x:"
ASKED = {"contents": [{"role": "user", "parts": [{"text": "Go on."}]}], "tools": [{}]}


def test_the_gemini_api_streams_a_turn() -> None:
    blocks = turn(think("hm"), say("Let's see"), call("glob", pattern="*"), usage={"cache_read": 5})
    with ScriptedModel([blocks]) as model:
        answer = post(model, ASKED, f"{GENERATE}streamGenerateContent?alt=sse")
    event = json.loads(answer.body[len("data: ") :])
    [candidate] = event["candidates"]
    assert answer.headers["Content-Type"] == "text/event-stream"
    assert candidate["content"]["parts"] == [
        {"thought": True, "text": "hm"},
        {"text": "Let's see"},
        {"functionCall": {"name": "glob", "args": {"pattern": "*"}}},
    ]
    assert event["usageMetadata"]["promptTokenCount"] == 5
    assert event["usageMetadata"]["cachedContentTokenCount"] == 5
    assert event["modelVersion"] == "gemini-x"


def test_the_gemini_api_without_stream_and_with_an_error() -> None:
    with ScriptedModel([say("one"), fail(429, "slow", error={"status": "LATER"})]) as model:
        first = post(model, ASKED, f"{GENERATE}generateContent")
        second = post(model, ASKED, f"{GENERATE}generateContent")
    assert first.json["candidates"][0]["content"]["parts"] == [{"text": "one"}]
    assert (second.status, second.json) == (
        429,
        {"error": {"code": 429, "message": "slow", "status": "LATER"}},
    )


def test_readers_of_a_request_to_gemini() -> None:
    more = {"role": "model", "parts": [{"text": "mine"}]}
    result = {"role": "user", "parts": [{"functionResponse": {"name": "glob"}}, {"text": "new"}]}
    request = Request({"contents": [*ASKED["contents"], more, result]})
    assert (request.new_text, request.last_user_text) == ("new", "new")


def test_amps_server_knows_the_user_and_passes_the_model_on() -> None:
    with ScriptedModel([say("main")]) as model:
        user = post(model, {"method": "getUserInfo"}, "/api/internal?getUserInfo")
        kept = post(model, {"method": "uploadThread"}, "/api/internal?uploadThread")
        title = {**MAIN, "tool_choice": {"type": "tool", "name": "set_title"}}
        aside = post(model, title, "/api/provider/anthropic/v1/messages")
        main = post(model, MAIN, "/api/provider/anthropic/v1/messages")
    assert user.json["result"]["features"] == []
    assert kept.json == {"ok": True, "result": {}}
    assert aside.text != "main"
    assert main.text == "main"
