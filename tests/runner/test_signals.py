"""Signals and terminals: what is asked, what is ended, what is saved, in each phase of a run."""

from __future__ import annotations

import json
import shlex
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from runner.hostile_project import REPOSITORY, HostileProject, story
from runner.pty_session import CTRL_C, CTRL_D, HUP, INT, TERM, News, PtySession

PROGRAMS = REPOSITORY / "tests" / "fixtures" / "agents"
HONEST = shlex.join([sys.executable, str(PROGRAMS / "honest.py")])
HELD = shlex.join([sys.executable, str(PROGRAMS / "held.py")])
SHUTTING_DOWN = "Received signal, shutting down... (still running: "
JOB_ENDS = "which ends within about 12 s: INT, after 5 s TERM, after 5 s KILL"


class Phase(NamedTuple):
    """Where a run is held up, the sign that it got there, and what the runner calls it."""

    name: str
    sign: str
    words: str


AGENT = Phase("agent", "iteration 1 of", f"the agent, {JOB_ENDS}")
CHECK = Phase("check", "test -f app.py: passed", f"{HELD} check stubborn, {JOB_ENDS}")
WAIT = Phase("wait", "waiting until", "a wait, which ends at once")


class Scene:
    """A task list of one story whose agent and check can be held up."""

    def __init__(self, folder: Path, news: News, project: HostileProject) -> None:
        self.project, self.news = project, news
        self.agent = self._agent("")
        self.stubborn = self._agent("stubborn")

    def _agent(self, how: str) -> str:
        program = self.project.outside / f"agent {how}.sh"
        trap = "trap '' INT TERM\n" if how else ""
        silent = 'rm "$OUTSIDE/hold-wait" 2>/dev/null && exit 0\n'
        program.write_text(f"{trap}{silent}{HELD} agent {how}\n{HONEST}\n")
        return f"sh '{program}'"

    def start(self, *options: str, agent: str = "", delay: str = "0s") -> PtySession:
        return PtySession(self.project, "--agent", agent or self.agent, "--delay", delay, *options)

    def reach(self, phase: Phase, session: PtySession) -> None:
        session.expect(phase.sign)
        if phase != WAIT:
            self.news.wait_for("reached")

    def assert_nothing_left(self) -> None:
        assert not (self.project.root / ".ralph-active").exists()
        assert list(self.project.state.glob("ralph/locks/*.owner")) == []
        temporary = [p for f in (self.project.root, self.project.state) for p in f.rglob("*.tmp")]
        assert temporary == []

    def assert_saved(self, session: PtySession) -> None:
        """Everything is written, and a plain start completes the work."""
        self.assert_nothing_left()
        assert "Traceback" not in session.screen
        last = self.project.journal()[-1]
        assert (last["event"], last["code"], last["status"]) == ("end", 130, "interrupted")
        assert not (self.project.outside / "later").exists(), "a check was started after the signal"
        ended = self.project.run(self.agent, iterations=5)
        assert ended.code == 0, ended.screen
        assert self.project.stories()["US-1"]["reviewStatus"] == "approved"
        self.assert_nothing_left()

    def assert_completed(self) -> None:
        self.assert_nothing_left()
        last = self.project.journal()[-1]
        assert (last["event"], last["code"], last["status"]) == ("end", 0, "complete")
        assert [e["event"] for e in self.project.journal()].count("run") == 1


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    check = f"trap '' INT TERM; {HELD} check stubborn"
    later = 'touch "$OUTSIDE/later"'
    # Not in the story's verify, which is also run before the work on it.
    project = HostileProject(tmp_path, story("US-1", verify=[]))
    checks = {**project.document(), "verifyCommands": ["test -f app.py", check, later]}
    (project.root / "ralph" / "tasks.json").write_text(json.dumps(checks))
    project.git("commit", "-qam", "checks")
    with News(project) as news:
        yield Scene(tmp_path, news, project)


def press(session: PtySession, key: object) -> None:
    if key == "typed":
        session.type(CTRL_C)
    else:
        assert isinstance(key, int)
        session.send(key)


ONCE = [
    pytest.param(AGENT, INT, id="agent-INT"),
    pytest.param(AGENT, TERM, id="agent-TERM"),
    pytest.param(AGENT, "typed", id="agent-typed"),
    pytest.param(WAIT, INT, id="wait-INT"),
    pytest.param(WAIT, TERM, id="wait-TERM"),
    pytest.param(WAIT, "typed", id="wait-typed"),
]


@pytest.mark.parametrize(("phase", "key"), ONCE)
def test_the_first_signal_ends_the_step_and_saves(scene: Scene, phase: Phase, key: object) -> None:
    scene.news.hold(phase.name)
    with scene.start(delay="600s") as session:
        scene.reach(phase, session)
        assert (scene.project.root / ".ralph-active").exists()
        press(session, key)
        assert session.wait() == 130
    assert f"{SHUTTING_DOWN}{phase.words}; once more: end it now)" in session.screen
    assert "ralph: interrupted\r\n" in session.screen
    scene.assert_saved(session)


def test_a_check_that_heeds_nothing_is_killed_after_its_grace(scene: Scene) -> None:
    scene.news.hold("check")
    with scene.start() as session:
        scene.reach(CHECK, session)
        session.send(TERM)
        assert session.wait() == 130
    assert scene.news.all_told() == ["reached", "heard-SIGINT", "heard-SIGTERM"]
    assert f"{CHECK.words}; once more: end it now)" in session.screen
    scene.assert_saved(session)


@pytest.mark.parametrize("key", [INT, TERM, "typed"], ids=["INT", "TERM", "typed"])
@pytest.mark.parametrize("phase", [AGENT, CHECK], ids=["agent", "check"])
def test_the_second_signal_ends_everything_now(scene: Scene, phase: Phase, key: object) -> None:
    scene.news.hold(phase.name)
    with scene.start(agent=scene.stubborn) as session:
        scene.reach(phase, session)
        press(session, key)
        scene.news.wait_for("heard-SIGINT")
        press(session, key)
        assert session.wait() == 130
    assert "Received a second signal: what runs is killed" in session.screen
    # Its five seconds to heed the INT were not waited for.
    assert scene.news.all_told() == ["reached", "heard-SIGINT"]
    scene.assert_saved(session)


def test_the_third_signal_leaves_even_our_own_git(scene: Scene) -> None:
    """Nothing is lost then, either: the next start judges the iteration."""
    folder = scene.project.outside / "bin"
    folder.mkdir()
    real = shutil.which("git")
    (folder / "git").write_text(f'#!/bin/sh\n{HELD} git >/dev/null\nexec {real} "$@"\n')
    (folder / "git").chmod(0o755)
    scene.news.hold("agent")
    env = {"PATH": f"{folder}:{scene.project.environment['PATH']}"}
    with PtySession(scene.project, "--agent", scene.agent, env=env) as session:
        scene.news.wait_for("reached")
        scene.news.hold("git")
        session.send(INT)
        scene.news.wait_for("reached", times=2)
        session.send(INT)
        session.expect("Received a second signal")
        session.send(INT)
        assert session.wait() == 130
    assert not (scene.project.root / ".ralph-active").exists()
    assert "end" not in [e["event"] for e in scene.project.journal()]
    ended = scene.project.run(scene.agent, iterations=5)
    assert ended.code == 0, ended.screen
    assert "was cut off: iteration 1 is judged first" in ended.screen


def test_term_ends_another_verb_like_ctrl_c(scene: Scene) -> None:
    scene.project.run(HONEST, iterations=1)
    scene.news.hold("check")
    with PtySession(scene.project, verb="verify") as session:
        scene.news.wait_for("reached")
        session.send(TERM)
        assert session.wait() == 130
    assert "Traceback" not in session.screen
    scene.assert_nothing_left()


def test_two_signals_at_once_during_a_wait(scene: Scene) -> None:
    scene.news.hold("wait")
    with scene.start(delay="600s") as session:
        scene.reach(WAIT, session)
        session.send(INT)
        session.send(TERM)
        assert session.wait() == 130
    scene.assert_saved(session)


@pytest.mark.parametrize("phase", [AGENT, CHECK, WAIT], ids=["agent", "check", "wait"])
@pytest.mark.parametrize("how", ["once", "twice", "closed"])
def test_a_hangup_changes_nothing(scene: Scene, phase: Phase, how: str) -> None:
    scene.news.hold(phase.name)
    with scene.start(delay="3s" if phase == WAIT else "0s") as session:
        scene.reach(phase, session)
        if how == "closed":
            session.hang_up()
        else:
            for _ in range(2 if how == "twice" else 1):
                session.send(HUP)
        if phase != WAIT:
            scene.news.let_go()
        assert session.wait() == 0
    scene.assert_completed()


def test_a_program_of_the_run_does_not_inherit_deafness_to_hangups(scene: Scene) -> None:
    program = scene.project.outside / "mask.sh"
    program.write_text('grep SigIgn /proc/self/status > "$OUTSIDE/mask"; echo hm\n')
    scene.project.run(f"sh '{program}'", iterations=1)
    mask = int((scene.project.outside / "mask").read_text().split()[1], 16)
    assert not mask & 1 << (HUP - 1)


def test_a_reader_of_events_who_leaves_does_not_end_the_run(scene: Scene) -> None:
    scene.news.hold("agent")
    with scene.start("--json") as session:
        scene.news.wait_for("reached")
        session.hang_up()
        scene.news.let_go()
        assert session.wait() == 0
    scene.assert_completed()


@pytest.fixture
def asked_for_its_version(scene: Scene) -> Iterator[PtySession]:
    """Held up before the first iteration, while the agent is asked for its version."""
    folder = scene.project.outside / "bin"
    folder.mkdir()
    (folder / "claude").write_text(f"#!/bin/sh\n{HELD} version\necho 9.9.9\n")
    (folder / "claude").chmod(0o755)
    scene.news.hold("version")
    env = {"PATH": f"{folder}:{scene.project.environment['PATH']}", "IS_SANDBOX": "1"}
    with PtySession(scene.project, env=env) as session:
        scene.news.wait_for("reached")
        yield session


@pytest.mark.parametrize("key", [INT, TERM], ids=["INT", "TERM"])
def test_a_signal_before_the_start_begins_nothing(
    scene: Scene, asked_for_its_version: PtySession, key: int
) -> None:
    session = asked_for_its_version
    session.send(key)
    session.expect(f"{SHUTTING_DOWN}the look around before the start, which ends within 30 s")
    scene.news.let_go()
    assert session.wait() == 130
    assert "Traceback" not in session.screen
    assert scene.project.journal() == []
    scene.assert_nothing_left()


@pytest.mark.parametrize("key", [INT, TERM], ids=["INT", "TERM"])
def test_a_second_signal_before_the_start_ends_it_at_once(
    scene: Scene, asked_for_its_version: PtySession, key: int
) -> None:
    session = asked_for_its_version
    session.send(key)
    session.expect(SHUTTING_DOWN)
    session.send(key)
    assert session.wait() == 130
    assert "Traceback" not in session.screen
    assert scene.project.journal() == []
    scene.assert_nothing_left()


class Question(NamedTuple):
    name: str
    words: str
    refused: str


TRUST = Question("trust", "US-1: approved, but not seen here. Trust them? (y/N)", "never seen")
OLD_DONE = Question("DONE", "ralph/DONE: older than this run. Remove it? (y/N)", "rm ralph/DONE")
OLD_WAIT = Question("WAIT", "ralph/WAIT: older than this run. Remove it? (y/N)", "rm ralph/WAIT")
DIRTY = Question("dirty", "Uncommitted: app.py. Go on? (y/N)", "commit, or --allow-dirty")
QUESTIONS = [TRUST, OLD_DONE, OLD_WAIT, DIRTY]


def prepare(project: HostileProject, question: Question) -> dict[str, str]:
    """Makes the runner ask; returns what a person finds in the project."""
    if question == TRUST:
        document = project.document()
        done = {"passes": True, "reviewStatus": "approved", "reviewCount": 1}
        document["userStories"][0].update(done)
        (project.root / "ralph" / "tasks.json").write_text(json.dumps(document))
        project.git("commit", "-qam", "done elsewhere")
    elif question == DIRTY:
        (project.root / "app.py").write_text("ANSWER = 43\n")
    else:
        (project.root / "ralph" / question.name).write_text("an old one")
    return things(project)


def things(project: HostileProject) -> dict[str, str]:
    found = [p for f in ("ralph", ".") for p in (project.root / f).glob("*") if p.is_file()]
    return {
        "HEAD": project.git("rev-parse", "HEAD"),
        "branches": project.git("branch", "--all"),
        **{str(path): path.read_text() for path in found},
    }


@pytest.mark.parametrize("question", QUESTIONS, ids=[q.name for q in QUESTIONS])
def test_yes_at_the_terminal(scene: Scene, question: Question) -> None:
    prepare(scene.project, question)
    with scene.start() as session:
        session.expect(question.words)
        session.type(b"y\n")
        assert session.wait() == 0
    assert question.refused not in session.screen
    trusted = "1 not seen by the runner (US-1)" in session.screen
    assert trusted == (question == TRUST)
    scene.assert_completed()


@pytest.mark.parametrize("answer", [b"n\n", b"\n", CTRL_D], ids=["n", "empty", "EOF"])
@pytest.mark.parametrize("question", QUESTIONS, ids=[q.name for q in QUESTIONS])
def test_anything_else_is_a_no(scene: Scene, question: Question, answer: bytes) -> None:
    before = prepare(scene.project, question)
    with scene.start() as session:
        session.expect(question.words)
        session.type(answer)
        assert session.wait() == (0 if question == TRUST else 2)
    assert question.refused in session.screen
    if question == TRUST:
        assert scene.project.stories()["US-1"]["reviewCount"] == 2
    else:
        assert things(scene.project) == before
    scene.assert_nothing_left()


@pytest.mark.parametrize("key", ["typed", TERM], ids=["typed", "TERM"])
@pytest.mark.parametrize("question", QUESTIONS, ids=[q.name for q in QUESTIONS])
def test_a_signal_at_a_question_changes_nothing(
    scene: Scene, question: Question, key: object
) -> None:
    before = prepare(scene.project, question)
    with scene.start() as session:
        session.expect(question.words)
        press(session, key)
        assert session.wait() == 130
    assert f"{SHUTTING_DOWN}a question, which ends at once" in session.screen
    assert "Traceback" not in session.screen
    assert things(scene.project) == before
    assert scene.project.journal() == []
    scene.assert_nothing_left()


def test_a_terminal_that_goes_away_at_a_question_says_no(scene: Scene) -> None:
    before = prepare(scene.project, DIRTY)
    with scene.start() as session:
        session.expect(DIRTY.words)
        session.hang_up()
        assert session.wait() == 2
    assert things(scene.project) == before
    scene.assert_nothing_left()
