"""The real client through a stand-in for `sbx`: its words, its hooks and its exit, by exec."""

from __future__ import annotations

from pathlib import Path

from e2e.runner_life import Life
from ralph_engine.scripted_model import ScriptedModel, say
from runner.stand_ins import Programs

ILLEGAL = {"passes": True, "reviewStatus": "approved", "reviewCount": 1, "notes": "built"}
LEGAL = {"passes": False, "reviewStatus": "needs_review", "reviewCount": 0, "notes": "built"}
APPROVED = {"passes": True, "reviewStatus": "approved", "reviewCount": 1}


class InsideLife(Life):
    """Its client has nothing of the runner's environment but what is handed in."""

    def __init__(self, folder: Path, *names: str) -> None:
        super().__init__(folder, *names)
        self.programs = Programs(folder, "sbx")
        self.changes = {"IS_SANDBOX": None, **self.programs.env}

    def _environment(self, model: ScriptedModel) -> dict[str, str]:
        found = super()._environment(model)
        not_inside = ("PATH", "HOME", "XDG_STATE_HOME", "IS_SANDBOX")
        self.programs.shell_rc({n: v for n, v in found.items() if n not in not_inside})
        return found


def test_stand_in_for_sbx_runs_the_real_client_with_its_hooks(tmp_path: Path) -> None:
    life = InsideLife(tmp_path, "US-1")
    life.verify = ['test "$IS_SANDBOX" = 1']
    life.begin()
    turns = [
        *(life.edit("US-1", "early", "echo 1 > US-1.txt", **ILLEGAL), say("Done.")),
        *(life.edit("US-1", "feat: US-1", "echo 2 > US-1.txt", **LEGAL), say("Built.")),
        *(life.edit("US-1", "review: US-1", **APPROVED), say("Approved.")),
    ]
    ran = life.run(turns)
    assert ran.code == 0, ran.screen
    assert ran.screen[1].startswith("[ralph] sandbox sbx: a microVM of its own, ralph-project-")
    assert ran.last_line.startswith("ralph: complete: 1 of 1 stories verified")
    blocked = [r for r in ran.requests if "Stop hook feedback" in r.new_text]
    assert len(blocked) == 1 and "an illegal transition: passes false" in blocked[0].new_text
    assert life.git("log", "-1", "--format=%an <%ae>") == "A Tester <tester@localhost>"
    [state] = life.home.glob(".dclaude_state/.claude.json")
    assert state.read_text() != "{}\n"
