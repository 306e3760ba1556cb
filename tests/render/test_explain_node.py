"""Text of the story of a node: one screen for any number of pods."""

from kplan.render.text import Style
from kplan.render.text.node import node_explanation
from tests.builders import node, pod
from tests.studies.test_explain_node import owned, told


def test_one_screen_of_eighty_columns_for_many_pods_and_causes() -> None:
    waiting = [pod(f"w-{i}", requests={"cpu": "100m"}, nodeSelector={f"key-{i % 12}": "x"}) for i in range(60)]
    fits = [owned("ReplicaSet", f"app-{i}", i, requests={"cpu": f"{i + 1}m"}) for i in range(40)]
    name = "a-very-long-name-of-a-pod-that-goes-on-and-on-in-its-namespace"
    runs = [pod(f"{name}-{i}", node="n-1", requests={"cpu": "50m"}) for i in range(30)]
    found = told(node("n-1"), node("n-2"), *waiting, *fits, *runs)
    text = node_explanation(found, Style())
    lines = text.splitlines()
    assert len(lines) <= 40
    assert [line.strip() for line in lines if len(line) > 80] == [f"default/{name}-{i}" for i in (0, 1, 10, 11, 12, 13)]
    assert " more causes, " in text
    assert "+24 smaller ones (-o wide)" in text
    wide = node_explanation(found, Style(wide=True))
    assert wide.count("node(s) didn't match Pod's node affinity/selector") == 12
    assert f"{name}-29" in wide


def test_quiet_is_the_answer_alone() -> None:
    found = told(node("n-1", unschedulable=True), pod("p"))
    assert node_explanation(found, Style(quiet=True)) == (
        "REFUSES  n-1: the waiting pod does not fit\nBecause  cordoned (spec.unschedulable)\n"
    )
