"""Text of nodes: short amounts, bars, and one screen for any number of nodes."""

from textwrap import dedent

import pytest

from kplan.render.text import Style
from kplan.render.text.nodes import bar, node_list, percent
from kplan.words import short_amount, short_name
from tests.builders import node, pod
from tests.studies.test_nodes import Gi, Mi, listed

SHORT = [
    ("whole cpus", "cpu", 4000, "4"),
    ("millicores below ten cpus", "cpu", 1420, "1420m"),
    ("rounded towards zero above", "cpu", 31850, "31.8"),
    ("thousands of cpus whole", "cpu", 125_514_300, "125,514"),
    ("over-committed", "cpu", -250, "-250m"),
    ("whole Gi", "memory", 16 * Gi, "16Gi"),
    ("whole Mi", "memory", 6464 * Mi, "6464Mi"),
    ("rounded Gi", "memory", 58_233_716_736, "54.2Gi"),
    ("over-committed memory", "memory", -2 * Gi, "-2Gi"),
    ("devices", "nvidia.com/gpu", 8, "8"),
    ("millions of anything", "nvidia.com/gpu", 6_212_000, "6.2M"),
]


@pytest.mark.parametrize(("resource", "amount", "text"), [row[1:] for row in SHORT], ids=[row[0] for row in SHORT])
def test_short_amounts(resource: str, amount: int, text: str) -> None:
    assert short_amount(resource, amount) == text


def test_exact_amounts_are_not_rounded() -> None:
    assert (short_amount("cpu", 31850, exact=True), short_amount("memory", 58_233_716_737, exact=True)) == (
        "31.85",
        "58233716737",
    )


def test_a_resource_loses_its_domain_unless_another_ends_like_it() -> None:
    assert short_name("nvidia.com/gpu", ["cpu", "nvidia.com/gpu"]) == "gpu"
    assert short_name("nvidia.com/gpu", ["amd.com/gpu", "nvidia.com/gpu"]) == "nvidia.com/gpu"


BARS = [
    ("nothing", 0, ".........."),
    ("a trace shows", 0.1, "#........."),
    ("half", 50, "#####....."),
    ("nearly full is not full", 99.9, "#########."),
    ("full", 100, "##########"),
    ("more than full", 180, "##########"),
]


@pytest.mark.parametrize(("part", "text"), [row[1:] for row in BARS], ids=[row[0] for row in BARS])
def test_bars(part: float, text: str) -> None:
    assert bar(part) == text


def test_percent_is_rounded_down_and_says_over() -> None:
    assert [percent(999, 1000), percent(0, 0), percent(1, 0), percent(3, 2)] == ["99%", "-", "over", "150%"]


def test_a_small_cluster_in_full() -> None:
    found = listed(
        node("a"),
        node("b", taints=["gpu=yes:NoSchedule"], allocatable={"nvidia.com/gpu": "2"}),
        node("c", unschedulable=True),
        pod("web", node="a", requests={"cpu": "3", "memory": "4Gi"}),
        pod("train", node="b", requests={"cpu": "1", "nvidia.com/gpu": "1"}),
        pod("waits", requests={"cpu": "2"}),
    )
    assert node_list(found, Style()) == dedent(
        """\
        NODES    3 nodes, 1 takes any pod (1 cordoned, 1 tainted); 2 pods on them
        Because  cpu is scarcest: 4 free, at most 3 in one piece (b, tainted)

        Total            used  requested    of  free  closed  largest  unusable
                 cpu      33%          4    12     4       4        3     25.0%
                 memory    8%        4Gi  48Gi  28Gi    16Gi     16Gi     42.9%
                 pods      0%          2   330   218     110      109         -
                 gpu      50%          1     2     1       0        1      0.0%
        Slot     most room for one pod: a, 1 cpu, 12Gi memory
        Nodes    node  cpu         free  memory       free     gpu   pods
                 a     ####.  75%     1  #....   25%  12Gi       -  1/110
                 b     #....  25%     3  .....    0%  16Gi  1 of 2  1/110  taint
                 c     .....   0%     4  .....    0%  16Gi       -  0/110  cordoned
                 bars: a # is 20% of allocatable
        Note     not counted: 1 waiting pod
        From     made-up.json, 3 nodes, 3 pods; rules of 1.37 (as asked)
        """
    )


@pytest.mark.parametrize("count", [24, 25, 400])
def test_one_screen_of_eighty_columns_for_any_number_of_nodes(count: int) -> None:
    nodes = [node(f"node-{i:05d}.eu-central-1.compute.internal", labels={"pool": f"p-{i % 9}"}) for i in range(count)]
    pods = [pod(f"p-{i}", node=one.name, requests={"cpu": f"{i}m"}) for i, one in enumerate(nodes)]
    text = node_list(listed(*nodes, *pods, sort_by="full"), Style())
    assert len(text.splitlines()) <= 40
    assert max(map(len, text.splitlines())) <= 80
    if count > 24:
        assert f"+{count - 14:,} between, fullest first (--rows all, or -l SELECTOR)" in text
        assert "p-0" in text
    assert "names end in .eu-central-1.compute.internal" in text


def test_no_name_of_a_node_is_cut_and_what_they_share_is_told_once() -> None:
    names = [f"ci-ln-i7gzws2-8c773-jn5dn-{role}-gwzt6" for role in ("master", "worker", "worker-of-another-pool")]
    found = listed(*(node(name, taints=["a=b:NoSchedule"] if "master" in name else []) for name in names))
    lines = node_list(found, Style()).splitlines()
    table = lines[next(i for i, line in enumerate(lines) if line.startswith("Nodes")) :]
    assert [line.split()[0] for line in table[1:4]] == ["master-gwzt6", "worker-gwzt6", "worker-of-another-pool-gwzt6"]
    assert "names begin with ci-ln-i7gzws2-8c773-jn5dn-;" in " ".join(" ".join(table).split())
    assert max(map(len, lines)) <= 80
    narrow = node_list(found, Style(columns=60))
    assert all(f"{name}: cpu requested 0%, free 4" in " ".join(narrow.split()) for name in names)


def test_a_column_has_one_unit() -> None:
    nodes = [node("a", memory="4Gi"), node("b", cpu="64", memory="1Ti"), node("c")]
    text = node_list(listed(*nodes, pod("p", node="c", requests={"cpu": "1420m", "memory": "123456Ki"})), Style())
    table = [line.split() for line in text[text.index("Nodes    ") :].splitlines()[1:4]]
    assert [(row[3], row[6]) for row in table] == [("4", "4Gi"), ("64", "1,024Gi"), ("2.5", "15Gi")]


def test_all_rows_or_as_many_as_asked() -> None:
    found = listed(*(node(f"n-{i:02d}") for i in range(30)))
    assert node_list(found, Style(), 0).count(" n-") == 30 + 1
    text = node_list(found, Style(), 3)
    assert "+27, by name (--rows all)" in text
    assert node_list(found, Style(wide=True)).count(" n-") == 30 + 1
