"""The cheapest nodes: which mix of shapes lets all pods in that wait, or those of a manifest.

nodes:
  - {name: small, cpu: 4, memory: 16Gi, price: 0.10}
  - {name: like-gpu-0, like: gpu-0, price: 2.50, most: 8}
  - {name: group, template: eks-pool-a}
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from msgspec import Struct

from kplan.cluster import PodInfo
from kplan.course.capacity.mixing import Mixing, Shape
from kplan.errors import SourceError
from kplan.framework.doubt import Doubt
from kplan.pipeline import Planner
from kplan.result.document_base import API_VERSION, Cause, Origin
from kplan.result.document_capacity import CapacityReport, CheapestMix, MixedShape
from kplan.scenario.add_node import read_add_node
from kplan.sources.plain_yaml import read_plain_yaml
from kplan.studies.pack.prices import HOURS, Prices
from kplan.wording import mixing as words
from kplan.wording.failing import failure

_OWN = ("name", "price", "most")


class CheapestAsked(Struct, frozen=True):
    """What is asked.

    Attributes:
        pods: pods that are to be placed.
        shapes: what can be had.
        priced: whether the shapes have prices.
        doubts: about version and configuration.
        notes: what else is to be said.
    """

    pods: Sequence[PodInfo]
    shapes: Sequence[Shape]
    priced: bool
    doubts: tuple[Doubt, ...] = ()
    notes: tuple[str, ...] = ()


def load_node_shapes(file: str, planner: Planner, prices: Prices | None = None) -> tuple[list[Shape], bool]:
    """Read shapes of nodes; each is written as ``--add-node`` takes it, with a price an hour if nodes have prices.

    Args:
        file: its name.
        planner: planner over the cluster that nodes may be like.
        prices: of instance types, for shapes without a price of their own.

    Returns:
        the shapes, and whether they have prices: else nodes are counted.

    Raises:
        UsageError: a shape names what is not there.
        SourceError: the file cannot be read, or holds no shapes.
    """
    hint = (__doc__ or "").partition("\n\n")[2].strip()
    document = read_plain_yaml(file)
    listed = document.get("nodes") if isinstance(document, dict) else document
    if not isinstance(listed, list) or not listed or not all(isinstance(entry, dict) for entry in listed):
        raise SourceError("no shapes of nodes", file=file, code="bad-shapes", hint=hint)
    shapes = []
    for number, entry in enumerate(listed, 1):
        for key, value in entry.items():
            if isinstance(value, list | dict):
                path = f"nodes[{number - 1}].{key}"
                raise SourceError("a number or a text is wanted", file=file, path=path, code="bad-shapes", hint=hint)
        text = ",".join(f"{key}={value}" for key, value in entry.items() if key not in _OWN)
        verb = read_add_node(text, "--cheapest")
        price = _price(entry, file, number)
        if price is None and prices is not None:
            month = prices.of(verb.model(planner.cluster)[0])
            price = month / HOURS if month is not None else None
        name = str(entry.get("name") or text)
        most = entry.get("most", 1000)
        if not isinstance(most, int) or isinstance(most, bool) or most < 1:
            raise SourceError(
                "most is a number of nodes", file=file, path=f"nodes[{number - 1}].most", code="bad-shapes"
            )
        shapes.append((name, verb, price, most))
    without = [name for name, _, price, _ in shapes if price is None]
    if without and len(without) < len(shapes):
        raise SourceError(f"{without[0]} has no price, and others have one", file=file, code="bad-shapes", hint=hint)
    priced = not without
    return [Shape(name, verb, price or 1.0, most) for name, verb, price, most in shapes], priced


def _price(entry: dict[str, object], file: str, number: int) -> float | None:
    if "price" not in entry:
        return None
    try:
        price = float(str(entry["price"]))
    except ValueError:
        price = 0.0
    if not 0 < price < inf:
        raise SourceError(
            "a price is a number above 0", file=file, path=f"nodes[{number - 1}].price", code="bad-shapes"
        )
    return price


def cheapest(planner: Planner, asked: CheapestAsked, origin: Origin) -> CapacityReport:
    """Find the cheapest nodes with which all pods are placed; the cluster is as before afterwards.

    Args:
        planner: planner over the cluster.
        asked: what is asked.
        origin: where the state is from.
    """
    wanted = planner.queue.sort(asked.pods)
    result = Mixing(planner, wanted, asked.shapes).run()
    left = result.homeless or result.left
    hours = HOURS if asked.priced else 1
    mix = CheapestMix(
        shapes=tuple(
            MixedShape(
                name=shape.name,
                flag=shape.verb.flag,
                nodes=number,
                price=shape.price * HOURS if asked.priced else None,
            )
            for shape, number in zip(asked.shapes, result.mix or (0,) * len(asked.shapes), strict=True)
        ),
        cost=result.cost * hours,
        bound=result.bound * hours,
        proved=result.proved,
        priced=asked.priced,
        tried=result.tried,
        left=tuple(pod.key for pod in left),
    )
    return CapacityReport(
        api_version=API_VERSION,
        verdict="FITS" if result.mix is not None else "BLOCKED",
        sentence=words.sentence(len(wanted), mix, result),
        sets=len(wanted) - len(left),
        nodes=len(planner.cluster.nodes),
        origin=origin,
        because=_cause(planner, left[0]) if left else None,
        attempt=words.attempt(mix) if result.mix is not None else "",
        how_to=words.mix_how_to(mix, len(wanted)) if result.mix is not None else None,
        doubts=asked.doubts,
        notes=asked.notes,
        cheapest=mix,
    )


def _cause(planner: Planner, pod: PodInfo) -> Cause:
    """Why a pod that no mix lets in does not fit as things are."""
    with planner.trial(everything=False) as trial:
        trial.preempt = False
        return failure(trial, pod, trial.step(pod)).because
