"""Who keeps an object as it is, and so puts a change of it back: its controller, or what deploys it from a source."""

from __future__ import annotations

from itertools import chain

from kplan.cluster import Cluster, PodInfo
from kplan.cluster.owners import top_owner
from kplan.objects.kind_words import WORKLOAD_WORDS
from kplan.objects.models import Object
from kplan.remedies.about import Named
from kplan.remedies.candidate import Candidate
from kplan.scenario.autoscalers import advices, autoscalers
from kplan.scenario.names import workload_object

_DEPLOYERS = {
    "argocd.argoproj.io/tracking-id": "Argo CD",
    "argocd.argoproj.io/instance": "Argo CD",
    "kustomize.toolkit.fluxcd.io/name": "Flux",
    "helm.toolkit.fluxcd.io/name": "Flux",
}
"""Labels and annotations by which what deploys objects from a source knows those that are its own."""
_APPS = frozenset(WORKLOAD_WORDS)


def keeper_of(item: object) -> str:
    """Name who puts a change of an object back: ``Cluster pg``, ``Argo CD``; empty for nobody that is known.

    Args:
        item: the object; anything else has no keeper.
    """
    if not isinstance(item, Object):
        return ""
    owner = item.controller
    if owner is not None and owner.kind not in _APPS:
        return f"{owner.kind} {owner.name}"
    marks = {**item.labels, **item.annotations}
    return next((name for mark, name in _DEPLOYERS.items() if mark in marks), "")


def keeper_of_replicas(cluster: Cluster, kind: str, namespace: str, name: str) -> str:
    """Name who puts another number of replicas back: an autoscaler, else who keeps the workload.

    Args:
        cluster: the cluster.
        kind: of the workload.
        namespace: its namespace.
        name: its name.
    """
    tables = ("scaled_objects", "horizontal_pod_autoscalers")
    scaling = chain.from_iterable(cluster.objects.table(table).values() for table in tables)
    scalers = autoscalers(scaling, cluster.rules.minor)
    mine = (scaler.name for scaler in scalers if scaler.target == (kind, namespace, name) and not scaler.paused)
    return next(mine, "") or keeper_of(workload_object(cluster, kind, namespace, name))


def sizes(cluster: Cluster, pod: PodInfo) -> bool:
    """Whether a VerticalPodAutoscaler sets the requests of a pod: what is written in its template does not count."""
    kind, name = top_owner(pod, cluster)
    target = (kind, pod.namespace, name)
    table = cluster.objects.table("vertical_pod_autoscalers").values()
    return any(advice.target == target and not advice.silent for advice in advices(table, "target"))


def put_back(candidate: Candidate) -> bool:
    """Whether somebody is known to put a change back."""
    return isinstance(candidate.about, Named) and bool(candidate.about.keeper)
