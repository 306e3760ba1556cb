"""How the time of an answer grows with the size of what it is about: the exponent between n, 2n and 4n.

    python -m tests.bench.run --growth [NAME]...

Each shape is a cluster in which one thing is there n times, and a command that is asked about it. CPU time is measured,
of a process of its own, so that other work on the machine matters little; calls of functions are counted beside it,
which are the same each time. An exponent near 1 is proportional growth, 2 is quadratic. Nothing is asserted.
"""

from __future__ import annotations

import contextlib
import io
import itertools
import json
import math
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

Items = list[dict[str, Any]]
ZONE = "topology.kubernetes.io/zone"


class Shape(NamedTuple):
    """One thing that is there n times.

    Attributes:
        size: n; 2n and 4n are measured, too.
        items: the objects of a cluster of that size.
        words: the command; ``FILE`` stands for the cluster.
    """

    size: int
    items: Callable[[int], Items]
    words: tuple[str, ...]


def node(name: str, zone: str = "a", **amounts: str) -> dict[str, Any]:
    """Make a node with room for much."""
    labels = {"kubernetes.io/hostname": name, ZONE: zone}
    allocatable = {"cpu": "64", "memory": "256Gi", "pods": "250", **amounts}
    status = {"allocatable": allocatable, "nodeInfo": {"kubeletVersion": "v1.37.2"}}
    meta = {"name": name, "labels": labels}
    return {"apiVersion": "v1", "kind": "Node", "metadata": meta, "status": status}


def nodes(count: int) -> Items:
    """Make nodes in three zones."""
    return [node(f"n{i}", "abc"[i % 3]) for i in range(count)]


def pod(name: str, on: str = "", labels: dict[str, str] | None = None, **spec: Any) -> dict[str, Any]:
    """Make a pod that waits, or runs on a node."""
    request = {"resources": {"requests": {"cpu": "10m"}}}
    body = {"containers": [{"name": "c", "image": "x", **request}], **spec, **({"nodeName": on} if on else {})}
    meta = {"name": name, "namespace": "d", "labels": labels or {"app": "a"}}
    status = {"phase": "Running" if on else "Pending"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": body, "status": status}


def containers(n: int) -> Items:
    """A pod of n containers that is too large."""
    wants = {"requests": {"cpu": "1", "memory": "1Gi"}}
    several = [{"name": f"c{i}", "image": "x", "resources": wants} for i in range(n)]
    return [*nodes(5), pod("p", containers=several)]


def claims(n: int) -> Items:
    """A pod of n claims that wait for a first consumer, and volumes for half of them."""
    found = [claim(f"c{i}") for i in range(n)]
    volumes = [{"name": f"v{i}", "persistentVolumeClaim": {"claimName": f"c{i}"}} for i in range(n)]
    return [*nodes(5), storage_class(), *found, *(volume(f"pv{i}") for i in range(n // 2)), pod("p", volumes=volumes)]


def storage_class() -> dict[str, Any]:
    meta = {"name": "late"}
    how = {"provisioner": "kubernetes.io/no-provisioner", "volumeBindingMode": "WaitForFirstConsumer"}
    return {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": meta, **how}


def claim(name: str) -> dict[str, Any]:
    spec = {
        "storageClassName": "late",
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": "1Gi"}},
        "volumeMode": "Filesystem",
    }
    meta = {"name": name, "namespace": "d", "uid": name}
    status = {"phase": "Pending"}
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": meta, "spec": spec, "status": status}


def volume(name: str) -> dict[str, Any]:
    spec = {
        "storageClassName": "late",
        "accessModes": ["ReadWriteOnce"],
        "capacity": {"storage": "2Gi"},
        "volumeMode": "Filesystem",
        "local": {"path": "/x"},
        "nodeAffinity": {
            "required": {
                "nodeSelectorTerms": [{"matchExpressions": [{"key": ZONE, "operator": "In", "values": ["a"]}]}]
            }
        },
    }
    meta = {"name": name}
    status = {"phase": "Available"}
    return {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": meta, "spec": spec, "status": status}


def host_ports(n: int) -> Items:
    """A pod of n host ports that are taken."""
    ports = [{"containerPort": 1, "hostPort": 1000 + i} for i in range(n)]
    one = {"name": "c", "image": "x", "ports": ports}
    return [*nodes(3), *(pod(f"r{i}", f"n{i}", containers=[one]) for i in range(3)), pod("p", containers=[one])]


def spread(n: int) -> Items:
    """A pod of n spread constraints, which pods that run break."""
    constraints = [
        {
            "maxSkew": 1,
            "topologyKey": ZONE if i % 2 else "kubernetes.io/hostname",
            "whenUnsatisfiable": "DoNotSchedule" if i % 3 else "ScheduleAnyway",
            "labelSelector": {"matchLabels": {f"k{i}": "x"}},
        }
        for i in range(n)
    ]
    labels = {f"k{i}": "x" for i in range(n)}
    running = [pod(f"r{i}", f"n{i % 6}", labels) for i in range(30)]
    return [*nodes(6), *running, pod("p", labels=labels, topologySpreadConstraints=constraints)]


def terms(n: int) -> Items:
    """A pod of n terms of anti-affinity and of affinity of nodes, which nothing meets."""
    anti = [
        {"topologyKey": ZONE, "labelSelector": {"matchExpressions": [{"key": f"k{i}", "operator": "Exists"}]}}
        for i in range(n)
    ]
    meets = [{"matchExpressions": [{"key": f"x{i}", "operator": "In", "values": ["y"]}]} for i in range(n)]
    affinity = {
        "podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": anti},
        "nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": meets}},
    }
    running = [pod(f"r{i}", f"n{i % 6}", {f"k{j}": "x" for j in range(i, n, 30)}) for i in range(30)]
    return [*nodes(6), *running, pod("p", affinity=affinity)]


def soft_terms(n: int) -> Items:
    """A pod of n preferred terms."""
    prefers = [
        {
            "weight": 1 + i % 100,
            "podAffinityTerm": {"topologyKey": ZONE, "labelSelector": {"matchLabels": {f"k{i}": "x"}}},
        }
        for i in range(n)
    ]
    affinity = {"podAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": prefers}}
    running = [pod(f"r{i}", f"n{i % 6}", {f"k{j}": "x" for j in range(i, n, 30)}) for i in range(30)]
    return [*nodes(6), *running, pod("p", affinity=affinity)]


def resources(n: int) -> Items:
    """n resources on each node, of which a pod asks for too many."""
    amounts = {f"example.com/r{i}": "1" for i in range(n)}
    wants = {"resources": {"requests": dict.fromkeys(amounts, "2"), "limits": dict.fromkeys(amounts, "2")}}
    return [
        *(node(f"n{i}", "abc"[i % 3], **amounts) for i in range(6)),
        pod("p", containers=[{"name": "c", "image": "x", **wants}]),
    ]


def pods_with_claims(n: int) -> Items:
    """n pods with a claim each, for which there is no volume."""
    made: Items = [*nodes(6), storage_class()]
    for i in range(n):
        made += [claim(f"c{i}"), pod(f"p{i}", volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": f"c{i}"}}])]
    return made


def pods_with_local(n: int) -> Items:
    """n pods with a claim each, and volumes for half of them, all in one zone."""
    return [*pods_with_claims(n), *(volume(f"pv{i}") for i in range(n // 2))]


def templates(n: int) -> Items:
    """n pods that run, each of another template that spreads and avoids itself."""
    made = nodes(60)
    for i in range(n):
        labels = {"app": f"a{i}"}
        spec = {
            "topologySpreadConstraints": [
                {
                    "maxSkew": 1,
                    "topologyKey": ZONE,
                    "whenUnsatisfiable": "ScheduleAnyway",
                    "labelSelector": {"matchLabels": labels},
                }
            ]
        }
        made.append(owned(pod(f"p{i}", f"n{i % 60}", labels, **spec), f"rs{i}"))
    return made


def owned(item: dict[str, Any], owner: str) -> dict[str, Any]:
    """Let a ReplicaSet own a pod."""
    item["metadata"]["ownerReferences"] = [
        {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": owner, "uid": owner, "controller": True}
    ]
    return item


def budgets(n: int) -> Items:
    """n pods that run, with a budget each."""
    made = nodes(60)
    for i in range(n):
        labels = {"app": f"a{i}"}
        made.append(owned(pod(f"p{i}", f"n{i % 60}", labels), f"rs{i}"))
        made.append(
            {
                "apiVersion": "policy/v1",
                "kind": "PodDisruptionBudget",
                "metadata": {"name": f"b{i}", "namespace": "d"},
                "spec": {"selector": {"matchLabels": labels}, "minAvailable": 0},
                "status": {"disruptionsAllowed": 1, "currentHealthy": 1, "desiredHealthy": 0, "expectedPods": 1},
            }
        )
    return made


def running(n: int) -> Items:
    """n pods that run, and one that waits."""
    return [*nodes(200), *(owned(pod(f"r{i}", f"n{i % 200}"), f"rs{i % 50}") for i in range(n)), pod("p")]


def services(n: int) -> Items:
    """n Services, each of which selects a pod that waits."""
    made = nodes(60)
    for i in range(n):
        labels = {"app": f"a{i}"}
        meta = {"name": f"s{i}", "namespace": "d"}
        made.append({"apiVersion": "v1", "kind": "Service", "metadata": meta, "spec": {"selector": labels}})
        made.append(owned(pod(f"p{i}", labels=labels), f"rs{i}"))
    return made


def images(n: int) -> Items:
    """n images on each node, and pods that use some of them."""
    made = nodes(60)
    for number, one in enumerate(made):
        held = [
            {"names": [f"example.com/i{i}:v1"], "sizeBytes": 50_000_000 + i} for i in range(number % 7, n + number % 7)
        ]
        one["status"]["images"] = held
    wanted = [[{"name": "c", "image": f"example.com/i{i}:v1"}] for i in range(200)]
    return [*made, *(pod(f"p{i}", containers=wants) for i, wants in enumerate(wanted))]


READ = ("--snapshot", "FILE")
DRAINED = tuple(f"n{i}" for i in range(0, 60, 3))
SHAPES: dict[str, Shape] = {
    "containers": Shape(100, containers, ("explain", "pod", "p", "-n", "d", *READ)),
    "claims": Shape(100, claims, ("explain", "pod", "p", "-n", "d", *READ)),
    "host-ports": Shape(400, host_ports, ("explain", "pod", "p", "-n", "d", *READ)),
    "spread": Shape(25, spread, ("explain", "pod", "p", "-n", "d", *READ)),
    "terms": Shape(100, terms, ("explain", "pod", "p", "-n", "d", *READ)),
    "soft-terms": Shape(100, soft_terms, ("explain", "pod", "p", "-n", "d", *READ)),
    "resources": Shape(100, resources, ("explain", "pod", "p", "-n", "d", *READ)),
    "node-resources": Shape(100, resources, ("nodes", *READ)),
    "pods-with-claims": Shape(200, pods_with_claims, ("simulate", *READ)),
    "pods-with-claims-explained": Shape(200, pods_with_claims, ("explain", "pod", "-A", *READ)),
    "pods-with-volumes": Shape(200, pods_with_local, ("simulate", *READ)),
    "templates-fail": Shape(400, templates, ("fail", "--each", "zone", *READ)),
    "templates-diff": Shape(400, templates, ("diff", "FILE", "FILE", "--k8s-version", "1.37,1.36")),
    "templates-drain": Shape(400, templates, ("drain", *DRAINED, *READ)),
    "budgets-drain": Shape(400, budgets, ("drain", *DRAINED, *READ)),
    "budgets-fail": Shape(400, budgets, ("fail", "--each", "zone", *READ)),
    "budgets-diff": Shape(400, budgets, ("diff", "FILE", "FILE", "--k8s-version", "1.37,1.36")),
    "budgets-nodes": Shape(400, budgets, ("nodes", *READ)),
    "running": Shape(2_000, running, ("explain", "pod", "p", "-n", "d", *READ)),
    "services": Shape(200, services, ("simulate", *READ)),
    "images": Shape(100, images, ("simulate", *READ)),
}


GROWTH: dict[str, tuple[str, int]] = {
    "pods that run": ("running", 10_000),
    "templates": ("templates-fail", 1_000),
    "services": ("services", 1_000),
    "budgets": ("budgets-drain", 1_000),
    "volumes": ("pods-with-volumes", 400),
    "affinity terms": ("terms", 200),
    "images of a node": ("images", 400),
}
"""What is there n times, and four times as often: the shape and n."""


def seconds(name: str, number: int) -> float:
    """CPU seconds of one shape of one size, in a process of its own."""
    return float(_alone(name, number, ("",))[""]["seconds"])


def asked(words: Sequence[str], *, count: bool) -> dict[str, Any]:
    """Ask one command in this process; its CPU seconds, or how many calls of functions of Python it made."""
    from kplan.cli.main import main

    calls = 0

    def called(_frame: Any, event: str, _arg: Any) -> None:
        nonlocal calls
        calls += event == "call"

    began = time.process_time()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as err:
        if count:
            sys.setprofile(called)
        try:
            code = main(list(words))
        finally:
            sys.setprofile(None)
    return {"code": code, "seconds": time.process_time() - began, "calls": calls, "told": err.getvalue()[:200]}


def measured(name: str, number: int) -> dict[str, Any]:
    """Measure one shape of one size, in processes of their own."""
    told = _alone(name, number, ("", "count"))
    return {"seconds": told[""]["seconds"], "calls": told["count"]["calls"]}


def _alone(name: str, number: int, ways: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Ask about one shape of one size, each way in a process of its own."""
    shape = SHAPES[name]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cluster.json"
        path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": shape.items(number)}))
        words = [str(path) if word == "FILE" else word for word in shape.words]
        told = {}
        for count in ways:
            alone = [sys.executable, "-m", "tests.bench.growth", count, *words]
            told[count] = json.loads(subprocess.run(alone, check=True, capture_output=True, text=True).stdout)
    if told[""]["code"] not in (0, 1, 3):
        raise SystemExit(f"{name}: exit code {told['']['code']}: {told['']['told']}")
    return told


def exponents(values: Sequence[float]) -> str:
    """The exponents between values of n, 2n and 4n."""
    pairs = itertools.pairwise(values)
    return " ".join(f"{math.log2(large / small):.1f}" if small > 0 and large > 0 else "-" for small, large in pairs)


def report(names: Sequence[str], *, small: bool = False) -> None:
    """Measure shapes and write a row each: seconds of CPU and calls, and how they grow.

    Args:
        names: of shapes.
        small: begin with four, to see that it runs.
    """
    sys.stdout.write(f"{'shape':28}{'n':>6}  {'seconds':24}{'exponents':12}{'calls':34}exponents\n")
    for name in names:
        first = 4 if small else SHAPES[name].size
        found = [measured(name, first * factor) for factor in (1, 2, 4)]
        seconds, calls = ([one[what] for one in found] for what in ("seconds", "calls"))
        spent, made = " ".join(f"{one:.2f}" for one in seconds), " ".join(f"{one:,}" for one in calls)
        sys.stdout.write(f"{name:28}{first:>6}  {spent:24}{exponents(seconds):12}{made:34}{exponents(calls)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    sys.stdout.write(json.dumps(asked(sys.argv[2:], count=bool(sys.argv[1]))))
