"""Kinds that bind creates of manifests: where their objects are posted, and in which order."""

from __future__ import annotations

from msgspec import Struct

from kplan.objects.kinds import find
from kplan.objects.scopes import of_the_cluster

_MORE = {
    ("", "ConfigMap"): "configmaps",
    ("", "Secret"): "secrets",
    ("", "ServiceAccount"): "serviceaccounts",
    ("autoscaling", "HorizontalPodAutoscaler"): "horizontalpodautoscalers",
    ("networking.k8s.io", "Ingress"): "ingresses",
    ("networking.k8s.io", "IngressClass"): "ingressclasses",
    ("networking.k8s.io", "NetworkPolicy"): "networkpolicies",
    ("rbac.authorization.k8s.io", "ClusterRole"): "clusterroles",
    ("rbac.authorization.k8s.io", "ClusterRoleBinding"): "clusterrolebindings",
    ("rbac.authorization.k8s.io", "Role"): "roles",
    ("rbac.authorization.k8s.io", "RoleBinding"): "rolebindings",
}
"""Kinds of Kubernetes' own that scheduling does not read, and manifests bring all the same."""

_BY_MACHINES = frozenset({"Node", "CSINode", "VolumeAttachment", "CSIStorageCapacity", "ResourceSlice"})
"""Kinds of which kubelets, drivers and controllers make the objects."""

_FIRST = (
    "Namespace", "ResourceQuota", "LimitRange", "PriorityClass", "RuntimeClass", "StorageClass", "CSIDriver",
    "ServiceAccount", "Secret", "ConfigMap", "PersistentVolume", "PersistentVolumeClaim", "ClusterRole",
    "ClusterRoleBinding", "Role", "RoleBinding", "PodDisruptionBudget", "Service",
)  # fmt: skip
"""What others need comes first, as the usual installers have it; the rest follows as it was written."""

AWAITED = ("Deployment", "ReplicaSet", "ReplicationController", "StatefulSet", "DaemonSet", "Job")
"""Kinds whose controllers make pods at once; they are created last, and their pods are awaited."""


class ApiResource(Struct, frozen=True, order=True):
    """Where objects of a kind are posted.

    Attributes:
        group: API group; empty for core.
        plural: as in URLs.
        namespaced: whether they live in a namespace.
    """

    group: str
    plural: str
    namespaced: bool = True


PODS = ApiResource("", "pods")


def resource_of(api_version: str, kind: str) -> ApiResource | None:
    """Find the resource of a kind; None for one of which bind creates no objects."""
    group = api_version.rpartition("/")[0]
    known = find(api_version, kind)
    if known is not None and kind not in _BY_MACHINES:
        return ApiResource(group, known.plural, known.namespaced)
    plural = _MORE.get((group, kind), "")
    return ApiResource(group, plural, not of_the_cluster(api_version, kind)) if plural else None


def collection(api_version: str, resource: ApiResource, namespace: str) -> str:
    """Path at which objects are posted."""
    space = f"/namespaces/{namespace}" if resource.namespaced else ""
    return f"/{'apis' if resource.group else 'api'}/{api_version}{space}/{resource.plural}"


def rank(kind: str) -> int:
    """When objects of a kind are created: the lower, the sooner."""
    if kind in _FIRST:
        return _FIRST.index(kind)
    return len(_FIRST) + (kind in AWAITED)


def attribute_of(api_version: str, kind: str) -> str:
    """Name of a kind's table among the columns; empty for pods, nodes, and what scheduling does not read so."""
    known = find(api_version, kind)
    fits = known is not None and known.api_version == api_version and kind not in ("Pod", "Node")
    return known.attribute if known is not None and fits else ""
