"""Pictures of every command: what they show, as plain rows; their markup is whole, small and holds no foreign code."""

import re
from xml.etree import ElementTree

import pytest

from kplan.render.picture.canvas import Canvas, Look, fitted, legend, wide
from kplan.render.picture.capacity import knee
from kplan.render.picture.figure import figure
from kplan.render.picture.forms.bars import Bar, Bars, Segment
from kplan.render.picture.forms.flow import Flow
from kplan.render.picture.forms.scatter import Dot, Scatter
from kplan.render.picture.forms.tiles import Tile, Tiles
from kplan.render.picture.model import Picture
from kplan.render.picture.pictures import PICTURES
from kplan.render.picture.scale import amounts_of, counts, rounded_up, ticks
from kplan.result.document_capacity import Growth
from kplan.result.document_nodes import NodeList
from kplan.result.documents import DOCUMENTS
from tests.render.picture import samples

ELEMENTS = {"a", "figure", "svg", "title", "desc", "defs", "pattern", "rect", "path", "text", "tspan", "circle"}
"""All that pictures are made of."""
WITHOUT = {"ConfigMigration", "PluginReference"}
"""Kinds that are lists of texts."""
MOST = 60_000
"""Bytes of a picture, at any number of nodes."""


@pytest.mark.parametrize("name", samples.COMMANDS)
def test_a_picture_shows_what_its_golden_says(name: str) -> None:
    assert samples.written(samples.picture(name)) == (samples.GOLDENS / f"{name}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", samples.COMMANDS)
def test_all_of_a_picture_is_within_its_drawing_and_no_text_upon_another(name: str) -> None:
    assert samples.misplaced(samples.picture(name)) == []


def test_flows_of_one_broad_name_and_many_narrow_ones_stay_within_their_drawing() -> None:
    flows = {("500 other nodes", f"b-{n}"): 100 for n in range(9)} | {(f"a-{n}", "b-0"): 1 for n in range(9)}
    flow = Flow("moves", ("A", "B"), flows, "pods", {}, {}, more="30,000 pods on the same node")
    assert samples.misplaced(Picture("moves", "told", (flow,))) == []


def test_every_kind_that_answers_has_a_picture() -> None:
    assert {kind.__name__ for kind in PICTURES} == set(DOCUMENTS) - WITHOUT


@pytest.mark.parametrize("name", samples.COMMANDS)
def test_a_picture_is_drawn_for_desks_and_for_phones_with_its_words_for_who_does_not_see_it(name: str) -> None:
    made = samples.picture(name)
    drawn = ElementTree.fromstring(figure(made))
    desk, phone = list(drawn)
    for svg, width in ((desk, "1160"), (phone, "356")):
        assert svg.get("viewBox", "").split()[2] == width
        title, told = svg[0], svg[1]
        assert (title.text, told.text) == (made.title, made.told)
        assert (svg.get("aria-labelledby"), svg.get("aria-describedby")) == (title.get("id"), told.get("id"))
    texts = " ".join(text for text in drawn.itertext())
    for panel in made.panels:
        assert panel.title in texts
    assert len(figure(made).encode()) < MOST


@pytest.mark.parametrize("text", ["</svg><script>alert(1)</script>", 'a" onload="x', "a & b", "<!--", "]]>"])
def test_a_name_stays_a_text(text: str) -> None:
    bars = Bars(text, (Bar(text, (Segment(text, 1, Look.SHORT, text, text),), text),), counts(text), marks=((1, text),))
    drawn = ElementTree.fromstring(figure(Picture(text, text, (bars,))))
    assert {part.tag for part in drawn.iter()} <= ELEMENTS
    assert not any(name.startswith("on") for part in drawn.iter() for name in part.attrib)
    assert text in [part.text for part in drawn.iter("title")]


def test_five_thousand_tiles_are_small_and_their_numbers_told() -> None:
    looks = (Look.FULL_4, Look.FULL_2, Look.FULL_0)
    tiles = tuple(Tile(f"node-{i:04d}", looks[i // 2000], 90 - i / 60, "") for i in range(5000))
    made = Tiles("nodes", tiles, ((Look.FULL_4, "full"), (Look.FULL_2, "half"), (Look.FULL_0, "empty")), "percent")
    assert [(row.label, row.value) for row in made.data()] == [("full", 2000), ("half", 2000), ("empty", 1000)]
    drawn = figure(Picture("nodes", "", (made,)))
    assert len(drawn.encode()) < MOST
    wide_one = ElementTree.fromstring(drawn)[0]
    squares = [re.findall(r"h(\d+)v(\d+)", part.get("d", "")) for part in wide_one.iter() if part.get("class") in looks]
    assert [sum(int(width) // int(side) for width, side in runs) for runs in squares if runs] == [2000, 2000, 1000]


def test_points_that_lie_together_are_one() -> None:
    points = tuple(Dot(f"node-{i}", i * 7919 % 4000, i * 104729 % 16000) for i in range(5000))
    made = Scatter("free", points, amounts_of("cpu", 4000), counts("memory"), "a node")
    assert made.data()[0].value == 5000
    drawn = figure(Picture("free", "", (made,)))
    assert len(drawn.encode()) < MOST
    assert 2 * 50 < drawn.count("<circle") <= 2 * 300


@pytest.mark.parametrize(
    ("resource", "high", "written"),
    [
        ("cpu", 800, ["0", "200", "400", "600", "800"]),
        ("cpu", 4000, ["0", "1", "2", "3", "4"]),
        ("memory", 16 << 30, ["0", "4", "8", "12", "16"]),
        ("nvidia.com/gpu", 3, ["0", "1", "2", "3"]),
    ],
)
def test_ticks_are_round_and_of_one_unit(resource: str, high: int, written: list[str]) -> None:
    unit = amounts_of(resource, high)
    assert [unit.write(number) for number in ticks(0, high, unit)] == written


def test_a_scale_ends_behind_what_it_shows_at_a_round_number() -> None:
    assert rounded_up(7, counts("pods")) == 8
    assert rounded_up(1, counts("pods")) == 1
    assert rounded_up(230, counts("pods")) == 250


def test_the_middle_of_a_long_name_is_left_out() -> None:
    assert fitted("kube-system/coredns-5d78c9869d-x2v8q", 150) == "kube-system/c\u2026-x2v8q"
    assert fitted("short", 150) == "short"
    assert wide("\u6f22") == 2 * wide("a")


def test_a_legend_goes_on_in_the_next_line() -> None:
    canvas = Canvas("wide", 100)
    assert legend(canvas, 0, 0, 100, [(Look.GOOD, "placed"), (Look.SHORT, "waits")]) == 36
    assert legend(canvas, 0, 0, 500, [(Look.GOOD, "placed"), (Look.SHORT, "waits")]) == 20
    assert legend(canvas, 0, 0, 500, []) == 0


@pytest.mark.parametrize(
    ("nodes", "fits", "at"),
    [
        ((0, 1, 2, 3), (2, 5, 8, 9), 2),
        ((0, 1, 2), (2, 5, 8), None),
        ((0, 2, 4, 8), (0, 4, 8, 8), 2),
        ((0,), (3,), None),
    ],
)
def test_the_knee_is_where_each_node_brings_less(nodes: tuple[int, ...], fits: tuple[int, ...], at: int | None) -> None:
    assert knee(Growth(like="n", flag="", nodes=nodes, fits=fits)) == at


def test_pools_that_were_asked_for_are_the_picture_and_those_of_the_table() -> None:
    told, panels = samples.document("nodes-by"), samples.picture("nodes-by").panels
    assert isinstance(told, NodeList)
    assert told.by == told.pool_label == "topology.kubernetes.io/zone"
    wanted = {f"{pool.name} {name}": pool.full[name] for pool in told.pools for name in ("cpu", "memory")}
    assert {datum.label: datum.value for datum in panels[0].data() if datum.part == "requested"} == wanted
    assert samples.picture("nodes").panels[0].title.startswith("cpu or memory requested")  # where kplan chose the pools
