"""What capacity, moves and pack propose, what is proposed for groups, and for pods that wait behind what lands."""

from pathlib import Path

import pytest

from tests.questions.carrying import Asked, broken_promises
from tests.questions.clusters import apart, budget, made, node, pod, running, spread, template, workload

Json = dict[str, object]
WEB = template("web", "1", "1")
BIG = template("big", "1", "3")
LONELY = template("lonely", "1", "1", **apart("lonely"))


def zoned(*cpus: str) -> list[dict]:
    return [node(f"n{number}", cpu, zone="ab"[number % 2]) for number, cpu in enumerate(cpus)]


def waiting(name: str, cpu: str, number: int, **spec: object) -> list[dict]:
    return [pod(f"{name}-{n}", template(name, "1", cpu, **spec), of=("ReplicaSet", name)) for n in range(number)]


def gang(number: int, least: int, cpu: str = "1", **spec: object) -> list[dict]:
    of = template("gang", "1", cpu, schedulingGroup={"podGroupName": "train"}, **spec)
    group = made(
        "scheduling.k8s.io/v1beta1", "PodGroup", "train", spec={"schedulingPolicy": {"gang": {"minCount": least}}}
    )
    return [group, *(pod(f"train-{n}", of) for n in range(number))]


SHAPES = "nodes.yaml"
CROWDED = [
    *zoned("3", "3"),
    workload("Deployment", "web", WEB, replicas=2),
    *running("web", "old", WEB, ["n0", "n1"]),
]
BUDGETED = [*CROWDED, budget("web", "web", maxUnavailable=1)]
SPREAD = template("web", "1", "2", **spread("topology.kubernetes.io/zone", "web"))
TAINTED = node("spare", "8", taints=[{"key": "team", "value": "x", "effect": "NoSchedule"}])
SHUT = node("shut", "8", unschedulable=True)
GROUPS = ("--feature-gates", "GenericWorkload=true")

ASKED = {
    "as many more nodes as all replicas take": (Asked(("capacity", "m.yaml"), CROWDED, [
        workload("Deployment", "big", BIG, replicas=3)]), {"add-node"}),
    "of replicas asked for no more are counted than those": (Asked(("capacity", "m.yaml", "--replicas", "9"), CROWDED, [
        workload("Deployment", "thin", template("thin", "1", "1"), replicas=1)]), {"add-node"}),
    "one more node, where no number was asked for": (Asked(("capacity", "deploy/shop/web"), CROWDED), {"add-node"}),
    "a kind of node that was named": (Asked(
        ("capacity", "m.yaml", "--node", "cpu=8,memory=32Gi,zone=a"), CROWDED,
        [workload("Deployment", "big", BIG, replicas=4)]), {"add-node"}),
    "nodes of one zone alone let no more of a spread workload in than the other zone bears": (Asked(
        ("capacity", "m.yaml"), zoned("2", "4"), [workload("Deployment", "web", SPREAD, replicas=6)]), {"add-node"}),
    "the cheapest mix of nodes": (Asked(
        ("capacity", "--cheapest", SHAPES), [*zoned("1"), *waiting("big", "4", 3), *waiting("small", "1", 2)]),
        {"add-node"}),
    "moves for a pod": (Asked(("moves", "shop/big-0"), [*BUDGETED, *waiting("big", "3", 1)]), {"move-pods"}),
    "moves for a manifest": (Asked(
        ("moves", "-f", "m.yaml"), BUDGETED, [workload("Deployment", "big", BIG, replicas=1)]), {"move-pods"}),
    "nodes that could be empty": (Asked(("pack",), [*zoned("4", "4", "4"), *CROWDED[2:]]), {"drain-nodes"}),
    "nodes that could be empty, in turns of a budget": (Asked(
        ("pack",), [*zoned("4", "4", "4"), *BUDGETED[2:]]), {"drain-nodes"}),
    "a node for the rest of a group": (Asked(
        ("explain", "pod", "shop/train-0", *GROUPS), [*zoned("2"), *gang(4, 4)]), {"one-more-node"}),
    "a node that takes pods again, for a group": (Asked(
        ("explain", "pod", "-A", *GROUPS), [*zoned("2"), SHUT, *gang(4, 4)]), {"uncordon"}),
    "a taint that a group tolerates": (Asked(
        ("simulate", *GROUPS), [*zoned("2"), TAINTED, *gang(4, 4)]), {"tolerate-taint"}),
    "smaller requests of a group": (Asked(
        ("simulate", *GROUPS), [*zoned("4", "4"), *gang(2, 2, "5")]), {"lower-request"}),
    "pods that wait, once what lands beside them has landed": (Asked(
        ("simulate", "m.yaml"), [*zoned("4", "4"), SHUT, *waiting("big", "3", 3)],
        [workload("Deployment", "thin", template("thin", "1", "1"), replicas=2)]), {"uncordon"}),
    "those that wait need more then than alone": (Asked(
        ("simulate", "m.yaml"), [*zoned("4"), *waiting("big", "3", 3)],
        [workload("Deployment", "thin", template("thin", "1", "1"), replicas=1)]), {"one-more-node"}),
    "a rule of theirs is changed": (Asked(
        ("simulate", "m.yaml"), [*zoned("4", "4"), *waiting("lonely", "1", 3, **apart("lonely"))],
        [workload("Deployment", "thin", template("thin", "1", "1"), replicas=2)]), {"one-more-node"}),
}  # fmt: skip


@pytest.mark.parametrize("name", ASKED, ids=str)
def test_what_is_proposed_comes_to_what_was_told(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / SHAPES).write_text(
        "nodes:\n- {name: small, cpu: 4, memory: 16Gi, price: 0.1}\n"
        "- {name: large, cpu: 16, memory: 64Gi, price: 0.3}\n"
    )
    asked, codes = ASKED[name]
    held = broken_promises(asked, tmp_path)
    assert (held.wrong, codes <= set(held.carried)) == ([], True), held.carried
