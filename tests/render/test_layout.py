"""The layout: labels in columns 1 to 8, text from column 10, nothing wider than the page."""

import json

import msgspec
import pytest

from kplan.framework.doubt import Doubt
from kplan.render.colour import coloured
from kplan.render.data import to_json, to_yaml
from kplan.render.text import Style, explanation
from kplan.render.text.layout import Page
from kplan.result.document import Group, GroupNode, PodExplanation, Reason
from kplan.result.document_base import API_VERSION, Cause, Origin

SOURCE = Origin(source="big.json", nodes=5000, pods=30001, k8s_version="1.37.2", how="as recorded", rules="1.37.2")


def sample() -> PodExplanation:
    """Seven groups, of which five are shown."""
    reason = Reason(code="x", plugin="X", text="x", message="node(s) x", evictable=False)
    groups = tuple(
        Group(
            count=1000 - n,
            text=f"reason {n}",
            reasons=(reason,),
            nodes=(GroupNode(name="a", text="1"), GroupNode(name="b", text="2"), GroupNode(name="c", text="2")),
            shared=("m32", "ssd") if n == 0 else (),
        )
        for n in range(7)
    )
    return PodExplanation(
        api_version=API_VERSION,
        origin=SOURCE,
        pod="ml/train-0",
        verdict="PENDING",
        sentence="ml/train-0 fits 0 of 6,979 nodes",
        feasible=0,
        nodes=6979,
        because=Cause(code="x", text="one cause " * 12),
        doubts=(Doubt(code="d", text="something is not modelled"),),
        groups=groups,
    )


def test_the_whole_page() -> None:
    lines = explanation(sample(), Style()).splitlines()
    assert lines[:6] == [
        "PENDING? ml/train-0 fits 0 of 6,979 nodes",
        "Doubt    something is not modelled",
        "Because  one cause one cause one cause one cause one cause one cause one cause",
        "         one cause one cause one cause one cause one cause",
        "",
        "Why      6,979 nodes in 7 groups, nearest first",
    ]
    assert lines[6:8] == ["  1,000  reason 0", "           a 1, b, c 2, +997   all m32, ssd"]
    assert lines[16:] == [
        "         2 more groups, 1,989 nodes (-o wide)",
        "         all names: --group 1, --group 2 ...; one node: --node NAME",
        "From     big.json, 5,000 nodes, 30,001 pods; rules of 1.37.2 (as recorded)",
    ]


def test_wide_shows_every_group_and_the_schedulers_text() -> None:
    shown = explanation(sample(), Style(wide=True))
    assert shown.count("X: node(s) x") == 7
    assert "more groups" not in shown


def test_a_table_that_is_too_wide_is_not_written() -> None:
    page = Page(30)
    assert not page.table("Scores", ("node", "total"), [("a" * 30, "1")])
    assert page.lines == []
    assert page.table("Scores", ("node", "total"), [("a", "1"), ("b", "22")], right=(1,), marked=1)
    assert page.text() == "Scores   node  total\n         a         1\n       > b        22\n"


def test_a_name_longer_than_the_page_has_a_line_of_its_own_and_can_be_copied() -> None:
    page = Page()
    page.part("Doubt", f"pod {'x' * 100} waits")
    assert page.lines == ["Doubt    pod", f"         {'x' * 100}", "         waits"]


def test_the_lines_that_answer_alone_hide_no_doubt() -> None:
    doubts = tuple(Doubt(code=f"d-{number}", text=f"doubt number {number}") for number in range(5))
    shown = explanation(msgspec.structs.replace(sample(), doubts=doubts), Style(quiet=True))
    assert all(f"doubt number {number}" in shown for number in range(5))
    assert "Why" not in shown


def test_text_from_outside_stands_as_it_is_and_is_wrapped_by_the_columns_it_takes() -> None:
    page = Page(20)
    page.part("Because", "caf\u00e9")
    page.part("Note", "\u65e5\u672c \u8a9e\u6587\u5b57 ab")  # 4 and 6 columns of the 11 that there are, then 2
    page.part("Note", "\U0001f680\U0001f680 \u05e9\u05dc\u05d5\u05dd xy")
    assert page.lines == [
        "Because  caf\u00e9",
        "Note     \u65e5\u672c \u8a9e\u6587\u5b57",
        "         ab",
        "Note     \U0001f680\U0001f680 \u05e9\u05dc\u05d5\u05dd",
        "         xy",
    ]


def test_columns_stand_below_one_another_whatever_letters_are_in_them() -> None:
    page = Page(80)
    rows = [
        ("\u65e5\u672c\u8a9e", "1", "a"),
        ("e\u0301te\u0301", "22", "b"),
        ("\U0001f680", "3", "c"),
        ("\u05e9\u05dc", "4", "d"),
    ]
    assert page.table("Pods", ("name", "n", "x"), rows, (1,))
    assert page.lines == [
        "Pods     name     n  x",
        "         \u65e5\u672c\u8a9e   1  a",  # six columns
        "         e\u0301te\u0301     22  b",  # three
        "         \U0001f680       3  c",  # two
        "         \u05e9\u05dc       4  d",
    ]


def test_json_and_yaml_have_the_same_parts() -> None:
    answer = json.loads(to_json(sample()))
    assert list(answer)[:3] == ["apiVersion", "kind", "pod"]
    assert (answer["apiVersion"], answer["from"]["k8sVersion"]) == ("kplan.dev/v1", "1.37.2")
    assert to_yaml(sample()).startswith("apiVersion: kplan.dev/v1\nkind: PodExplanation\npod: ml/train-0\n")


def test_colour_changes_no_letter() -> None:
    text = explanation(sample(), Style()) + "         n  x  BREAKS pdb\n"
    shown = coloured(text)
    assert shown.plain == text
    assert {"bold red", "dim", "yellow", "red"} <= {str(span.style) for span in shown.spans}


def test_colour_goes_by_what_is_meant() -> None:
    text = (
        "Zones    zone  pods  Pending  GONE\n"
        "         a        3        -     -\n"
        "Steps    #  pod    node     note\n"
        "         1  web-1  Pending  insufficient-cpu\n"
        "         2  web-2  GONE     nothing owns it\n"
        "         3  web-3  node-a   BLOCKED-not\n"
        "         FAIL  deploy/a\n"
        "      2  BLOCKED by a budget\n"
        "Careful  Pending is a word here\n"
    )
    shown = coloured(text)
    assert shown.plain == text
    harm = sorted({(span.start, text[span.start : span.end]) for span in shown.spans if span.style == "red"})
    assert [word for _, word in harm] == ["Pending", "GONE", "FAIL", "BLOCKED"]


@pytest.mark.parametrize(
    ("what", "told"),
    [
        ("pools, 714 nodes", "+1 pool, 714 nodes (-o wide)"),
        ("pods that are placed or stay", "+1 pod that is placed or stays (-o wide)"),
        ("pods that evict others", "+1 pod that evicts others (-o wide)"),
        ("resources: a.example/x", "+1 resource: a.example/x (-o wide)"),
        ("smaller ones", "+1 smaller one (-o wide)"),
        ("that pass", "+1 that passes (-o wide)"),
        ("", "+1 (-o wide)"),
    ],
)
def test_of_one_that_is_left_out_the_text_speaks_of_one(what: str, told: str) -> None:
    page = Page()
    page.more(1, what)
    page.more(2, what)
    page.more(0, what)
    assert page.lines == [f"         {told}", f"         +2{' ' * bool(what)}{what} (-o wide)"]
