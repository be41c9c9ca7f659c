"""The microVM back-ends with stand-ins for `sbx` and `docker`: they show the launcher at work, with
each known fault of those programs, and nothing of any isolation."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from ralph_engine.__main__ import main
from ralph_engine.core.own_command import RALPH
from runner.hostile_project import ENGINE, MARK, REPOSITORY, end_marked
from runner.live_loop import LiveLoop, until, verb
from runner.stand_ins import PROGRAMS, StandIns

AGENTS = REPOSITORY / "tests" / "fixtures" / "agents"
DONE = "sh -c 'echo \"<response>DONE</response>\"'"
BOTH = ["sbx", "docker"]
NO_SBX = "sbx is not on PATH"
NO_BWRAP = "bwrap is not on PATH (install the package bubblewrap)"
NO_PLUGIN = "this docker has no `sandbox` plugin (Docker Desktop 4.58 to 4.79 have it)"


@pytest.fixture(params=BOTH)
def here(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[StandIns]:
    """Each test once for each of the two programs."""
    made = StandIns(tmp_path, request.param)
    yield made
    never_detached(made)


@pytest.fixture
def sbx(tmp_path: Path) -> Iterator[StandIns]:
    made = StandIns(tmp_path, "sbx")
    yield made
    never_detached(made)


@pytest.fixture
def docker(tmp_path: Path) -> Iterator[StandIns]:
    made = StandIns(tmp_path, "docker")
    yield made
    never_detached(made)


def never_detached(standins: StandIns) -> None:
    """`exec -d` never returns on a long command."""
    entered = [call for call in standins.calls() if "exec" in call[1:3]]
    named = [min(n for n, word in enumerate(call) if "ralph-" in word) for call in entered]
    assert not [call for call, n in zip(entered, named) if "-d" in call[:n]]


def making(standins: StandIns) -> str:
    return f"making the sandbox {standins.name}: this can take minutes\n"


def test_stand_in_two_stories_are_built_and_reviewed_inside(sbx: StandIns) -> None:
    check = 'test "$IS_SANDBOX$GIT_AUTHOR_NAME" = 1Agent && test -z "$OUTSIDE"'
    (sbx.project.root / ".ralph" / "settings.json").write_text(
        json.dumps({"guardrails": [{"command": check, "failAction": "APPEND"}]})
    )
    honest = sbx.agent(str(AGENTS / "honest.py"))
    ended = sbx.project.run(honest, env=sbx.env, iterations=4)
    assert ended.code == 0, ended.screen
    words = f"[ralph] sandbox sbx: a microVM of its own, {sbx.name}; network: open; 2 stories left"
    assert ended.screen.startswith(f"{making(sbx)}{words}")
    assert "ralph: complete: 2 of 2 stories verified" in ended.screen
    assert f"check {check}: passed" in ended.screen
    [made] = sbx.called("sbx", "create")
    state = f"{sbx.project.home}/.dclaude_state"
    assert made[-4:] == ["claude", str(sbx.project.root), state, f"{REPOSITORY}:ro"]
    assert (sbx.project.home / ".dclaude_state" / ".claude.json").read_text() == "{}\n"


def test_stand_in_a_copy_that_is_stale_and_late_gets_the_runners_own_writes(
    docker: StandIns,
) -> None:
    """The second agent reads its marker, and the list that the runner put right, inside."""
    docker.faults("late sync")
    docker.without_checks()
    honest = docker.agent(str(AGENTS / "honest.py"))
    looks = f"python3 .ralph/looks.py; {honest}"
    (docker.project.root / ".ralph" / "looks.py").write_text(LOOKS)
    (docker.project.root / ".ralph" / "agent.sh").write_text(looks)
    argv = [sys.executable, "-I", str(PROGRAMS / "syncs_late.py")]
    syncer = subprocess.Popen(argv, env={"STAND_IN": str(docker.home)})
    try:
        ended = docker.project.run("sh .ralph/agent.sh", env=docker.env, iterations=2)
    finally:
        syncer.kill()
        syncer.wait()
    assert "US-1 is approved by its review" in ended.screen
    seen = (docker.project.root / ".ralph" / "seen").read_text().splitlines()
    assert seen == ["implement US-1 2", "review US-1 2"]
    assert not docker.called("docker", "sandbox", "stop")
    brought = [call for call in docker.calls() if any("tar " in word for word in call)]
    assert brought and not [call for call in brought if "-u" in call]


LOOKS = """
import json
marker = json.load(open(".ralph-active"))
document = json.load(open("ralph/tasks.json"))
with open(".ralph/seen", "a") as seen:
    print(marker["iterationMode"], marker["story"], len(document["userStories"]), file=seen)
if marker["iterationMode"] == "implement":
    # Not allowed: the runner puts the second story back before the review.
    document["userStories"] = document["userStories"][:1]
    json.dump(document, open("ralph/tasks.json", "w"))
"""


HARD = 'It\'s "quoted" $(touch trapped) `touch trapped` \\n\n\n\ttab €\U0001f600 %s ;&|<>*?\x1e'


@pytest.mark.parametrize(("program", "length"), [("sbx", 0), ("sbx", 200_000), ("docker", 200_000)])
def test_stand_in_a_prompt_arrives_byte_by_byte(tmp_path: Path, program: str, length: int) -> None:
    here = StandIns(tmp_path, program)
    project, text = here.project, HARD + "x" * length + HARD
    (project.outside / "prompt").write_bytes(text.encode())
    agent = here.agent(str(AGENTS / "notes_its_prompt.py"))
    ended = project.run(agent, "-f", str(project.outside / "prompt"), "--sandbox", env=here.env)
    assert ended.code == 0, ended.screen
    assert (project.root / "prompt-inside").read_bytes() == text.encode()
    assert not (project.root / "trapped").exists()
    assert not list((project.root / ".ralph").glob("prompt-*"))
    by_file = [call for call in here.calls() if any("/.ralph/prompt-" in word for word in call)]
    assert bool(by_file) == (length > 100_000)


def test_stand_in_an_agent_may_delete_its_prompt(sbx: StandIns) -> None:
    project = sbx.project
    (project.outside / "prompt").write_bytes(b"x" * 200_000)
    script = project.root / ".ralph" / "agent.sh"
    script.write_text("rm .ralph/prompt-* && echo '<response>DONE</response>'\n")
    words = ["-f", str(project.outside / "prompt"), "--sandbox"]
    ended = project.run("sh .ralph/agent.sh", *words, env=sbx.env)
    assert ended.code == 0, ended.screen


def test_stand_in_the_order_is_sbx_docker_bwrap(tmp_path: Path) -> None:
    both = StandIns(tmp_path, "sbx", "docker")
    for name in ("sbx", "docker", "bwrap"):
        said = both.verb("sandbox", "status").stdout
        assert f"a run here: sandbox {name}: " in said
        both.without(name)
    ended = both.project.run(DONE, "-p", "go", "--sandbox", env=both.env)
    lacks = f"sbx: {NO_SBX}; docker: docker is not on PATH; bwrap: {NO_BWRAP}"
    told = f"ralph: no sandbox, no run: {lacks}; --no-sandbox runs without\n"
    assert (ended.code, ended.screen) == (2, told)


@pytest.mark.parametrize(
    ("program", "fault", "words"),
    [
        ("docker", "daemon down", "Docker does not run (start Docker Desktop)"),
        (
            *("sbx", "not signed in"),
            "you are not signed in to Docker (sign in there, in Docker Desktop or by its login)",
        ),
        (
            *("sbx", "policy prompt"),
            "its network policy is not chosen yet (run `sbx policy init balanced` once)",
        ),
    ],
)
def test_stand_in_that_does_not_work_is_told_and_not_used(
    tmp_path: Path, program: str, fault: str, words: str
) -> None:
    here = StandIns(tmp_path, program)
    here.faults(fault)
    ended = here.project.run(DONE, "-p", "go", f"--sandbox={program}", env=here.env)
    told = f"no sandbox, no run: {program}: {words}; --no-sandbox runs without"
    assert (ended.code, ended.screen) == (2, f"ralph: {told}\n")
    assert f"{program}: {words}\n" in here.verb("sandbox", "status").stdout
    assert here.machines(program) == []


@pytest.mark.parametrize("fault", ["no plugin", "no plugin 125"])
def test_stand_in_docker_without_its_plugin_is_passed_over(docker: StandIns, fault: str) -> None:
    docker.faults(fault)
    said = docker.verb("sandbox", "status").stdout
    assert f"docker: {NO_PLUGIN}\n" in said and "a run here: sandbox bwrap: " in said


def test_stand_in_a_banner_before_the_list_is_no_part_of_it(here: StandIns) -> None:
    here.faults("banner")
    assert here.verb("sandbox", "setup").returncode == 0
    assert here.verb("sandbox", "stop").stdout == f"{here.program}: stopped\n"
    assert here.machines(here.program) == [here.name]


def test_stand_in_a_name_that_leaked_is_freed_and_used(sbx: StandIns) -> None:
    sbx.faults("leaked name x1")
    done = sbx.verb("sandbox", "setup", "--sandbox", "sbx")
    words = "`sbx create` failed with exit code 1: ERROR: failed to run sandbox container"
    assert (done.returncode, done.stderr) == (2, f"{making(sbx)}ralph: sbx: {words}\n")
    assert sbx.verb("sandbox", "setup").returncode == 0
    assert sbx.machines("sbx") == [sbx.name]


def test_stand_in_a_name_that_leaked_for_ever_is_told(sbx: StandIns) -> None:
    sbx.faults("leaked name x1", "leak for ever")
    for _ in range(2):
        done = sbx.verb("sandbox", "setup", "--sandbox", "sbx")
        assert done.returncode == 2
    held = f'`sbx create` failed with exit code 1: sandbox "{sbx.name}" already exists'
    assert done.stderr == f"{making(sbx)}ralph: sbx: {held} for this workspace\n"


def test_stand_in_a_half_made_sandbox_is_removed(sbx: StandIns) -> None:
    sbx.faults("half-made")
    done = sbx.verb("sandbox", "setup", "--sandbox", "sbx")
    assert done.returncode == 2 and "ERROR: failed to run sandbox container" in done.stderr
    assert sbx.machines("sbx") == []


def test_stand_in_a_half_made_sandbox_that_stays_is_mentioned(sbx: StandIns) -> None:
    sbx.faults("half-made", "cannot be removed")
    ended = sbx.project.run(DONE, "-p", "go", env=sbx.env)
    first = ended.screen.splitlines()[1]
    assert first.startswith("[ralph] sandbox bwrap: ") and ended.code == 0
    assert f"the half-made sandbox {sbx.name} cannot be removed (sbx rm -f {sbx.name})" in first
    assert f"{sbx.name}; network: open (half-made; " in sbx.verb("sandbox", "status").stdout
    sbx.faults()
    ended = sbx.project.run(DONE, "-p", "go", env=sbx.env)
    assert f"the half-made sandbox {sbx.name} was removed and made again" in ended.screen
    assert ended.code == 0 and sbx.machines("sbx") == [sbx.name]


def test_stand_in_one_that_cannot_be_entered_is_told_and_not_removed(sbx: StandIns) -> None:
    """It may hold what a person installed there."""
    assert sbx.verb("sandbox", "setup").returncode == 0
    sbx.faults("cannot be entered")
    ended = sbx.project.run(DONE, "-p", "go", "--sandbox=sbx", env=sbx.env)
    why = "`sbx exec` failed with exit code 1: ERROR: failed to run sandbox container"
    fix = f"{RALPH} sandbox stop, then again; else {RALPH} sandbox rm"
    lack = f"`true` did not run inside {sbx.name}: {why} ({fix})"
    told = f"ralph: no sandbox, no run: sbx: {lack}; --no-sandbox runs without\n"
    assert (ended.code, ended.screen) == (2, told)
    assert sbx.machines("sbx") == [sbx.name]


def test_stand_in_one_that_stopped_by_itself_is_entered_again(here: StandIns) -> None:
    here.settings(network="deny")
    assert here.verb("sandbox", "setup").returncode == 0
    here.faults("stopped by itself x2", "not listed x2")
    ended = here.project.run(DONE, "-p", "go", f"--sandbox={here.program}", env=here.env)
    assert ended.code == 0, ended.screen
    assert here.machines(here.program) == [here.name]
    assert not here.called(*here.words, "rm")


def test_stand_in_one_that_was_whole_is_never_removed_by_itself(sbx: StandIns) -> None:
    assert sbx.verb("sandbox", "setup").returncode == 0
    sbx.faults("not listed", "cannot be entered")
    done = sbx.verb("sandbox", "setup", "--sandbox", "sbx")
    held = f'`sbx create` failed with exit code 1: sandbox "{sbx.name}" already exists'
    fix = f"{RALPH} sandbox stop, then again; else {RALPH} sandbox rm"
    told = f"{making(sbx)}ralph: sbx: {held} for this workspace ({fix})\n"
    assert (done.returncode, done.stderr) == (2, told)
    sbx.faults()
    assert sbx.verb("sandbox", "setup").returncode == 0
    assert not sbx.called("sbx", "rm")


def test_stand_in_one_that_vanishes_is_made_anew_and_the_run_goes_on(sbx: StandIns) -> None:
    assert sbx.verb("sandbox", "setup").returncode == 0
    agent = sbx.agent(str(AGENTS / "notes_its_prompt.py"))
    counting = sbx.project.root / ".ralph" / "count.sh"
    counting.write_text(f"echo once >> .ralph/entered; exec {agent}\n")
    sbx.faults("gone x1")
    ended = sbx.project.run("sh .ralph/count.sh", "-p", "go", "--sandbox", env=sbx.env)
    assert ended.code == 0, ended.screen
    assert (sbx.project.root / ".ralph" / "entered").read_text() == "once\n"
    assert sbx.machines("sbx") == [sbx.name]


def test_stand_in_without_a_word_and_exit_code_0_the_agent_is_tried_again(sbx: StandIns) -> None:
    assert sbx.verb("sandbox", "setup").returncode == 0
    sbx.faults("mute exec x1")
    ended = sbx.project.run(DONE, "-p", "go", "--sandbox", env=sbx.env)
    assert ended.code == 0, ended.screen
    [retry] = [e for e in sbx.project.journal() if e["event"] == "retry"]
    assert retry["why"] == f"exec in {sbx.name} gave exit code 0 and no word"


def test_stand_in_that_loses_words_twice_is_asked_a_third_time(sbx: StandIns) -> None:
    sbx.faults("mute call x2", "mute set-up x2", "mute look x2")
    ended = sbx.project.run("no-such-agent", "-p", "go", "--sandbox=sbx", env=sbx.env)
    assert "the agent no-such-agent is not in the sandbox" in ended.screen


def test_stand_in_that_is_mute_when_asked_is_not_taken_for_a_lack(sbx: StandIns) -> None:
    sbx.faults("mute look")
    ended = sbx.project.run(DONE, "-p", "go", "--sandbox=sbx", env=sbx.env)
    assert ended.code == 0, ended.screen
    sbx.faults("mute set-up")
    done = sbx.verb("sandbox", "setup", "--sandbox", "sbx")
    told = f"ralph: sbx: the sandbox {sbx.name} could not be set up: no word from it ("
    assert done.returncode == 2 and done.stderr.startswith(told)


def test_stand_in_that_is_always_mute_ends_the_run(sbx: StandIns) -> None:
    assert sbx.verb("sandbox", "setup").returncode == 0
    sbx.faults("mute exec")
    check = {"guardrails": [{"command": "true", "failAction": "APPEND"}]}
    (sbx.project.root / ".ralph" / "settings.json").write_text(json.dumps(check))
    done = sbx.verb("verify")
    words = f"nothing can be run in the sandbox: exec in {sbx.name} gave exit code 0 and no word"
    hint = f"hint: {RALPH} sandbox stop, then again\n"
    assert (done.returncode, done.stderr) == (2, f"ralph: {words}\n{hint}")


def test_stand_in_a_check_whose_end_was_not_heard_has_failed_and_is_ended(sbx: StandIns) -> None:
    assert sbx.verb("sandbox", "setup").returncode == 0
    check = {"guardrails": [{"command": "exec sleep 1000", "failAction": "APPEND"}]}
    (sbx.project.root / ".ralph" / "settings.json").write_text(json.dumps(check))
    sbx.faults("cut off x1")
    done = sbx.verb("verify")
    assert "OPEN exec sleep 1000: exit code 1 (" in done.stdout, done
    assert sbx.called("sbx", "stop") == [["sbx", "stop", sbx.name]]


def test_stand_in_an_agents_own_exit_code_is_known(sbx: StandIns) -> None:
    sbx.faults("one exit code")
    ended = sbx.project.run("sh -c 'exit 42'", "-p", "go", "--sandbox", env=sbx.env)
    assert (ended.code, "asks for a person (exit code 42)" in ended.screen) == (42, True)


def test_stand_in_what_outlives_its_client_is_ended_by_a_stop(sbx: StandIns) -> None:
    agent = sbx.agent(str(AGENTS / "saves_at_int.py"))
    words = ["-p", "go", "--sandbox=sbx", "--iteration-timeout", "1s"]
    ended = sbx.project.run(agent, *words, env=sbx.env, iterations=1)
    assert ended.code == 1, ended.screen
    assert sbx.calls()[-1][-2:] == ["stop", sbx.name]
    assert sbx.project.left_when_it_ended == []


def test_stand_in_what_took_off_its_mark_is_ended_by_a_stop(sbx: StandIns) -> None:
    agent = sbx.project.root / ".ralph" / "agent.sh"
    left = "env -i setsid sh -c 'echo > .ralph/here; exec sleep 1000' >/dev/null 2>&1 &"
    agent.write_text(f"{left}\nwhile [ ! -e .ralph/here ]; do :; done\n{DONE}\n")
    ended = sbx.project.run("sh .ralph/agent.sh", "-p", "go", "--sandbox", env=sbx.env)
    assert ended.code == 0, ended.screen
    words = "is stopped: something in it was still at work after its program"
    assert f"[ralph] the sandbox {sbx.name} {words}\n" in ended.screen
    assert sbx.called("sbx", "stop") == [["sbx", "stop", sbx.name]]
    until(lambda: not at_work_in(sbx.project.root))


def at_work_in(folder: Path) -> list[Path]:
    places = Path("/proc").glob("[1-9]*/cwd")
    return [place for place in places if os.path.realpath(place) == str(folder)]


def test_stand_in_that_cannot_be_stopped_is_told(sbx: StandIns) -> None:
    sbx.faults("cannot be stopped")
    agent = sbx.agent(str(AGENTS / "saves_at_int.py"))
    words = ["-p", "go", "--sandbox", "--iteration-timeout", "1s"]
    ended = sbx.project.run(agent, *words, env=sbx.env, iterations=1)
    told = f"[ralph] the sandbox {sbx.name} could not be stopped (`sbx stop` failed with exit code"
    assert f"{told} 1: ERROR: failed to stop '{sbx.name}'): what runs in it may" in ended.screen


def test_stand_in_what_a_killed_runner_left_inside_is_ended_first(sbx: StandIns) -> None:
    agent = sbx.agent(str(AGENTS / "saves_at_int.py"))
    argv = [sys.executable, "-I", "-X", "utf8", str(ENGINE), "run", "-p", "go", "--sandbox"]
    runner = subprocess.Popen(
        [*argv, "--agent", agent],
        cwd=sbx.project.root,
        env={**sbx.project.environment, **sbx.env},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        until(lambda: (sbx.project.root / "here").exists())
    finally:
        runner.kill()
        runner.wait()
        end_marked(f"{MARK}={sbx.project.mark}")
    (sbx.home / "log").unlink()
    assert sbx.project.run(DONE, "-p", "other", "--sandbox", env=sbx.env).code == 0
    verbs = [call[1] for call in sbx.calls()]
    assert verbs.index("stop") < verbs.index("exec")


def test_stand_in_two_paths_that_differ_in_punctuation_have_two_sandboxes(sbx: StandIns) -> None:
    roots = [sbx.project.root.with_name(name) for name in ("a.b", "a b", "a-b")]
    for root in roots:
        root.mkdir()
        assert sbx.verb("sandbox", "setup", root=root).returncode == 0
    names = sbx.machines("sbx")
    assert len(names) == 3 and all(name.startswith("ralph-a-b-") for name in names)
    done = sbx.verb("sandbox", "rm", root=roots[1])
    told = "sbx: there is none any more; the project and the agent's sign-in stay\n"
    assert (done.returncode, done.stdout) == (0, told)
    assert len(sbx.machines("sbx")) == 2
    removed = [call for call in sbx.calls() if call[1] in ("rm", "stop")]
    assert len(removed) == 1


def test_stand_in_a_name_that_holds_ours_is_anothers(sbx: StandIns) -> None:
    for name in (f"x-{sbx.name}", f"{sbx.name}-2"):
        other = sbx.home / "sbx" / name
        other.mkdir(parents=True)
        (other / "status").write_text("stopped")
    assert sbx.verb("sandbox", "setup").returncode == 0
    assert sbx.name in sbx.machines("sbx")
    assert sbx.verb("sandbox", "rm").returncode == 0
    assert sbx.machines("sbx") == [f"{sbx.name}-2", f"x-{sbx.name}"]


def test_stand_in_a_closed_network_allows_the_model_and_named_hosts(here: StandIns) -> None:
    here.env["ANTHROPIC_BASE_URL"] = "https://not-handed-in.test"
    hosts = ["example.com:8443", "*.example.org", "127.0.0.1:5432"]
    here.settings(network="deny", allowHosts=hosts)
    done = here.verb("sandbox", "network")
    assert done.returncode == 0, done.stderr
    models = ["api.anthropic.com", "platform.claude.com", "console.anthropic.com"]
    hosts = [*models, "example.com:8443", "*.example.org"]
    assert f"; network: only {', '.join(hosts)}\n" in done.stdout
    assert done.stdout.endswith("evil.example:443\n") and "another-project" not in done.stdout
    if here.program == "sbx":
        [made] = here.called("sbx", "create")
        wanted = ["sbx", "policy", "allow", "network", "--sandbox", here.name, ",".join(hosts)]
        assert "--deny-network" in made and wanted in here.calls()
    else:
        allowed = [word for host in hosts for word in ("--allow-host", host)]
        start = ["docker", "sandbox", "network", "proxy", here.name, "--policy", "deny"]
        assert [*start, *allowed] in here.calls()


def test_stand_in_a_host_that_is_no_longer_named_is_refused_again(sbx: StandIns) -> None:
    for hosts in (["a.test", "b.test"], ["b.test"], ["b.test"]):
        sbx.settings(network="deny", allowHosts=hosts)
        assert sbx.verb("sandbox", "setup").returncode == 0
    start = ["sbx", "policy", "deny", "network", "--sandbox", sbx.name]
    assert sbx.called("sbx", "policy", "deny") == [[*start, "a.test"]]


def test_stand_in_a_network_that_was_made_open_is_not_taken_for_closed(sbx: StandIns) -> None:
    assert sbx.verb("sandbox", "setup").returncode == 0
    sbx.settings(network="deny")
    ended = sbx.project.run(DONE, "-p", "go", "--sandbox=sbx", env=sbx.env)
    assert ended.code == 2
    assert f"the sandbox {sbx.name} was made with an open network" in ended.screen
    assert sbx.verb("sandbox", "rm").returncode == 0
    assert sbx.project.run(DONE, "-p", "go", "--sandbox=sbx", env=sbx.env).code == 0


def test_stand_in_a_program_that_is_not_inside_is_told_before_the_start(sbx: StandIns) -> None:
    ended = sbx.project.run("no-such-agent", "-p", "go", "--sandbox", env=sbx.env)
    words = f"the agent no-such-agent is not in the sandbox; install it in `{RALPH} sandbox shell`"
    assert (ended.code, ended.screen) == (2, f"{making(sbx)}ralph: {words} or set --agent\n")


def test_stand_in_a_set_up_that_fails_says_why(sbx: StandIns) -> None:
    sbx.without("python3")
    done = sbx.verb("sandbox", "setup", "--sandbox", "sbx")
    words = f"the sandbox {sbx.name} could not be set up: ralph-setup: python3 is missing in this"
    assert done.returncode == 2 and words in done.stderr


def test_stand_in_what_a_person_edits_in_a_pause_arrives_inside(here: StandIns) -> None:
    """A synced copy takes it only at a start, a live mount at once."""
    project = here.project
    here.without_checks()
    honest = here.agent(str(AGENTS / "honest.py"))
    agent = f"echo here >> '{project.outside}/here'; read -r word < '{project.outside}/go'\n"
    agent += f"cat app.py > .ralph/seen; exec {honest}\n"
    with LiveLoop(project, "--sandbox", agent=agent, **here.env) as loop:
        loop.agents_come(1)
        loop.pause()
        (here.home / "log").unlink()
        (project.root / "app.py").write_text("ANSWER = 43\n")
        assert verb(project, "resume").code == 0
        loop.agents_come(2)
        restarted = here.called(*here.words, "stop")
        loop.let_go()
        loop.has_event("agent-ended", 2)
        assert (project.root / ".ralph" / "seen").read_text() == "ANSWER = 43\n"
    assert bool(restarted) == (here.program == "docker")


def test_sandbox_verbs_have_words_where_they_do_not_apply(tmp_path: Path) -> None:
    plain = StandIns(tmp_path)
    for action, code, words in (
        ("setup", 0, "bwrap: ready: writes only in the project, the home is hidden; network: open"),
        ("stop", 0, "bwrap: nothing to stop: all inside ends with its program"),
        ("rm", 0, "bwrap: nothing to remove: nothing of it stays"),
        ("login", 2, "ralph: bwrap takes the sign-in of your own home into the sandbox"),
        ("shell", 2, "ralph: this needs a terminal"),
        ("network", 0, '"sandbox": {"network": "deny"} in the settings closes it'),
    ):
        done = plain.verb("sandbox", action)
        assert done.returncode == code and words in done.stdout + done.stderr


@pytest.mark.parametrize(
    "action", ["setup", "status", "login", "shell", "network", "stop", "rm", "test"]
)
def test_each_sandbox_verb_has_its_help(action: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["sandbox", action, "--help"])
    assert left.value.code == 0
    assert f"ralph.sh sandbox {action} [-h]" in capsys.readouterr().out
