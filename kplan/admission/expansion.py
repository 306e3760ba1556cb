"""What manifests come to: the types that ``expand`` answers with."""

from dataclasses import dataclass

from kplan.admission.changes import WorkloadChange
from kplan.admission.quota import QuotaUse
from kplan.objects.models import Object, Pod


@dataclass(frozen=True, slots=True)
class ExpandedPod:
    """One pod of a manifest.

    Attributes:
        pod: as the scheduler sees it.
        workload: ``deploy/shop/web``; for a bare Pod ``pod/ns/name``.
        place: ``file:line`` of the manifest.
        added: what defaults and admission added, a phrase each ("cpu request 500m from LimitRange defaults").
    """

    pod: Pod
    workload: str
    place: str
    added: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Expansion:
    """What manifests come to.

    Attributes:
        pods: new pods, in manifest order.
        objects: other objects that the manifests bring and that scheduling reads (claims, classes, services, ...),
            those that controllers make of them (ReplicaSets, claims of volumes) among them.
        not_expanded: ``kind ns/name (file:line): why`` for what was not understood or not expanded.
        refused: ``kind ns/name (file:line): message`` for what the API server would refuse.
        notes: what else to say.
        changes: one for each workload: new, changed, scaled or unchanged against the state.
        quotas: what each ResourceQuota of the namespaces would count.
    """

    pods: tuple[ExpandedPod, ...] = ()
    objects: tuple[Object, ...] = ()
    not_expanded: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    changes: tuple[WorkloadChange, ...] = ()
    quotas: tuple[QuotaUse, ...] = ()
