"""What is followed beside pods and nodes while a plan is carried out: kinds whose objects a filter reads for its pods.

A claim that leaves, a volume that another claim takes, a class that changes: each may make a pod fit no more where it
was shown. Of kinds that no pod of the plan depends on nothing is asked. Budgets are not among them: no filter reads
them, and the Eviction API minds them as they are.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from kplan.objects.kinds import KINDS, Kind
from kplan.objects.models import Pod
from kplan.plugins.shared.claims import claim_use
from kplan.plugins.shared.csi_translation import plugin_of_inline
from kplan.result.document_bind import BindPod

_BY_NAME = {kind.name: kind for kind in KINDS}
OF_VOLUMES = tuple(_BY_NAME[name] for name in ("StorageClass", "CSINode", "PersistentVolume", "PersistentVolumeClaim"))
"""What volume plugins read; volumes before the claims that name them."""
OF_NAMESPACES = (_BY_NAME["Namespace"],)
"""What a namespaceSelector reads."""
OF_DEVICES = tuple(_BY_NAME[name] for name in ("DeviceClass", "ResourceSlice", "ResourceClaim"))
"""What the plugin for devices reads."""
EVERY_KIND = (*OF_NAMESPACES, *OF_VOLUMES, *OF_DEVICES)


def followed(pods: Iterable[BindPod], there: Iterable[Pod]) -> tuple[Kind, ...]:
    """Tell which kinds the pods of a plan depend on.

    Args:
        pods: of the plan.
        there: every pod of the cluster: those of the plan are looked up, and any may keep others away.
    """
    known = {pod.key: pod for pod in there}
    bound = [(shown, _pod(shown, known)) for shown in pods if shown.result == "bind"]
    volumes = any(_has_volumes(pod) if pod is not None else "volumes" in shown.fields for shown, pod in bound)
    selects = any(
        _selects_namespaces(pod) if pod is not None else "affinity" in shown.fields for shown, pod in bound
    ) or (bound and any(_selects_namespaces(pod, anti=True) for pod in known.values()))
    devices = any(shown.devices for shown, _ in bound)
    return (
        *(OF_NAMESPACES if selects else ()),
        *(OF_VOLUMES if volumes else ()),
        *(OF_DEVICES if devices else ()),
    )


def _pod(shown: BindPod, there: dict[str, Pod]) -> Pod | None:
    """A pod of the plan, there or created; None for one that a controller makes, of which only digests are known."""
    if shown.create is not None:
        return msgspec.convert(shown.create, Pod)
    return None if shown.owner else there.get(shown.pod)


def _has_volumes(pod: Pod) -> bool:
    """Whether a pod has volumes that are objects, or count against a node's limit."""
    volumes = pod.spec.volumes or ()
    return any(claim_use(pod, volume) is not None or plugin_of_inline(volume) is not None for volume in volumes)


def _selects_namespaces(pod: Pod, *, anti: bool = False) -> bool:
    """Whether labels of namespaces decide whom required terms are about; an empty selector takes every namespace.

    Args:
        pod: whose terms.
        anti: of the terms, only those that keep others away.
    """
    affinity = pod.spec.affinity
    if affinity is None:
        return False
    lists = (affinity.pod_anti_affinity, *(() if anti else (affinity.pod_affinity,)))
    selectors = (term.namespace_selector for list_ in lists if list_ is not None for term in list_.required or ())
    return any(selector is not None and (selector.match_labels or selector.match_expressions) for selector in selectors)
