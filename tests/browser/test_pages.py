"""The HTML report in a real browser: it opens, finds, filters and tells, by mouse and by keyboard."""

import re
from pathlib import Path

import msgspec
import pytest
from playwright.sync_api import expect

import kplan
from kplan.render.html import page as write
from tests.browser import pages
from tests.browser.conftest import Open


def test_it_asks_for_nothing_but_itself(opened: Open) -> None:
    shown = opened(pages.explained("huge"))
    assert len([url for url in shown.requests if url.startswith("file:")]) == 1


def test_the_verdict_is_there_before_any_script(opened: Open) -> None:
    html = pages.explained("huge")
    assert "<h1" in html
    head = html.partition("<h1")[2].partition("<noscript>")[0]
    assert "default/huge fits 0 of 4 nodes" in head
    assert "made-up.json, 4 nodes, 5 pods" in head
    assert opened(html).text("h1") == "\u00d7\nPENDING\ndefault/huge fits 0 of 4 nodes"


def test_nodes_are_cards_where_they_are_few(opened: Open) -> None:
    shown = opened(pages.explained("small"))
    cards = shown.page.locator("#nodes button[data-node]")
    assert cards.count() == 4
    assert "node-a" in shown.text('#nodes button[data-node="node-a"]')
    assert "87%" in shown.text('#nodes button[data-node="node-a"]')  # 3500m of 4


def test_a_search_leaves_the_nodes_that_match_every_word(opened: Open) -> None:
    shown = opened(write(*pages.many_nodes()))
    shown.page.get_by_label("Search nodes, labels, taints").fill("zone=zone-1 disktype=ssd")
    # every third node from 1 is in zone-1; every second of these is odd, so it has an ssd: 1, 7, ... 1999
    expect(shown.page.locator("#nodes .tools .count")).to_have_text("334 of 2,000 nodes")
    assert shown.page.locator("#nodes button[data-node]").count() == 334
    assert shown.text("#told") == "334 of 2,000 nodes"
    shown.page.get_by_label("Search nodes, labels, taints").fill("no such node")
    shown.page.wait_for_selector("text=No node matches.")


def test_a_search_that_every_node_matches_draws_nothing(opened: Open) -> None:
    page = opened(write(*pages.many_nodes())).page
    page.evaluate(
        "() => { window.drawn = 0; new MutationObserver((all) => (window.drawn += all.length))"
        ".observe(document.querySelector('#nodes .shown'), { childList: true, subtree: true }); }"
    )
    first = page.locator("#nodes button[data-node]").first
    first.evaluate("(cell) => (cell.dataset.kept = 'yes')")
    field = page.get_by_label("Search nodes, labels, taints")
    field.scroll_into_view_if_needed()
    page.wait_for_timeout(1000)  # tiles are drawn when they come into sight
    page.evaluate("() => (window.drawn = 0)")
    field.fill("node-")
    page.wait_for_timeout(300)
    expect(page.locator("#nodes .tools .count")).to_have_text("2,000 nodes")
    assert page.evaluate("() => window.drawn") == 0
    field.fill("no such node")
    page.wait_for_selector("text=No node matches.")
    field.fill("node-")
    expect(page.locator("#nodes .tools .count")).to_have_text("2,000 nodes")
    assert first.get_attribute("data-kept") == "yes"  # the same cell is shown again, none is made


def test_the_legend_counts_verdicts_and_filters_by_them(opened: Open) -> None:
    shown = opened(write(*pages.many_nodes()))
    chips = shown.page.locator("#nodes .chip")
    assert [re.sub(r"\s+", " ", text) for text in chips.all_inner_texts()] == [
        "\u2713 1 goes here",
        "+ 99 fits",
        "A 1,900 cpu: needs 2, free 1",
    ]
    chips.nth(1).click()
    assert shown.page.locator("#nodes button[data-node]").count() == 99
    assert chips.nth(1).get_attribute("aria-pressed") == "true"
    chips.nth(1).click()
    expect(shown.page.locator("#nodes .tools .count")).to_have_text("2,000 nodes")


def test_a_click_opens_the_whole_story_of_a_node(opened: Open) -> None:
    shown = opened(write(*pages.many_nodes()))
    shown.page.locator('button[data-node="node-00007"]').click()
    story = re.sub(r"[ \t]+", " ", shown.text("#story"))
    for part in (
        "node-00007",
        "Why it refuses ml/train-0",
        "Insufficient cpu",
        "15 16",
        "6 pods",
        "shop/web-7-0",
        "3 labels",
    ):
        assert part in story, story
    # only the first three of the group have their numbers in the document; these are counted from the columns
    assert re.search(r"cpu\s+2\s+1\s+1\b", story), story
    shown.page.locator('button[data-node="node-00020"]').click()
    story = shown.text("#story")
    assert "399, 1 of 100 feasible nodes score more" in story
    assert re.search(r"NodeResourcesFit\s+99\s+99\s+100", story), story


def test_the_story_opens_and_closes_by_keyboard_alone(opened: Open) -> None:
    shown = opened(pages.explained("small"))
    keys = shown.page.keyboard
    shown.page.locator("#nodes button[data-node]").first.focus()
    first = shown.page.evaluate("document.activeElement.dataset.node")
    keys.press("ArrowRight")
    second = shown.page.evaluate("document.activeElement.dataset.node")
    assert (first, second) == ("node-b", "node-c")
    keys.press("End")
    keys.press("Home")
    keys.press("ArrowRight")
    keys.press("Enter")
    shown.page.locator("#story").wait_for(state="visible")
    assert shown.focused() == "node-c"
    assert shown.page.locator('button[data-node="node-c"]').get_attribute("aria-current") == "true"
    keys.press("Escape")
    shown.page.locator("#story").wait_for(state="hidden")
    assert shown.page.evaluate("document.activeElement.dataset.node") == "node-c"


def test_arrow_down_goes_to_the_tile_below(opened: Open) -> None:
    shown = opened(write(*pages.many_nodes()))
    tile = shown.page.locator('button[data-node="node-00001"]')
    tile.focus()
    here = tile.bounding_box()
    shown.page.keyboard.press("ArrowDown")
    there = shown.page.locator("button:focus").bounding_box()
    assert here is not None
    assert there is not None
    assert abs(there["x"] - here["x"]) < 1
    assert 20 < there["y"] - here["y"] < 40
    shown.page.keyboard.press("ArrowUp")
    assert shown.page.evaluate("document.activeElement.dataset.node") == "node-00001"


def test_one_stop_of_the_tab_key_for_all_tiles(opened: Open) -> None:
    shown = opened(write(*pages.many_nodes()))
    assert shown.page.locator('#nodes button[data-node][tabindex="0"]').count() == 1


def test_an_address_opens_a_story_and_the_back_button_closes_it(opened: Open) -> None:
    shown = opened(pages.explained("small"), at="#node=node-b")
    assert shown.text("#story h2") == "node-b"
    shown.page.locator('button[data-node="node-c"]').click()
    assert shown.text("#story h2") == "node-c"
    shown.page.go_back()
    assert shown.text("#story h2") == "node-b"
    broken = opened(pages.explained("small"), at="#node=%E0%A4%A")
    broken.page.locator("#story").wait_for(state="hidden")


def test_the_table_of_nodes_sorts_and_turns_pages(opened: Open) -> None:
    shown = opened(write(*pages.many_nodes()))
    shown.page.locator("#nodes").get_by_role("button", name="Table", exact=True).click()
    assert shown.page.locator("#nodes tbody tr").count() == 50
    shown.page.locator("#nodes thead button", has_text="cpu").click()
    assert shown.text('#nodes th[aria-sort="descending"] button') == "cpu"
    assert "93%" in shown.text("#nodes tbody tr")  # 15 of 16
    shown.page.locator("#nodes thead button", has_text="cpu").click()
    assert "25%" in shown.text("#nodes tbody tr")
    shown.page.locator("#nodes .pager button", has_text="Next").click()
    assert shown.text("#nodes .table .count") == "51 to 100 of 2,000"


def test_scores_are_stacked_by_plugin_with_the_numbers_beside(opened: Open) -> None:
    shown = opened(write(*pages.many_nodes()))
    stacks = shown.page.locator("#scores .stack")
    assert stacks.first.get_attribute("aria-label") == "NodeResourcesFit 100"
    shown.page.locator("#scores").get_by_role("button", name="All plugins").click()
    expect(stacks.first).to_have_attribute("aria-label", "NodeResourcesFit 100, TaintToleration 300")
    first, second = (stacks.first.locator(".piece").nth(i).bounding_box() for i in (0, 1))
    assert first is not None
    assert second is not None
    assert 2.9 < second["width"] / first["width"] < 3.1


def test_preemption_shows_the_victims_of_every_node(opened: Open) -> None:
    shown = opened(pages.explained("urgent"))
    victims = shown.page.locator("#preemption tbody tr")
    told = [re.sub(r"\s+", " ", text) for text in victims.all_inner_texts()]
    assert told[0] == "\u2713 chosen node-a default/old-0 0 30s none yes, sts/old"
    assert any("node-b default/web-0 50" in row for row in told)


def test_a_plan_shows_where_each_pod_goes_and_how_full_nodes_are_before_and_after(opened: Open) -> None:
    shown = opened(pages.planned())
    rows = [re.sub(r"\s+", " ", text) for text in shown.page.locator("#pods tbody tr").all_inner_texts()]
    assert rows[0].startswith("3 default/huge \u00d7pending")  # what fails first
    assert any(row.startswith("1 default/urgent ~placed after evictions node-a") for row in rows)
    packing = shown.page.locator("#packing table").last.locator("tbody tr")
    cells = [row.split("\t") for row in packing.all_inner_texts()]
    told = {row[0].strip("+\u00b1 \n"): [cell for cell in row[1:] if cell.strip()] for row in cells}
    # old-0 (3500m) left node-a for urgent (3500m); small (1 cpu) landed beside web-0
    assert told["node-a"] == ["3500m", "3500m", "4000m", "+0%", "+1, \u22121"]
    assert told["node-b"] == ["1000m", "2000m", "4000m", "+25%", "+1"]
    bars = shown.page.locator("#packing .two").first
    assert "before 25%, after 50%" in (bars.get_attribute("aria-label") or "")
    shown.page.get_by_role("link", name="default/urgent").first.click()
    assert "evicts" in shown.text("#story")
    assert "default/old-0" in shown.text("#story")


def test_eight_thousand_pods_are_searched_filtered_and_paged(opened: Open) -> None:
    shown = opened(pages.many_pods())
    assert shown.text("#pods .count") == "1 to 25 of 8,000"
    assert shown.page.locator("#pods tbody tr").count() == 25
    shown.page.get_by_label("Search pods").fill("web-777")
    expect(shown.page.locator("#pods .count")).to_have_text("10 of 8,000 pods")  # web-7770 to web-7779
    shown.page.get_by_label("Search pods").fill("")
    shown.page.locator("#pods .tabs button", has_text="pending 1,000").click()
    expect(shown.page.locator("#pods .count")).to_have_text("1 to 25 of 1,000, 8,000 in all")
    assert "shop/web-0000" in shown.text("#pods tbody tr")


def test_many_pods_explained_have_a_story_each(opened: Open) -> None:
    shown = opened(pages.explained("small", "huge", "urgent"))
    assert shown.text("#pods h2") == "Pods"
    shown.page.locator("#pods").get_by_role("link", name="default/huge").click()
    assert "PENDING default/huge fits 0 of 4 nodes" in re.sub(r"\s+", " ", shown.text("#story"))
    assert "Why" in shown.text("#story")


def test_a_kind_it_does_not_know_is_laid_out_by_its_parts(opened: Open) -> None:
    shown = opened(pages.unknown_kind())
    assert shown.text("h1").split() == ["\u00b7", "NEW", "something", "came", "of", "it"]
    assert shown.text("#part-moves h2") == "Moves"
    assert shown.page.locator("#part-moves tbody tr").all_inner_texts() == ["shop/a\tnode-0", "shop/b\tnode-1"]
    assert [text.split("\n") for text in shown.page.locator("#part-limits dl > div").all_inner_texts()] == [
        ["Max skew", "2"],
        ["cpu", "1500m"],
    ]
    assert "shop/web-0" in shown.text("#pods tbody")


def test_names_that_mean_harm_do_none(opened: Open) -> None:
    shown = opened(pages.harmful())
    page = shown.page
    for i in range(page.locator("#nodes button[data-node]").count()):
        page.locator("#nodes button[data-node]").nth(i).click()
        assert shown.text("#story h2") in [re.sub(r"[\u2028\u2029]", lambda m: m[0], name) for name in pages.HARM]
        page.locator("#story summary").click()
    page.locator("#nodes").get_by_role("button", name="Table", exact=True).click()
    page.wait_for_timeout(100)
    assert page.evaluate("window.harmed") is None
    assert page.evaluate("document.scripts.length") == 2
    assert page.locator("img, iframe, object, svg:not(figure.picture > svg)").count() == 0
    assert page.locator("figure.picture > svg").count() == 2, "one for desks, one for phones"
    assert page.locator("[onload], [onerror], [onclick]").count() == 0
    assert pages.HARM[0] in shown.text("#answer")
    assert pages.HARM[1] in page.locator("#nodes tbody").inner_text()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_is_light_or_dark_as_the_system_says_until_the_button_is_used(opened: Open, scheme: str) -> None:
    shown = opened(pages.explained("huge"), scheme=scheme)
    colour = "getComputedStyle(document.body).backgroundColor"
    light, dark = "rgb(255, 255, 255)", "rgb(21, 24, 28)"
    assert shown.page.evaluate(colour) == (light if scheme == "light" else dark)
    shown.page.locator("#theme").click()
    assert shown.page.evaluate(colour) == (dark if scheme == "light" else light)
    assert shown.page.locator("#theme").get_attribute("aria-label") == (
        "Use light colours" if scheme == "light" else "Use dark colours"
    )


def test_nothing_moves_for_those_who_asked_for_that(opened: Open) -> None:
    shown = opened(pages.explained("huge"))
    shown.page.emulate_media(reduced_motion="reduce")
    assert shown.page.evaluate("getComputedStyle(document.documentElement).scrollBehavior") == "auto"
    assert shown.page.evaluate("document.getAnimations().length") == 0


def test_it_fits_a_narrow_screen(opened: Open) -> None:
    shown = opened(pages.planned(), width=360, height=740)
    assert shown.page.evaluate("document.documentElement.scrollWidth") == 360
    shown.page.locator("#nodes button[data-node]").first.click()
    assert shown.page.evaluate("document.documentElement.scrollWidth") == 360


def test_two_thousand_nodes_are_a_small_page_that_opens_at_once(opened: Open) -> None:
    html = write(*pages.many_nodes())
    assert len(html.encode()) < 3_000_000
    shown = opened(html)
    ready = shown.page.evaluate("performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd")
    assert ready < 5000  # some hundreds of milliseconds on a machine that does nothing else


def test_what_all_nodes_are_given_alike_is_a_number_everywhere(opened: Open) -> None:
    document, drawing = pages.many_nodes(50)
    assert document.scores is not None
    # as explain writes it: what is the same on all nodes stands once, beside the rows
    alike = [
        msgspec.structs.replace(row, plugins={"NodeResourcesFit": row.plugins["NodeResourcesFit"]}, raw={})
        for row in document.scores.rows
    ]
    scores = msgspec.structs.replace(document.scores, rows=tuple(alike))
    shown = opened(write(msgspec.structs.replace(document, scores=scores), drawing))
    shown.page.locator("#scores").get_by_role("button", name="All plugins").click()
    label = shown.page.locator("#scores .stack").first.get_attribute("aria-label")
    assert label == "NodeResourcesFit 100, TaintToleration 300"
    shown.page.locator('button[data-node="node-00020"]').click()
    assert re.search(r"TaintToleration\s+300\s+300", shown.text("#story"))
    assert "NaN" not in shown.page.content().partition("<script")[0]
    assert "undefined" not in shown.text("#story")


def test_amounts_that_stand_together_have_one_unit(opened: Open) -> None:
    shown = opened(pages.explained("huge"))
    source = (Path(kplan.__file__).parent / "data/html/script/base/amounts.js").read_text()
    write = f"([resource, numbers]) => {{ {source}\n return numbers.map(writer(resource, numbers)); }}"
    for resource, numbers, texts in (
        ("memory", [300 << 30, 26348808 << 10, 0], ["300Gi", "25.13Gi", "0"]),
        ("memory", [2 << 40, 1 << 30], ["2,048Gi", "1Gi"]),
        ("memory", [3 << 20, 1 << 10], ["3,072Ki", "1Ki"]),
        ("cpu", [3424, 11000], ["3.424", "11"]),
    ):
        assert shown.page.evaluate(write, [resource, numbers]) == texts
