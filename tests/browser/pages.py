"""Pages that the browser opens: small made-up clusters, a plan, 2,000 nodes, and names that mean harm."""

import msgspec
from msgspec.structs import replace

from kplan.framework.doubt import Doubt
from kplan.objects.models import Object
from kplan.render.html import page
from kplan.result.document import Group, GroupNode, PodExplanation, Reason, ScoreRow, Scores, Shortage
from kplan.result.document_base import API_VERSION, Cause, Origin, Part
from kplan.result.document_plan import PlanStep, PlanTotals, SimulationPlan
from kplan.result.document_usage import Drawing, NodeUsage, PodUsage
from kplan.studies.explain import explain_pods
from kplan.studies.node_verdicts import VerdictKeeper
from kplan.studies.simulate import SimulateOptions, simulate_pods
from kplan.studies.usage import usage
from tests.builders import node, pod
from tests.studies.ask import context

ZONE = "topology.kubernetes.io/zone"
SOURCE = Origin(source="made-up.json", nodes=2000, pods=12000, k8s_version="1.37.2", how="as asked", rules="1.37")


def cluster() -> list[Object]:
    """Four nodes: one is full, one is tainted, two have room; three pods wait, of which one fits nowhere."""
    owner = {"ownerReferences": [{"kind": "StatefulSet", "name": "old", "uid": "old", "controller": True}]}
    return [
        node("node-a", labels={ZONE: "zone-1"}),
        node("node-b", labels={ZONE: "zone-2"}),
        node("node-c", labels={ZONE: "zone-2"}, cpu="2"),
        node("tainted", labels={ZONE: "zone-1"}, taints=["dedicated=infra:NoSchedule"]),
        pod("old-0", node="node-a", requests={"cpu": "3500m", "memory": "2Gi"}, metadata=owner),
        pod("web-0", node="node-b", requests={"cpu": "1", "memory": "1Gi"}, priority=50),
        pod("small", requests={"cpu": "1"}, priority=50),
        pod("huge", requests={"cpu": "64"}),
        pod("urgent", requests={"cpu": "3500m"}, priority=1000),
    ]


def explained(*names: str) -> str:
    """The answer about one pod, or about those named."""
    keeper = VerdictKeeper()
    asked = replace(context(cluster()), verdicts=keeper)
    planner = asked.planner
    pods = [planner.cluster.pods[planner.cluster.pod_index[f"default/{name}"]] for name in names]
    document = explain_pods(asked, pods, fold=len(names) > 1)
    verdicts = keeper.found([one.name for one in planner.cluster.nodes]) if len(names) > 1 else None
    return page(document, Drawing(nodes=usage(planner.cluster), verdicts=verdicts))


def planned() -> str:
    """A plan of the queue: urgent evicts old-0, which comes back; huge stays pending."""
    asked = context(cluster())
    before = usage(asked.planner.cluster)
    document = simulate_pods(asked.planner, asked.planner.waiting(), asked.origin, SimulateOptions())
    return page(document, Drawing(nodes=usage(asked.planner.cluster, before)))


def many_nodes(number: int = 2000) -> tuple[PodExplanation, Drawing]:
    """A pod that fits 100 nodes: every 20th; the others lack cpu."""
    names = [f"node-{i:05d}" for i in range(number)]
    fits = names[::20]
    full = [name for name in names if name not in set(fits)]
    reason = Reason(
        code="insufficient-cpu", plugin="NodeResourcesFit", text="cpu", message="Insufficient cpu", evictable=True
    )
    short = Shortage(resource="cpu", needs=2000, free=1000, lacks=1000, capacity=16000)
    document = PodExplanation(
        api_version=API_VERSION,
        origin=SOURCE,
        pod="ml/train-0",
        verdict="FITS",
        sentence=f"ml/train-0 goes to {fits[0]} ({len(fits):,} of {number:,} nodes fit)",
        feasible=len(fits),
        nodes=number,
        node=fits[0],
        because=Cause(code="highest-score", text=f"{fits[0]} has more room"),
        groups=(
            Group(
                count=len(full),
                text="cpu: needs 2, free 1",
                reasons=(reason,),
                nodes=tuple(GroupNode(name=name, text="1", shortages=(short,)) for name in full[:3]),
                names=tuple(full),
            ),
        ),
        scores=Scores(
            columns=("NodeResourcesFit",),
            rows=tuple(
                ScoreRow(
                    node=name,
                    total=400 - i,
                    plugins={"NodeResourcesFit": 100 - i, "TaintToleration": 300},
                    raw={"NodeResourcesFit": 100 - i, "TaintToleration": 0},
                    chosen=i == 0,
                )
                for i, name in enumerate(fits)
            ),
            same={"TaintToleration": 300},
            skipped=("InterPodAffinity",),
            tie=(),
        ),
    )
    full_names = set(full)
    nodes = tuple(
        NodeUsage(
            name=name,
            allocatable={"cpu": 16000, "memory": 64 << 30, "pods": 110},
            requested={"cpu": 15000 if name in full_names else 4000, "memory": 32 << 30, "pods": 6},
            zone=f"zone-{i % 3}",
            labels={ZONE: f"zone-{i % 3}", "kubernetes.io/hostname": name, "disktype": "ssd" if i % 2 else "hdd"},
            pods=tuple(PodUsage(pod=f"shop/web-{i}-{n}", amounts={"cpu": 2500}) for n in range(6)),
        )
        for i, name in enumerate(names)
    )
    return document, Drawing(nodes=nodes)


def many_pods(number: int = 8000) -> str:
    """A plan of 8,000 pods over 10 nodes; every 8th stays pending."""
    steps = tuple(
        PlanStep(
            pod=f"shop/web-{i:04d}",
            result="placed" if i % 8 else "pending",
            node=f"node-{i % 10}" if i % 8 else "",
            owner="deploy/shop/web",
            cause="" if i % 8 else "insufficient-cpu",
        )
        for i in range(number)
    )
    placed = sum(bool(step.node) for step in steps)
    totals = PlanTotals(pods=number, placed=placed, not_placed=number - placed, gated=0)
    document = SimulationPlan(
        api_version=API_VERSION,
        origin=SOURCE,
        verdict="PARTLY",
        sentence=f"{placed:,} of {number:,} pods are placed",
        totals=totals,
        steps=steps,
    )
    nodes = tuple(NodeUsage(name=f"node-{i}", allocatable={"cpu": 4000}, requested={"cpu": 2000}) for i in range(10))
    return page(document, Drawing(nodes=nodes))


HARM = (
    "</script><script>window.harmed = 1</script>",
    "<img src=x onerror='window.harmed = 2'>",
    '"><svg onload="window.harmed = 3">',
    "<!--<script>",
    "javascript:window.harmed=4",
    "{{script}}{{data}}",
    "a&amp;b \u2028\u2029 \u202ertl \U0001f4a5 %3Cb%3E #?&=",
)
"""Names that no cluster should have, and that a page must show as they are."""


def harmful() -> str:
    """Every name and text is one that would do harm if it were taken for code."""
    first, *rest = HARM
    reason = Reason(code="x", plugin=rest[0], text=rest[1], message=rest[2], evictable=False)
    group = Group(count=1, text=first, reasons=(reason,), nodes=(GroupNode(name=first, text=rest[0]),), names=HARM[:3])
    document = PodExplanation(
        api_version=API_VERSION,
        origin=Origin(source=first, nodes=7, pods=7, k8s_version="1.37.2", how=rest[0], rules=rest[4]),
        pod=f"{first}/{rest[0]}",
        verdict=rest[0],
        sentence=" ".join(HARM),
        feasible=4,
        nodes=7,
        node=HARM[3],
        because=Cause(code="x", text=first),
        doubts=tuple(Doubt(code="x", text=text) for text in HARM),
        careful=HARM,
        groups=(group,),
    )
    nodes = tuple(
        NodeUsage(
            name=name,
            allocatable={"cpu": 1000, name: 4},
            requested={"cpu": 500, name: 2},
            zone=name,
            pool=name,
            instance_type=name,
            labels={name: name},
            taints=(f"{name}:NoSchedule",),
            pods=(PodUsage(pod=f"{name}/{name}", amounts={"cpu": 500}),),
        )
        for name in HARM
    )
    return page(document, Drawing(nodes=nodes))


def unknown_kind() -> str:
    """A kind of document that the page has no layout for."""
    inner = SimulationPlan(
        api_version=API_VERSION,
        origin=SOURCE,
        verdict="FITS",
        sentence="all 1 pods are placed",
        totals=PlanTotals(pods=1, placed=1, not_placed=0, gated=0),
        steps=(PlanStep(pod="shop/web-0", result="placed", node="node-0"),),
    )
    moves = ({"pod": "shop/a", "from": "node-0"}, {"pod": "shop/b", "from": "node-1"})
    return page(SomethingElse(origin=SOURCE, verdict="NEW", sentence="something came of it", moves=moves, plan=inner))


class SomethingElse(Part, frozen=True, kw_only=True, tag_field="kind", tag="SomethingElse"):
    """A document of a later time."""

    verdict: str
    sentence: str
    moves: tuple[dict[str, str], ...]
    plan: SimulationPlan
    depth: int = 3
    limits: dict[str, int] = msgspec.field(default_factory=lambda: {"maxSkew": 2, "cpu": 1500})
    origin: Origin = msgspec.field(name="from")
