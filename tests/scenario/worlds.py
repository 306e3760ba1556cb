"""A small shop to try what-ifs on: four nodes in two zones, a Deployment, a StatefulSet, daemons, a bare pod."""

from typing import Any

from kplan.cluster import Cluster, build
from kplan.objects.models import Object, Pod
from kplan.objects.state import ClusterState
from tests.builders import make, node, pod


def owned(name: str, kind: str, owner: str, *, on: str = "", cpu: str = "1", **more: Any) -> Pod:
    references = [{"apiVersion": "apps/v1", "kind": kind, "name": owner, "uid": f"{kind}-{owner}", "controller": True}]
    metadata = {"ownerReferences": references, **more.pop("metadata", {})}
    status = more.pop("status", {"phase": "Running"} if on else {"phase": "Pending"})
    return pod(
        name,
        namespace="shop",
        node=on,
        labels={"app": owner},
        requests={"cpu": cpu},
        metadata=metadata,
        status=status,
        **more,
    )


def shop() -> list[Object]:
    zones = {"a": "east", "b": "east", "c": "west", "d": "west"}
    nodes = [node(f"node-{x}", labels={"topology.kubernetes.io/zone": zone}) for x, zone in zones.items()]
    web = [owned(f"web-7d-{n}", "ReplicaSet", "web-7d", on=f"node-{x}") for n, x in enumerate("abc", 1)]
    store = [owned(f"db-{n}", "StatefulSet", "db", on=f"node-{x}", cpu="2") for n, x in enumerate("ab")]
    logs = [owned(f"log-{x}", "DaemonSet", "log", on=f"node-{x}", cpu="100m") for x in "abcd"]
    bare = pod("bare", namespace="shop", node="node-d", requests={"cpu": "1"})
    container = {"name": "main", "image": "web:1", "resources": {"requests": {"cpu": "1"}}}
    template = {"metadata": {"labels": {"app": "web-7d"}}, "spec": {"containers": [container]}}
    web_set = make(
        "ReplicaSet",
        "web-7d",
        namespace="shop",
        metadata={"uid": "ReplicaSet-web-7d"},
        spec={"replicas": 3, "selector": {"matchLabels": {"app": "web-7d"}}, "template": template},
    )
    budget = make(
        "PodDisruptionBudget",
        "web",
        namespace="shop",
        spec={"minAvailable": 2, "selector": {"matchLabels": {"app": "web-7d"}}},
        status={"disruptionsAllowed": 1, "currentHealthy": 3, "desiredHealthy": 2, "expectedPods": 3},
    )
    return [*nodes, *web, *store, *logs, bare, web_set, budget]


def shop_cluster() -> Cluster:
    return build(ClusterState.of(shop()))
