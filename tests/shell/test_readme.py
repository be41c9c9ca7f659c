"""Every command of the README does what a reader expects of it."""

from __future__ import annotations

import ast
import json
import os
import re
import shlex
import socket
import subprocess
import sys
from pathlib import Path

import launchers_cache
import pytest
from ralph_engine.__main__ import _VERBS
from readme import REPOSITORY, TEXT, blocks, commands, first_column, typed_in_blocks
from runner.hostile_project import IDENTITY, HostileProject, story

HONEST = shlex.join([sys.executable, str(REPOSITORY / "tests/fixtures/agents/honest.py")])
SECONDS = 300


DEMO, TESTS, WALK = blocks("sh")
# What is not run from the README itself, and the tests that run it.
LISTED = """
scripts/ralph.sh demo
  e2e/test_newcomer.py::test_from_a_clone_to_a_finished_loop
scripts/ralph.sh demo --claude
  e2e/test_demo_claude.py::test_the_loop_is_that_of_the_plain_demo
scripts/test.sh
  shell/test_test_sh.py::test_everything_runs_in_order
scripts/test.sh tests/unit -k files
  shell/test_test_sh.py::test_arguments_go_to_pytest_alone
scripts/ralph-audit.sh
  e2e/test_session_audit.py::test_the_launcher_audits_headless_with_a_uv_stand_in
claude --resume
  e2e/test_session_control.py::test_two_sessions_in_one_folder_and_one_that_is_resumed
/ralph-plan
  e2e/test_plan_skill.py::test_derivation_leaves_the_prd_byte_identical
/ralph-loop "<task>"
  e2e/test_session_loop.py::test_a_promise_without_work
/ulw-loop "<task>"
  e2e/test_session_loop.py::test_ultrawork_stands_in_front_of_every_continuation
/ralph-audit
  e2e/test_session_audit.py::test_findings_decide
/ralph-audit [FILE]
  e2e/test_session_audit.py::test_findings_decide
/ralph-router [FILE]
  e2e/test_called_loops.py::test_a_session_hands_out_rounds_as_the_program_says_until_it_is_done
/ralph-tdd [TEXT]
  e2e/test_called_loops.py::test_a_scenario_is_driven_from_red_to_green_inside_a_loop_of_the_session
/cancel-ralph
  e2e/test_session_control.py::test_cancel_without_a_loop_stops_the_runner_of_the_folder
/ralph-pause
  e2e/test_session_control.py::test_pause_status_resume
/ralph-resume
  e2e/test_session_control.py::test_pause_status_resume
/ralph-status
  e2e/test_session_control.py::test_pause_status_resume
ralph init [--name FEATURE] [--no-input] [--settings] [--audit]
  shell/test_init.py::test_an_audit_is_made_where_it_is_asked_for
  shell/test_init_dialogue.py::test_settings_and_no_input_exclude_each_other
ralph resume [options]
  runner/test_control.py::test_resume_after_exhaustion_needs_a_higher_n
ralph pause
  runner/test_control.py::test_pause_waits_for_the_iteration_and_takes_a_persons_edits
ralph cancel
  runner/test_control.py::test_cancel_ends_a_working_agent_and_resume_goes_on
ralph tell TEXT
  runner/test_control.py::test_what_a_person_tells_stands_in_the_next_prompt_once
ralph audit [FILE]
  shell/test_audit.py::test_the_client_is_started_with_what_was_typed
ralph sandbox test
  runner/test_sandbox_choice.py::test_sandbox_test_tells_what_can_be_reached
ralph sandbox setup
  runner/test_microvm.py::test_sandbox_verbs_have_words_where_they_do_not_apply
ralph sandbox login
  runner/test_microvm.py::test_sandbox_verbs_have_words_where_they_do_not_apply
ralph sandbox shell
  runner/test_microvm.py::test_sandbox_verbs_have_words_where_they_do_not_apply
ralph sandbox network
  runner/test_microvm.py::test_sandbox_verbs_have_words_where_they_do_not_apply
ralph sandbox stop
  runner/test_microvm.py::test_sandbox_verbs_have_words_where_they_do_not_apply
ralph sandbox rm
  runner/test_microvm.py::test_sandbox_verbs_have_words_where_they_do_not_apply
ralph sandbox status
  runner/test_sandbox_choice.py::test_sandbox_status_names_each_back_end
ralph router next
  shell/test_router.py::test_clean_counts_only_if_the_commands_pass
ralph router report
  shell/test_router.py::test_clean_counts_only_if_the_commands_pass
ralph tdd add
  shell/test_tdd.py::test_a_scenario_from_pending_to_refactored
ralph tdd next
  shell/test_tdd.py::test_a_scenario_from_pending_to_refactored
ralph tdd red
  shell/test_tdd.py::test_a_scenario_from_pending_to_refactored
ralph tdd green
  shell/test_tdd.py::test_a_scenario_from_pending_to_refactored
ralph tdd refactored
  shell/test_tdd.py::test_a_scenario_from_pending_to_refactored
ralph tdd status
  shell/test_tdd.py::test_a_scenario_from_pending_to_refactored
ralph rehearse
  shell/test_rehearse.py::test_the_scorecard_tells_who_stopped_what
ralph doctor [--json]
  shell/test_doctor.py::test_json_for_machines
ralph demo [--claude] [--keep]
  e2e/test_demo_claude.py::test_the_loop_is_that_of_the_plain_demo
  shell/test_demo.py::test_a_signal_reaches_the_runner
"""
ELSEWHERE = {
    command: tests.split()
    for command, tests in re.findall(r"^(\S.*)\n((?: +\S+\n)+)", LISTED, re.MULTILINE)
}
UNSAID = {"ralph", "scripts/ralph.sh", "options"}
ANSWERS = "--agent \"echo '<response>DONE</response>'\""
ARCHIVE = "git add -A; git commit -qm P; ralph archive --label LABEL --ralph-dir ralph"
# The rest of the tables and of the text, in an order in which each has something to do.
HERE = {
    "ralph link": "/path/to/ralph/scripts/ralph.sh link",
    "ralph --help": "ralph --help",
    "ralph run --help": "ralph run --help",
    "ralph run --help-all": "ralph run --help-all",
    "ralph init --name NEXT": "ralph init --name NEXT",
    "ralph plan": "ralph plan",
    "ralph signs": "ralph signs",
    "ralph check [--json]": "$EDITOR ralph/prd.md ralph/tasks.json\nralph check --json",
    "ralph archive [--label LABEL] [--ralph-dir PATH]": ARCHIVE,
    "ralph config [--json]": "ralph config --json",
    "ralph run -p TEXT": f"ralph run -p TEXT {ANSWERS}",
    "ralph run -f FILE": f"ralph run -f FILE {ANSWERS}",
    "ralph status": "ralph status",
    "ralph report [--run ID]": 'ralph report --run "$(ls .ralph/runs | tail -n 1)"',
    "ralph reset [--yes]": "ralph reset --yes",
}
SEEN = (
    *("usage: ralph.sh [-h] [-v] VERB", "usage: ralph.sh run [-h]", "--trust-approved"),
    *("made ralph/tasks.json", "prd.md", '"faults": []', "archived to ralph-archive/"),
    *("maximumIterations", "claimed by the agent", "claimed by the agent", "complete: "),
    *("**complete**", "moved"),
)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A reader's home, and a project in which a program of ours plays the agent."""
    project = tmp_path / "it's mine"
    (project / ".ralph").mkdir(parents=True)
    local = {"agent": {"command": HONEST}, "delay": "0s"}
    (project / ".ralph" / "settings.local.json").write_text(json.dumps(local))
    (tmp_path / "home").mkdir()
    bash(project, "git init -q && git commit -q --allow-empty -m 'Begin'")
    return project


def bash(project: Path, script: str) -> str:
    home = project.parent / "home"
    plan = json.dumps([{**story("US-1", verify=["test -f US-1.txt"]), "title": "Say hello"}])
    editor = (
        f"{sys.executable} -c 'import json, sys; path = sys.argv[2]; "
        f'plan = json.load(open(path)); plan["userStories"] = json.loads(sys.argv[-1]); '
        f'json.dump(plan, open(path, "w"))\''
    )
    environment = {
        **IDENTITY,
        "PATH": f"{home}/.local/bin:{os.environ['PATH']}",
        "HOME": str(home),
        "XDG_CACHE_HOME": launchers_cache.PATH,
        "PLAN": plan,
        "LANG": "C.UTF-8",
    }
    script = script.replace("/path/to/ralph", shlex.quote(str(REPOSITORY)))
    script = re.sub(r"^\$EDITOR (.*?)( +#.*)?$", rf'{editor} \1 "$PLAN"', script, flags=re.M)
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=project,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=SECONDS,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


def test_the_walk_through_a_project(place: Path) -> None:
    # What the doctor finds here depends on the machine; test_doctor.py judges its words.
    script = re.sub(r"^ralph doctor.*$", "ralph doctor || [ $? = 1 ]", WALK, flags=re.M)
    assert script != WALK
    said = bash(place, script)
    assert "no faults; 1 story: 1 to do" in said
    assert "complete: 1 of 1 stories verified" in said
    assert "US-1 Say hello: approved by the review of" in said
    [archive] = (place / "ralph-archive").iterdir()
    assert archive.name.endswith("-ralph-my-feature")


def test_each_of_the_other_verbs(place: Path) -> None:
    """In this order; TEXT, FILE, LABEL and NEXT are as good as any."""
    (place / "FILE").write_text("Go.\n")
    said = bash(place, "\n".join(HERE.values()))
    for words in SEEN:
        assert words in said
        said = said.partition(words)[2]


def test_every_command_is_run_by_a_test() -> None:
    from_the_readme = {*typed_in_blocks("sh"), *typed_in_blocks("text"), *HERE}
    from_the_readme -= {*DEMO.splitlines(), *TESTS.splitlines()}
    benches = {words for words in commands() if words.startswith("bench/run ")}
    assert from_the_readme | benches | ELSEWHERE.keys() == commands()
    assert not from_the_readme & ELSEWHERE.keys()


@pytest.mark.parametrize("command", ELSEWHERE)
def test_the_test_of_a_command_mentions_it(command: str) -> None:
    told = "".join(map(evidence, ELSEWHERE[command]))
    wanted = [re.sub(r"[][\"]", "", word) for word in command.split()]
    # Not what stands for a reader's own words, nor the launcher's name.
    wanted = [w for w in wanted if not (w.isupper() or w.startswith("<") or w in UNSAID)]
    assert [word for word in wanted if word.rpartition("/")[2] not in told] == []


def evidence(test: str) -> str:
    """The source of its module without the other tests."""
    path, _, name = test.partition("::")
    text = (REPOSITORY / "tests" / path).read_text(encoding="utf-8")
    parts = {part: str(getattr(part, "name", "")) for part in ast.parse(text).body}
    assert name in parts.values(), f"there is no {test}"
    own = [part for part, called in parts.items() if called in (name, "") or called[:5] != "test_"]
    return "\n".join(str(ast.get_source_segment(text, part)) for part in own)


def test_every_verb_is_in_the_table() -> None:
    assert {row.split()[0] for row in first_column("verb")} == set(_VERBS)


def test_every_typed_command_is_a_skill() -> None:
    typed = {word for block in blocks("text") for word in re.findall(r"^/([a-z-]+)", block, re.M)}
    named = set(re.findall(r"`/([a-z-]*(?:ralph|ulw)[a-z-]*)", TEXT))
    skills = {folder.name for folder in (REPOSITORY / "skills").iterdir()}
    assert (typed | named) - {"plugin"} == skills


def test_the_options_in_the_table_are_those_of_run() -> None:
    command = [sys.executable, "-I", str(REPOSITORY / "scripts/ralph_engine/__main__.py")]
    done = subprocess.run(
        [*command, "run", "--help-all"], capture_output=True, text=True, timeout=60, check=True
    )
    # Each entry with all names of one option, such as -n and --max-iterations.
    entries = re.findall(r"^  (-.*?)(?:  |$)", done.stdout, re.MULTILINE)
    known = [set(re.findall(r"(?<!\S)--?[\w-]+", entry)) for entry in entries]
    table = first_column("option")
    table += [code.replace("[no-]", word) for code in table for word in ("", "no-")]
    listed = {name for code in table for name in re.findall(r"^--?\w[\w-]*", code)}
    named = [names for names in known if names & listed]
    assert [names for names in known if names not in named] == [{"-h", "--help"}, {"--help-all"}]
    assert listed == {name for names in named for name in names & listed}


def test_the_settings_are_accepted(place: Path) -> None:
    [settings] = blocks("json")
    (place / ".ralph" / "settings.json").write_text(settings)
    command = [sys.executable, "-I", str(REPOSITORY / "scripts/ralph_engine/__main__.py")]
    done = subprocess.run(
        [*command, "config"], cwd=place, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert "display.emoji = false (.ralph/settings.json)" in done.stdout


def test_every_file_that_it_names_is_there() -> None:
    named = re.findall(r"(?:\(|`|python3 |, `)((?:bench|scripts|tests)/[\w/.-]+\w)", TEXT)
    assert len(named) > 10
    assert [name for name in named if not (REPOSITORY / name).exists()] == []


def tried(project: HostileProject, network: str) -> dict[str, str]:
    """What `sandbox test` finds, with a model on loopback and something to find in the home."""
    (project.home / ".profile").write_text("mine\n")
    settings = {"sandbox": {"network": network, "backend": "bwrap"}}
    (project.root / ".ralph" / "settings.json").write_text(json.dumps(settings))
    command = [sys.executable, "-I", str(REPOSITORY / "scripts/ralph_engine/__main__.py")]
    with socket.create_server(("127.0.0.1", 0)) as model:
        url = f"http://127.0.0.1:{model.getsockname()[1]}"
        done = subprocess.run(
            [*command, "sandbox", "test", "--json"],
            cwd=project.root,
            env={**project.environment, "ANTHROPIC_BASE_URL": url},
            capture_output=True,
            text=True,
            timeout=60,
        )
    assert done.returncode == 0, done.stdout + done.stderr
    return {row["can"]: row["result"] for row in json.loads(done.stdout)["rows"]}


def test_the_safety_table_is_what_sandbox_test_finds(tmp_path: Path) -> None:
    project = HostileProject(tmp_path)
    both = tried(project, "open"), tried(project, "deny")
    table = TEXT.split("| from inside, an agent can | |\n|---|---|\n")[1].split("\n\n")[0]
    written = dict(line.strip("| ").split(" | ") for line in table.splitlines())
    found = {
        words: one if one == other else f"network open: {one}; deny: {other}"
        for (words, one), other in zip(both[0].items(), both[1].values())
    }
    assert written == found
