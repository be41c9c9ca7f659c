"""doctor with the real client: is the plugin valid, and do its hooks act?"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from e2e.claude_client import REPOSITORY, client_path
from ralph_engine import offline_claude
from ralph_engine.doctor import hook_trial
from ralph_engine.failure import Failure
from runner.hostile_project import marked
from shell.patient import Line, Patient


@pytest.fixture
def patient(tmp_path: Path) -> Patient:
    """With Claude Code on PATH, and that as its agent."""
    patient = Patient(tmp_path)
    (patient.tools / "claude").symlink_to(client_path())
    patient.settings()
    return patient


def test_the_hooks_are_seen_to_act_and_the_home_stays_as_it_is(patient: Patient) -> None:
    before = sorted(patient.home.rglob("*"))
    found = patient.examined(IS_SANDBOX="1")
    assert [line for line in found if line.grade != "ok"] == []
    texts = [line.text for line in found]
    assert f"agent claude: 2.1.326 (Claude Code) at {patient.tools / 'claude'}" in texts
    assert f"plugin: {REPOSITORY} is valid" in texts
    [hooks] = [text for text in texts if text.startswith("hooks: ")]
    words = "hooks: a write was denied, a stop was refused and then allowed, in "
    assert hooks.startswith(words)
    assert sorted(patient.home.rglob("*")) == before


def test_hooks_that_do_not_fire(patient: Patient) -> None:
    plugin = patient.plugin()
    (plugin / "hooks" / "hooks.json").write_text('{"hooks": {}}')
    found = patient.troubles(plugin=plugin, IS_SANDBOX="1")
    assert found == [
        Line(
            "bad",
            "hooks: Claude Code ran, but these did not act: SessionStart, PreToolUse (denying),"
            " Stop (refusing)",
            "look for disableAllHooks and allowManagedHooksOnly in"
            f" /etc/claude-code/managed-settings.json; {plugin}/scripts/ralph.sh run works without",
        )
    ]


def test_a_guard_that_denies_nothing(patient: Patient) -> None:
    plugin = patient.plugin()
    path = plugin / "hooks" / "hooks.json"
    hooks = json.loads(path.read_text())
    del hooks["hooks"]["PreToolUse"]
    path.write_text(json.dumps(hooks))
    [line] = patient.troubles(plugin=plugin, IS_SANDBOX="1")
    words = "hooks: Claude Code ran, but these did not act: PreToolUse (denying)"
    assert (line.grade, line.text) == ("bad", words)


def with_other_hook(patient: Patient, old: str, new: str) -> Path:
    plugin = patient.plugin()
    hook = plugin / "scripts" / "ralph_engine" / "core" / "fresh_stop.py"
    text = hook.read_text()
    assert text.count(old) == 1
    hook.write_text(text.replace(old, new))
    return plugin


def test_a_hook_that_never_lets_go(patient: Patient) -> None:
    plugin = with_other_hook(patient, "if not lines:", "if False:")
    [line] = patient.troubles(plugin=plugin, IS_SANDBOX="1")
    words = "hooks: Claude Code ran, but these did not act: Stop (allowing)"
    assert (line.grade, line.text) == ("bad", words)


def test_a_hook_that_fails(patient: Patient) -> None:
    plugin = with_other_hook(patient, "    group, lines = ", "    group, lines = 1 / 0, ")
    assert patient.troubles(plugin=plugin, IS_SANDBOX="1") == [
        Line(
            "bad",
            "hooks: the Stop hook fails: ZeroDivisionError: division by zero",
            f"send us that line, or install the plugin anew: {plugin} may have been changed",
        )
    ]


def test_a_plugin_that_is_not_valid(patient: Patient) -> None:
    plugin = patient.plugin()
    path = plugin / "hooks" / "hooks.json"
    path.write_text(path.read_text().replace('"command",', '"nonsense",'))
    invalid, _ = patient.troubles(plugin=plugin, IS_SANDBOX="1")
    assert invalid.grade == "bad"
    assert invalid.text.startswith(f"plugin: {plugin} is not valid: Validating plugin manifest")
    assert "Validating hooks" in invalid.text and "nonsense" in invalid.text
    assert "Provides" not in invalid.text
    assert invalid.fix == (
        f"see what was changed (git -C {plugin} status), or install the plugin anew"
    )


def test_a_stand_in_for_a_client_that_never_ends(patient: Patient, tmp_path: Path) -> None:
    folder = tmp_path / "trial"
    folder.mkdir()
    claude = patient.program("claude", "setsid sleep 60 & sleep 60")
    environment = offline_claude.environment(str(folder), os.environ)
    with pytest.raises(Failure) as failure:
        hook_trial.run(str(claude), str(folder), environment, seconds=1)
    assert str(failure.value) == "Claude Code did not end a short session in 1 s"
    assert marked(f"HOME={folder}/home") == []
