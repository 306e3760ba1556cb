"""Clusters as programs write them: what scheduling reads and nothing else, without a space. They have to be read."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

NODES = 500
"""Of a cluster of pods."""


def made(kind: str, name: str, api_version: str = "v1", /, **fields: Any) -> dict[str, Any]:
    meta = {"name": name, **{key: fields.pop(key) for key in ("namespace", "labels", "uid") if key in fields}}
    return {"apiVersion": api_version, "kind": kind, "metadata": meta, **fields}


def a_node(number: int) -> dict[str, Any]:
    labels = {"kubernetes.io/hostname": f"n-{number}", "topology.kubernetes.io/zone": f"z{number % 3}"}
    amounts = {"cpu": "8", "memory": "32Gi", "pods": "110"}
    return made("Node", f"n-{number}", labels=labels, status={"allocatable": amounts})


def a_pod(number: int, requests: dict[str, str], **fields: Any) -> dict[str, Any]:
    container = {"name": "c", "resources": {"requests": requests}}
    spec = {"nodeName": f"n-{number % NODES}", "containers": [container], **fields.pop("spec", {})}
    return made("Pod", f"p-{number}", namespace="d", spec=spec, **fields)


def of_one_size(number: int) -> dict[str, Any]:
    return a_pod(number, {"cpu": "100m", "memory": "1Gi"}, labels={"app": f"a{number % 50}"})


def of_many_sizes(number: int) -> dict[str, Any]:
    requests = {"cpu": f"{100 * (number % 10 + 1)}m", "memory": f"{number % 17 + 1}Gi"}
    return a_pod(number, requests, labels={"app": f"a{number % 2_000}"})


def of_their_own_size(number: int) -> dict[str, Any]:
    return a_pod(number, {"cpu": f"{50 + number * 7 % 3951}m", "memory": f"{64 + number * 11 % 8129}Mi"})


def named_by_a_label(number: int) -> dict[str, Any]:
    return a_pod(number, {"cpu": "100m", "memory": "1Gi"}, labels={"app": f"a{number % 50}", "pod": f"p-{number}"})


def with_a_uid(number: int) -> dict[str, Any]:
    return {**of_one_size(number), "status": {"phase": "Running"}} | {
        "metadata": {**of_one_size(number)["metadata"], "uid": f"{number:032x}"}
    }


def that_wait(number: int) -> dict[str, Any]:
    pod = of_many_sizes(number)
    del pod["spec"]["nodeName"]
    return pod


def that_wait_each_of_its_own_size(number: int) -> dict[str, Any]:
    pod = of_their_own_size(number)
    del pod["spec"]["nodeName"]
    return pod


def a_slice(number: int) -> dict[str, Any]:
    devices = [
        {
            "name": f"gpu-{at}",
            "attributes": {
                "uuid": {"string": f"GPU-{number:08x}{at:08x}"}, "model": {"string": "H100"},
                "index": {"int": at}, "numa": {"int": at // 4},
            },
            "capacity": {"memory": {"value": "80Gi"}},
        }
        for at in range(8)
    ]  # fmt: skip
    pool = {"name": f"n-{number}", "generation": 1, "resourceSliceCount": 1}
    spec = {"driver": "gpu.example.com", "pool": pool, "nodeName": f"n-{number}", "devices": devices}
    return made("ResourceSlice", f"s-{number}", "resource.k8s.io/v1", spec=spec)


def a_volume(number: int) -> dict[str, Any]:
    spec = {
        "capacity": {"storage": f"{number % 9 + 1}0Gi"}, "accessModes": ["ReadWriteOnce"], "storageClassName": "fast",
        "claimRef": {"name": f"c-{number}", "namespace": "d"},
    }  # fmt: skip
    return made("PersistentVolume", f"pv-{number}", spec=spec)


def a_local_volume(number: int) -> dict[str, Any]:
    there = {"key": "kubernetes.io/hostname", "operator": "In", "values": [f"n-{number % 5_000}"]}
    spec = {
        "capacity": {"storage": "10Gi"}, "accessModes": ["ReadWriteOnce"], "storageClassName": "local",
        "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [there]}]}},
    }  # fmt: skip
    return made("PersistentVolume", f"pv-{number}", spec=spec)


def a_claim(number: int) -> dict[str, Any]:
    spec = {
        "storageClassName": "fast", "accessModes": ["ReadWriteOnce"], "volumeName": f"pv-{number}",
        "resources": {"requests": {"storage": "10Gi"}},
    }  # fmt: skip
    return made("PersistentVolumeClaim", f"c-{number}", namespace="d", spec=spec)


def a_resource_claim(number: int) -> dict[str, Any]:
    request = {"name": "gpu", "exactly": {"deviceClassName": "gpu"}}
    return made(
        "ResourceClaim",
        f"c-{number}",
        "resource.k8s.io/v1",
        namespace="d",
        spec={"devices": {"requests": [request]}},
    )


def drivers_of_a_node(number: int) -> dict[str, Any]:
    driver = {"name": "ebs.csi.aws.com", "nodeID": f"i-{number}", "allocatable": {"count": 25}}
    return made("CSINode", f"n-{number}", "storage.k8s.io/v1", spec={"drivers": [driver]})


COMPACT: dict[str, Callable[[int], dict[str, Any]]] = {
    "compact pods": of_one_size,
    "compact pods of many sizes": of_many_sizes,
    "compact pods of their own size": of_their_own_size,
    "compact pods named by a label": named_by_a_label,
    "compact pods with a uid": with_a_uid,
    "compact pods that wait": that_wait,
    "compact nodes": a_node,
    "compact slices of devices": a_slice,
    "compact volumes": a_volume,
    "compact local volumes": a_local_volume,
    "compact claims": a_claim,
    "compact claims of devices": a_resource_claim,
    "compact drivers": drivers_of_a_node,
}
"""By name, what makes the object of a number."""
HEAVY: dict[str, Callable[[int], dict[str, Any]]] = {
    "compact pods that wait, each of its own size": that_wait_each_of_its_own_size,
}
"""What takes more memory than ``COMPACT`` for its length: refused in longer files."""


def cluster(one: Callable[[int], dict[str, Any]], size: int) -> bytes:
    """A List of nodes, and of as many objects as fill a size."""
    length, number = 0, 0
    items = [json.dumps(a_node(at), separators=(",", ":")) for at in range(NODES)]
    while length < size:
        items.append(json.dumps(one(number + NODES), separators=(",", ":")))
        length += len(items[-1]) + 1
        number += 1
    return f'{{"apiVersion":"v1","kind":"List","items":[{",".join(items)}]}}'.encode()
