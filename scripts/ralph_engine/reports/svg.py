"""A chart as SVG that takes its colours and fonts from the page around it."""

from __future__ import annotations

import math
from typing import NamedTuple

from .blocks import Chart
from .escape import escaped

_WIDTH, _HEIGHT = 480, 238
_LEFT, _RIGHT, _TOP, _BOTTOM = 50, 466, 28, 194
_MOST_TICKS_UP, _MOST_TICKS_ACROSS = 5, 9
_FILLED, _WIDEST_BAR = 0.72, 48.0


class _Scale(NamedTuple):
    """`step` between ticks, `top` of the axis."""

    step: float
    top: float

    def y(self, value: float) -> float:
        return _BOTTOM - (_BOTTOM - _TOP) * value / self.top

    def ticks(self) -> list[float]:
        return [self.step * number for number in range(round(self.top / self.step) + 1)]


def draw(chart: Chart, name: str) -> str:
    """`name` is that of the drawing on its page."""
    scale = _scale(max(_heights(chart)), chart.whole)
    marks = _line(chart, scale) if chart.steps else _bars(chart, scale)
    parts = [
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-labelledby="{name}">',
        f'<title id="{name}">{escaped(chart.title)}</title>',
        *_axes(chart, scale),
        *marks,
        "</svg>",
    ]
    return "\n".join(parts)


def _heights(chart: Chart) -> list[float]:
    return [sum(part.value for part in bar.parts) for bar in chart.bars]


def _scale(highest: float, whole: bool) -> _Scale:
    """Steps of 1, 2 or 5 times a power of ten; whole numbers where halves mean nothing."""
    least = max(highest, 1.0 if whole else 1e-9) / _MOST_TICKS_UP
    power = 10.0 ** math.floor(math.log10(least))
    step = next(power * n for n in (1, 2, 5, 10) if power * n >= least * (1 - 1e-9))
    step = max(step, 1.0) if whole else step
    return _Scale(step, step * max(1, math.ceil(highest / step - 1e-9)))


def _axes(chart: Chart, scale: _Scale) -> list[str]:
    made = []
    for value in scale.ticks():
        y = _n(scale.y(value))
        kind = "axis" if value == 0 else "grid"
        made.append(f'<line class="{kind}" x1="{_LEFT}" x2="{_RIGHT}" y1="{y}" y2="{y}"/>')
        made.append(
            _text(_LEFT - 7, scale.y(value) + 4.5, _figure(chart, value, scale), "tick end")
        )
    for place in _places(chart.bars[0].label, len(chart.bars)):
        x = _x(chart, place) if chart.steps else _x(chart, place) + _slot(chart) / 2
        made.append(_text(x, _BOTTOM + 18, chart.bars[place].label, "tick mid"))
    middle = (_LEFT + _RIGHT) / 2
    made.append(_text(middle, _BOTTOM + 39, chart.across, "label mid"))
    made.append(_text(0, _TOP - 15, chart.upwards, "label"))
    return made


def _figure(chart: Chart, value: float, scale: _Scale) -> str:
    digits = 0 if scale.step >= 1 else min(6, math.ceil(-math.log10(scale.step) - 1e-9))
    digits = max(digits, 2) if chart.unit == "$" and digits else digits
    return f"{chart.unit}{value:.{digits}f}"


def _places(first: str, number: int) -> list[int]:
    """Which bars get a label: round numbers, and never so many that they touch."""
    step = max(1, math.ceil(number / _MOST_TICKS_ACROSS))
    power = 10 ** (len(str(step)) - 1)
    step = next(power * n for n in (1, 2, 5, 10) if power * n >= step)
    return list(range(0 if first == "0" else step - 1, number, step))


def _bars(chart: Chart, scale: _Scale) -> list[str]:
    slot = _slot(chart)
    width = min(_WIDEST_BAR, slot * _FILLED)
    made = []
    for place, bar in enumerate(chart.bars):
        x, base = _x(chart, place) + (slot - width) / 2, 0.0
        for part in bar.parts:
            top = scale.y(base + part.value)
            box = f'x="{_n(x)}" y="{_n(top)}" width="{_n(width)}"'
            height = _n(max(scale.y(base) - top, 0.5))
            title = f"<title>{escaped(bar.words)}</title>"
            made.append(f'<rect class="k-{part.kind}" {box} height="{height}">{title}</rect>')
            base += part.value
    return made


def _line(chart: Chart, scale: _Scale) -> list[str]:
    """From one value to the next in steps: between two iterations nothing is half done."""
    spots = [(_x(chart, i), scale.y(h)) for i, h in enumerate(_heights(chart))]
    steps = [f"M{_n(spots[0][0])} {_n(spots[0][1])}"]
    steps += [f"H{_n(x)}V{_n(y)}" for x, y in spots[1:]]
    line, end = "".join(steps), _n(spots[-1][0])
    made = [
        f'<path class="area" d="{line}V{_BOTTOM}H{_n(spots[0][0])}Z"/>',
        f'<path class="line" d="{line}"/>',
    ]
    if len(spots) <= 60:
        made += [_dot(x, y, bar.words) for (x, y), bar in zip(spots, chart.bars)]
    else:
        made.append(_dot(float(end), spots[-1][1], chart.bars[-1].words))
    return made


def _dot(x: float, y: float, words: str) -> str:
    return f'<circle cx="{_n(x)}" cy="{_n(y)}" r="3"><title>{escaped(words)}</title></circle>'


def _slot(chart: Chart) -> float:
    return (_RIGHT - _LEFT) / max(1, len(chart.bars) - (1 if chart.steps else 0))


def _x(chart: Chart, place: int) -> float:
    return _LEFT + _slot(chart) * place


def _text(x: float, y: float, words: str, kinds: str) -> str:
    return f'<text class="{kinds}" x="{_n(x)}" y="{_n(y)}">{escaped(words)}</text>'


def _n(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
