"""Which new files seem to belong in no commit."""

from __future__ import annotations

import pytest
from ralph_engine.committed_junk import of

LEFT_BEHIND = "what a program leaves behind"
MADE = "files that a program makes"


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("node_modules/a/b.js", f"node_modules/: 1 {MADE}"),
        ("web/node_modules/a/node_modules/b.js", f"web/node_modules/: 1 {MADE}"),
        ("src/__pycache__/a.cpython-311.pyc", f"src/__pycache__/: 1 {MADE}"),
        (".venv/bin/python", f".venv/: 1 {MADE}"),
        ("venv/bin/python", f"venv/: 1 {MADE}"),
        (".mypy_cache/x.json", f".mypy_cache/: 1 {MADE}"),
        ("a\nb/.tox/x", f"a\\nb/.tox/: 1 {MADE}"),
        (".DS_Store", f".DS_Store: {LEFT_BEHIND}"),
        ("src/main.o", f"src/main.o: {LEFT_BEHIND}"),
        ("a.py.orig", f"a.py.orig: {LEFT_BEHIND}"),
        ("a.py~", f"a.py~: {LEFT_BEHIND}"),
        ("core.123", f"core.123: {LEFT_BEHIND}"),
        ("x\n- all is fine.log", f"x\\n- all is fine.log: {LEFT_BEHIND}"),
        ("d/" * 100 + "x.log", "..." + ("d/" * 100 + "x.log")[-160:] + f": {LEFT_BEHIND}"),
    ],
)
def test_what_programs_make_is_named_on_one_line(path: str, told: str) -> None:
    assert of([(path, 10)]) == [told]


@pytest.mark.parametrize(
    "path",
    [
        *("node_modules.md", "src/node_modules_list.py", "my_venv.py", "src/core/x.py", "a.logic"),
        *("man/core.5", "teapot.obj", "tests/fixtures/apache.log", "testdata/node_modules/x.js"),
        *("catalog", "orig/a.py", "cache/x.py", "core.py", "classes/a.py", "object.proto"),
    ],
)
def test_a_name_that_only_looks_alike_is_none(path: str) -> None:
    assert of([(path, 10)]) == []


def test_a_large_file_is_named_with_its_size() -> None:
    assert of([("a.bin", 524_287), ("b.bin", 524_288)]) == ["b.bin: 524288 bytes"]


@pytest.mark.parametrize("name", ["package-lock.json", "pnpm-lock.yaml", "Cargo.lock", "go.sum"])
def test_a_lock_file_may_be_large(name: str) -> None:
    assert of([(f"web/{name}", 1_000_000)]) == []


def test_a_path_made_to_take_long_does_not() -> None:
    deep = [("a/." * 100_000 + "x", 1), ("." + "a_cache" * 50_000 + "/x", 1)]
    assert len(of(deep)) == 1


def test_a_folder_is_one_line_before_single_files() -> None:
    many = [(f"node_modules/{n}.js", 10) for n in range(5000)]
    assert of([("z.log", 1), ("a.log", 1), *many]) == [
        f"node_modules/: 5000 {MADE}",
        f"a.log: {LEFT_BEHIND}",
        f"z.log: {LEFT_BEHIND}",
    ]
