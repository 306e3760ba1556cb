"""The clusters that scenarios are about, by name: each is about something."""

from collections.abc import Callable

from tests.record.objects import (
    Item,
    apart,
    bound_claim,
    budget,
    claim,
    csi_node,
    daemon_set,
    deployment,
    job,
    namespace,
    node,
    on_nodes,
    pod,
    priority_class,
    quota,
    spread,
    stateful_set,
    storage_class,
    thing,
    together,
    volume,
)

ZONE = "topology.kubernetes.io/zone"
HOST = "kubernetes.io/hostname"


def shop() -> list[Item]:
    """Six nodes in three zones: workloads of every kind, budgets, volumes in zones, pods that are not ready."""
    zones = {"a1": "a", "a2": "a", "b1": "b", "b2": "b", "c1": "c", "c2": "c"}
    nodes = [node(name, zone=zone, labels={"pool": "general"}) for name, zone in zones.items()]
    return [
        namespace("shop"),
        namespace("ops"),
        namespace("kube-system"),
        *nodes,
        node("infra", zone="a", taints=["dedicated=infra:NoSchedule"], labels={"pool": "infra"}),
        *[csi_node(name) for name in zones],
        storage_class("disk"),
        *deployment("web", {"cpu": "1"}, ["a1", "b1", "c1"], topologySpreadConstraints=spread(ZONE, "web")),
        budget("web", "web", allowed=1, healthy=3, of=3, minAvailable=2),
        *deployment("api", {"cpu": "500m"}, ["a1", "a2", "b1", "b2"], unready=[3], affinity=apart("api")),
        budget("api", "api", allowed=0, healthy=3, of=4, maxUnavailable=1),
        *deployment("cache", {"cpu": "1", "memory": "2Gi"}, ["a2", "c2"], unready=[0, 1]),
        budget("cache", "cache", allowed=0, healthy=0, of=2, minAvailable=1, unhealthyPodEvictionPolicy="AlwaysAllow"),
        budget("cache-too", "cache", allowed=0, healthy=0, of=2, maxUnavailable=0),
        *deployment("alone", {"cpu": "200m"}, ["c2"]),
        budget("alone", "alone", allowed=0, healthy=1, of=1, maxUnavailable=0),
        *stateful_set("db", {"cpu": "1500m", "memory": "4Gi"}, ["a2", "b2", "c2"], zones=["a", "b", "c"]),
        budget("db", "db", allowed=1, healthy=3, of=3, maxUnavailable=1),
        *stateful_set("queue", {"cpu": "300m"}, ["a1", "b1"], unready=[1]),
        *daemon_set("log", {"cpu": "100m"}, [*zones, "infra"]),
        *job("report", {"cpu": "400m"}, ["b1", "b2"], namespace="ops"),
        pod("bare", {"cpu": "300m"}, namespace="ops", on="c1", labels={"app": "bare"}),
        pod(
            "scratch",
            {"cpu": "300m"},
            namespace="ops",
            on="c1",
            volumes=[{"name": "tmp", "emptyDir": {}}],
        ),
        pod(
            "static-a1",
            {"cpu": "100m"},
            namespace="kube-system",
            on="a1",
            metadata={"annotations": {"kubernetes.io/config.mirror": "x", "kubernetes.io/config.source": "file"}},
        ),
        pod("done", {"cpu": "1"}, namespace="ops", on="b2", status={"phase": "Succeeded"}),
        pod("leaving", {"cpu": "500m"}, on="c2", metadata={"deletionTimestamp": "2026-11-30T08:00:00Z"}),
        *deployment("search", {"cpu": "3"}, [], waiting=2, namespace="ops"),
        pod("gated", {"cpu": "1"}, schedulingGates=[{"name": "example.com/approval"}]),
        pod("sick", {"cpu": "1"}, nodeSelector={"pool": "genral"}),
    ]


def crowded() -> list[Item]:
    """Three full nodes with four priorities: preemption, budgets in its way, cascades, a nominated pod."""
    names = ["n1", "n2", "n3"]
    return [
        namespace("shop"),
        priority_class("low", 10),
        priority_class("mid", 100),
        priority_class("high", 1000),
        priority_class("polite", 2000, preemptionPolicy="Never"),
        *[node(name, "4", "8Gi", zone=zone) for name, zone in zip(names, "abb", strict=True)],
        *deployment("low", {"cpu": "1"}, ["n1", "n1", "n2", "n3"], priority=10, priorityClassName="low"),
        budget("low", "low", allowed=1, healthy=4, of=4, minAvailable=3),
        *deployment("mid", {"cpu": "1500m"}, ["n2", "n3"], priority=100, priorityClassName="mid"),
        *deployment("none", {"cpu": "500m"}, ["n1", "n2", "n3"]),
        budget("none", "none", allowed=0, healthy=3, of=3, maxUnavailable=0),
        *stateful_set("keep", {"cpu": "1"}, ["n1", "n3"], priority=1000, priorityClassName="high"),
        *deployment("want", {"cpu": "2"}, [], waiting=2, priority=1000, priorityClassName="high"),
        pod("middle", {"cpu": "1500m"}, priority=100, priorityClassName="mid"),
        pod("polite", {"cpu": "2"}, priority=2000, priorityClassName="polite", preemptionPolicy="Never"),
        pod(
            "promised",
            {"cpu": "1"},
            priority=500,
            status={"nominatedNodeName": "n2"},
        ),
        pod("huge", {"cpu": "40"}, priority=1000),
        pod("held", {"cpu": "1"}, priority=1000, schedulingGates=[{"name": "a"}, {"name": "b"}]),
    ]


def volumes() -> list[Item]:
    """Claims of every kind: bound in a zone, waiting, missing, local, generated, too many for a node, held once."""
    zones = {"a1": "a", "a2": "a", "b1": "b", "b2": "b"}
    local = [{"key": HOST, "operator": "In", "values": ["b2"]}]
    once = claim("once", spec={"volumeName": "pv-once", "accessModes": ["ReadWriteOncePod"]}, status={"phase": "Bound"})
    once["metadata"]["annotations"] = {"pv.kubernetes.io/bind-completed": "yes"}
    mine = {"namespace": "shop", "name": "once", "uid": once["metadata"]["uid"]}

    def using(name: str, *claims: str, cpu: str = "500m", on: str = "", **more: object) -> Item:
        mounts = [{"name": text, "persistentVolumeClaim": {"claimName": text}} for text in claims]
        return pod(name, {"cpu": cpu}, on=on, volumes=mounts, **more)

    def generated(name: str, class_name: str, storage: str = "10Gi") -> Item:
        spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": storage}}}
        template = {"volumeClaimTemplate": {"spec": spec | {"storageClassName": class_name}}}
        return pod(name, {"cpu": "500m"}, volumes=[{"name": "scratch", "ephemeral": template}], labels={"app": "gen"})

    return [
        namespace("shop"),
        *[node(name, zone=zone) for name, zone in zones.items()],
        *[csi_node(name, most=2) for name in zones],
        thing("storage.k8s.io/v1", "CSIDriver", "disk.example.com", spec={"storageCapacity": True}),
        storage_class("disk"),
        storage_class("now", wait=False),
        storage_class("local", "kubernetes.io/no-provisioner"),
        storage_class("only-b", allowedTopologies=[{"matchLabelExpressions": [{"key": ZONE, "values": ["b"]}]}]),
        thing(
            "storage.k8s.io/v1",
            "CSIStorageCapacity",
            "disk-a",
            "kube-system",
            storageClassName="disk",
            capacity="50Gi",
            nodeTopology={"matchLabels": {ZONE: "a"}},
        ),
        *stateful_set("db", {"cpu": "1"}, ["a1", "b1", ""], zones=["a", "b", "a"]),
        budget("db", "db", allowed=0, healthy=2, of=3, minAvailable=2),
        *bound_claim("old", "b"),
        using("wants-b", "old", nodeSelector={ZONE: "a"}),
        claim("small"),
        using("small", "small"),
        claim("large", "500Gi"),
        using("large", "large"),
        claim("unbound", class_name="now"),
        using("unbound", "unbound"),
        using("missing", "nosuch"),
        using("missing-two", "nosuch-either", "nor-this"),
        claim("no-class", class_name="nosuch"),
        using("no-class", "no-class"),
        volume("local-1", "20Gi", class_name="local", terms=local, local={"path": "/disk"}),
        claim("fits-local", "10Gi", class_name="local"),
        using("fits-local", "fits-local"),
        claim("big-local", "30Gi", class_name="local"),
        using("big-local", "big-local"),
        claim("of-b", class_name="only-b"),
        using("of-b", "of-b", nodeSelector={ZONE: "a"}),
        once,
        volume("pv-once", claimRef=mine),
        using("holds", "once", on="a1", labels={"app": "holds"}),
        using("second", "once"),
        generated("gen-1", "disk"),
        generated("gen-2", "disk", "900Gi"),
        generated("gen-3", "nosuch"),
        *[item for number in range(3) for item in bound_claim(f"many-{number}", "a")],
        using("many", "many-0", "many-1", "many-2"),
        using("leaves", "gone"),
        claim("gone", metadata={"deletionTimestamp": MOMENT, "finalizers": ["kubernetes.io/pvc-protection"]}),
    ]


MOMENT = "2026-11-30T08:00:00Z"


def rollouts() -> list[Item]:
    """Workloads with every strategy, little room, quotas: what a new version of each comes to."""
    half = {"rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}, "type": "RollingUpdate"}
    port = {"ports": [{"containerPort": 80, "hostPort": 80}]}
    return [
        namespace("shop"),
        namespace("tight"),
        priority_class("high", 1000),
        *[node(name, "2", "4Gi", zone=zone) for name, zone in (("n1", "a"), ("n2", "a"), ("n3", "b"))],
        *deployment("web", {"cpu": "500m"}, ["n1", "n2", "n3"], asks={"strategy": half}),
        *deployment("port", {"cpu": "100m"}, ["n1", "n2", "n3"], asks={"strategy": half}, container=port),
        *deployment("again", {"cpu": "300m"}, ["n1", "n2"], asks={"strategy": {"type": "Recreate"}}),
        *deployment("halted", {"cpu": "100m"}, ["n3"], asks={"paused": True}),
        *deployment("shaky", {"cpu": "200m"}, ["n1", "n2"], unready=[1]),
        *stateful_set("db", {"cpu": "400m"}, ["n1", "n2", "n3"], unready=[1]),
        *stateful_set(
            "part", {"cpu": "100m"}, ["n1", "n2"], asks={"updateStrategy": {"rollingUpdate": {"partition": 1}}}
        ),
        *stateful_set("hand", {"cpu": "100m"}, ["n3"], asks={"updateStrategy": {"type": "OnDelete"}}),
        *stateful_set("wide", {"cpu": "100m"}, ["n1", "n3"], asks={"podManagementPolicy": "Parallel"}),
        *daemon_set("log", {"cpu": "100m"}, ["n1", "n2", "n3"]),
        *daemon_set(
            "net",
            {"cpu": "100m"},
            ["n1", "n2"],
            asks={"updateStrategy": {"rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}},
        ),
        *deployment("capped", {"cpu": "100m"}, ["n1", "n2"], namespace="tight"),
        quota("cpu", {"requests.cpu": "250m", "pods": "3"}, {"requests.cpu": "200m", "pods": "2"}, namespace="tight"),
        thing(
            "v1",
            "LimitRange",
            "limits",
            "tight",
            spec={"limits": [{"type": "Container", "defaultRequest": {"cpu": "50m"}, "max": {"cpu": "1"}}]},
        ),
        budget("web", "web", allowed=1, healthy=3, of=3, maxUnavailable=1),
    ]


def placed() -> list[Item]:
    """Rules about neighbours and nodes: spread, affinity both ways, taints, ports, pools, a node that is not ready."""
    zones = {"a1": "a", "a2": "a", "b1": "b", "b2": "b", "c1": "c"}
    host_port = {"ports": [{"containerPort": 80, "hostPort": 8080}]}
    return [
        namespace("shop", team="front"),
        namespace("other", team="back"),
        *[node(name, "2", "4Gi", zone=zone, labels={"pool": "std"}) for name, zone in zones.items()],
        node(
            "gpu",
            "8",
            "32Gi",
            zone="a",
            taints=["gpu=yes:NoSchedule"],
            labels={"pool": "gpu"},
            more={"nvidia.com/gpu": "2"},
        ),
        node("away", "8", zone="c", ready=False, taints=["node.kubernetes.io/unreachable:NoExecute"]),
        node("shut", "8", zone="b", cordoned=True),
        node("bare-one", "8"),
        *deployment("web", {"cpu": "500m"}, ["a1", "b1"], waiting=3, topologySpreadConstraints=spread(ZONE, "web")),
        *deployment("solo", {"cpu": "100m"}, list(zones), waiting=2, affinity=apart("solo")),
        *deployment("zoned", {"cpu": "100m"}, ["a2", "b2"], waiting=2, affinity=apart("zoned", ZONE)),
        *deployment("near", {"cpu": "700m"}, [], waiting=1, affinity=together("solo-not")),
        *deployment("close", {"cpu": "1800m"}, [], waiting=2, affinity=together("zoned", HOST)),
        *deployment("port", {"cpu": "100m"}, ["a1", "a2"], waiting=8, container=host_port),
        *deployment("gpu", {"cpu": "1", "nvidia.com/gpu": "3"}, [], waiting=1, nodeSelector={"pool": "gpu"}),
        *deployment("trainer", {"cpu": "1", "nvidia.com/gpu": "1"}, [], waiting=1),
        pod("lost", {"cpu": "100m"}, affinity=on_nodes("pool", "spot", "burst")),
        pod("only-shut", {"cpu": "100m"}, affinity=on_nodes(HOST, "shut")),
        pod("named", {"cpu": "3"}, affinity=on_nodes(HOST, "a1")),
        pod("two-rules", {"cpu": "9"}, nodeSelector={"pool": "std", "disk": "ssd"}),
        pod("domains", {"cpu": "100m"}, labels={"app": "dom"}, topologySpreadConstraints=_least("dom")),
        pod("apart-of-all", {"cpu": "100m"}, labels={"app": "zoned"}, namespace="other"),
        pod("memory", {"memory": "64Gi"}),
        pod("disk", {"ephemeral-storage": "200Gi"}),
        *daemon_set("agent", {"cpu": "100m"}, [*zones, "gpu"]),
    ]


def _least(app: str) -> list[Item]:
    return spread(ZONE, app, minDomains=5, nodeTaintsPolicy="Honor")


def schedulers() -> list[Item]:
    """Two schedulers and pods of both, quotas by priority and scope, suspended and indexed jobs, a cron job."""
    return [
        namespace("shop"),
        namespace("batch"),
        priority_class("high", 1000),
        priority_class("usual", 100, globalDefault=True),
        *[node(name, "4", "8Gi", zone=zone) for name, zone in (("n1", "a"), ("n2", "b"), ("n3", "b"))],
        *deployment("web", {"cpu": "1"}, ["n1", "n2"]),
        *deployment("packed", {"cpu": "1"}, [], waiting=2, schedulerName="packing"),
        *deployment("strange", {"cpu": "1"}, [], waiting=1, schedulerName="nobody"),
        *job("crunch", {"cpu": "2"}, ["n3"], namespace="batch", waiting=3),
        *job("index", {"cpu": "500m"}, ["n1"], namespace="batch", waiting=1, asks={"completionMode": "Indexed"}),
        *job("later", {"cpu": "500m"}, [], namespace="batch", asks={"suspend": True, "parallelism": 4}),
        quota("all", {"pods": "6", "requests.cpu": "8"}, {"pods": "6", "requests.cpu": "7"}, namespace="batch"),
        quota(
            "high",
            {"pods": "1"},
            {"pods": "0"},
            namespace="batch",
            scopeSelector={"matchExpressions": [{"scopeName": "PriorityClass", "operator": "In", "values": ["high"]}]},
        ),
        pod("early", {"cpu": "1"}, namespace="batch", metadata={"creationTimestamp": "2026-10-01T00:00:00Z"}),
        pod("urgent", {"cpu": "3"}, namespace="batch", priority=1000, priorityClassName="high"),
    ]


CLUSTERS: dict[str, Callable[[], list[Item]]] = {
    made.__name__: made for made in (shop, crowded, volumes, rollouts, placed, schedulers)
}
"""By the name that a scenario has in ``cluster``."""
