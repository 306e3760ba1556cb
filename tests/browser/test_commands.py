"""The page of every command in a real browser: its sections, search and click, narrow screens, and 2,000 nodes."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser import commands
from tests.browser.conftest import Open, Opened

SECTIONS = {
    "nodes": ["In all", "Nodes"],
    "explain node": ["Node", "Refuses", "Fits, but another node wins", "Others that wait", "Runs", "Nodes"],
    "explain pod": ["Why", "Nodes", "Scores", "Queue"],
    "explain pods": ["Causes", "Pods", "Nodes"],
    "simulate": ["Not placed", "Pods", "Owners", "Before and after", "Nodes"],
    "simulate, what-ifs": [
        "What if",
        "Change",
        "Not placed",
        "Rollouts",
        "Pods",
        "Owners",
        "Quotas",
        "Before and after",
        "Nodes",
    ],
    "capacity": ["Where", "What stops the next one", "Nearest nodes", "More nodes", "Nodes"],
    "capacity, growth": ["Where", "What stops the next one", "Nearest nodes", "More nodes", "Nodes"],
    "capacity, shapes": ["Shapes", "Nodes"],
    "drain": ["Pods", "Budgets at the end", "Why", "Fix", "kubectl drain", "Before and after", "Nodes"],
    "drain, found": ["Nodes that could go", "Before and after", "Nodes"],
    "drain, rolling": [
        "Pods",
        "Budgets at the end",
        "Command",
        "How full nodes are at the end",
        "Before and after",
        "Nodes",
        "Takes most",
        "Turns",
    ],
    "fail": ["Pods", "Time", "Why", "Fix", "Before and after", "Nodes"],
    "fail, each zone": ["Each zone", "Why", "Nodes"],
    "fail, each node": ["Each node", "Why", "Fix", "Nodes"],
    "check": [
        "Checked",
        "Findings",
        "Rules",
        "Against",
        "Not placed",
        "Rollouts",
        "Pods",
        "Owners",
        "Quotas",
        "Before and after",
        "Nodes",
    ],
    "diff": ["What differs", "Moves", "Every pod that is elsewhere", "Packing", "Nodes in A and B", "Nodes"],
    "bind": ["Pods", "Guards", "Cluster", "Before and after", "Nodes"],
    "plugins": ["Plugins"],
    "config": ["Differs from the defaults", "Profile default-scheduler", "Extenders", "Feature gates"],
    "config migrate": ["Migrated", "No equal in v1", "Not quite the same", "KubeSchedulerConfiguration"],
}
"""Headings of each page, in order: every field of a document has its place, none is laid out by its shape alone."""
WITHOUT_NODES = ("plugins", "config", "config migrate")


def spaced(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


def open_node(page: Page, name: str) -> None:
    """Search for a node among many, and open its story."""
    page.get_by_label("Search nodes, labels, taints").fill(f"hostname={name}")
    page.locator(f'button[data-node="{name}"]').click()


def rows(shown: Opened, section: str) -> list[str]:
    return [spaced(text) for text in shown.page.locator(f"#{section} tbody tr").all_inner_texts()]


@pytest.mark.parametrize("name", SECTIONS)
def test_a_page_has_its_sections_search_and_click_and_fits_a_narrow_screen(opened: Open, name: str) -> None:
    shown = opened(commands.small(name))
    page = shown.page
    assert page.get_by_role("heading", level=2).all_inner_texts() == SECTIONS[name]
    if name not in WITHOUT_NODES:
        page.get_by_label("Search nodes, labels, taints").fill("hostname=node-c")
        expect(page.locator("#nodes button[data-node]")).to_have_count(1)
        page.locator("#nodes button[data-node]").click()
        assert shown.text("#story h2") == "node-c"
        assert "zone-b" in shown.text("#story")
        page.keyboard.press("Escape")
        page.locator("#story").wait_for(state="hidden")
    page.set_viewport_size({"width": 360, "height": 740})
    assert page.evaluate("document.documentElement.scrollWidth") == 360


@pytest.mark.parametrize("name", commands.LARGE)
def test_two_thousand_nodes_open_at_once_and_are_searched_and_clicked(opened: Open, name: str) -> None:
    html = commands.large(name)
    assert len(html.encode()) < 1_500_000
    shown = opened(html)
    page = shown.page
    ready = page.evaluate("performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd")
    assert ready < 6000  # under a second on a machine that does nothing else
    page.get_by_label("Search nodes, labels, taints").fill("pool=large zone=zone-a")
    # every 10th node is large, every third of these is in zone-a: 0, 30, ... 1980
    expect(page.locator("#nodes .tools .count")).to_have_text("67 of 2,000 nodes")
    page.locator('button[data-node="node-0030"]').click()
    assert shown.text("#story h2") == "node-0030"
    assert "16" in shown.text("#story table")


def test_cells_far_below_are_drawn_when_they_come_near_or_are_gone_to(opened: Open) -> None:
    page = opened(commands.large("nodes"), width=1440).page
    cells = page.locator("#nodes button[data-node]")
    assert cells.count() == 1000
    assert page.locator("#nodes .later").inner_text() == "1,000 more nodes"
    page.locator("#nodes .later").scroll_into_view_if_needed()
    expect(cells).to_have_count(commands.NODES)
    assert page.locator("#nodes .later").count() == 0
    page.reload()
    page.wait_for_selector("html[data-ready]")
    cells.first.focus()
    page.keyboard.press("End")
    assert cells.count() == commands.NODES
    assert page.evaluate("document.activeElement === [...document.querySelectorAll('#nodes button[data-node]')].at(-1)")


def test_a_cause_colours_the_map_by_what_nodes_say_to_its_first_pod(opened: Open) -> None:
    shown = opened(commands.large("explain pods"))
    page = shown.page
    chips = page.locator("#nodes .chip")
    assert [spaced(text) for text in chips.all_inner_texts()] == [
        "+ 1 pods would go here, each tried alone",
        "\u2016 50 cordoned",
        "\u00b7 1,949 no waiting pod goes here",
    ]
    page.locator("#causes li").first.get_by_role("button", name="show on the map").click()
    assert page.locator("#nodes .lens select").input_value() == "ml/gpu-0"
    assert [spaced(text) for text in chips.all_inner_texts()] == [
        "A 1,950 cpu, larger than the node: 64",
        "B 50 cpu, larger than the node: 64, and cordoned (spec.unschedulable)",
    ]
    open_node(page, "node-0047")
    story = spaced(shown.text("#story"))
    assert "Why it refuses ml/gpu-0" in story
    assert "node(s) were unschedulable" in story
    page.get_by_label("Coloured by").select_option("")
    assert chips.count() == 3


def test_a_pod_colours_the_map_when_its_story_is_opened(opened: Open) -> None:
    shown = opened(commands.large("explain pods"))
    page = shown.page
    page.locator("#pods").get_by_role("link", name="shop/urgent").click()
    shown.settle()
    chips = [spaced(text) for text in page.locator("#nodes .chip").all_inner_texts()]
    # half of the small nodes and all of the large ones have 3500m, but for those that are cordoned
    assert chips[0] == "\u2713 1 goes here"
    assert sum(int(chip.split()[1].replace(",", "")) for chip in chips) == commands.NODES
    assert any(re.search("cpu: needs 3500m, free", chip) for chip in chips)
    open_node(page, "node-0021")
    assert "Why it refuses shop/urgent" in shown.text("#story")
    assert re.search(r"cpu\s+3500m\s+1500m\s+2000m", shown.text("#story"))


def test_a_node_tells_what_it_says_to_every_pod(opened: Open) -> None:
    shown = opened(commands.large("explain pods"), at="#node=node-0021")
    asked = spaced(shown.text("#story"))
    assert "1 fits, and goes elsewhere shop/small" in asked
    assert "3 is refused: cpu, larger than the node: 64 ml/gpu-0, ml/gpu-1, ml/gpu-2" in asked
    assert "2 is refused: nodeSelector disktype=nvme" in asked


def test_a_pod_is_chosen_for_the_map_by_keyboard_alone(opened: Open) -> None:
    shown = opened(commands.small("explain pods"))
    page = shown.page
    page.locator("#nodes .lens select").focus()
    page.keyboard.press("ArrowDown")
    page.wait_for_function("document.querySelector('#nodes .lens select').value !== ''")
    assert page.evaluate("document.activeElement.matches('#nodes .lens select')")
    assert shown.text("#told").startswith("The map shows what nodes say to ml/gpu-0")


def test_time_goes_down_a_line(opened: Open) -> None:
    shown = opened(commands.small("fail"))
    points = [spaced(text) for text in shown.page.locator("#time .time li").all_inner_texts()]
    assert points[0] == "0 s node-a falls silent"
    assert points[1].startswith("50 s node-a is tainted")
    assert points[-1].startswith("later once node-a is deleted")


def test_capacity_tells_zones_the_plugin_that_stops_the_next_and_what_more_nodes_do(opened: Open) -> None:
    shown = opened(commands.small("capacity, growth"))
    assert [row.split()[:3] for row in rows(shown, "where")[1:]] == [
        ["zone-a", "2", "1"],
        ["zone-b", "1", "1"],
        ["zone-c", "1", "2"],
    ]
    assert rows(shown, "next") == ["NodeResourcesFit 6 of 6 nodes cpu: needs 1000m, free 420m to 620m"]
    assert rows(shown, "growth")[0] == "0 0 4"
    assert shown.text("#growth pre").startswith("--add-node like=node-f,count=")
    assert "takes 2 more" in shown.text('button[data-node="node-f"]')


def test_a_drain_tells_budgets_and_the_flags_of_what_helps(opened: Open) -> None:
    shown = opened(commands.small("drain"))
    first, *others = rows(shown, "pods")
    assert first.startswith("1 shop/db-0 - \u00d7Pending cpu: it wants 2400m, node-b has 1620m free")
    assert others == [
        "2 shop/web-6d5f-1 web 1 of 1 node-f",
        "- kube-system/log-a - \u2016stays DaemonSet; --ignore-daemonsets",
    ]
    assert rows(shown, "after") == ["shop/web deploy/shop/web 4 of 4 1"]
    assert rows(shown, "fixes")[0] == "1 2 more nodes like node-a all placed --add-node like=node-a,count=2"
    assert shown.page.locator("#needs").count() == 0, "what is blocked has no command to paste"
    assert "drained: \u22122 pods" in shown.text('button[data-node="node-a"]')


def test_every_single_failure_colours_the_nodes_it_is_about(opened: Open) -> None:
    shown = opened(commands.small("fail, each zone"))
    assert [row.split()[:3] for row in rows(shown, "each")] == [[f"zone-{zone}", "~PARTLY", "2"] for zone in "abc"]
    shown.page.locator('button[data-node="node-e"]').click()
    assert "If zone zone-c is lost" in shown.text("#story")


def test_both_sides_of_a_diff_are_drawn(opened: Open) -> None:
    shown = opened(commands.small("diff"))
    lost = shown.text('button[data-node="node-f"]')
    assert "in A alone" in lost or "in B alone" in lost
    assert shown.page.locator("#packing .two").first.get_attribute("aria-label") is not None
    assert rows(shown, "totals")[0].startswith("cpu A")


def test_a_binding_is_drawn_where_it_goes(opened: Open) -> None:
    shown = opened(commands.small("bind"))
    bound = [row for row in rows(shown, "pods") if "\u2713bind" in row]
    assert [row.split()[0] for row in bound] == ["shop/small"]
    assert shown.page.locator("#nodes .chip").first.inner_text().split("\n")[-1] == "pods would be bound here"


def test_findings_are_told_in_full_width_and_filtered(opened: Open) -> None:
    shown = opened(commands.small("check"))
    findings = shown.page.locator("#findings .causes > li")
    every = findings.count()
    assert "web.yaml:20 spec.template.spec.containers[0].resources.requests.cpu" in spaced(shown.text("#findings"))
    shown.page.locator("#findings").get_by_role("button", name=re.compile("^count")).click()
    assert 0 < findings.count() < every


def test_the_configuration_tells_what_runs_with_its_weight_and_where_that_is_from(opened: Open) -> None:
    shown = opened(commands.small("config"))
    assert any("ImageLocality" in row and "weight" in row for row in rows(shown, "differs"))
    assert rows(shown, "extenders") == ["http://127.0.0.1:8888/extend filter 1 - no nodes 5s"]
    assert rows(shown, "gates") == ["GenericWorkload true"]
    assert any(row.startswith("score ") and " ImageLocality 7 " in row for row in rows(shown, "profile-0"))


def test_plugins_are_searched(opened: Open) -> None:
    shown = opened(commands.small("plugins"))
    shown.page.get_by_label("Search plugins").fill("topology.kubernetes.io/zone")
    expect(shown.page.locator("#plugins .count")).not_to_have_text(re.compile("^2[0-9] of"))
    shown.page.get_by_label("Search plugins").fill("PrioritySort")
    expect(shown.page.locator("#plugins details")).to_have_count(1)
    assert shown.page.locator("#plugins details dd").first.is_visible()


def test_paper_has_what_answers_and_no_controls(opened: Open) -> None:
    shown = opened(commands.small("drain"))
    shown.page.emulate_media(media="print")
    for selector in (".top", "#nodes .tools", ".pager", "#story"):
        assert not shown.page.locator(selector).first.is_visible(), selector
    assert shown.page.locator("#pods table").is_visible()
    assert len(shown.page.pdf()) > 10_000


def test_what_becomes_of_each_loss_is_told_by_its_own_numbers(opened: Open) -> None:
    shown = opened(commands.small("fail, each node"))
    titles = [row.get_attribute("aria-label") or "" for row in shown.page.locator("#nodes button[data-node]").all()]
    assert titles != []
    assert not any("some pods do not come back" in title for title in titles), titles


def test_paper_has_every_row(opened: Open) -> None:
    shown = opened(commands.large("nodes"))
    most = "Math.max(...[...document.querySelectorAll('table')].map((one) => one.tBodies[0].rows.length))"
    before = shown.page.evaluate(most)
    shown.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert shown.page.evaluate(most) == commands.NODES
    shown.page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert shown.page.evaluate(most) == before


def test_a_page_that_was_saved_is_not_drawn_twice(opened: Open) -> None:
    shown = opened(commands.small("drain"))
    heads = shown.page.get_by_role("heading", level=2).all_inner_texts()
    saved = opened("<!doctype html>\n" + shown.page.evaluate("document.documentElement.outerHTML"))
    saved.errors.clear()  # styles that the script had set are refused, and set again
    assert saved.page.get_by_role("heading", level=2).all_inner_texts() == heads
    assert saved.page.locator("#sections a").count() == shown.page.locator("#sections a").count()


def test_without_scripts_the_whole_answer_is_there(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(commands.small("drain"))
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((tmp_path / "page.html").as_uri())
    text = page.locator("#answer").inner_text()
    context.close()
    assert "BLOCKED" in text
    assert re.search(r"^Pods +#", text, re.MULTILINE)
    assert re.search(r"^From ", text, re.MULTILINE)
