"""A program's visit to a microVM: what is heard of it, and what its script does inside."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from ralph_engine.failure import Failure
from ralph_engine.sandboxes import client, docker, sbx, visit
from ralph_engine.sandboxes.backend import Place
from ralph_engine.sandboxes.machine import Machine, name_of
from ralph_engine.sandboxes.synced import Synced, packed

MARK = visit.new_mark("ralph-test")
START, END = f"\x1e{MARK}\n".encode(), f"\x1e{MARK} 7\n".encode()


def heard(*blocks: bytes) -> tuple[bytes, visit.Hearing]:
    said: list[bytes] = []
    hearing = visit.Hearing(MARK, lambda _, data: said.append(data))
    for block in blocks:
        hearing.take("stdout", block)
    hearing.close()
    return b"".join(said), hearing


WORDS = b'{"a": "\x1e"}\nno newline at the end \x1e' + MARK.encode()


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
def test_only_the_programs_own_words_go_on_however_they_are_cut(size: int) -> None:
    stream = b"Starting sandbox ...\n" + START + WORDS + END + b"from a leftover"
    blocks = [stream[at : at + size] for at in range(0, len(stream), size)]
    said, hearing = heard(*blocks)
    assert said == WORDS + b"from a leftover"
    assert (hearing.began, hearing.code) == (True, 7)


def test_a_line_is_passed_on_before_the_next_one_comes() -> None:
    said: list[bytes] = []
    hearing = visit.Hearing(MARK, lambda _, data: said.append(data))
    hearing.take("stdout", START + b"first\n")
    assert said == [b"first\n"]


def test_without_the_first_mark_nothing_is_the_programs() -> None:
    said, hearing = heard(b"ERROR: no sandbox named 'X'\n", END)
    assert (said, hearing.began, hearing.code) == (b"", False, None)
    assert hearing.words_before.startswith("ERROR: no sandbox named 'X'\n")


# Processes of its own, as a microVM has them.
APART = ["bwrap", "--dev-bind", "/", "/", "--unshare-pid", "--proc", "/proc"]
APART += ["--die-with-parent", "--"]


def ran(
    *argv: str,
    file: str = "",
    size: int = 0,
    done: str = "",
    stdin: bytes = b"",
    apart: bool = True,
) -> bytes:
    """The script as it runs inside."""
    words = ["sh", "-c", visit.SCRIPT, MARK, file, str(size), done, *argv]
    words = [*APART, *words] if apart else words
    return subprocess.run(words, input=stdin, stdout=subprocess.PIPE, timeout=60).stdout


def test_the_script_passes_stdin_words_and_the_exit_code() -> None:
    script = 'cat; printf "%s|" "$@"; exit 7'
    said = ran("sh", "-c", script, "0", "$(touch no)", "a  b", stdin=b"in\n")
    assert said == START + b"in\n$(touch no)|a  b|" + END


def test_the_script_waits_for_a_file_that_is_still_being_copied(tmp_path: Path) -> None:
    prompt = tmp_path / "a prompt"
    prompt.write_text("ha")
    writer = subprocess.Popen(["sh", "-c", 'sleep 0.3; printf lf >> "$0"', str(prompt)])
    said = ran("sh", "-c", "cat; exit 7", file=str(prompt), size=4)
    assert (said, writer.wait(10)) == (START + b"half" + END, 0)


def test_the_script_begins_nothing_with_a_prompt_that_stays_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "turns=300\n" in visit.SCRIPT
    monkeypatch.setattr(visit, "SCRIPT", visit.SCRIPT.replace("turns=300\n", "turns=2\n"))
    (tmp_path / "prompt").write_text("ha")
    for name in ("prompt", "absent"):
        assert ran("touch", f"{tmp_path}/ran", file=f"{tmp_path}/{name}", size=4) == b""
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("done", [True, False])
def test_what_it_leaves_running_is_ended_and_finishes_only_behind_done(
    tmp_path: Path, done: bool
) -> None:
    (tmp_path / "DONE").touch() if done else None
    rest = "sleep 0.5; echo late > late" if done else "echo here > here; exec sleep 1000"
    left = f"cd '{tmp_path}'; setsid sh -c '{rest}' >/dev/null 2>&1 & "
    wait = "" if done else f"while [ ! -e '{tmp_path}/here' ]; do :; done; "
    # Among all processes of this machine: in a namespace of their own they would end with it.
    said = ran("sh", "-c", f"{left}{wait}exit 7", done=str(tmp_path / "DONE"), apart=False)
    assert said.replace(b" left\n", b"\n") == START + END
    assert (tmp_path / "late").exists() == done
    marked = f"{visit.MARKED}={MARK}".encode()
    for environ in Path("/proc").glob("[1-9]*/environ"):
        try:
            assert marked not in environ.read_bytes().split(b"\0")
        except OSError:
            continue


@pytest.mark.parametrize(
    ("program", "left"),
    [("env -i setsid", True), ("setsid", False)],
)
def test_what_took_off_its_mark_is_told_of(tmp_path: Path, program: str, left: bool) -> None:
    here = f"{tmp_path}/here"
    rest = f"{program} sh -c 'echo > {here}; exec sleep 1000' >/dev/null 2>&1 &"
    said = ran("sh", "-c", f"{rest} while [ ! -e {here} ]; do :; done; exit 7")
    told, hearing = heard(said)
    assert (told, hearing.code, hearing.left) == (b"", 7, left)


def test_two_paths_that_differ_only_in_punctuation_have_different_names(tmp_path: Path) -> None:
    names = {name_of(f"{tmp_path}/{name}") for name in ("a.b", "a-b", "a b", "a_b", "...", "ä")}
    assert len(names) == 6
    assert all(set(name) <= set(LETTERS) and name.startswith("ralph-") for name in names)
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert name_of(f"{tmp_path}/link") == name_of(f"{tmp_path}/real")


@pytest.mark.parametrize("plugin", ["", "/tools/ralph"])
def test_a_plugin_that_a_microvm_could_write_is_refused(tmp_path: Path, plugin: str) -> None:
    root = str(tmp_path / "project")
    (tmp_path / "project" / "tools" / "ralph").mkdir(parents=True)
    place = Place(root, "ralph", "/s", root + plugin, (("claude",),), ("claude",), {})
    with pytest.raises(Failure) as refused:
        assert Machine(place, sbx.Sandbox.DIALECT).workspaces
    assert str(refused.value) == f"the plugin lies in {root}, which a microVM can write"
    assert refused.value.hint == "install it elsewhere, or --sandbox=bwrap"
    beside = place._replace(plugin=f"{root}-2")
    assert Machine(beside, sbx.Sandbox.DIALECT).workspaces.words[-1] == f"{root}-2:ro"


LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-"


def stand_in(folder: Path, name: str, text: str) -> client.Client:
    program = folder / name
    program.write_text(f"#!/bin/sh\n{text}\n")
    program.chmod(0o755)
    dialect = (sbx if name == "sbx" else docker).Sandbox.DIALECT
    return client.Client(dialect._replace(program=(str(program),)))


def test_stand_in_with_a_hidden_question_is_ended_at_its_deadline(tmp_path: Path) -> None:
    asked = stand_in(tmp_path, "sbx", "echo Press Enter:; sleep 1000 & sleep 1000")
    answer = asked.call(["ls"], 0.3)
    assert answer.code is None
    told = f"`{tmp_path}/sbx ls` did not answer (call it in a terminal: it may have a question)"
    assert asked.meaning(["ls"], answer) == told


def test_stand_in_that_cannot_be_started_is_told(tmp_path: Path) -> None:
    broken = stand_in(tmp_path, "sbx", "")
    (tmp_path / "sbx").write_bytes(b"\x7fELF")
    told = f"`{tmp_path}/sbx ls` could not be started: Exec format error"
    assert broken.meaning(["ls"], broken.call(["ls"])) == told


def test_a_person_inside_has_what_programs_have_and_a_mark(tmp_path: Path) -> None:
    place = Place(str(tmp_path), "ralph", "/s", "/plugin", (("claude",),), ("claude",), {})
    words = sbx.Sandbox(place).inside(["bash"], {"IS_SANDBOX": "1", "GIT_AUTHOR_NAME": "A B"})
    name = name_of(str(tmp_path))
    assert words[:6] == ["sbx", "exec", "-e", "IS_SANDBOX=1", "-e", "GIT_AUTHOR_NAME=A B"]
    assert words[6] == "-e" and words[7].startswith(f"{visit.MARKED}={name}/")
    assert words[8:] == ["-i", "-t", "-w", str(tmp_path), name, "bash"]


def test_stand_in_is_ended_when_its_caller_is_interrupted(tmp_path: Path) -> None:
    asked = stand_in(tmp_path, "sbx", f"cd '{tmp_path}'; echo $$ >half; mv half pid; exec sleep 60")

    def interrupt(*_: object) -> None:
        if (tmp_path / "pid").exists():
            signal.setitimer(signal.ITIMER_REAL, 0)
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.1, 0.1)
    try:
        with pytest.raises(KeyboardInterrupt):
            asked.call(["create"], 30)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert not Path("/proc", (tmp_path / "pid").read_text().strip()).exists()


def test_stand_in_whose_daemon_keeps_its_output_open_is_not_waited_for(tmp_path: Path) -> None:
    asked = stand_in(tmp_path, "sbx", f"(exec {sys.executable} -c '{DAEMON}') & echo ready")
    assert asked.call(["ls"], 30) == client.Answer(0, "ready\n")


DAEMON = "import time; time.sleep(3)"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Starting {v1} ...\n" + '{"sandboxes": [{"name": "a", "status": "running"}]}\n', {"a"}),
        ('{"sandboxes": null}', set()),
        ('{"other": 1} {"sandboxes": [1, {"name": "b"}]} done', {"b"}),
        ("Ready {now}.\nNo sandboxes found.", set()),
        ("", set()),
    ],
)
def test_stand_in_lists_are_read_behind_any_banner(
    tmp_path: Path, text: str, found: set[str]
) -> None:
    (tmp_path / "list").write_text(text)
    assert set(stand_in(tmp_path, "sbx", f"cat '{tmp_path}/list'").listed()) == found


def test_a_copy_is_told_what_the_host_wrote_and_removed(tmp_path: Path) -> None:
    for name in ("same", "changed", "gone", "link"):
        (tmp_path / name).write_text("old")
    synced = Synced([str(tmp_path)])
    assert synced.changes() == ([], [])
    synced.in_step()
    assert synced.changes() == ([], [])
    (tmp_path / "changed").write_text("other")
    (tmp_path / "gone").unlink()
    (tmp_path / "link").unlink()
    (tmp_path / "link").symlink_to("/etc/passwd")
    (tmp_path / "new folder").mkdir()
    (tmp_path / "new folder" / "new").write_text("new")
    written, gone = synced.changes()
    names = {os.path.relpath(path, tmp_path) for path in written}
    assert names == {"changed", "link", "new folder/new"}
    assert gone == [str(tmp_path / "gone")]
    (tmp_path / "to").mkdir()
    unpacked = subprocess.run(
        ["tar", "-xzf", "-", "-C", str(tmp_path / "to")], input=packed(written)
    )
    assert unpacked.returncode == 0
    there = Path(f"{tmp_path}/to{tmp_path}")
    assert (there / "changed").read_text() == "other"
    assert os.readlink(there / "link") == "/etc/passwd"
