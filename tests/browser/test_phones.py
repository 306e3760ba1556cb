"""Tables with long texts on a phone: a row is a few lines, of which a tap shows the rest."""

import pytest

from tests.browser import commands
from tests.browser.conftest import Open
from tests.browser.test_accessible import violations

LINES = 4.5
"""Lines that a row of three may take with its padding: the name, how it ended with its numbers, the reason."""
HEIGHTS = """() => [...document.querySelectorAll('main .in-lines tbody tr')].map((row) =>
  row.getBoundingClientRect().height / parseFloat(getComputedStyle(row).lineHeight))"""
CUT = "(row) => [...row.querySelectorAll('.brief')].some((one) => one.scrollWidth > one.clientWidth)"
WITH_REASONS = ("fail, each node", "fail, each zone", "drain, found", "drain, rolling", "simulate", "capacity, shapes")


@pytest.mark.parametrize("name", WITH_REASONS)
def test_a_row_is_a_few_lines_within_the_screen(opened: Open, name: str) -> None:
    shown = opened(commands.small(name), width=390)
    heights = shown.page.evaluate(HEIGHTS)
    assert heights != []
    assert max(heights) <= LINES, heights
    assert shown.page.evaluate("document.documentElement.scrollWidth") == 390
    beyond = (
        "[...document.querySelectorAll('main .in-lines td')].filter((one) => one.getBoundingClientRect().right > 390)"
    )
    assert shown.page.evaluate(f"{beyond}.length") == 0


@pytest.mark.parametrize("name", ["fail, each node", "drain, found"])
def test_a_tap_shows_the_rest_of_a_row_and_takes_it_back(opened: Open, name: str) -> None:
    shown = opened(commands.small(name), width=390)
    row = shown.page.locator("main .in-lines tbody tr:has(.unfold)").first
    button = row.get_by_role("button")
    assert (button.inner_text(), button.get_attribute("aria-expanded")) == ("more", "false")
    button.click()
    assert (button.inner_text(), button.get_attribute("aria-expanded")) == ("less", "true")
    assert not row.evaluate(CUT)
    rest = row.locator("[data-rest]")
    assert all(rest.nth(i).is_visible() for i in range(rest.count()))
    assert violations(shown) == []
    row.locator(".brief").click(position={"x": 300, "y": 4})
    assert button.get_attribute("aria-expanded") == "false"


def test_what_fails_comes_with_its_number_and_its_reason(opened: Open) -> None:
    row = opened(commands.small("fail, each node"), width=390).page.locator("#each tbody tr").first
    told = row.inner_text().split("\n")
    assert "PARTLY" in row.inner_text()
    assert row.locator(".brief").is_visible()
    assert row.locator("td.num:visible").count() > 0
    assert not row.locator(".bar, .split").is_visible(), told


def test_a_wide_screen_has_all_of_each_row(opened: Open) -> None:
    page = opened(commands.small("fail, each node"), width=1440).page
    assert page.locator(".brief").count() > 0
    assert page.locator(".unfold").count() == 0
    assert page.evaluate("getComputedStyle(document.querySelector('.in-lines tr')).display") == "table-row"


def test_rows_that_are_lines_are_rows_to_a_screen_reader(opened: Open) -> None:
    page = opened(commands.small("fail, each node"), width=390).page
    table = page.locator("#each").get_by_role("table")
    assert table.get_by_role("row").count() == 7
    assert table.get_by_role("rowheader").count() == 6
    assert table.get_by_role("columnheader").count() > 3
