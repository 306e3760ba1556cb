"""Pods that are refused, and what happens then: whether it wakes them is asked of the real scheduling queue.

Long because it is a table.

python -m tests.oracle.waking_cases | tests/oracle/waking/waking > answers.jsonl    # fixtures/waking
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

from tests.oracle.landing_cases import node, pod

Object = dict[str, Any]
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
ZONE = "topology.kubernetes.io/zone"
HOST = "kubernetes.io/hostname"


def edit(one: Object, path: str, value: Any) -> Object:
    """A copy with one field set: ``metadata.labels.a`` with ``/`` between keys; None takes it away."""
    made = copy.deepcopy(one)
    *parents, last = path.split("|")
    here = made
    for key in parents:
        here = here.setdefault(key, {})
    if value is None:
        here.pop(last, None)
    else:
        here[last] = value
    return made


def kind(name: str, api: str, which: str, namespace: str = "", **fields: Any) -> Object:
    """Any other object."""
    metadata = {"name": name, **({"namespace": namespace} if namespace else {}), **fields.pop("metadata", {})}
    return {"apiVersion": api, "kind": which, "metadata": metadata, **fields}


SMALL = node("small", "1", "1Gi", {ZONE: "a"}, [])
BIG = node("big", "8", "8Gi", {ZONE: "b"}, [])
WANTS = pod("waits", {"app": "web"}, "2", "1Gi")
RUNS = pod("runs", {"app": "db"}, "500m", "256Mi", nodeName="small")
PVC = kind(
    "data", "v1", "PersistentVolumeClaim", "default", spec={"storageClassName": "slow"}, status={"phase": "Pending"}
)
DISK = [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]


def cases() -> Iterator[Object]:
    """Yield every case: its name, objects, and what was before and is after."""
    groups = (_resources, _nodes, _ports, _spread, _affinity, _anti_affinity, _volumes, _own, _nominated, _devices)
    for group in groups:
        for name, objects, old, new in group():
            yield {"name": name, "objects": objects, "old": old, "new": new}


Made = Iterator[tuple[str, list[Object], Object | None, Object | None]]


def _resources() -> Made:
    full = [SMALL, WANTS]
    yield "fit: a node that is large enough comes", full, None, BIG
    yield "fit: a node that is too small comes", full, None, node("other", "1", "8Gi", {}, [])
    yield "fit: a node becomes large enough", full, SMALL, edit(SMALL, "status|allocatable|cpu", "4")
    yield "fit: a node grows and stays too small", full, SMALL, edit(SMALL, "status|allocatable|cpu", "1500m")
    grown = edit(edit(SMALL, "status|allocatable|cpu", "4"), "status|allocatable|pods", "110")
    yield "fit: another amount of a node that would do grows", full, grown, edit(grown, "status|allocatable|x.y/z", "1")
    yield "fit: a node loses room", full, grown, edit(grown, "status|allocatable|cpu", "3")
    yield (
        "fit: more pods are allowed on a node that would do",
        full,
        grown,
        edit(grown, "status|allocatable|pods", "200"),
    )
    yield "fit: labels of a node change", full, SMALL, edit(SMALL, "metadata|labels|x", "y")
    yield "fit: a node goes", [SMALL, BIG, edit(WANTS, "spec|nodeSelector", {ZONE: "a"})], SMALL, None
    yield "fit: a pod goes", [*full, RUNS], RUNS, None
    yield "fit: a waiting pod goes", full, pod("other", {}, "1", "1Gi"), None
    less = edit(
        RUNS,
        "spec|containers",
        [{**RUNS["spec"]["containers"][0], "resources": {"requests": {"cpu": "100m", "memory": "256Mi"}}}],
    )
    yield "fit: a pod asks for less", [*full, RUNS], RUNS, less
    yield "fit: a pod asks for more", [*full, less], less, RUNS
    yield (
        "fit: a pod asks for less of what is not wanted",
        [*full, RUNS],
        edit(RUNS, "spec|overhead", {"x.y/z": "1"}),
        RUNS,
    )
    yield "fit: a pod is placed", full, None, RUNS
    yield "fit: a pod has another label", [*full, RUNS], RUNS, edit(RUNS, "metadata|labels|app", "web")


def _nodes() -> Made:
    taint = {"key": "a", "value": "b", "effect": "NoSchedule"}
    tainted = edit(BIG, "spec|taints", [taint])
    yield "taints: the taint goes", [tainted, WANTS], tainted, BIG
    yield (
        "taints: another taint comes",
        [tainted, WANTS],
        tainted,
        edit(BIG, "spec|taints", [taint, {**taint, "key": "c"}]),
    )
    yield (
        "taints: a soft taint instead",
        [tainted, WANTS],
        tainted,
        edit(BIG, "spec|taints", [{**taint, "effect": "PreferNoSchedule"}]),
    )
    yield "taints: a node without comes", [tainted, WANTS], None, SMALL
    yield "taints: a node with it comes", [tainted, WANTS], None, edit(SMALL, "spec|taints", [taint])
    yield "taints: a label changes", [tainted, WANTS], tainted, edit(tainted, "metadata|labels|x", "y")
    yield "taints: a pod goes", [tainted, WANTS, RUNS], RUNS, None
    cordoned = edit(BIG, "spec|unschedulable", True)
    yield "cordon: it is taken away", [cordoned, WANTS], cordoned, BIG
    yield "cordon: it comes", [cordoned, WANTS], BIG, cordoned
    yield "cordon: a cordoned node comes", [cordoned, WANTS], None, edit(SMALL, "spec|unschedulable", True)
    yield "cordon: a node comes", [cordoned, WANTS], None, SMALL
    yield "cordon: a taint beside it goes", [cordoned, WANTS], edit(cordoned, "spec|taints", [taint]), cordoned
    picky = edit(WANTS, "spec|nodeSelector", {"disk": "ssd"})
    yield "selector: the label comes", [BIG, picky], BIG, edit(BIG, "metadata|labels|disk", "ssd")
    yield "selector: another label comes", [BIG, picky], BIG, edit(BIG, "metadata|labels|x", "ssd")
    yield (
        "selector: a node that was selected has another label",
        [BIG, picky],
        edit(BIG, "metadata|labels|disk", "ssd"),
        edit(edit(BIG, "metadata|labels|disk", "ssd"), "metadata|labels|x", "y"),
    )
    yield "selector: a node with it comes", [BIG, picky], None, edit(SMALL, "metadata|labels|disk", "ssd")
    yield "selector: a node without comes", [BIG, picky], None, SMALL
    yield "selector: a taint goes", [BIG, picky], tainted, BIG


def _ports() -> Made:
    def with_port(one: Object, port: int, ip: str = "") -> Object:
        container = {**one["spec"]["containers"][0], "ports": [{"containerPort": port, "hostPort": port, "hostIP": ip}]}
        return edit(one, "spec|containers", [container])

    wants = with_port(edit(WANTS, "spec|nodeSelector", {ZONE: "b"}), 80)
    holds = with_port(edit(RUNS, "spec|nodeName", "big"), 80)
    yield "ports: the holder goes", [BIG, wants, holds], holds, None
    yield "ports: a holder of another port goes", [BIG, wants, holds], with_port(RUNS, 81), None
    yield "ports: a holder on one address goes", [BIG, wants, holds], with_port(RUNS, 80, "10.0.0.1"), None
    yield "ports: a pod without ports goes", [BIG, wants, holds], RUNS, None
    yield "ports: a node comes", [BIG, wants, holds], None, node("other", "1", "1Gi", {}, [])
    yield "ports: a node grows", [BIG, wants, holds], BIG, edit(BIG, "status|allocatable|cpu", "16")


def _spread() -> Made:
    constraint = {
        "maxSkew": 1,
        "topologyKey": ZONE,
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"app": "web"}},
    }
    wants = edit(edit(WANTS, "spec|topologySpreadConstraints", [constraint]), "spec|nodeSelector", {"only": "b"})
    wants = edit(wants, "spec|topologySpreadConstraints", [{**constraint, "nodeAffinityPolicy": "Ignore"}])
    big = edit(BIG, "metadata|labels|only", "b")
    there = pod("there", {"app": "web"}, "100m", "1Mi", nodeName="big")
    base = [SMALL, big, wants, there]
    yield "spread: a pod that counts goes", base, there, None
    yield "spread: a pod that counts comes", base, None, pod("more", {"app": "web"}, "100m", "1Mi", nodeName="small")
    yield "spread: a pod that does not count comes", base, None, RUNS
    yield "spread: a pod of another namespace comes", base, None, edit(there, "metadata|namespace", "other")
    yield "spread: a pod starts to count", base, RUNS, edit(RUNS, "metadata|labels|app", "web")
    yield "spread: another label of a pod changes", base, RUNS, edit(RUNS, "metadata|labels|x", "y")
    yield "spread: a node with the key goes", base, SMALL, None
    yield "spread: a node without the key comes", base, None, node("other", "8", "8Gi", {}, [])
    yield "spread: a node with the key comes", base, None, node("other", "8", "8Gi", {ZONE: "c"}, [])
    yield "spread: a node changes its zone", base, SMALL, edit(SMALL, "metadata|labels|" + ZONE, "b")
    yield "spread: a node changes another label", base, SMALL, edit(SMALL, "metadata|labels|x", "y")
    yield (
        "spread: taints of a node change",
        base,
        SMALL,
        edit(SMALL, "spec|taints", [{"key": "x", "effect": "NoSchedule"}]),
    )


def _term(app: str, key: str = ZONE, **more: Any) -> Object:
    return {"labelSelector": {"matchLabels": {"app": app}}, "topologyKey": key, **more}


def _affinity() -> Made:
    wants = edit(WANTS, "spec|affinity", {"podAffinity": {_REQUIRED: [_term("db")]}})
    base = [BIG, wants]
    runs = edit(RUNS, "spec|nodeName", "big")
    other = edit(runs, "metadata|labels|app", "cache")
    yield "affinity: a pod that matches comes", base, None, runs
    yield "affinity: a pod that does not match comes", base, None, other
    yield "affinity: a pod starts to match", [*base, other], other, runs
    yield "affinity: a pod of another namespace comes", base, None, edit(runs, "metadata|namespace", "other")
    yield "affinity: a pod goes", [*base, other], other, None
    yield "affinity: a node with the key comes", base, None, SMALL
    yield "affinity: a node without the key comes", base, None, node("other", "8", "8Gi", {}, [])
    yield "affinity: a node moves", base, BIG, edit(BIG, "metadata|labels|" + ZONE, "c")
    both = edit(WANTS, "spec|affinity", {"podAffinity": {_REQUIRED: [_term("db"), _term("cache")]}})
    yield "affinity: a pod that matches one of two terms comes", [BIG, both], None, runs


def _anti_affinity() -> Made:
    wants = edit(WANTS, "spec|affinity", {"podAntiAffinity": {_REQUIRED: [_term("db"), _term("cache")]}})
    runs = edit(RUNS, "spec|nodeName", "big")
    base = [BIG, wants, runs]
    yield "anti-affinity: the pod goes", base, runs, None
    yield "anti-affinity: another pod goes", base, edit(runs, "metadata|labels|app", "web"), None
    yield "anti-affinity: the pod stops to match", base, runs, edit(runs, "metadata|labels|app", "web")
    yield "anti-affinity: a pod comes", base, None, edit(runs, "metadata|labels|app", "web")
    yield "anti-affinity: a node comes", base, None, node("other", "1", "1Gi", {}, [])
    yield "anti-affinity: the node loses the key", base, BIG, edit(BIG, "metadata|labels|" + ZONE, None)
    yield "anti-affinity: the node gets another label", base, BIG, edit(BIG, "metadata|labels|x", "y")
    against = edit(runs, "spec|affinity", {"podAntiAffinity": {_REQUIRED: [_term("web")]}})
    yield "anti-affinity of others: the pod goes", [BIG, WANTS, against], against, None
    yield "anti-affinity of others: another pod goes", [BIG, WANTS, against], runs, None


def _volumes() -> Made:
    wants = edit(WANTS, "spec|volumes", DISK)
    slow = kind(
        "slow", "storage.k8s.io/v1", "StorageClass", provisioner="x.y", volumeBindingMode="WaitForFirstConsumer"
    )
    bound = edit(edit(PVC, "spec|volumeName", "pv"), "status|phase", "Bound")
    away = kind(
        "pv",
        "v1",
        "PersistentVolume",
        spec={
            "capacity": {"storage": "1Gi"},
            "csi": {"driver": "x.y", "volumeHandle": "h"},
            "accessModes": ["ReadWriteOnce"],
            "nodeAffinity": {
                "required": {
                    "nodeSelectorTerms": [{"matchExpressions": [{"key": ZONE, "operator": "In", "values": ["c"]}]}]
                }
            },
        },
    )
    yield "claim: it comes", [BIG, wants], None, PVC
    yield "claim: another comes", [BIG, wants], None, edit(PVC, "metadata|name", "other")
    yield "claim: one of another namespace comes", [BIG, wants], None, edit(PVC, "metadata|namespace", "other")
    yield "claim: a node comes", [BIG, wants], None, SMALL
    yield "claim: a pod goes", [BIG, wants, RUNS], RUNS, None
    immediate = edit(slow, "volumeBindingMode", "Immediate")
    yield "unbound: it is bound", [BIG, wants, immediate, PVC], PVC, bound
    yield (
        "unbound: another is bound",
        [BIG, wants, immediate, PVC],
        edit(PVC, "metadata|name", "x"),
        edit(bound, "metadata|name", "x"),
    )
    yield "unbound: a volume comes", [BIG, wants, immediate, PVC], None, away
    yield "out of reach: a node comes", [BIG, wants, slow, bound, away], None, node("other", "8", "8Gi", {}, [])
    yield (
        "out of reach: a node changes its label",
        [BIG, wants, slow, bound, away],
        BIG,
        edit(BIG, "metadata|labels|" + ZONE, "c"),
    )
    yield "out of reach: a node grows", [BIG, wants, slow, bound, away], BIG, edit(BIG, "status|allocatable|cpu", "16")
    yield "out of reach: a class comes", [BIG, wants, slow, bound, away], None, edit(slow, "metadata|name", "other")
    yield (
        "out of reach: a class has other topologies",
        [BIG, wants, slow, bound, away],
        slow,
        edit(slow, "allowedTopologies", [{"matchLabelExpressions": [{"key": ZONE, "values": ["b"]}]}]),
    )
    yield (
        "out of reach: a class may expand",
        [BIG, wants, slow, bound, away],
        slow,
        edit(slow, "allowVolumeExpansion", True),
    )
    yield (
        "out of reach: a CSINode comes",
        [BIG, wants, slow, bound, away],
        None,
        kind("big", "storage.k8s.io/v1", "CSINode", spec={"drivers": []}),
    )
    zone = edit(edit(away, "spec|nodeAffinity", None), "metadata|labels", {ZONE: "c"})
    yield (
        "zone: the volume has another",
        [BIG, wants, slow, bound, zone],
        zone,
        edit(zone, "metadata|labels|" + ZONE, "b"),
    )
    yield (
        "zone: another label of the volume changes",
        [BIG, wants, slow, bound, zone],
        zone,
        edit(zone, "metadata|labels|x", "y"),
    )
    yield "zone: a node changes its label", [BIG, wants, slow, bound, zone], BIG, edit(BIG, "metadata|labels|x", "y")
    free = edit(away, "spec|nodeAffinity", None)
    limits = kind(
        "big",
        "storage.k8s.io/v1",
        "CSINode",
        spec={"drivers": [{"name": "x.y", "nodeID": "b", "allocatable": {"count": 0}}]},
    )
    raised = edit(limits, "spec|drivers", [{"name": "x.y", "nodeID": "b", "allocatable": {"count": 2}}])
    base = [BIG, wants, slow, bound, free, limits]
    yield "limit: it is raised", base, limits, raised
    yield "limit: it is lowered", base, raised, limits
    yield "limit: a pod with a claim goes", base, edit(edit(RUNS, "spec|volumes", DISK), "spec|nodeName", "big"), None
    yield "limit: a pod without goes", base, edit(RUNS, "spec|nodeName", "big"), None
    attachment = kind(
        "a",
        "storage.k8s.io/v1",
        "VolumeAttachment",
        spec={"attacher": "x.y", "nodeName": "big", "source": {"persistentVolumeName": "pv"}},
        status={"attached": True},
    )
    yield "limit: an attachment goes", base, attachment, None
    once = edit(bound, "spec|accessModes", ["ReadWriteOncePod"])
    user = edit(edit(edit(RUNS, "spec|volumes", DISK), "spec|nodeName", "big"), "metadata|labels", {})
    yield "one pod alone: the user goes", [BIG, wants, slow, once, free, user], user, None
    yield "one pod alone: another pod goes", [BIG, wants, slow, once, free, user], RUNS, None
    yield "one pod alone: a node comes", [BIG, wants, slow, once, free, user], None, node("other", "1", "1Gi", {}, [])


def _own() -> Made:
    taint = {"key": "a", "value": "b", "effect": "NoSchedule"}
    tainted = edit(BIG, "spec|taints", [taint])
    tolerates = edit(WANTS, "spec|tolerations", [{"key": "a", "operator": "Exists"}])
    yield "own: a toleration comes", [tainted, WANTS], WANTS, tolerates
    yield "own: a label comes", [tainted, WANTS], WANTS, edit(WANTS, "metadata|labels|x", "y")
    cordoned = edit(BIG, "spec|unschedulable", True)
    yield "own: a toleration that does not help with a cordon comes", [cordoned, WANTS], WANTS, tolerates
    cordon = [{"key": "node.kubernetes.io/unschedulable", "operator": "Exists"}]
    yield "own: a toleration of the cordon comes", [cordoned, WANTS], WANTS, edit(WANTS, "spec|tolerations", cordon)
    yield (
        "own: it asks for less",
        [SMALL, WANTS],
        WANTS,
        edit(
            WANTS, "spec|containers", [{**WANTS["spec"]["containers"][0], "resources": {"requests": {"cpu": "500m"}}}]
        ),
    )
    gated = edit(WANTS, "spec|schedulingGates", [{"name": "x"}])
    yield "own: the gate goes", [BIG, gated], gated, WANTS
    term = {"labelSelector": {"matchLabels": {"app": "web"}}, "topologyKey": ZONE}
    alone = edit(WANTS, "spec|affinity", {"podAntiAffinity": {_REQUIRED: [term]}})
    web = edit(edit(RUNS, "spec|nodeName", "big"), "metadata|labels|app", "web")
    yield "own: a label that others shun goes", [BIG, alone, web], alone, edit(alone, "metadata|labels|app", "db")
    limit = {"maxSkew": 1, "topologyKey": ZONE, "whenUnsatisfiable": "DoNotSchedule"}
    even = {**limit, "labelSelector": {"matchLabels": {"app": "web"}}, "nodeAffinityPolicy": "Ignore"}
    spread = edit(edit(WANTS, "spec|topologySpreadConstraints", [even]), "spec|nodeSelector", {ZONE: "b"})
    yield "own: a label that counts goes", [SMALL, BIG, spread, web], spread, edit(spread, "metadata|labels|app", "db")
    honest = edit(spread, "spec|topologySpreadConstraints", [{**even, "nodeTaintsPolicy": "Honor"}])
    yield (
        "own: a toleration comes where taints count",
        [SMALL, BIG, honest, web],
        honest,
        edit(honest, "spec|tolerations", [{"key": "a", "operator": "Exists"}]),
    )


def _nominated() -> Made:
    """Pods without a node that were promised one."""
    promised = edit(edit(RUNS, "spec|nodeName", None), "status|nominatedNodeName", "big")
    web = edit(promised, "metadata|labels|app", "web")
    taken_back = edit(promised, "status|nominatedNodeName", None)
    higher = edit(promised, "spec|priority", 10)
    crowded = edit(BIG, "status|allocatable|cpu", "2")
    for name, one in (
        ("a", promised),
        ("a more important", higher),
        ("a less important", edit(promised, "spec|priority", -1)),
    ):
        yield f"nominated: {name} pod goes", [crowded, edit(WANTS, "spec|containers", _asks("4")), one], one, None
    yield (
        "nominated: the promise is taken back",
        [crowded, edit(WANTS, "spec|containers", _asks("4")), promised],
        promised,
        taken_back,
    )
    yield "nominated: another waiting pod goes", [SMALL, WANTS, taken_back], taken_back, None
    yield "nominated: a promise is made", [SMALL, WANTS, taken_back], taken_back, promised
    limit = {"maxSkew": 1, "topologyKey": ZONE, "whenUnsatisfiable": "DoNotSchedule"}
    even = {**limit, "labelSelector": {"matchLabels": {"app": "web"}}, "nodeAffinityPolicy": "Ignore"}
    spread = edit(edit(WANTS, "spec|topologySpreadConstraints", [even]), "spec|nodeSelector", {ZONE: "b"})
    there = pod("there", {"app": "web"}, "100m", "1Mi", nodeName="big")
    yield "nominated: a pod that counts goes", [SMALL, BIG, spread, there, web], web, None
    yield "nominated: a pod that does not count goes", [SMALL, BIG, spread, there, promised], promised, None
    yield (
        "nominated: a pod that counts is placed",
        [SMALL, BIG, spread, there, web],
        web,
        edit(web, "spec|nodeName", "small"),
    )
    term = {"labelSelector": {"matchLabels": {"app": "db"}}, "topologyKey": ZONE}
    away = edit(WANTS, "spec|affinity", {"podAntiAffinity": {_REQUIRED: [term]}})
    runs = edit(edit(RUNS, "metadata|name", "there"), "spec|nodeName", "big")
    yield "nominated: a pod to stay away from goes", [BIG, away, runs, promised], promised, None
    yield (
        "nominated: a pod that shuns it goes",
        [
            BIG,
            away,
            runs,
            shuns := edit(
                web,
                "spec|affinity",
                {"podAntiAffinity": {_REQUIRED: [{**term, "labelSelector": {"matchLabels": {"app": "web"}}}]}},
            ),
        ],
        shuns,
        None,
    )


def _asks(cpu: str) -> list[Object]:
    return [{"name": "main", "image": "app", "resources": {"requests": {"cpu": cpu, "memory": "1Gi"}}}]


def _devices() -> Made:
    """Claims, classes and slices of devices."""
    api = "resource.k8s.io/v1"
    wants = edit(WANTS, "spec|resourceClaims", [{"name": "gpu", "resourceClaimName": "mine"}])
    one = {"deviceClassName": "gpu", "allocationMode": "ExactCount", "count": 1}
    request = {"devices": {"requests": [{"name": "r", "exactly": one}]}}
    mine = kind("mine", api, "ResourceClaim", "default", spec=request, metadata={"uid": "mine"})
    other = kind("other", api, "ResourceClaim", "default", spec=request, metadata={"uid": "other"})
    result = {"request": "r", "driver": "x.y", "pool": "p", "device": "d0"}
    held = edit(other, "status", {"allocation": {"devices": {"results": [result]}}})
    given = edit(mine, "status", {"allocation": {"devices": {"results": [result]}}})
    taken = edit(given, "status|reservedFor", [{"resource": "pods", "name": "x", "uid": "x"}])
    gpu = kind("gpu", api, "DeviceClass", spec={})
    pool = {"name": "p", "generation": 1, "resourceSliceCount": 1}
    spec = {"driver": "x.y", "nodeName": "big", "pool": pool, "devices": [{"name": "d0"}]}
    devices = kind("slice", api, "ResourceSlice", spec=spec)
    short = [BIG, wants, gpu, devices, mine, held]
    yield "devices: the claim comes", [BIG, wants, gpu, devices], None, mine
    yield "devices: another claim comes", [BIG, wants, gpu, devices], None, other
    yield (
        "devices: another claim comes, mine is there",
        short,
        None,
        edit(edit(other, "metadata|name", "third"), "metadata|uid", "t"),
    )
    yield "devices: another claim gives its device back", short, held, other
    yield "devices: another claim goes with its device", short, held, None
    yield "devices: another claim goes that had none", [BIG, wants, gpu, mine, other], other, None
    yield "devices: the claim has another label", short, mine, edit(mine, "metadata|labels", {"x": "y"})
    yield "devices: the claim is allocated", short, mine, given
    yield "devices: another claim is allocated", [BIG, wants, gpu, mine, other], other, held
    yield "devices: one that holds the claim lets go", short, taken, given
    yield "devices: mine is given back, the class is missing", [BIG, wants, mine], given, mine
    yield "devices: another gives back, mine is missing", [BIG, wants, gpu, devices, held], held, other
    yield "devices: a slice comes", [BIG, wants, gpu, mine], None, devices
    yield "devices: a slice has more", short, devices, edit(devices, "spec|devices", [{"name": "d0"}, {"name": "d1"}])
    yield "devices: a slice goes", short, devices, None
    yield "devices: the class comes", [BIG, wants, devices, mine], None, gpu
    yield "devices: the class changes", short, gpu, edit(gpu, "metadata|labels", {"x": "y"})
    yield "devices: the class goes", short, gpu, None
    yield "devices: a node comes", short, None, SMALL
    yield "devices: a node gets a label", short, BIG, edit(BIG, "metadata|labels|x", "y")
    yield "devices: a node grows", short, BIG, edit(BIG, "status|allocatable|cpu", "16")
    yield (
        "devices: a taint of a node goes",
        short,
        edit(BIG, "spec|taints", [{"key": "a", "effect": "NoSchedule"}]),
        BIG,
    )
    yield "devices: a pod goes", [*short, RUNS], RUNS, None
    made = edit(WANTS, "spec|resourceClaims", [{"name": "gpu", "resourceClaimTemplateName": "t"}])
    known = edit(made, "status|resourceClaimStatuses", [{"name": "gpu", "resourceClaimName": "mine"}])
    named = edit(made, "status|resourceClaimStatuses", [{"name": "gpu", "resourceClaimName": "nobody"}])
    owned = edit(
        mine,
        "metadata|ownerReferences",
        [{"apiVersion": "v1", "kind": "Pod", "name": "waits", "uid": "default/waits", "controller": True}],
    )
    yield "devices: the name of the claim comes", [BIG, made, gpu, devices, owned], made, known
    yield "devices: the name of a claim comes that is missing", [BIG, made, gpu, devices], made, named


if __name__ == "__main__":
    for one in cases():
        print(json.dumps(one))
