"""archive: everything of a loop in one commit, or everything as it was."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from ralph_engine import starter
from ralph_engine.core.own_command import RALPH
from runner.hostile_project import DEADLINE, ENGINE, HostileProject, marked, story
from runner.live_loop import HONEST, LiveLoop, until, verb

NAMES = ("prd.md", "tasks.json", "progress.txt")
REPORTS = ("summary.md", "report.md", "report.html")
AS_IT_WAS = "hint: put that right, then archive again; everything is as it was\n"


@pytest.fixture
def project(tmp_path: Path) -> HostileProject:
    return HostileProject(tmp_path, story("US-1"), story("US-2", priority=2))


def archive(project: HostileProject, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-I", "-X", "utf8", str(ENGINE), "archive", *options],
        cwd=project.root,
        env=project.environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=DEADLINE,
    )


def archived(project: HostileProject, *options: str) -> Path:
    """The folder, which git holds like the rest."""
    done = archive(project, *options)
    assert done.returncode == 0, done.stderr
    found = re.fullmatch(r"archived to (\S+) \(.*\), committed as ([0-9a-f]{12})\n", done.stdout)
    assert found and project.git("rev-parse", "HEAD").startswith(found[2]), done.stdout
    return project.root / found[1]


def refused(project: HostileProject, *options: str) -> str:
    """What it says; and not a byte, not an entry of the index is another one than before."""
    before = everything(project)
    done = archive(project, *options)
    assert (done.returncode, done.stdout) == (2, ""), done
    assert everything(project) == before
    return done.stderr


def everything(project: HostileProject) -> dict[str, Any]:
    found: dict[str, Any] = {
        name: project.git(*words.split())
        for name, words in {
            "head": "rev-parse HEAD",
            "index": "ls-files --stage --debug",
            "status": "status --porcelain=v1 --branch --untracked-files=all",
        }.items()
    }
    # The times of the index entries change with each look of git.
    found["index"] = re.sub(r"\n  (?!flags).*", "", found["index"])
    for path in sorted(project.root.rglob("*")):
        if ".git" not in path.parts and path.name != ".gitignore":
            content = path.read_bytes() if path.is_file() else None
            found[str(path)] = (path.lstat().st_mode, content)
    return found


def ours(project: HostileProject) -> dict[str, bytes]:
    return {name: (project.root / "ralph" / name).read_bytes() for name in NAMES}


def fresh() -> dict[str, str]:
    made = starter.contents("project", date.today())
    return {name: made[f"ralph/{name}"] for name in NAMES}


def hook(project: HostileProject, name: str, text: str) -> None:
    path = project.repository / ".git" / "hooks" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def plan(project: HostileProject, *stories: dict[str, Any], branch: str = "main") -> None:
    document = {**project.document(), "branchName": branch, "userStories": list(stories)}
    (project.root / "ralph/tasks.json").write_text(json.dumps(document))
    project.git("commit", "-qam", "a new plan")


def test_a_finished_loop_is_put_away_whole(project: HostileProject) -> None:
    signs = "# Guardrails\n### Sign: mine\n"
    (project.root / "ralph/guardrails.md").write_text(signs)
    project.git("commit", "-qam", "a sign")
    assert project.run(HONEST, iterations=9, env={"REJECTIONS": "1"}).code == 0
    before, prompt = ours(project), (project.root / "ralph/prompt.md").read_bytes()
    [report] = project.root.glob(".ralph/runs/*/report.md")
    folder = archived(project)
    assert folder.name == f"{date.today().isoformat()}-main"
    assert sorted(path.name for path in folder.iterdir()) == sorted([*NAMES, *REPORTS])
    assert {name: (folder / name).read_bytes() for name in NAMES} == before
    assert (folder / "report.md").read_bytes() == report.read_bytes()
    assert {n: d.decode() for n, d in ours(project).items()} == fresh()
    assert (project.root / "ralph/prompt.md").read_bytes() == prompt
    assert (project.root / "ralph/guardrails.md").read_text() == signs
    assert project.git("status", "--porcelain") == ""
    assert project.git("log", "-1", "--format=%an: %s") == (
        f"Ralph Loop: ralph: archive {folder.name}"
    )
    _the_summary_says(folder, report.read_text())
    assert "no run to resume here" in verb(project, "resume").screen


def _the_summary_says(folder: Path, report: str) -> None:
    lines = (folder / "summary.md").read_text().splitlines()
    assert lines[:4] == ["# p", "", "- branch: main", "- stories done: 2 of 2"]
    day = date.today().isoformat()
    assert re.fullmatch(rf"- from {day} \S+ to {day} \S+ \(UTC\)", lines[4])
    assert lines[5:7] == [
        "- runs: 1, the last one ended complete: 2 of 2 stories verified",
        "- iterations: 8",
    ]
    [time] = [line for line in report.splitlines() if line.startswith("- time: ")]
    assert lines[7:10] == [time, "- cost: not told by the agent", f"- archived: {day}"]
    assert lines[-2:] == [
        "| US-1 | Story US-1 | done | 2 reviews |",
        "| US-2 | Story US-2 | done | 2 reviews |",
    ]


def test_only_its_own_paths_are_committed(project: HostileProject) -> None:
    (project.root / "app.py").write_text("ANSWER = 43\n")
    (project.root / "staged.txt").write_text("staged\n")
    (project.root / "work.py").write_text("WORK = 2\n")
    (project.root / "loose.txt").write_text("loose\n")
    project.git("add", "app.py", "staged.txt")
    (project.root / "staged.txt").write_text("and changed\n")
    (project.root / "ralph/guardrails.md").write_text("mine\n")
    before = project.git("status", "--porcelain", "--untracked-files=all")
    folder = archived(project)
    assert project.git("status", "--porcelain", "--untracked-files=all") == before
    added = {f"ralph-archive/{folder.name}/{name}" for name in (*NAMES, "summary.md")}
    changed = set(project.git("show", "--format=", "--name-only", "--no-renames").splitlines())
    assert changed == added | {f"ralph/{name}" for name in NAMES}
    assert project.git("show", ":staged.txt") == "staged"


def test_a_staged_version_of_its_own_file_makes_no_difference(project: HostileProject) -> None:
    (project.root / "ralph/progress.txt").write_text("staged\n")
    project.git("add", "ralph/progress.txt")
    (project.root / "ralph/progress.txt").write_text("newest\n")
    folder = archived(project)
    assert (folder / "progress.txt").read_text() == "newest\n"
    assert project.git("status", "--porcelain") == ""


def test_files_that_git_does_not_know_yet(project: HostileProject) -> None:
    project.git("rm", "-q", "-r", "--cached", "ralph")
    project.git("commit", "-q", "-m", "unknown")
    archived(project)
    left = project.git("status", "--porcelain", "--untracked-files=all").splitlines()
    assert left == ["?? ralph/guardrails.md", "?? ralph/prompt.md"]


def test_a_missing_file_is_made_from_its_template(project: HostileProject) -> None:
    project.git("rm", "-q", "ralph/prd.md")
    folder = archived(project)
    assert sorted(p.name for p in folder.iterdir()) == ["progress.txt", "summary.md", "tasks.json"]
    assert (project.root / "ralph/prd.md").read_text() == fresh()["prd.md"]


def test_a_second_loop_on_the_same_branch(project: HostileProject) -> None:
    """The name gets a number, and the first loop's runs are not told again."""
    assert project.run(HONEST, iterations=9).code == 0
    first = archived(project)
    assert "- iterations: 4" in (first / "summary.md").read_text()
    plan(project, story("US-9"))
    assert project.run(HONEST, iterations=9).code == 0
    second = archived(project)
    assert second.name == f"{first.name}-2"
    assert "- iterations: 2" in (second / "summary.md").read_text()
    assert "- runs: 1," in (second / "summary.md").read_text()
    plan(project, story("US-10"))
    third = archived(project)
    assert third.name == f"{first.name}-3"
    assert "- runs: none on record" in (third / "summary.md").read_text()


def test_two_features_in_a_row_have_branches_of_their_own(project: HostileProject) -> None:
    """From the archive of the first to the run of the second nothing is edited but the stories."""
    (project.root / "Makefile").write_text("test:\n\ttrue\n")
    project.git("add", "-A")
    plan(project, story("US-1"), branch="ralph/project")
    assert project.run(HONEST, iterations=5).code == 0
    done = archive(project)
    assert (done.returncode, done.stderr) == (
        0,
        f"next: {RALPH} init --name NEXT names the next feature, then /ralph-plan plans it\n",
    )
    fresh_list = project.document()
    assert fresh_list["branchName"] == "ralph/project-2"
    assert fresh_list["verifyCommands"] == ["make test"]
    unplanned = "OPEN ralph/tasks.json is still the starter; write your stories with /ralph-plan\n"
    assert verb(project, "verify").screen.startswith(unplanned)
    project.git("switch", "-q", "main")
    project.git("merge", "-q", "ralph/project")
    assert "renamed ralph/tasks.json\n" in verb(project, "init", "--name", "second").screen
    plan(project, story("US-2"), branch=project.document()["branchName"])
    assert project.run(HONEST, iterations=5).code == 0
    assert project.git("branch", "--show-current") == "ralph/second"


LABELS = {
    "login": "login",
    "team/login": "team-login",
    "../../etc/passwd": "etc-passwd",
    "/absolute/": "absolute",
    "a b\tc\nd": "a-b-c-d",
    "$(touch x) `y` ; 'z' \"q\"": "touch-x-y-z-q",
    ":!*?[x]": "x",
    "-rf": "rf",
    ".hidden.": "hidden",
    "Gro\u0308ße 日本 🙂": "Größe-日本",
    "n" * 300: "n" * 55,
    "𝒳" * 300: "𝒳" * 55,
}


def test_a_plan_in_another_folder(project: HostileProject) -> None:
    project.git("mv", "ralph", "my plans")
    project.git("commit", "-qm", "move the plan")
    other = ("--ralph-dir", "my plans/")
    assert project.run("sh -c 'echo hm'", *other, iterations=1).code == 1
    assert refused(project) == (
        f"ralph: nothing to archive: ralph/ holds no plan\nhint: {RALPH} init makes one\n"
    )
    plan = (project.root / "my plans/tasks.json").read_bytes()
    folder = archived(project, *other)
    assert (folder / "tasks.json").read_bytes() == plan
    assert "- iterations: 1" in (folder / "summary.md").read_text().splitlines()
    assert not (project.root / "ralph").exists()
    fresh = json.loads((project.root / "my plans" / "tasks.json").read_text())
    assert [entry["passes"] for entry in fresh["userStories"]] == [False]
    assert project.git("status", "--porcelain") == ""
    assert "my plans/ holds only fresh templates" in refused(project, *other)


def test_what_was_cut_off_in_another_folder_goes_back_there(project: HostileProject) -> None:
    project.git("mv", "ralph", "plans")
    project.git("commit", "-qm", "move the plan")
    staging = project.root / "ralph-archive/.unfinished-plans"
    staging.mkdir(parents=True)
    (project.root / "plans/prd.md").rename(staging / "prd.md")
    done = archive(project, "--ralph-dir", "plans")
    assert done.returncode == 0, done.stderr
    assert done.stderr == (
        "an archive was cut off here: its files are back in plans/\n"
        "next: write the next plan into plans/\n"
    )
    assert not staging.exists() and not (project.root / "ralph").exists()


@pytest.mark.parametrize("label", LABELS)
def test_a_label_with_odd_characters(project: HostileProject, label: str) -> None:
    folder = archived(project, f"--label={label}")
    assert folder.name == f"{date.today().isoformat()}-{LABELS[label]}"
    assert project.git("status", "--porcelain") == ""


@pytest.mark.parametrize("label", ["", "///", "..", "🙂"])
def test_a_label_that_leaves_nothing(project: HostileProject, label: str) -> None:
    told = f"ralph: --label is {json.dumps(label, ensure_ascii=False)}\n"
    assert refused(project, f"--label={label}") == f"{told}hint: give it a letter or a digit\n"


REFUSALS = {
    "pre-commit": ("echo 'no secrets here' >&2; exit 1", "no secrets here"),
    "commit-msg": ('echo "bad message: $(cat $1)"; exit 1', "bad message: ralph: archive "),
    "prepare-commit-msg": ("exit 3", "it gave no reason"),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_a_commit_refused_by_a_git_hook(project: HostileProject, name: str) -> None:
    hook(project, name, REFUSALS[name][0])
    (project.root / "staged.txt").write_text("staged\n")
    project.git("add", "staged.txt")
    told = refused(project)
    words = f"ralph: git did not commit the archive: {REFUSALS[name][1]}"
    assert told.startswith(words) and told.endswith(AS_IT_WAS), told
    (project.repository / ".git/hooks" / name).unlink()
    archived(project)


def test_a_hook_that_tidies_up_and_refuses(project: HostileProject) -> None:
    """As formatters do: what they changed in the moved files is put back, too."""
    tidy = 'for f in $(git diff --cached --name-only); do echo tidy >> "$f"; done; exit 1'
    hook(project, "pre-commit", tidy)
    for name in NAMES:
        (project.root / "ralph" / name).chmod(0o640)
    project.git("update-index", "--refresh")
    assert refused(project).endswith(AS_IT_WAS)


def test_a_hook_that_agrees_is_asked(project: HostileProject) -> None:
    hook(project, "pre-commit", 'git diff --cached --name-only > "$OUTSIDE/seen"')
    folder = archived(project)
    seen = (project.outside / "seen").read_text().splitlines()
    assert f"ralph-archive/{folder.name}/summary.md" in seen


def test_interrupted_while_a_hook_takes_its_time(project: HostileProject) -> None:
    hook(project, "pre-commit", 'echo here > "$OUTSIDE/here"; read -r x < "$OUTSIDE/alive"')
    before = everything(project)
    command = [sys.executable, "-I", "-X", "utf8", str(ENGINE), "archive"]
    with subprocess.Popen(
        command,
        cwd=project.root,
        env=project.environment,
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as running:
        until(lambda: (project.outside / "here").exists() or running.poll() is not None)
        running.send_signal(signal.SIGINT)
        assert running.stderr is not None
        said = running.stderr.read().decode()
        assert running.wait(DEADLINE) == 130
    assert said.endswith("ralph: interrupted; everything is as it was\n"), said
    assert everything(project) == before
    assert not (project.repository / ".git/index.lock").exists()
    assert marked(f"RALPH_HOSTILE_TEST={project.mark}") == []


def test_while_a_loop_runs(project: HostileProject) -> None:
    with LiveLoop(project) as loop:
        loop.agents_come(1)
        done = archive(project)
        assert verb(project, "cancel").code == 0
        loop.end()
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"ralph: a loop runs in this folder\nhint: let it end, or {RALPH} cancel, then archive\n"
    )
    assert not (project.root / "ralph-archive").exists()


def test_a_run_that_was_cut_off_is_judged_first(project: HostileProject) -> None:
    with LiveLoop(project) as loop:
        loop.agents_come(1)
        loop.process.kill()
        loop.process.wait(DEADLINE)
    told = refused(project)
    assert re.fullmatch(
        rf"ralph: run \S+ was cut off and its last iteration is not judged\nhint: {RALPH} resume"
        rf" goes on with it, {RALPH} reset gives it up; then archive again\n",
        told,
    )
    assert verb(project, "reset", "--yes").code == 0
    archived(project)


def test_nothing_to_archive(project: HostileProject) -> None:
    archived(project)
    assert refused(project) == (
        "ralph: nothing to archive: ralph/ holds only fresh templates\n"
        "hint: /ralph-plan writes a plan\n"
    )
    for name in NAMES:
        (project.root / "ralph" / name).unlink()
    assert refused(project) == (
        f"ralph: nothing to archive: ralph/ holds no plan\nhint: {RALPH} init makes one\n"
    )


@pytest.mark.parametrize("name", NAMES)
def test_one_file_that_somebody_wrote_is_enough(project: HostileProject, name: str) -> None:
    archived(project)
    path = project.root / "ralph" / name
    text = path.read_text()
    path.write_text(text.replace('"title": ""', '"title": "x"') if ".json" in name else text + "x")
    assert archived(project).name.endswith("-ralph-project")


def test_a_detached_head(project: HostileProject) -> None:
    project.git("checkout", "-q", "--detach")
    assert refused(project) == (
        "ralph: HEAD is detached: the commit of an archive would belong to no branch\n"
        "hint: git switch to a branch, then archive again\n"
    )


def test_a_merge_under_way(project: HostileProject) -> None:
    (project.repository / ".git/MERGE_HEAD").write_text(project.start + "\n")
    assert refused(project) == (
        "ralph: git is in the middle of something (MERGE_HEAD)\n"
        "hint: finish it, then archive again\n"
    )


def test_no_repository(project: HostileProject) -> None:
    (project.repository / ".git").rename(project.outside / "git")
    done = archive(project)
    assert done.returncode == 2
    assert done.stderr == (
        f"ralph: {project.root} is not in a git repository\nhint: git init, then archive again\n"
    )
    assert sorted(path.name for path in (project.root / "ralph").iterdir()) == sorted(
        [*NAMES, "prompt.md", "guardrails.md"]
    )


def test_a_branch_without_a_commit(project: HostileProject) -> None:
    project.git("checkout", "-q", "--orphan", "empty")
    archived(project)
    assert project.git("log", "--format=%s").startswith("ralph: archive ")


def test_a_folder_of_a_larger_repository(tmp_path: Path) -> None:
    project = HostileProject(tmp_path, story("US-1"), inside="packages/api")
    folder = archived(project)
    assert folder.parent == project.root / "ralph-archive"
    assert project.git("status", "--porcelain") == ""


@pytest.mark.parametrize(
    ("ignored", "shown"),
    [("ralph-archive/", "ralph-archive/*/prd.md"), ("*.html", "ralph-archive/*/report.html")],
)
def test_what_git_ignores_cannot_be_archived(
    project: HostileProject, ignored: str, shown: str
) -> None:
    (project.root / ".gitignore").write_text(f"{ignored}\n")
    assert refused(project) == (
        f"ralph: git ignores {shown}, so it cannot be archived\n"
        "hint: take it out of .gitignore, then archive again\n"
    )


def test_a_file_where_the_archive_should_be(project: HostileProject) -> None:
    (project.root / "ralph-archive").write_text("mine\n")
    assert refused(project) == (
        "ralph: ralph-archive is no folder\nhint: move it away, then archive again\n"
    )


def test_a_link_in_place_of_a_file(project: HostileProject) -> None:
    (project.root / "ralph/prd.md").unlink()
    (project.root / "ralph/prd.md").symlink_to(project.outside / "of a person.txt")
    assert refused(project) == (
        "ralph: ralph/prd.md is reached through a link or a file\n"
        "hint: use real folders and files\n"
    )


def test_a_broken_list(project: HostileProject) -> None:
    (project.root / "ralph/tasks.json").write_text("{")
    assert refused(project).endswith("hint: correct it, then archive again\n")


def test_a_locked_index(project: HostileProject) -> None:
    (project.repository / ".git/index.lock").write_text("")
    told = refused(project)
    assert "index.lock" in told and told.endswith(AS_IT_WAS)


def test_what_a_killed_archive_had_taken_is_not_written_over(project: HostileProject) -> None:
    staging = project.root / "ralph-archive/.unfinished"
    staging.mkdir(parents=True)
    os.rename(project.root / "ralph/prd.md", staging / "prd.md")
    (project.root / "ralph/prd.md").write_text("a new one already\n")
    assert refused(project) == (
        "ralph: ralph-archive/.unfinished holds what an archive had taken when it was cut off,"
        " and ralph/prd.md was written since\n"
        "hint: put the two together by hand, remove that folder, then archive again\n"
    )
