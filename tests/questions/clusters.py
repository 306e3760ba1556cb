"""Objects of made-up clusters, as an API server would give them."""

from typing import Any

Json = dict[str, Any]
LONG_AGO = "2026-09-01T08:00:00Z"
SPACE = "shop"


def node(name: str, cpu: str = "4", *, zone: str = "", labels: Json | None = None, **spec: Any) -> Json:
    own = {"kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64"}
    where = {"topology.kubernetes.io/zone": zone} if zone else {}
    room = {"cpu": cpu, "memory": "16Gi", "pods": "110"}
    status = {
        "allocatable": room,
        "capacity": room,
        "conditions": [{"type": "Ready", "status": "True"}],
        "nodeInfo": {"kubeletVersion": "v1.37.2", "operatingSystem": "linux", "architecture": "amd64"},
    }
    return made("v1", "Node", name, space="", labels={**own, **where, **(labels or {})}, spec=spec, status=status)


def made(
    api_version: str, kind: str, name: str, *, space: str = SPACE, labels: Json | None = None, **more: Any
) -> Json:
    metadata: Json = {"name": name, "uid": f"uid-{kind}-{name}", "creationTimestamp": LONG_AGO, "labels": labels or {}}
    metadata |= {"namespace": space} if space else {}
    metadata |= more.pop("metadata", {})
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **more}


def template(app: str, image: str = "1", cpu: str = "1", **spec: Any) -> Json:
    container: Json = {"name": "main", "image": f"registry.example/{app}:{image}"}
    container["resources"] = {"requests": {"cpu": cpu}, **spec.pop("resources", {})}
    container |= spec.pop("container", {})
    return {"metadata": {"labels": {"app": app}}, "spec": {"containers": [container], **spec}}


def workload(kind: str, app: str, template_: Json, **spec: Any) -> Json:
    more: Json = {"serviceName": app} if kind == "StatefulSet" else {}
    body = {"selector": {"matchLabels": {"app": app}}, "template": template_, **more, **spec}
    status = body.pop("status", {})
    return made("apps/v1", kind, app, labels={"app": app}, spec=body, status=status)


def owner(kind: str, name: str) -> Json:
    version = "batch/v1" if kind == "Job" else "apps/v1"
    return {"apiVersion": version, "kind": kind, "name": name, "uid": f"uid-{kind}-{name}", "controller": True}


def replica_set(app: str, stamp: str, template_: Json, replicas: int, desired: int, *, day: int = 1) -> Json:
    labels = {**template_["metadata"]["labels"], "pod-template-hash": stamp}
    spec = {
        "replicas": replicas,
        "selector": {"matchLabels": labels},
        "template": {**template_, "metadata": {"labels": labels}},
    }
    metadata = {
        "ownerReferences": [owner("Deployment", app)],
        "annotations": {"deployment.kubernetes.io/desired-replicas": str(desired)},
        "creationTimestamp": f"2026-09-0{day}T08:00:00Z",
    }
    return made("apps/v1", "ReplicaSet", f"{app}-{stamp}", labels=labels, metadata=metadata, spec=spec)


def pod(
    name: str, template_: Json, on: str = "", *, of: tuple[str, str] | None = None, ready: bool = True, **more: Any
) -> Json:
    labels = {**template_["metadata"]["labels"], **more.pop("labels", {})}
    metadata: Json = {"ownerReferences": [owner(*of)]} if of else {}
    spec = {**template_["spec"], **({"nodeName": on} if on else {}), **more.pop("spec", {})}
    conditions = [{"type": "Ready", "status": "True" if ready else "False"}] if on else []
    status = {"phase": "Running" if on else "Pending", "conditions": conditions}
    return made("v1", "Pod", name, labels=labels, metadata=metadata, spec=spec, status=status, **more)


def running(app: str, stamp: str, template_: Json, nodes: list[str], *, replicas: int | None = None) -> list[Json]:
    """The ReplicaSet of a Deployment and its pods, one on each of some nodes."""
    wanted = len(nodes) if replicas is None else replicas
    pods = [
        pod(
            f"{app}-{stamp}-{letter}",
            template_,
            on,
            of=("ReplicaSet", f"{app}-{stamp}"),
            labels={"pod-template-hash": stamp},
        )
        for letter, on in zip("abcdefghij", nodes, strict=False)
    ]
    return [replica_set(app, stamp, template_, len(nodes), wanted), *pods]


def budget(name: str, app: str, **spec: Any) -> Json:
    return made("policy/v1", "PodDisruptionBudget", name, spec={"selector": {"matchLabels": {"app": app}}, **spec})


def volume(name: str, claim: str, *, modes: tuple[str, ...] = ("ReadWriteOnce",), zone: str = "") -> list[Json]:
    """A claim and the volume that it is bound to."""
    shared = {"accessModes": list(modes), "storageClassName": "fast"}
    size = {"storage": "10Gi"}
    place: Json = {}
    if zone:
        term = {"matchExpressions": [{"key": "topology.kubernetes.io/zone", "operator": "In", "values": [zone]}]}
        place = {"nodeAffinity": {"required": {"nodeSelectorTerms": [term]}}}
    pv = {
        **shared,
        **place,
        "capacity": size,
        "csi": {"driver": "disk.example", "volumeHandle": name},
        "claimRef": {"namespace": SPACE, "name": claim, "uid": f"uid-PersistentVolumeClaim-{claim}"},
    }
    pvc = {**shared, "resources": {"requests": size}, "volumeName": name}
    bound = {"annotations": {"pv.kubernetes.io/bind-completed": "yes"}}
    return [
        made("v1", "PersistentVolume", name, space="", spec=pv, status={"phase": "Bound"}),
        made("v1", "PersistentVolumeClaim", claim, metadata=bound, spec=pvc, status={"phase": "Bound"}),
        made("storage.k8s.io/v1", "StorageClass", "fast", space="", provisioner="disk.example"),
    ]


def with_claim(template_: Json, claim: str) -> Json:
    volumes = [{"name": "data", "persistentVolumeClaim": {"claimName": claim}}]
    return {**template_, "spec": {**template_["spec"], "volumes": volumes}}


def spread(key: str, app: str, **more: Any) -> Json:
    rule = {"maxSkew": 1, "topologyKey": key, "whenUnsatisfiable": "DoNotSchedule", **more}
    return {"topologySpreadConstraints": [{**rule, "labelSelector": {"matchLabels": {"app": app}}}]}


def apart(app: str, key: str = "kubernetes.io/hostname") -> Json:
    term = {"labelSelector": {"matchLabels": {"app": app}}, "topologyKey": key}
    return {"affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}}


def rolling(surge: object, missing: object) -> Json:
    return {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": surge, "maxUnavailable": missing}}


HOST = "kubernetes.io/hostname"
ZONE = "topology.kubernetes.io/zone"


THREE = [node(name) for name in ("n1", "n2", "n3")]
"""Nodes of 4 CPU each, in no zone."""
