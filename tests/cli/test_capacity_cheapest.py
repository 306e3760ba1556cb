"""``kplan capacity --cheapest``: the mix of node shapes that lets all pods in, against brute force on small ones."""

from __future__ import annotations

import json
import random
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from kplan import Scheduler
from kplan.cli.main import main
from kplan.course.mixing import Mixing, Shape
from kplan.objects.state import ClusterState
from kplan.scenario.add_node import read_add_node
from tests import builders
from tests.cli.snapshots import node, pod, write

SHAPES = """\
nodes:
  - {name: small, cpu: 4, memory: 16Gi, price: 0.10}
  - {name: large, cpu: 16, memory: 64Gi, price: 0.35}
"""


def asked(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> dict[str, Any]:
    assert main([*words, "-o", "json"]) == code
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def shapes(tmp_path: Path, text: str = SHAPES) -> str:
    file = tmp_path / "nodes.yaml"
    file.write_text(text)
    return str(file)


def mixed(found: dict[str, Any]) -> dict[str, int]:
    return {one["name"]: one["nodes"] for one in found["cheapest"]["shapes"]}


@pytest.mark.parametrize(
    ("pods", "mix", "cost"),
    [
        (["3"], {"small": 1, "large": 0}, 73),
        (["3", "3", "3"], {"small": 3, "large": 0}, 219),
        (["4", "4", "4", "4"], {"small": 0, "large": 1}, 255.5),
        (["4", "4", "4", "4", "4"], {"small": 1, "large": 1}, 328.5),
        (["10", "2"], {"small": 0, "large": 1}, 255.5),
    ],
)
def test_the_cheapest_mix(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], pods: list[str], mix: dict[str, int], cost: float
) -> None:
    """Of prices an hour a month has 730: 73 for a small one, 255.5 for a large one."""
    waiting = [pod(f"w-{number}", cpu=cpu) for number, cpu in enumerate(pods)]
    cluster = write(tmp_path, node("full", cpu="1"), pod("there", cpu="1", on="full"), *waiting)
    found = asked(capsys, "capacity", "--cheapest", shapes(tmp_path), "--snapshot", cluster)
    assert mixed(found) == mix
    assert (found["cheapest"]["cost"], found["cheapest"]["proved"]) == (pytest.approx(cost), True)


def test_a_pod_that_fits_on_no_shape(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cluster = write(tmp_path, node("a"), pod("huge", cpu="64"))
    found = asked(capsys, "capacity", "--cheapest", shapes(tmp_path), "--snapshot", cluster, code=1)
    assert found["cheapest"]["left"] == ["default/huge"]
    assert found["sentence"] == "no number of these nodes lets the pod in: default/huge fits on none of them"


def test_without_prices_nodes_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = shapes(tmp_path, "- {name: small, cpu: 4}\n- {name: large, cpu: 16}\n")
    cluster = write(tmp_path, node("a", cpu="1"), pod("w-1", cpu="3"), pod("w-2", cpu="3"))
    found = asked(capsys, "capacity", "--cheapest", file, "--snapshot", cluster)
    assert mixed(found) == {"small": 0, "large": 1}
    assert found["sentence"] == "1 x large lets all 2 pods in; fewer do not"


@pytest.mark.parametrize("seed", range(100))
def test_no_mix_is_cheaper(seed: int) -> None:
    """Against all mixes of up to three of each shape, each planned from the start."""
    draw = random.Random(seed)
    waiting = [
        builders.pod(f"w-{number}", requests={"cpu": str(draw.randint(1, 6)), "memory": f"{draw.randint(1, 12)}Gi"})
        for number in range(draw.randint(2, 7))
    ]
    prices = [draw.randint(2, 9) for _ in range(3)]
    texts = [f"cpu={draw.randint(2, 8)},memory={draw.randint(6, 24)}Gi" for _ in range(3)]
    kinds = [Shape(text, read_add_node(text), float(price)) for text, price in zip(texts, prices, strict=True)]
    state = ClusterState.of([builders.node("a", cpu="2", memory="4Gi"), *waiting])
    planner = Scheduler.of().planner(state, everything=False)
    found = Mixing(planner, planner.waiting(), kinds).run()

    def placed(mix: tuple[int, ...]) -> bool:
        nodes = [builders.node("a", cpu="2", memory="4Gi")]
        for at, (text, number) in enumerate(zip(texts, mix, strict=True)):
            cpu, memory = (part.partition("=")[2] for part in text.split(","))
            nodes += [builders.node(f"node-new-{at}-{one}", cpu=cpu, memory=memory) for one in range(number)]
        fresh = Scheduler.of().planner(ClusterState.of([*nodes, *waiting]), everything=False)
        return all(event.outcome.last.placement is not None for event in fresh.simulate().events)

    costs = [sum(n * p for n, p in zip(mix, prices, strict=True)) for mix in product(range(4), repeat=3) if placed(mix)]
    if not costs:
        assert found.mix is None or max(found.mix) > 3
        return
    assert found.mix is not None
    assert found.proved
    assert found.cost <= min(costs)
    assert found.bound <= min(costs) + 1e-9
