"""What commits did to the tests and checks of the project: told to the reviewer and to people."""

from __future__ import annotations

from . import commit_files, review_range, reviewer_lines
from .commit_files import Difference
from .core import review
from .core.review import Violation
from .core.tasks import Story
from .harmless import one_line
from .radar import compare, named_files
from .radar.change import NOT_COMPARED, Change, Finding
from .redact import redacted
from .run_state import Run

REASON = "tests:"
_MOST_FILES, _LARGEST, _LARGEST_OF_ALL = 200, 512 * 1024, 8 * 1024 * 1024
_MOST_KEPT, _MOST_TOLD, _LONGEST, _LONGEST_REASON = 50, 20, 160, 300
_ASKED = (
    "Weakened tests and checks are a reason to request changes. Where each of these is right,"
    " approve and say why in `reviewFeedback`, on a line that begins with `tests:`."
)
_TOO_MANY = "too many files changed: this one and those behind it"
_STRICT = "This run is strict: without that line an approval does not count."


def record(run: Run, old: str) -> None:
    """After each agent process: what it did since the commit before the iteration."""
    found = between(run, old, "HEAD") if old else []
    if found:
        told = [finding._asdict() for finding in found[:_MOST_KEPT]]
        run.journal.write("tests-changed", number=run.iteration, findings=told, all=len(found))


def remarks(run: Run, base: str, head: str) -> list[str]:
    """For the reviewer, over all that he judges."""
    found = [sentence(finding) for finding in between(run, base, head)]
    seen = f"The runner compared tests, CI and check files, {base[:12]}..{head[:12]}, and found:"
    asked = f"{_ASKED} {_STRICT}" if run.settings.strict_tests else _ASKED
    return reviewer_lines.of(seen, found, _MOST_TOLD, asked)


def unexplained(run: Run, story: Story, head: str) -> list[Violation]:
    """Strict: an approval needs the reviewer's word on what was found."""
    if not run.settings.strict_tests or story["reviewStatus"] != review.APPROVED:
        return []
    found = [] if reason(story) else between(run, review_range.base(run), head)
    if not found:
        return []
    text = (
        f"The approval does not count: {sentence(found[0])}; {len(found)} such in all, and no line"
        " of reviewFeedback that begins with `tests:` says why that is right."
    )
    return [Violation("tests-unexplained", story["id"], text)]


def reason(story: Story) -> str:
    """In a field that only reviewers may fill."""
    lines = (line.strip() for line in story["reviewFeedback"].splitlines())
    found = [line[len(REASON) :].strip() for line in lines if line.lower().startswith(REASON)]
    return redacted(" ".join(filter(None, found)))[:_LONGEST_REASON]


def sentence(finding: Finding) -> str:
    return one_line(f"{finding.file[:_LONGEST]}: {finding.kind}, {finding.what[:_LONGEST]}")


def between(run: Run, old: str, new: str) -> list[Finding]:
    found = [] if old == new else commit_files.differences(run.root, old, new)
    if found is None:
        return [Finding(".git", NOT_COMPARED, "git cannot tell what changed")]
    named = named_files.of(_commands(run), lambda path: _was(run, old, path))
    # The rest are links and submodules: nothing in them was there and is gone.
    files = [d for d in found if d.old or d.new]
    chosen = [d for d in files if any(compare.concerns(p, named) for p in d[:2])]
    left_out = [Finding(d.path, NOT_COMPARED, _TOO_MANY) for d in chosen[_MOST_FILES:][:1]]
    changes, unread = _read(run, chosen[:_MOST_FILES])
    return [*compare.findings(changes, named), *unread, *left_out]


def _read(run: Run, chosen: list[Difference]) -> tuple[list[Change], list[Finding]]:
    blobs = [blob for d in chosen for blob in (d.old, d.new)]
    texts = commit_files.contents(run.root, blobs, _LARGEST, _LARGEST_OF_ALL)
    changes, unread = [], []
    for old_path, path, old, new in chosen:
        if {old, new} - {""} <= texts.keys():
            changes.append(Change(old_path, path, _text(texts, old), _text(texts, new)))
        else:
            unread.append(Finding(path, NOT_COMPARED, "it is too large"))
    return changes, unread


def _text(texts: dict[str, bytes], blob: str) -> str | None:
    return texts[blob].decode("utf-8", "replace") if blob else None


def _was(run: Run, commit: str, path: str) -> str | None:
    # Out of a command: no program can be given a NUL or half a character.
    if not path.isprintable():
        return None
    content = commit_files.content(run.root, commit, path, _LARGEST)
    return None if content is None else content.decode("utf-8", "replace")


def _commands(run: Run) -> list[str]:
    own = run.story_checks() if run.document else []
    return [check.command for check in (*run.guardrails(), *run.verify_commands(), *own)]
