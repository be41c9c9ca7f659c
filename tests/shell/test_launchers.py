"""ralph.sh: found through links, from anywhere, with any argument."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
HOSTILE_NAME = 'it\'s a "quoted" $HOME `x` 🙂'


def test_arguments_stdin_and_exit_code_are_passed_on(quick):
    arguments = ["", "two words", "a\nb", "*", "$HOME", "--", "-x", "é🙂"]
    done = quick.run(*arguments, input="hello", env={"STAND_IN_EXIT": "7"})
    assert done.returncode == 7
    seen = json.loads(done.stdout)
    assert (seen["argv"], seen["stdin"]) == (arguments, "hello")


def test_the_engine_takes_the_launchers_place(quick):
    quick.answer()
    process = subprocess.Popen(
        [quick.launcher], env=quick.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE
    )
    out, _ = process.communicate(timeout=60)
    assert json.loads(out)["pid"] == process.pid


def test_a_module_in_the_users_folder_is_not_imported(quick):
    (quick.root / "json.py").write_text("raise SystemExit('imported')\n")
    seen = quick.answer(cwd=quick.root, env={"PYTHONPATH": str(quick.root)})
    assert Path(seen["cwd"]) == quick.root.resolve()


def links(house):
    """Ways to name the launcher, each relative to the house."""
    (house.root / "there").mkdir()
    (house.root / "absolute").symlink_to(house.launcher)
    (house.root / "there" / "relative").symlink_to("../absolute")
    (house.root / "folder").symlink_to("plugin/scripts")
    return ["absolute", "there/relative", "folder/ralph.sh", "plugin/scripts/../scripts/ralph.sh"]


def test_links_are_followed(quick):
    for name in links(quick):
        for cwd, path in ((quick.root, f"./{name}"), ("/", str(quick.root / name))):
            assert quick.answer("x", launcher=path, cwd=cwd)["argv"] == ["x"], path


def test_started_by_name(quick):
    by_path = {"PATH": f"{quick.scripts}:{quick.env['PATH']}"}
    assert quick.answer("x", launcher="ralph.sh", env=by_path)["argv"] == ["x"]
    done = quick.run("ralph.sh", "x", launcher="bash", cwd=quick.scripts)
    assert json.loads(done.stdout)["argv"] == ["x"]


def test_cdpath_does_not_mislead(quick):
    elsewhere = quick.root / "elsewhere" / "scripts"
    elsewhere.mkdir(parents=True)
    env = {"CDPATH": str(elsewhere.parent)}
    assert quick.answer(launcher="scripts/ralph.sh", cwd=quick.scripts.parent, env=env)


@pytest.mark.parametrize("locale", ["C", "C.UTF-8"])
def test_hostile_folder_names(tmp_path, quick_at, locale):
    house = quick_at(tmp_path / HOSTILE_NAME)
    house.env["LC_ALL"] = locale
    done = house.run("x", cwd=house.root)
    assert done.returncode == 0, done.stderr
    assert "trying pip" not in done.stderr
    seen = json.loads(done.stdout)
    assert seen["argv"] == ["x"]
    [environment] = house.environments()
    assert os.path.samefile(Path(seen["executable"]).parents[1], environment)
    assert house.left_over() == []


def test_a_leading_dash_in_the_folder_name(tmp_path, quick_at):
    house = quick_at(tmp_path / "-rf")
    assert house.answer(launcher="./-rf/plugin/scripts/ralph.sh", cwd=tmp_path)


@pytest.mark.parametrize("verb", ["init", "archive", "audit"])
def test_a_launcher_of_one_verb(quick, verb):
    own = quick.scripts / f"ralph-{verb}.sh"
    shutil.copy(REPOSITORY / "scripts" / own.name, own)
    (quick.root / "elsewhere").symlink_to(own)
    for launcher in (own, quick.root / "elsewhere"):
        seen = quick.answer("--label", "a b", "", launcher=launcher, cwd="/")
        assert seen["argv"] == [verb, "--label", "a b", ""]


def test_launchers_are_short_strict_and_executable():
    verbs = ["scripts/ralph-init.sh", "scripts/ralph-archive.sh", "scripts/ralph-audit.sh"]
    for name in ["scripts/ralph.sh", "scripts/test.sh", ".ci/run", *verbs]:
        path = REPOSITORY / name
        lines = path.read_text().splitlines()
        assert lines[:2] == ["#!/usr/bin/env bash", "set -euo pipefail"], name
        assert os.access(path, os.X_OK), name
    for path in (REPOSITORY / "scripts").glob("ralph*.sh"):
        assert len(path.read_text().splitlines()) <= 30, path
