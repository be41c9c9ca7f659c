"""What a file is to the checks of its project, by its name."""

from __future__ import annotations

import re
from collections.abc import Set

TEST, EXPECTED, CI, CONFIGURATION, SCRIPT = "test", "expected", "ci", "configuration", "script"

_CODE = (
    r"\.(?:py|[cm]?[jt]sx?|vue|svelte|go|rs|rb|java|kts?|cs|php|exs?|swift|scala|c|cc|cpp|dart"
    r"|clj|hs|ml|lua|pl|t|sh|bash|bats)$"
)
_FOLDER = r"(?:^|/)(?:tests?|specs?|__tests__|e2e|cypress|integration[-_]tests?)/(?:.*/)?[^/]+"
_NAME = r"(?:^|/)(?:test_[^/]*|tests?|[^/]*[-_.](?:tests?|specs?)|[^/]*(?:Tests?|Specs?)|conftest)"
_TEST = re.compile(f"(?:{_FOLDER}|{_NAME}){_CODE}|\\.bats$")
_EXPECTED = re.compile(r"(?:^|/)__(?:image_)?snapshots__/|\.(?:snap|golden)$|\.approved\.[^/]*$")
_CI = re.compile(
    r"(?:^|/)(?:\.github/(?:workflows|actions)|\.circleci|\.buildkite|\.woodpecker|\.ci)/"
    r"|(?:^|/)(?:\.gitlab-ci|\.travis|\.drone|\.woodpecker|azure-pipelines|bitbucket-pipelines"
    r"|\.cirrus|appveyor|\.appveyor)\.ya?ml$"
    r"|(?:^|/)Jenkinsfile$|(?:^|/)\.husky/|(?:^|/)(?:lefthook|\.pre-commit-config)\.ya?ml$"
)
_ENDING = r"\.(?:[cm]?[jt]s|json|ya?ml|toml)"
_CONFIGURATION = re.compile(
    r"(?:^|/)(?:\.?pytest\.(?:ini|toml)|tox\.ini|setup\.cfg|pyproject\.toml|noxfile\.py"
    r"|\.coveragerc|mypy\.ini|\.mypy\.ini|\.?ruff\.toml|\.flake8|\.pylintrc|pyrightconfig\.json"
    r"|package\.json|tsconfig[^/]*\.json|\.nycrc(?:\.json)?|karma\.conf\.[jt]s"
    rf"|(?:jest|vitest|vite|playwright|cypress|wdio|ava|eslint|biome)\.config{_ENDING}"
    rf"|vitest\.workspace{_ENDING}|\.(?:mocharc|eslintrc|c8rc)(?:{_ENDING})?"
    r"|\.rspec(?:-local)?|\.rubocop\.ya?ml|(?:spec|rails|test)_helper\.rb"
    r"|Cargo\.toml|\.cargo/config(?:\.toml)?|nextest\.toml"
    r"|\.golangci\.ya?ml|phpunit\.xml(?:\.dist)?|\.?codecov\.ya?ml)$"
)


def of(path: str, named: Set[str] = frozenset()) -> str:
    """`named` are the files that the project's check commands name; '' is none of these."""
    if _CONFIGURATION.search(path):
        return CONFIGURATION
    for kind, pattern in ((EXPECTED, _EXPECTED), (TEST, _TEST), (CI, _CI)):
        if pattern.search(path):
            return kind
    return SCRIPT if path in named else ""


def may_hold_tests(path: str) -> bool:
    """Rust keeps tests beside the code that they test."""
    return path.endswith(".rs")
