"""Tables of long names: they stay tables in 80 columns, and no name is cut."""

import pytest

from kplan.render.text.fitting import Fitting
from kplan.render.text.layout import WIDE, Page
from kplan.render.text.shared import doubt_lines, later
from kplan.render.text.style import Style

POOL = "gke-production-europe-west1-standard-pool"
NAMES = Fitting(names=(1, 2), wraps=(3,))
HEADS = ("#", "pod", "node", "note")


def table(rows: list[tuple[str, ...]], width: int = 80) -> list[str]:
    """Lines of a table of pods."""
    page = Page(width)
    assert page.table("Pods", HEADS, rows, (0,), fitting=NAMES)
    return page.lines


def test_text_is_wrapped_where_that_is_enough() -> None:
    rows = [("1", "shop/web-6dc4cb66fc-k66zl", "node-a", "evicts one pod of lower priority that nobody will miss")]
    assert table(rows) == [
        "Pods     #  pod                        node    note",
        "         1  shop/web-6dc4cb66fc-k66zl  node-a  evicts one pod of lower priority",
        "                                               that nobody will miss",
    ]


def test_a_pod_has_a_line_of_its_own_where_long_names_leave_no_room() -> None:
    rows = [
        ("1", "shop/web-6dc4cb66fc-k66zl", "ip-10-0-1-23.eu-west-1.compute.internal", "one of 2 that tie"),
        ("12", "shop/web-6dc4cb66fc-qmsmt", "stays", ""),
    ]
    assert table(rows) == [
        "Pods      #  pod",
        "               node                                     note",
        "          1  shop/web-6dc4cb66fc-k66zl",
        "               ip-10-0-1-23.eu-west-1.compute.internal  one of 2 that tie",
        "         12  shop/web-6dc4cb66fc-qmsmt",
        "               stays",
    ]


def test_no_name_is_cut_however_long_it_is() -> None:
    pod, node = f"monitoring/{'alert' * 15}-k66zl", f"{POOL}-1a2b"
    assert table([("1", pod, node, "evicts one pod of lower priority that nobody misses")]) == [
        "Pods     #  pod",
        "              node                                            note",
        f"         1  {pod}",
        f"              {node}  evicts one pod of",
        "                                                              lower priority",
        "                                                              that nobody misses",
    ]


def test_several_names_in_a_cell_are_wrapped_between_them() -> None:
    rows = [("1", "a", ", ".join(f"{POOL}-{i}" for i in range(3)), "")]
    assert table(rows)[1:] == [
        f"         1  a    {POOL}-0,",
        f"                 {POOL}-1,",
        f"                 {POOL}-2",
    ]


def test_a_number_and_what_it_counts_stay_together() -> None:
    page = Page(60)
    page.splits = False
    rows = [("ok", "7 CustomResourceDefinitions", "a CustomResourceDefinition makes no pods")]
    assert page.table("", ("", "object", "result"), rows, fitting=Fitting(names=(1,), wraps=(2,)))
    assert page.lines[2:] == [
        "         ok  7 CustomResourceDefinitions",
        "               a CustomResourceDefinition makes no pods",
    ]


def test_where_two_lines_are_not_enough_a_row_is_a_paragraph() -> None:
    rows = [("1", "a", "n" * 90, "-"), ("2", "b", "m", "")]
    assert table(rows) == ["Pods     1  a: node", f"           {'n' * 90}", "         2  b: node m"]


def test_a_wide_page_has_no_line_longer_than_its_columns_but_for_a_name() -> None:
    page = Page(WIDE)
    assert page.table("Pods", HEADS, [("1", f"shop/{'x' * 80}", f"{POOL}-1a2b", "note " * 20)], (0,), fitting=NAMES)
    assert [len(line) <= WIDE for line in page.lines] == [True] * 3


@pytest.mark.parametrize(("columns", "width", "tables"), [(50, 60, 60), (72, 72, 72), (80, 80, 80), (250, 80, 200)])
def test_tables_take_the_screen_and_paragraphs_stay_readable(columns: int, width: int, tables: int) -> None:
    page = Style(columns=columns).page()
    assert (page.width, page.tables) == (width, tables)


def test_on_a_narrow_screen_a_table_that_is_too_wide_becomes_a_paragraph_for_each_row() -> None:
    """Nothing is cut, and no line is longer than the screen."""
    page = Style(columns=60).page()
    name = "shop/checkout-service-frontend-7d4b9c6f8-2k9dl"
    rows = [("1", name, "node-with-a-long-name-a", "-"), ("2", "b", "", "moved twice")]
    assert page.table("Pods", ("#", "pod", "lands on", "note"), rows, fitting=Fitting(names=(1,)))
    assert page.lines == [
        "Pods     1  shop/checkout-service-frontend-7d4b9c6f8-2k9dl:",
        "           lands on node-with-a-long-name-a",
        "         2  b: moved twice",
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


def test_a_doubt_of_many_lines_is_begun_and_stands_in_full_at_the_end() -> None:
    page = Style().page()
    long = "one " * 80
    doubt_lines(page, [long.strip(), "two"])
    assert len(page.lines) <= 3
    assert page.lines[-2].endswith("one ... (below)")
    assert page.lines[-1] == "Doubt    and 1 more doubt"
    later(page)
    assert " ".join(" ".join(page.lines[3:]).split()).count("one") == 80
    alone = Style().page()
    doubt_lines(alone, [long.strip()])
    assert len(alone.lines) <= 3
    assert alone.lines[-1].endswith("... (below)")
