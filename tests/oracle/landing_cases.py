"""Clusters on which where a pod lands is asked of the real scheduler, the same for the same number.

python -m tests.oracle.landing_cases | tests/oracle/landing/landing | gzip -9n > fixtures/landing/answers.jsonl.gz
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator
from typing import Any

Object = dict[str, Any]

SIZES = (
    *(101, 103, 107, 110, 117, 120, 128, 131, 140, 150, 160, 170, 180, 190, 200, 211, 230, 250, 270, 300),
    *(320, 350, 400, 450, 500, 600, 700, 800, 1000, 1200, 1500, 5000),
    *(105, 125, 145, 165, 220, 330, 420, 2000),
)
"""Nodes of the clusters whose pods fit."""
FULL = (130, 200, 300, 500, 800, 1500, 180, 260)
"""Nodes of the clusters whose pods have to evict others."""
NAMES = (*(f"fits-{size}" for size in SIZES), *(f"full-{size}" for size in FULL))
PERCENTAGES = (0, 0, 0, 5, 30, 70)
DRAWS = 400
ZONES = ((), ("a",), ("a", "b", "c"), ("a", "a", "a", "b", "c"), ("a", "", "b"))
AMOUNTS = (("8", "32Gi"), ("16", "64Gi"), ("32", "64Gi"))


def cases() -> Iterator[Object]:
    """Yield all cases."""
    yield from map(case, NAMES)


def case(name: str) -> Object:
    """Make a case by its name."""
    kind, _, size = name.partition("-")
    if kind == "fits":
        number = SIZES.index(int(size))
        return _fitting(number, int(size), random.Random(number))
    number = FULL.index(int(size))
    return _full(number, int(size), random.Random(1000 + number))


def _fitting(number: int, size: int, r: random.Random) -> Object:
    zones = ZONES[number % len(ZONES)]
    uniform = number % 4 == 0
    objects: list[Object] = []
    for i in range(size):
        labels = {"pool": r.choice("ab"), "disk": r.choice(("ssd", "hdd"))}
        zone = zones[i * len(zones) // size if number % 3 == 0 else i % len(zones)] if zones else ""
        if zone:
            labels["topology.kubernetes.io/zone"] = zone
        if number % 5 == 4 and i % 9 == 0:
            labels["failure-domain.beta.kubernetes.io/zone"] = "old"
        cpu, memory = AMOUNTS[0] if uniform else r.choice(AMOUNTS)
        soft = [{"key": "spot", "value": "yes", "effect": "PreferNoSchedule"}] if r.random() < 0.2 else []
        hostname = not (number % 7 == 6 and i % 11 == 0)
        objects.append(node(f"node-{r.randrange(10**6):06d}-{i:04d}", cpu, memory, labels, soft, hostname=hostname))
    names = [one["metadata"]["name"] for one in objects]
    for i in range(0 if number == 8 else size // 2):
        labels = {"app": r.choice(("web", "db", "cache"))}
        objects.append(pod(f"run-{i:05d}", labels, r.choice(("250m", "500m", "1")), "512Mi", nodeName=r.choice(names)))
    spread = [
        {
            "maxSkew": 1,
            "topologyKey": key,
            "whenUnsatisfiable": "ScheduleAnyway",
            "labelSelector": {"matchLabels": {"app": "web"}},
        }
        for key in ("topology.kubernetes.io/zone", "kubernetes.io/hostname")
    ]
    prefers = {"weight": 10, "preference": {"matchExpressions": [{"key": "disk", "operator": "In", "values": ["ssd"]}]}}
    near = {"labelSelector": {"matchLabels": {"app": "db"}}, "topologyKey": "kubernetes.io/hostname"}
    anti = {"labelSelector": {"matchLabels": {"app": "web"}}, "topologyKey": "topology.kubernetes.io/zone"}
    affinity = {
        "nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [prefers]},
        "podAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 50, "podAffinityTerm": near}]},
    }
    away = {
        "podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 20, "podAffinityTerm": anti}]}
    }
    web = {"app": "web"}
    made = [
        pod("plain", {}, "500m", "1Gi"),
        pod("selects", {}, "500m", "1Gi", nodeSelector={"pool": "a"}),
        pod("prefers", web, "500m", "1Gi", affinity=affinity),
        pod("away", web, "500m", "1Gi", affinity=away, nodeSelector={"disk": "ssd"}),
        pod("spreads", web, "500m", "1Gi", topologySpreadConstraints=spread),
        pod("spreads-hosts", web, "500m", "1Gi", topologySpreadConstraints=spread[1:], affinity=affinity),
    ]
    pods = made if size <= 600 else [made[number % 3], made[3 + number % 3]]
    return {"name": f"fits-{size}", "percent": PERCENTAGES[number % len(PERCENTAGES)], "objects": objects + pods}


def _full(number: int, size: int, r: random.Random) -> Object:
    """Nodes that lower pods fill: some of them guarded by budgets that allow nothing, or of all nodes most."""
    objects = [node(f"node-{i:04d}", "4", "16Gi", {"pool": r.choice("ab")}, []) for i in range(size)]
    guarded = (0.0, 0.3, 0.9, 1.0)[number % 4]
    for i in range(size):
        app = "guarded" if r.random() < guarded else "free"
        for n in range(r.choice((1, 2, 2, 4))):
            priority = r.choice((0, 0, 10, 20)) if number % 2 else 0
            start = f"2026-11-0{r.randint(1, 9)}T10:00:00Z"
            objects.append(
                pod(
                    f"low-{i:04d}-{n}",
                    {"app": app},
                    "1900m",
                    "1Gi",
                    nodeName=f"node-{i:04d}",
                    priority=priority,
                    status={"phase": "Running", "startTime": start},
                )
            )
    objects.append(
        {
            "apiVersion": "policy/v1",
            "kind": "PodDisruptionBudget",
            "metadata": {"name": "guard", "namespace": "default"},
            "spec": {"selector": {"matchLabels": {"app": "guarded"}}},
            "status": {"disruptionsAllowed": 0},
        }
    )
    made = {"name": f"full-{size}", "percent": 0, "draws": DRAWS, "objects": objects}
    if number >= 3:
        made |= {"minPercentage": (5, 20, 0)[number % 3], "minAbsolute": (20, 1, 60)[number % 3]}
    return made | {"objects": [*objects, pod("high", {}, "3500m", "1Gi", priority=1000)]}


def node(
    name: str, cpu: str, memory: str, labels: dict[str, str], taints: list[Object], *, hostname: bool = True
) -> Object:
    """A node with what the scheduler reads of it."""
    amounts = {"cpu": cpu, "memory": memory, "pods": "110"}
    host = {"kubernetes.io/hostname": name} if hostname else {}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {**host, **labels}},
        "spec": {"taints": taints},
        "status": {"allocatable": amounts, "capacity": amounts},
    }


def pod(name: str, labels: dict[str, str], cpu: str, memory: str, **spec: Any) -> Object:
    """A pod of one container."""
    status = spec.pop("status", {})
    container = {"name": "main", "image": "app", "resources": {"requests": {"cpu": cpu, "memory": memory}}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "default", "labels": labels},
        "spec": {"schedulerName": "default-scheduler", "containers": [container], **spec},
        "status": status,
    }


if __name__ == "__main__":
    for one in cases():
        if len(sys.argv) < 2 or one["name"] in sys.argv[1:]:
            print(json.dumps(one))
