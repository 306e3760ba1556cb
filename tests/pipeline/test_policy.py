"""A whole cycle by a Policy: each predicate refuses, each priority decides, alone; answers are worked out by hand."""

from typing import Any

import pytest

from kplan.api import Scheduler, explain
from kplan.framework.codes import Code
from kplan.objects.models import Pod
from kplan.objects.state import ClusterState
from kplan.result import Outcome
from tests.builders import make, node, pod

HEADER = {"apiVersion": "v1", "kind": "Policy"}
WEB = {"app": "web"}


def ask(policy: dict[str, Any], *objects: Any, version: str = "1.37") -> Outcome:
    scheduler = Scheduler.of(version, config={**HEADER, **policy})
    return explain(ClusterState.of(objects), ["default/new"], scheduler=scheduler)[0]


def new(**spec: Any) -> Pod:
    return pod("new", labels=WEB, **spec)


def reporting(kind: str, status: str) -> dict[str, Any]:
    return {"conditions": [{"type": kind, "status": status}]}


def terms(side: str) -> dict[str, Any]:
    term = {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": WEB}}
    return {side: {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}


SPREAD = [
    {
        "maxSkew": 1,
        "topologyKey": "zone",
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": WEB},
    }
]
CLAIM = {"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}]}
DISK = {"volumes": [{"name": "v", "awsElasticBlockStore": {"volumeID": "d"}}]}


def bound_claim(**volume: Any) -> tuple[Any, Any]:
    claim = make(
        "PersistentVolumeClaim",
        "data",
        namespace="default",
        spec={"volumeName": "pv", "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
        metadata={"annotations": {"pv.kubernetes.io/bind-completed": "yes"}},
    )
    metadata = volume.pop("metadata", {})
    reference = {"claimRef": {"namespace": "default", "name": "data"}, "capacity": {"storage": "1Gi"}}
    return claim, make("PersistentVolume", "pv", metadata=metadata, spec={**reference, **volume})


def elsewhere(label: str) -> dict[str, Any]:
    term = {"matchExpressions": [{"key": label, "operator": "In", "values": ["b"]}]}
    return {"nodeAffinity": {"required": {"nodeSelectorTerms": [term]}}}


def many(field: str, id_field: str, count: int) -> Pod:
    return pod("old", node="a", volumes=[{"name": f"v{i}", field: {id_field: f"d{i}"}} for i in range(count)])


def one_more(field: str, id_field: str) -> Pod:
    return new(volumes=[{"name": "v", field: {id_field: "another"}}])


# name of the predicate: the objects, and why node a is refused
REFUSED: dict[str, tuple[tuple[Any, ...], str]] = {
    "CheckNodeCondition": ((new(), node("a", **reporting("Ready", "False"))), "node(s) were not ready"),
    "CheckNodeUnschedulable": ((new(), node("a", unschedulable=True)), "node(s) were unschedulable"),
    "GeneralPredicates": ((new(requests={"cpu": "9"}), node("a")), "Insufficient cpu"),
    "PodFitsHostPorts": (
        (
            new(containers=[{"name": "c", "ports": [{"hostPort": 80}]}]),
            pod("old", node="a", containers=[{"name": "c", "ports": [{"hostPort": 80}]}]),
            node("a"),
        ),
        "node(s) didn't have free ports for the requested pod ports",
    ),
    "MatchNodeSelector": (
        (new(nodeSelector={"disk": "ssd"}), node("a")),
        "node(s) didn't match Pod's node affinity/selector",
    ),
    "PodFitsResources": ((new(requests={"memory": "99Gi"}), node("a")), "Insufficient memory"),
    "NoDiskConflict": ((new(**DISK), pod("old", node="a", **DISK), node("a")), "node(s) had no available disk"),
    "PodToleratesNodeTaints": ((new(), node("a", taints=["x:NoSchedule"])), "node(s) had untolerated taint(s)"),
    "MaxCSIVolumeCountPred": (
        (
            new(**CLAIM),
            *bound_claim(csi={"driver": "d", "volumeHandle": "1"}),
            make("CSINode", "a", spec={"drivers": [{"name": "d", "nodeID": "a", "allocatable": {"count": 0}}]}),
            node("a"),
        ),
        "node(s) exceed max volume count",
    ),
    "MaxEBSVolumeCount": (
        (
            one_more("awsElasticBlockStore", "volumeID"),
            many("awsElasticBlockStore", "volumeID", 39),
            node("a"),
        ),
        "node(s) exceed max volume count",
    ),
    "MaxGCEPDVolumeCount": (
        (one_more("gcePersistentDisk", "pdName"), many("gcePersistentDisk", "pdName", 16), node("a")),
        "node(s) exceed max volume count",
    ),
    "MaxAzureDiskVolumeCount": (
        (one_more("azureDisk", "diskName"), many("azureDisk", "diskName", 16), node("a")),
        "node(s) exceed max volume count",
    ),
    "MaxCinderVolumeCount": (
        (one_more("cinder", "volumeID"), many("cinder", "volumeID", 256), node("a")),
        "node(s) exceed max volume count",
    ),
    "CheckVolumeBinding": (
        (new(**CLAIM), *bound_claim(nodeAffinity=elsewhere("zone")["nodeAffinity"]), node("a", labels={"zone": "a"})),
        "node(s) didn't match PersistentVolume's node affinity",
    ),
    "NoVolumeZoneConflict": (
        (
            new(**CLAIM),
            *bound_claim(metadata={"labels": {"topology.kubernetes.io/zone": "b"}}),
            node("a", labels={"topology.kubernetes.io/zone": "a"}),
        ),
        "node(s) had no available volume zone",
    ),
    "CheckNodeMemoryPressure": (
        (new(), node("a", **reporting("MemoryPressure", "True"))),
        "node(s) had memory pressure",
    ),
    "CheckNodePIDPressure": ((new(), node("a", **reporting("PIDPressure", "True"))), "node(s) had pid pressure"),
    "CheckNodeDiskPressure": ((new(), node("a", **reporting("DiskPressure", "True"))), "node(s) had disk pressure"),
    "EvenPodsSpread": (
        (
            new(topologySpreadConstraints=SPREAD),
            pod("old", node="a", labels=WEB),
            node("a", labels={"zone": "1"}),
            node("b", labels={"zone": "2"}, unschedulable=True),
        ),
        "node(s) didn't match pod topology spread constraints",
    ),
    "MatchInterPodAffinity": (
        (new(affinity=terms("podAntiAffinity")), pod("old", node="a", labels=WEB), node("a")),
        "node(s) didn't match pod anti-affinity rules",
    ),
}


def reasons(outcome: Outcome) -> list[str]:
    assert outcome.diagnosis is not None
    if outcome.diagnosis.pre_filter is not None:
        return list(outcome.diagnosis.pre_filter.reasons)
    status = outcome.diagnosis.status.get(0)
    return [] if status is None else list(status.reasons)


@pytest.mark.parametrize("name", REFUSED)
def test_each_predicate_refuses_alone(name: str) -> None:
    objects, reason = REFUSED[name]
    assert reasons(ask({"predicates": [{"name": name}], "priorities": []}, *objects)) == [reason]


def test_predicates_of_one_s_own_refuse() -> None:
    labels = {"name": "mine", "argument": {"labelsPresence": {"labels": ["region"], "presence": True}}}
    assert reasons(ask({"predicates": [labels], "priorities": []}, new(), node("a"))) == [
        "node(s) didn't have the requested labels"
    ]
    affinity = {"name": "mine", "argument": {"serviceAffinity": {"labels": ["region"]}}}
    service = make("Service", "web", namespace="default", spec={"selector": WEB})
    there = (node("a", labels={"region": "1"}), node("b", labels={"region": "2"}), pod("old", node="b", labels=WEB))
    assert reasons(ask({"predicates": [affinity], "priorities": []}, new(), service, *there)) == [
        "node(s) didn't match service affinity"
    ]


MANDATORY = ("CheckNodeUnschedulable", "PodToleratesNodeTaints")


@pytest.mark.parametrize("name", [name for name in REFUSED if name not in MANDATORY])
def test_without_it_the_node_takes_the_pod(name: str) -> None:
    objects, _ = REFUSED[name]
    assert reasons(ask({"predicates": [], "priorities": []}, *objects)) == []


# --- all predicates

SHORT = (
    new(requests={"cpu": "9"}, nodeSelector={"disk": "ssd"}),
    node("a", cpu="10", taints=["x:NoSchedule"]),
    node("b"),
)


def test_only_the_first_predicate_that_fails_is_told() -> None:
    found = ask({"predicates": [{"name": "GeneralPredicates"}], "priorities": []}, *SHORT)
    assert found.fit_error.startswith(
        "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) didn't match Pod's node affinity/selector. "
    )


def test_where_all_are_checked_all_reasons_are_told() -> None:
    policy = {"predicates": [{"name": "GeneralPredicates"}], "priorities": [], "alwaysCheckAllPredicates": True}
    found = ask(policy, *SHORT)
    assert found.fit_error.startswith(
        "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint(s), "
        "2 node(s) didn't match Pod's node affinity/selector. "
    )
    assert found.diagnosis is not None
    status = found.diagnosis.status[0]
    assert status.code is Code.UNSCHEDULABLE_AND_UNRESOLVABLE
    assert status.reasons == ("node(s) didn't match Pod's node affinity/selector", "node(s) had untolerated taint(s)")


def test_a_firm_no_of_any_predicate_rules_evictions_out() -> None:
    short = (
        new(requests={"cpu": "3"}, priority=10, nodeSelector={"disk": "ssd"}),
        pod("low", node="a", requests={"cpu": "3"}),
        node("a"),
    )
    general = [{"name": "PodFitsResources"}, {"name": "MatchNodeSelector"}]
    found = ask({"predicates": general, "priorities": [], "alwaysCheckAllPredicates": True}, *short)
    assert found.preemption is not None
    assert found.preemption.potential == ()


# --- priorities

EMPTY, FULL = node("empty", labels={"gpu": ""}), node("full")
BUSY = pod("old", node="full", labels=WEB, requests={"cpu": "2", "memory": "8Gi"})


def weighed(name: str, weight: int = 2, **argument: Any) -> list[dict[str, Any]]:
    return [{"name": name, "weight": weight, **({"argument": argument} if argument else {})}]


# the pod asks for 1 of 4 cpu and 4Gi of 16Gi; full has 2 cpu and 8Gi in use
DECIDED: dict[str, tuple[list[dict[str, Any]], dict[str, int]]] = {
    "LeastRequestedPriority": (weighed("LeastRequestedPriority"), {"empty": 150, "full": 50}),
    "MostRequestedPriority": (weighed("MostRequestedPriority"), {"empty": 50, "full": 150}),
    "both": (
        [*weighed("LeastRequestedPriority"), *weighed("MostRequestedPriority", 1)],
        {"empty": 150 + 25, "full": 50 + 75},
    ),
    "BalancedResourceAllocation": (weighed("BalancedResourceAllocation"), {"empty": 200, "full": 200}),
    "NodePreferAvoidPodsPriority": (
        weighed("NodePreferAvoidPodsPriority", 10000),
        {"empty": 1000000, "full": 1000000},
    ),
    "labelPreference": (
        weighed("mine", labelPreference={"label": "gpu", "presence": False}),
        {"empty": 0, "full": 200},
    ),
    # of the Service's 1 pod, full has 1: 100 * (1 - 1) / 1
    "serviceAntiAffinity": (
        weighed("mine", serviceAntiAffinity={"label": "kubernetes.io/hostname"}),
        {"empty": 200, "full": 0},
    ),
    "requestedToCapacityRatioArguments": (
        weighed(
            "mine",
            requestedToCapacityRatioArguments={
                "shape": [{"utilization": 0, "score": 0}, {"utilization": 100, "score": 10}]
            },
        ),
        {"empty": 50, "full": 150},
    ),
    "EqualPriority": (weighed("EqualPriority"), {"empty": 0, "full": 0}),
}


@pytest.mark.parametrize(("priorities", "wanted"), DECIDED.values(), ids=DECIDED)
def test_each_priority_decides_alone(priorities: list[dict[str, Any]], wanted: dict[str, int]) -> None:
    asking = new(requests={"cpu": "1", "memory": "4Gi"})
    service = make("Service", "web", namespace="default", spec={"selector": WEB})
    found = ask({"predicates": [], "priorities": priorities}, asking, BUSY, EMPTY, FULL, service)
    assert found.scores is not None
    assert found.scores.total.tolist() == [wanted["empty"], wanted["full"]]


def test_selectors_are_spread_as_1_19_did() -> None:
    service = make("Service", "web", namespace="default", spec={"selector": WEB})
    policy = {"predicates": [], "priorities": weighed("SelectorSpreadPriority")}
    found = ask(policy, new(), BUSY, EMPTY, FULL, service, version="1.19")
    assert found.scores is not None
    assert found.scores.total.tolist() == [200, 0]


def test_providers_spread_or_pack() -> None:
    asking = new(requests={"cpu": "1", "memory": "4Gi"})
    best = {}
    for provider in ("DefaultProvider", "ClusterAutoscalerProvider"):
        found = ask({"algorithmProvider": provider}, asking, BUSY, EMPTY, FULL)
        assert found.scores is not None
        best[provider] = found.scores.best
    # rows by name: empty is 0, full is 1
    assert best == {"DefaultProvider": (0,), "ClusterAutoscalerProvider": (1,)}
