"""Five thousand nodes: the text is one screen, and its numbers add up."""

from kplan.render.data import json_pieces
from kplan.render.text import Style, explanation
from tests.builders import node, pod
from tests.studies.ask import document


def test_five_thousand_nodes_are_one_screen() -> None:
    nodes = [
        node(
            f"node-{number:05d}",
            cpu="32" if number % 4 == 0 else "16",
            labels={"disktype": "ssd" if number % 3 else "hdd", "pool": f"pool-{number % 7}"},
            taints=["dedicated=infra:NoSchedule"] if number % 20 == 0 else [],
            unschedulable=number % 50 == 1,
        )
        for number in range(5000)
    ]
    wants = pod("train-0", requests={"cpu": "33", "memory": "20Gi"}, nodeSelector={"disktype": "ssd"})
    found = document([*nodes, wants], "default/train-0")
    assert (found.verdict, sum(group.count for group in found.groups)) == ("PENDING", 5000)
    text = explanation(found, Style())
    lines = text.splitlines()
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 80
    pieces = list(json_pieces(found))
    assert len(pieces) > 10
    assert max(map(len, pieces)) < len("".join(pieces)) * 2 / 3
