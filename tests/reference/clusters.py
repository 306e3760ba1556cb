"""Random small clusters in which rules meet: few labels, few ports, little room, so that things collide."""

from __future__ import annotations

from random import Random
from typing import Any

from kplan.objects.models import Node, Object, Pod
from tests.builders import make, node, pod

ZONE, HOST = "topology.kubernetes.io/zone", "kubernetes.io/hostname"
ZONES, DISKS, APPS = ("a", "b", "c"), ("ssd", "hdd"), ("x", "y", "z")
SPACES = ("one", "two", "lost")
"""Namespaces of pods; the last is not there as an object."""
TAINTS = ("gpu=yes:NoSchedule", "gpu=no:NoExecute", "old:PreferNoSchedule", "spot=yes:PreferNoSchedule")
IMAGES = {"web": 300 << 20, "registry.example/db:2": 900 << 20, "tool:latest": 40 << 20}
OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")


def some(random: Random, of: Any, most: int) -> list[Any]:
    return random.sample(list(of), random.randint(0, min(most, len(of))))


def random_node(random: Random, name: str) -> Node:
    labels = {}
    if random.random() < 0.85:
        labels[ZONE] = random.choice(ZONES)
    if random.random() < 0.6:
        labels["disk"] = random.choice(DISKS)
    if random.random() < 0.5:
        labels["size"] = random.choice(("3", "7", "x"))
    held = [
        {"names": [image if ":" in image else f"{image}:latest"], "sizeBytes": IMAGES[image]}
        for image in some(random, IMAGES, 3)
    ]
    return node(
        name,
        cpu=random.choice(("500m", "1", "2", "4")),
        memory=random.choice(("512Mi", "1Gi", "3Gi")),
        pods=random.choice(("1", "3", "5", "110")),
        labels=labels,
        taints=some(random, TAINTS, 2) if random.random() < 0.4 else [],
        unschedulable=random.random() < 0.1,
        allocatable={"example.com/gpu": "2"} if random.random() < 0.3 else {},
        images=held,
    )


def label_selector(random: Random) -> dict[str, Any] | None:
    kind = random.random()
    if kind < 0.05:
        return None
    if kind < 0.12:
        return {}
    if kind < 0.7:
        return {"matchLabels": {"app": random.choice(APPS)}}
    operator = random.choice(OPERATORS[:4])
    values = some(random, APPS, 2) or ["x"] if operator in ("In", "NotIn") else []
    return {"matchExpressions": [{"key": random.choice(("app", "tier")), "operator": operator, "values": values}]}


def node_term(random: Random) -> dict[str, Any]:
    operator = random.choice(OPERATORS)
    key = "size" if operator in ("Gt", "Lt") else random.choice(("disk", "size", ZONE))
    values = {"In": ["ssd", "a"], "NotIn": ["hdd", "b"], "Gt": ["4"], "Lt": ["5"]}.get(operator, [])
    found: dict[str, Any] = {"matchExpressions": [{"key": key, "operator": operator, "values": values}]}
    if random.random() < 0.1:
        found["matchFields"] = [{"key": "metadata.name", "operator": "NotIn", "values": ["n1"]}]
    return found


def pod_term(random: Random) -> dict[str, Any]:
    term: dict[str, Any] = {"topologyKey": random.choice((ZONE, HOST, "disk")), "labelSelector": label_selector(random)}
    if random.random() < 0.25:
        term["namespaces"] = some(random, SPACES, 2)
    if random.random() < 0.25:
        term["namespaceSelector"] = random.choice(
            ({}, {"matchLabels": {"team": "red"}}, {"matchExpressions": [{"key": "team", "operator": "DoesNotExist"}]})
        )
    return term


def affinity(random: Random, *, nodes: bool) -> dict[str, Any]:
    required = "requiredDuringSchedulingIgnoredDuringExecution"
    found: dict[str, Any] = {}
    if nodes and random.random() < 0.4:
        near: dict[str, Any] = {}
        if random.random() < 0.7:
            near[required] = {"nodeSelectorTerms": [node_term(random) for _ in range(random.randint(1, 2))]}
        near["preferredDuringSchedulingIgnoredDuringExecution"] = [
            {"weight": random.randint(1, 100), "preference": node_term(random)} for _ in range(random.randint(0, 2))
        ]
        found["nodeAffinity"] = near
    if random.random() < 0.2:
        found["podAffinity"] = {required: [pod_term(random) for _ in range(random.randint(1, 2))]}
    if random.random() < 0.25:
        found["podAntiAffinity"] = {required: [pod_term(random) for _ in range(random.randint(1, 2))]}
    return found


def spread_constraint(random: Random) -> dict[str, Any]:
    found: dict[str, Any] = {
        "maxSkew": random.choice((1, 1, 2)),
        "topologyKey": random.choice((ZONE, HOST, "disk")),
        "whenUnsatisfiable": random.choice(("DoNotSchedule", "DoNotSchedule", "ScheduleAnyway")),
        "labelSelector": label_selector(random),
    }
    if found["whenUnsatisfiable"] == "DoNotSchedule" and random.random() < 0.25:
        found["minDomains"] = random.choice((1, 3, 5))
    if random.random() < 0.3:
        found["nodeAffinityPolicy"] = random.choice(("Honor", "Ignore"))
    if random.random() < 0.3:
        found["nodeTaintsPolicy"] = random.choice(("Honor", "Ignore"))
    return found


def container(random: Random, name: str) -> dict[str, Any]:
    requests: dict[str, str] = {}
    if random.random() < 0.75:
        requests["cpu"] = random.choice(("1m", "150m", "400m", "0.7", "1"))
    if random.random() < 0.75:
        requests["memory"] = random.choice(("50M", "200Mi", "700Mi", "123456789"))
    if random.random() < 0.1:
        requests[random.choice(("example.com/gpu", "example.com/other"))] = "1"
    found: dict[str, Any] = {"name": name, "image": random.choice(list(IMAGES)), "resources": {"requests": requests}}
    if random.random() < 0.2:
        port = {"hostPort": random.choice((80, 443)), "containerPort": 1, "protocol": random.choice(("TCP", "UDP"))}
        if random.random() < 0.5:
            port["hostIP"] = random.choice(("10.0.0.1", "10.0.0.2"))
        found["ports"] = [port]
    return found


def random_pod(random: Random, name: str, *, on: str = "", priority: int = 0, claims: list[str] | None = None) -> Pod:
    spec: dict[str, Any] = {"priority": priority, "affinity": affinity(random, nodes=not on)}
    if not on:
        spec["tolerations"] = [
            {k: v for k, v in t.items() if v}
            for t in some(
                random,
                (
                    {"key": "gpu", "operator": "Exists", "effect": random.choice(("", "NoSchedule"))},
                    {"key": "gpu", "operator": "Equal", "value": "no"},
                    {"operator": "Exists", "effect": "PreferNoSchedule"},
                    {"key": "node.kubernetes.io/unschedulable", "operator": "Exists"},
                ),
                2,
            )
        ]
        if random.random() < 0.15:
            spec["nodeSelector"] = {"disk": random.choice(DISKS)}
        if random.random() < 0.4:
            spec["topologySpreadConstraints"] = [spread_constraint(random) for _ in range(random.randint(1, 2))]
    labels = {"app": random.choice(APPS)} if random.random() < 0.9 else {}
    if random.random() < 0.2:
        labels["tier"] = "back"
    if claims:
        spec["volumes"] = [{"name": c, "persistentVolumeClaim": {"claimName": c}} for c in claims]
    status: dict[str, Any] = {"phase": random.choice(("Running", "Running", "Succeeded")) if on else "Pending"}
    if on and random.random() < 0.8:
        status["startTime"] = f"2026-01-01T00:00:0{random.randint(0, 3)}Z"
    metadata = {"deletionTimestamp": "2026-02-01T00:00:00Z"} if on and random.random() < 0.1 else {}
    return pod(
        name,
        namespace=random.choice(SPACES),
        node=on,
        labels=labels,
        containers=[container(random, f"c{i}") for i in range(random.choice((1, 1, 2)))],
        status=status,
        metadata=metadata,
        **spec,
    )


def random_budget(random: Random, name: str) -> Object:
    return make(
        "PodDisruptionBudget",
        name,
        namespace=random.choice(SPACES),
        spec={"selector": label_selector(random)},
        status={"disruptionsAllowed": random.choice((0, 0, 1, 2))},
    )


def storage(random: Random, names: list[str], spaces: tuple[str, ...]) -> list[Object]:
    """Bound volumes, one for each name, claimed under that name in each namespace; and limits of the nodes."""
    found: list[Object] = []
    for space in spaces:
        for name in names:
            volume = f"{space}-{name}"
            spec: dict[str, Any] = {
                "csi": {"driver": "disk.example", "volumeHandle": random.choice((volume, "shared"))}
            }
            if random.random() < 0.4:
                terms = [node_term(random) for _ in range(random.randint(1, 2))]
                spec["nodeAffinity"] = {"required": {"nodeSelectorTerms": terms}}
            labels = {ZONE: random.choice(("a", "b", "a__c"))} if random.random() < 0.4 else {}
            found.append(make("PersistentVolume", volume, spec=spec, metadata={"labels": labels}))
            bound = {"annotations": {"pv.kubernetes.io/bind-completed": "yes"}}
            claim = {"volumeName": volume, "storageClassName": "", "accessModes": ["ReadWriteMany"]}
            found.append(make("PersistentVolumeClaim", name, namespace=space, spec=claim, metadata=bound))
    return found


def separate_ports(pods: list[Pod]) -> None:
    """Take host ports off pods where another on the node has them: no scheduler would have put them there.

    The scheduler holds ports of a node as a set, so with two holders it matters in which order they go and come.
    """
    held: set[tuple[str, str, int]] = set()
    for one in pods:
        for container in one.spec.containers or ():
            mine = {(one.spec.node_name or "", p.protocol or "TCP", p.host_port or 0) for p in container.ports or ()}
            if mine & held:
                container.ports = None
            held |= mine


def random_cluster(random: Random, *, priorities: tuple[int, ...] = (0,), volumes: bool = False) -> list[Object]:
    """Nodes, running pods and what belongs to them; no pending pod."""
    nodes = [random_node(random, f"n{i}") for i in range(random.randint(1, 7))]
    claims = ["v1", "v2", "v3"] if volumes else []
    running = [
        random_pod(
            random,
            f"run-{i:02}",
            on=random.choice(nodes).name,
            priority=random.choice(priorities),
            claims=some(random, claims, 2),
        )
        for i in range(random.randint(0, 24 if len(priorities) > 1 else 16))
    ]
    separate_ports(running)
    spaces = [make("Namespace", "one", metadata={"labels": {"team": "red"}}), make("Namespace", "two")]
    limits: list[Object] = []
    if volumes:
        limits = [
            make(
                "CSINode",
                one.name,
                spec={
                    "drivers": [
                        {"name": "disk.example", "nodeID": one.name, "allocatable": {"count": random.randint(1, 3)}}
                    ]
                },
            )
            for one in nodes
            if random.random() < 0.6
        ]
    return [*nodes, *running, *spaces, *limits, *storage(random, claims, SPACES)]
