"""Any bytes, cut anywhere: the same events, never an exception."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from ralph_engine import line_view
from ralph_engine.agents import KNOWN, choose, command
from ralph_engine.agents.adapter import Adapter
from ralph_engine.agents.endings import KINDS
from ralph_engine.agents.events import Event, as_json
from ralph_engine.agents.lines import Line, Splitter

CASSETTES = Path(__file__).resolve().parents[1] / "cassettes"


def recorded(adapter: Adapter) -> list[bytes]:
    paths = (CASSETTES / adapter.NAME).rglob("*.jsonl")
    return sorted({line for path in paths for line in path.read_bytes().splitlines()})


STREAMING: list[Adapter] = [choose(name) for name in KNOWN]
ADAPTERS: list[Adapter] = [*STREAMING, command]
RECORDED = [line for adapter in STREAMING for line in recorded(adapter)]
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)


@st.composite
def altered(draw: st.DrawFn) -> bytes:
    """A recorded event in which one value, at any depth, is any other."""
    event = json.loads(draw(st.sampled_from(RECORDED)))
    place = event
    while True:
        key = draw(st.sampled_from(sorted(place) if isinstance(place, dict) else range(len(place))))
        if not (isinstance(place[key], (dict, list)) and place[key] and draw(st.booleans())):
            break
        place = place[key]
    place[key] = draw(values)
    return json.dumps(event).encode()


entries = st.one_of(st.binary(max_size=40), st.sampled_from(RECORDED), altered())
streams = st.lists(entries, max_size=8).map(b"\n".join)
cuts = st.lists(st.integers(0, 5000), max_size=12)


def chunks(stream: bytes, places: list[int]) -> list[bytes]:
    ends = [0, *sorted(place % (len(stream) + 1) for place in places), len(stream)]
    return [stream[start:end] for start, end in zip(ends, ends[1:])]


def lines(parts: list[bytes], cap: int) -> list[Line]:
    splitter = Splitter(cap)
    return [line for part in parts for line in splitter.feed(part)] + splitter.close()


def read(adapter: Adapter, parts: list[bytes]) -> tuple[list[Event], object]:
    parser = adapter.Parser()
    events = [event for line in lines(parts, 1 << 20) for event in parser.feed(line.data)]
    return events, (parser.final_text, parser.result, adapter.ended(parser, 0, None))


@given(
    st.binary(max_size=60) | st.text("ab\r\n", max_size=30).map(str.encode),
    cuts,
    st.integers(1, 20),
)
def test_chunks_do_not_change_lines(stream: bytes, places: list[int], cap: int) -> None:
    found = lines(chunks(stream, places), cap)
    expected = stream.split(b"\n")
    ended = [line[:-1] if line.endswith(b"\r") else line for line in expected]
    shown = [Line(line[:cap], len(line) > cap) for line in ended]
    # A stream that ends with a newline has no further line behind it.
    assert found == (shown if expected[-1] else shown[:-1])


@settings(deadline=None)
@given(streams, cuts)
def test_chunks_do_not_change_events(stream: bytes, places: list[int]) -> None:
    for adapter in ADAPTERS:
        assert read(adapter, chunks(stream, places)) == read(adapter, [stream])


@settings(deadline=None)
@given(streams, st.none() | st.integers(-70, 300), st.sampled_from([None, "timeout", "signal"]))
def test_any_stream_can_be_judged_recorded_and_shown(
    stream: bytes, code: int | None, cause: str | None
) -> None:
    for adapter in ADAPTERS:
        parser, view = adapter.Parser(), line_view.View()
        for line in lines([stream], 1 << 20):
            for event in parser.feed(line.data):
                json.loads(json.dumps(as_json(event)))
                assert all(shown.text.isprintable() for shown in view.lines(event))
        assert adapter.ended(parser, code, cause).kind in KINDS


@settings(deadline=None)
@given(st.data(), st.sampled_from(STREAMING), st.binary(max_size=30))
def test_a_foreign_line_between_others_changes_none_of_them(
    data: st.DataObject, adapter: Adapter, dirt: bytes
) -> None:
    stream = data.draw(st.lists(st.sampled_from(recorded(adapter)), max_size=6))
    foreign = dirt.replace(b"\n", b"").replace(b"{", b"")
    clean = read(adapter, [b"\n".join(stream)])[0]
    mixed = read(adapter, [b"\n".join(part for line in stream for part in (foreign, line))])[0]
    assert [event for event in mixed if type(event).__name__ != "Unknown"] == clean


@settings(deadline=None, max_examples=10)
@given(st.sampled_from(STREAMING), st.integers(1, 6))
def test_what_a_reader_keeps_does_not_grow_with_the_stream(adapter: Adapter, times: int) -> None:
    def kept(rounds: int) -> int:
        parser = adapter.Parser()
        for line in recorded(adapter) * rounds:
            parser.feed(line)
        return len(pickle.dumps({name: vars(parser)[name] for name in _plain(parser)}))

    assert kept(times + 1) <= kept(times) + 200


def _plain(parser: object) -> list[str]:
    """Its fields but the table of its own methods."""
    return [name for name in vars(parser) if name != "_readers"]
