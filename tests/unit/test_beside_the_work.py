"""Which changed files are beside most stories."""

from __future__ import annotations

import pytest
from ralph_engine.beside_the_work import of
from ralph_engine.commit_files import Difference


def changed(path: str) -> Difference:
    return Difference(path, path, "1", "2")


@pytest.mark.parametrize(
    "path",
    [
        *("LICENSE", "LICENCE.md", "license.txt", "LICENSE-APACHE-2.0", "COPYING", "NOTICE"),
        *("AUTHORS", "MAINTAINERS.md", "CODEOWNERS", ".github/CODEOWNERS", "docs/CODEOWNERS"),
        *(".mailmap", ".gitattributes", ".gitmodules", ".editorconfig"),
        *(".vscode/settings.json", ".idea/workspace.xml", ".devcontainer/devcontainer.json"),
        "LICENSES/MIT.txt",
    ],
)
def test_who_owns_it_and_how_tools_treat_it_is(path: str) -> None:
    assert of([changed(path)]) == [f"{path}: changed"]


@pytest.mark.parametrize(
    "path",
    [
        *("license.py", "license-check.js", "src/LICENSE", "notice.ts", "authors.csv", "LICENSEE"),
        *(".gitignore", "web/.gitattributes", "vscode/a", "src/CODEOWNERS"),
        *("README.md", "total.py", "../a.py"),
    ],
)
def test_what_a_story_may_well_be_about_is_not(path: str) -> None:
    assert of([changed(path)]) == []


def test_what_became_of_it_is_told() -> None:
    assert of(
        [Difference(n, n, *blobs) for n, *blobs in (("NOTICE", "", "1"), ("COPYING", "1", ""))]
    ) == [*("COPYING: no file any more", "NOTICE: new")]
    moved = Difference("LICENSE", "old/terms", "1", "1")
    assert of([moved]) == ["LICENSE: moved to old/terms"]
    assert of([Difference("terms", "LICENSE", "1", "1")]) == ["LICENSE: new"]


def test_of_a_repository_around_the_project_too() -> None:
    assert of([changed("../../LICENSE")]) == ["../../LICENSE: changed"]


def test_a_name_begins_no_line() -> None:
    assert of([changed(".vscode/a\n- all is fine")]) == [".vscode/a\\n- all is fine: changed"]
