"""Text of two plans side by side: one screen for any number of moves."""

from kplan.render.text import Style
from kplan.render.text.diff import diff
from tests.builders import node, pod
from tests.studies.test_diff import MOST, compare, side


def test_many_moves_are_folded_by_owner_on_one_screen() -> None:
    nodes = [node(f"node-{i:02d}", cpu="64") for i in range(30)]
    busy = pod("busy", node="node-29", requests={"cpu": "32"})
    pods = [pod(f"new-{i:02d}", namespace=f"team-{i:02d}", requests={"cpu": "1"}) for i in range(29)]
    found = compare(side("A", [*nodes, busy, *pods]), side("B", [*nodes, busy, *pods], config=MOST))
    text = diff(found, Style())
    assert len(text.splitlines()) <= 40
    assert max(map(len, text.splitlines())) <= 80
    assert "Moves    29 pods by NodeResourcesFit 29" in text
    assert "pods of team-00 without an owner: node-00 -> node-29" in text
    assert " pods (-o wide, -o json)" in text
    assert diff(found, Style(wide=True)).count("NodeResourcesFit favours") >= 29


def test_nothing_moves() -> None:
    objects = (node("n-1"), pod("p", requests={"cpu": "1"}))
    text = diff(compare(side("A", objects), side("B", objects)), Style())
    assert text.startswith("SAME     configurations, a (A) and b (B): no waiting pod is elsewhere")
    assert "Moves" not in text
    assert "nodes in use 1 -> 1; waiting 0 -> 0" in text
