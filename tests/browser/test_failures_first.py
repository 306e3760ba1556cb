"""What fails stands first in every table of a page; in check, findings that differ by their object alone are one."""

import re
from pathlib import Path

import pytest

from kplan.cli.main import main
from tests.browser import commands
from tests.browser.conftest import Open
from tests.cli.snapshots import node, write

BAD_ROWS = """() => [...document.querySelectorAll('main table')].map((table) => ({
  caption: table.caption.textContent,
  bad: [...table.tBodies[0].rows].map((row) => row.querySelector('.toned.bad') !== null),
}))"""
IN_TIME = re.compile("Rollout of|Moves of step|Turns")
"""Tables that tell step by step what happens."""
WITH_BOTH = {
    "simulate": "Pods, those without a node first; # tells in which order they were tried",
    "drain": "Pods, those that find no place first, then in the order of eviction",
    "bind": "Pods, those that are not bound first, then in the order in which they are bound",
    "explain pods": "Pods explained",
    "fail": "Pods of the lost nodes",
}
"""Tables of the sample that hold rows that fail and rows that do not."""


@pytest.mark.parametrize("name", commands.SMALL)
def test_what_fails_stands_first_in_every_table_of_a_page(opened: Open, name: str) -> None:
    page = opened(commands.small(name)).page
    page.evaluate("dispatchEvent(new Event('beforeprint'))")  # every row, and what is folded
    tables = [one for one in page.evaluate(BAD_ROWS) if not IN_TIME.match(one["caption"])]
    for one in tables:
        assert one["bad"] == sorted(one["bad"], reverse=True), one["caption"]
    if name in WITH_BOTH:
        found = next(one["bad"] for one in tables if one["caption"] == WITH_BOTH[name])
        assert set(found) == {True, False}, "a table that cannot show it"


def test_the_number_of_a_step_stays_the_order_in_which_it_was_tried(opened: Open) -> None:
    page = opened(commands.small("simulate")).page
    cells = page.locator("#pods tbody tr").evaluate_all(
        "(rows) => rows.map((row) => [row.cells[0].textContent, row.cells[2].textContent])"
    )
    pending = [int(number) for number, result in cells if "pending" in result]
    placed = [int(number) for number, result in cells if "placed" in result]
    assert pending == sorted(pending)
    assert placed == sorted(placed)
    assert [number for number, _ in cells] != sorted((number for number, _ in cells), key=int)
    for _ in range(2):  # numbers come the greatest first, then the least
        page.locator("#pods thead th:first-child button").click()
    numbers = page.locator("#pods tbody tr td:first-child").all_inner_texts()
    assert numbers == sorted(numbers, key=int), "a click on # gives the order of the scheduler"


POD = """\
apiVersion: v1
kind: Pod
metadata: {{name: {name}, namespace: default}}
spec: {{containers: [{{name: a, image: x, resources: {{requests: {{cpu: "{cpu}"}}}}}}]}}
"""


def test_findings_of_one_cause_are_one_entry_that_names_the_others(opened: Open, tmp_path: Path) -> None:
    """Thirty pods of one size and five of another, each larger than any node: two causes, two entries."""
    cluster = write(tmp_path, node("n-1"), node("n-2"))
    pods = [POD.format(name=f"huge-{i:03d}", cpu="64") for i in range(30)]
    pods += [POD.format(name=f"large-{i}", cpu="32") for i in range(5)]
    (tmp_path / "pods.yaml").write_text("---\n".join(pods))
    file = tmp_path / "page.html"
    main(["check", str(tmp_path / "pods.yaml"), "--snapshot", cluster, "-o", f"html={file}"])
    html = file.read_text()
    page = opened(html).page
    items = page.locator("#findings .causes > li")
    assert items.count() == 2
    first, second = (re.sub(r"\s+", " ", text) for text in items.all_inner_texts())
    assert "pod/default/huge-000" in first
    assert re.search(r"likewise .*huge-001.*huge-008 \+21 more", first)
    assert re.search(r"likewise .*large-1.*large-4", second)
    assert page.locator("#findings .tools").count() == 0, "all count: there is no choice"
    items.first.get_by_role("button", name="+21 more").click()
    assert "huge-029" in items.first.inner_text()
