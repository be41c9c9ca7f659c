"""Settings files, their merge, their faults, and who wins over whom."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ralph_engine import schema, settings
from ralph_engine.display import Display
from ralph_engine.failure import Failure
from ralph_engine.settings import Agent, Entry, Guardrail, Sandboxing, Scm, Settings

BASE, LOCAL = ".ralph/settings.json", ".ralph/settings.local.json"
Json = dict[str, Any]
DEFAULT = Settings(
    maximum_iterations=None,
    completion_response="DONE",
    output_truncate_chars=5000,
    stream_agent_output=True,
    include_iteration_count_in_prompt=False,
    agent=Agent("claude", ()),
    fallback=None,
    review_agent=None,
    model=None,
    review_model=None,
    guardrails=(),
    scm=None,
    skip_review=False,
    review_cap=5,
    at_cap="approve",
    red_first=False,
    strict_tests=False,
    max_cost_usd=None,
    max_duration=None,
    iteration_timeout=3600.0,
    idle_timeout=900.0,
    delay=1.0,
    wait_on_limit=True,
    breaker=None,
    display=Display(
        emoji=True, color=True, timestamps=False, max_output_lines=5, max_output_chars=500
    ),
    notify=None,
    sandbox=Sandboxing("auto", "open", ()),
)
EVERYTHING: Json = {
    "$schema": "settings.schema.json",
    "maximumIterations": 7,
    "completionResponse": "FINISHED",
    "outputTruncateChars": 0,
    "streamAgentOutput": False,
    "includeIterationCountInPrompt": True,
    "agent": {
        "command": "codex",
        "flags": ["--model opus", "--say 'two words'"],
        "fallback": {"command": "claude", "flags": ["--model haiku"]},
    },
    "reviewAgent": {"command": "my-agent --strict"},
    "model": "gpt",
    "reviewModel": "opus",
    "guardrails": [
        {"command": "make lint", "failAction": "append"},
        {"command": "make t", "failAction": "RePlace", "hint": "Be calm.", "timeout": "90s"},
    ],
    "scm": {"command": "git", "tasks": ["commit", "push"]},
    "skipReview": True,
    "reviewCap": 2,
    "atCap": "hold",
    "redFirst": True,
    "strictTests": True,
    "maxCostUsd": 5,
    "maxDuration": "8h",
    "iterationTimeout": "30m",
    "idleTimeout": "45s",
    "delay": "0s",
    "waitOnLimit": False,
    "breaker": 0,
    "display": {
        "emoji": False,
        "color": False,
        "timestamps": True,
        "maxOutputLines": 9.0,
        "maxOutputChars": 0,
    },
    "notify": 'bell "$RALPH_SUMMARY"',
    "sandbox": {
        "backend": "bwrap",
        "network": "deny",
        "allowHosts": ["example.com", "*.example.com:8443"],
    },
}


def write(root: Path, path: str, document: Any) -> None:
    (root / ".ralph").mkdir(exist_ok=True)
    text = document if isinstance(document, str) else json.dumps(document)
    (root / path).write_text(text, encoding="utf-8")


def read(root: Path, base: Any = None, local: Any = None, **environment: str) -> Settings:
    for path, document in ((BASE, base), (LOCAL, local)):
        if document is not None:
            write(root, path, document)
    return settings.read(str(root), environment, {})


def refusal(root: Path, base: Any = None, local: Any = None, **environment: str) -> list[str]:
    with pytest.raises(Failure) as caught:
        read(root, base, local, **environment)
    assert caught.value.hint == ""
    return str(caught.value).split("\n  ")


def test_nothing_at_all_gives_the_defaults(tmp_path: Path) -> None:
    assert read(tmp_path) == DEFAULT


@pytest.mark.parametrize("base", [{}, {"agent": {}}, {"scm": {}}, {"$schema": "x"}])
def test_a_file_that_says_nothing_gives_the_defaults(tmp_path: Path, base: Json) -> None:
    assert read(tmp_path, base) == DEFAULT


def test_a_folder_without_files_gives_the_defaults(tmp_path: Path) -> None:
    (tmp_path / ".ralph").mkdir()
    assert read(tmp_path) == DEFAULT


def test_every_key_arrives(tmp_path: Path) -> None:
    assert read(tmp_path, EVERYTHING) == Settings(
        maximum_iterations=7,
        completion_response="FINISHED",
        output_truncate_chars=0,
        stream_agent_output=False,
        include_iteration_count_in_prompt=True,
        agent=Agent("codex", ("--model", "opus", "--say", "two words")),
        fallback=Agent("claude", ("--model", "haiku")),
        review_agent=Agent("my-agent", ("--strict",)),
        model="gpt",
        review_model="opus",
        guardrails=(
            Guardrail("make lint", "APPEND", "", 600.0),
            Guardrail("make t", "REPLACE", "Be calm.", 90.0),
        ),
        scm=Scm("git", ("commit", "push")),
        skip_review=True,
        review_cap=2,
        at_cap="hold",
        red_first=True,
        strict_tests=True,
        max_cost_usd=5.0,
        max_duration=28800.0,
        iteration_timeout=1800.0,
        idle_timeout=45.0,
        delay=0.0,
        wait_on_limit=False,
        breaker=0,
        display=Display(
            emoji=False, color=False, timestamps=True, max_output_lines=9, max_output_chars=0
        ),
        notify='bell "$RALPH_SUMMARY"',
        sandbox=Sandboxing("bwrap", "deny", ("example.com", "*.example.com:8443")),
    )


def leaves(rule: Any, published: Any) -> Iterator[tuple[str, Any]]:
    """The keys of a settings file, each with its default."""
    for key, inner in rule["properties"].items():
        named = published["$defs"].get(inner.get("$ref", "").rpartition("/")[2], {})
        whole = {**named, **inner}
        if "properties" in whole:
            yield from ((f"{key}.{name}", value) for name, value in leaves(whole, published))
        elif key != "$schema":
            yield key, whole.get("default")


def test_the_schema_names_the_same_keys_and_defaults() -> None:
    published: Any = schema.validator("settings").schema
    assert dict(leaves(published, published)) == settings.DEFAULTS
    guardrail = published["$defs"]["guardrail"]["properties"]
    assert guardrail["timeout"]["default"] == settings.CHECK_TIMEOUT


MERGES: list[tuple[str, Json, Json, str, Any]] = [
    ("a scalar overrides", {"reviewCap": 2}, {"reviewCap": 3}, "review_cap", 3),
    ("a scalar is kept", {"reviewCap": 2}, {}, "review_cap", 2),
    ("a scalar is added", {}, {"reviewCap": 3}, "review_cap", 3),
    ("false overrides", {"skipReview": True}, {"skipReview": False}, "skip_review", False),
    ("zero overrides", {"breaker": 4}, {"breaker": 0}, "breaker", 0),
    (
        "an object merges",
        {"agent": {"command": "codex", "flags": ["--model opus"]}},
        {"agent": {"flags": ["--verbose"]}},
        "agent",
        Agent("codex", ("--verbose",)),
    ),
    (
        "a command alone keeps the flags",
        {"agent": {"command": "codex", "flags": ["--verbose"]}},
        {"agent": {"command": "claude"}},
        "agent",
        Agent("claude", ("--verbose",)),
    ),
    (
        "a list replaces",
        {"guardrails": [{"command": "a", "failAction": "APPEND"}]},
        {"guardrails": [{"command": "b", "failAction": "PREPEND"}]},
        "guardrails",
        (Guardrail("b", "PREPEND", "", 600.0),),
    ),
    (
        "an empty list replaces",
        {"guardrails": [{"command": "a", "failAction": "APPEND"}]},
        {"guardrails": []},
        "guardrails",
        (),
    ),
    (
        "halves of scm meet",
        {"scm": {"command": "git"}},
        {"scm": {"tasks": ["commit"]}},
        "scm",
        Scm("git", ("commit",)),
    ),
    (
        "no tasks switch scm off",
        {"scm": {"command": "git", "tasks": ["commit"]}},
        {"scm": {"tasks": []}},
        "scm",
        None,
    ),
]


@pytest.mark.parametrize(("_", "base", "local", "name", "wanted"), MERGES)
def test_merge(tmp_path: Path, _: str, base: Json, local: Json, name: str, wanted: Any) -> None:
    assert getattr(read(tmp_path, base, local), name) == wanted


def test_each_voice_beats_the_ones_before_it(tmp_path: Path) -> None:
    flags = {"maximumIterations": Entry(5, "-n")}
    environment = {"RALPH_MAX_ITERATIONS": "4"}
    heard = []
    for base, local, said, flag in (
        ({}, {}, {}, {}),
        ({"maximumIterations": 2}, {}, {}, {}),
        ({"maximumIterations": 2}, {"maximumIterations": 3}, {}, {}),
        ({"maximumIterations": 2}, {"maximumIterations": 3}, environment, {}),
        ({"maximumIterations": 2}, {"maximumIterations": 3}, environment, flags),
    ):
        write(tmp_path, BASE, base)
        write(tmp_path, LOCAL, local)
        heard.append(settings.collect(str(tmp_path), said, flag)["maximumIterations"])
    assert heard == [(None, "default"), (2, BASE), (3, LOCAL), (4, "environment"), (5, "-n")]


def test_every_value_knows_its_origin(tmp_path: Path) -> None:
    agent = {"command": "codex", "flags": ["-x"]}
    write(tmp_path, BASE, {"$schema": "x", "agent": agent, "delay": "2s"})
    write(tmp_path, LOCAL, {"agent": {"flags": ["-y"]}})
    found = settings.collect(str(tmp_path), {}, {})
    assert list(found) == list(settings.DEFAULTS)
    told = {key: entry for key, entry in found.items() if entry.origin != "default"}
    assert told == {
        "agent.command": ("codex", BASE),
        "agent.flags": (["-y"], LOCAL),
        "delay": ("2s", BASE),
    }


def with_agent(root: Path, command: str) -> Settings:
    write(root, BASE, {"agent": {"command": "codex", "flags": ["-x"]}})
    return settings.read(str(root), {}, {"agent.command": Entry(command, "--agent")})


def test_another_agent_does_not_get_the_flags_of_the_configured_one(tmp_path: Path) -> None:
    assert with_agent(tmp_path, "amp").agent == Agent("amp", ())


def test_the_configured_agent_named_again_keeps_its_flags(tmp_path: Path) -> None:
    assert with_agent(tmp_path, "codex").agent == Agent("codex", ("-x",))


def test_a_command_line_is_split_like_its_flags(tmp_path: Path) -> None:
    base = {"agent": {"command": "'my agent' --fast {prompt}", "flags": ["$HOME *"]}}
    wanted = Agent("my agent", ("--fast", "{prompt}", "$HOME", "*"))
    assert read(tmp_path, base).agent == wanted


def test_a_whole_number_may_be_written_as_a_float(tmp_path: Path) -> None:
    found = read(tmp_path, '{"maximumIterations": 5.0, "breaker": 1e1, "reviewCap": 3.0}')
    numbers = (found.maximum_iterations, found.breaker, found.review_cap)
    assert (numbers, {type(number) for number in numbers}) == ((5, 10, 3), {int})


POSITIVE = "a whole number from 1 to 999999"
COUNT = "a whole number from 0 to 999999"
DURATION = "a duration such as 90s, 15m or 8h, above zero"
TEXT = "a text that is not blank"
MONEY = "an amount in USD above 0, at most 1000000"
LIMITS: list[tuple[str, Any, str]] = [
    *(("maximumIterations", value, POSITIVE) for value in (0, -1, 1.5, "5", True, None, 10**6)),
    *(("reviewCap", value, POSITIVE) for value in (0, "x")),
    *(("breaker", value, COUNT) for value in (-1, "3", False)),
    *(("outputTruncateChars", value, COUNT) for value in (-1, None, 10**400)),
    *(("completionResponse", value, TEXT) for value in ("", " \n", 1, None, "a\0b", "\ud800")),
    *(("model", value, TEXT) for value in ("", 4)),
    *(("notify", value, TEXT) for value in ("", ["bell"], "a\0b")),
    *(("atCap", value, "approve or hold") for value in ("stop", "HOLD", True)),
    *(("maxCostUsd", value, MONEY) for value in (0, -1, "5", True, 10**400)),
    *(("maxDuration", value, DURATION) for value in ("0s", "8", 8, "8h\n", "8d")),
    ("iterationTimeout", "0m", DURATION),
    ("idleTimeout", 15, DURATION),
    ("delay", "1", "a duration such as 90s, 15m or 8h; 0s for none"),
]
SWITCHES = ("streamAgentOutput", "includeIterationCountInPrompt", "skipReview", "waitOnLimit")
SWITCHES += ("redFirst", "strictTests")
LIMITS += [(name, value, "true or false") for name in SWITCHES for value in (1, "yes", None)]
AGENT, SCM = "an object with command and flags", "an object with command and tasks"
GUARDRAILS = "a list of objects with command and failAction"
LIMITS += [("agent", "claude", AGENT), ("agent", [], AGENT), ("agent", None, AGENT)]
LIMITS += [("scm", "git", SCM), ("scm", None, SCM)]
LIMITS += [("sandbox", "bwrap", "an object with backend, network and allowHosts")]
LIMITS += [("guardrails", "make", GUARDRAILS), ("guardrails", {}, GUARDRAILS)]


def shown(value: Any) -> str:
    if isinstance(value, (dict, list)):
        return f"a list of {len(value)}" if isinstance(value, list) else "an object"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:57] + "..."


@pytest.mark.parametrize(("key", "value", "wanted"), LIMITS)
@pytest.mark.parametrize("path", [BASE, LOCAL])
def test_a_bad_value_is_named_with_what_is_wanted(
    tmp_path: Path, path: str, key: str, value: Any, wanted: str
) -> None:
    write(tmp_path, path, {key: value})
    assert refusal(tmp_path) == [f"{path}: {key} is {shown(value)}; make it {wanted}"]


BACKEND = "auto, any, none, sbx, docker or bwrap"
HOST = "host name such as example.com, *.example.com or example.com:8443"
HOSTS = HOST.replace("host name", "a list of host names")
GUARD = {"command": "make", "failAction": "APPEND"}
NESTED: list[tuple[Json, str]] = [
    ({"agent": {"command": 5}}, f"agent.command is 5; make it {TEXT}"),
    ({"sandbox": {"backend": "lxc"}}, f'sandbox.backend is "lxc"; make it {BACKEND}'),
    ({"sandbox": {"network": "off"}}, 'sandbox.network is "off"; make it open or deny'),
    ({"sandbox": {"allowHosts": "x"}}, f'sandbox.allowHosts is "x"; make it {HOSTS}'),
    ({"sandbox": {"allowHosts": ["a b"]}}, f'sandbox.allowHosts[0] is "a b"; make it a {HOST}'),
    ({"agent": {"flags": "-x"}}, 'agent.flags is "-x"; make it a list of texts'),
    ({"agent": {"flags": ["-x", 5]}}, f"agent.flags[1] is 5; make it {TEXT}"),
    (
        {"agent": {"flags": ["-x", "--say 'hi"]}},
        'agent.flags[1] is "--say \'hi", where a quote or backslash is left open; close it',
    ),
    (
        {"agent": {"command": 'run "it'}},
        'agent.command is "run \\"it", where a quote or backslash is left open; close it',
    ),
    (
        {"agent": {"flags": ["--x \\"]}},
        'agent.flags[0] is "--x \\\\", where a quote or backslash is left open; close it',
    ),
    (
        {"agent": {"flags": ["--token 'hidden hidden"]}},
        'agent.flags[0] is "--token [redacted]", where a quote or backslash is left open; close it',
    ),
    ({"scm": {"command": "git"}}, "scm.tasks is missing; add it beside scm.command"),
    ({"scm": {"tasks": ["commit"]}}, "scm.command is missing; add it beside scm.tasks"),
    ({"scm": {"tasks": [""]}}, f'scm.tasks[0] is ""; make it {TEXT}'),
    (
        {"guardrails": [GUARD, "make"]},
        'guardrails[1] is "make"; make it an object with command and failAction',
    ),
    (
        {"guardrails": [{"command": "make"}]},
        "guardrails[0].failAction is missing; add it: APPEND, PREPEND or REPLACE",
    ),
    (
        {"guardrails": [{"failAction": "APPEND"}]},
        f"guardrails[0].command is missing; add it: {TEXT}",
    ),
    (
        {"guardrails": [{**GUARD, "failAction": "DROP"}]},
        'guardrails[0].failAction is "DROP"; make it APPEND, PREPEND or REPLACE',
    ),
    (
        {"guardrails": [{**GUARD, "failAction": "APPEND\n"}]},
        'guardrails[0].failAction is "APPEND\\n"; make it APPEND, PREPEND or REPLACE',
    ),
    (
        {"guardrails": [{**GUARD, "timeout": "0s"}]},
        f'guardrails[0].timeout is "0s"; make it {DURATION}',
    ),
    ({"guardrails": [{**GUARD, "hint": ""}]}, f'guardrails[0].hint is ""; make it {TEXT}'),
    (
        {"guardrails": [{**GUARD, "onFail": 1}]},
        "guardrails[0].onFail is not a setting; known are command, failAction, hint, timeout",
    ),
]


@pytest.mark.parametrize(("document", "wanted"), NESTED)
def test_a_bad_value_inside_is_named_with_its_place(
    tmp_path: Path, document: Json, wanted: str
) -> None:
    assert refusal(tmp_path, document) == [f"{BASE}: {wanted}"]


NEAREST = {
    "maxIterations": "maximumIterations",
    "max_iterations": "maximumIterations",
    "agnet": "agent",
    "MODEL": "model",
    "ATCAP": "atCap",
    "guardrail": "guardrails",
    "reviewcap": "reviewCap",
    "timeout": "idleTimeout",
    "maxCost": "maxCostUsd",
}


@pytest.mark.parametrize(("key", "near"), NEAREST.items())
def test_an_unknown_key_is_an_error_with_the_nearest_one(
    tmp_path: Path, key: str, near: str
) -> None:
    wanted = f"{BASE}: {key} is not a setting; did you mean {near}?"
    assert refusal(tmp_path, {key: 1}) == [wanted]


def test_an_unknown_key_inside_is_compared_with_its_neighbours(tmp_path: Path) -> None:
    wanted = f"{BASE}: agent.flag is not a setting; did you mean flags?"
    assert refusal(tmp_path, {"agent": {"flag": []}}) == [wanted]


def test_a_key_like_no_other_is_answered_with_all_of_them(tmp_path: Path) -> None:
    [line] = refusal(tmp_path, {"zzz": 1})
    assert line.startswith(f"{BASE}: zzz is not a setting; known are maximumIterations, ")
    assert line.endswith(", sandbox") and "$schema" not in line


def test_a_key_cannot_write_lines_of_its_own(tmp_path: Path) -> None:
    [line] = refusal(tmp_path, {"a\n  all is well\x1b[2J": 1})
    assert line.startswith(BASE + r": a\n  all is well\u001b[2J is not a setting")


def test_faults_of_both_files_and_the_environment_come_at_once(tmp_path: Path) -> None:
    base = {"agnet": {}, "reviewCap": 0}
    found = refusal(tmp_path, base, {"delay": 1, "breaker": -1}, RALPH_MAX_ITERATIONS="many")
    assert found == [
        "the settings have 5 faults",
        f"{BASE}: agnet is not a setting; did you mean agent?",
        f"{BASE}: reviewCap is 0; make it {POSITIVE}",
        f"{LOCAL}: delay is 1; make it a duration such as 90s, 15m or 8h; 0s for none",
        f"{LOCAL}: breaker is -1; make it {COUNT}",
        f'RALPH_MAX_ITERATIONS is "many"; set {POSITIVE}',
    ]


def test_an_unreadable_file_does_not_hide_the_other_ones_faults(tmp_path: Path) -> None:
    found = refusal(tmp_path, "{", {"reviewCap": 0})
    assert found[1].startswith(f"{BASE} is not valid JSON (")
    assert found[2:] == [f"{LOCAL}: reviewCap is 0; make it {POSITIVE}"]


def test_a_flood_of_faults_is_cut(tmp_path: Path) -> None:
    found = refusal(tmp_path, {f"zzz{number}": 1 for number in range(50)})
    assert (len(found), found[0], found[-1]) == (
        22,
        "the settings have 50 faults",
        "... and 30 more",
    )


@pytest.mark.parametrize("value", ["", "0", "-1", "x", "1_0", "5.5", " 5", "5\n", "1000000", "５"])
def test_a_bad_environment_is_refused(tmp_path: Path, value: str) -> None:
    [line] = refusal(tmp_path, RALPH_MAX_ITERATIONS=value)
    assert line.endswith(f"; set {POSITIVE}")


BROKEN = {
    "": f"{BASE} is not valid JSON (",
    "{": f"{BASE} is not valid JSON (",
    "// no\n{}": f"{BASE} is not valid JSON (",
    '{"delay": "1s", "delay": "2s"}': f'{BASE} has the key "delay" twice in one object',
    '{"maxCostUsd": NaN}': f"{BASE} contains NaN",
    '{"maxCostUsd": 1e999}': f"{BASE} contains 1e999",
    "\ufeff{}": f"{BASE} starts with a byte order mark",
    "[" * 50_000: f"{BASE} is ",
    "[]": f"{BASE} is a list of 0; make it an object",
    "null": f"{BASE} is null; make it an object",
}


@pytest.mark.parametrize(("text", "wanted"), BROKEN.items(), ids=range(len(BROKEN)))
def test_a_broken_file_is_named(tmp_path: Path, text: str, wanted: str) -> None:
    [line] = refusal(tmp_path, text)
    assert line.startswith(wanted)


def test_a_file_that_is_not_utf8_is_named(tmp_path: Path) -> None:
    write(tmp_path, BASE, "")
    (tmp_path / BASE).write_bytes(b'{"model": "\xff"}')
    assert refusal(tmp_path) == [f"{BASE} is not UTF-8 (byte 11); save it as UTF-8"]


def test_a_huge_file_is_refused(tmp_path: Path) -> None:
    wanted = f"{BASE} is larger than 65536 bytes; make it smaller"
    assert refusal(tmp_path, " " * 65537) == [wanted]


def test_the_largest_allowed_file_is_read(tmp_path: Path) -> None:
    assert read(tmp_path, "{}" + " " * 65534) == DEFAULT


@pytest.mark.parametrize("path", [BASE, LOCAL])
@pytest.mark.parametrize("target", ["elsewhere.json", "nowhere"])
def test_a_linked_file_is_refused(tmp_path: Path, path: str, target: str) -> None:
    write(tmp_path, ".ralph/elsewhere.json", {})
    (tmp_path / path).symlink_to(target)
    wanted = f"{path} is reached through a link or a file; use real folders and files"
    assert refusal(tmp_path) == [wanted]


def test_a_linked_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / ".ralph").symlink_to("real")
    assert len(refusal(tmp_path)) == 3


def test_a_hard_link_is_refused(tmp_path: Path) -> None:
    write(tmp_path, BASE, {})
    os.link(tmp_path / BASE, tmp_path / "twin")
    assert refusal(tmp_path)[0].startswith(f"{BASE} is a hard link")


def test_a_fifo_does_not_hang(tmp_path: Path) -> None:
    (tmp_path / ".ralph").mkdir()
    os.mkfifo(tmp_path / BASE)
    assert refusal(tmp_path)[0].startswith(f"{BASE} is not a regular file")


def test_a_directory_is_refused(tmp_path: Path) -> None:
    (tmp_path / BASE).mkdir(parents=True)
    assert refusal(tmp_path)[0].startswith(f"{BASE} is a directory")


def test_objects_merge_at_every_depth(tmp_path: Path) -> None:
    base = {"agent": {"command": "x", "fallback": {"command": "codex", "flags": ["-c a=b"]}}}
    local = {"agent": {"fallback": {"flags": []}}}
    found = read(tmp_path, base, local)
    assert (found.agent, found.fallback) == (Agent("x", ()), Agent("codex", ()))


@pytest.mark.parametrize("group", ["agent.fallback", "reviewAgent"])
def test_flags_without_a_command(tmp_path: Path, group: str) -> None:
    document: Json = {"flags": ["-x"]}
    for name in reversed(group.split(".")):
        document = {name: document}
    words = f"{BASE}: {group}.command is missing; add it beside {group}.flags"
    assert refusal(tmp_path, document) == [words]


def test_an_open_quote_in_any_agent(tmp_path: Path) -> None:
    document = {"agent": {"fallback": {"command": "codex 'x"}}, "reviewAgent": {"flags": ["'"]}}
    lines = refusal(tmp_path, document)
    assert [line.partition(" is ")[0] for line in lines] == [
        "the settings have 2 faults",
        f"{BASE}: agent.fallback.command",
        f"{BASE}: reviewAgent.flags[0]",
    ]


def test_flags_are_not_given_to_another_review_agent() -> None:
    layer = {
        "reviewAgent.command": Entry("codex", BASE),
        "reviewAgent.flags": Entry(["-c a=b"], BASE),
    }
    same = settings.merged([layer], {"reviewAgent.command": Entry("codex", "--review-agent")})
    assert same["reviewAgent.flags"].value == ["-c a=b"]
    other = settings.merged([layer], {"reviewAgent.command": Entry("claude", "--review-agent")})
    assert other["reviewAgent.flags"] == Entry([], "--review-agent")
