"""Tables of long names: they stay tables in 80 columns, and no further shortened than that takes."""

import pytest

from kplan.render.text.fitting import Fitting, shortened
from kplan.render.text.layout import WIDE, Page
from kplan.render.text.shared import doubt_lines, later
from kplan.render.text.style import Style

POOL = "gke-production-europe-west1-standard-pool"
NAMES = Fitting(nodes=(2,), pods=(1,), wraps=(3,))
HEADS = ("#", "pod", "node", "note")


def table(rows: list[tuple[str, ...]], width: int = 80) -> list[str]:
    """Lines of a table of pods."""
    page = Page(width)
    assert page.table("Pods", HEADS, rows, (0,), fitting=NAMES)
    return page.lines


def test_what_node_names_share_is_told_once_and_no_cell_is_lost() -> None:
    rows = [
        ("1", "shop/web-6dc4cb66fc-k66zl", f"{POOL}-1a2b", ""),
        ("2", "shop/web-6dc4cb66fc-qmsmt", f"{POOL}-9z8y", "one of 2 that tie"),
        ("-", "shop/agent-tuned", "stays", "DaemonSet"),
    ]
    assert table(rows) == [
        "Pods     #  pod                        node    note",
        "         1  shop/web-6dc4cb66fc-k66zl  ..1a2b",
        "         2  shop/web-6dc4cb66fc-qmsmt  ..9z8y  one of 2 that tie",
        "         -  shop/agent-tuned           stays   DaemonSet",
        f"         node names begin with {POOL}-",
    ]


def test_names_of_eks_nodes_lose_their_domain() -> None:
    rows = [
        ("1", "shop/web-6dc4cb66fc-k66zl", "ip-10-0-1-23.eu-west-1.compute.internal", "one of 2 that tie"),
        ("2", "shop/web-6dc4cb66fc-qmsmt", "ip-10-0-97-4.eu-west-1.compute.internal", ""),
    ]
    assert table(rows)[1:] == [
        "         1  shop/web-6dc4cb66fc-k66zl  ip-10-0-1-23  one of 2 that tie",
        "         2  shop/web-6dc4cb66fc-qmsmt  ip-10-0-97-4",
        "         node names end in .eu-west-1.compute.internal",
    ]


def test_names_are_shortened_and_text_is_wrapped_only_as_far_as_it_takes() -> None:
    rows = [("1", f"monitoring/{'alert' * 8}-k66zl", f"{POOL}-1a2b", "evicts one pod of lower priority")]
    assert table(rows) == [
        "Pods     #  pod                       node                      note",
        "         1  mon../alertalert..-k66zl  gke-produc..rd-pool-1a2b  evicts one pod",
        "                                                                of lower",
        "                                                                priority",
    ]


def test_a_wide_page_shortens_nothing() -> None:
    rows = [("1", f"shop/{'x' * 80}", f"{POOL}-1a2b", "note " * 20)]
    page = Page(WIDE)
    assert not page.table("Pods", HEADS, rows, (0,), fitting=NAMES)


@pytest.mark.parametrize(
    ("name", "most", "told"),
    [
        pytest.param("node-a", 16, "node-a", id="a name that fits is whole"),
        pytest.param("ci-ln-k7vx6h2-002ac-w7gjh-master-0", 16, "ci-ln-..master-0", id="a node loses its middle"),
        pytest.param("default/web-0", 16, "default/web-0", id="a pod that fits is whole"),
        pytest.param("monitoring/prometheus-0", 20, "monit../prometheus-0", id="the namespace gives way first"),
        pytest.param("monitoring/thanos-57d98-s2p8t", 20, "mon../thanos-..s2p8t", id="then the middle of the pod"),
    ],
)
def test_a_name_is_shortened(name: str, most: int, told: str) -> None:
    assert shortened(name, most) == told


@pytest.mark.parametrize(("columns", "width", "tables"), [(50, 60, 60), (72, 72, 72), (80, 80, 80), (250, 80, 200)])
def test_tables_take_the_screen_and_paragraphs_stay_readable(columns: int, width: int, tables: int) -> None:
    page = Style(columns=columns).page()
    assert (page.width, page.tables) == (width, tables)


def test_on_a_narrow_screen_a_table_that_is_too_wide_becomes_a_paragraph_for_each_row() -> None:
    """Nothing is cut, and no line is longer than the screen."""
    page = Style(columns=60).page()
    name = "shop/checkout-service-frontend-7d4b9c6f8-2k9dl"
    rows = [("1", name, "node-with-a-long-name-a", "-"), ("2", "b", "", "moved twice")]
    assert page.table("Pods", ("#", "pod", "lands on", "note"), rows, fitting=Fitting(pods=(1,)))
    assert page.lines == [
        "Pods     1  shop/checkout-service-frontend-7d4b9c6f8-2k9dl:",
        "           lands on node-with-a-long-name-a",
        "         2  b: note moved twice",
    ]


def test_three_lines_of_doubts_stand_before_the_cause_and_the_others_at_the_end() -> None:
    page = Style().page()
    doubt_lines(page, ["one", "two", "three"])
    assert page.lines == ["Doubt    one", "Doubt    two", "Doubt    three"]
    page = Style().page()
    doubt_lines(page, ["one", "two", "three", "four"])
    assert page.lines == ["Doubt    one", "Doubt    two", "Doubt    and 2 more doubts"]
    later(page)
    assert page.lines[3:] == ["Doubt    three", "Doubt    four"]
