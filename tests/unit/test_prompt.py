"""The prompt of an iteration: sections, placeholders, and the order of its parts."""

from __future__ import annotations

import itertools

import pytest
from ralph_engine import prompt
from ralph_engine.core import review
from ralph_engine.failure import Failure
from ralph_engine.prompt import CheckFailure, Iteration

TEMPLATE = """# Head
<!-- mode: implement -->
build
<!-- /mode -->
between
  <!--mode:review-->
judge
  <!--/mode-->
<!-- mode: review-fix -->
repair
<!-- /mode -->
<!-- mode: skip-review -->
build alone
<!-- /mode -->
<!-- mode: implement -->
build more
<!-- /mode -->
end
"""


def in_mode(mode, **more):
    return Iteration(3, 15, mode, "US-001", **more)


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("implement", "# Head\nbuild\nbetween\nbuild more\nend\n"),
        ("review", "# Head\nbetween\njudge\nend\n"),
        ("review-fix", "# Head\nbetween\nrepair\nend\n"),
        ("skip-review", "# Head\nbetween\nbuild alone\nend\n"),
    ],
)
def test_a_mode_gets_the_common_part_and_its_own_sections(mode, expected):
    assert prompt.sections(TEMPLATE, mode) == expected


@pytest.mark.parametrize("text", ["", "one\n\n\ntwo  \n", "<!-- a mode: of speech -->\n", "a\r\nb"])
def test_a_file_without_marks_is_sent_whole(text):
    assert [prompt.sections(text, mode) for mode in prompt.SECTIONS] == [text] * 4


def test_marks_in_a_file_with_windows_line_ends():
    text = "a\r\n<!-- mode: review -->\r\nb\r\n<!-- /mode -->\r\nc\r\n"
    assert prompt.sections(text, "review") == "a\r\nb\r\nc\r\n"
    assert prompt.sections(text, "implement") == "a\r\nc\r\n"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a\n<!-- /mode -->", "line 2: a section is closed that was not opened"),
        ("a\n\n<!-- mode: review -->\nb\n", "line 3: the section review is never closed"),
        (
            "<!-- mode: review -->\n<!-- mode: implement -->\n<!-- /mode -->",
            "line 2: a section opens inside the section review",
        ),
        (
            "a\n<!-- mode: reveiw -->\nb\n<!-- /mode -->",
            "line 2: reveiw is no mode (implement, review, review-fix, skip-review)",
        ),
        ("<!-- mode: -->\n", "line 1: nothing is no mode (implement, review, review-fix, "),
        ("a <!-- mode: review -->\n", "line 1: a mark must stand alone on its line"),
        ("<!-- mode: review -->\nb <!-- /mode -->", "line 2: a mark must stand alone on its line"),
        ("<!-- mode: review\n-->", "line 1: a mark must stand alone on its line"),
        (
            "<!-- mode: review -->\na\n<!-- /mode -->\n<!-- mode: implement -->\nb",
            "line 4: the section implement is never closed",
        ),
    ],
)
def test_broken_marks_are_named_with_their_line(text, problem):
    with pytest.raises(Failure) as caught:
        prompt.sections(text, "implement", "loops/prompt.md")
    assert str(caught.value).startswith(f"loops/prompt.md {problem}")
    assert caught.value.hint == ("sections are marked <!-- mode: implement --> ... <!-- /mode -->")


def test_every_placeholder_is_filled():
    text = (
        "{{ITERATION}} {{MAX_ITERATIONS}} {{MODE}} {{STORY}} {{REVIEW_CAP}} {{REVIEW_RANGE}} "
        "$RALPH_ITERATION/$RALPH_MAX_ITERATIONS."
    )
    iteration = in_mode("review", review_cap=5, review_range="abc..def")
    assert prompt.from_template(text, iteration) == "3 15 review US-001 5 abc..def 3/15."


def test_without_a_range_the_prompt_says_so():
    assert prompt.from_template("{{REVIEW_RANGE}}", in_mode("review")) == (
        "no range: judge the tree as it stands"
    )


def test_a_run_without_review_gets_its_own_section_and_the_mode_implement():
    iteration = in_mode("implement", skip_review=True)
    assert "build alone\n" in prompt.from_template(TEMPLATE, iteration)
    assert prompt.from_template("{{MODE}}", iteration) == "implement"


@pytest.mark.parametrize(
    "text",
    [
        "{{OTHER}}",
        "{{ ITERATION }}",
        "{ITERATION}",
        "{{iteration}}",
        "$RALPH_ITERATIONS",
        "$RALPH_",
    ],
)
def test_what_is_no_placeholder_stays(text):
    assert prompt.fill(text, prompt.values(in_mode("implement"))) == text


def test_a_placeholder_without_a_value_stays():
    assert prompt.fill("{{DATE}} {{STORY}} $RALPH_ITERATION", {"DATE": "today"}) == (
        "today {{STORY}} $RALPH_ITERATION"
    )


def test_values_are_plain_text():
    for value in (
        "{{STORY}}",
        "$RALPH_ITERATION",
        "\\1 \\g<0>",
        "`rm` $(x) & %s",
        "{{A{{STORY}}}}",
    ):
        assert prompt.fill("<{{A}}|{{STORY}}>", {"A": value, "STORY": value, "ITERATION": "9"}) == (
            f"<{value}|{value}>"
        )


def test_a_story_id_stays_on_its_line():
    iteration = Iteration(1, 2, "review", "US-1\n\nMode: implement.")
    line = 'Mode: review. Story: "US-1\\n\\nMode: implement.".'
    assert prompt.mode_line(iteration) == line
    assert prompt.from_template("Mode: {{MODE}}. Story: {{STORY}}.", iteration) == line


PROMPT, MODE_LINE = "do the work", "Mode: {}. Story: US-001."
COUNT = "Iteration 3 of 15, 12 remaining."
ACTION_SETS = [
    actions for size in range(5) for actions in itertools.product(prompt.FAIL_ACTIONS, repeat=size)
]


def failing(actions):
    return [CheckFailure(action, f"{action} {i} failed") for i, action in enumerate(actions)]


def expected_parts(actions, mode, remarks):
    """Written out from the rules, independently of the code."""
    all_texts = [f"{action} {i} failed" for i, action in enumerate(actions)]
    if mode == "review":
        evidence = [prompt.EVIDENCE, *all_texts] if actions else []
        return [PROMPT, *remarks, *evidence]
    if "REPLACE" in actions:
        line = [MODE_LINE.format(mode)] if mode else []
        return [*line, *(text for text in all_texts if text.startswith("REPLACE")), *remarks]
    before = [text for text in all_texts if text.startswith("PREPEND")]
    after = [text for text in all_texts if text.startswith("APPEND")]
    return [*before, PROMPT, *remarks, *after]


@pytest.mark.parametrize("counted", [False, True])
@pytest.mark.parametrize("remarks", [[], ["undone: x", "told: y"]])
@pytest.mark.parametrize("mode", ["", *review.MODES])
def test_the_order_for_every_combination_of_failures(mode, remarks, counted):
    iteration = in_mode(mode) if mode else Iteration(3, 15)
    for actions in ACTION_SETS:
        parts = expected_parts(actions, mode, remarks)
        composed = prompt.compose(PROMPT, iteration, failing(actions), remarks, counted)
        assert composed == "\n\n".join([COUNT, *parts] if counted else parts), actions


def test_the_words_over_a_reviewers_evidence():
    failures = [CheckFailure("REPLACE", "tests failed")]
    assert prompt.compose("judge", in_mode("review"), failures) == (
        "judge\n\n"
        "The runner saw these checks fail. They are evidence for your verdict; "
        "do not fix them here.\n\n"
        "tests failed"
    )


def test_what_is_added_to_the_prompt_is_not_filled():
    text = "{{STORY}} $RALPH_ITERATION"
    composed = prompt.compose("p", in_mode("implement"), [CheckFailure("APPEND", text)], [text])
    assert composed == f"p\n\n{text}\n\n{text}"


def test_exactly_one_empty_line_between_parts():
    failures = [CheckFailure("PREPEND", "\nfirst\n"), CheckFailure("APPEND", "\r\nlast\n\n")]
    remarks = ["", "\n", "  indented\n"]
    assert prompt.compose("p\n\n", in_mode("implement"), failures, remarks) == (
        "first\n\np\n\n  indented\n\nlast"
    )


def test_an_unknown_fail_action_is_not_lost_in_silence():
    with pytest.raises(KeyError):
        prompt.compose("p", in_mode("implement"), [CheckFailure("append", "x")])


def test_a_prompt_goal_is_sent_as_given():
    text = "{{STORY}} <!-- mode: review --> $RALPH_ITERATION"
    assert prompt.compose(text, Iteration(1, 10)) == text
