"""``kplan capacity --cheapest``: the mix of node shapes that lets all pods in, against brute force on small ones."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from kplan import Scheduler
from kplan.cli.main import main
from kplan.course.capacity.mixing import Mixing, Shape
from kplan.objects.state import ClusterState
from kplan.pipeline import Planner
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
    assert found["sentence"] == "1 x large lets both pods in; fewer do not"


SCHEDULER = Scheduler.of()


@dataclass
class Draw:
    """Pods that wait, and three shapes of nodes with their prices, by a number.

    Attributes:
        seed: the number.
    """

    seed: int
    pods: list[tuple[int, int]] = field(init=False)
    prices: list[int] = field(init=False)
    sizes: list[tuple[int, int]] = field(init=False)

    def __post_init__(self) -> None:
        draw = random.Random(self.seed)
        self.pods = [(draw.randint(1, 6), draw.randint(1, 12)) for _ in range(draw.randint(2, 7))]
        self.prices = [draw.randint(2, 9) for _ in range(3)]
        self.sizes = [(draw.randint(2, 8), draw.randint(6, 24)) for _ in range(3)]

    def planner(self, mix: tuple[int, ...] = ()) -> Planner:
        """A planner over the pods, the one node that is there, and those of a mix."""
        nodes = [builders.node("a", cpu="2", memory="4Gi")]
        for at, number in enumerate(mix):
            cpu, memory = self.sizes[at]
            nodes += [builders.node(f"n-{at}-{one}", cpu=str(cpu), memory=f"{memory}Gi") for one in range(number)]
        asked = [
            builders.pod(f"w-{number}", requests={"cpu": str(cpu), "memory": f"{memory}Gi"})
            for number, (cpu, memory) in enumerate(self.pods)
        ]
        return SCHEDULER.planner(ClusterState.of([*nodes, *asked]), everything=False)

    def cost(self, mix: tuple[int, ...]) -> int:
        """What a mix costs."""
        return sum(number * price for number, price in zip(mix, self.prices, strict=True))

    def placed(self, mix: tuple[int, ...]) -> bool:
        """Whether the scheduler places all pods with a mix, planned from the start; not where they fit in no way."""
        free = [(2, 4), *(self.sizes[at] for at, number in enumerate(mix) for _ in range(number))]
        if not _packs(sorted(self.pods), free):
            return False
        planner = self.planner(mix)
        return all(planner.step(one).outcome.last.placement is not None for one in planner.waiting())


NO_SHAPES = {
    "memory: [4Gi]": "nodes[0].memory: a number or a text is wanted",
    "memory: 4Gi, price: .nan": "nodes[0].price: a price is a number above 0",
    "memory: 4Gi, price: .inf": "nodes[0].price: a price is a number above 0",
    "memory: 4Gi, price: 0": "nodes[0].price: a price is a number above 0",
    "memory: 4Gi, most: 0": "nodes[0].most: most is a number of nodes",
}


@pytest.mark.parametrize("text", NO_SHAPES)
def test_what_is_no_shape(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = shapes(tmp_path, f"nodes:\n- {{cpu: 4, {text}}}\n")
    assert main(["capacity", "--cheapest", file, "--snapshot", write(tmp_path, node("a"), pod("w"))]) == 2
    assert NO_SHAPES[text] in capsys.readouterr().err


def _packs(pods: list[tuple[int, int]], free: list[tuple[int, int]]) -> bool:
    """Whether pods fit on nodes in any way."""
    if not pods:
        return True
    cpu, memory = pods[-1]
    for room in set(free):
        if room[0] >= cpu and room[1] >= memory:
            rest = free.copy()
            rest[rest.index(room)] = (room[0] - cpu, room[1] - memory)
            if _packs(pods[:-1], rest):
                return True
    return False


@pytest.mark.parametrize("first", range(0, 300, 20))
def test_no_mix_is_cheaper(first: int) -> None:
    """Against all mixes of up to three of each shape: none that costs less lets all pods in."""
    for draw in map(Draw, range(first, first + 20)):
        planner = draw.planner()
        texts = [f"cpu={cpu},memory={memory}Gi" for cpu, memory in draw.sizes]
        kinds = [Shape(text, read_add_node(text), float(p)) for text, p in zip(texts, draw.prices, strict=True)]
        found = Mixing(planner, planner.waiting(), kinds).run()
        mixes = [mix for mix in product(range(4), repeat=3) if found.mix is None or draw.cost(mix) < found.cost]
        assert not any(map(draw.placed, mixes)), draw.seed
        if found.mix is None:
            assert found.homeless, draw.seed
            continue
        assert draw.placed(found.mix), draw.seed
        assert (found.proved, found.bound) == (True, pytest.approx(found.cost)), draw.seed
