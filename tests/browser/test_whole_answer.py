"""Paper and browsers without scripts hold the whole answer; foreign scripts and emoji keep their place."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from kplan.render.heads import HEADS
from kplan.render.html import page as write
from kplan.render.seen import seen
from kplan.result.document import Group, GroupNode, PodExplanation, Reason, Shortage
from kplan.result.document_base import API_VERSION, Cause
from kplan.result.document_usage import Drawing, NodeUsage, PodUsage
from tests.browser import commands, pages
from tests.browser.conftest import Open
from tests.browser.inspected import lost_on_paper, printed
from tests.browser.test_accessible import violations
from tests.browser.test_pictures import OUTSIDE


@pytest.mark.parametrize("name", commands.SMALL)
def test_a_pdf_of_any_command_holds_every_row(opened: Open, name: str) -> None:
    rows, lost = lost_on_paper(opened(commands.small(name)).page)
    assert rows or name == "plugins"
    assert lost == []


def test_a_pdf_of_many_rows_holds_each_of_them(opened: Open) -> None:
    text = printed(opened(commands.large("nodes")).page)
    names = [f"node-{i:04d}" for i in range(commands.NODES)]
    assert [name for name in names if name not in text] == []


@pytest.mark.parametrize("name", commands.SMALL)
def test_paper_has_no_links_into_the_page_and_the_screen_has_them_back(opened: Open, name: str) -> None:
    """For each such link the browser looks through the whole page: 5,000 nodes were not printed in half an hour."""
    page = opened(commands.small(name)).page
    links = "[...document.querySelectorAll('a[href]')].map((one) => one.getAttribute('href'))"
    before = page.evaluate(links)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert [href for href in page.evaluate(links) if href.startswith("#")] == []
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.evaluate(links) == before


@pytest.mark.parametrize("name", commands.SMALL)
def test_without_scripts_a_page_of_any_command_has_its_answer_and_its_rows(
    browser: Browser, tmp_path: Path, name: str
) -> None:
    html = commands.small(name)
    (tmp_path / "page.html").write_text(html, encoding="utf-8")
    context = browser.new_context(java_script_enabled=False, viewport={"width": 1440, "height": 900})
    page = context.new_page()
    page.goto((tmp_path / "page.html").as_uri())
    assert page.locator("h1").inner_text().strip()
    text = page.locator("#answer pre").inner_text()
    context.close()
    assert text.count("\n") > 3
    documented = re.search(r"<dt>Because</dt><dd>(.*?)</dd>", html)
    if documented is not None:
        assert page_text(documented[1]) in re.sub(r"\s+", " ", text)
    for node in ("node-a", "node-f") if name == "nodes" else ():
        assert node in text


def page_text(markup: str) -> str:
    """Text of markup without entities but for quotes."""
    return re.sub(r"<[^>]*>", "", markup).replace("&quot;", '"').replace("&#x27;", "'").replace("&gt;", ">")


def test_colours_that_were_chosen_are_kept_when_a_page_is_opened_again(opened: Open) -> None:
    page = opened(commands.small("nodes")).page
    page.locator("#theme").click()
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    page.reload()
    page.wait_for_selector("html[data-ready]")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"


HEBREW, ARABIC = "\u05e9\u05d5\u05e7-1", "\u0639\u0642\u062f\u0629-2"
EMOJI, LONG, TURNED = "\U0001f680\U0001f680-pool-3", f"node-{'very-long-' * 24}end", "node-\u202eevil"
STRANGE = (HEBREW, ARABIC, EMOJI, LONG, TURNED)


def strange() -> str:
    """A page about nodes whose names are of scripts and lengths that few have."""
    reason = Reason(code="insufficient-cpu", plugin="NodeResourcesFit", text="cpu", message="m", evictable=True)
    groups = tuple(
        Group(
            count=1,
            text=f"cpu: needs 4, free {i}",
            reasons=(reason,),
            nodes=(
                GroupNode(
                    name=name,
                    text=f"{i}",
                    shortages=(
                        Shortage(resource="cpu", needs=4000, free=1000 * i, lacks=4000 - 1000 * i, capacity=8000),
                    ),
                ),
            ),
            names=(name,),
        )
        for i, name in enumerate(STRANGE[:4])
    )
    document = PodExplanation(
        api_version=API_VERSION,
        origin=pages.SOURCE,
        pod=f"shop/{HEBREW}",
        verdict="PENDING",
        sentence=f"shop/{HEBREW} fits 0 of 5 nodes",
        feasible=0,
        nodes=5,
        because=Cause(code="insufficient-cpu", text=f"cpu: {HEBREW} has 3 of 4 free, {ARABIC} 2 of 4, {TURNED} none"),
        groups=groups,
    )
    nodes = tuple(
        NodeUsage(
            name=name,
            allocatable={"cpu": 8000},
            requested={"cpu": 4000},
            pods=(PodUsage(pod=f"shop/{name}", amounts={"cpu": 500}),),
        )
        for name in STRANGE
    )
    shown = seen(document)
    return write(shown, seen(Drawing(nodes=nodes)), f"PENDING {shown.sentence}\n\nNodes {HEBREW} 3 of 4\n")


@pytest.mark.parametrize("width", [390, 1440])
def test_right_to_left_words_long_names_and_emoji_leave_their_neighbours_in_place(opened: Open, width: int) -> None:
    shown = opened(strange(), width=width)
    page = shown.page
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert page.evaluate(OUTSIDE) == []
    assert violations(shown) == []
    # what stands behind a right-to-left word stays at its right: a reader of numbers would take 3 of 4 for 4 of 3
    behind = """() => {
      const line = [...document.querySelectorAll('#answer dd')].find((one) => one.textContent.includes('has 3 of 4'));
      const word = line.querySelector('bdi, a').getBoundingClientRect();
      const range = document.createRange();
      const text = [...line.childNodes].find((one) => one.textContent.includes('has 3 of 4'));
      const start = text.textContent.indexOf('3 of 4');
      range.setStart(text, start);
      range.setEnd(text, start + 1);
      const three = range.getBoundingClientRect();
      range.setStart(text, start + 5);
      range.setEnd(text, start + 6);
      const four = range.getBoundingClientRect();
      return [word.right <= three.left + 1 || three.top > word.top + 4, three.right <= four.left + 1];
    }"""
    assert page.evaluate(behind) == [True, True]
    assert page.locator("figure.picture tspan.apart").count() > 0
    assert page.evaluate("getComputedStyle(document.querySelector('figure.picture .apart')).unicodeBidi") == "isolate"
    assert page.locator(f"#nodes button[data-node='{HEBREW}']").count() == 1


def test_a_mark_that_turns_the_direction_of_text_is_written_out(opened: Open) -> None:
    html = strange()
    assert "\u202e" not in html
    assert "node-\\u202eevil" in opened(html).page.locator("#answer").inner_text()


def test_without_scripts_right_to_left_words_are_set_apart(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(strange(), encoding="utf-8")
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((tmp_path / "page.html").as_uri())
    assert page.locator("h1 bdi").inner_text() == f"shop/{HEBREW}"
    assert page.locator("#answer pre bdi").all_inner_texts() == [f"shop/{HEBREW}", HEBREW]
    context.close()


@pytest.mark.parametrize("name", ["explain pod", "explain pods"])
def test_the_nearest_nodes_stand_first_on_the_map(opened: Open, name: str) -> None:
    """Once 2,100 px of nodes that never fit stood before the near ones."""
    shown = opened(commands.large(name), width=1440, at="#/pod=ml%2Fgpu-0" if name == "explain pods" else "")
    first = shown.page.locator("#nodes .map h3").first
    assert "cpu, larger than the node" in first.inner_text()
    distance = shown.page.evaluate(
        "document.querySelector('#nodes .map .cells').getBoundingClientRect().top"
        " - document.querySelector('#nodes').getBoundingClientRect().top"
    )
    assert distance < 500


def test_what_fits_stands_before_what_refuses_on_the_map(opened: Open) -> None:
    heads = opened(write(*pages.many_nodes())).page.locator("#nodes .map h3").all_inner_texts()
    assert [re.sub(r"\s+", " ", head).split(" ", 1)[1].split(" ")[0] for head in heads] == ["goes", "fits", "cpu:"]


def test_heads_of_columns_are_those_of_the_text(opened: Open) -> None:
    def heads(name: str, section: str) -> list[str]:
        cells = opened(commands.small(name)).page.locator(f"#{section} thead th").all()
        return [cell.evaluate("(one) => one.firstChild ? one.firstChild.textContent : ''") for cell in cells]

    assert heads("nodes", "totals")[1:] == [
        HEADS[fact] for fact in ("used", "requested", "allocatable", "free", "largest")
    ] + ["on", "unusable", "imbalance"]
    each = heads("fail, each zone", "each")
    assert [head for head in each if head in ("replaced", "Pending", "GONE", "evicts", "again")] == [
        "replaced",
        "Pending",
    ]


def test_columns_of_bars_tell_their_scale(opened: Open) -> None:
    shown = opened(commands.small("nodes"))
    assert shown.page.locator("#totals thead .bar-scale").first.inner_text().split() == ["0", "100%"]
