"""doctor: every fault that it knows, produced once and recognised, with its fix."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest
from ralph_engine.core.own_command import RALPH
from runner.live_loop import HONEST, LiveLoop
from shell.patient import BASE, Line, Patient

# Enough for everything but the first kilobytes of a run.
ON_A_SMALL_DISK = ["bwrap", "--dev-bind", "/", "/", "--size"]


@pytest.fixture
def patient(tmp_path: Path) -> Patient:
    return Patient(tmp_path)


def test_a_healthy_place_has_nothing_to_put_right(patient: Patient) -> None:
    found = patient.examined()
    assert {line.grade for line in found} == {"ok"}
    topics = [line.text.partition(":")[0] for line in found]
    assert topics == [
        *("python", "hooks' python", "shfmt", "git", "settings", "agent claude", "agent codex"),
        *("agent amp", "agent gemini", "agent sh", "hooks", "sandbox", "disk", "leftovers"),
    ]


def test_a_look_changes_nothing(patient: Patient) -> None:
    def everything() -> list[tuple[str, float]]:
        folders = (patient.root, patient.home, patient.state)
        found = [path for folder in folders for path in folder.rglob("*")]
        return sorted((str(path), path.lstat().st_mtime) for path in found)

    before = everything()
    patient.examined()
    assert everything() == before


def test_json_for_machines(patient: Patient) -> None:
    patient.pinned.write_text(f"\n{patient.tools}/shfmt-stand-in\n")
    done = patient.run("--json")
    found = json.loads(done.stdout)
    assert done.returncode == 1
    assert {frozenset(entry) for entry in found} == {
        frozenset({"grade", "topic", "text", "fix"}),
    }
    assert [entry["topic"] for entry in found if entry["grade"] == "warn"] == ["hooks' python"]


def test_the_pinned_interpreter_is_gone(patient: Patient) -> None:
    gone = patient.tools / "gone"
    patient.pinned.write_text(f"{gone}\n{patient.tools}/shfmt-stand-in\n")
    assert patient.troubles() == [
        Line(
            "bad",
            f"hooks' python: {gone}, pinned in {patient.pinned}, is gone",
            f"remove {patient.pinned}: the next start of ralph.sh writes it anew",
        )
    ]


def test_the_pinned_interpreter_does_not_run(patient: Patient) -> None:
    broken = patient.program("broken", "exit 1")
    patient.pinned.write_text(f"{broken}\n{patient.tools}/shfmt-stand-in\n")
    [line] = patient.troubles()
    assert line.grade == "bad"
    assert line.text == f"hooks' python: {broken}, pinned in {patient.pinned}, does not run"


def test_no_interpreter_is_pinned(patient: Patient) -> None:
    patient.pinned.write_text(f"\n{patient.tools}/shfmt-stand-in\n")
    words = f"hooks' python: {patient.pinned} pins none, so hooks take the first that they find"
    assert patient.troubles() == [Line("warn", words, f"start {RALPH} once: it writes that file")]


@pytest.mark.parametrize("named", [True, False])
def test_shfmt_is_missing(patient: Patient, named: bool) -> None:
    gone = patient.tools / "gone"
    patient.pinned.write_text(f"{BASE}\n{gone}\n" if named else f"{BASE}\n")
    pinned = f"{gone}, pinned in {patient.pinned}, does not run"
    what = pinned if named else f"{patient.pinned} names none"
    assert patient.troubles() == [
        Line(
            "warn",
            f"shfmt: {what}: the guard hook reads only simple commands",
            f"install shfmt; remove {patient.pinned}: the next start of ralph.sh writes it anew",
        )
    ]


def test_git_is_missing(patient: Patient) -> None:
    (patient.tools / "git").unlink()
    assert Line("bad", "git: not on PATH", "install git") in patient.troubles()


def test_git_is_too_old(patient: Patient) -> None:
    patient.program("git", "echo git version 2.30.9")
    words = "git: git version 2.30.9 is too old: 2.31 is needed"
    assert Line("bad", words, "install a newer git") in patient.troubles()


def test_git_does_not_work(patient: Patient) -> None:
    git = patient.program("git", "exit 1")
    words = f"git: {git} --version does not work"
    assert Line("bad", words, "install git anew") in patient.troubles()


def test_settings_that_are_not_valid(patient: Patient) -> None:
    patient.settings(agent={"comand": "sh"})
    [line, *_] = patient.troubles()
    assert line.grade == "bad"
    assert line.text.startswith("settings: .ralph/settings.local.json: ")
    assert "command" in line.text


def test_the_configured_agent_is_missing(patient: Patient) -> None:
    patient.settings(agent={"command": "my-agent --fast"})
    assert patient.troubles() == [
        Line(
            "bad",
            "agent my-agent: not on PATH, and the settings name it",
            "install it, or name another one in the settings",
        )
    ]


def test_claude_is_missing_and_configured(patient: Patient) -> None:
    patient.settings()
    install = "npm install -g @anthropic-ai/claude-code"
    assert patient.troubles(IS_SANDBOX="1") == [
        Line("bad", "agent claude: not on PATH, and the settings name it", install),
        Line("warn", "hooks: not tried, there is no Claude Code", install),
    ]


def test_a_stand_in_for_a_claude_that_does_not_start(patient: Patient) -> None:
    claude = patient.program("claude", "echo broken; exit 3")
    install = "npm install -g @anthropic-ai/claude-code"
    assert patient.troubles() == [
        Line(
            "bad", f"agent claude: {claude} --version does not work in a home of its own", install
        ),
        Line(
            "bad",
            f"plugin: {Path(__file__).resolve().parents[2]} is not valid: broken",
            f"see what was changed (git -C {Path(__file__).resolve().parents[2]} status),"
            " or install the plugin anew",
        ),
        Line(
            "bad",
            "hooks: Claude Code ended with 3: broken",
            f"see whether claude works by itself; if not: {install}",
        ),
    ]


def test_every_agent_of_the_settings_is_looked_for(patient: Patient) -> None:
    patient.settings(
        agent={"command": "sh", "fallback": {"command": "codex"}},
        reviewAgent={"command": "other-agent"},
    )
    assert patient.troubles() == [
        Line(
            "bad",
            "agent other-agent: not on PATH, and the settings name it",
            "install it, or name another one in the settings",
        ),
        Line(
            "bad",
            "agent codex: not on PATH, and the settings name it",
            "npm install -g @openai/codex",
        ),
    ]


def test_a_stand_in_for_another_version_of_codex(patient: Patient) -> None:
    flags = "-c -m --json --skip-git-repo-check --dangerously-bypass-approvals-and-sandbox --help"
    answer = "case $* in --version) echo codex-cli 0.200.0 ;; *) echo '{}' ;; esac"
    program = patient.program("codex", answer.format(flags))
    words = (
        f"agent codex: codex-cli 0.200.0 at {program}"
        " (newer than the newest that Ralph was tested with (0.169.0))"
    )
    assert Line("ok", words, "") in patient.examined()
    patient.program("codex", answer.format(flags.replace("--json", "")))
    words = f"agent codex: codex-cli 0.200.0 at {program} does not know --json"
    assert patient.troubles() == [Line("bad", words, "npm install -g @openai/codex")]


def test_a_stand_in_for_amp_without_a_key(patient: Patient) -> None:
    patient.program("amp", "echo 0.0.1767830505-ga62310")
    assert patient.troubles() == []
    patient.settings(agent={"command": "amp"})
    words = "agent amp: amp has no key and would wait for a person"
    assert Line("bad", words, "set AMP_API_KEY, or sign in by hand") in patient.troubles()


def test_root_without_a_sandbox(patient: Patient) -> None:
    as_root = ["bwrap", "--dev-bind", "/", "/", "--unshare-user", "--uid", "0", "--gid", "0", "--"]
    inside = [str(shutil.which("bwrap")), *as_root[1:]]
    words = "agent claude: Claude Code refuses to work as root outside a sandbox"
    line = Line("bad", words, "use an ordinary user, or a sandbox")
    patient.settings(sandbox={"backend": "none"})
    assert line in patient.troubles(inside=inside, IS_SANDBOX=None)
    assert line not in patient.troubles(inside=inside, IS_SANDBOX="1")


@pytest.mark.parametrize(
    "place", ["home/.claude/settings.json", "project/.claude/settings.local.json"]
)
def test_hooks_that_a_person_switched_off(patient: Patient, place: str) -> None:
    settings = patient.home.parent / place
    settings.parent.mkdir()
    settings.write_text('{"disableAllHooks": true}')
    words = f"hooks: {settings} switches all hooks off: /ralph-loop cannot work"
    assert patient.troubles() == [Line("warn", words, "take disableAllHooks out of it")]


OTHERS = "(others: sbx: sbx is not on PATH; docker: docker is not on PATH)"


def sandbox_lines(patient: Patient, **env: str | None) -> list[Line]:
    found = patient.examined(**{"IS_SANDBOX": None, **env})
    return [line for line in found if line.text.startswith("sandbox")]


def test_the_sandbox_that_a_run_would_take(patient: Patient) -> None:
    [line] = sandbox_lines(patient)
    assert line.grade == "ok"
    assert line.text.startswith("sandbox: sandbox bwrap: ") and line.text.endswith(OTHERS)


def test_no_sandbox_works(patient: Patient) -> None:
    patient.program("bwrap", "echo no namespaces here >&2; exit 1")
    patient.program("docker", "echo 'docker: unknown command: docker sandbox' >&2; exit 1")
    assert sandbox_lines(patient) == [
        Line(
            "warn",
            "sandbox: unconfined: the agent can reach all that you can (sbx: sbx is not on PATH;"
            " docker: this docker has no `sandbox` plugin (Docker Desktop 4.58 to 4.79 have it);"
            " bwrap: `true` did not run inside (no namespaces here))",
            "let bwrap make user namespaces (Ubuntu: an AppArmor profile for it)",
        )
    ]
    (patient.tools / "bwrap").unlink()
    [line] = sandbox_lines(patient)
    assert "; bwrap: bwrap is not on PATH" in line.text
    assert line.fix == "install bubblewrap (Debian, Ubuntu: apt install bubblewrap)"


def test_a_sandbox_that_the_settings_insist_on(patient: Patient) -> None:
    (patient.tools / "bwrap").unlink()
    patient.settings(agent={"command": "sh"}, sandbox={"backend": "bwrap"})
    [line] = sandbox_lines(patient)
    assert line.grade == "bad"
    assert line.text.startswith("sandbox: no sandbox, no run: bwrap: bwrap is not on PATH")


def test_no_sandbox_because_the_settings_say_so(patient: Patient) -> None:
    patient.settings(agent={"command": "sh"}, sandbox={"backend": "none"})
    [line] = sandbox_lines(patient)
    assert line.grade == "ok"
    assert line.text.startswith("sandbox: none, as the settings say: unconfined: ")


def test_a_stand_in_for_a_sandbox_that_answers(patient: Patient) -> None:
    """Nothing is made by a look."""
    patient.program("sbx", '[ "$*" = version ] || [ "$*" = "ls --json" ]')
    [line] = sandbox_lines(patient)
    assert line.text.startswith("sandbox: sandbox sbx: a microVM of its own, ralph-project-")
    assert line.text.endswith("(others: docker: docker is not on PATH; bwrap: works, too)")


@pytest.mark.parametrize(
    ("megabytes", "grade", "words"),
    [(20, "bad", ": no run starts"), (200, "warn", "")],
)
def test_a_disk_that_is_nearly_full(
    patient: Patient, megabytes: int, grade: str, words: str
) -> None:
    patient.state.mkdir()
    size = [str(megabytes * 2**20), "--tmpfs", str(patient.state), "--"]
    bwrap = [str(patient.tools / "bwrap"), *ON_A_SMALL_DISK[1:], *size]
    [line] = [line for line in patient.troubles(inside=bwrap) if line.text.startswith("disk")]
    assert line.grade == grade
    assert line.text == f"disk: only {megabytes} MiB free on the disk of {patient.state}{words}"
    assert line.fix.startswith("make room")


def test_something_stands_where_the_state_folder_should_be(patient: Patient) -> None:
    patient.state.write_text("")
    [line, *_] = patient.troubles()
    assert (line.grade, line.fix) == (
        "bad",
        "free the path, or set XDG_STATE_HOME to a folder of yours",
    )
    assert line.text.startswith(f"state folder: {patient.state}/ralph/project-")
    assert line.text.endswith(f" cannot be made: {patient.state} is no folder that you can write")


def test_without_a_home_there_is_no_state(patient: Patient) -> None:
    found = patient.troubles(HOME=None, XDG_STATE_HOME=None, XDG_CACHE_HOME=None)
    fix = "set HOME or XDG_STATE_HOME to a folder of yours"
    assert Line("bad", "disk: HOME is not set", fix) in found


def test_no_temporary_folder(patient: Patient) -> None:
    """Python falls back to the usual ones: here all of them are read-only."""
    read_only = [str(patient.tools / "bwrap"), "--ro-bind", "/", "/", "--dev", "/dev", "--"]
    found = patient.troubles(inside=read_only, TMPDIR=str(patient.home / "gone"))
    [line] = [line for line in found if line.text.startswith("clients")]
    assert line.text.startswith("clients: no temporary folder can be made (")
    assert line.fix == "set TMPDIR to a folder that you can write"


def run_that_was_killed(patient: Patient) -> str:
    with LiveLoop(patient.project) as loop:
        loop.agents_come(1)
        loop.process.send_signal(signal.SIGKILL)
        loop.process.wait(60)
    [folder] = patient.state.glob("ralph/project-*/runs/*")
    return folder.name


def test_what_a_killed_run_leaves(patient: Patient) -> None:
    run = run_that_was_killed(patient)
    [owner] = patient.state.glob("ralph/locks/*.owner")
    assert patient.troubles() == [
        Line(
            "warn",
            f"marker: .ralph-active of run {run} stands, and no loop runs here",
            "the next start removes it, or: rm .ralph-active",
        ),
        Line(
            "warn",
            f"run: {run} was killed",
            f"`{RALPH} resume` goes on with it, `{RALPH} reset` moves it to a backup",
        ),
        Line("warn", f"lock: {owner} was left by a runner that was killed", f"rm {owner}"),
    ]


def test_the_fixes_for_a_killed_run_work(patient: Patient) -> None:
    run_that_was_killed(patient)
    fixes = [line.fix for line in patient.troubles()]
    (patient.root / ".ralph-active").unlink()
    [lock] = [fix for fix in fixes if "/locks/" in fix]
    subprocess.run(lock, shell=True, check=True, timeout=10)
    done = patient.project.run("true", iterations=1)
    assert done.code != 0
    assert patient.troubles() == []


def test_a_loop_that_runs_is_no_leftover(patient: Patient) -> None:
    with LiveLoop(patient.project) as loop:
        loop.agents_come(1)
        found = patient.examined()
        [line] = [line for line in found if line.text.startswith("loop")]
        assert line.text.startswith(f"loop: one runs here: pid {loop.process.pid}, since ")
        assert {line.grade for line in found} == {"ok"}


def test_a_checkpoint_that_cannot_be_used(patient: Patient) -> None:
    patient.project.run(HONEST, iterations=1)
    [checkpoint] = patient.state.glob("ralph/project-*/checkpoint.json")
    checkpoint.write_text("{")
    words = f"run: {checkpoint} cannot be used: the last run cannot go on"
    assert patient.troubles() == [Line("warn", words, f"{RALPH} reset")]


def test_signals_older_than_any_run(patient: Patient) -> None:
    (patient.root / "ralph" / "WAIT").touch()
    words = "signal: ralph/WAIT stands: a new run would not start"
    fix = f"`{RALPH} resume` answers it, or: rm ralph/WAIT"
    assert patient.troubles() == [Line("warn", words, fix)]


def test_a_ledger_that_was_changed_or_cut(patient: Patient) -> None:
    patient.project.run(HONEST, iterations=1)
    [ledger] = patient.state.glob("ralph/project-*/ledger.jsonl")
    whole = ledger.read_bytes()
    assert whole
    ledger.write_bytes(whole + b'{"before": ')
    words = f"ledger: the last line of {ledger} was cut off"
    fix = "the next start puts that line aside"
    assert patient.troubles() == [Line("warn", words, fix)]
    ledger.write_bytes(b"{}\n" + whole)
    words = f"ledger: {ledger}, line 1, does not follow from the line before it"
    fix = "someone changed the ledger: restore it, or move it away to start a new one"
    assert patient.troubles() == [Line("bad", words, fix)]


def test_a_session_state_that_cannot_be_used(patient: Patient) -> None:
    state = patient.root / ".ralph" / "sessions" / "abc.json"
    state.parent.mkdir()
    state.write_text('{"version": 99}')
    place = ".ralph/sessions/abc.json"
    [line] = patient.troubles()
    assert line.grade == "warn"
    assert line.text.startswith(f"session: {place} cannot be used: it is of version 99")
    assert line.fix == f"stop once in that session, or: rm {place}"


def test_states_of_called_loops_that_cannot_be_used(patient: Patient) -> None:
    names = ("router-state", "tdd-state")
    for name in names:
        (patient.root / ".ralph" / f"{name}.json").write_text("[]")
    fix = f"put it right, or `{RALPH} reset` moves it to a backup"
    assert patient.troubles() == [
        Line("warn", f"loop state: .ralph/{name}.json is a list of 0; make it an object", fix)
        for name in names
    ]


def test_a_lock_that_cannot_be_taken(patient: Patient) -> None:
    patient.project.run("true", iterations=1)
    [lock] = patient.state.glob("ralph/locks/*.lock")
    lock.unlink()
    lock.mkdir()
    [line] = patient.troubles()
    assert line.grade == "bad"
    assert line.text.startswith(f"leftovers: the lock {lock} cannot be taken (")
    assert line.fix == "free the path, or set XDG_STATE_HOME to a folder of yours"


def test_a_git_lock_left_by_a_git_that_was_killed(patient: Patient) -> None:
    lock = patient.root / ".git" / "index.lock"
    lock.touch()
    assert patient.troubles() == []
    os.utime(lock, (0, 0))
    words = f"git lock: {lock} was left by a git that was killed: no commit can be made"
    assert patient.troubles() == [Line("bad", words, f"rm {lock}")]


def test_a_project_that_is_no_folder(patient: Patient) -> None:
    done = patient.run("-d", "nowhere")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("ralph: ")
