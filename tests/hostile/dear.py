"""Clusters of pods that wait, each of a kind of its own, and each dear to try: it evicts, spreads, or has to choose.

What scheduling reads and nothing else, without a space, as in ``compact``. A shape gives the objects that stand there
first (nodes, what runs, what is chosen from), and the pod of a number with what belongs to it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

from tests.hostile.compact import a_node, a_pod, made

Objects = list[dict[str, Any]]


def waits(number: int, /, metadata: dict[str, Any] | None = None, **spec: Any) -> dict[str, Any]:
    """A pod that waits, and asks for an amount that no other asks for."""
    pod = a_pod(number, {"cpu": f"{100 + number % 4_000}m", "memory": f"{64 + number // 4_000}Mi"}, spec=spec)
    del pod["spec"]["nodeName"]
    pod["metadata"] |= metadata or {}
    return pod


def nodes(many: int = 500) -> Objects:
    return [a_node(at) for at in range(many)]


def full(many: int, each: int, **fields: Any) -> Objects:
    """Nodes full of pods that may be evicted, each of its own size."""
    made_of = {"namespace": "low", **fields}
    running = []
    for number in range(many * each):
        pod = a_pod(number, {"cpu": f"{8000 // each - number % 5}m"}, spec={"nodeName": f"n-{number % many}"})
        pod["metadata"] |= {"name": f"v-{number}"} | made_of
        running.append(pod)
    return [*nodes(many), *running]


def owned(many: int, each: int) -> Objects:
    """The same, and each comes back: controllers own them."""
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "r", "uid": "u", "controller": True}
    return full(many, each, ownerReferences=[owner])


def guarded(many: int, each: int) -> Objects:
    """The same, under budgets of their own."""
    allowed = {"disruptionsAllowed": 1}
    guards = []
    for at in range(1_000):
        spec = {"selector": {"matchLabels": {"g": f"g{at}"}}}
        guards.append(made("PodDisruptionBudget", f"b-{at}", "policy/v1", namespace="low", spec=spec, status=allowed))
    running = full(many, each)
    for number, pod in enumerate(running[many:]):
        pod["metadata"]["labels"] = {"g": f"g{number % 1_000}"}
    return [*running, *guards]


def evicts(number: int) -> Objects:
    return [waits(number, priority=1_000 + number % 7)]


def _constraint(number: int, key: str, when: str) -> dict[str, Any]:
    selector = {"matchLabels": {"app": f"a{number % 4_000}"}}
    return {"maxSkew": 1, "topologyKey": key, "whenUnsatisfiable": when, "labelSelector": selector}


def spreads(number: int) -> Objects:
    constraints = [
        _constraint(number, "kubernetes.io/hostname", "DoNotSchedule"),
        _constraint(number, "topology.kubernetes.io/zone", "ScheduleAnyway"),
    ]
    return [waits(number, {"labels": {"app": f"a{number % 4_000}"}}, topologySpreadConstraints=constraints)]


def evicts_and_spreads(number: int) -> Objects:
    pod = spreads(number)[0]
    pod["spec"]["priority"] = 1_000 + number % 7
    return [pod]


def spreads_widely(number: int) -> Objects:
    """Many constraints a pod, each with a selector of its own."""
    keys = ("kubernetes.io/hostname", "topology.kubernetes.io/zone")
    constraints = [_constraint(number * 7 + at, keys[at % 2], "ScheduleAnyway") for at in range(50)]
    return [waits(number, {"labels": {"app": f"a{number % 4_000}"}}, topologySpreadConstraints=constraints)]


def _term(number: int, key: str = "topology.kubernetes.io/zone") -> dict[str, Any]:
    return {"topologyKey": key, "labelSelector": {"matchLabels": {"app": f"a{number}"}}}


def keeps_apart(number: int) -> Objects:
    """Each keeps away from pods like the one before it."""
    rule = {
        "requiredDuringSchedulingIgnoredDuringExecution": [
            _term(number - 1, "kubernetes.io/hostname"),
            _term(number + 1),
        ]
    }
    return [waits(number, {"labels": {"app": f"a{number}"}}, affinity={"podAntiAffinity": rule})]


def prefers(number: int) -> Objects:
    weighed = [{"weight": 1 + at, "podAffinityTerm": _term(number - at)} for at in range(20)]
    rule = {"preferredDuringSchedulingIgnoredDuringExecution": weighed}
    return [waits(number, {"labels": {"app": f"a{number}"}}, affinity={"podAffinity": rule})]


def asks_for_nodes(number: int) -> Objects:
    """Terms about labels of nodes, none as another's."""
    terms = [
        {
            "matchExpressions": [
                {
                    "key": "kubernetes.io/hostname",
                    "operator": "NotIn",
                    "values": [f"n-{number % 997 + at}", f"x{number}"],
                }
            ]
        }
        for at in range(10)
    ]
    return [
        waits(
            number,
            affinity={"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}},
        )
    ]


def volumes() -> Objects:
    there = made(
        "StorageClass",
        "local",
        "storage.k8s.io/v1",
        provisioner="kubernetes.io/no-provisioner",
        volumeBindingMode="WaitForFirstConsumer",
    )
    chosen = []
    for number in range(8_000):
        on = {"key": "kubernetes.io/hostname", "operator": "In", "values": [f"n-{number % 500}"]}
        spec = {
            "capacity": {"storage": f"{10 + number % 50}Gi"}, "accessModes": ["ReadWriteOnce"],
            "storageClassName": "local",
            "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [on]}]}},
        }  # fmt: skip
        chosen.append(made("PersistentVolume", f"pv-{number}", spec=spec))
    return [*nodes(), there, *chosen]


def chooses_volumes(number: int) -> Objects:
    spec = {
        "storageClassName": "local",
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": f"{5 + number % 60}Gi"}},
    }
    claim = made("PersistentVolumeClaim", f"c-{number}", namespace="d", spec=spec)
    return [claim, waits(number, volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": f"c-{number}"}}])]


def devices() -> Objects:
    selector = {"cel": {"expression": 'device.driver == "gpu"'}}
    slices = []
    for number in range(500):
        held = [_device(at) for at in range(16)]
        pool = {"name": f"n-{number}", "generation": 1, "resourceSliceCount": 1}
        spec = {"driver": "gpu", "nodeName": f"n-{number}", "pool": pool, "devices": held}
        slices.append(made("ResourceSlice", f"s-{number}", "resource.k8s.io/v1", spec=spec))
    return [*nodes(), made("DeviceClass", "gpu", "resource.k8s.io/v1", spec={"selectors": [selector]}), *slices]


def _device(at: int) -> dict[str, Any]:
    return {"name": f"g{at}", "attributes": {"i": {"int": at}}, "capacity": {"m": {"value": f"{at + 1}Gi"}}}


def chooses_devices(number: int) -> Objects:
    """Some of the devices, by an expression that no other has."""
    expression = f'device.attributes["gpu"].i < {number} + 20'
    asked = {"deviceClassName": "gpu", "count": 3, "selectors": [{"cel": {"expression": expression}}]}
    spec = {"devices": {"requests": [{"name": "r", "exactly": asked}]}}
    claim = made("ResourceClaim", f"c-{number}", "resource.k8s.io/v1", namespace="d", spec=spec)
    return [claim, waits(number, resourceClaims=[{"name": "r", "resourceClaimName": f"c-{number}"}])]


def many_containers(number: int) -> Objects:
    held = [{"name": f"c{at}", "resources": {"requests": {"cpu": f"{1 + (number + at) % 30}m"}}} for at in range(400)]
    return [waits(number, containers=held)]


def many_ports(number: int) -> Objects:
    ports = [{"hostPort": 1 + (number * 7 + at) % 60_000, "containerPort": 1} for at in range(100)]
    return [waits(number, containers=[{"name": "c", "ports": ports}])]


def nominated(number: int) -> Objects:
    """Each is nominated to a node, so that whoever is tried there meets all of them."""
    pod = waits(number, priority=1_000 + number % 7)
    return [pod | {"status": {"nominatedNodeName": f"n-{number % 500}"}}]


def on_many_nodes(number: int) -> Objects:
    return [waits(number)]


def _workload(number: int, kind: str = "Deployment", **more: Any) -> dict[str, Any]:
    labels = {"app": f"w{number}"}
    container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": f"{100 + number % 3_000}m"}}}
    spec = {"selector": {"matchLabels": labels}, "template": {"metadata": {"labels": labels}}, **more}
    spec["template"] |= {"spec": {"containers": [container]}}
    return made(kind, f"w-{number}", "apps/v1", namespace="d", spec=spec)


def with_autoscaler(number: int) -> Objects:
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": f"w-{number}"}
    spec = {"scaleTargetRef": target, "minReplicas": 1, "maxReplicas": 2}
    scaler = made("HorizontalPodAutoscaler", f"h-{number}", "autoscaling/v2", namespace="d", spec=spec)
    return [_workload(number, replicas=1), scaler]


def of_jobs(number: int) -> Objects:
    template = {"spec": {"containers": [{"name": "c", "image": "i"}], "restartPolicy": "Never"}}
    return [made("Job", f"j-{number}", "batch/v1", namespace="d", spec={"template": template})]


def held_against(kind: str, spec: dict[str, Any]) -> Callable[[int], Objects]:
    """Policies of one namespace, and every fortieth object a Deployment that is held against them."""

    def one(number: int) -> Objects:
        if number % 40 == 0:
            return [_workload(number, replicas=1)]
        return [made(kind, f"q-{number}", namespace="d", spec=spec)]

    return one


MANIFESTS: dict[str, Callable[[int], Objects]] = {
    "Deployments": lambda number: [_workload(number, replicas=1)],
    "Deployments that are refused": lambda number: [_workload(number, replicas=1, strategy={"type": "None"})],
    "Deployments with autoscalers": with_autoscaler,
    "StatefulSets": lambda number: [_workload(number, "StatefulSet", replicas=1, serviceName="x")],
    "DaemonSets": lambda number: [_workload(number, "DaemonSet")] if number < 30 else [],
    "Jobs": of_jobs,
    "quotas": held_against("ResourceQuota", {"hard": {"pods": "1000000"}}),
    "limits": held_against("LimitRange", {"limits": [{"type": "Container", "max": {"cpu": "9"}}]}),
}
"""By name, manifests that are brought to a full cluster: what makes the objects of a number."""

DEAR: dict[str, tuple[Callable[[], Objects], Callable[[int], Objects]]] = {
    "pods that evict": (lambda: full(500, 40), evicts),
    "pods that evict on few nodes": (lambda: full(20, 100), evicts),
    "pods that evict what comes back": (lambda: owned(500, 20), evicts),
    "pods that evict under budgets": (lambda: guarded(500, 20), evicts),
    "pods that spread": (nodes, spreads),
    "pods that spread by many rules": (nodes, spreads_widely),
    "pods that keep apart": (nodes, keeps_apart),
    "pods that prefer others": (nodes, prefers),
    "pods that evict and spread": (lambda: full(500, 20), evicts_and_spreads),
    "pods that ask for nodes": (lambda: nodes(2_000), asks_for_nodes),
    "pods that choose volumes": (volumes, chooses_volumes),
    "pods that choose devices": (devices, chooses_devices),
    "pods of many containers": (nodes, many_containers),
    "pods of many ports": (nodes, many_ports),
    "nominated pods": (nodes, nominated),
    "pods that wait on many nodes": (lambda: nodes(20_000), on_many_nodes),
}  # fmt: skip
"""By name, what stands there first, and what makes the pod of a number."""


def dear(name: str, size: int, *, few: bool = False) -> bytes:
    """A List of the objects of a shape, with as many pods as fill a size.

    Args:
        name: of the shape.
        size: length of the text [bytes].
        few: with one in a hundred of the objects that stand there first, of each kind.
    """
    first, one = DEAR[name]
    there = first()
    if few:
        kinds = dict.fromkeys(item["kind"] for item in there)
        there = [item for kind in kinds for item in _few([other for other in there if other["kind"] == kind])]
    items = [*_texts(there)]
    length, number = sum(map(len, items)) + len(items), 0
    while length < size:
        more = _texts(one(number))
        length += sum(map(len, more)) + len(more)
        items += more
        number += 1
    return _listed(items)


def brought(name: str, size: int, most: int = 9_000) -> tuple[bytes, bytes]:
    """What stands there first as a cluster, and the pods of a shape as manifests, a List each.

    Args:
        name: of the shape, or of manifests that are brought to a full cluster.
        size: length of the manifests at the most [bytes].
        most: objects of theirs at the most.
    """
    first, one = DEAR[name] if name in DEAR else (lambda: full(500, 40), MANIFESTS[name])
    items: list[str] = []
    length, number = 0, 0
    while length < size and len(items) < most and number < most:
        more = _texts(one(number))
        length += sum(map(len, more)) + len(more)
        items += more
        number += 1
    return _listed(_texts(first())), _listed(items)


def _listed(items: list[str]) -> bytes:
    return f'{{"apiVersion":"v1","kind":"List","items":[{",".join(items)}]}}'.encode()


def _few(objects: Objects) -> Objects:
    return objects[: max(1, len(objects) // 100)]


def in_documents(text: bytes) -> bytes:
    """The objects of a List as YAML, each in a document of its own."""
    return b"---\n".join(f"{_flow(item)}\n".encode() for item in json.loads(text)["items"])


def dear_documents(name: str, size: int) -> bytes:
    """A shape as YAML, each object in a document of its own."""
    return in_documents(dear(name, size * 92 // 100))


def _flow(value: Any) -> str:
    return json.dumps(value, separators=(", ", ": "))


def _texts(objects: Iterable[dict[str, Any]]) -> list[str]:
    return [json.dumps(item, separators=(",", ":")) for item in objects]
