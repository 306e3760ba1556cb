"""The questions that are asked of every snapshot: each command, in the ways it can be asked."""

from collections.abc import Iterator
from dataclasses import dataclass

from tests.record.calls import TEXT_AND_JSON
from tests.record.facts import Facts, some

Line = tuple[str, ...]


@dataclass(frozen=True)
class Amount:
    """How much is asked of one snapshot.

    Attributes:
        pods: how many waiting pods are explained.
        deep: how many of them in every way.
        running: how many running pods.
        nodes: how many nodes are explained, drained and lost.
        workloads: how many workloads are scaled and counted.
        each: whether every node is lost and drained by itself, and sweeps are made.
        pages: whether HTML is made.
    """

    pods: int = 6
    deep: int = 1
    running: int = 2
    nodes: int = 3
    workloads: int = 2
    each: bool = True
    pages: bool = True


SMALL = Amount()
WHOLE = Amount(pods=30, deep=12, running=6, nodes=10, workloads=8)
FEW = Amount(pods=3, running=1, nodes=2, pages=False)
LARGE = Amount(pods=3, running=1, nodes=2, workloads=1)


def battery(snapshot: str, facts: Facts, amount: Amount, manifest: str = "") -> Iterator[Line]:
    """Yield command lines about one snapshot.

    Args:
        snapshot: its path.
        facts: what it holds.
        amount: how much is asked.
        manifest: what lands there; empty for nothing.
    """
    for line in _lines(facts, amount, manifest):
        yield (*line, "--snapshot", snapshot)


def _lines(facts: Facts, amount: Amount, manifest: str) -> Iterator[Line]:
    yield from _of_all(amount)
    for number, pod in enumerate(some(facts.waiting, amount.pods)):
        yield ("explain", "pod", pod, *TEXT_AND_JSON)
        if number < amount.deep:
            yield from _of_a_pod(pod, facts)
    for pod in some(facts.running, amount.running):
        yield ("explain", "pod", pod, *TEXT_AND_JSON)
    for pod in some(facts.running, 1):
        yield ("simulate", "--evict", pod, *TEXT_AND_JSON)
        yield ("simulate", "--delete", pod, "--priority", f"{some(facts.running, 2)[-1]}=2000", *TEXT_AND_JSON)
    nodes = some(facts.nodes, amount.nodes)
    for number, node in enumerate(nodes):
        yield from _of_a_node(node, first=not number, amount=amount)
    yield from _of_nodes(facts, nodes, amount)
    for workload in some(facts.workloads, amount.workloads):
        yield from _of_a_workload(workload)
    if amount.each and facts.workloads and nodes:
        yield ("sweep", "-j", "1", "--pool", f"like={nodes[0]}", "-f", facts.workloads[0], *TEXT_AND_JSON)
    for budget in some(facts.budgets, 1):
        yield ("drain", *nodes[:1], "--set-pdb", f"{budget}:minAvailable=1", *TEXT_AND_JSON)
    if manifest:
        yield from of_a_manifest(manifest, amount)
        for node in nodes[:1]:
            yield ("capacity", manifest, "--replicas", "20", "--node", f"like={node}", *TEXT_AND_JSON)


def _of_all(amount: Amount) -> Iterator[Line]:
    yield ("nodes", *TEXT_AND_JSON)
    yield ("nodes", "-o", "wide", "--sort-by", "full", "--rows", "all")
    yield ("explain", "pod", "-A", *TEXT_AND_JSON)
    yield ("explain", "pod", "-A", "--event")
    yield ("explain", "pod", "-A", "-q", "--exit-code", "--strict")
    yield ("explain", "pod", "-A", "--with-queue", *TEXT_AND_JSON)
    yield ("explain", "pod", "-A", "-o", "wide", "-o", "name=out/names", "-o", "yaml=out/a.yaml")
    yield ("simulate", *TEXT_AND_JSON)
    yield ("simulate", "--no-preempt", "--exit-code", *TEXT_AND_JSON)
    yield ("simulate", "--victims", "gone", "-o", "wide", "-o", "name=out/names", "-o", "yaml=out/a.yaml")
    yield ("bind", "-A", *TEXT_AND_JSON)
    yield ("bind", "-A", "--preempt", "--accept-doubt", "all", "-o", "yaml")
    yield ("bind", "-A", "--preempt", "--save-plan", "out/plan.json", "--pdb", "wait", "--events")
    yield ("diff", "--k8s-version", "1.34,1.37", *TEXT_AND_JSON)
    yield ("diff", "--k8s-version", "1.35,1.36", "--pods", "all", *TEXT_AND_JSON)
    yield ("explain", "pod", "-A", "--k8s-version", "1.34,1.36", *TEXT_AND_JSON)
    yield ("snapshot", "-", "--redact")
    yield ("snapshot", "-")
    if amount.pages:
        yield ("nodes", "-o", "html=out/a.html", "-o", "markdown")
        yield ("explain", "pod", "-A", "-o", "html=out/a.html", "-o", "markdown")
        yield ("simulate", "-o", "html=out/a.html", "-o", "markdown")


def _of_a_pod(pod: str, facts: Facts) -> Iterator[Line]:
    yield ("explain", "pod", pod, "--all-fixes", "-o", "wide", "-o", "yaml=out/a.yaml")
    yield ("explain", "pod", pod, "--event")
    yield ("explain", "pod", pod, "--fix", "1")
    yield ("explain", "pod", pod, "--fix", "2")
    yield ("explain", "pod", pod, "--group", "1")
    yield ("explain", "pod", pod, "--victims", "all", "--scores", "all", *TEXT_AND_JSON)
    yield ("explain", "pod", pod, "--with-queue", *TEXT_AND_JSON)
    yield ("explain", "pod", pod, "-q", "--exit-code")
    yield ("explain", "pod", pod, "-o", "html=out/a.html", "-o", "markdown")
    yield ("simulate", "--priority", f"{pod}=100000", *TEXT_AND_JSON)
    yield ("bind", pod, "--preempt", *TEXT_AND_JSON)
    for node in some(facts.nodes, 2):
        yield ("explain", "pod", pod, "--node", node, *TEXT_AND_JSON)
    for node in facts.nodes[:1]:
        yield ("explain", "pod", pod, "--add-node", f"like={node},count=2", "--cordon", node, *TEXT_AND_JSON)


def _of_a_node(node: str, *, first: bool, amount: Amount) -> Iterator[Line]:
    yield ("explain", "node", node, *TEXT_AND_JSON)
    yield ("drain", node, *TEXT_AND_JSON)
    yield ("fail", node, *TEXT_AND_JSON)
    if not first:
        return
    yield ("explain", "node", node, "--running", *TEXT_AND_JSON)
    yield ("explain", "node", node, "-o", "wide", "-o", "html=out/a.html", "-o", "markdown=out/a.md")
    yield ("drain", node, "--force", "-o", "wide", "-o", "name=out/names", "-o", "yaml=out/a.yaml")
    yield ("drain", node, "--disable-eviction", "-q")
    yield ("fail", node, "-o", "wide", "-o", "yaml=out/a.yaml")
    yield ("nodes", node, "--cordon", node, *TEXT_AND_JSON)
    yield ("simulate", "--drain", node, *TEXT_AND_JSON)
    yield ("simulate", "--cordon", node, "--fail", node, *TEXT_AND_JSON)
    yield ("simulate", "--remove-node", node, "--add-node", "cpu=8,memory=32Gi,zone=new", *TEXT_AND_JSON)
    yield ("simulate", "--taint", f"{node}:a=b:NoExecute", "--label", f"{node}:c=d", *TEXT_AND_JSON)
    yield ("simulate", "--add-node", f"like={node},count=2", *TEXT_AND_JSON)
    if amount.pages:
        yield ("drain", node, "-o", "html=out/a.html", "-o", "markdown")
        yield ("fail", node, "-o", "html=out/a.html", "-o", "markdown")


def _of_nodes(facts: Facts, nodes: tuple[str, ...], amount: Amount) -> Iterator[Line]:
    if len(nodes) > 1:
        yield ("drain", *nodes[:3], *TEXT_AND_JSON)
        yield ("drain", *nodes[:3], "--rolling", *TEXT_AND_JSON)
        yield ("drain", *nodes[:3], "--together", *TEXT_AND_JSON)
        yield ("fail", *nodes[:2], *TEXT_AND_JSON)
    for zone in some(facts.zones, 2):
        yield ("fail", "--zone", zone, *TEXT_AND_JSON)
    if not amount.each:
        return
    yield ("drain", "--find", *TEXT_AND_JSON)
    yield ("fail", "--each", "node", *TEXT_AND_JSON)
    yield ("fail", "--each", "node", "-o", "wide", "-o", "name=out/names", "-o", "yaml=out/a.yaml")
    yield ("sweep", "-j", "1", *TEXT_AND_JSON)
    yield ("sweep", "-j", "1", "--drain-each", "node", "-o", "wide", "-o", "name=out/names")
    if facts.zones:
        yield ("fail", "--each", "zone", *TEXT_AND_JSON)
        yield ("sweep", "-j", "1", "--fail-each", "zone", "-o", "wide", "-o", "name=out/names")


def _of_a_workload(workload: str) -> Iterator[Line]:
    yield ("simulate", "--scale", f"{workload}=7", *TEXT_AND_JSON)
    yield ("simulate", "--scale", f"{workload}=1", "--evict", workload, "--delete", workload, *TEXT_AND_JSON)
    yield ("simulate", "--priority", f"{workload}=1000", *TEXT_AND_JSON)
    yield ("capacity", workload, *TEXT_AND_JSON)
    yield ("capacity", workload, "--replicas", "12", "-o", "wide", "-o", "yaml=out/a.yaml")
    yield ("explain", "pod", workload, *TEXT_AND_JSON)


def of_a_manifest(manifest: str, amount: Amount = SMALL) -> Iterator[Line]:
    """Yield command lines about a manifest that lands."""
    yield ("simulate", manifest, *TEXT_AND_JSON)
    yield ("simulate", manifest, "--queue", "manifests", "--no-preempt", "-o", "wide", "-o", "name=out/names")
    yield ("check", manifest, *TEXT_AND_JSON)
    yield ("check", manifest, "--queue", "manifests", "--max-age", "24h", *_EVERY, *_STRICT)
    yield ("check", manifest, "--baseline", "out/answer.json", "--survive", "zone,node", "-o", "wide")
    yield ("capacity", manifest, *TEXT_AND_JSON)
    yield ("capacity", manifest, "--replicas", "15", *TEXT_AND_JSON)
    yield ("bind", "-f", manifest, "--create", *TEXT_AND_JSON)
    if amount.pages:
        yield ("simulate", manifest, "-o", "html=out/a.html", "-o", "markdown")


_KINDS = ("json", "yaml", "junit", "sarif", "github", "markdown", "html", "name")
_EVERY = ("-o", "text", *(part for kind in _KINDS for part in ("-o", f"{kind}=out/a.{kind}")))
_STRICT = ("--require-zones", "2", "--no-preemption", "--max-victims", "0", "--headroom", "20%", "--quota")
