"""The templates name only what exists, and promise only what the gate accepts."""

from __future__ import annotations

import copy
import datetime
import itertools
import json
import os
import re
from pathlib import Path

import pytest
from ralph_engine import blockers, prompt, schema, signs, starter
from ralph_engine.core import (
    audit,
    loop_command,
    paths,
    review,
    shape,
    snapshot,
    tasks,
    transitions,
    validation_commands,
)
from ralph_engine.prompt import Iteration

PLUGIN = Path(__file__).resolve().parents[2]
TEMPLATES = PLUGIN / "templates"
PROMPT = (TEMPLATES / "prompt.md").read_text(encoding="utf-8")
MOST_CHARACTERS = 6000
COMMON = prompt.sections(PROMPT, "")
LONG_RANGE = f"{'a' * 40}..{'b' * 40}"

FIELDS = {field.name for field in (*tasks.TOP_FIELDS, *tasks.STORY_FIELDS)}
STATUSES = {json.dumps(status) for status in tasks.STATUSES if status}
FILES = {
    paths.tasks("ralph"),
    *paths.reviewer_files("ralph"),
    *paths.frozen_files("ralph"),
    *paths.signals("ralph"),
}
# Nothing in the engine reads these: they are for people, git and the agent itself.
COMMITS = {
    "implement": ["feat: [ID] - Title"],
    "review": ["review: [ID] - approved", "review: [ID] - changes requested"],
    "review-fix": ["fix: [ID] - address review feedback"],
    "skip-review": ["feat: [ID] - Title"],
}
COMMANDS = {
    *("git log", "git diff", "git restore", "git log --oneline -15", "git status --short"),
}
PROMISE = "<promise>COMPLETE</promise>"
KNOWN = {
    *(FIELDS | STATUSES | FILES | COMMANDS),
    *(form for forms in COMMITS.values() for form in forms),
    *(PROMISE, review.CAP_MARK, blockers.MARK, "## [date] - [ID] - {{MODE}}"),
}


def own_part(section):
    """What only the iterations of this section read."""
    common = COMMON.split("\n")
    return "\n".join(
        line for line in prompt.sections(PROMPT, section).split("\n") if line not in common
    )


def quoted(text):
    return set(re.findall(r"`([^`\n]+)`", text))


def filled(section, story="US-001"):
    skip = section == prompt.SKIP_REVIEW
    mode = review.IMPLEMENT if skip else section
    return prompt.from_template(PROMPT, Iteration(3, 15, mode, story, 5, LONG_RANGE, skip))


def test_every_name_in_the_prompt_exists():
    assert quoted(PROMPT) - KNOWN == set()
    assert PROMPT.count("`") % 2 == 0


def test_every_mode_has_a_section():
    assert all(own_part(section).startswith("## 2. ") for section in prompt.SECTIONS)


def test_the_prompt_uses_every_placeholder_and_no_other():
    named = set(re.findall(r"\{\{(.*?)\}\}", PROMPT))
    assert named == set(prompt.values(Iteration(1, 2)))
    for section in prompt.SECTIONS:
        assert "{{" not in filled(section)
        assert "<!--" not in filled(section)


@pytest.mark.parametrize("section", prompt.SECTIONS)
def test_the_prompt_is_short(section):
    assert len(filled(section, story="US-" + "9" * 40)) <= MOST_CHARACTERS


@pytest.mark.parametrize("section", prompt.SECTIONS)
def test_sections_leave_no_gaps(section):
    assert "\n\n\n" not in filled(section)


@pytest.mark.parametrize("section", prompt.SECTIONS)
def test_the_mode_line_is_the_one_that_stays_when_the_prompt_is_replaced(section):
    mode = review.IMPLEMENT if section == prompt.SKIP_REVIEW else section
    assert prompt.mode_line(Iteration(3, 15, mode, "US-001")) in filled(section).split("\n")


@pytest.mark.parametrize("section", prompt.SECTIONS)
def test_a_mode_names_only_its_own_commits(section):
    forms = {form for form in quoted(filled(section)) if re.match(r"[a-z]+: \[", form)}
    assert forms == set(COMMITS[section])


@pytest.mark.parametrize("section", prompt.SECTIONS)
def test_the_promise_is_named_only_where_it_can_be_true(section):
    assert (PROMISE in filled(section)) == (section in (review.REVIEW, prompt.SKIP_REVIEW))


def test_a_reviewer_is_told_all_that_may_be_committed():
    last_words = (
        own_part("review").partition("your commits touch nothing but")[2].partition(". ")[0]
    )
    assert quoted(last_words) == set(paths.reviewer_files("ralph"))


def test_every_frozen_file_is_called_read_only():
    [line] = [line for line in COMMON.split("\n") if "read-only" in line]
    assert quoted(line) == set(paths.frozen_files("ralph"))


def test_a_new_story_is_told_every_required_field():
    [line] = [line for line in COMMON.split("\n") if "becomes a new story" in line]
    assert quoted(line) == {field.name for field in tasks.STORY_FIELDS if field.required}


def test_the_words_about_holding_at_the_cap_fit_together():
    assert "unless the runner says below that this run holds at the cap" in own_part("review")
    assert "This run holds at the cap" in prompt.HOLDS_AT_CAP


# What the prompt says, and what the gate makes of an agent that does it.

WAITING, REJECTED, APPROVED = review.WAITING, review.REJECTED, review.APPROVED
STARTS = {
    "implement": {},
    "review": {"reviewStatus": WAITING, "reviewCount": 1},
    "review-fix": {"reviewStatus": REJECTED, "reviewCount": 1, "reviewFeedback": "line 3"},
    "skip-review": {},
}


def story(name, **fields):
    fresh = {"passes": False, "reviewStatus": None, "reviewCount": 0, "reviewFeedback": ""}
    criteria = {"acceptanceCriteria": [f"{name} one", f"{name} two"], "verify": [f"test {name}"]}
    return {"id": name, "title": name, "priority": 1, **criteria, **fresh, **fields}


def a_list(section, **picked):
    stories = [
        story("US-001", **{**STARTS[section], **picked}),
        story("US-002"),
        story("US-003", dependsOn=["US-001"]),
    ]
    top = {"project": "p", "branchName": "b", "description": "", "verifyCommands": ["make test"]}
    return {**top, "userStories": stories}


def complaints(section, before, after, **marker):
    """Checks 1, 2 and 2.5, as the gate has them."""
    skip = section == prompt.SKIP_REVIEW
    known = {
        "iterationMode": review.IMPLEMENT if skip else section,
        "skipReview": skip,
        "preIterationSnapshot": snapshot.of_stories(before),
        "verifyCommands": snapshot.digests(before["verifyCommands"]),
        "reviewCap": 5,
        **({} if section in ("implement", "skip-review") else {"story": "US-001"}),
        **marker,
    }
    faults = [shape.sentence(fault) for fault in tasks.faults(after)]
    broken = review.invariants(after, known) + transitions.violations(after, known)
    return faults + [violation.message for violation in broken]


def sets(name="US-001", **fields):
    def edit(document):
        next(s for s in document["userStories"] if s["id"] == name).update(fields)

    return edit


def both(*edits):
    def edit(document):
        for one in edits:
            one(document)

    return edit


def splits(**first):
    """US-001 becomes two parts that carry all of it, and US-003 waits for both."""

    def edit(document):
        old, *others = document["userStories"]
        one = story("US-001a", acceptanceCriteria=["US-001 one"], verify=["test US-001"], **first)
        two = story("US-001b", acceptanceCriteria=["US-001 two"])
        parts = [dict(part, splitFrom="US-001") for part in (one, two)]
        document["userStories"] = [*parts, *others]
        sets("US-003", dependsOn=["US-001a", "US-001b"])(document)

    return edit


def loses(*steps):
    def edit(document):
        value = document
        for step in steps:
            value = value[step]
        value.pop()

    return edit


def adds(*steps):
    def edit(document):
        value = document
        for step in steps:
            value = value[step]
        value.append("more")

    return edit


def vanishes(document):
    document["userStories"].pop(1)


def adds_story(document):
    document["userStories"].append(story("US-009"))


submit = sets(reviewStatus=WAITING, notes="done")
submit_other = sets("US-002", reviewStatus=WAITING, notes="done")
approve = sets(reviewStatus=APPROVED, passes=True, reviewCount=2, notes="seen")
reject = sets(reviewStatus=REJECTED, reviewCount=2, reviewFeedback="line 3 fails")
send_back = sets(reviewStatus=WAITING, reviewFeedback="", notes="met")
finish = sets(passes=True, notes="done")

ACCEPTED = [
    ("implement", 'set its `reviewStatus` to `"needs_review"`', submit),
    ("implement", "You may take another one instead", submit_other),
    (
        "implement",
        "Split the story: replace it by new stories whose `splitFrom` is its id",
        splits(),
    ),
    ("implement", "Then work on the first.", splits(reviewStatus=WAITING, notes="done")),
    ("implement", "Not finished? Do not submit. Leave `reviewStatus` null", sets(notes="half")),
    ("review", '`reviewStatus` `"approved"`, `passes` true, and in `notes`', approve),
    ("review", '`reviewStatus` `"changes_requested"`, `passes` false, and in', reject),
    ("review-fix", '`reviewStatus` to `"needs_review"`, empty its `reviewFeedback`', send_back),
    ("review-fix", "Leave `reviewStatus` and `reviewFeedback` as they are, commit", sets()),
    ("skip-review", "set its `passes` to true and say in `notes` what you did", finish),
    ("skip-review", "You may take another one", sets("US-002", passes=True, notes="done")),
    ("skip-review", "Then work on the first.", splits(passes=True, notes="done")),
    ("skip-review", "Not finished? Leave `passes` false", sets(notes="half")),
    *(
        (section, words, both(legal, edit))
        for section, legal in zip(prompt.SECTIONS, (submit, approve, send_back, finish))
        for words, edit in [
            ("becomes a new story, to do", adds_story),
            ("`verifyCommands` may be added", adds("verifyCommands")),
            ("Entries of `acceptanceCriteria`", adds("userStories", 1, "acceptanceCriteria")),
            ("`verify` and `verifyCommands` may", adds("userStories", 0, "verify")),
        ]
    ),
]

REFUSED = [
    ("implement", "only a review iteration, which has not", both(submit, sets(passes=True))),
    ("implement", "Leave `passes`, `reviewCount`", both(submit, sets(reviewCount=1))),
    ("implement", "`reviewFeedback` as they are", both(submit, sets(reviewFeedback="x"))),
    ("implement", "every story in its `dependsOn` passes", sets("US-003", reviewStatus=WAITING)),
    ("implement", "One story.", both(submit, submit_other)),
    (
        "implement",
        "word for word in one of them",
        both(splits(), loses("userStories", 0, "verify")),
    ),
    (
        "implement",
        "every `dependsOn` that named it names all of them",
        both(splits(), sets("US-003", dependsOn=["US-001a"])),
    ),
    ("review", "Raise the story's `reviewCount` by exactly 1", both(approve, sets(reviewCount=1))),
    ("review", "by exactly 1", both(approve, sets(reviewCount=3))),
    ("review", "and in `notes` what you saw work", both(approve, sets(notes=""))),
    ("review", "in `reviewFeedback` each problem", both(reject, sets(reviewFeedback=" "))),
    ("review", "No other story may be judged", both(approve, submit_other)),
    ("review", "Write the verdict into `ralph/tasks.json`", sets()),
    ("review-fix", "No other story may be submitted", both(send_back, submit_other)),
    ("review-fix", "empty its `reviewFeedback`", both(send_back, sets(reviewFeedback="x"))),
    ("review-fix", "`reviewCount` as they are", both(send_back, sets(reviewCount=2))),
    ("review-fix", "only a review iteration sets them", approve),
    ("skip-review", "say in `notes` what you did", sets(passes=True)),
    ("skip-review", "Leave `reviewStatus`, `reviewCount`", both(finish, sets(reviewCount=1))),
    ("skip-review", "Leave `reviewStatus`", both(finish, sets(reviewStatus=APPROVED))),
    ("skip-review", "every story in its `dependsOn`", sets("US-003", passes=True, notes="done")),
    ("skip-review", "One story.", both(finish, sets("US-002", passes=True, notes="done"))),
    *(
        (section, words, both(legal, edit))
        for section, legal in zip(prompt.SECTIONS, (submit, approve, send_back, finish))
        for words, edit in [
            ("No story may vanish", vanishes),
            ("never changed or removed", loses("verifyCommands")),
            ("never changed or removed", loses("userStories", 0, "verify")),
            ("never changed or removed", loses("userStories", 1, "acceptanceCriteria")),
            ("to do: an `id` of its own", both(adds_story, sets("US-009", id="US-002"))),
            ("`reviewStatus` null", both(adds_story, sets("US-009", reviewStatus=WAITING))),
            ("`passes` false", both(adds_story, sets("US-009", passes=True, notes="x"))),
            ("`reviewCount` 0", both(adds_story, sets("US-009", reviewCount=1))),
        ]
    ),
]


def outcome(section, edit, **marker):
    before = a_list(section)
    after = copy.deepcopy(before)
    edit(after)
    return complaints(section, before, after, **marker)


@pytest.mark.parametrize(("section", "words", "edit"), ACCEPTED)
def test_what_the_prompt_tells_is_accepted(section, words, edit):
    assert words in filled(section)
    assert outcome(section, edit) == []


@pytest.mark.parametrize(("section", "words", "edit"), REFUSED)
def test_what_the_prompt_forbids_is_refused(section, words, edit):
    assert words in filled(section)
    assert outcome(section, edit) != []


def test_the_cap_rule_is_the_gates():
    part = own_part("review")
    assert 'when the raised `reviewCount` is {{REVIEW_CAP}} or more, `"changes_requested"`' in part
    assert f"to `reviewFeedback` behind `{review.CAP_MARK}`" in part
    marked = both(approve, sets(reviewFeedback=f"{review.CAP_MARK} slow"))
    for cap, refused in ((3, False), (2, True), (1, True)):
        assert (outcome("review", reject, reviewCap=cap) != []) == refused
        assert outcome("review", approve, reviewCap=cap) == []
        assert outcome("review", marked, reviewCap=cap) == []
        assert outcome("review", reject, reviewCap=cap, atCap="hold") == []


@pytest.mark.parametrize("section", prompt.SECTIONS)
def test_a_section_names_the_statuses_that_the_gate_lets_it_set(section):
    """All ways to leave the picked story, tried on the gate."""
    before = a_list(section)
    was = before["userStories"][0]["reviewStatus"]
    counts, texts = (0, 1, 2), ("", "line 3", "other")
    accepted = set()
    for status, passes, count, text in itertools.product(
        tasks.STATUSES, (True, False), counts, texts
    ):
        fields = {"reviewStatus": status, "passes": passes, "notes": "n"}
        edit = sets(**fields, reviewCount=count, reviewFeedback=text)
        if status != was and outcome(section, edit) == []:
            accepted.add(json.dumps(status))
    assert quoted(own_part(section)) & STATUSES == accepted


# The other templates.


def test_every_template_is_used():
    made = starter.contents("n", datetime.date(2024, 5, 6), audit=True)
    used = {os.path.basename(path) for path in made if path.startswith("ralph/")}
    assert used == {path.name for path in TEMPLATES.iterdir()}


def test_the_starter_is_a_valid_list():
    document, faults = tasks.parse((TEMPLATES / "tasks.json").read_bytes(), "tasks.json")
    assert faults == []
    assert document is not None
    assert schema.task_faults(document, "tasks.json") == []
    assert review.invariants(document, {}) == []
    assert review.pick(document, review.IMPLEMENT, False) == document["userStories"][0]


def test_the_starter_shows_every_field_but_splits():
    document = json.loads((TEMPLATES / "tasks.json").read_text(encoding="utf-8"))
    assert set(document) == {field.name for field in tasks.TOP_FIELDS}
    [only] = document["userStories"]
    assert set(only) == {field.name for field in tasks.STORY_FIELDS} - {"splitFrom"}


def test_the_starters_schema_is_found_from_the_ralph_folder():
    document = json.loads((TEMPLATES / "tasks.json").read_text(encoding="utf-8"))
    path = os.path.normpath(f"ralph/{document['$schema']}")
    copied = starter.contents("n", datetime.date(2024, 5, 6))[path]
    assert json.loads(copied) == schema.validator("tasks").schema


def test_progress_starts_with_what_init_knows():
    lines = (TEMPLATES / "progress.txt").read_text(encoding="utf-8").splitlines()
    assert lines[:5] == [
        "# Ralph Progress Log",
        "Started: {{DATE}}",
        "PRD: {{PROJECT_NAME}}",
        "",
        "## Codebase Patterns",
    ]
    assert lines.count("---") == 1


def test_every_section_of_the_prd_says_who_needs_it():
    text = (TEMPLATES / "prd.md").read_text(encoding="utf-8")
    heads = re.findall(r"^## (.*)\n\n<!--\s+(?:Required|Recommended): [SML, ]+", text, re.MULTILINE)
    assert heads == re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert heads == [
        *("Summary", "Problem", "Goals", "Non-Goals", "Background", "Technical Design"),
        *("Constraints", "Edge Cases", "Risks", "Open Questions"),
    ]
    parts = re.findall(r"^### (.*)\n\n<!-- ", text, re.MULTILINE)
    assert parts == ["Database", "API", "Core Logic", "Frontend", "Infrastructure"]


def test_the_only_sign_is_a_commented_example_in_the_form_that_is_read():
    text = (TEMPLATES / "guardrails.md").read_text(encoding="utf-8")
    assert signs.parse(text) == []
    [sign] = signs.parse(text.replace("<!-- Example:", "").replace("-->", ""))
    assert sign.faults == []
    assert "a Sign to `ralph/guardrails.md`, in the form of its example" in COMMON


ENTRY = re.compile(r"^- ", re.MULTILINE)
AUDIT = (TEMPLATES / "audit.md").read_text(encoding="utf-8")


def test_an_audit_is_told_the_signals_that_end_a_round_and_the_whole():
    _, open_ones, none_open = ENTRY.split(AUDIT.partition("## Completion condition")[2])
    remain = open_ones.rpartition("this line alone: ")[2].strip()
    assert audit.findings(remain.replace(" N ", " 3 ")) == 3
    done = none_open.rpartition("this line alone: ")[2].strip()
    assert done == loop_command.NO_FINDINGS
    assert audit.is_done(done, loop_command.NO_FINDINGS)


def test_an_audits_commands_are_those_of_the_project():
    assert validation_commands.of(AUDIT) == []
    made = starter.contents("n", datetime.date(2024, 5, 6), True, ["make test", "a 'b' \"c\""])
    assert validation_commands.of(made["ralph/audit.md"]) == ["make test\na 'b' \"c\""]


def test_check_commands_are_data_in_the_list():
    hard = ["make test", 'a "b" \\ {{DATE}}', "🙂"]
    made = starter.contents('"verifyCommands": []', datetime.date(2024, 5, 6), False, hard)
    document = json.loads(made["ralph/tasks.json"])
    assert (document["project"], document["verifyCommands"]) == ('"verifyCommands": []', hard)
    assert starter.untouched_list(document)
    document["userStories"][0]["title"] = "mine"
    assert not starter.untouched_list(document)


# The skill that plans speaks of the same files and fields.

SKILL = (PLUGIN / "skills" / "ralph-plan" / "SKILL.md").read_text(encoding="utf-8")
ROOT = "${CLAUDE_PLUGIN_ROOT}/"


def test_every_name_in_the_planning_skill_exists():
    named = quoted(SKILL)
    lines = {"planning: full", "planning: derivation", "list:", "verifyCommands:"}
    plain = {name for name in named if ROOT not in name}
    assert plain - FIELDS - FILES - lines == {starter.BRANCHES}
    places = set(re.findall(re.escape(ROOT) + r"([\w./-]+)", SKILL))
    assert places == {"scripts/ralph.sh", "templates/prd.md"}
    assert all((PLUGIN / place).is_file() for place in places)
    verbs = set(re.findall(r'ralph\.sh" (\w+)', SKILL))
    assert verbs == {"plan", "check", "run"}


def test_the_skill_tells_a_new_story_as_the_gate_wants_it():
    [line] = [line for line in SKILL.split("\n") if line.startswith("- is to do: ")]
    fresh = json.loads((TEMPLATES / "tasks.json").read_text(encoding="utf-8"))["userStories"][0]
    told = dict(re.findall(r'`(\w+)` (\w+|"")', line))
    assert told == {name: json.dumps(fresh[name]) for name in told}
    assert set(told) == {"passes", "reviewStatus", "reviewCount", "reviewFeedback", "notes"}


@pytest.mark.parametrize("words", ["plan this feature", "create a ralph prd", "generate tasks for"])
def test_the_skill_is_found_by_what_a_person_says(words):
    head = SKILL.split("---")[1]
    assert words in head and "disable-model-invocation" not in head
