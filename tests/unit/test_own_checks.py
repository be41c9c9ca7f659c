"""A project's own check commands: found where its files name them, and nowhere else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from ralph_engine import own_checks

SCRIPTS = {"test": "jest", "lint": "eslint .", "typecheck": "tsc --noEmit"}


def package(**scripts: object) -> str:
    return json.dumps({"name": "p", "scripts": scripts})


def found(folder: Path, **files: str) -> list[str]:
    for name, text in files.items():
        (folder / name.replace("__", "-").replace("_", ".")).write_text(text)
    return own_checks.of(str(folder))


def test_an_empty_folder_has_none(tmp_path: Path) -> None:
    assert found(tmp_path) == []


PACKAGERS = {
    "": ["npm test", "npm run lint", "npm run typecheck"],
    "package__lock_json": ["npm test", "npm run lint", "npm run typecheck"],
    "pnpm__lock_yaml": ["pnpm test", "pnpm run lint", "pnpm run typecheck"],
    "yarn_lock": ["yarn test", "yarn run lint", "yarn run typecheck"],
    "bun_lock": ["bun run test", "bun run lint", "bun run typecheck"],
    "bun_lockb": ["bun run test", "bun run lint", "bun run typecheck"],
}


@pytest.mark.parametrize("lock", PACKAGERS)
def test_scripts_are_run_by_the_packager_of_the_lock_file(tmp_path: Path, lock: str) -> None:
    locks = {lock: ""} if lock else {}
    assert found(tmp_path, package_json=package(**SCRIPTS), **locks) == PACKAGERS[lock]


def test_a_named_packager_comes_before_lock_files(tmp_path: Path) -> None:
    text = json.dumps({"packageManager": "pnpm@9.1.0", "scripts": {"lint": "x"}})
    assert found(tmp_path, package_json=text, yarn_lock="") == ["pnpm run lint"]


SCRIPT_NAMES = {
    "tests": "npm run tests",
    "type-check": "npm run type-check",
    "check-types": "npm run check-types",
    "check:types": "npm run check:types",
    "types": "npm run types",
    "tsc": "npm run tsc",
}


@pytest.mark.parametrize("name", SCRIPT_NAMES)
def test_other_names_of_scripts(tmp_path: Path, name: str) -> None:
    assert found(tmp_path, package_json=package(**{name: "x"})) == [SCRIPT_NAMES[name]]


UNFIT = [
    'echo "Error: no test specified" && exit 1',  # what `npm init` writes
    "jest --watch",
    "jest --watchAll",
    "eslint . --fix",
    "prettier --write .",
    "",
    "  ",
    5,
    None,
    ["jest"],
]


@pytest.mark.parametrize("script", UNFIT)
def test_a_script_that_never_ends_or_changes_files_is_no_check(
    tmp_path: Path, script: object
) -> None:
    assert found(tmp_path, package_json=package(test=script, lint="x")) == ["npm run lint"]


@pytest.mark.parametrize("script", ["jest --watchAll=false", "ng test --watch=false", "x --fixed"])
def test_what_only_looks_unfit_is_taken(tmp_path: Path, script: str) -> None:
    assert found(tmp_path, package_json=package(test=script)) == ["npm test"]


BAD = ["", "{", "[]", "5", '{"scripts": []}', '{"scripts": {"test": {}}}', "[" * 100_000]


@pytest.mark.parametrize("text", BAD, ids=range(len(BAD)))
def test_a_package_file_that_says_nothing(tmp_path: Path, text: str) -> None:
    assert found(tmp_path, package_json=text) == []


PYTHON = {
    "[tool.pytest.ini_options]\n": ["pytest"],
    "[tool.pytest]\n": ["pytest"],
    '[project]\ndependencies = ["pytest>=8"]\n': ["pytest"],
    "[dependency-groups]\ndev = ['pytest', 'ruff']\n": ["pytest", "ruff check ."],
    '[tool.poetry.dev-dependencies]\npytest = "^8"\nflake8 = "*"\n': ["pytest", "flake8"],
    "[tool.ruff]\nline-length = 100\n[tool.mypy]\nstrict = true\n": ["ruff check .", "mypy ."],
    '[tool.mypy]\nplugins = ["x"]\nfiles = ["src"]\n': ["mypy"],
    '[tool.mypy]\nstrict = true\n[tool.other]\nfiles = ["src"]\n': ["mypy ."],
    "[tool.ruff.lint]\nselect = []\n[tool.pyright]\n": ["ruff check .", "pyright"],
    '[project]\ndependencies = ["mypy[faster] ; x"]\n': ["mypy ."],
    # Only named in passing.
    '[tool.poe.tasks]\nlint = "ruff check"\n': [],
    '[project]\ndependencies = ["pytest-cov", "ruff-lsp", "django-mypy"]\n': [],
    "# [tool.ruff]\n": [],
    "": [],
}


@pytest.mark.parametrize("text", PYTHON)
def test_tools_that_pyproject_configures_or_depends_on(tmp_path: Path, text: str) -> None:
    assert found(tmp_path, pyproject_toml=text) == PYTHON[text]


@pytest.mark.parametrize(
    ("lock", "runner"), [("uv_lock", "uv"), ("poetry_lock", "poetry"), ("pdm_lock", "pdm")]
)
def test_python_tools_are_run_in_the_projects_environment(
    tmp_path: Path, lock: str, runner: str
) -> None:
    files = {"pyproject_toml": "[tool.pytest]\n[tool.ruff]\n", lock: ""}
    assert found(tmp_path, **files) == [f"{runner} run pytest", f"{runner} run ruff check ."]


MAKE = {
    "test:\n\ttrue\n": ["make test"],
    "test: build ; true\n": ["make test"],
    "test::\n\ttrue\n": ["make test"],
    "lint test typecheck:\n\ttrue\n": ["make test", "make lint", "make typecheck"],
    "check:\n\ttrue\n": ["make check"],
    "check test: x\n": ["make test"],
    "mypy :\n\tmypy\n": ["make mypy"],
    ".PHONY: test lint\n": [],
    "test := 5\nlint = 4\ntypes ?= 3\ncheck ::= 2\n": [],
    "all:\n\ttest: 5\n": [],
    "# test: no\n": [],
    "ifdef test\nall: x\nendif\n": [],
    "test.o: test.c\n": [],
}


@pytest.mark.parametrize("text", MAKE)
def test_targets_of_a_makefile(tmp_path: Path, text: str) -> None:
    assert found(tmp_path, Makefile=text) == MAKE[text]


def test_the_makefile_that_make_would_take(tmp_path: Path) -> None:
    assert found(tmp_path, makefile="lint:\n", Makefile="test:\n") == ["make lint"]
    assert found(tmp_path, GNUmakefile="types:\n") == ["make types"]


def test_cargo_and_go(tmp_path: Path) -> None:
    assert found(tmp_path, Cargo_toml="") == ["cargo test", "cargo clippy -- -D warnings"]
    (tmp_path / "Cargo.toml").unlink()
    assert found(tmp_path, go_mod="") == ["go test ./...", "go vet ./..."]


def test_a_makefile_is_the_front_door(tmp_path: Path) -> None:
    """What it offers is not run a second time by what lies behind it."""
    files = {
        "Makefile": "test:\n",
        "package_json": package(test="jest", lint="eslint ."),
        "pyproject_toml": "[tool.pytest]\n[tool.mypy]\n",
    }
    assert found(tmp_path, **files) == ["make test", "npm run lint", "mypy ."]


def test_two_languages_have_both_their_checks(tmp_path: Path) -> None:
    files = {"package_json": package(test="jest"), "pyproject_toml": "[tool.pytest]\n"}
    assert found(tmp_path, **files) == ["npm test", "pytest"]


def test_what_is_no_plain_file_is_passed_over(tmp_path: Path) -> None:
    for name in ("package.json", "Cargo.toml"):
        (tmp_path / name).mkdir()
    (tmp_path / "elsewhere").write_text("[tool.pytest]\n")
    (tmp_path / "pyproject.toml").symlink_to("elsewhere")
    (tmp_path / "Makefile").write_bytes(b"\xff\xfe" * 600_000)
    assert own_checks.of(str(tmp_path)) == []
