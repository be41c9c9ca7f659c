"""Signs: listed with what each says, malformed ones by name."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from ralph_engine import signs

TEMPLATE = Path(__file__).resolve().parents[2] / "templates" / "guardrails.md"
WHOLE = """# Guardrails
### Sign: Migrations need a way back
- **Trigger**: a migration changes
- **Instruction**: write the down step
- **Added after**: iteration 4

### Sign: Half
- **Trigger**: always
Words that are no entry: Instruction: none

### Sign:
- Trigger: x
- Instruction: y
- Added after: z
## Another part
- **Instruction**: not a Sign's
"""


def test_signs_are_listed_and_faults_named() -> None:
    assert signs.words(signs.parse(WHOLE)) == [
        "1. Migrations need a way back",
        "   Trigger: a migration changes",
        "   Instruction: write the down step",
        "   Added after: iteration 4",
        "2. Half",
        "   Trigger: always",
        "   malformed: Instruction is missing",
        "   malformed: Added after is missing",
        "3. (no name)",
        "   Trigger: x",
        "   Instruction: y",
        "   Added after: z",
        "   malformed: the name is missing",
    ]


def test_the_template_has_none() -> None:
    assert signs.parse(TEMPLATE.read_text(encoding="utf-8")) == []


words = st.text().filter(lambda text: text.split())


@given(words, words, words, words)
def test_what_is_composed_is_read_back(name: str, trigger: str, what: str, after: str) -> None:
    text = TEMPLATE.read_text(encoding="utf-8") + signs.compose(name, trigger, what, after) * 2
    found = signs.parse(text)
    assert len(found) == 2 and found[0] == found[1] and found[0].faults == []
