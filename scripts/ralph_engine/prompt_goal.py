"""The goal 'prompt': one text again and again until the agent says done and the checks agree."""

from __future__ import annotations

from typing import Any, NamedTuple

from . import git, prompt, tamper_radar, tree_state
from .agent_turn import Turn
from .checks import Check, Result
from .core import files, tasks
from .failure import Failure
from .outcome import Outcome
from .response import says_done
from .run_state import Run
from .stops import COMPLETE, Stop

KIND = "prompt"
_RED = "Completion was claimed, but checks fail."
DEFAULT_ITERATIONS, DEFAULT_BREAKER = 10, 5


class Plan(NamedTuple):
    mode: str
    story: str
    head: str
    marker: dict[str, Any]
    tree: str


def plan(run: Run) -> Plan | Stop:
    head = git.head(run.root)
    return Plan("", "", head, {"digests": run.frozen.digests}, tree_state.of(run.root))


def about(run: Run, plan: Plan) -> prompt.Iteration:
    return prompt.Iteration(run.iteration, run.max_iterations)


def before_work(run: Run, plan: Plan) -> Stop | None:
    return None


def remarks(run: Run, plan: Plan) -> list[str]:
    return []


def text(run: Run, about: prompt.Iteration) -> str:
    """The file is read again, but never as the agent left it."""
    if run.options.prompt is not None:
        return run.options.prompt
    now = _content(str(run.options.prompt_file), missing=run.agents_prompt)
    if now != run.agents_prompt:
        run.prompt_text = now
    return run.prompt_text


def judge(run: Run, plan: Plan, turn: Turn) -> Outcome:
    tamper_radar.record(run, plan.head)
    run.put_back_frozen()
    if run.options.prompt_file is not None:
        _ignore_agents_prompt(run)
    return Outcome()


def _ignore_agents_prompt(run: Run) -> None:
    name = str(run.options.prompt_file)
    now = _content(name, missing="")
    if now not in (run.prompt_text, run.agents_prompt):
        run.notice("prompt-changed", "", f"{name} was changed during the iteration: not used.")
    run.agents_prompt = None if now == run.prompt_text else now


def _content(name: str, missing: str | None = None) -> str:
    folder, _, base = name.rpartition("/")
    try:
        data = files.read_bytes(folder or "/", base, tasks.SIZE_LIMIT)
    except files.FileFault as fault:
        if missing is not None:
            return missing
        raise Failure(f"prompt file {name} {fault.problem}", fault.fix) from fault
    return data.decode("utf-8", "replace")


def checks(run: Run, plan: Plan, reached: Outcome) -> list[Check]:
    return run.guardrails()


def claims(run: Run, answer: str) -> bool:
    word = run.settings.completion_response
    found = says_done(answer, word)
    run.detail(f"completion: <response>{word}</response> {'found' if found else 'not found'}")
    return found


def settle(
    run: Run, plan: Plan, claimed: bool, results: list[Result], reached: Outcome
) -> Stop | None:
    return _verdict(run, results) if claimed else None


def done_signal(run: Run) -> Stop | None:
    return _verdict(run, run.check_all(run.guardrails()))


def _verdict(run: Run, results: list[Result]) -> Stop | None:
    if not all(result.passed for result in results):
        run.journal.write("notice", rule="false-promise", story="", text=_RED)
        return None
    if results:
        return Stop(COMPLETE, f"complete: {len(results)} of {len(results)} checks pass")
    return Stop(COMPLETE, "done, claimed by the agent; no checks configured")


def progressed(run: Run, plan: Plan, reached: Outcome) -> bool:
    return not plan.tree or tree_state.of(run.root) != plan.tree


def submits(plan: Plan, reached: Outcome) -> bool | None:
    return None
