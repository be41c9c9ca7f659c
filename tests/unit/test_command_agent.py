"""Any program as the agent."""

from __future__ import annotations

import pytest
from ralph_engine.agents import command, endings, plain
from ralph_engine.agents.endings import Ended
from ralph_engine.agents.events import Text
from ralph_engine.agents.request import Request
from ralph_engine.failure import Failure


def asked(text: str, prompt: str = "Do $it; 'now'") -> Request:
    program, *flags = text.split(" ")
    return Request(program, prompt, "run-1", "session", "/plugin", tuple(flags), "opus", 1.0)


def end_of(*lines: bytes, code: int | None = 0, cause: str | None = None) -> Ended:
    parser = command.Parser()
    for line in lines:
        parser.feed(line)
    return command.ended(parser, code, cause)


def test_the_prompt_comes_on_stdin() -> None:
    launch = command.launch(asked("my-agent --deep")._replace(flags=("two 'words", "-x")))
    assert launch.argv == ["my-agent", "two 'words", "-x"]
    assert launch.stdin == b"Do $it; 'now'"


@pytest.mark.parametrize(
    ("text", "argv"),
    [
        ("agent -q {prompt}", ["agent", "-q", "Do $it; 'now'"]),
        ("agent {prompt} --end", ["agent", "Do $it; 'now'", "--end"]),
        ("agent --message={prompt}", ["agent", "--message=Do $it; 'now'"]),
    ],
)
def test_or_as_an_argument_that_no_shell_reads(text: str, argv: list[str]) -> None:
    launch = command.launch(asked(text))
    assert (launch.argv, launch.stdin) == (argv, b"")


def test_a_prompt_is_put_in_once() -> None:
    launch = command.launch(asked("agent {prompt}", prompt="say {prompt}"))
    assert launch.argv == ["agent", "say {prompt}"]


def test_a_prompt_too_long_for_an_argument() -> None:
    assert command.launch(asked("agent {prompt}", "x" * 100_000)).argv[1] == "x" * 100_000
    with pytest.raises(Failure) as failure:
        command.launch(asked("agent {prompt}", "é" * 50_001))
    assert str(failure.value) == (
        "the prompt is 100002 bytes long, too long for the argument {prompt} (at most 100000)"
    )
    assert failure.value.hint == (
        "take {prompt} out of the agent command: the prompt then comes on stdin"
    )


def test_a_nul_cannot_be_in_an_argument() -> None:
    with pytest.raises(Failure, match="NUL"):
        command.launch(asked("agent {prompt}", "a\0b"))
    assert command.launch(asked("agent", "a\0b")).stdin == b"a\0b"


def test_all_that_is_printed_is_the_answer() -> None:
    parser = command.Parser()
    shown = [event for line in (b"one", b"", b"\xff two") for event in parser.feed(line)]
    assert shown == [Text("one"), Text(""), Text("\ufffd two")]
    assert parser.final_text == "one\n\n\ufffd two"
    assert parser.result is None


def test_of_a_long_answer_the_end_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plain, "KEPT", 100)
    parser = command.Parser()
    for number in range(1_000):
        parser.feed(b"line %d" % number)
        assert len(parser._kept) <= 200 + len("line 999\n")
    assert parser.final_text.endswith("line 998\nline 999")
    assert 90 < len(parser.final_text) <= 100


@pytest.mark.parametrize(
    ("code", "cause", "ended"),
    [
        (0, None, Ended(endings.OK, "exit code 0")),
        (1, None, Ended(endings.FAILED, "exit code 1")),
        (42, None, Ended(endings.WAIT, "asks for a person (exit code 42)")),
        (126, None, Ended(endings.NOT_FOUND, "not executable (exit code 126)")),
        (127, None, Ended(endings.NOT_FOUND, "not found (exit code 127)")),
        (None, None, Ended(endings.NOT_FOUND, "could not be started")),
        (-9, None, Ended(endings.SIGNAL, "ended by SIGKILL")),
        (129, None, Ended(endings.SIGNAL, "ended by SIGHUP")),
        (-60, None, Ended(endings.SIGNAL, "ended by signal 60")),
        (128, None, Ended(endings.FAILED, "exit code 128")),
        (200, None, Ended(endings.FAILED, "exit code 200")),
        (0, "timeout", Ended(endings.TIMEOUT, "its time was over")),
        (-2, "signal", Ended(endings.SIGNAL, "the runner ended it")),
    ],
)
def test_endings(code: int | None, cause: str | None, ended: Ended) -> None:
    assert end_of(b"an answer", code=code, cause=cause) == ended


def test_silence_is_empty() -> None:
    assert end_of() == Ended(endings.EMPTY, "nothing was said")
    assert end_of(b" ", b"") == Ended(endings.EMPTY, "nothing was said")
    assert end_of(code=3) == Ended(endings.FAILED, "exit code 3")


def test_words_of_another_program_say_nothing_about_its_end() -> None:
    assert end_of(b"429 rate limit, overloaded").kind == endings.OK
