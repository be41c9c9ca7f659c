"""As a new user would: from a clone to a finished loop, by the commands that each step names."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import threading
from pathlib import Path

from e2e.claude_client import REPOSITORY, _offline_environment, client_path
from e2e.planning import PRD, STORY, Planner
from ralph_engine.scripted_model import ScriptedModel, Turn, call, say
from ralph_engine.scripted_model.script import ScriptEntry
from runner.hostile_project import IDENTITY
from runner.pty_session import PtySession
from shell.init_dialogue import AGENT, FLAGS, GUARDRAIL, MOST, RESPONSE, SCM, Place

SECONDS = 180
SUBMITTED = {**STORY, "reviewStatus": "needs_review", "notes": "Wrote hello.sh"}
APPROVED = {
    **STORY,
    "reviewStatus": "approved",
    "passes": True,
    "reviewCount": 1,
    "notes": "Ran it",
}


class Newcomer(Place):
    """A home and a cache with nothing in them, and an empty folder for the project."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, "my shop")
        self.folder, self.clone = folder, folder / "clone of ralph"
        self.home = Path(self.environment["HOME"])
        self.environment.update(IDENTITY, LANG="C.UTF-8", TERM="xterm")

    def command(self, *words: str | Path) -> str:
        done = subprocess.run(
            words,
            cwd=self.root,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def ralph(self, *words: str) -> str:
        return self.command(self.clone / "scripts" / "ralph.sh", *words)

    def at_a_terminal(self, script: str, *words: str) -> PtySession:
        launcher = [str(self.clone / "scripts" / script)]
        return PtySession(self, *words[1:], verb=words[0], runner=launcher)  # type: ignore[arg-type]

    def clones(self) -> None:
        # With the home of whoever runs the tests: git may know there that this folder is theirs.
        clone = ["git", "clone", "-q", str(REPOSITORY), str(self.clone)]
        subprocess.run(clone, check=True, stdin=subprocess.DEVNULL, timeout=SECONDS)

    def sees_the_demo(self) -> None:
        assert "complete: 2 of 2 stories verified" in self.ralph("demo")

    def begins_a_project(self) -> None:
        self.command("git", "init", "-q")
        (self.root / "Makefile").write_text("test:\n\tsh -n hello.sh\n")

    def answers_init(self) -> str:
        answers = [
            *((AGENT, shlex.quote(str(client_path()))), (FLAGS, ""), (MOST, "5"), (RESPONSE, "")),
            *((GUARDRAIL, ""), (SCM, "n")),
        ]
        with self.at_a_terminal("ralph-init.sh", "--name", "Greeter") as terminal:
            for question, text in answers:
                terminal.expect_next(question)
                terminal.type(text.encode() + b"\n")
            assert terminal.wait() == 0
        assert (
            "\r\nSettings written to .ralph/settings.json\r\nfound make test: in "
            in terminal.screen
        )
        return terminal.screen

    def plans(self) -> None:
        planner = Planner(self.root, self.home, self.environment, self.clone)
        planner.say(
            "/ralph-plan a greeter",
            [
                planner.runs("plan"),
                planner.reads("prd.md"),
                planner.writes("prd.md", PRD),
                planner.reads("tasks.json"),
                planner.writes_stories(STORY),
                planner.runs("check"),
                say("One story. What should be different?"),
            ],
        )
        assert planner.stories() == [STORY]

    def follows(self, step: str, screen: str) -> str:
        """The command that init named for this step."""
        [command] = re.findall(rf"^  {step} {{2,}}(.+?)\r?$", screen, re.MULTILINE)
        return self.command("sh", "-c", command)

    def the_loop(self) -> PtySession:
        return self.at_a_terminal("ralph.sh", "run", "--delay", "0s")

    def edits(self, story: dict[str, object], work: str, message: str) -> Turn:
        document = json.loads((self.root / "ralph" / "tasks.json").read_text())
        version = self.folder / f"{story['reviewStatus']}.json"
        version.write_text(json.dumps({**document, "userStories": [story]}))
        put = f"cp {shlex.quote(str(version))} ralph/tasks.json"
        commit = f"git add -A && git commit -qm {shlex.quote(message)}"
        return call("Bash", command=f"{work} && {put} && {commit}", description="work")


def test_from_a_clone_to_a_finished_loop(tmp_path: Path) -> None:
    new = Newcomer(tmp_path)
    new.clones()
    new.sees_the_demo()
    new.begins_a_project()
    screen = new.answers_init()
    new.plans()
    assert "no faults; 1 story: 1 to do" in new.follows("check the plan", screen)
    new.follows("commit it", screen)
    turns: list[ScriptEntry] = [
        new.edits(SUBMITTED, "echo 'echo \"Hello, $1!\"' > hello.sh", "feat: [US-001] - Greet"),
        say("Submitted."),
        new.edits(APPROVED, "sh hello.sh Ada", "review: [US-001] - approved"),
        say("<promise>COMPLETE</promise>"),
    ]
    watched = threading.Event()
    first = turns[0]
    turns[0] = lambda _: first if watched.wait(SECONDS) else say("Nobody watches.")
    with ScriptedModel(turns) as model:
        new.environment.update(_offline_environment(model, tmp_path / "scratch", new.home))
        with new.the_loop() as loop:
            loop.expect("iteration 1")
            with new.at_a_terminal("ralph.sh", "watch") as watch:
                watch.expect("implement US-001")
                watched.set()
                for terminal in (loop, watch):
                    terminal.expect("complete: 1 of 1 stories verified")
                    assert terminal.process.wait(SECONDS) == 0
            assert loop.wait() == 0
    assert (len(model.requests), model.answers_past_the_end) == (4, 0)
    assert "complete: 1 of 1 stories verified" in loop.screen
    assert "complete" in new.ralph("status").splitlines()[0]
    assert "US-001 Greet by name: approved by the review of" in new.ralph("verify")
    assert new.command("git", "status", "--porcelain") == ""
    assert "US-001" in new.ralph("report")
    assert "ralph-archive/" in new.command(new.clone / "scripts" / "ralph-archive.sh")
    [archive] = (new.root / "ralph-archive").iterdir()
    assert {"prd.md", "tasks.json", "progress.txt", "summary.md"} <= {
        path.name for path in archive.iterdir()
    }
    assert new.command("git", "status", "--porcelain") == ""
