"""Accessibility of the HTML report: axe-core finds nothing, in light and in dark, with a story open and without."""

from typing import Any

import pytest

from kplan.render.html import page as write
from tests.browser import commands, inspected, pages
from tests.browser.conftest import Open, Opened

PAGES = {
    "one pod pending": lambda: pages.explained("huge"),
    "one pod with victims": lambda: pages.explained("urgent"),
    "a kind it does not know": pages.unknown_kind,
    "names that mean harm": pages.harmful,
    "a map of tiles": lambda: write(*pages.many_nodes(50)),
}


ALIKE = ("explain pod", "simulate", "capacity", "capacity, shapes", "drain, rolling", "drain, found", "fail, each node")
"""Commands whose pages are made of the same parts as those of others."""


def violations(shown: Opened, *rules: str) -> list[Any]:
    return inspected.violations(shown.page, *rules)


@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing(opened: Open, name: str) -> None:
    shown = opened(PAGES[name]())
    assert violations(shown) == []
    cell = shown.page.locator("#nodes button[data-node]").last
    if cell.count():
        cell.click()
        shown.page.locator("#nodes").get_by_role("button", name="Table", exact=True).click()
        assert violations(shown) == []


@pytest.mark.parametrize("name", [name for name in commands.SMALL if name not in ALIKE])
def test_axe_finds_nothing_on_the_page_of_any_command_light_or_dark(opened: Open, name: str) -> None:
    shown = opened(commands.small(name))
    for box in shown.page.locator("main details > summary").all()[:2]:
        box.click()
    if commands.SMALL[name][0] not in commands.ALONE:
        shown.page.locator("#nodes button[data-node]").first.click()
    assert violations(shown) == []
    shown.page.locator("#theme").click()
    assert violations(shown, "color-contrast") == []


def test_axe_finds_nothing_where_the_map_is_coloured_by_a_pod(opened: Open) -> None:
    shown = opened(commands.small("explain pods"), at="#pod=ml%2Fgpu-0")
    assert violations(shown) == []
    shown.page.locator("#theme").click()
    assert violations(shown, "color-contrast") == []


def test_a_story_on_a_narrow_screen(opened: Open) -> None:
    shown = opened(pages.explained("small"), width=390, height=800, at="#node=node-b")
    assert violations(shown) == []


def test_it_has_the_landmarks_and_names_that_readers_go_by(opened: Open) -> None:
    shown = opened(pages.planned())
    page = shown.page
    assert page.get_by_role("main").count() == 1
    assert page.get_by_role("banner").count() == 1
    assert page.get_by_role("heading", level=1).count() == 1
    assert [heading.strip() for heading in page.get_by_role("heading", level=2).all_inner_texts()] == [
        "Not placed",
        "Pods",
        "Owners",
        "Before and after",
        "Nodes",
    ]
    assert page.get_by_role("navigation", name="Sections").get_by_role("link").count() == 5
    for table in page.get_by_role("table").all():
        assert table.locator("caption").count() == 1
        assert table.locator("thead th[scope=col]").count() > 1
    page.keyboard.press("Tab")
    assert shown.focused() == "Skip to the content"


def test_what_has_the_focus_can_be_seen(opened: Open) -> None:
    shown = opened(pages.explained("small"))
    for selector in ("#nodes input", "#nodes select", "#nodes .chip", "#nodes button[data-node]", "#why a"):
        shown.page.locator(selector).first.focus()
        shown.page.keyboard.press("Shift+Tab")
        shown.page.keyboard.press("Tab")
        width = shown.page.evaluate("getComputedStyle(document.activeElement).outlineWidth")
        assert width in ("2px", "3px"), selector


def test_forced_colours_keep_the_page_readable(opened: Open) -> None:
    shown = opened(pages.explained("small"))
    shown.page.emulate_media(forced_colors="active")
    assert violations(shown) == []
