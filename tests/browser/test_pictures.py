"""The picture of a page in a real browser: above the fold on a desk, whole on a phone, there without scripts."""

from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser

from tests.browser import commands
from tests.browser.conftest import Open

WITHOUT = ("plugins", "config migrate")
PICTURED = [name for name in commands.SMALL if name not in WITHOUT]
WIDTHS = {390: "narrow", 1024: "wide", 1440: "wide"}
SHOWN = "figure.picture svg:visible"
LETTERS = """() => Math.min(...[...document.querySelectorAll("figure.picture text")]
  .filter((one) => one.checkVisibility()).map((one) => one.getBoundingClientRect().height))"""
OUTSIDE = """() => {
  const svg = [...document.querySelectorAll("figure.picture svg")].find((one) => one.checkVisibility());
  const box = svg.getBoundingClientRect();
  return [...svg.querySelectorAll("text")].filter((one) => {
    const at = one.getBoundingClientRect();
    return at.left < box.left - 4 || at.right > box.right + 4 || at.bottom > box.bottom + 4;
  }).map((one) => one.textContent);
}"""


@pytest.mark.parametrize("name", PICTURED)
def test_a_picture_is_above_the_fold_whole_and_readable_at_every_width(opened: Open, name: str) -> None:
    shown = opened(commands.small(name), width=1440)
    page = shown.page
    for width, drawing in WIDTHS.items():
        page.set_viewport_size({"width": width, "height": 900})
        svg = page.locator(SHOWN)
        assert svg.count() == 1
        assert svg.get_attribute("class") == drawing
        assert page.evaluate(LETTERS) >= 10, width
        assert page.evaluate(OUTSIDE) == [], width
        assert page.evaluate("document.documentElement.scrollWidth") == width
    box = page.locator(SHOWN).bounding_box()
    assert box is not None
    assert box["y"] + box["height"] < 900


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["explain pod", "nodes", "simulate, what-ifs", "drain", "fail", "capacity, growth"])
def test_axe_finds_nothing_in_a_picture_at_any_width(opened: Open, name: str, scheme: str) -> None:
    shown = opened(commands.small(name), scheme=scheme)
    for width in WIDTHS:
        shown.page.set_viewport_size({"width": width, "height": 900})
        found = Axe().run(shown.page, context="#answer", options={"resultTypes": ["violations"]})
        assert found.response["violations"] == []


@pytest.mark.parametrize("name", commands.LARGE)
def test_a_picture_of_two_thousand_nodes_is_above_the_fold(opened: Open, name: str) -> None:
    html = commands.large(name)
    picture = html[html.index("<figure") : html.index("</figure>")]
    assert len(picture.encode()) < 60_000
    box = opened(html, width=1440).page.locator(SHOWN).bounding_box()
    assert box is not None
    assert box["y"] + box["height"] < 900


def test_without_scripts_the_picture_is_there_and_its_words_for_who_does_not_see_it(
    browser: Browser, tmp_path: Path
) -> None:
    (tmp_path / "page.html").write_text(commands.small("drain"), encoding="utf-8")
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((tmp_path / "page.html").as_uri())
    svg = page.get_by_role("group", name="What becomes of the pods")
    assert svg.count() == 1
    assert svg.locator("text").first.text_content() == "Pods along the evictions"
    context.close()


def test_colours_of_a_picture_are_those_of_the_page(opened: Open) -> None:
    shown = opened(commands.small("drain"))
    fill = "getComputedStyle(document.querySelector('figure.picture text')).fill"
    light = shown.page.evaluate(fill)
    shown.page.locator("#theme").click()
    assert shown.page.evaluate(fill) != light
    used = "getComputedStyle(document.querySelector('figure.picture rect.used')).fill"
    assert shown.page.evaluate(used) == "rgb(79, 163, 216)"
