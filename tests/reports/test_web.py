"""The HTML of a report in headless Chromium: plots to be seen, no errors, no requests.

Set RALPH_SCREENSHOTS to a folder to look at the pages.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from ralph_engine import report_files
from ralph_engine.reports import facts
from reports.browser import Browser
from reports.told_run import RUN, ToldRun, listed, long_run, night, titled

ATTACK = (
    '<script>document.title="hacked"</script><img src="http://127.0.0.1:9/a" onerror="alert(1)">'
    '"><svg onload=alert(1)></title></style></pre> \x1b[31m\u202e ' + "x" * 10_000
)
WIDTHS = {"phone": (390, 844), "desktop": (1280, 900)}
BOXES = """[...document.querySelectorAll("svg")].map(svg => {
  const box = svg.getBoundingClientRect(), name = svg.querySelector("title").textContent;
  const marks = [...svg.querySelectorAll("rect, path.line")].map(m => m.getBoundingClientRect());
  return {name, width: box.width, height: box.height,
    shown: marks.filter(m => m.width > 0 && m.height > 0).length, marks: marks.length,
    inside: [...svg.querySelectorAll("text, rect, circle")].every(m => {
      const b = m.getBoundingClientRect();
      return b.left >= box.left - 1 && b.right <= box.right + 1 && b.bottom <= box.bottom + 1;
    })};
})"""
OVERFLOWING = """(() => {
  const edge = document.documentElement.clientWidth;
  return [...document.querySelectorAll("body *")].filter(e => {
    const box = e.getBoundingClientRect();
    return !e.closest("thead") && box.width > 1 && box.right > edge + 1;
  }).map(e => e.outerHTML.slice(0, 80));
})()"""
# By the formula of WCAG 2: text against what lies behind it.
CONTRASTS = """(() => {
  const light = c => { const [r, g, b] = c.match(/[\\d.]+/g).map(Number).map(v => v / 255)
    .map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const behind = e => { for (; e; e = e.parentElement) {
    const c = getComputedStyle(e).backgroundColor; if (!/, 0\\)$/.test(c)) return c; } };
  const ratio = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p);
    return (x + 0.05) / (y + 0.05); };
  const texts = "h1, p, strong, li, td, td span, th, dt, dd, pre, pre i, svg text, figcaption";
  return [...document.querySelectorAll(texts)]
    .map(e => { const s = getComputedStyle(e);
      return ratio(e instanceof SVGElement ? s.fill : s.color, behind(e)); });
})()"""


def html(told: ToldRun) -> str:
    return report_files.compose(facts.gather(RUN, told.events, 0)).html


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with Browser(tmp_path_factory.mktemp("chromium")) as started:
        yield started


def opened(browser: Browser, folder: Path, name: str, width: str, scheme: str) -> None:
    """Loads it, and leaves a picture where somebody wants to look."""
    told = {"night": night, "long": lambda: long_run(500), "attack": lambda: titled(ATTACK)}
    page = folder / "report.html"
    page.write_text(html(told[name]()), encoding="utf-8")
    browser.open(page, *WIDTHS[width], scheme)
    assert browser.requests() == [page.as_uri()]
    assert browser.complaints() == []
    if "RALPH_SCREENSHOTS" in os.environ:
        shown = Path(os.environ["RALPH_SCREENSHOTS"]) / f"{name}-{width}-{scheme}.png"
        browser.picture(shown)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", ["night", "long", "attack"])
def test_a_page_is_whole_and_asks_for_nothing(
    browser: Browser, tmp_path: Path, name: str, width: str, scheme: str
) -> None:
    opened(browser, tmp_path, name, width, scheme)
    assert browser.value("document.title") == "Ralph: Shop"
    assert browser.value("document.documentElement.scrollWidth") <= WIDTHS[width][0]
    assert browser.value(OVERFLOWING) == []
    assert min(browser.value(CONTRASTS)) >= 4.5


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize(("name", "least"), [("night", 5), ("long", 1)])
def test_the_plots_are_visible(
    browser: Browser, tmp_path: Path, name: str, least: int, width: str
) -> None:
    opened(browser, tmp_path, name, width, "light")
    plots = browser.value(BOXES)
    titles = ["Stories left", "Time per iteration", "Cost per iteration", "Reviews per story"]
    assert [plot["name"] for plot in plots] == titles
    for plot in plots:
        assert plot["width"] > 300 and plot["height"] > 150, plot
        assert plot["shown"] == plot["marks"] >= 1, plot
        assert plot["inside"], plot
    assert plots[3]["marks"] >= least
    across = 1 if width == "phone" else 2
    tops = browser.value("[...document.querySelectorAll('figure')].map(f => f.offsetTop)")
    assert tops.count(tops[0]) == across


def test_dark_and_light_are_two_looks(browser: Browser, tmp_path: Path) -> None:
    seen = {}
    for scheme in ("light", "dark"):
        opened(browser, tmp_path, "night", "desktop", scheme)
        back = browser.value("getComputedStyle(document.body).backgroundColor")
        seen[scheme] = int(back.split("(")[1].split(",")[0])
    assert seen["light"] > 200 and seen["dark"] < 60


def test_a_row_of_a_table_is_a_card_on_a_phone(browser: Browser, tmp_path: Path) -> None:
    label = "getComputedStyle(document.querySelector('td.figure'), '::before').content"
    opened(browser, tmp_path, "night", "phone", "light")
    assert "Reviews" in browser.value(label)
    opened(browser, tmp_path, "night", "desktop", "light")
    assert browser.value(label) == "none"


class _Tags(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}


def test_a_hostile_title_adds_no_tag_and_no_attribute() -> None:
    plain, attacked = _Tags(html(titled("plain"))), _Tags(html(titled(ATTACK)))
    assert (attacked.tags, attacked.attributes) == (plain.tags, plain.attributes)
    assert "script" not in plain.tags and not any(a.startswith("on") for a in plain.attributes)
    assert "\x1b" not in html(titled(ATTACK)) and "\u202e" not in html(titled(ATTACK))


def drawings(text: str) -> list[ElementTree.Element]:
    plots = ["<svg" + piece.split("</svg>")[0] + "</svg>" for piece in text.split("<svg")[1:]]
    return [ElementTree.fromstring(plot) for plot in plots]


def test_each_plot_is_a_drawing_with_words() -> None:
    found = drawings(html(night()))
    assert len(found) == 4
    for drawing in found:
        labels = [element.text for element in drawing.iter("text")]
        assert len(labels) >= 6 and all(labels)


TICKS = {1: "0 1", 3: "0 1 2 3", 7: "0 2 4 6 8", 11: "0 5 10 15"}


@pytest.mark.parametrize("stories", TICKS)
def test_ticks_are_round_and_whole(stories: int) -> None:
    told = ToldRun(*(listed(f"US-{n}") for n in range(stories))).begin("implement", "US-0")
    first = drawings(html(told.work(10, None).end_iteration()))[0]
    found = [element.text for element in first.iter("text") if element.get("class") == "tick end"]
    assert found == TICKS[stories].split()
