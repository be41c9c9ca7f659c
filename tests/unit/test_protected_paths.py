"""Protected paths on a real disk: links, second names, other spellings, copies of whole folders."""

from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path

import pytest
from guarded import a_place, judged
from ralph_engine.core.place import Place

DENIED = ("protected-path", True)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    for folder in ("ralph", ".ralph/sessions", ".claude/rules", ".git/hooks", ".git/info", "src"):
        (root / folder).mkdir(parents=True)
    for name in (".ralph-active", "ralph/prd.md", "ralph/prompt.md", ".claude/settings.json"):
        (root / name).write_text("{}")
    for name in (".git/config", ".ralph/settings.json", "ralph/tasks.json", "src/app.py"):
        (root / name).write_text("{}")
    return root


@pytest.fixture
def place(project: Path, tmp_path: Path) -> Place:
    return a_place(project, environment={"HOME": str(tmp_path / "home"), "PATH": "/bin"})


BY_OTHER_NAMES = {
    "a link to the file": ("ln -s ../.ralph-active src/x", "echo x > src/x"),
    "a link to its folder": ("ln -s ../.ralph src/x", "echo x > src/x/settings.json"),
    "a link to the project": ("ln -s . again", "rm again/.ralph-active"),
    "a chain of links": ("ln -s src a && ln -s ../.ralph src/b", "touch a/b/new"),
    "a second name of the file": ("ln .ralph-active src/x", "echo x > src/x"),
    "a second name of a file in a tree": ("ln .ralph/settings.json x", "sed -i s/a/b/ x"),
    "a second name of a setting": ("ln .claude/settings.json x", "tee x < y"),
    "steps back over a link": ("ln -s ../src src/up", "rm src/up/../.ralph-active"),
    "the settings are a link": (
        "mv .claude/settings.json src/real && ln -s ../src/real .claude/settings.json",
        "echo x > src/real",
    ),
}


@pytest.mark.parametrize("case", BY_OTHER_NAMES)
def test_a_path_by_any_other_name(project: Path, place: Place, case: str) -> None:
    made, command = BY_OTHER_NAMES[case]
    subprocess.run(["bash", "-c", made], cwd=project, check=True, timeout=60)
    place = a_place(project, environment=place.environment)
    assert judged(command, place) == DENIED


@pytest.mark.parametrize(
    "command",
    [
        "find . -name .ralph-active -delete",
        "find . -name 'prd.*' -exec sed -i s/a/b/ {} +",
        "find ralph -name '*.md' | xargs rm",
        "find . -name 'settings*.json' -exec truncate -s 0 {} +",
        "ls .ralph-active | xargs rm",
        "cp -r /tmp/new/. .claude",
        "rsync -a /tmp/new/ .claude/",
        "cd /tmp && rm -f {root}/.ralph-active",
        "cd src && cd .. && rm .ralph-active",
        "cd nowhere/../ralph; echo > prd.md",
        "pushd ralph; rm prd.md; popd",
        "(cd ralph && echo x > prd.md)",
        "cd $UNKNOWN && rm .ralph-active",
        "rm ralph/*.md",
        "rm ralph/pr[do]*",
        "chmod 000 .claude/set*",
        "rm -rf .[r]alph",
        "mv ralph/p* /tmp",
        "cp src/app.py ralph/prd.md",
        "cp src/prd.md ralph",
        "cp -t ralph src/prd.md",
        "install -t .git/hooks src/pre-commit",
        "git -C src config core.fsmonitor x",
        "git checkout HEAD ralph/prd.md || sed --in-place s/a/b/ ralph/prd.md",
        "exec > .ralph-active",
        "while read x; do echo; done > .ralph-active",
        "{ echo; } >> .ralph/settings.json",
        "echo x &> .ralph-active",
        "echo x 2> .ralph-active",
        "cat <> .ralph-active",
        "gzip -c x | tee -a .ralph-active > /dev/null",
        "curl -so .ralph-active http://localhost/x",
        "tar xf a.tar -C .ralph",
        "tar xf a.tar .ralph-active",
        "tar -xzf a.tgz src/app.py ralph/prd.md",
        "tar -x -f a.tar --directory=ralph prd.md",
        "tar --extract --file a.tar .claude/settings.json",
        "wget -P .ralph x",
        "wget -qP .ralph http://localhost/x",
        "wget --directory-prefix=.git/hooks http://localhost/pre-commit",
        "curl --output-dir .ralph -O http://localhost/x",
        "curl --output-dir ralph -so prd.md http://localhost/x",
        "env -C ralph rm -rf prd.md",
        "env -iC ralph rm prd.md",
        "env -iu NAME rm .ralph-active",
        "env -uNAME rm .ralph-active",
        "env --chdir=ralph A=b sh -c 'echo > prd.md'",
        "env -S '-C ralph rm prd.md'",
        "sudo -D ralph rm prd.md",
        "screen -dm rm .ralph-active",
        "screen -dmS work sh -c 'rm .ralph-active'",
        "screen -S work -d -m rm .ralph-active",
        "tmux new -d rm .ralph-active",
        "tmux new-session -d -s work 'rm .ralph-active'",
        "tmux -L x new -ds work -c ralph rm prd.md",
        "tmux start \\; new-window -d touch .ralph-active",
        "tmux run-shell -b 'touch .ralph-active'",
        "sed 's/a/b/w .ralph-active' src/app.py",
        "sed -n 's|a|b|gpw ralph/prd.md' src/app.py",
        "sed -n '/x/,$ w ralph/prd.md' src/app.py",
        "sed -n -e 's/a/b/' -e '1!w.ralph-active' src/app.py",
        "sed --expression='y/w/x/;w .ralph/x' src/app.py",
        "sed -n 'p\na\\w x\nw ralph/prd.md' src/app.py",
        "black -q --write ralph/prd.md",
        "yq -i .x=1 .claude/settings.json",
        "sort -o ralph/prd.md src/app.py",
        "mv .claude /tmp/x",
        "rm -r ralph",
        "git mv ralph plan",
    ],
)
def test_every_way_of_writing_is_seen(project: Path, place: Place, command: str) -> None:
    new = Path("/tmp/new")
    if "/tmp/new" in command:
        source = project.parent / "new"
        source.mkdir()
        (source / "settings.json").write_text("{}")
        command = command.replace(str(new), str(source))
    found = judged(command.format(root=project) if "{root}" in command else command, place)
    assert found.rule in ("protected-path", "git-discard-changes"), found
    assert found.complete


@pytest.mark.parametrize(
    "command",
    [
        "cat .ralph-active ralph/prd.md > /tmp/copy",
        "cp ralph/prd.md /tmp/copy.md",
        "grep -rn x .ralph .claude/settings.json",
        "diff ralph/prd.md /tmp/copy.md",
        "git add ralph && git commit -m 'ralph/prd.md'",
        "git log -p -- ralph/prd.md",
        "find . -name '*.md' -not -path './ralph/*'",
        "find . -name '*.log' -delete",
        "rm -f src/*.pyc",
        "sed -i s/a/b/ ralph/tasks.json ralph/progress.txt",
        "cp -r src /tmp/copy",
        "mkdir -p .claude/commands && touch .claude/rules/x.md",
        "mv src/app.py src/main.py",
        "rm -rf src",
        "sed -i s/a/b/ *",
        "chmod +x src/*",
        "echo x > prd.md",
        "rm -rf /tmp/other/.ralph",
        "git config user.email me@example.com",
        "git stash && git stash pop",
        "tar cf /tmp/all.tar .ralph ralph",
        "tar xf ralph/plan.tar && tar -xzf a.tgz src/app.py --exclude .ralph-active",
        "tar -xOf a.tar .ralph-active",
        "wget -P src http://localhost/x && curl --output-dir src -O http://localhost/prd.md",
        "env -C src rm app.py",
        "tmux new -d -s work -c src make test; screen -dmS work make",
        "tmux kill-session -t work; screen -S work -X quit",
        "sed 's/w .ralph-active/x/;s/new/w .ralph-active/' src/app.py",
        "sed -e '/w ralph\\/prd.md/d' -e 's/a/b/w /dev/stdout' src/app.py",
        "sed -n 'y/w/ /;/w/p' ralph/prd.md",
    ],
)
def test_reading_and_everything_else_is_free(place: Place, command: str) -> None:
    assert judged(command, place) == ("", True)


def test_a_copied_folder_counts_only_with_what_is_in_it(project: Path, place: Place) -> None:
    source = project.parent / "new"
    source.mkdir()
    (source / "rules.md").write_text("")
    assert judged(f"cp -r {source}/. .claude", place).rule == ""
    (source / "settings.json").write_text("{}")
    assert judged(f"cp -r {source}/. .claude", place).rule == "protected-path"


def test_a_project_that_is_reached_by_a_link(project: Path) -> None:
    link = project.parent / "link"
    link.symlink_to(project)
    place = a_place(link, environment={"HOME": "/nonexistent"})
    for path in (f"{link}/.ralph-active", f"{project}/.ralph-active", ".ralph-active"):
        assert judged(f"rm {path}", place, cwd=str(link)) == DENIED


def test_a_linked_worktree_has_its_hooks_and_settings_elsewhere(tmp_path: Path) -> None:
    def git(*words: str, cwd: Path) -> None:
        who = ["-c", "user.name=T", "-c", "user.email=t@example.invalid"]
        subprocess.run(["git", *who, *words], cwd=cwd, check=True, capture_output=True, timeout=60)

    main, tree = tmp_path / "main", tmp_path / "tree"
    main.mkdir()
    git("init", "-q", cwd=main)
    git("commit", "-q", "--allow-empty", "-m", "x", cwd=main)
    git("worktree", "add", "-q", str(tree), cwd=main)
    place = a_place(tree, environment={"HOME": str(tmp_path / "home")})
    assert judged("echo x > ../main/.git/hooks/pre-commit", place) == DENIED
    assert judged("echo x >> ../main/.git/config", place) == DENIED
    assert judged("touch ../main/.git/worktrees/tree/config.worktree", place) == DENIED


def test_a_project_inside_a_repository(project: Path) -> None:
    inner = project / "packages" / "api"
    inner.mkdir(parents=True)
    place = a_place(inner, environment={"HOME": "/nonexistent"})
    assert judged("cp x ../../.git/hooks/pre-push", place) == DENIED


def test_who_works_on_the_plugin_itself_can(tmp_path: Path) -> None:
    root = Path(__file__).resolve().parents[2]
    environment = {"HOME": str(tmp_path)}
    inside = a_place(root, environment=environment)
    assert judged("sed -i s/a/b/ hooks/stop.py", inside) == ("", True)
    assert judged("rm .ralph-active", inside) == DENIED
    # Confined, so that no rule but this one judges, wherever the plugin lies.
    outside = a_place(tmp_path / "project", environment=environment, sandboxed=True)
    assert judged(shlex.join(["sed", "-i", "s/a/b/", f"{root}/hooks/stop.py"]), outside) == DENIED


def test_a_name_that_no_file_can_have(place: Place) -> None:
    assert judged("echo x > $'a\\0b'", place).complete
    assert judged(f"echo x > {'a' * 5000}", place) == ("", True)
    assert judged("echo x > " + "../" * 500 + "x", place).complete


def test_a_link_that_leads_nowhere_or_to_itself(project: Path, place: Place) -> None:
    (project / "loop").symlink_to("loop")
    (project / "gone").symlink_to("/nonexistent/x")
    assert judged("echo x > loop; echo x > gone; rm loop gone", place).complete
    assert os.path.lexists(project / "loop")
