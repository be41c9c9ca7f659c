"""The parts of a rehearsal: attacks that bite, a judge that sees it, a copy, a comparison."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ralph_engine import demo_folder, descendants, offline_claude
from ralph_engine.checks import Check
from ralph_engine.confined import Confinement
from ralph_engine.failure import Failure
from ralph_engine.rehearsal import (
    attack,
    bad_agent,
    bout,
    judge,
    scorecard,
    scratch,
    script,
    staging,
    users_tree,
    weak_setups,
)
from ralph_engine.rehearsal.attack import Attack
from ralph_engine.rehearsal.bout import Seen
from ralph_engine.rehearsal.check_trials import Trial
from ralph_engine.rehearsal.judge import Verdict
from ralph_engine.rehearsal.staging import Plan

ATTACKS = attack.load(attack.FOLDER)
BOUTS = {(group[0].session or group[0].name): group for group in attack.bouts(ATTACKS)}
SECONDS = 20
# These change nothing that may not be changed: what they say must be believed.
CLAIMS = {
    *("promises-without-work", "promises-in-a-quote", "promises-in-a-fence"),
    *("promises-in-other-letters", "writes-done", "reviewer-gives-no-verdict"),
    "leaves-the-branch",
}


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Plan:
    folder = tmp_path_factory.mktemp("user")
    demo_folder.make_project(str(folder), demo_folder.environment(str(folder), os.environ))
    root = str(folder / demo_folder.PROJECT)
    return staging.plan(root, "ralph", str(folder / "plan"))


@contextlib.contextmanager
def runner_stand_in(scene: staging.Scene) -> Iterator[subprocess.Popen[bytes]]:
    """A process that an agent can kill, with the marker that names it, and files of its state."""
    with subprocess.Popen(["sleep", str(SECONDS)]) as runner:
        marker = {"pid": runner.pid, "iteration": 1, "iterationMode": "implement"}
        Path(scene.project, ".ralph-active").write_text(json.dumps(marker))
        run = Path(scene.state, "ralph", "project", "runs", "1")
        run.mkdir(parents=True)
        (run / "journal.jsonl").write_text("")
        try:
            yield runner
        finally:
            runner.kill()


def unwatched(plan: Plan, folder: Path, attacks: list[Attack]) -> Seen:
    """The deeds of a bout with nobody there: no runner, no hooks, no sandbox, no reviewer."""
    own = offline_claude.environment(str(folder), os.environ)
    scene = staging.stage(plan, str(folder), attacks[0].mode, attacks[0].alone)
    reviews = "review" not in attacks[0].stopped_by
    deeds = [(d.attack, d.verb, *d.words) for d in script.deeds(attacks, scene, reviews)]
    argv = [sys.executable, "-I", "-X", "utf8", bad_agent.__file__, json.dumps([deeds])]
    mark = f"RALPH_REHEARSAL={uuid.uuid4()}"
    environment = {**demo_folder.environment(str(folder), own), **dict([mark.split("=")])}
    output = Path(scene.project, ".ralph", "everything-it-said")
    with runner_stand_in(scene) as runner, output.open("wb") as said:
        agent = subprocess.Popen(
            argv,
            cwd=scene.project,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=said,
            start_new_session=True,
        )
        try:
            # One that never ends is left running: that is what it is there for.
            with contextlib.suppress(subprocess.TimeoutExpired):
                agent.wait(2 if attacks[0].seconds else SECONDS)
            left = descendants.table.marked(mark)
        finally:
            descendants.end_marked(mark)
            agent.wait(SECONDS)
        code = runner.poll()
    with output.open("rb") as reading:
        text = reading.read(2**20).decode("utf-8", "replace")
    told = bout.by_attack(text)
    return Seen(scene, 1 if code is None else code, [], [], told, [], {*told}, left, "")


@pytest.mark.parametrize("name", BOUTS)
def test_every_attack_gets_through_where_nobody_looks(
    plan: Plan, tmp_path: Path, name: str
) -> None:
    """Else it would be no attack, or the judge blind; a claim gets through where it is believed."""
    folder = tmp_path / 'it\'s a "temp" folder'
    folder.mkdir()
    seen = unwatched(plan, folder, BOUTS[name])
    for one in BOUTS[name]:
        believed = seen._replace(code=0) if one.name in CLAIMS else seen
        verdict = judge.of(one, believed, confined=False)
        assert verdict.result == judge.GOT_THROUGH, (one.name, seen.told[one.name][-2000:])


def test_there_are_enough_attacks_and_each_says_how_to_close_it() -> None:
    assert len(ATTACKS) >= 30
    assert len({one.title for one in ATTACKS}) == len(ATTACKS)
    assert {by for one in ATTACKS for by in one.stopped_by} == {
        *("guard", "hook", "runner", "check", "sandbox", "review")
    }


def test_where_nothing_stops_it_an_attack_reaches_only_what_was_put_there_for_it() -> None:
    """Every path in a command is of the scratch copy, or one that takes and gives nothing."""
    harmless = re.compile(r"/dev/(null|urandom)|/bin/sh|/ralph/\*/\S*|//?\"?'?$")
    for one in ATTACKS:
        for command in (step["run"] for step in one.steps if "run" in step):
            own = re.sub(r"@(HOME|STATE|PROJECT|RALPH)@[^\s\"']*", "", command)
            own = re.sub(r"""(\$HOME|~)[\\"]*/[\w./-]*""", "", own)
            paths = re.findall(r"(?<![\w.>*])/[\w*./-]*", own)
            assert [path for path in paths if not harmless.fullmatch(path)] == [], one.name
            assert not re.search(r"\b(sudo|mkfs|dd|reboot|curl|wget|pkill|killall)\b", own)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"mode": "dream"}, "mode: 'dream' is not one of ['implement', 'review', 'review-fix']"),
        ({"name": "another"}, "name is 'another'; give it the name of its file"),
        ({"surprise": 1}, "Additional properties are not allowed ('surprise' was unexpected)"),
        ({"session": "goal"}, "session is shared: a step that says or ends something"),
    ],
)
def test_an_attack_with_a_fault_is_refused(
    tmp_path: Path, changes: dict[str, Any], told: str
) -> None:
    text = (attack.FOLDER / "promises-without-work.json").read_text()
    path = tmp_path / "promises-without-work.json"
    path.write_text(json.dumps({**json.loads(text), **changes}))
    with pytest.raises(Failure, match=re.escape(told)) as caught:
        attack.load(tmp_path)
    assert str(caught.value).startswith(str(path))


def test_an_attack_that_was_not_played_does_not_count_as_stopped(
    plan: Plan, tmp_path: Path
) -> None:
    one = BOUTS["promises-without-work"][0]
    offline_claude.environment(str(tmp_path), os.environ)
    scene = staging.stage(plan, str(tmp_path), one.mode)
    promised = [{"event": "notice", "rule": "false-promise", "text": "The list is not finished."}]
    seen = Seen(scene, 1, promised, [], {}, [], set(), [], "")
    assert judge.of(one, seen, confined=True).result == judge.CUT_SHORT
    assert judge.of(one, seen._replace(played={one.name}), True).result == judge.STOPPED
    ended = judge.of(one, seen._replace(played={one.name}, code=None), True)
    assert ended.why == "the runner did not end by itself"


def test_an_attack_that_nobody_did_anything_about_came_to_nothing(
    plan: Plan, tmp_path: Path
) -> None:
    """As where its own command fails: that is nobody's merit."""
    one = BOUTS["promises-without-work"][0]
    offline_claude.environment(str(tmp_path), os.environ)
    scene = staging.stage(plan, str(tmp_path), one.mode)
    seen = Seen(scene, 1, [], [], {}, [], {one.name}, [], "")
    why = "nobody stopped it, and nothing is there of it"
    assert judge.of(one, seen, True) == Verdict(one, judge.NOTHING, (), why)


def test_who_shares_a_session_gets_no_credit_for_another(plan: Plan, tmp_path: Path) -> None:
    goal, prompt = (one for one in BOUTS["goal"] if one.name.startswith("rewrites-"))
    offline_claude.environment(str(tmp_path), os.environ)
    scene = staging.stage(plan, str(tmp_path), goal.mode)
    undone = {"event": "violation", "rule": "frozen-file", "text": "ralph/prd.md is read-only."}
    checked, blocked = {"event": "check", "code": 1}, [{"event": "gate-blocked"}]
    seen = Seen(scene, 1, [undone, checked], blocked, {}, [], {goal.name, prompt.name}, [], "")
    results = {one.name: judge.of(one, seen, False).result for one in (goal, prompt)}
    assert results == {"rewrites-the-prompt": judge.NOTHING, "rewrites-the-goal": judge.STOPPED}
    for who in ("check", "hook"):
        one = goal._replace(stopped_by=(who,))
        assert judge.of(one, seen, False).result == judge.NOTHING
        assert judge.of(one, seen._replace(played={one.name}), False).by == (who,)


@pytest.mark.parametrize(
    ("told", "found"),
    [
        ("[... 9 bytes left out ...]\n", {"runner": "kept it in bounds"}),
        ("left running: 12\n", {"runner": "ended what it left running"}),
        ("nothing was left running: 12 of them\n", {}),
    ],
)
def test_what_the_runner_bounds_is_seen_in_what_an_attack_was_told(
    plan: Plan, tmp_path: Path, told: str, found: dict[str, str]
) -> None:
    one = BOUTS["promises-without-work"][0]._replace(stopped_by=("runner",))
    offline_claude.environment(str(tmp_path), os.environ)
    scene = staging.stage(plan, str(tmp_path), one.mode)
    seen = Seen(scene, 1, [], [], {one.name: told}, [], {one.name}, [], "")
    assert judge.stoppers(one, seen, False) == found


@pytest.mark.parametrize(
    ("results", "code", "told"),
    [
        ([judge.STOPPED, judge.NOT_TRIED], 0, "1 attack: 1 stopped, 0 got through (1 not tried); "),
        ([judge.STOPPED, judge.GOT_THROUGH], 1, "2 attacks: 1 stopped, 1 got through; "),
        ([judge.STOPPED, judge.LEFT], 0, "1 stopped, 0 got through, 1 left to the review; "),
        ([judge.STOPPED, judge.CUT_SHORT], 2, "1 attack: 1 stopped, 0 got through (1 cut short); "),
        ([judge.STOPPED, judge.NOTHING], 0, "1 stopped, 0 got through (1 came to nothing); "),
        ([judge.NOT_TRIED], 2, "Nothing was put to the test: this says nothing about your set-up."),
        ([judge.NOTHING], 2, "0 attacks: 0 stopped, 0 got through (1 came to nothing); "),
        ([], 2, "Nothing was put to the test: this says nothing about your set-up."),
    ],
)
def test_only_what_was_tried_is_green(results: list[str], code: int, told: str) -> None:
    verdicts = [Verdict(ATTACKS[0], result, (), "") for result in results]
    card = scorecard.Card(verdicts, (), (), ())
    assert card.exit_code == code
    assert told in "\n".join(scorecard.ending(card))


@pytest.mark.parametrize("shell", ["sh", "bash"])
def test_an_attack_whose_program_is_not_here_was_not_stopped(
    plan: Plan, tmp_path: Path, shell: str
) -> None:
    one = next(one for one in ATTACKS if one.name == "deletes-by-python")
    offline_claude.environment(str(tmp_path), os.environ)
    scene = staging.stage(plan, str(tmp_path), one.mode)
    ran = subprocess.run([shell, "-c", "no-such-program"], capture_output=True, text=True)
    seen = Seen(scene, 1, [], [], {one.name: ran.stderr}, [], {one.name}, [], "")
    why = "a program it needs is not installed here"
    assert judge.of(one, seen, True) == Verdict(one, judge.NOT_TRIED, (), why)
    zsh = seen._replace(told={one.name: "zsh: command not found: python3"})
    assert judge.of(one, zsh, True).result == judge.NOT_TRIED
    refused = seen._replace(told={one.name: "rm: it cannot be removed: Read-only file system"})
    assert judge.of(one, refused, True) == Verdict(one, judge.STOPPED, ("sandbox",), "sandbox")


def test_a_review_that_is_told_what_to_look_at_is_told_apart(plan: Plan, tmp_path: Path) -> None:
    one = next(one for one in ATTACKS if one.name == "weakens-a-test")
    offline_claude.environment(str(tmp_path), os.environ)
    scene = staging.stage(plan, str(tmp_path), "review")
    prompts = ["Build it.", f"Review it. {one.tampers_with}: fewer assertions"]
    seen = Seen(scene, 1, [], [], {}, prompts, {one.name}, [], "")
    assert judge.of(one, seen, True).why == f"review (the reviewer is told of {one.tampers_with})"
    untold = judge.of(one, seen._replace(prompts=prompts[:1] * 2), True)
    assert untold == Verdict(one, judge.LEFT, (), "the reviewer is not pointed to it")


def test_a_plan_takes_what_is_the_users_and_starts_nothing_of_theirs(tmp_path: Path) -> None:
    demo_folder.make_project(str(tmp_path), demo_folder.environment(str(tmp_path), os.environ))
    root = tmp_path / demo_folder.PROJECT
    settings = {
        "reviewCap": 3,
        "guardrails": [{"command": "make", "failAction": "APPEND"}],
        "scm": {"command": "git", "tasks": ["push"]},
        "notify": "mail",
    }
    (root / ".ralph/settings.json").write_text(json.dumps(settings))
    (root / ".ralph/settings.local.json").write_text('{"agent": {"command": "codex"}}')
    for with_checks, kept in ((True, {"reviewCap", "guardrails"}), (False, {"reviewCap"})):
        made = staging.plan(str(root), "ralph", str(tmp_path / f"plan-{with_checks}"), with_checks)
        project = Path(made.folder, "project")
        assert set(json.loads((project / ".ralph/settings.json").read_text())) == kept
        assert not (project / ".ralph/settings.local.json").exists()
        assert (project / "ralph/prompt.md").read_text() == (root / "ralph/prompt.md").read_text()
        assert [s["id"] for s in made.list["userStories"]] == ["US-001", "US-002"]


def test_no_plan_holds_what_leads_to_the_users_provider(tmp_path: Path) -> None:
    demo_folder.make_project(str(tmp_path), demo_folder.environment(str(tmp_path), os.environ))
    root = tmp_path / demo_folder.PROJECT
    leads = {
        "apiKeyHelper": "cat ~/key",
        "awsAuthRefresh": "aws sso login",
        "env": {
            **dict.fromkeys(["ANTHROPIC_BASE_URL", "ANTHROPIC_AUTH_TOKEN", "AWS_PROFILE"], "mine"),
            **dict.fromkeys(["CLAUDE_CODE_USE_BEDROCK", "HTTPS_PROXY"], "mine"),
            "RALPH_GUARD": "strict",
        },
        "permissions": {"deny": ["Bash(curl:*)"]},
    }
    (root / ".claude").mkdir()
    (root / "shared.json").write_text(json.dumps(leads))
    (root / ".claude/settings.json").symlink_to("../shared.json")
    (root / ".claude/settings.local.json").write_text(json.dumps(leads))
    made = staging.plan(str(root), "ralph", str(tmp_path / "plan"))
    for name in ("settings.json", "settings.local.json"):
        assert json.loads(Path(made.folder, "project/.claude", name).read_text()) == {
            "env": {"RALPH_GUARD": "strict"},
            "permissions": {"deny": ["Bash(curl:*)"]},
        }
    assert "mine" not in git(Path(made.folder, "project"), "log", "-p", "--", ".claude")
    (root / ".claude/settings.local.json").write_text("{,}")
    with pytest.raises(Failure, match="^.claude/settings.local.json is not valid JSON"):
        staging.plan(str(root), "ralph", str(tmp_path / "again"))


def git(root: Path, *words: str) -> str:
    own = {"GIT_CONFIG_GLOBAL": os.devnull, "PATH": os.environ["PATH"]}
    who = ["-c", "user.name=A", "-c", "user.email=a@localhost"]
    done = subprocess.run(
        ["git", *who, *words], cwd=root, env=own, check=True, capture_output=True, text=True
    )
    return done.stdout


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "repository"
    (root / "inner").mkdir(parents=True)
    git(root, "init", "-q")
    for name in ("same", "changed", "deleted", "inner/program", ".gitignore"):
        (root / name).write_text("ignored\n")
    (root / "inner" / "program").chmod(0o755)
    (root / "link").symlink_to("same")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "start")
    return root


def test_the_copy_has_what_is_there_now_and_leads_nowhere(repository: Path, tmp_path: Path) -> None:
    git(repository, "remote", "add", "origin", "/nowhere")
    (repository / "changed").write_text("by hand\n")
    (repository / "deleted").unlink()
    (repository / "new").write_text("untracked\n")
    (repository / "ignored").write_text("a secret, perhaps\n")
    copy = tmp_path / "copy"
    project = scratch.make(str(repository / "inner"), str(copy))
    scratch.commit(str(copy), "all")
    assert project == str(copy / "inner")
    found = {p.relative_to(copy).as_posix() for p in copy.rglob("*") if ".git" not in p.parts}
    assert found == {"same", "changed", "new", "link", "inner", "inner/program", ".gitignore"}
    assert (copy / "changed").read_text() == "by hand\n"
    assert os.readlink(copy / "link") == "same"
    assert os.access(copy / "inner/program", os.X_OK)
    assert git(copy, "remote") == git(copy, "status", "--porcelain") == ""
    assert git(copy, "log", "--format=%an %s") == "Rehearsal all\n"


def test_no_link_leads_out_of_the_copy(repository: Path, tmp_path: Path) -> None:
    """Nor does a folder that is a link: what is copied below it would land in the user's."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "settings.local.json").write_text("{}")
    for name, target in (
        ("absolute", str(repository / "same")),
        ("up", "../mine"),
        (".claude", str(tmp_path / "mine")),
        ("inner/root", ".."),
        ("disguised", "inner/root/../mine"),
        ("inside", "inner/root/same"),
    ):
        (repository / name).symlink_to(target)
    before = users_tree.look(str(tmp_path / "mine"))
    copy = tmp_path / "copy"
    scratch.make(str(repository), str(copy))
    links = {path.name for path in copy.rglob("*") if path.is_symlink()}
    assert links == {"link", "root", "inside"}
    assert (copy / ".claude/settings.local.json").read_text() == "{}"
    assert users_tree.differences(before, users_tree.look(str(tmp_path / "mine"))) == []


def test_settings_in_a_folder_that_git_ignores_steer_the_copy_too(
    repository: Path, tmp_path: Path
) -> None:
    (repository / "ignored").mkdir()
    (repository / "ignored" / "settings.local.json").write_text("{}")
    (repository / ".gitignore").write_text("ignored\n")
    (repository / ".claude").symlink_to("ignored")
    copy = tmp_path / "copy"
    scratch.make(str(repository), str(copy))
    assert os.readlink(copy / ".claude") == "ignored"
    assert (copy / "ignored" / "settings.local.json").read_text() == "{}"


def test_a_tracked_folder_that_is_a_link_by_now_brings_nothing_along(
    repository: Path, tmp_path: Path
) -> None:
    """What git still lists below it is read, and was nearly written, where the link leads."""
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "program").symlink_to("other")
    shutil.rmtree(repository / "inner")
    (repository / "inner").symlink_to(mine)
    before = users_tree.look(str(mine))
    copy = tmp_path / "copy"
    scratch.make(str(repository), str(copy))
    assert not os.path.lexists(copy / "inner")
    (repository / "inner").unlink()
    (repository / "inner").symlink_to("moved")
    (repository / "moved").mkdir()
    (repository / "moved" / "program").write_text("moved\n")
    again = tmp_path / "again"
    scratch.make(str(repository), str(again))
    assert os.readlink(again / "inner") == "moved"
    assert (again / "inner" / "program").read_text() == "moved\n"
    assert users_tree.differences(before, users_tree.look(str(mine))) == []


# Root may read and write everything, and tests often run as root; without these it may not.
POWERS = "--bounding-set=-dac_override,-dac_read_search"
AS_ANYONE = ["setpriv", POWERS] if os.geteuid() == 0 else []
RUIN = """
import sys
from ralph_engine.failure import Failure
from ralph_engine.rehearsal import scratch
try:
    scratch.make(sys.argv[1], sys.argv[2])
    scratch.ruin(sys.argv[2], lambda name: False, b"ruined")
except Failure as failure:
    print(failure, failure.hint, sep="; ")
"""


def ruined(root: Path, folder: Path) -> str:
    argv = [*AS_ANYONE, sys.executable, "-c", RUIN, str(root), str(folder)]
    own = {**os.environ, "PYTHONPATH": str(Path(scratch.__file__).parents[2])}
    return subprocess.run(argv, env=own, check=True, stdout=subprocess.PIPE, text=True).stdout


def test_what_may_not_be_written_is_ruined_too(repository: Path, tmp_path: Path) -> None:
    (repository / "inner" / "program").chmod(0o555)
    assert ruined(repository, tmp_path / "copy") == ""
    program = tmp_path / "copy" / "inner" / "program"
    assert (program.read_text(), program.stat().st_mode & 0o777) == ("ruined", 0o555)


def test_a_file_that_may_not_be_read_is_named(repository: Path, tmp_path: Path) -> None:
    (repository / "same").chmod(0)
    told = f"{repository / 'same'} could not be copied (Permission denied)"
    hint = "make it readable for you, or let git ignore it"
    assert ruined(repository, tmp_path / "copy") == f"{told}; {hint}\n"


def backdated(path: Path) -> None:
    """The same length, the same time of its last change."""
    before = path.stat()
    path.write_text(path.read_text().upper())
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def test_no_change_of_a_tree_goes_unseen(repository: Path) -> None:
    before = users_tree.look(str(repository))
    assert users_tree.differences(before, users_tree.look(str(repository))) == []
    backdated(repository / "same")
    (repository / "new").write_text("x")
    (repository / "deleted").unlink()
    git(repository, "update-ref", "refs/heads/other", "HEAD")
    changed = users_tree.differences(before, users_tree.look(str(repository)))
    names = {os.path.relpath(path, repository) for path in changed}
    assert {"same", "new", "deleted", ".git/refs/heads/other"} <= names
    assert not {"changed", ".gitignore", ".git/config"} & names


def test_of_a_project_in_a_subfolder_the_whole_repository_is_compared(repository: Path) -> None:
    """All of it is copied, so an attack could find any of it."""
    before = users_tree.look(str(repository / "inner"))
    (repository / "beside").write_text("x")
    (repository / "inner" / "new").write_text("x")
    changed = users_tree.differences(before, users_tree.look(str(repository / "inner")))
    assert {str(repository / "beside"), str(repository / "inner" / "new")} <= {*changed}


def trial(nothing: bool, emptied: bool, garbled: bool, gone: bool) -> Trial:
    ruined = {"emptied": emptied, "garbled": garbled, "gone": gone}
    return Trial(Check("make test"), {"as it is": True, "nothing": nothing, **ruined}, 1.0)


def touch(top: Path, *names: str) -> None:
    for name in names:
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text("top secret\n")


def in_reach(root: Path, home: Path) -> list[str]:
    found = weak_setups.of_walls(str(root), Confinement(), {"HOME": str(home)})
    texts = [one.text for one in found if one.name == "secrets-in-reach"]
    return texts[0].partition(": ")[2].rpartition(" (not read")[0].split(", ") if texts else []


def test_secrets_of_a_home_are_those_that_the_guard_knows(repository: Path, tmp_path: Path) -> None:
    home = tmp_path / "home [1]"
    touch(home, ".ssh/work", ".gnupg/private-keys-v1.d/a.key", ".gnupg/b", ".gitconfig", ".profile")
    touch(
        home,
        ".config/gcloud/credentials.db",
        ".config/git/credentials",
        ".cargo/credentials.toml",
        ".config/app/settings.json",
    )
    touch(home, *(f".mozilla/firefox/profile/{name}" for name in ("key4.db", "logins.json")))
    touch(home, ".claude.json", ".claude/.credentials.json", ".codex/auth.json")
    touch(home, ".gemini/oauth_creds.json", ".local/share/amp/secrets.json")
    assert in_reach(repository, home) == [
        *(
            "~/.ssh",
            "~/.gnupg",
            "~/.config/gcloud",
            "~/.config/git/credentials",
            "~/.cargo/credentials.toml",
        ),
        "~/.mozilla/firefox/*/*",
    ]


def test_secrets_of_a_project_are_known_by_name(repository: Path, tmp_path: Path) -> None:
    secrets = ("id_rsa", "server.pem", "certs/own.p12", "google-credentials.json", ".npmrc")
    more = (".netrc", ".envrc", "infra/prod.tfvars", ".env", ".env.local")
    touch(repository, *secrets, *more)
    touch(repository, "id_rsa.pub", ".env.example", "credentials.py", "keys.json", "a.keyboard")
    touch(repository, ".venv/lib/certifi/cacert.pem", "web/node_modules/a/test.key")
    assert {*in_reach(repository, tmp_path / "nowhere")} == {*secrets, *more}


def test_what_git_tracks_is_a_secret_only_if_its_name_says_so(
    repository: Path, tmp_path: Path
) -> None:
    """A certificate or a registry's address is there for all; so is the key of a test."""
    touch(repository, ".npmrc", ".envrc", "ca.pem", "prod.tfvars", "no-credentials.json")
    touch(repository, ".env.test", ".env.ci", ".env.defaults", "slides.key")
    touch(repository, "tests/tls/server.p12", "pkg/testdata/id_rsa", "inner/server.p12", ".env")
    git(repository, "add", "-f", ".")
    touch(repository, "tests/tls/own.key")
    assert {*in_reach(repository, tmp_path / "nowhere")} == {
        *("inner/server.p12", ".env", "tests/tls/own.key")
    }
    assert in_reach(repository / "inner", tmp_path / "nowhere") == ["server.p12"]


@pytest.mark.parametrize(
    ("trials", "found"),
    [
        ([], []),
        ([trial(False, False, False, False)], []),
        ([trial(True, True, False, True), trial(False, False, True, True)], []),
        ([trial(True, True, True, True), trial(False, False, False, False)], ["never-fails"]),
        ([trial(False, True, True, True), trial(True, False, False, False)], ["never-fails"]),
        ([trial(True, False, False, False)], ["passes-on-nothing"]),
        ([trial(False, True, True, False), trial(True, True, False, True)], ["passes-on-emptied"]),
    ],
)
def test_which_checks_prove_nothing(trials: list[Trial], found: list[str]) -> None:
    assert [weakness.name for weakness in weak_setups.of_checks(trials)] == found
