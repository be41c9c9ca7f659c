"""Every rule of checks 1, 2 and 2.5 as a table of cases, with the verdict each marker must give."""

from __future__ import annotations

import copy
import json
import os
from dataclasses import dataclass, replace
from typing import Any, Callable, NamedTuple

from ralph_engine.core import snapshot

Story = dict[str, Any]
Document = dict[str, Any]
Marker = dict[str, Any]
Edit = Callable[[Document], None]

RUN, SESSION = "run-1", "0f8fad5b-d9cb-469f-a165-70867728950e"
CAP_MARK = "[AUTO-APPROVED AT CAP]"


class Blame(NamedTuple):
    """One sentence that must be said: the rule, the story it names, words a model needs."""

    check: str
    rule: str
    story: str
    words: tuple[str, ...]


@dataclass(frozen=True)
class Case:
    """What an agent did to a list, and what is said about it; no blame means legal."""

    name: str
    before: Document
    agent: tuple[Edit, ...]
    verdict: tuple[Blame, ...]
    mode: str = "implement"
    # What the reference marker's fields can see, where that is not the same.
    reference: tuple[Blame, ...] | None = None
    skip_review: bool = False
    cap: int = 5
    at_cap: str = "approve"
    picked: str = "US-001"
    snapshot: bool = True
    allow_plan_edits: bool = False
    raw: bytes | None = None

    @property
    def needs_full(self) -> bool:
        return self.reference is not None

    def after(self) -> bytes:
        """tasks.json as the agent left it."""
        if self.raw is not None:
            return self.raw
        document = copy.deepcopy(self.before)
        for edit in self.agent:
            edit(document)
        return json.dumps(document, indent=2).encode()

    def marker(self, kind: str) -> Marker:
        return full_marker(self) if kind == "full" else reference_marker(self)

    def expected(self, kind: str) -> tuple[Blame, ...]:
        if kind == "reference" and self.reference is not None:
            return self.reference
        return self.verdict


KINDS = ("reference", "full")
LEGAL: tuple[Blame, ...] = ()


def reference_marker(case: Case) -> Marker:
    """The eight fields of the reference design and nothing else."""
    marker: Marker = {
        "timestamp": "2025-06-15T10:30:00Z",
        "pid": os.getpid(),
        "max_iterations": 15,
        "mode": "direct",
        "skipReview": case.skip_review,
        "reviewCap": case.cap,
        "iterationMode": case.mode,
    }
    if case.snapshot:
        fields = ("passes", "reviewStatus", "reviewCount")
        stories = case.before["userStories"]
        marker["preIterationSnapshot"] = {s["id"]: {f: s[f] for f in fields} for s in stories}
    return marker


def full_marker(case: Case) -> Marker:
    """All that this product's runner writes; the pid plays no part any more."""
    frozen = not case.allow_plan_edits
    marker = {
        **reference_marker(case),
        "pid": 1,
        "runId": RUN,
        "sessionId": SESSION,
        "iteration": 3,
        "story": case.picked,
        "goal": "tasks",
        "ralphDir": "ralph",
        "atCap": case.at_cap,
        "contextWindow": 200000,
        "digests": {},
        "baseline": {},
        "host": "somewhere",
    }
    if case.snapshot:
        marker["preIterationSnapshot"] = snapshot.of_stories(case.before, frozen)
    if frozen:
        marker["verifyCommands"] = snapshot.digests(case.before.get("verifyCommands", ()))
    return marker


def story(name: str, **changes: Any) -> Story:
    """A story that is to do."""
    return {
        "id": name,
        "title": f"Title of {name}",
        "acceptanceCriteria": [f"{name} works"],
        "priority": 1,
        "passes": False,
        "reviewStatus": None,
        "reviewCount": 0,
        "reviewFeedback": "",
        **changes,
    }


def waiting(name: str, count: int = 0, **changes: Any) -> Story:
    return story(name, reviewStatus="needs_review", reviewCount=count, **changes)


def rejected(name: str, count: int = 1, **changes: Any) -> Story:
    state = {"reviewStatus": "changes_requested", "reviewFeedback": "The empty name crashes."}
    return story(name, **{**state, "reviewCount": count, **changes})


def done(name: str, count: int = 1, **changes: Any) -> Story:
    state = {"passes": True, "reviewStatus": "approved", "notes": "Built and tested."}
    return story(name, **{**state, "reviewCount": count, **changes})


def task_list(*stories: Story, **changes: Any) -> Document:
    top = {"project": "Shop", "branchName": "ralph/shop", "description": "A small shop."}
    return {**top, "userStories": list(stories), **changes}


def find(document: Document, name: str) -> Story:
    return next(entry for entry in document["userStories"] if entry["id"] == name)


def change(name: str, **fields: Any) -> Edit:
    return lambda document: find(document, name).update(fields)


def drop(name: str, field: str) -> Edit:
    return lambda document: find(document, name).pop(field)


def add(*stories: Story) -> Edit:
    return lambda document: document["userStories"].extend(stories)


def remove(*names: str) -> Edit:
    def edit(document: Document) -> None:
        stories = document["userStories"]
        document["userStories"] = [entry for entry in stories if entry["id"] not in names]

    return edit


def top(**fields: Any) -> Edit:
    return lambda document: document.update(fields)


def drop_top(field: str) -> Edit:
    return lambda document: document.pop(field)


def submit(name: str, **more: Any) -> Edit:
    return change(name, reviewStatus="needs_review", **more)


def approve(name: str, count: int, **more: Any) -> Edit:
    verdict = {"reviewStatus": "approved", "passes": True, "notes": "Built and tested."}
    return change(name, **{**verdict, "reviewCount": count, **more})


def reject(name: str, count: int, feedback: str = "The total is wrong.", **more: Any) -> Edit:
    verdict = {"reviewStatus": "changes_requested", "reviewFeedback": feedback}
    return change(name, **{**verdict, "reviewCount": count, **more})


def resubmit(name: str, **more: Any) -> Edit:
    return change(name, **{"reviewStatus": "needs_review", "reviewFeedback": "", **more})


def finish(name: str, **more: Any) -> Edit:
    """How a story passes where there are no reviews."""
    return change(name, **{"passes": True, "notes": "Built and tested.", **more})


def schema(place: str, name: str, *words: str) -> Blame:
    return Blame("schema", place, name, words)


def invariant(rule: str, name: str, *words: str) -> Blame:
    return Blame("invariants", rule, name, words)


def transition(rule: str, name: str, *words: str) -> Blame:
    return Blame("transitions", rule, name, words)


# Check 1: tasks.json itself.

TOP_WANTED = {
    "project": "a string",
    "branchName": "a string",
    "description": "a string",
    "userStories": "a list of stories",
    "verifyCommands": "a list of non-empty strings",
    "$schema": "a string",
}
TOP_WRONG = [
    ("project", None, "null"),
    ("project", 7, "7"),
    ("branchName", ["main"], "a list of 1"),
    ("description", False, "false"),
    ("userStories", {}, "an object"),
    ("userStories", None, "null"),
    ("verifyCommands", "npm test", '"npm test"'),
    ("verifyCommands", None, "null"),
    ("verifyCommands", [""], "a list of 1"),
    ("verifyCommands", [1, 2], "a list of 2"),
    ("$schema", 1, "1"),
]
WANTED = {
    "id": "a non-empty string",
    "title": "a string",
    "passes": "true or false",
    "priority": "a number",
    "acceptanceCriteria": "non-empty strings, at least one",
    "reviewStatus": 'null, "needs_review", "changes_requested" or "approved"',
    "reviewCount": "an integer of 0 or more",
    "reviewFeedback": "a string",
    "description": "a string",
    "notes": "a string",
    "dependsOn": "a list of non-empty strings",
    "splitFrom": "a non-empty string",
    "verify": "a list of non-empty strings",
}
REQUIRED = tuple(WANTED)[:8]
WRONG = [
    ("id", "", '""'),
    ("id", 5, "5"),
    ("id", None, "null"),
    ("title", None, "null"),
    ("title", 3, "3"),
    ("passes", None, "null"),
    ("passes", "true", '"true"'),
    ("passes", 0, "0"),
    ("passes", 1, "1"),
    ("priority", "1", '"1"'),
    ("priority", True, "true"),
    ("priority", None, "null"),
    ("acceptanceCriteria", [], "a list of 0"),
    ("acceptanceCriteria", "it works", '"it works"'),
    ("acceptanceCriteria", ["it works", ""], "a list of 2"),
    ("acceptanceCriteria", [1], "a list of 1"),
    ("acceptanceCriteria", None, "null"),
    ("reviewStatus", "done", '"done"'),
    ("reviewStatus", "", '""'),
    ("reviewStatus", False, "false"),
    ("reviewStatus", ["approved"], "a list of 1"),
    ("reviewCount", -1, "-1"),
    ("reviewCount", 1.5, "1.5"),
    ("reviewCount", "0", '"0"'),
    ("reviewCount", False, "false"),
    ("reviewCount", None, "null"),
    ("reviewFeedback", None, "null"),
    ("reviewFeedback", [], "a list of 0"),
    ("description", None, "null"),
    ("notes", None, "null"),
    ("notes", ["done"], "a list of 1"),
    ("dependsOn", "US-002", '"US-002"'),
    ("dependsOn", None, "null"),
    ("dependsOn", [2], "a list of 1"),
    ("dependsOn", [""], "a list of 1"),
    ("splitFrom", "", '""'),
    ("splitFrom", None, "null"),
    ("splitFrom", 4, "4"),
    ("verify", "make test", '"make test"'),
    ("verify", None, "null"),
    ("verify", [""], "a list of 1"),
    ("verify", [True], "a list of 1"),
]
TWO = task_list(story("US-001"), story("US-002"))
TEXT = json.dumps(TWO).encode()


def check_1(name: str, agent: tuple[Edit, ...], *verdict: Blame, **more: Any) -> Case:
    return Case(f"check 1: {name}", more.pop("before", TWO), agent, verdict, **more)


def not_json(name: str, raw: bytes, *words: str) -> Case:
    return check_1(name, (), schema("ralph/tasks.json", "", *words), raw=raw)


def wrong_field(field: str, value: Any, shown: str) -> Case:
    """In the second story: the first one must not be blamed for it."""
    named = "" if field == "id" and value in ("", None, 5) else "US-002"
    blame = schema(f"userStories[1].{field}", named, f"is {shown}", WANTED[field])
    return check_1(f"{field} is {json.dumps(value)}", (change("US-002", **{field: value}),), blame)


def missing_field(field: str) -> Case:
    named = "" if field == "id" else "US-002"
    blame = schema(f"userStories[1].{field}", named, "is missing", WANTED[field])
    return check_1(f"{field} is missing", (drop("US-002", field),), blame)


def wrong_top(field: str, value: Any, shown: str) -> Case:
    blame = schema(field, "", f"is {shown}", TOP_WANTED[field])
    return check_1(f"top-level {field} is {json.dumps(value)}", (top(**{field: value}),), blame)


def missing_top(field: str) -> Case:
    blame = schema(field, "", "is missing", TOP_WANTED[field])
    return check_1(f"top-level {field} is missing", (drop_top(field),), blame)


EVERY_FIELD = story(
    "US-001",
    description="As a buyer I see the total.",
    notes="",
    dependsOn=["US-002"],
    splitFrom="US-000",
    verify=["make total"],
    owner="unknown keys are allowed",
)

CHECK_1 = [
    check_1("an unchanged list is legal", ()),
    check_1("an empty list is no fault", (), before=task_list()),
    check_1(
        "every optional field and unknown keys are legal",
        (),
        before=task_list(EVERY_FIELD, story("US-002"), verifyCommands=["make"], extra={"a": 1}),
    ),
    check_1("a fraction is a number", (change("US-001", priority=0.5),)),
    check_1("empty texts are strings", (change("US-001", title="", notes=""),)),
    check_1("empty lists are lists", (change("US-001", dependsOn=[], verify=[]),)),
    *[missing_top(field) for field in ("project", "branchName", "description", "userStories")],
    *[wrong_top(*row) for row in TOP_WRONG],
    *[missing_field(field) for field in REQUIRED],
    *[wrong_field(*row) for row in WRONG],
    check_1(
        "a story is no object",
        (lambda document: document["userStories"].append("US-003"),),
        schema("userStories[2]", "", '"US-003"', "an object"),
    ),
    check_1(
        "every fault is named, in the order of the list",
        (drop("US-001", "title"), change("US-001", passes=0), change("US-002", reviewCount=-1)),
        schema("userStories[0].title", "US-001", "is missing"),
        schema("userStories[0].passes", "US-001", "true or false"),
        schema("userStories[1].reviewCount", "US-002", "is -1"),
    ),
    not_json("an empty file", b"", "not valid JSON"),
    not_json("half a file", TEXT[:-5], "not valid JSON"),
    not_json("a trailing comma", TEXT[:-1] + b",}", "not valid JSON"),
    not_json("a second document", TEXT + b"{}", "not valid JSON"),
    not_json("a list at the top", b"[]", "an object"),
    not_json("a byte order mark", b"\xef\xbb\xbf" + TEXT, "byte order mark", "without BOM"),
    not_json("bytes that are not UTF-8", TEXT.replace(b"Shop", b"Sh\xf6p"), "not UTF-8"),
    not_json("NaN", TEXT.replace(b'"priority": 1', b'"priority": NaN', 1), "NaN", "finite"),
    not_json(
        "Infinity",
        TEXT.replace(b'"priority": 1', b'"priority": -Infinity', 1),
        "Infinity",
        "finite",
    ),
    not_json("a number too large", TEXT.replace(b": 1,", b": 1e999,", 1), "1e999", "finite"),
    not_json(
        "a key twice", TEXT.replace(b'"title"', b'"passes": true, "title"', 1), '"passes" twice'
    ),
    check_1(
        "two stories with one id",
        (change("US-002", id="US-001"),),
        schema("userStories[1].id", "US-001", "userStories[0]", "an id of its own"),
    ),
    check_1("a known dependsOn is legal", (change("US-001", dependsOn=["US-002"]),)),
    check_1(
        "dependsOn names nobody",
        (change("US-001", dependsOn=["US-002", "US-009"]),),
        schema("userStories[0].dependsOn[1]", "US-001", '"US-009"', "not in the list"),
    ),
    check_1(
        "a story depends on itself",
        (change("US-002", dependsOn=["US-002"]),),
        schema("userStories[1].dependsOn", "US-002", "circle", "US-002 -> US-002"),
    ),
    check_1(
        "two stories wait for each other",
        (change("US-001", dependsOn=["US-002"]), change("US-002", dependsOn=["US-001"])),
        schema("userStories[0].dependsOn", "US-001", "circle", "US-001 -> US-002 -> US-001"),
    ),
    check_1(
        "a chain and a diamond are no circle",
        (),
        before=task_list(
            story("US-001", dependsOn=["US-002", "US-003"]),
            story("US-002", dependsOn=["US-004"]),
            story("US-003", dependsOn=["US-004"]),
            story("US-004"),
        ),
    ),
    check_1("a done story with notes is legal", (), before=task_list(done("US-001"))),
    *[
        check_1(
            f"a done story with {name} notes",
            (edit,),
            schema("userStories[0].notes", "US-001", "empty while passes is true", "what was done"),
            before=task_list(done("US-001")),
        )
        for name, edit in (
            ("no", drop("US-001", "notes")),
            ("empty", change("US-001", notes="")),
            ("blank", change("US-001", notes=" \n\t")),
        )
    ],
]


# Check 2: what always holds. The same edits also break a transition; the hook names check 2 first.

NOT_APPROVED = ("passes true", "not approved", "Only review iterations approve")
ONE_WAITING = task_list(waiting("US-001", 1), story("US-002"))
ONE_REJECTED = task_list(rejected("US-001", 1), story("US-002"))
NO_WORDS = "what must be fixed"


def check_2(name: str, mode: str, before: Document, edit: Edit, *verdict: Blame) -> Case:
    return Case(f"check 2: {name}", before, (edit,), verdict, mode)


def in_implement(name: str, *words: str) -> Blame:
    return transition("illegal-in-implement", name, "only review iterations approve", *words)


def in_review(name: str, *words: str) -> Blame:
    return transition("illegal-verdict", name, "reviewCount by exactly 1", *words)


def in_review_fix(name: str, *words: str) -> Blame:
    return transition("illegal-in-review-fix", name, "review-fix", "cannot approve", *words)


def counted(name: str, has: int, most: int) -> Blame:
    return invariant("count-too-high", name, f"reviewCount {has};", f"at most {most}")


CHECK_2 = [
    check_2(
        "passes without a review status",
        "implement",
        TWO,
        finish("US-001"),
        invariant("passes-unapproved", "US-001", "null", *NOT_APPROVED),
        in_implement("US-001", "passes false -> true"),
    ),
    check_2(
        "passes while waiting for review",
        "review",
        ONE_WAITING,
        finish("US-001", reviewCount=2),
        invariant("passes-unapproved", "US-001", '"needs_review"', *NOT_APPROVED),
        in_review("US-001", "passes false -> true"),
    ),
    check_2(
        "passes while changes are requested",
        "review-fix",
        ONE_REJECTED,
        finish("US-001"),
        invariant("passes-unapproved", "US-001", '"changes_requested"', *NOT_APPROVED),
        in_review_fix("US-001", "passes false -> true"),
    ),
    check_2("passes and approved is legal", "review", ONE_WAITING, approve("US-001", 2)),
    check_2(
        "approved without passes",
        "review",
        ONE_WAITING,
        approve("US-001", 2, passes=False),
        invariant("approved-failing", "US-001", "passes false", "Only review iterations approve"),
        in_review("US-001", '"needs_review" -> "approved"'),
    ),
    check_2(
        "changes requested without a word",
        "review",
        ONE_WAITING,
        reject("US-001", 2, ""),
        invariant("no-feedback", "US-001", "empty reviewFeedback", NO_WORDS),
        transition("no-feedback", "US-001", "reviewFeedback", NO_WORDS),
    ),
    check_2(
        "changes requested with blanks for words",
        "review",
        ONE_WAITING,
        reject("US-001", 2, " \n"),
        invariant("no-feedback", "US-001", "empty reviewFeedback", NO_WORDS),
        transition("no-feedback", "US-001", "reviewFeedback", NO_WORDS),
    ),
    check_2("changes requested with feedback is legal", "review", ONE_WAITING, reject("US-001", 2)),
    Case(
        "check 2: a count of the cap + 1 is legal",
        task_list(waiting("US-001", 5)),
        (approve("US-001", 6),),
        LEGAL,
        "review",
    ),
    Case(
        "check 2: a count of the cap + 2",
        task_list(waiting("US-001", 5)),
        (approve("US-001", 7),),
        (counted("US-001", 7, 6), in_review("US-001", "reviewCount 5 -> 7")),
        "review",
    ),
    Case(
        "check 2: a count far above the cap before is legal, and one more",
        task_list(waiting("US-001", 8), done("US-002", 9)),
        (approve("US-001", 9),),
        LEGAL,
        "review",
    ),
    Case(
        "check 2: a count above the cap raised by two",
        task_list(waiting("US-001", 8)),
        (approve("US-001", 10),),
        (counted("US-001", 10, 9), in_review("US-001", "reviewCount 8 -> 10")),
        "review",
    ),
    Case(
        "check 2: a new story with a count above the cap",
        TWO,
        (add(waiting("US-003", 4)),),
        (counted("US-003", 4, 3), transition("new-not-to-do", "US-003", "must start to do")),
        cap=2,
    ),
]


# Check 2.5, implement.

DONE_AND_TWO = task_list(done("US-001"), story("US-002"), story("US-003"))
AT_CAP = done("US-001", 5, reviewFeedback=f"{CAP_MARK} The total is not rounded.")


def implement(name: str, before: Document, agent: tuple[Edit, ...], *verdict: Blame) -> Case:
    return Case(f"implement: {name}", before, agent, verdict)


def unseen(case: Case, *verdict: Blame) -> Case:
    """The same case where the reference marker gives another verdict."""
    return replace(case, reference=verdict)


def two_submitted(*names: str) -> tuple[Blame, ...]:
    return tuple(transition("two-submissions", name, "One story", *names) for name in names)


def open_dependency(name: str, *others: str) -> Blame:
    return transition("dependency-open", name, f"depends on {', '.join(others)}", "not passing yet")


def new_story(name: str, *words: str) -> Blame:
    return transition("new-not-to-do", name, "is new", "must start to do", *words)


IMPLEMENT = [
    implement("nothing submitted is legal", DONE_AND_TWO, ()),
    implement("one story submitted is legal", TWO, (submit("US-001"),)),
    implement("another story than the picked one is legal", TWO, (submit("US-002"),)),
    implement(
        "a submission whose dependencies pass is legal",
        task_list(done("US-001"), story("US-002", dependsOn=["US-001"])),
        (submit("US-002"),),
    ),
    implement("a new to-do story is legal", TWO, (add(story("US-003")),)),
    implement(
        "a submission and new stories are legal",
        TWO,
        (submit("US-001"), add(story("US-003", dependsOn=["US-001"]), story("US-004"))),
    ),
    implement(
        "title, description, priority and notes are free",
        TWO,
        (change("US-001", title="Other", description="More", priority=9, notes="Half of it."),),
    ),
    implement(
        "approved and passing at once, which check 2 cannot see",
        TWO,
        (approve("US-001", 0),),
        in_implement("US-001", "passes false -> true", 'reviewStatus null -> "approved"'),
    ),
    implement(
        "approved and passing with a count",
        TWO,
        (approve("US-001", 1),),
        in_implement("US-001", "reviewCount 0 -> 1"),
    ),
    implement(
        "approved without passes",
        TWO,
        (change("US-001", reviewStatus="approved"),),
        invariant("approved-failing", "US-001", "passes false"),
        in_implement("US-001", 'reviewStatus null -> "approved"'),
    ),
    implement(
        "changes requested of its own work",
        TWO,
        (reject("US-001", 0),),
        in_implement("US-001", 'reviewStatus null -> "changes_requested"'),
    ),
    implement(
        "a count raised",
        TWO,
        (change("US-001", reviewCount=1),),
        in_implement("US-001", "reviewCount 0 -> 1"),
    ),
    implement(
        "a count raised with the submission",
        TWO,
        (submit("US-001", reviewCount=1),),
        in_implement("US-001", "reviewCount 0 -> 1"),
    ),
    implement(
        "two stories submitted",
        TWO,
        (submit("US-001"), submit("US-002")),
        *two_submitted("US-001", "US-002"),
    ),
    implement(
        "three stories submitted",
        task_list(story("US-001"), story("US-002"), story("US-003")),
        (submit("US-001"), submit("US-002"), submit("US-003")),
        *two_submitted("US-001", "US-002", "US-003"),
    ),
    implement(
        "a submission before its dependency",
        task_list(story("US-001"), story("US-002", dependsOn=["US-001"])),
        (submit("US-002"),),
        open_dependency("US-002", "US-001"),
    ),
    implement(
        "a submission with one of two dependencies open",
        task_list(done("US-001"), story("US-002"), story("US-003", dependsOn=["US-001", "US-002"])),
        (submit("US-003"),),
        open_dependency("US-003", "US-002"),
    ),
    implement(
        "a submission that depends on a new story",
        TWO,
        (submit("US-001", dependsOn=["US-003"]), add(story("US-003"))),
        open_dependency("US-001", "US-003"),
    ),
    implement(
        "a done story reopened",
        DONE_AND_TWO,
        (change("US-001", passes=False, reviewStatus="needs_review"),),
        in_implement("US-001", "passes true -> false"),
    ),
    implement(
        "a done story made to do",
        DONE_AND_TWO,
        (change("US-001", passes=False, reviewStatus=None, reviewCount=0),),
        in_implement("US-001", 'reviewStatus "approved" -> null'),
    ),
    implement(
        "a rejected story sent back, which only a review-fix may do",
        task_list(rejected("US-001"), story("US-002")),
        (submit("US-001"),),
        in_implement("US-001", '"changes_requested" -> "needs_review"'),
    ),
    implement(
        "a done story's count lowered",
        task_list(done("US-001", 3), story("US-002")),
        (change("US-001", reviewCount=1),),
        in_implement("US-001", "reviewCount 3 -> 1"),
    ),
    unseen(
        implement(
            "the mark of an approval at the cap removed",
            task_list(AT_CAP, story("US-002")),
            (submit("US-002"), change("US-001", reviewFeedback="")),
            in_implement("US-001", "reviewFeedback", CAP_MARK),
        )
    ),
    unseen(
        implement(
            "the mark of an approval at the cap added",
            DONE_AND_TWO,
            (change("US-001", reviewFeedback=f"{CAP_MARK} Nothing."),),
            in_implement("US-001", "reviewFeedback"),
        )
    ),
    unseen(
        implement(
            "feedback written with the submission",
            TWO,
            (submit("US-001", reviewFeedback="Looks good to me."),),
            in_implement("US-001", 'reviewFeedback "" -> "Looks good to me."'),
        )
    ),
]


# Check 2.5, review. The reference marker names no story, so that any one waiting story may be it.

TWO_WAITING = task_list(waiting("US-001"), waiting("US-002"), story("US-003"), done("US-004"))


def review(
    name: str, before: Document, agent: tuple[Edit, ...], *verdict: Blame, **more: Any
) -> Case:
    return Case(f"review: {name}", before, agent, verdict, "review", **more)


def other(mode: str, name: str, *words: str) -> Blame:
    return transition("another-story", name, f"This {mode} iteration is about US-001", *words)


def more_than_one(mode: str, *names: str) -> tuple[Blame, ...]:
    words = f"This {mode} iteration is about a single story"
    return tuple(transition("another-story", name, words) for name in names)


def no_verdict(name: str) -> Blame:
    return transition("no-verdict", name, "no verdict", '"approved"', '"changes_requested"')


def refused_at_cap(cap: int) -> Blame:
    return transition("rejected-at-cap", "US-001", f"the cap is {cap}", "approve it", CAP_MARK)


REVIEW = [
    review("an approval is legal", TWO_WAITING, (approve("US-001", 1),)),
    review("a rejection is legal", TWO_WAITING, (reject("US-001", 1),)),
    review("a second review approves", ONE_WAITING, (approve("US-001", 2),)),
    review("a second review rejects", ONE_WAITING, (reject("US-001", 2),)),
    review(
        "an approval with a remark is legal",
        TWO_WAITING,
        (approve("US-001", 1, reviewFeedback="Mind the rounding."),),
    ),
    review(
        "a verdict and new to-do stories are legal",
        TWO_WAITING,
        (approve("US-001", 1), add(story("US-005"), story("US-006"))),
    ),
    unseen(
        review("no verdict", TWO_WAITING, (), no_verdict("US-001")),
        no_verdict(""),
    ),
    unseen(
        review(
            "feedback without a verdict",
            TWO_WAITING,
            (change("US-001", reviewFeedback="Looks good."),),
            in_review("US-001", "reviewFeedback"),
        ),
        no_verdict(""),
    ),
    unseen(
        review("only a new story", TWO_WAITING, (add(story("US-005")),), no_verdict("US-001")),
        no_verdict(""),
    ),
    review(
        "approved with the count unchanged",
        ONE_WAITING,
        (approve("US-001", 1),),
        in_review("US-001", '"needs_review" -> "approved"'),
    ),
    review(
        "rejected with the count unchanged",
        ONE_WAITING,
        (reject("US-001", 1),),
        in_review("US-001", '"needs_review" -> "changes_requested"'),
    ),
    review(
        "approved with the count raised by two",
        ONE_WAITING,
        (approve("US-001", 3),),
        in_review("US-001", "reviewCount 1 -> 3"),
    ),
    review(
        "rejected with the count raised by two",
        ONE_WAITING,
        (reject("US-001", 3),),
        in_review("US-001", "reviewCount 1 -> 3"),
    ),
    review(
        "approved with the count lowered",
        ONE_WAITING,
        (approve("US-001", 0),),
        in_review("US-001", "reviewCount 1 -> 0"),
    ),
    review(
        "counted but not judged",
        ONE_WAITING,
        (change("US-001", reviewCount=2),),
        in_review("US-001", "reviewCount 1 -> 2"),
    ),
    review(
        "sent back to do",
        ONE_WAITING,
        (change("US-001", reviewStatus=None, reviewCount=2),),
        in_review("US-001", '"needs_review" -> null'),
    ),
    unseen(
        review(
            "two stories judged",
            TWO_WAITING,
            (approve("US-001", 1), approve("US-002", 1)),
            other("review", "US-002", "reviewCount 0 -> 1"),
        ),
        *more_than_one("review", "US-001", "US-002"),
    ),
    unseen(
        review(
            "another waiting story judged instead",
            TWO_WAITING,
            (approve("US-002", 1),),
            other("review", "US-002"),
        )
    ),
    unseen(
        review(
            "a to-do story approved instead",
            TWO_WAITING,
            (approve("US-003", 1),),
            other("review", "US-003"),
        ),
        in_review("US-003", 'null -> "approved"'),
    ),
    unseen(
        review(
            "a to-do story submitted beside the verdict",
            TWO_WAITING,
            (approve("US-001", 1), submit("US-003")),
            other("review", "US-003"),
        ),
        *more_than_one("review", "US-001", "US-003"),
    ),
    unseen(
        review(
            "a done story reopened beside the verdict",
            TWO_WAITING,
            (approve("US-001", 1), reject("US-004", 2, passes=False)),
            other("review", "US-004"),
        ),
        *more_than_one("review", "US-001", "US-004"),
    ),
    unseen(
        review(
            "another story's count raised beside the verdict",
            TWO_WAITING,
            (reject("US-001", 1), change("US-002", reviewCount=1)),
            other("review", "US-002"),
        ),
        *more_than_one("review", "US-001", "US-002"),
    ),
    unseen(
        review(
            "another story's feedback written beside the verdict",
            TWO_WAITING,
            (reject("US-001", 1), change("US-002", reviewFeedback="Fine.")),
            other("review", "US-002"),
        )
    ),
    review(
        "a new story that waits for review",
        TWO_WAITING,
        (approve("US-001", 1), add(waiting("US-005"))),
        new_story("US-005"),
    ),
    review(
        "rejected at the cap",
        task_list(waiting("US-001", 2)),
        (reject("US-001", 3),),
        refused_at_cap(3),
        cap=3,
    ),
    review(
        "rejected above the cap",
        task_list(waiting("US-001", 3)),
        (reject("US-001", 4),),
        refused_at_cap(3),
        cap=3,
    ),
    review(
        "no first review can reject at a cap of 1",
        TWO_WAITING,
        (reject("US-001", 1),),
        refused_at_cap(1),
        cap=1,
    ),
    review(
        "approved at the cap with the mark is legal",
        task_list(waiting("US-001", 2)),
        (approve("US-001", 3, reviewFeedback=f"{CAP_MARK} The total is not rounded."),),
        cap=3,
    ),
    review(
        "approved at the cap without the mark is legal",
        task_list(waiting("US-001", 2)),
        (approve("US-001", 3),),
        cap=3,
    ),
    review(
        "rejected below the cap is legal",
        task_list(waiting("US-001", 1)),
        (reject("US-001", 2),),
        cap=3,
    ),
    unseen(
        review(
            "rejected at the cap is legal where the loop holds",
            task_list(waiting("US-001", 2)),
            (reject("US-001", 3),),
            cap=3,
            at_cap="hold",
        ),
        refused_at_cap(3),
    ),
    review(
        "approved at the cap is legal where the loop holds",
        task_list(waiting("US-001", 2)),
        (approve("US-001", 3),),
        cap=3,
        at_cap="hold",
    ),
]


# Check 2.5, review-fix.

TWO_REJECTED = task_list(rejected("US-001"), rejected("US-002"), story("US-003"), done("US-004"))


def review_fix(name: str, before: Document, agent: tuple[Edit, ...], *verdict: Blame) -> Case:
    return Case(f"review-fix: {name}", before, agent, verdict, "review-fix")


REVIEW_FIX = [
    review_fix("sent back with the feedback cleared is legal", TWO_REJECTED, (resubmit("US-001"),)),
    review_fix("nothing sent back is legal", TWO_REJECTED, ()),
    review_fix(
        "sent back with new to-do stories is legal",
        TWO_REJECTED,
        (resubmit("US-001"), add(story("US-005"))),
    ),
    review_fix(
        "approved",
        TWO_REJECTED,
        (approve("US-001", 1, reviewFeedback=""),),
        in_review_fix("US-001", "passes false -> true", '"changes_requested" -> "approved"'),
    ),
    review_fix(
        "approved with the count raised",
        TWO_REJECTED,
        (approve("US-001", 2, reviewFeedback=""),),
        in_review_fix("US-001", "reviewCount 1 -> 2"),
    ),
    review_fix(
        "approved without passes",
        TWO_REJECTED,
        (change("US-001", reviewStatus="approved"),),
        invariant("approved-failing", "US-001", "passes false"),
        in_review_fix("US-001", '"changes_requested" -> "approved"'),
    ),
    review_fix(
        "sent back with the count raised",
        TWO_REJECTED,
        (resubmit("US-001", reviewCount=2),),
        in_review_fix("US-001", "reviewCount 1 -> 2"),
    ),
    review_fix(
        "sent back with the count cleared",
        TWO_REJECTED,
        (resubmit("US-001", reviewCount=0),),
        in_review_fix("US-001", "reviewCount 1 -> 0"),
    ),
    review_fix(
        "only the count raised",
        TWO_REJECTED,
        (change("US-001", reviewCount=2),),
        in_review_fix("US-001", "reviewCount 1 -> 2"),
    ),
    review_fix(
        "sent back with the feedback kept",
        TWO_REJECTED,
        (submit("US-001"),),
        in_review_fix("US-001", "reviewFeedback empty"),
    ),
    review_fix(
        "made to do",
        TWO_REJECTED,
        (resubmit("US-001", reviewStatus=None),),
        in_review_fix("US-001", '"changes_requested" -> null'),
    ),
    unseen(
        review_fix(
            "the feedback reworded",
            TWO_REJECTED,
            (change("US-001", reviewFeedback="Nothing much."),),
            in_review_fix("US-001", '-> "Nothing much."'),
        )
    ),
    unseen(
        review_fix(
            "another rejected story sent back instead",
            TWO_REJECTED,
            (resubmit("US-002"),),
            other("review-fix", "US-002"),
        )
    ),
    unseen(
        review_fix(
            "two stories sent back",
            TWO_REJECTED,
            (resubmit("US-001"), resubmit("US-002")),
            other("review-fix", "US-002"),
        ),
        *more_than_one("review-fix", "US-001", "US-002"),
    ),
    unseen(
        review_fix(
            "a to-do story submitted as well",
            TWO_REJECTED,
            (resubmit("US-001"), submit("US-003")),
            other("review-fix", "US-003"),
        ),
        *more_than_one("review-fix", "US-001", "US-003"),
    ),
    unseen(
        review_fix(
            "a to-do story submitted instead",
            TWO_REJECTED,
            (submit("US-003"),),
            other("review-fix", "US-003"),
        ),
        in_review_fix("US-003", 'null -> "needs_review"'),
    ),
    unseen(
        review_fix(
            "a done story reopened",
            TWO_REJECTED,
            (change("US-004", passes=False, reviewStatus="needs_review"),),
            other("review-fix", "US-004"),
        ),
        in_review_fix("US-004", "passes true -> false"),
    ),
]


# In every mode: each row once per way of working, beside a legal piece of work on US-001.


class Work(NamedTuple):
    name: str
    mode: str
    start: Story
    edit: Edit
    skip_review: bool = False


WAYS = (
    Work("implement", "implement", story("US-001"), submit("US-001")),
    Work("review", "review", waiting("US-001"), approve("US-001", 1)),
    Work("review-fix", "review-fix", rejected("US-001"), resubmit("US-001")),
    Work("without reviews", "implement", story("US-001"), finish("US-001"), True),
)


def every_way(
    name: str, others: Document, agent: tuple[Edit, ...], *verdict: Blame, **more: Any
) -> list[Case]:
    return [
        Case(
            f"{way.name}, beside legal work: {name}",
            {**others, "userStories": [way.start, *others["userStories"]]},
            (way.edit, *agent),
            verdict,
            way.mode,
            skip_review=way.skip_review,
            **more,
        )
        for way in WAYS
    ]


def every_way_unseen(
    name: str, others: Document, agent: tuple[Edit, ...], *verdict: Blame, **more: Any
) -> list[Case]:
    """Seen only with the full marker: legal with the reference fields."""
    return every_way(name, others, agent, *verdict, reference=LEGAL, **more)


def part(name: str, of: str = "US-002", **changes: Any) -> Story:
    return story(name, **{"splitFrom": of, **changes})


def gone(name: str, *words: str) -> Blame:
    return transition("vanished", name, f"Story {name} is gone", *words)


def lost_entries(field: str) -> Blame:
    return transition("frozen", "US-002", field, "put them back", "only add")


LOST_COMMANDS = transition("verify-commands", "", "verifyCommands", "put them back", "only add")

BIG = story(
    "US-002",
    acceptanceCriteria=["Totals add up", "Totals are rounded"],
    verify=["make totals", "make rounding"],
)
ADDS = {"acceptanceCriteria": ["Totals add up"], "verify": ["make totals"]}
ROUNDS = {"acceptanceCriteria": ["Totals are rounded"], "verify": ["make rounding"]}
A, B = part("US-002a", **ADDS), part("US-002b", **ROUNDS)
WAITS_FOR_BIG = story("US-003", dependsOn=["US-002"])
REPLACED = change("US-003", dependsOn=["US-002a", "US-002b"])
COMMANDS = task_list(story("US-002"), verifyCommands=["make test", "make lint"])

TWO_MORE = task_list(story("US-002"), story("US-003"))

VANISHING = [
    *every_way(
        "a to-do story vanished", TWO_MORE, (remove("US-002"),), gone("US-002", "splitFrom")
    ),
    *every_way(
        "two stories vanished",
        TWO_MORE,
        (remove("US-002", "US-003"),),
        gone("US-002", "splitFrom"),
        gone("US-003", "splitFrom"),
    ),
    *every_way(
        "a story got another id",
        TWO_MORE,
        (change("US-002", id="US-009"),),
        gone("US-002", "splitFrom"),
    ),
    *every_way(
        "a story vanished, the new one is a part of another",
        TWO_MORE,
        (remove("US-002"), add(part("US-009", of="US-003"))),
        gone("US-002", "splitFrom"),
    ),
    *[
        case
        for name, entry in (
            ("waiting", waiting("US-002")),
            ("rejected", rejected("US-002")),
            ("done", done("US-002")),
        )
        for case in [
            *every_way(
                f"a {name} story vanished",
                task_list(entry),
                (remove("US-002"),),
                gone("US-002", "may not vanish", "put it back"),
            ),
            *every_way(
                f"a {name} story was split",
                task_list(entry),
                (remove("US-002"), add(part("US-002a", acceptanceCriteria=["US-002 works"]))),
                gone("US-002", "may not vanish", "put it back"),
            ),
        ]
    ],
]

SPLITTING = [
    *every_way("a split is legal", task_list(BIG), (remove("US-002"), add(A, B))),
    *every_way(
        "a split into one part, with more criteria, is legal",
        task_list(BIG),
        (
            remove("US-002"),
            add(
                part(
                    "US-002a",
                    acceptanceCriteria=["Totals are shown", *reversed(BIG["acceptanceCriteria"])],
                    verify=BIG["verify"],
                )
            ),
        ),
    ),
    *every_way(
        "a split with its dependants replaced by all parts is legal",
        task_list(BIG, WAITS_FOR_BIG),
        (remove("US-002"), add(A, B), REPLACED),
    ),
    *every_way(
        "a split of a story and of its dependant is legal",
        task_list(BIG, WAITS_FOR_BIG),
        (
            remove("US-002", "US-003"),
            add(A, B),
            add(
                part(
                    "US-003a",
                    of="US-003",
                    acceptanceCriteria=["US-003 works"],
                    dependsOn=["US-002a", "US-002b"],
                )
            ),
        ),
    ),
    *every_way_unseen(
        "a split lost a criterion",
        task_list(BIG),
        (remove("US-002"), add(A, {**B, "acceptanceCriteria": ["Totals look nice"]})),
        gone("US-002", "1 of its acceptanceCriteria", "verbatim"),
    ),
    *every_way_unseen(
        "a split changed a criterion by one letter",
        task_list(BIG),
        (remove("US-002"), add(A, {**B, "acceptanceCriteria": ["Totals are rounded."]})),
        gone("US-002", "1 of its acceptanceCriteria", "verbatim"),
    ),
    *every_way_unseen(
        "a split lost a verify command",
        task_list(BIG),
        (remove("US-002"), add(A, {**B, "verify": []})),
        gone("US-002", "1 of its verify", "verbatim"),
    ),
    *every_way_unseen(
        "a split whose criterion stands in no part, but in another new story",
        task_list(BIG),
        (remove("US-002"), add(A, story("US-004", **ROUNDS))),
        gone("US-002", "1 of its acceptanceCriteria", "verbatim"),
    ),
    *every_way_unseen(
        "a split with a dependant that waits for one part only",
        task_list(BIG, WAITS_FOR_BIG),
        (remove("US-002"), add(A, B), change("US-003", dependsOn=["US-002a"])),
        gone("US-002", "US-003 depended on it", "US-002a, US-002b"),
    ),
    *every_way_unseen(
        "a split with a dependant that waits for nothing any more",
        task_list(BIG, WAITS_FOR_BIG),
        (remove("US-002"), add(A, B), drop("US-003", "dependsOn")),
        gone("US-002", "US-003 depended on it", "US-002a, US-002b"),
    ),
    *every_way_unseen(
        "a split whose dependant's parts wait for one part only",
        task_list(BIG, WAITS_FOR_BIG),
        (
            remove("US-002", "US-003"),
            add(A, B),
            add(
                part(
                    "US-003a",
                    of="US-003",
                    acceptanceCriteria=["US-003 works"],
                    dependsOn=["US-002b"],
                )
            ),
        ),
        gone("US-002", "US-003 depended on it", "US-002a, US-002b"),
    ),
    *every_way(
        "a split whose dependant still names the old story",
        task_list(BIG, WAITS_FOR_BIG),
        (remove("US-002"), add(A, B)),
        schema("userStories[1].dependsOn[0]", "US-003", '"US-002"', "not in the list"),
    ),
    *every_way(
        "a part that is approved from the start",
        task_list(BIG),
        (remove("US-002"), add(A, {**B, **done("US-002b", 1, **ROUNDS)})),
        new_story("US-002b"),
    ),
    *every_way(
        "a part with a count",
        task_list(BIG),
        (remove("US-002"), add(A, {**B, "reviewCount": 1})),
        new_story("US-002b"),
    ),
    *[
        Case(
            f"{way.name}: a submitted part",
            task_list(way.start, BIG),
            (way.edit, remove("US-002"), add({**A, "reviewStatus": "needs_review"}, B)),
            (new_story("US-002a", "in implement mode"),),
            way.mode,
        )
        for way in WAYS[1:3]
    ],
    implement(
        "a split with one submitted part is legal",
        task_list(BIG, WAITS_FOR_BIG),
        (remove("US-002"), add({**A, "reviewStatus": "needs_review"}, B), REPLACED),
    ),
    implement(
        "a split with two submitted parts",
        task_list(BIG),
        (
            remove("US-002"),
            add({**A, "reviewStatus": "needs_review"}, {**B, "reviewStatus": "needs_review"}),
        ),
        *two_submitted("US-002a", "US-002b"),
    ),
    implement(
        "a submitted part and another submitted story",
        task_list(story("US-001"), BIG),
        (submit("US-001"), remove("US-002"), add({**A, "reviewStatus": "needs_review"}, B)),
        *two_submitted("US-001", "US-002a"),
    ),
    implement(
        "a submitted part whose dependency is open",
        task_list(story("US-001"), BIG),
        (
            remove("US-002"),
            add({**A, "reviewStatus": "needs_review", "dependsOn": ["US-001"]}, B),
        ),
        open_dependency("US-002a", "US-001"),
    ),
    implement(
        "a submitted part with a count",
        task_list(BIG),
        (remove("US-002"), add({**A, "reviewStatus": "needs_review", "reviewCount": 1}, B)),
        new_story("US-002a"),
    ),
    unseen(
        implement(
            "a submitted part of a split that is not legal",
            task_list(BIG),
            (remove("US-002"), add({**A, "reviewStatus": "needs_review"})),
            gone("US-002", "1 of its acceptanceCriteria"),
            new_story("US-002a", "legal split"),
        )
    ),
    implement(
        "a submitted part of a done story",
        task_list(done("US-002")),
        (
            remove("US-002"),
            add({**waiting("US-002a"), "splitFrom": "US-002"}),
        ),
        gone("US-002", "may not vanish"),
        new_story("US-002a", "legal split"),
    ),
]

NEW_STORIES = [
    *[
        case
        for name, entry in (
            ("is done", done("US-003")),
            ("waits for review", waiting("US-003")),
            ("has changes requested", rejected("US-003", 0)),
            ("has a count", story("US-003", reviewCount=1)),
            ("waits as a part of a story still there", waiting("US-003", splitFrom="US-002")),
            ("waits as a part of a story never there", waiting("US-003", splitFrom="US-000")),
        )
        for case in every_way(
            f"a new story {name}", task_list(story("US-002")), (add(entry),), new_story("US-003")
        )
    ],
    *every_way(
        "a new to-do part of a story still there is legal",
        task_list(story("US-002")),
        (add(part("US-003")),),
    ),
    implement(
        "a new story that passes",
        TWO,
        (add(story("US-003", passes=True, notes="Built.")),),
        invariant("passes-unapproved", "US-003", "null", *NOT_APPROVED),
        new_story("US-003"),
    ),
]

FREEZING = [
    *every_way_unseen(
        "a criterion removed",
        task_list(BIG),
        (change("US-002", acceptanceCriteria=["Totals add up"]),),
        lost_entries("1 of its acceptanceCriteria"),
    ),
    *every_way_unseen(
        "both criteria changed",
        task_list(BIG),
        (change("US-002", acceptanceCriteria=["Totals add up.", "Totals are round"]),),
        lost_entries("2 of its acceptanceCriteria"),
    ),
    *every_way_unseen(
        "a criterion of a done story removed",
        task_list(done("US-002", acceptanceCriteria=["It works", "It is fast"])),
        (change("US-002", acceptanceCriteria=["It works"]),),
        lost_entries("1 of its acceptanceCriteria"),
    ),
    *every_way_unseen(
        "a verify command removed",
        task_list(BIG),
        (change("US-002", verify=["make rounding"]),),
        lost_entries("1 of its verify"),
    ),
    *every_way_unseen(
        "a verify command changed",
        task_list(BIG),
        (change("US-002", verify=["make totals || true", "make rounding"]),),
        lost_entries("1 of its verify"),
    ),
    *every_way_unseen(
        "verify removed",
        task_list(BIG),
        (drop("US-002", "verify"),),
        lost_entries("2 of its verify"),
    ),
    *every_way_unseen(
        "a verifyCommand removed", COMMANDS, (top(verifyCommands=["make test"]),), LOST_COMMANDS
    ),
    *every_way_unseen(
        "a verifyCommand changed",
        COMMANDS,
        (top(verifyCommands=["make test", "make lint || true"]),),
        LOST_COMMANDS,
    ),
    *every_way_unseen(
        "verifyCommands removed", COMMANDS, (drop_top("verifyCommands"),), LOST_COMMANDS
    ),
    *every_way(
        "entries added and reordered are legal",
        {**COMMANDS, "userStories": [BIG]},
        (
            change(
                "US-002",
                acceptanceCriteria=["Totals are rounded", "Totals are shown", "Totals add up"],
                verify=["make rounding", "make totals", "make shown"],
            ),
            top(verifyCommands=["make types", "make lint", "make test"]),
        ),
    ),
    *every_way(
        "entries added where there were none are legal",
        task_list(story("US-002")),
        (change("US-002", verify=["make more"]), top(verifyCommands=["make test"])),
    ),
    *every_way(
        "everything frozen may change where plan edits are allowed",
        {**COMMANDS, "userStories": [BIG]},
        (
            change("US-002", acceptanceCriteria=["Totals look nice"], verify=[]),
            drop_top("verifyCommands"),
        ),
        allow_plan_edits=True,
    ),
    unseen(
        implement(
            "the submitted story's own criterion weakened",
            TWO,
            (submit("US-001", acceptanceCriteria=["US-001 mostly works"]),),
            transition("frozen", "US-001", "1 of its acceptanceCriteria", "put them back"),
        )
    ),
    Case(
        "implement: a story may not vanish where plan edits are allowed",
        TWO,
        (remove("US-002"),),
        (gone("US-002", "splitFrom"),),
        allow_plan_edits=True,
    ),
]


# Without reviews: check 2 and the review rules are off, everything else holds.


def without_reviews(name: str, before: Document, agent: tuple[Edit, ...], *verdict: Blame) -> Case:
    return Case(f"without reviews: {name}", before, agent, verdict, skip_review=True)


def only_passes(name: str, *words: str) -> Blame:
    rule = "illegal-without-review"
    return transition(rule, name, "may only set passes to true", *words)


PASSED = story("US-001", passes=True, notes="Built.")

SKIP_REVIEW = [
    without_reviews("nothing passed is legal", TWO, ()),
    without_reviews("a story that passes at once is legal", TWO, (finish("US-001"),)),
    without_reviews("another story than the picked one is legal", TWO, (finish("US-002"),)),
    without_reviews(
        "stories that passed before without a review are legal",
        task_list(PASSED, story("US-002", dependsOn=["US-001"])),
        (finish("US-002"),),
    ),
    without_reviews("a waiting story may pass", ONE_WAITING, (finish("US-001"),)),
    without_reviews("a rejected story may pass", ONE_REJECTED, (finish("US-001"),)),
    without_reviews("a new to-do story is legal", TWO, (finish("US-001"), add(story("US-003")))),
    without_reviews(
        "a split with one passing part is legal",
        task_list(BIG),
        (remove("US-002"), add({**A, "passes": True, "notes": "Built."}, B)),
    ),
    without_reviews(
        "two stories pass",
        TWO,
        (finish("US-001"), finish("US-002")),
        *two_submitted("US-001", "US-002"),
    ),
    without_reviews(
        "two parts of a split pass",
        task_list(BIG),
        (
            remove("US-002"),
            add({**A, "passes": True, "notes": "Built."}, {**B, "passes": True, "notes": "Built."}),
        ),
        *two_submitted("US-002a", "US-002b"),
    ),
    without_reviews(
        "a story passes before its dependency",
        task_list(story("US-001"), story("US-002", dependsOn=["US-001"])),
        (finish("US-002"),),
        open_dependency("US-002", "US-001"),
    ),
    without_reviews(
        "a story passes without notes",
        TWO,
        (finish("US-001", notes=""),),
        schema("userStories[0].notes", "US-001", "empty while passes is true"),
    ),
    without_reviews(
        "a story is submitted for review",
        TWO,
        (submit("US-001"),),
        only_passes("US-001", 'null -> "needs_review"'),
    ),
    without_reviews(
        "a story is approved",
        TWO,
        (approve("US-001", 0),),
        only_passes("US-001", 'null -> "approved"'),
    ),
    without_reviews(
        "a count raised",
        TWO,
        (finish("US-001", reviewCount=1),),
        only_passes("US-001", "reviewCount 0 -> 1"),
    ),
    without_reviews(
        "a passing story reopened",
        task_list(PASSED, story("US-002")),
        (change("US-001", passes=False),),
        only_passes("US-001", "passes true -> false"),
    ),
    without_reviews(
        "a passing story vanished",
        task_list(PASSED, story("US-002")),
        (remove("US-001"),),
        gone("US-001", "may not vanish"),
    ),
    without_reviews(
        "a new story that passes",
        TWO,
        (add(story("US-003", passes=True, notes="Built.")),),
        new_story("US-003"),
    ),
    unseen(
        without_reviews(
            "feedback rewritten",
            ONE_REJECTED,
            (change("US-001", reviewFeedback="Nothing."),),
            only_passes("US-001", "reviewFeedback"),
        )
    ),
]


# Without a snapshot: check 2.5 is skipped, checks 1 and 2 hold.


def no_snapshot(name: str, before: Document, agent: tuple[Edit, ...], *verdict: Blame) -> Case:
    return Case(f"no snapshot: {name}", before, agent, verdict, snapshot=False)


NO_SNAPSHOT = [
    no_snapshot("approved in implement is not seen", TWO, (approve("US-001", 1),)),
    no_snapshot("a vanished story is not seen", TWO, (remove("US-001"),)),
    no_snapshot("two submissions are not seen", TWO, (submit("US-001"), submit("US-002"))),
    no_snapshot(
        "check 1 holds",
        TWO,
        (drop("US-001", "title"),),
        schema("userStories[0].title", "US-001", "is missing"),
    ),
    no_snapshot(
        "check 2 holds",
        TWO,
        (finish("US-001"),),
        invariant("passes-unapproved", "US-001", *NOT_APPROVED),
    ),
    no_snapshot("the cap + 1 is the most", TWO, (approve("US-001", 6),)),
    no_snapshot("more than the cap + 1", TWO, (approve("US-001", 7),), counted("US-001", 7, 6)),
]

CASES = [
    *CHECK_1,
    *CHECK_2,
    *IMPLEMENT,
    *REVIEW,
    *REVIEW_FIX,
    *VANISHING,
    *SPLITTING,
    *NEW_STORIES,
    *FREEZING,
    *SKIP_REVIEW,
    *NO_SNAPSHOT,
]
