"""A report as Markdown."""

from __future__ import annotations

import re

from ..harmless import harmless
from .blocks import Block, Chart, Charts, Commands, Page, Points, Section, Table, Words, text_of

# Each of these can begin markup in the middle of a line; a backslash takes that from it.
_SPECIAL = re.compile(r"([\\`*_\[\]<>#|~&])")
_LONGEST_BAR = 30


def render(page: Page) -> str:
    why = f": {plain(page.why)}" if page.why else ""
    lines = [f"# {plain(page.title)}", "", f"**{plain(page.verdict)}**{why}", ""]
    lines += [f"- {plain(figure.label)}: {plain(figure.value)}" for figure in page.figures]
    for section in page.sections:
        lines += ["", *_section(section)]
    return "\n".join(lines) + "\n"


def plain(text: str) -> str:
    """On one line, and nothing in it is markup."""
    return _SPECIAL.sub(r"\\\1", harmless(" ".join(text.split())))


def _section(section: Section) -> list[str]:
    lines = [f"## {plain(section.title)}"]
    for block in section.blocks:
        lines += ["", *_block(block)]
    return lines


def _block(block: Block) -> list[str]:
    if isinstance(block, Words):
        return [plain(block.text)]
    if isinstance(block, Points):
        return [f"- {plain(item)}" for item in block.items]
    if isinstance(block, Table):
        return _table(block)
    if isinstance(block, Commands):
        return _commands(block)
    return _charts(block)


def _table(table: Table) -> list[str]:
    rule = ["--:" if head in table.figures else "---" for head in table.heads]
    rows = [[plain(text_of(cell)) for cell in row] for row in table.rows]
    return [_row([plain(head) for head in table.heads]), _row(rule), *map(_row, rows)]


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _commands(block: Commands) -> list[str]:
    lines = ["```sh"]
    for command in block.items:
        lines += [f"# {_literal(command.what)}", _literal(command.line)]
    return [*lines, "```"]


def _literal(text: str) -> str:
    """In a fenced block nothing is markup but a line that is a fence; no line of ours begins so."""
    return harmless(" ".join(text.split()))


def _charts(block: Charts) -> list[str]:
    """The plots of the iterations stand in the timeline as figures; this one is short."""
    lines: list[str] = []
    for chart in block.items:
        if chart.whole and not chart.steps:
            lines += [*_bars(chart), ""]
    others = "The other plots" if lines else "Plots"
    return [*lines, f"{others} are in report.html, beside this file."]


def _bars(chart: Chart) -> list[str]:
    sizes = [sum(part.value for part in bar.parts) for bar in chart.bars]
    scale = min(1.0, _LONGEST_BAR / max(sizes))
    lines = [f"{plain(chart.title)}. {plain(chart.note)}", "", "```text"]
    for bar, size in zip(chart.bars, sizes):
        drawn = "#" * (max(1, round(size * scale)) if size else 0)
        mark = "".join(f" ({chart.kinds[p.kind]})" for p in bar.parts if p.kind in chart.kinds)
        lines.append(f"{bar.label:>3} | {drawn} {size:g}{mark}")
    return [*lines, "```"]
