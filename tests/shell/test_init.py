"""init: makes the files of a loop, overwrites nothing, says what it did."""

from __future__ import annotations

import json
import os
import re
import shlex
import stat
import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest
from ralph_engine.core import tasks
from ralph_engine.core.own_command import RALPH as TYPED
from shell.init_dialogue import everything

REPOSITORY = Path(__file__).resolve().parents[2]
ENGINE = REPOSITORY / "scripts" / "ralph_engine" / "__main__.py"
RALPH = ["prd.md", "tasks.json", "progress.txt", "prompt.md", "guardrails.md"]
MADE = [
    *(f"ralph/{name}" for name in RALPH),
    *(".ralph/tasks.schema.json", ".ralph/.gitignore", ".gitignore"),
]
NO_CHECKS = (
    "no test, lint or type command found: put the loop's checks into the verifyCommands of"
    " ralph/tasks.json"
)
SECONDS = 60
IDENTITY = ["-c", "user.name=T", "-c", "user.email=t@localhost", "-c", "commit.gpgsign=false"]


def start(*arguments, cwd, through=()):
    return engine("init", *arguments, cwd=cwd, through=through)


def engine(*arguments, cwd, through=(), **env):
    return subprocess.run(
        [*through, sys.executable, "-I", str(ENGINE), *arguments],
        cwd=cwd,
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=SECONDS,
    )


def made_by(*arguments, cwd):
    done = start(*arguments, cwd=cwd)
    assert (done.returncode, done.stderr) == (0, ""), done
    return done.stdout.splitlines()


def refused(*arguments, cwd, through=()):
    done = start(*arguments, cwd=cwd, through=through)
    assert (done.returncode, done.stdout) == (2, ""), done
    return done.stderr.splitlines()


def git(folder, *arguments):
    command = ["git", *IDENTITY, *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=SECONDS)
    assert done.returncode == 0, done.stderr
    return done.stdout


def files_in(folder):
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir()}


def branch_name(folder):
    return json.loads((folder / "ralph" / "tasks.json").read_text(encoding="utf-8"))["branchName"]


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "shop"
    folder.mkdir()
    git(folder, "init", "-q")
    return folder


def test_makes_every_file_and_says_so(project):
    lines = made_by(cwd=project)
    assert lines[: len(MADE)] == [f"made {path}" for path in MADE]
    assert {name for name in files_in(project) if not name.startswith(".git/")} == set(MADE)
    assert (project / ".gitignore").read_bytes() == b".ralph-active\n"
    assert (project / ".ralph" / ".gitignore").read_bytes() == (
        b"*\n!.gitignore\n!settings.json\n!tasks.schema.json\n"
    )


def test_an_audit_is_made_where_it_is_asked_for(project):
    lines = made_by("--audit", "--name", "Shop", cwd=project)
    assert "made ralph/audit.md" in lines
    text = (project / "ralph" / "audit.md").read_text(encoding="utf-8")
    assert text.startswith("# Mission\n\nAudit Shop and")
    heads = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    assert heads[:6] == [
        *("Mission", "Before doing anything", "Scope", "Validation Commands"),
        *("make test", "make lint"),
    ]
    assert heads[6:] == ["Findings log", "Completion condition"]
    assert "ralph/findings.md" in text and "severity | file | finding | status" in text
    (project / "ralph" / "audit.md").write_text("mine")
    assert "kept ralph/audit.md" in made_by("--audit", cwd=project)
    assert (project / "ralph" / "audit.md").read_text() == "mine"


def test_the_next_steps(project):
    lines = made_by(cwd=project)
    ralph = shlex.quote(str(REPOSITORY / "scripts" / "ralph.sh"))
    added = "ralph .ralph .gitignore"
    assert lines[len(MADE) :] == [
        NO_CHECKS,
        "",
        "Next:",
        "  plan the feature   /ralph-plan in Claude Code, or edit ralph/prd.md, ralph/tasks.json",
        f"  check the plan     {ralph} check",
        f"  commit it          git add {added} && git commit -m 'Plan a Ralph loop' {added}",
        f"  start the loop     {ralph} run",
        f"  type less          {ralph} link   (then: ralph check, ralph run)",
    ]


def test_placeholders_are_filled(project):
    today = {date.today().isoformat()}
    made_by("--name", "Check out", cwd=project)
    today.add(date.today().isoformat())
    progress = (project / "ralph" / "progress.txt").read_text(encoding="utf-8")
    assert progress.splitlines()[1].removeprefix("Started: ") in today
    assert progress.splitlines()[2] == "PRD: Check out"
    assert (project / "ralph" / "prd.md").read_text().startswith("# PRD: Check out\n")
    document, faults = tasks.parse((project / "ralph" / "tasks.json").read_bytes(), "tasks.json")
    assert faults == []
    assert document["project"] == "Check out"
    assert document["branchName"] == "ralph/Check-out"
    # The placeholders of prompt.md are the runner's to fill, in each iteration.
    template = (REPOSITORY / "templates" / "prompt.md").read_bytes()
    assert (project / "ralph" / "prompt.md").read_bytes() == template


def test_the_folder_gives_the_name(project):
    made_by(cwd=project)
    assert branch_name(project) == "ralph/shop"
    assert (project / "ralph" / "progress.txt").read_text().splitlines()[2] == "PRD: shop"


NAMES = {
    "login": "login",
    "team/login": "team/login",
    "/team//login/": "team/login",
    "new login page": "new-login-page",
    "🙂": "feature",
    "login 🙂 page": "login-page",
    "..": "feature",
    "../../etc": "etc",
    "a..b": "a-b",
    "v1.2.3": "v1.2.3",
    ".hidden": "hidden",
    "end.": "end",
    "-rf": "rf",
    "--force": "force",
    "a/-b": "a/b",
    "x.lock": "x-lock",
    "x.lock/y.lock.": "x-lock/y-lock",
    "a~b^c:d?e*f[g\\h": "a-b-c-d-e-f-g-h",
    "a@{b": "a-b",
    "@": "feature",
    'it\'s "quoted" $HOME `x`': "it-s-quoted-HOME-x",
    "two\nlines\tand  spaces": "two-lines-and-spaces",
    "Größe": "Größe",
    "Gro\u0308ße": "Größe",
    "日本語": "日本語",
    "{{DATE}}": "DATE",
    "n" * 300: "n" * 60,
    "𝒳" * 300: "𝒳" * 60,
}


@pytest.mark.parametrize("name", NAMES)
def test_any_name_gives_a_branch_that_git_takes(tmp_path, name):
    made_by(f"--name={name}", "--project-dir", str(tmp_path), cwd=tmp_path)
    document = json.loads((tmp_path / "ralph" / "tasks.json").read_text(encoding="utf-8"))
    assert document["branchName"] == f"ralph/{NAMES[name]}"
    assert document["project"] == " ".join(name.split())
    git(tmp_path, "check-ref-format", "--branch", document["branchName"])
    git(tmp_path, "init", "-q")
    git(tmp_path, "commit", "-q", "--allow-empty", "-m", "first")
    git(tmp_path, "branch", document["branchName"])


@pytest.mark.parametrize("name", ["", " \n"])
def test_an_empty_name_is_refused(project, name):
    assert refused("--name", name, cwd=project) == [
        "ralph: --name is empty",
        "hint: give the feature a name, for example --name login",
    ]


def test_a_second_run_writes_nothing(project):
    made_by("--name", "first", cwd=project)
    before = everything(project)
    for again in ((), ("--name", "first")):
        lines = made_by(*again, "--no-input", cwd=project)
        assert lines[: len(MADE)] == [f"kept {path}" for path in MADE]
        assert everything(project) == before


def test_a_plan_that_nobody_wrote_takes_a_new_name(project):
    made_by("--name", "first", cwd=project)
    path = project / "ralph" / "tasks.json"
    path.write_text(path.read_text().replace('"verifyCommands": []', '"verifyCommands": ["mine"]'))
    old = {name: (project / name).read_text() for name in MADE}
    lines = made_by("--name", "second one", cwd=project)
    renamed = ("ralph/prd.md", "ralph/tasks.json", "ralph/progress.txt")
    words = {name: "renamed" if name in renamed else "kept" for name in MADE}
    assert lines[: len(MADE)] == [f"{word} {name}" for name, word in words.items()]
    assert branch_name(project) == "ralph/second-one"
    assert {name: (project / name).read_text() for name in MADE} == {
        name: text.replace("ralph/first", "ralph/second-one")
        .replace("first\n", "second one\n")
        .replace('"first"', '"second one"')
        for name, text in old.items()
    }


@pytest.mark.parametrize("written", ["a story", "a branch", "a prd"])
def test_what_somebody_wrote_keeps_its_name(project, written):
    made_by("--name", "first", cwd=project)
    path = project / "ralph" / "tasks.json"
    if written == "a prd":
        path = project / "ralph" / "prd.md"
        path.write_text(path.read_text() + "Build me a shop.\n")
    elif written == "a story":
        path.write_text(path.read_text().replace('"title": ""', '"title": "Sell"'))
    else:
        path.write_text(path.read_text().replace("ralph/first", "mine"))
    before = path.read_text()
    made_by("--name", "second", cwd=project)
    after = path.read_text()
    assert after == (before.replace('"first"', '"second"') if written == "a branch" else before)


def test_what_is_there_is_kept_and_the_rest_is_made(project):
    (project / "ralph").mkdir()
    (project / "ralph" / "prd.md").write_text("mine {{DATE}}")
    (project / "ralph" / "notes.txt").write_text("also mine")
    lines = made_by(cwd=project)
    assert lines[:2] == ["kept ralph/prd.md", "made ralph/tasks.json"]
    assert (project / "ralph" / "prd.md").read_text() == "mine {{DATE}}"
    assert (project / "ralph" / "notes.txt").read_text() == "also mine"


def test_a_dirty_tree_stays_as_it_is(project):
    (project / "kept.txt").write_text("one\n")
    git(project, "add", "kept.txt")
    git(project, "commit", "-q", "-m", "first")
    (project / "kept.txt").write_text("two\n")
    (project / "staged.txt").write_text("staged\n")
    (project / "new.txt").write_text("new\n")
    git(project, "add", "staged.txt")
    lines = made_by(cwd=project)
    dirty = ["A  staged.txt", " M kept.txt", "?? new.txt"]
    assert set(dirty) < set(git(project, "status", "--porcelain").splitlines())
    [commit] = [line for line in lines if "commit it" in line]
    command = re.sub(r"^ *commit it *", "", commit).replace("git ", f"git {shlex.join(IDENTITY)} ")
    subprocess.run(["sh", "-c", command], cwd=project, check=True, timeout=SECONDS)
    assert sorted(git(project, "status", "--porcelain").splitlines()) == sorted(dirty)
    assert set(git(project, "show", "--format=", "--name-only").split()) == set(MADE)


def test_a_folder_of_a_larger_repository(project):
    package = project / "packages" / "api"
    package.mkdir(parents=True)
    lines = made_by(cwd=package)
    assert (
        f"{package} is a folder of the repository {project}: "
        "the loop's project is that folder alone."
    ) in lines
    assert branch_name(package) == "ralph/api"
    assert sorted(path.name for path in project.iterdir()) == [".git", "packages"]
    (package / ".ralph-active").write_text("")
    assert git(package, "check-ignore", ".ralph-active") == ".ralph-active\n"


def test_without_a_repository_the_command_is_named(tmp_path):
    folder = tmp_path / "it's new"
    folder.mkdir()
    lines = made_by("--project-dir", str(folder), cwd=tmp_path)
    [words] = [line for line in lines if "not a git repository" in line]
    assert words.startswith(f"{folder} is not a git repository, and a loop needs one: ")
    command = words.partition("needs one: ")[2]
    subprocess.run(["sh", "-c", command], cwd=tmp_path, check=True, timeout=SECONDS)
    assert (folder / ".git").is_dir()
    assert not any("not a git" in line for line in made_by("-d", str(folder), cwd=tmp_path))


def test_a_folder_with_spaces_is_quoted_in_the_next_steps(tmp_path):
    folder = tmp_path / "my shop's"
    folder.mkdir()
    lines = made_by("-d", "my shop's", cwd=tmp_path)
    assert (folder / "ralph" / "prd.md").is_file()
    [check] = [line for line in lines if "check the plan" in line]
    words = shlex.split(check)
    assert words[3:] == [str(REPOSITORY / "scripts" / "ralph.sh"), "check", "-d", str(folder)]


@pytest.mark.parametrize("name", ["missing", "file.txt"])
def test_a_project_that_is_no_folder(tmp_path, name):
    (tmp_path / "file.txt").write_text("")
    assert refused("-d", name, cwd=tmp_path) == [
        f"ralph: project folder {name} is not a folder",
        "hint: give one with --project-dir",
    ]


def test_a_project_reached_through_a_link(project, tmp_path):
    (tmp_path / "link").symlink_to(project)
    made_by("-d", "link", cwd=tmp_path)
    assert (project / "ralph" / "prd.md").is_file()


def put_file(path):
    path.write_text("mine")


def put_folder(path):
    path.mkdir()


def put_link(path):
    target = path.parent / "elsewhere"
    target.mkdir(exist_ok=True)
    path.symlink_to(target)


def put_dangling(path):
    path.symlink_to("nowhere")


def put_fifo(path):
    os.mkfifo(path)


OBSTACLES = [
    ("ralph", put_file, "is a file, and a folder is needed there"),
    ("ralph", put_link, "is a symbolic link, and a folder is needed there"),
    ("ralph", put_dangling, "is a symbolic link, and a folder is needed there"),
    (".ralph", put_file, "is a file, and a folder is needed there"),
    (".ralph", put_link, "is a symbolic link, and a folder is needed there"),
    ("ralph/guardrails.md", put_folder, "is a folder, and a file is needed there"),
    ("ralph/tasks.json", put_dangling, "is a symbolic link, and a file is needed there"),
    ("ralph/prd.md", put_fifo, "is neither a file nor a folder, and a file is needed there"),
    (".ralph/.gitignore", put_folder, "is a folder, and a file is needed there"),
    (".gitignore", put_folder, "is a folder, and a file is needed there"),
    (".gitignore", put_link, "is a symbolic link, and a file is needed there"),
]


@pytest.mark.parametrize(("path", "put", "problem"), OBSTACLES)
def test_what_stands_in_the_way_is_named_and_nothing_is_made(project, path, put, problem):
    (project / path).parent.mkdir(exist_ok=True)
    put(project / path)
    before = everything(project)
    assert refused(cwd=project) == [
        f"ralph: {project / path} {problem}",
        "hint: move it away, then run init again; nothing was changed",
    ]
    assert everything(project) == before


def test_a_shared_gitignore_is_not_written(project):
    (project / "other").write_text("*.log\n")
    os.link(project / "other", project / ".gitignore")
    before = everything(project)
    assert refused(cwd=project) == [
        f"ralph: {project / '.gitignore'} is a hard link, shared with another name",
        "hint: put a regular file of its own there, then run init again",
    ]
    assert everything(project) == before


# Root may write everywhere, and tests often run as root; without this capability it may not.
AS_ANYONE = ["setpriv", "--bounding-set=-dac_override"] if os.geteuid() == 0 else []


@pytest.fixture
def closed(request, project):
    """A folder of the project that may be read and not written."""
    for folder in ("ralph", ".ralph"):
        (project / folder).mkdir(exist_ok=True)
    folder = project / request.param
    folder.chmod(0o555)
    yield folder
    folder.chmod(0o755)


@pytest.mark.parametrize("closed", [".", "ralph", ".ralph"], indirect=True)
def test_a_folder_that_may_not_be_written(project, closed):
    before = everything(project)
    assert refused(cwd=project, through=AS_ANYONE) == [
        f"ralph: {closed} cannot be written by this user",
        "hint: change its permissions, then run init again; nothing was changed",
    ]
    assert everything(project) == before


def test_a_finished_init_needs_no_permission(project):
    made_by(cwd=project)
    for folder in (project, project / "ralph", project / ".ralph"):
        folder.chmod(0o555)
    try:
        done = start(cwd=project, through=AS_ANYONE)
    finally:
        for folder in (project, project / "ralph", project / ".ralph"):
            folder.chmod(0o755)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_full_disk_leaves_no_half_file(project):
    no_room = ["sh", "-c", 'ulimit -f 0 && exec "$@"', "sh"]
    assert refused(cwd=project, through=no_room) == [
        f"ralph: {project / 'ralph' / 'prd.md'} cannot be used (File too large)",
        "hint: check its permissions and the disk, then run init again",
    ]
    assert {name for name in files_in(project) if not name.startswith(".git/")} == set()
    assert made_by(cwd=project)[: len(MADE)] == [f"made {path}" for path in MADE]


IGNORED = {
    b"": b".ralph-active\n",
    b"*.log\n": b"*.log\n.ralph-active\n",
    b"*.log": b"*.log\n.ralph-active\n",
    b"*.log\r\nx/\r\n": b"*.log\r\nx/\r\n.ralph-active\r\n",
    b"*.log\r\nx/": b"*.log\r\nx/\r\n.ralph-active\r\n",
    b"# .ralph-active\n": b"# .ralph-active\n.ralph-active\n",
    b".ralph-active.bak\n": b".ralph-active.bak\n.ralph-active\n",
    b"caf\xe9\n": b"caf\xe9\n.ralph-active\n",
}
COMPLETE = [
    b".ralph-active\n",
    b".ralph-active",
    b"/.ralph-active\n*.log\n",
    b"*.log\r\n.ralph-active\r\n",
    b".ralph-active  \n",
    b"\xef\xbb\xbf.ralph-active\n",
]


@pytest.mark.parametrize("old", IGNORED)
def test_the_marker_is_added_to_gitignore(project, old):
    (project / ".gitignore").write_bytes(old)
    assert "added .ralph-active to .gitignore" in made_by(cwd=project)
    assert (project / ".gitignore").read_bytes() == IGNORED[old]
    git(project, "check-ignore", ".ralph-active")
    assert "kept .gitignore" in made_by(cwd=project)
    assert (project / ".gitignore").read_bytes() == IGNORED[old]


@pytest.mark.parametrize("old", COMPLETE)
def test_a_gitignore_that_has_the_marker_is_kept(project, old):
    (project / ".gitignore").write_bytes(old)
    git(project, "check-ignore", ".ralph-active")
    assert "kept .gitignore" in made_by(cwd=project)
    assert (project / ".gitignore").read_bytes() == old


def test_the_mode_of_gitignore_stays(project):
    (project / ".gitignore").write_text("*.log\n")
    (project / ".gitignore").chmod(0o600)
    made_by(cwd=project)
    assert stat.S_IMODE((project / ".gitignore").stat().st_mode) == 0o600


def test_the_projects_own_checks_are_proposed(project):
    (project / "package.json").write_text('{"scripts": {"test": "jest", "lint": "eslint ."}}')
    lines = made_by("--audit", cwd=project)
    found = "found npm test, npm run lint: in the verifyCommands of ralph/tasks.json"
    assert f"{found}; change them there" in lines
    document, faults = tasks.parse((project / "ralph" / "tasks.json").read_bytes(), "tasks.json")
    assert (faults, document["verifyCommands"]) == ([], ["npm test", "npm run lint"])
    audit = (project / "ralph" / "audit.md").read_text()
    assert "\n```sh\nnpm test\nnpm run lint\n```\n" in audit


def test_a_list_that_is_there_is_told_what_it_lacks(project):
    made_by(cwd=project)
    before = (project / "ralph" / "tasks.json").read_bytes()
    (project / "Makefile").write_text("test lint:\n\ttrue\n")
    lines = made_by(cwd=project)
    lacks = "found make test, make lint: not in the verifyCommands of ralph/tasks.json"
    assert f"{lacks}; add what the loop must pass" in lines
    assert (project / "ralph" / "tasks.json").read_bytes() == before
    (project / "ralph" / "tasks.json").write_text("[")
    assert f"{lacks}; add what the loop must pass" in made_by(cwd=project)


def test_a_run_refuses_the_starter_with_checks_in_it(project, tmp_path):
    (project / "Makefile").write_text("test:\n\ttrue\n")
    made_by(cwd=project)
    git(project, "add", "-A")
    git(project, "commit", "-q", "-m", "first")
    said = "ralph/tasks.json is still the starter; write your stories with /ralph-plan"
    for verb in (["run", "--agent", "true"], ["check"]):
        done = engine(*verb, cwd=project, XDG_STATE_HOME=str(tmp_path / "state"))
        assert done.returncode == 2
        assert said in done.stdout + done.stderr


def test_settings_are_asked_for_at_a_terminal_only(project):
    assert refused("--settings", cwd=project) == [
        "ralph: --settings asks questions, and there is no terminal",
        f"hint: write .ralph/settings.json by hand; {TYPED} config shows every key",
    ]
    assert not (project / ".ralph").exists()


def test_an_unknown_argument_is_refused(project):
    assert refused("extra", cwd=project)[-1] == f"hint: {TYPED} init --help"
    assert not (project / "ralph").exists()


# An environment that is this interpreter: a real one takes long and needs the network.
UV_STAND_IN = """#!/bin/sh
[ "$1" = venv ] || exit 0
mkdir -p "$4/bin"
printf '#!/bin/sh\\nexec {python} "$@"\\n' >"$4/bin/python"
chmod +x "$4/bin/python"
"""


def test_the_launcher_through_links(project, tmp_path):
    tools = tmp_path / "tools"
    tools.mkdir()
    uv = tools / "uv"
    uv.write_text(UV_STAND_IN.format(python=shlex.quote(sys.executable)))
    uv.chmod(0o755)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "ralph-init").symlink_to("../ralph-init")
    (tmp_path / "ralph-init").symlink_to(REPOSITORY / "scripts" / "ralph-init.sh")
    base = os.path.realpath(getattr(sys, "_base_executable", "") or sys.executable)
    done = subprocess.run(
        [str(tmp_path / "bin" / "ralph-init"), "--name", "two words"],
        cwd=project,
        env={
            "PATH": f"{tools}:{os.environ['PATH']}",
            "HOME": str(tmp_path),
            "XDG_CACHE_HOME": str(tmp_path / "cache"),
            "RALPH_PYTHON": base,
        },
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[: len(MADE)] == [f"made {path}" for path in MADE]
    assert branch_name(project) == "ralph/two-words"
