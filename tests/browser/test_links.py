"""Every name of a node or a pod leads to its story: in pictures and in all tables of all pages, by mouse and by key."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.browser import commands
from tests.browser.conftest import Open

WITH_NODES = [name for name, words in commands.SMALL.items() if words[0] not in ("plugins", "config")]
UNLINKED = """(names) => {
  const known = new Set(names), found = new Set();
  const within = 'a, button, summary, select, pre, svg, caption, noscript, h1, [aria-hidden]';
  const walker = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode;
    const around = text.parentElement;
    if (around.closest(within)) continue;
    for (const word of text.data.split(/[\\s,;:()"]+/))
      if (known.has(word)) found.add(`${word}: ${around.closest('tr, li, p, dd, div').innerText.slice(0, 90)}`);
  }
  return [...found];
}"""
"""Words that are the name of a node or a pod, and no link, with where they stand."""
LINKS = "[...document.querySelectorAll('figure.picture a')].filter((one) => one.checkVisibility())"


def names() -> list[str]:
    """Nodes and pods of the cluster that the commands are asked about."""
    items = json.loads((commands.folder() / "six.json").read_text())["items"]
    nodes = [item["metadata"]["name"] for item in items if item["kind"] == "Node"]
    pods = [f"{item['metadata']['namespace']}/{item['metadata']['name']}" for item in items if item["kind"] == "Pod"]
    assert len(nodes) == 6
    assert len(pods) > 15
    return [*nodes, *pods]


@pytest.mark.parametrize("name", WITH_NODES)
def test_every_name_of_a_node_or_a_pod_is_a_link_to_its_story(opened: Open, name: str) -> None:
    shown = opened(commands.small(name))
    page = shown.page
    page.evaluate("dispatchEvent(new Event('beforeprint'))")  # every page of every table, and what is folded
    assert page.evaluate(UNLINKED, names()) == []
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    addresses = page.evaluate(
        '[...new Set([...document.querySelectorAll(\'main a[href^="#/node="], main a[href^="#/pod="]\')]'
        ".map((one) => one.getAttribute('href')))]"
    )
    assert addresses or name == "capacity, shapes", "its tables are of shapes, not of nodes"
    for address in addresses:
        page.evaluate("(to) => { location.hash = to; }", address)
        page.wait_for_function(
            "(to) => !document.querySelector('#story').hidden && to.endsWith("
            "encodeURIComponent(document.querySelector('#story h2').textContent))",
            arg=address,
        )
        assert page.locator("#story").inner_text().count("\n") > 1, f"{address}: an empty story"


@pytest.mark.parametrize("name", ["explain pod", "nodes", "drain", "drain, rolling", "fail, each node", "bind", "diff"])
def test_links_of_a_picture_are_reached_by_key_and_open_a_story(opened: Open, name: str) -> None:
    shown = opened(commands.small(name), width=1440)
    page = shown.page
    number = page.evaluate(f"{LINKS}.length")
    assert number > 0
    page.evaluate(f"{LINKS}[0].focus()")
    target = page.evaluate("document.activeElement.getAttribute('href')")
    told = page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert told
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
    page.keyboard.press("Enter")
    page.locator("#story").wait_for(state="visible")
    assert page.evaluate("location.hash") == target
    if number > 1:
        page.evaluate(f"{LINKS}[0].focus()")
        page.keyboard.press("Tab")
        assert page.evaluate(f"{LINKS}.indexOf(document.activeElement)") == 1


@pytest.mark.parametrize("name", ["nodes", "drain", "fail, each node"])
def test_without_scripts_a_link_of_a_picture_leads_to_the_row(browser: Browser, tmp_path: Path, name: str) -> None:
    (tmp_path / "page.html").write_text(commands.small(name), encoding="utf-8")
    context = browser.new_context(java_script_enabled=False, viewport={"width": 1440, "height": 900})
    page = context.new_page()
    page.goto((tmp_path / "page.html").as_uri())
    link = page.locator("figure.picture svg.wide a").first
    named = (link.get_attribute("aria-label") or "").split()[0]
    link.click()
    target = page.locator(":target")
    assert target.count() == 1
    assert target.inner_text() == named
    context.close()
