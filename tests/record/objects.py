"""Builders of objects as the API gives them, with keywords for what a scenario is about."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

Item = dict[str, Any]

MADE = "2026-11-01T08:00:00Z"
SINCE = "2026-11-20T08:00:00Z"


def thing(api_version: str, kind: str, name: str, namespace: str = "", **fields: Any) -> Item:
    """An object of any kind; ``metadata`` adds to what it is called."""
    metadata = {"name": name, "uid": f"{kind}-{namespace}-{name}", "creationTimestamp": MADE}
    if namespace:
        metadata["namespace"] = namespace
    metadata |= fields.pop("metadata", {})
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **fields}


def namespace(name: str, **labels: str) -> Item:
    """A namespace."""
    labels = {"kubernetes.io/metadata.name": name, **labels}
    return thing("v1", "Namespace", name, metadata={"labels": labels}, status={"phase": "Active"})


def node(
    name: str,
    cpu: str = "4",
    memory: str = "16Gi",
    *,
    zone: str = "",
    labels: Mapping[str, str] | None = None,
    taints: Sequence[str] = (),
    cordoned: bool = False,
    ready: bool = True,
    more: Mapping[str, str] | None = None,
) -> Item:
    """A node of version 1.37.2; ``taints`` are ``key=value:Effect``, ``more`` are further resources."""
    known = {"cpu": cpu, "memory": memory, "pods": "110", "ephemeral-storage": "100Gi"}
    room = known | dict(more or {})
    own = {"kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64"}
    if zone:
        own |= {"topology.kubernetes.io/zone": zone, "topology.kubernetes.io/region": "r-1"}
    spec: Item = {"taints": [taint(text) for text in taints]} if taints else {}
    if cordoned:
        spec["unschedulable"] = True
        cordon = {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}
        spec["taints"] = [*spec.get("taints", []), cordon]
    condition = {"type": "Ready", "status": "True" if ready else "Unknown", "lastTransitionTime": SINCE}
    status = {
        "capacity": room,
        "allocatable": room,
        "conditions": [condition],
        "nodeInfo": {"kubeletVersion": "v1.37.2", "operatingSystem": "linux", "architecture": "amd64"},
    }
    return thing("v1", "Node", name, metadata={"labels": own | dict(labels or {})}, spec=spec, status=status)


def taint(text: str) -> Item:
    """``key=value:Effect`` or ``key:Effect``."""
    head, _, effect = text.rpartition(":")
    key, _, value = head.partition("=")
    return {"key": key, **({"value": value} if value else {}), "effect": effect}


def pod_spec(requests: Mapping[str, str], **spec: Any) -> Item:
    """A spec of one container; ``container`` adds to it, all else to the spec."""
    container = {"name": "main", "image": "example.com/main:1", "resources": {"requests": dict(requests)}}
    return {"containers": [container | spec.pop("container", {})], **spec}


def pod(
    name: str,
    requests: Mapping[str, str],
    *,
    namespace: str = "shop",
    on: str = "",
    labels: Mapping[str, str] | None = None,
    owner: Item | None = None,
    ready: bool = True,
    priority: int = 0,
    **more: Any,
) -> Item:
    """A pod that runs on a node, or waits; further keywords are fields of its spec, ``metadata`` and ``status``."""
    metadata: Item = {"labels": dict(labels or {}), **more.pop("metadata", {})}
    if owner is not None:
        about = {key: owner["metadata"][key] for key in ("name", "uid")}
        about |= {"apiVersion": owner["apiVersion"], "kind": owner["kind"], "controller": True}
        metadata["ownerReferences"] = [about]
    status: Item = {"phase": "Running" if on else "Pending"}
    if on:
        state = "True" if ready else "False"
        status["conditions"] = [{"type": "Ready", "status": state, "lastTransitionTime": SINCE}]
        status["startTime"] = MADE
    status |= more.pop("status", {})
    spec = pod_spec(requests, **{"schedulerName": "default-scheduler", "priority": priority, **more})
    if on:
        spec["nodeName"] = on
    return thing("v1", "Pod", name, namespace, metadata=metadata, spec=spec, status=status)


def deployment(
    name: str,
    requests: Mapping[str, str],
    on: Iterable[str],
    *,
    namespace: str = "shop",
    unready: Iterable[int] = (),
    replicas: int | None = None,
    waiting: int = 0,
    asks: Mapping[str, Any] | None = None,
    **spec: Any,
) -> list[Item]:
    """A Deployment, its ReplicaSet, a pod on each node of ``on`` and pods that wait.

    Args:
        name: of it; its pods have the label ``app=NAME``.
        requests: of each pod.
        on: a node for each pod that runs.
        namespace: of all.
        unready: which pods are not ready, by their place.
        replicas: as many as there are pods, if None.
        waiting: how many pods wait.
        asks: fields of the Deployment's spec.
        spec: fields of the pods' spec.
    """
    nodes = [*on, *[""] * waiting]
    count = len(nodes) if replicas is None else replicas
    labels = {"app": name}
    template = {"metadata": {"labels": labels}, "spec": pod_spec(requests, **dict(spec))}
    body = {"replicas": count, "selector": {"matchLabels": labels}, "template": template}
    whole = thing("apps/v1", "Deployment", name, namespace, spec=body | dict(asks or {}))
    whole["metadata"]["generation"] = 1
    whole["status"] = {"observedGeneration": 1, "replicas": count}
    mine = labels | {"pod-template-hash": "5d9c7b"}
    revision = {"labels": mine, "annotations": {"deployment.kubernetes.io/revision": "1"}}
    made = thing(
        "apps/v1",
        "ReplicaSet",
        f"{name}-5d9c7b",
        namespace,
        spec={
            "replicas": count,
            "selector": {"matchLabels": mine},
            "template": {"metadata": {"labels": mine}, "spec": template["spec"]},
        },
        metadata=revision | {"ownerReferences": [_controller(whole)]},
    )
    late = set(unready)
    pods = [
        pod(
            f"{name}-5d9c7b-{number}",
            requests,
            namespace=namespace,
            on=where,
            labels=mine,
            owner=made,
            ready=number not in late,
            **dict(spec),
        )
        for number, where in enumerate(nodes)
    ]
    return [whole, made, *pods]


def _controller(owner: Item) -> Item:
    about = {key: owner["metadata"][key] for key in ("name", "uid")}
    return about | {"apiVersion": owner["apiVersion"], "kind": owner["kind"], "controller": True}


def stateful_set(
    name: str,
    requests: Mapping[str, str],
    on: Sequence[str],
    *,
    namespace: str = "shop",
    unready: Iterable[int] = (),
    zones: Sequence[str] = (),
    asks: Mapping[str, Any] | None = None,
    **spec: Any,
) -> list[Item]:
    """A StatefulSet and its pods, one for each node, waiting where that is empty; with ``zones`` a volume each."""
    labels = {"app": name}
    template = {"metadata": {"labels": labels}, "spec": pod_spec(requests, **dict(spec))}
    body: Item = {
        "replicas": len(on),
        "serviceName": name,
        "selector": {"matchLabels": labels},
        "template": template,
    }
    if zones:
        wanted = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "10Gi"}}}
        body["volumeClaimTemplates"] = [{"metadata": {"name": "data"}, "spec": wanted | {"storageClassName": "disk"}}]
    whole = thing("apps/v1", "StatefulSet", name, namespace, spec=body | dict(asks or {}))
    whole["status"] = {"replicas": len(on), "currentRevision": f"{name}-1", "updateRevision": f"{name}-1"}
    found = [whole]
    late = set(unready)
    for number, where in enumerate(on):
        mine = dict(spec)
        if zones:
            claim = f"data-{name}-{number}"
            found += bound_claim(claim, zones[number], namespace=namespace)
            mine["volumes"] = [{"name": "data", "persistentVolumeClaim": {"claimName": claim}}]
        own = labels | {
            "apps.kubernetes.io/pod-index": str(number),
            "statefulset.kubernetes.io/pod-name": f"{name}-{number}",
            "controller-revision-hash": f"{name}-1",
        }
        ready = number not in late
        found.append(
            pod(
                f"{name}-{number}",
                requests,
                namespace=namespace,
                on=where,
                labels=own,
                owner=whole,
                ready=ready,
                **mine,
            )
        )
    return found


def daemon_set(
    name: str, requests: Mapping[str, str], on: Iterable[str], *, namespace: str = "kube-system", **more: Any
) -> list[Item]:
    """A DaemonSet with a pod on each of some nodes; ``asks`` are fields of its own spec."""
    labels = {"app": name}
    tolerations = more.pop("tolerations", [{"operator": "Exists"}])
    asks = more.pop("asks", {})
    template = {"metadata": {"labels": labels}, "spec": pod_spec(requests, tolerations=tolerations, **dict(more))}
    body = {"selector": {"matchLabels": labels}, "template": template, **asks}
    whole = thing("apps/v1", "DaemonSet", name, namespace, spec=body)
    pods = [
        pod(
            f"{name}-{where}",
            requests,
            namespace=namespace,
            on=where,
            labels=labels,
            owner=whole,
            tolerations=tolerations,
            **dict(more),
        )
        for where in on
    ]
    return [whole, *pods]


def job(
    name: str, requests: Mapping[str, str], on: Sequence[str], *, namespace: str = "shop", waiting: int = 0, **more: Any
) -> list[Item]:
    """A Job and its pods; ``asks`` are fields of its own spec."""
    labels = {"batch.kubernetes.io/job-name": name}
    asks = more.pop("asks", {})
    count = len(on) + waiting
    template = {"metadata": {"labels": labels}, "spec": pod_spec(requests, restartPolicy="Never", **dict(more))}
    body = {"parallelism": count, "completions": count, "template": template, **asks}
    whole = thing("batch/v1", "Job", name, namespace, spec=body)
    pods = [
        pod(
            f"{name}-{number}",
            requests,
            namespace=namespace,
            on=where,
            labels=labels,
            owner=whole,
            restartPolicy="Never",
            **dict(more),
        )
        for number, where in enumerate([*on, *[""] * waiting])
    ]
    return [whole, *pods]


def budget(name: str, app: str, *, namespace: str = "shop", allowed: int, healthy: int, of: int, **spec: Any) -> Item:
    """A budget of the pods ``app=APP``, with the status that its controller wrote."""
    status = {
        "disruptionsAllowed": allowed,
        "currentHealthy": healthy,
        "desiredHealthy": healthy - allowed,
        "expectedPods": of,
        "observedGeneration": 1,
    }
    body = {"selector": {"matchLabels": {"app": app}}, **spec}
    return thing(
        "policy/v1", "PodDisruptionBudget", name, namespace, spec=body, status=status, metadata={"generation": 1}
    )


def priority_class(name: str, value: int, **fields: Any) -> Item:
    """A PriorityClass."""
    return thing("scheduling.k8s.io/v1", "PriorityClass", name, value=value, **fields)


def quota(name: str, hard: Mapping[str, str], used: Mapping[str, str], *, namespace: str = "shop", **spec: Any) -> Item:
    """A ResourceQuota."""
    body = {"hard": dict(hard), **spec}
    status = {"hard": dict(hard), "used": dict(used)}
    return thing("v1", "ResourceQuota", name, namespace, spec=body, status=status)


def storage_class(name: str, provisioner: str = "disk.example.com", *, wait: bool = True, **fields: Any) -> Item:
    """A StorageClass that waits for its first consumer, or binds at once."""
    mode = "WaitForFirstConsumer" if wait else "Immediate"
    return thing("storage.k8s.io/v1", "StorageClass", name, provisioner=provisioner, volumeBindingMode=mode, **fields)


def claim(name: str, storage: str = "10Gi", *, namespace: str = "shop", class_name: str = "disk", **more: Any) -> Item:
    """A claim; ``spec`` and ``status`` add to it."""
    spec = {
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": storage}},
        "storageClassName": class_name,
        **more.pop("spec", {}),
    }
    status = more.pop("status", {"phase": "Pending"})
    return thing("v1", "PersistentVolumeClaim", name, namespace, spec=spec, status=status, **more)


def volume(name: str, storage: str = "10Gi", *, class_name: str = "disk", terms: Any = None, **spec: Any) -> Item:
    """A volume; ``terms`` are match expressions of the nodes that reach it."""
    body: Item = {
        "capacity": {"storage": storage},
        "accessModes": ["ReadWriteOnce"],
        "storageClassName": class_name,
        **(spec or {"csi": {"driver": "disk.example.com", "volumeHandle": name}}),
    }
    if terms:
        body["nodeAffinity"] = {"required": {"nodeSelectorTerms": [{"matchExpressions": terms}]}}
    phase = "Bound" if "claimRef" in body else "Available"
    return thing("v1", "PersistentVolume", name, spec=body, status={"phase": phase})


def bound_claim(name: str, zone: str, *, namespace: str = "shop") -> list[Item]:
    """A claim and the volume it is bound to, which is in a zone."""
    it = claim(name, namespace=namespace, spec={"volumeName": f"pv-{name}"}, status={"phase": "Bound"})
    it["metadata"]["annotations"] = {"pv.kubernetes.io/bind-completed": "yes"}
    reference = {"namespace": namespace, "name": name, "uid": it["metadata"]["uid"]}
    where = [{"key": "topology.kubernetes.io/zone", "operator": "In", "values": [zone]}]
    csi = {"driver": "disk.example.com", "volumeHandle": f"pv-{name}"}
    return [it, volume(f"pv-{name}", terms=where, claimRef=reference, csi=csi)]


def csi_node(name: str, driver: str = "disk.example.com", most: int | None = None) -> Item:
    """What a node says of a driver, and how many of its volumes it takes."""
    about: Item = {"name": driver, "nodeID": name, "topologyKeys": ["topology.kubernetes.io/zone"]}
    if most is not None:
        about["allocatable"] = {"count": most}
    return thing("storage.k8s.io/v1", "CSINode", name, spec={"drivers": [about]})


def spread(key: str, app: str, skew: int = 1, **more: Any) -> list[Item]:
    """A hard spread constraint over the domains of a label."""
    constraint = {"maxSkew": skew, "topologyKey": key, "whenUnsatisfiable": "DoNotSchedule"}
    return [constraint | {"labelSelector": {"matchLabels": {"app": app}}} | more]


def apart(app: str, key: str = "kubernetes.io/hostname") -> Item:
    """An affinity that keeps pods of an app in different domains."""
    term = {"labelSelector": {"matchLabels": {"app": app}}, "topologyKey": key}
    return {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}


def together(app: str, key: str = "topology.kubernetes.io/zone") -> Item:
    """An affinity that wants pods of an app in the same domain."""
    term = {"labelSelector": {"matchLabels": {"app": app}}, "topologyKey": key}
    return {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}


def on_nodes(key: str, *values: str) -> Item:
    """An affinity to nodes whose label has one of some values."""
    expression = {"key": key, "operator": "In", "values": list(values)}
    terms = {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}
