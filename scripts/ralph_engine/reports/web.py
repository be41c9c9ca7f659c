"""A report as one HTML file that asks nobody for anything and runs no script."""

from __future__ import annotations

from .blocks import (
    Block,
    Chart,
    Charts,
    Commands,
    Page,
    Points,
    Section,
    Table,
    Words,
    text_of,
    tone_of,
)
from .escape import escaped
from .style import STYLE
from .svg import draw

# Should a text ever get through as markup: nothing may be loaded, run or sent.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'"
_UNFOLDED = 60


def render(page: Page) -> str:
    sections = "\n".join(_section(section) for section in page.sections)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>{escaped(page.title)}</title>
<style>
{STYLE}</style>
</head>
<body>
<main>
<header class="{page.tone}">
<h1>{escaped(page.title)}</h1>
<p class="verdict"><strong>{escaped(page.verdict)}</strong> {escaped(page.why)}</p>
<dl>
{_figures(page)}
</dl>
</header>
{sections}
</main>
</body>
</html>
"""


def _figures(page: Page) -> str:
    pairs = [(escaped(figure.label), escaped(figure.value)) for figure in page.figures]
    return "\n".join(f"<div><dt>{label}</dt><dd>{value}</dd></div>" for label, value in pairs)


def _section(section: Section) -> str:
    blocks = "\n".join(_block(block) for block in section.blocks)
    return f"<section>\n<h2>{escaped(section.title)}</h2>\n{blocks}\n</section>"


def _block(block: Block) -> str:
    if isinstance(block, Words):
        return f"<p>{escaped(block.text)}</p>"
    if isinstance(block, Points):
        return "<ul>\n" + "\n".join(f"<li>{escaped(item)}</li>" for item in block.items) + "\n</ul>"
    if isinstance(block, Table):
        return _table(block)
    if isinstance(block, Commands):
        return _commands(block)
    return _charts(block)


def _table(table: Table) -> str:
    heads = "".join(f'<th scope="col"{_side(table, h)}>{escaped(h)}</th>' for h in table.heads)
    rows = "\n".join(_row(table, row) for row in table.rows)
    made = f"<table>\n<thead><tr>{heads}</tr></thead>\n<tbody>\n{rows}\n</tbody>\n</table>"
    if len(table.rows) <= _UNFOLDED:
        return made
    return f"<details>\n<summary>Show {len(table.rows)} rows</summary>\n{made}\n</details>"


def _row(table: Table, row: object) -> str:
    cells = []
    for head, cell in zip(table.heads, row):  # type: ignore[call-overload]
        text = escaped(text_of(cell))
        tone = tone_of(cell)
        shown = text if tone == "plain" or not text else f'<span class="{tone}">{text}</span>'
        cells.append(f'<td data-head="{escaped(head)}"{_side(table, head)}>{shown}</td>')
    return f"<tr>{''.join(cells)}</tr>"


def _side(table: Table, head: str) -> str:
    kind = "figure" if head in table.figures else "name" if head in table.names else ""
    return f' class="{kind}"' if kind else ""


def _commands(block: Commands) -> str:
    lines = [f"<i># {escaped(item.what)}</i>\n{escaped(item.line)}" for item in block.items]
    return "<pre>" + "\n".join(lines) + "</pre>"


def _legend(chart: Chart) -> str:
    pairs = [(kind, escaped(words)) for kind, words in chart.kinds.items()]
    return "".join(f'<span><i class="b-{kind}"></i>{words}</span>' for kind, words in pairs)


def _charts(block: Charts) -> str:
    made = []
    for number, chart in enumerate(block.items, 1):
        note = f"<figcaption>{escaped(chart.note)}</figcaption>" if chart.note else ""
        drawn = draw(chart, f"chart-{number}")
        head = f"<h3>{escaped(chart.title)}</h3>{_legend(chart)}"
        made.append(f"<figure>\n<div>{head}</div>\n{drawn}\n{note}</figure>")
    return '<div class="charts">\n' + "\n".join(made) + "\n</div>"
