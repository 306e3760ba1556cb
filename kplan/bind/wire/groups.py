"""The write that a scheduler makes to a group: that it got what it needs."""

from __future__ import annotations

from typing import Any

from kplan.bind.wire.client import MERGE_PATCH, Client
from kplan.bind.wire.writes import DONE, OPEN, Request, Reread, gone
from kplan.framework.features import Features

GROUP = "group"
_VERSIONS = {36: ("v1alpha2", "PodGroupScheduled"), 37: ("v1beta1", "PodGroupInitiallyScheduled")}
"""Version of the API and type of the condition, by minor."""
RESOURCE = ("scheduling.k8s.io", "podgroups")


def bindable(features: Features) -> bool:
    """Whether groups have a turn of their own, so that they can be bound as one."""
    return features.version.minor in _VERSIONS and features.enabled("GenericWorkload")


def group_path(key: str, features: Features, subresource: str = "") -> str:
    """Path of a PodGroup by ``namespace/name``."""
    namespace, _, name = key.partition("/")
    version = _VERSIONS[features.version.minor][0]
    end = f"/{subresource}" if subresource else ""
    return f"/apis/scheduling.k8s.io/{version}/namespaces/{namespace}/podgroups/{name}{end}"


def is_told(group: dict[str, Any], features: Features) -> bool:
    """Whether the status of a group says already that it got what it needs."""
    kind = _VERSIONS[features.version.minor][1]
    return any(condition.get("type") == kind and condition.get("status") == "True" for condition in _conditions(group))


def group_scheduled(group: dict[str, Any], features: Features, at: str) -> Request:
    """Write into the status of a group, as it was just read, that it got what it needs.

    Args:
        group: the object.
        features: version and gates.
        at: now, RFC 3339.

    Source: v1.37.2 and v1.36.3 pkg/scheduler/schedule_one_podgroup.go submitPodGroupAlgorithmResult,
    updatePodGroupCondition.
    """
    meta, kind = group["metadata"], _VERSIONS[features.version.minor][1]
    key, uid = f"{meta['namespace']}/{meta['name']}", meta["uid"]
    condition = {
        "type": kind,
        "status": "True",
        "reason": "Scheduled",
        "message": "",
        "lastTransitionTime": at,
        **({"observedGeneration": meta["generation"]} if "generation" in meta else {}),
    }
    others = [condition for condition in _conditions(group) if condition.get("type") != kind]
    body = {
        "metadata": {"uid": uid, "resourceVersion": meta["resourceVersion"]},
        "status": {"conditions": [*others, condition]},
    }

    def ask(client: Client) -> Reread:
        now = client.found(group_path(key, features), what=f"asking for group {key}")
        return gone(now, uid, f"group {key}") or (DONE if is_told(now or {}, features) else OPEN)

    path = group_path(key, features, "status")
    return Request(GROUP, key, f"note that group {key} is placed", "PATCH", path, body, ask, MERGE_PATCH)


def _conditions(group: dict[str, Any]) -> list[dict[str, Any]]:
    return (group.get("status") or {}).get("conditions") or []
